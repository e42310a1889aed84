/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP interface of the controller: its routes, and the answers to questions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ctl_controller.h"
#include "ctl/ctl_requests.h"
#include "dashboard/dashboard.h"

/* ---- help ------------------------------------------------------------------------------------ */

static void answer_help(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    static const char text[] =
        "mrcd: the controller of a fabric. Answers are JSON; see mrcd(8).\n"
        "\n"
        "GET  /                                  the page of the fabric; mrc-dashboard(5)\n"
        "GET  /v1/state /v1/fabric /v1/agents /v1/nics /v1/nics/NIC /v1/denylist /v1/server\n"
        "GET  /v1/audit /v1/events /v1/verdicts   ?after=ID\n"
        "GET  /v1/stream                          server-sent events\n"
        "POST /v1/drain /v1/restore               {\"element\", \"reason\", \"dry_run\"}\n"
        "POST /v1/verdicts        {\"element\", \"text\", \"confidence_ppm\", \"is_open\"}\n";

    (void)context;
    (void)request;
    http_answer_lend(answer, HTTP_PLAIN, text, sizeof(text) - 1);
}

/* ---- queries --------------------------------------------------------------------------------- */

static void answer_state(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    (void)request;
    ctl_requests_answer(answer, 200, ctl_controller_state(context));
}

static json_t *refusals_json(const struct http_server *server)
{
    json_t *list = json_object();

    for (unsigned i = 0; server && i < HTTP_REFUSAL_COUNT; i++)
        json_object_set_new(list, http_refusal_name((enum http_refusal)i),
            json_integer((json_int_t)http_server_counts(server)->refused[i]));
    return list;
}

static void answer_server(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    const struct ctl_controller *controller = context;

    (void)request;
    ctl_requests_answer(answer, 200,
        json_pack("{s:o,s:o}", "operators", refusals_json(controller->operators), "agents",
            refusals_json(controller->agents)));
}

static void answer_fabric(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    const struct ctl_controller *controller = context;
    const struct topology *topology = &controller->plan->topology;

    (void)request;
    ctl_requests_answer(answer, 200,
        json_pack("{s:s,s:i,s:i,s:i,s:i}", "name", topology->config.name, "planes",
            (int)topology->config.plane_count, "nics", (int)topology->nic_count, "switches",
            (int)topology->switch_count, "paths_per_plane",
            (int)plan_plane_paths(controller->plan)));
}

static void answer_agents(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    (void)request;
    ctl_requests_answer(answer, 200, ctl_controller_agents(context));
}

static void answer_nics(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    (void)request;
    ctl_requests_answer(answer, 200, ctl_controller_nics(context));
}

static void answer_nic(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    json_t *nics = ctl_controller_nics(context);
    const char *wanted = request->target.parts[2];
    json_t *nic;
    size_t i;

    json_array_foreach(nics, i, nic)
    {
        if (strcmp(json_string_value(json_object_get(nic, "nic")), wanted) == 0) {
            ctl_requests_answer(answer, 200, json_incref(nic));
            json_decref(nics);
            return;
        }
    }
    json_decref(nics);
    http_answer_error(answer, 404, "no agent speaks for %s", wanted);
}

static void answer_denylist(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    struct ctl_controller *controller = context;

    (void)request;
    ctl_requests_answer(answer, 200, ctl_store_denylist(controller->store));
}

/* Answers with the rows after the parameter `after`, or the newest. */
static void answer_rows(struct ctl_controller *controller, const struct http_request *request,
    struct http_answer *answer, json_t *(*rows)(struct ctl_store *, int64_t))
{
    const char *after = http_target_parameter(&request->target, "after");
    char *end = NULL;
    long long number = -1;

    errno = 0;
    if (after)
        number = strtoll(after, &end, 10);
    if (after && (errno || end == after || *end || number < 0)) {
        http_answer_error(answer, 400, "after: '%s' is not the id of an entry", after);
        return;
    }
    ctl_requests_answer(answer, 200, rows(controller->store, number));
}

static void answer_audit(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    answer_rows(context, request, answer, ctl_store_audit);
}

static void answer_events(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    answer_rows(context, request, answer, ctl_store_events);
}

static void answer_verdicts(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    answer_rows(context, request, answer, ctl_store_verdicts);
}

/* A stream begins with the state. */
static void answer_stream(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    json_t *state = ctl_controller_state(context);
    char *line = json_dumps(state, JSON_COMPACT);
    char *text = NULL;

    (void)request;
    if (line && asprintf(&text, "event: state\ndata: %s\n\n", line) < 0)
        text = NULL;
    http_answer_text(answer, 200, HTTP_STREAM, text);
    free(line);
    json_decref(state);
}

static void answer_page(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    dashboard_answer(((struct ctl_controller *)context)->dashboard, request, answer);
}

/* The stream of an agent only prompts it to report: thousands of them may begin at once. */
static void answer_prompts(
    void *context, const struct http_request *request, struct http_answer *answer)
{
    (void)context;
    (void)request;
    http_answer_text(answer, 200, HTTP_STREAM, strdup("event: hello\ndata: {}\n\n"));
}

const struct http_route ctl_operator_routes[] = {
#define DASHBOARD_PATH(method, pattern, what, channel) { method, pattern, answer_page, channel },
#include "dashboard/dashboard_paths.def"
    { HTTP_GET, "/v1", answer_help, 0 },
    { HTTP_GET, "/v1/state", answer_state, 0 },
    { HTTP_GET, "/v1/fabric", answer_fabric, 0 },
    { HTTP_GET, "/v1/agents", answer_agents, 0 },
    { HTTP_GET, "/v1/nics", answer_nics, 0 },
    { HTTP_GET, "/v1/nics/*", answer_nic, 0 },
    { HTTP_GET, "/v1/denylist", answer_denylist, 0 },
    { HTTP_GET, "/v1/audit", answer_audit, 0 },
    { HTTP_GET, "/v1/events", answer_events, 0 },
    { HTTP_GET, "/v1/verdicts", answer_verdicts, 0 },
    { HTTP_GET, "/v1/server", answer_server, 0 },
    { HTTP_GET, "/v1/stream", answer_stream, CTL_CHANNEL },
    { HTTP_POST, "/v1/drain", ctl_requests_drain, 0 },
    { HTTP_POST, "/v1/restore", ctl_requests_restore, 0 },
    { HTTP_POST, "/v1/verdicts", ctl_requests_verdict, 0 },
    { HTTP_GET, NULL, NULL, 0 },
};

const struct http_route ctl_agent_routes[] = {
    { HTTP_POST, "/v1/report", ctl_requests_report, 0 },
    { HTTP_GET, "/v1/stream", answer_prompts, CTL_CHANNEL },
    { HTTP_GET, NULL, NULL, 0 },
};
