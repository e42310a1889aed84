/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the controller: a target in the first line, a body in the rest. Whatever they are,
 * the answer is a status and a text, and the denylist stays within the limit. The first byte
 * chooses the side: operators or agents. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ctl_served.h"
#include "must.h"

enum { LIMIT_PPM = 600000 };

static void answer_with(
    struct ctl_bench *bench, const struct http_route *routes, const struct http_request *request)
{
    struct http_answer answer = { .status = 0 };

    for (const struct http_route *route = routes; route->pattern; route++) {
        if (route->method != request->method ||
            !http_target_matches(&request->target, route->pattern))
            continue;
        route->answer(&bench->controller, request, &answer);
        MUST(answer.status >= 200 && answer.status < 600);
        MUST(answer.text != NULL);
        if (!answer.is_borrowed)
            free(answer.text);
        return;
    }
}

static void check_bench(struct ctl_bench *bench)
{
    struct ctl_share share = ctl_denylist_share(&bench->controller.denylist, NULL);
    json_t *rows = ctl_store_denylist(bench->store);

    MUST(share.ppm >= LIMIT_PPM);
    MUST(json_array_size(rows) == bench->controller.denylist.count);
    json_decref(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    static struct ctl_served served;
    static bool is_open;
    struct ctl_bench *bench = &served.bench;
    struct http_request request = { .method = HTTP_POST, .peer = "fuzz" };
    const struct http_route *routes = ctl_operator_routes;
    char *text = malloc(length_bytes + 1);
    char *line_end;

    if (!is_open)
        is_open = ctl_served_open(&served, LIMIT_PPM);
    MUST(is_open && text);
    memcpy(text, data, length_bytes);
    text[length_bytes] = '\0';
    line_end = strchr(text, '\n');
    if (length_bytes > 1 && line_end) {
        *line_end = '\0';
        routes = text[0] == 'a' ? ctl_agent_routes : ctl_operator_routes;
        request.method = text[0] == 'g' ? HTTP_GET : HTTP_POST;
        request.body = line_end + 1;
        request.body_bytes = length_bytes - (size_t)(request.body - text);
        if (http_target_read(text + 1, &request.target))
            answer_with(bench, routes, &request);
        ctl_controller_tick(&bench->controller, bench->controller.now_ms + 300);
        check_bench(bench);
    }
    free(text);
    return 0;
}
