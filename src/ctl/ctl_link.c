/* SPDX-License-Identifier: Apache-2.0 */
/* Reports and streams with libcurl, without a thread. */
#include "ctl/ctl_link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ctl_clock.h"

#define REPORT_MS      3000 /* between reports without events */
#define EVENTS_MS      500  /* between reports with events */
#define RETRY_MS       2000
#define REPORT_SECONDS 10L
#define ANSWER_BYTES   (4u << 20)
#define SILENT_MS      30000 /* a stream beats more often */

int ctl_link_open(struct ctl_link *link, struct ctl_agent *agent, const struct ctl_folder *folder,
    const char *url)
{
    *link = (struct ctl_link){
        .agent = agent, .multi = curl_multi_init(), .answer.bytes_max = ANSWER_BYTES
    };
    snprintf(link->url, sizeof(link->url), "%s", url);
    ctl_folder_file(folder, "agent.pem", link->certificate);
    ctl_folder_file(folder, "agent-key.pem", link->key);
    ctl_folder_file(folder, "ca.pem", link->authority);
    return link->multi ? 0 : -ENOMEM;
}

static CURL *new_request(const struct ctl_link *link, const char *path)
{
    CURL *curl = curl_easy_init();
    char url[CTL_PATH_BYTES + 64];

    if (!curl)
        return NULL;
    snprintf(url, sizeof(url), "%s%s", link->url, path);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https");
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(curl, CURLOPT_CAINFO, link->authority);
    curl_easy_setopt(curl, CURLOPT_CAPATH, NULL); /* no authority of the system is ours */
    curl_easy_setopt(curl, CURLOPT_SSLCERT, link->certificate);
    curl_easy_setopt(curl, CURLOPT_SSLKEY, link->key);
    curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, REPORT_SECONDS);
    return curl;
}

static void begin_report(struct ctl_link *link, uint64_t now_ms)
{
    json_t *report = ctl_agent_report(link->agent);

    link->reported_ms = now_ms;
    link->is_prompted = false;
    link->report_text = json_dumps(report, JSON_COMPACT);
    json_decref(report);
    link->report = link->report_text ? new_request(link, "/v1/report") : NULL;
    if (!link->report)
        return;
    link->answer.length = 0;
    curl_easy_setopt(link->report, CURLOPT_POSTFIELDS, link->report_text);
    curl_easy_setopt(link->report, CURLOPT_TIMEOUT, REPORT_SECONDS);
    curl_easy_setopt(link->report, CURLOPT_WRITEFUNCTION, ctl_text_append);
    curl_easy_setopt(link->report, CURLOPT_WRITEDATA, &link->answer);
    curl_multi_add_handle(link->multi, link->report);
}

static size_t on_stream(char *from, size_t size, size_t count, void *context)
{
    struct ctl_link *link = context;

    link->stream_heard_ms = ctl_clock_ms();
    /* Any event prompts a report, and its answer tells everything. Beats begin with a colon. */
    if (size * count > 0 && from[0] != ':')
        link->is_prompted = true;
    return size * count;
}

static void begin_stream(struct ctl_link *link, uint64_t now_ms)
{
    link->streamed_ms = link->stream_heard_ms = now_ms;
    link->stream = new_request(link, "/v1/stream");
    if (!link->stream)
        return;
    curl_easy_setopt(link->stream, CURLOPT_WRITEFUNCTION, on_stream);
    curl_easy_setopt(link->stream, CURLOPT_WRITEDATA, link);
    curl_multi_add_handle(link->multi, link->stream);
}

static void take_answer(struct ctl_link *link)
{
    json_t *answer =
        json_loadb(link->answer.bytes ? link->answer.bytes : "", link->answer.length, 0, NULL);

    link->problem[0] = '\0';
    link->is_connected = true;
    if (ctl_agent_take_answer(link->agent, answer, link->reported_ms, link->problem))
        link->is_prompted = true; /* the controller hears at once that they are in force */
    json_decref(answer);
}

static void end_request(struct ctl_link *link, CURL *request, CURLcode code)
{
    bool is_report = request == link->report;

    if (is_report && code == CURLE_OK)
        take_answer(link);
    if (code != CURLE_OK) {
        link->is_connected = false;
        snprintf(
            link->problem, sizeof(link->problem), "%s: %s", link->url, curl_easy_strerror(code));
    }
    curl_multi_remove_handle(link->multi, request);
    curl_easy_cleanup(request);
    if (is_report) {
        free(link->report_text);
        link->report_text = NULL;
        link->report = NULL;
    } else {
        link->stream = NULL;
    }
}

static void begin_due(struct ctl_link *link, uint64_t now_ms)
{
    bool has_events =
        json_array_size(link->agent->events) > 0 || ctl_prober_has_news(&link->agent->prober);
    uint64_t wait_ms = has_events ? EVENTS_MS : REPORT_MS;

    if (!link->is_connected)
        wait_ms = RETRY_MS;
    if (!link->report && (link->reported_ms == 0 || now_ms - link->reported_ms >= wait_ms ||
                             (link->is_prompted && link->is_connected)))
        begin_report(link, now_ms);
    if (link->stream && now_ms - link->stream_heard_ms >= SILENT_MS)
        end_request(link, link->stream, CURLE_OPERATION_TIMEDOUT);
    if (!link->stream && link->is_connected && now_ms - link->streamed_ms >= RETRY_MS)
        begin_stream(link, now_ms);
}

void ctl_link_wait(struct ctl_link *link, int timeout_ms)
{
    struct CURLMsg *message;
    int running, left;

    begin_due(link, ctl_clock_ms());
    curl_multi_perform(link->multi, &running);
    curl_multi_poll(link->multi, NULL, 0, timeout_ms, NULL);
    curl_multi_perform(link->multi, &running);
    while ((message = curl_multi_info_read(link->multi, &left)))
        if (message->msg == CURLMSG_DONE)
            end_request(link, message->easy_handle, message->data.result);
}

void ctl_link_close(struct ctl_link *link)
{
    CURL *const requests[] = { link->report, link->stream };

    for (unsigned i = 0; i < 2; i++)
        if (requests[i]) {
            curl_multi_remove_handle(link->multi, requests[i]);
            curl_easy_cleanup(requests[i]);
        }
    curl_multi_cleanup(link->multi);
    free(link->report_text);
    free(link->answer.bytes);
}
