/* SPDX-License-Identifier: Apache-2.0 */
/* Requests with a body: it is checked, and only what is known is taken from it. */
#include "ctl/ctl_requests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ctl_conduct.h"
#include "ctl/ctl_controller.h"

#define BODY_DEPTH_MAX 16

void ctl_requests_answer(struct http_answer *answer, unsigned status, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT) : NULL;

    if (value)
        http_answer_text(answer, status, HTTP_JSON, text);
    else
        http_answer_error(answer, 503, "the store cannot be read");
    json_decref(value);
}

static bool is_shallow(const json_t *value, unsigned depth)
{
    const json_t *child;
    const char *key;
    size_t i;

    if (depth == 0)
        return false;
    if (json_is_array(value))
        json_array_foreach(value, i, child) if (!is_shallow(child, depth - 1)) return false;
    if (json_is_object(value))
        json_object_foreach(
            (json_t *)(size_t)value, key, child) if (!is_shallow(child, depth - 1)) return false;
    return true;
}

/* Returns an object, or NULL after an error. */
static json_t *read_body(const struct http_request *request, struct http_answer *answer)
{
    json_error_t problem;
    json_t *body = json_loadb(request->body, request->body_bytes, JSON_REJECT_DUPLICATES, &problem);

    if (!body) {
        http_answer_error(answer, 400, "the body is not JSON: line %d column %d: %s", problem.line,
            problem.column, problem.text);
        return NULL;
    }
    if (json_is_object(body) && is_shallow(body, BODY_DEPTH_MAX))
        return body;
    json_decref(body);
    http_answer_error(
        answer, 400, "the body must be a JSON object of at most %d levels", BODY_DEPTH_MAX);
    return NULL;
}

static bool has_unknown_key(const json_t *body, const char *const *known, const char **unknown)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(size_t)body, key, value)
    {
        const char *const *word = known;

        while (*word && strcmp(*word, key) != 0)
            word++;
        if (!*word) {
            *unknown = key;
            return true;
        }
    }
    return false;
}

static bool is_text_or_absent(const json_t *value)
{
    return !value || (json_is_string(value) && json_string_length(value) < 1024);
}

/* Reads {"element": "p1.t1.7", "reason": "...", "evidence": ..., "dry_run": true}. */
static bool read_wish(const json_t *body, struct ctl_wish *wish, struct http_answer *answer)
{
    static const char *const known[] = { "element", "reason", "evidence", "dry_run", NULL };
    const json_t *element = json_object_get(body, "element");
    const json_t *reason = json_object_get(body, "reason");
    const json_t *is_dry = json_object_get(body, "dry_run");
    const char *unknown;

    if (has_unknown_key(body, known, &unknown))
        http_answer_error(answer, 400, "'%s' is not a key of this request", unknown);
    else if (!json_is_string(element) || !is_text_or_absent(element) || !is_text_or_absent(reason))
        http_answer_error(answer, 400, "'element' must be a text, and so must 'reason'");
    else if (is_dry && !json_is_boolean(is_dry))
        http_answer_error(answer, 400, "'dry_run' must be true or false");
    else {
        *wish = (struct ctl_wish){ .actor = "operator",
            .element = json_string_value(element),
            .reason = json_string_value(reason),
            .is_dry = json_is_true(is_dry) };
        return true;
    }
    return false;
}

static void answer_wish(struct ctl_controller *controller, const struct http_request *request,
    struct http_answer *answer,
    json_t *(*decide)(struct ctl_controller *, const struct ctl_wish *, unsigned *))
{
    json_t *body = read_body(request, answer);
    const json_t *evidence = json_object_get(body, "evidence");
    char *text = evidence ? json_dumps(evidence, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    struct ctl_wish wish;
    unsigned status;

    if (body && read_wish(body, &wish, answer)) {
        json_t *decision;

        wish.evidence = text;
        decision = decide(controller, &wish, &status);
        ctl_requests_answer(answer, status, decision);
    }
    free(text);
    json_decref(body);
}

void ctl_requests_drain(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    answer_wish(context, request, answer, ctl_controller_drain);
}

void ctl_requests_restore(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    answer_wish(context, request, answer, ctl_controller_restore);
}

/* Opens, updates or ends a verdict: what localisation has found out. */
static void put_verdict(
    struct ctl_controller *controller, const json_t *body, struct http_answer *answer)
{
    const json_t *element = json_object_get(body, "element");
    const json_t *text = json_object_get(body, "text");
    const json_t *confidence = json_object_get(body, "confidence_ppm");
    const json_t *evidence = json_object_get(body, "evidence");
    char *evidence_text = evidence ? json_dumps(evidence, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    struct ctl_verdict verdict = { .element = json_string_value(element),
        .text = json_string_value(text),
        .evidence = evidence_text,
        .confidence_ppm = json_integer_value(confidence) };
    bool is_end = json_is_false(json_object_get(body, "is_open"));
    int err;

    if (!verdict.element || !is_text_or_absent(element) || !is_text_or_absent(text) ||
        (!is_end && !verdict.text))
        err = -EINVAL;
    else
        err = is_end ? ctl_store_end_verdict(controller->store, verdict.element)
                     : ctl_store_put_verdict(controller->store, &verdict);
    free(evidence_text);
    if (err == -EINVAL)
        http_answer_error(answer, 400, "'element' and 'text' must be texts");
    else if (err)
        http_answer_error(answer, err == -ENOENT ? 404 : 507, "%s", strerror(-err));
    else
        ctl_requests_answer(answer, 200, json_pack("{s:b}", "is_open", !is_end));
}

void ctl_requests_verdict(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    json_t *body = read_body(request, answer);

    if (body)
        put_verdict(context, body, answer);
    json_decref(body);
}

/* ---- agents ---------------------------------------------------------------------------------- */

void ctl_requests_report(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    bool is_welcome = ctl_conduct_may_report(context, request->peer);
    json_t *body = is_welcome ? read_body(request, answer) : NULL;
    json_t *orders = body ? ctl_controller_take_report(context, request->peer, body) : NULL;

    if (!is_welcome)
        http_answer_error(answer, 429, "at most %d reports in a second", CTL_REPORTS_RATE);
    else if (orders)
        ctl_requests_answer(answer, 200, orders);
    else if (body)
        http_answer_error(answer, 400, "malformed report");
    json_decref(body);
}
