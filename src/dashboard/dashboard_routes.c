/* SPDX-License-Identifier: Apache-2.0 */
/* Answers the requests of pages from a source. */
#include "dashboard/dashboard_routes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "web/web.h"

enum { INTERVAL_MS = 500 };

/* ---- life ------------------------------------------------------------------------------------ */

int dashboard_init(
    struct dashboard *dashboard, const struct dashboard_source *source, void *context)
{
    FILE *out;
    json_t *metrics = metric_json();

    *dashboard = (struct dashboard){ .source = source, .context = context };
    out = open_memstream(&dashboard->page, &dashboard->page_bytes);
    if (out)
        web_dashboard_write(out, NULL, metrics);
    json_decref(metrics);
    return out && fclose(out) == 0 ? 0 : -ENOMEM;
}

void dashboard_fini(struct dashboard *dashboard)
{
    dashboard_log_fini(&dashboard->log);
    free(dashboard->sample);
    free(dashboard->page);
}

/* ---- documents ------------------------------------------------------------------------------- */

/* Answers with a document, and releases it; without one, with the reason. */
static void answer_json(
    struct http_answer *answer, json_t *document, unsigned status, const char *reason)
{
    if (document)
        http_answer_text(answer, 200, HTTP_JSON, json_dumps(document, JSON_COMPACT));
    else
        http_answer_error(answer, status, "%s", reason);
    json_decref(document);
}

static void answer_page(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    const struct dashboard *dashboard = context;

    (void)request;
    http_answer_lend(answer, HTTP_HTML, dashboard->page, dashboard->page_bytes);
}

static void answer_layout(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    const struct dashboard *dashboard = context;
    char reason[REQUEST_REASON_BYTES] = "";

    (void)request;
    answer_json(answer, dashboard->source->layout(dashboard->context, reason), 503, reason);
}

static void answer_qps(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    const struct dashboard *dashboard = context;
    char reason[REQUEST_REASON_BYTES] = "";

    (void)request;
    answer_json(answer, dashboard->source->qps(dashboard->context, reason), 503, reason);
}

/* The name becomes a part of the path of a socket. */
static bool is_device_name(const char *text)
{
    size_t length = text ? strlen(text) : 0;

    return length > 0 && length < DEVICE_LIST_NAME_BYTES &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
               length;
}

static void answer_evs(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    const struct dashboard *dashboard = context;
    const char *device = http_target_parameter(&request->target, "device");
    const char *qpn = http_target_parameter(&request->target, "qpn");
    char reason[REQUEST_REASON_BYTES] = "";
    unsigned long number;
    char *end;

    if (!is_device_name(device) || !qpn || qpn[0] < '0' || qpn[0] > '9') {
        http_answer_error(answer, 400, "name a device and a QP: ?device=mrc0&qpn=17");
        return;
    }
    number = strtoul(qpn, &end, 10);
    if (*end || number > 0xffffff) {
        http_answer_error(answer, 400, "qpn=%.20s: not the number of a QP", qpn);
        return;
    }
    answer_json(answer,
        dashboard->source->evs(dashboard->context, device, (uint32_t)number, reason), 404, reason);
}

static void answer_metrics(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    const struct dashboard *dashboard = context;
    struct metric_page page = { 0 };
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    (void)request;
    dashboard->source->measure(dashboard->context, &page);
    if (out) {
        metric_page_write(&page, out);
        if (fclose(out) != 0) {
            free(text);
            text = NULL;
        }
    }
    metric_page_fini(&page);
    http_answer_text(answer, 200, "text/plain; version=0.0.4; charset=utf-8", text);
}

static void answer_wish(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    const struct dashboard *dashboard = context;
    char reason[REQUEST_REASON_BYTES] = "";
    json_error_t error;
    json_t *wish = json_loadb(request->body, request->body_bytes, JSON_REJECT_DUPLICATES, &error);

    if (!json_is_object(wish))
        http_answer_error(
            answer, 400, "the body is not a JSON object: %s", wish ? "another type" : error.text);
    else
        answer_json(answer, dashboard->source->act(dashboard->context, wish, reason), 409, reason);
    json_decref(wish);
}

/* ---- samples --------------------------------------------------------------------------------- */

static uint64_t clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Takes a sample if an interval has passed: rates are those since the previous one, for all
 * readers. Returns whether there is a new one. */
static bool take_sample(struct dashboard *dashboard)
{
    char reason[REQUEST_REASON_BYTES] = "";
    uint64_t now_ms = clock_ms();
    json_t *sample;

    if (dashboard->sample && now_ms < dashboard->sampled_ms + INTERVAL_MS)
        return false;
    sample = dashboard->source->sample(dashboard->context, reason);
    if (!sample)
        sample = json_pack("{s:s}", "error", reason);
    free(dashboard->sample);
    dashboard->sample = json_dumps(sample, JSON_COMPACT);
    dashboard->sampled_ms = now_ms;
    json_decref(sample);
    return dashboard->sample != NULL;
}

static void answer_sample(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    struct dashboard *dashboard = context;

    (void)request;
    take_sample(dashboard);
    http_answer_text(answer, 200, HTTP_JSON, dashboard->sample ? strdup(dashboard->sample) : NULL);
}

bool dashboard_turn(struct dashboard *dashboard, struct http_server *server)
{
    if (http_server_counts(server)->streams == 0 || !take_sample(dashboard))
        return false;
    http_server_tell(server, DASHBOARD_CHANNEL, "sample", dashboard->sample);
    return true;
}

/* ---- the stream ------------------------------------------------------------------------------ */

/* A stream begins with the events that were kept and the latest sample. */
static void answer_stream(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    struct dashboard *dashboard = context;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    (void)request;
    if (out) {
        fputs("event: log\ndata: ", out);
        dashboard_log_write(&dashboard->log, out);
        fputs("\n\n", out);
        if (dashboard->sample)
            fprintf(out, "event: sample\ndata: %s\n\n", dashboard->sample);
        if (fclose(out) != 0) {
            free(text);
            text = NULL;
        }
    }
    http_answer_text(answer, 200, HTTP_STREAM, text);
}

void dashboard_tell(struct dashboard *dashboard, struct http_server *server, const json_t *event)
{
    const char *text = dashboard_log_add(&dashboard->log, event);

    if (text)
        http_server_tell(server, DASHBOARD_CHANNEL, "event", text);
}

/* ---- paths ----------------------------------------------------------------------------------- */

static const struct http_route handlers[] = {
#define DASHBOARD_PATH(method, pattern, what, channel) { method, pattern, answer_##what, channel },
#include "dashboard/dashboard_paths.def"
    { 0 },
};

void dashboard_answer(
    struct dashboard *dashboard, const struct http_request *request, struct http_answer *answer)
{
    for (const struct http_route *row = handlers; row->pattern; row++)
        if (row->method == request->method && http_target_matches(&request->target, row->pattern))
            row->answer(dashboard, request, answer);
}
