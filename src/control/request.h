/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to running NICs and fabrics, over their Unix sockets, and the answers as JSON. */
#pragma once

#include <jansson.h>

#include "control/request_form.h"
#include "control/request_line.h"

/* The result of a request. */
enum request_result {
    REQUEST_ANSWERED,
    REQUEST_NOT_RUNNING, /* no process has the device open, or no such fabric runs */
    REQUEST_REFUSED,     /* the reason is that of the other side */
    REQUEST_FAILED,      /* no answer, or an invalid one */
    REQUEST_RESULT_COUNT,
};

/* The answer is NULL unless REQUEST_ANSWERED; the caller releases it with json_decref().
 * REQUEST_REFUSED and REQUEST_FAILED set the reason. */

/* Sends a request such as "stat", "qp 0" or "ev 17" to the process that has the device open. */
enum request_result request_device(
    const char *device, const char *request, json_t **answer, char reason[REQUEST_REASON_BYTES]);

/* Sends a request to a running fabric. */
enum request_result request_fabric(const char *fabric, const struct request_line *, json_t **answer,
    char reason[REQUEST_REASON_BYTES]);
