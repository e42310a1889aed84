/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to running NICs and fabrics, over their Unix sockets, and the answers as JSON. */
#pragma once

#include <jansson.h>

#define REQUEST_REASON_BYTES 256

/* What became of a request. */
enum request_result {
    REQUEST_ANSWERED,
    REQUEST_NOT_RUNNING, /* no process has the device open, or no such fabric runs */
    REQUEST_REFUSED,     /* with the reason that the other side gives */
    REQUEST_FAILED,      /* the other side does not answer, or not as it should */
    REQUEST_RESULT_COUNT,
};

/* The answer is NULL unless REQUEST_ANSWERED, and released with json_decref(). A reason is written
 * for REQUEST_REFUSED and REQUEST_FAILED. */

/* To the process that has the device open: "stat", "qp 0", "ev 17". */
enum request_result request_device(
    const char *device, const char *request, json_t **answer, char reason[REQUEST_REASON_BYTES]);

/* To a running fabric; releases the request. */
enum request_result request_fabric(
    const char *fabric, json_t *request, json_t **answer, char reason[REQUEST_REASON_BYTES]);

/* Reads the text of an answer, in which "error" is a refusal. */
enum request_result request_read_answer(
    const char *text, json_t **answer, char reason[REQUEST_REASON_BYTES]);
