/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of a dashboard with a source that is made up: what is passed on, and what is refused.
 */
#include "dashboard/dashboard.h"

#include <stdlib.h>
#include <string.h>

#include "spec.h"

static uint32_t sample_count;

static json_t *made_layout(void *context, char reason[REQUEST_REASON_BYTES])
{
    (void)context;
    snprintf(reason, REQUEST_REASON_BYTES, "nothing runs");
    return NULL;
}

static json_t *made_sample(void *context, char reason[REQUEST_REASON_BYTES])
{
    (void)context;
    (void)reason;
    return json_pack("{s:i}", "number", (int)++sample_count);
}

static json_t *made_qps(void *context, char reason[REQUEST_REASON_BYTES])
{
    (void)context;
    (void)reason;
    return json_array();
}

static json_t *made_evs(
    void *context, const char *device, uint32_t qpn, char reason[REQUEST_REASON_BYTES])
{
    (void)context;
    (void)reason;
    return json_pack("{s:s, s:i}", "device", device, "qpn", (int)qpn);
}

static json_t *made_act(void *context, const json_t *wish, char reason[REQUEST_REASON_BYTES])
{
    (void)context;
    if (json_object_get(wish, "good"))
        return json_object();
    snprintf(reason, REQUEST_REASON_BYTES, "not \"good\"");
    return NULL;
}

static void made_measure(void *context, struct metric_page *page)
{
    json_t *values = json_pack("{s:i}", "planes", 3);

    (void)context;
    metric_page_add_owned(page, METRIC_OF_FABRIC, values, "made");
    json_decref(values);
}

static const struct dashboard_source made = {
    .layout = made_layout,
    .sample = made_sample,
    .qps = made_qps,
    .evs = made_evs,
    .act = made_act,
    .measure = made_measure,
};

/* The answer to a request, as "STATUS TEXT"; valid until the next call. */
static const char *answer_to(
    struct dashboard *dashboard, enum http_method method, const char *target, const char *body)
{
    static char text[65536];
    static struct http_request request;
    struct http_answer answer = { 0 };

    request = (struct http_request){ .method = method, .body = body, .body_bytes = strlen(body) };
    EXPECT(http_target_read(target, &request.target));
    dashboard_answer(dashboard, &request, &answer);
    snprintf(text, sizeof(text), "%u %.*s", answer.status,
        answer.text_bytes < 60000 ? (int)answer.text_bytes : 60000, answer.text);
    if (!answer.is_borrowed)
        free(answer.text);
    return text;
}

static void expect_answer(struct dashboard *dashboard, const char *target, const char *wanted)
{
    EXPECT_STR_EQ(answer_to(dashboard, HTTP_GET, target, ""), wanted);
}

static bool has_text(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

static struct dashboard *begin(void)
{
    static struct dashboard dashboard;

    sample_count = 0;
    EXPECT_EQ(dashboard_init(&dashboard, &made, NULL), 0);
    return &dashboard;
}

SPEC("the page is complete, and metrics are those of the source")
{
    struct dashboard *dashboard = begin();

    EXPECT(has_text(answer_to(dashboard, HTTP_GET, "/", ""), "200 <!DOCTYPE html>"));
    EXPECT(has_text(
        answer_to(dashboard, HTTP_GET, "/metrics", ""), "mrc_fabric_planes{fabric=\"made\"} 3\n"));
    expect_answer(dashboard, "/dashboard/qps", "200 []");
    dashboard_fini(dashboard);
}

SPEC("a source that has nothing to show says why")
{
    struct dashboard *dashboard = begin();

    EXPECT(has_text(answer_to(dashboard, HTTP_GET, "/dashboard/layout", ""), "503 "));
    EXPECT(has_text(answer_to(dashboard, HTTP_GET, "/dashboard/layout", ""), "nothing runs"));
    dashboard_fini(dashboard);
}

SPEC("readers share a sample: a second request within an interval takes none")
{
    struct dashboard *dashboard = begin();

    expect_answer(dashboard, "/dashboard/sample", "200 {\"number\":1}");
    dashboard->sampled_ms += 1000000; /* the interval lasts as long as this test */
    expect_answer(dashboard, "/dashboard/sample", "200 {\"number\":1}");
    dashboard->sampled_ms = 0;
    expect_answer(dashboard, "/dashboard/sample", "200 {\"number\":2}");
    dashboard_fini(dashboard);
}

SPEC("the stream begins with the log and the latest sample")
{
    struct dashboard *dashboard = begin();
    json_t *event = json_pack("{s:s}", "event", "made");

    answer_to(dashboard, HTTP_GET, "/dashboard/sample", "");
    dashboard_log_add(&dashboard->log, event);
    json_decref(event);
    expect_answer(dashboard, "/dashboard/stream",
        "200 event: log\ndata: [{\"event\":\"made\"}]\n\nevent: sample\ndata: {\"number\":1}\n\n");
    dashboard_fini(dashboard);
}

SPEC("the EVs of a QP need the name of a device and the number of a QP")
{
    static const char *const refused[] = { "/dashboard/evs", "/dashboard/evs?device=mrc0",
        "/dashboard/evs?qpn=1", "/dashboard/evs?device=..&qpn=1", "/dashboard/evs?device=a.b&qpn=1",
        "/dashboard/evs?device=mrc0&qpn=-1", "/dashboard/evs?device=mrc0&qpn=1x",
        "/dashboard/evs?device=mrc0&qpn=16777216",
        "/dashboard/evs?device=mrc0&qpn=99999999999999999999" };
    struct dashboard *dashboard = begin();

    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        EXPECT(strncmp(answer_to(dashboard, HTTP_GET, refused[i], ""), "400 ", 4) == 0);
    expect_answer(dashboard, "/dashboard/evs?device=mrc0&qpn=16777215",
        "200 {\"device\":\"mrc0\",\"qpn\":16777215}");
    dashboard_fini(dashboard);
}

SPEC("a wish is a JSON object, and the refusal of the source is its answer")
{
    static const char *const malformed[] = { "", "good", "[]", "\"good\"", "{",
        "{\"a\":1,\"a\":2}" };
    struct dashboard *dashboard = begin();

    for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++)
        EXPECT(strncmp(answer_to(dashboard, HTTP_POST, "/dashboard/wish", malformed[i]), "400 ",
                   4) == 0);
    EXPECT_STR_EQ(answer_to(dashboard, HTTP_POST, "/dashboard/wish", "{\"good\":1}"), "200 {}");
    EXPECT(has_text(
        answer_to(dashboard, HTTP_POST, "/dashboard/wish", "{\"bad\":1}"), "not \\\"good\\\""));
    dashboard_fini(dashboard);
}
