/* SPDX-License-Identifier: Apache-2.0 */
/* Sends requests, and distinguishes refusals from failures. */
#include "control/request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pktio/pktio.h"

enum {
    PATH_BYTES = 512,
};

/* Parses the text of an answer, in which "error" is a refusal. */
static enum request_result read_answer(
    const char *text, json_t **answer, char reason[REQUEST_REASON_BYTES])
{
    json_error_t error;
    const char *refusal;

    *answer = json_loads(text, 0, &error);
    if (!*answer) {
        snprintf(reason, REQUEST_REASON_BYTES, "the answer is damaged: %s", error.text);
        return REQUEST_FAILED;
    }
    refusal = json_string_value(json_object_get(*answer, "error"));
    if (!refusal)
        return REQUEST_ANSWERED;
    snprintf(reason, REQUEST_REASON_BYTES, "%s", refusal);
    json_decref(*answer);
    *answer = NULL;
    return REQUEST_REFUSED;
}

static enum request_result ask_at(
    const char *path, const char *request, json_t **answer, char reason[REQUEST_REASON_BYTES])
{
    char *text = NULL;
    enum request_result result;
    int err = control_ask(path, request, &text);

    if (err == -ENOENT || err == -ECONNREFUSED)
        return REQUEST_NOT_RUNNING;
    if (err) {
        snprintf(reason, REQUEST_REASON_BYTES, "%s", strerror(-err));
        return REQUEST_FAILED;
    }
    result = read_answer(text, answer, reason);
    free(text);
    return result;
}

enum request_result request_device(
    const char *device, const char *request, json_t **answer, char reason[REQUEST_REASON_BYTES])
{
    char path[PATH_BYTES];
    int err = run_place(path, sizeof(path), device, "status");

    *answer = NULL;
    if (!err)
        return ask_at(path, request, answer, reason);
    if (err == -ENOENT)
        return REQUEST_NOT_RUNNING;
    snprintf(reason, REQUEST_REASON_BYTES, "%s", strerror(-err));
    return REQUEST_FAILED;
}

enum request_result request_fabric(const char *fabric, const struct request_line *request,
    json_t **answer, char reason[REQUEST_REASON_BYTES])
{
    char root[RUN_PLACE_BYTES];
    char path[RUN_PLACE_BYTES + 80];
    int err = run_place_make(root, sizeof(root));

    *answer = NULL;
    if (request->is_cut) {
        snprintf(reason, REQUEST_REASON_BYTES, "the request is too long, or a name has a blank");
        return REQUEST_REFUSED;
    }
    if (err) {
        snprintf(reason, REQUEST_REASON_BYTES, "%s", strerror(-err));
        return REQUEST_FAILED;
    }
    snprintf(path, sizeof(path), "%s/%.60s/control", root, fabric);
    return ask_at(path, request->text, answer, reason);
}
