/* SPDX-License-Identifier: Apache-2.0 */
/* Joins what the controller knows with what a fabric on this machine shows. */
#include "ctl/ctl_dashboard.h"

#include <stdio.h>
#include <string.h>

#include "ctl/ctl_clock.h"
#include "ctl/ctl_sample.h"
#include "files/files.h"

/* A browser computes the links of larger fabrics faster than it reads them. */
#define LISTED_NIC_LINKS_MAX 20000

static const struct topology *topology_of(const struct ctl_dashboard *page)
{
    return &page->controller->plan->topology;
}

/* ---- layout and samples ---------------------------------------------------------------------- */

static json_t *show_layout(void *context, char reason[REQUEST_REASON_BYTES])
{
    struct ctl_dashboard *page = context;
    json_t *shown = dashboard_soft_source.layout(&page->soft, reason);
    json_t *layout =
        shown ? json_copy(shown) : fabric_layout(topology_of(page), LISTED_NIC_LINKS_MAX);

    json_object_set_new(layout, "kind", json_string("controller"));
    json_object_set_new(
        layout, "can", shown ? json_pack("[s, s]", "fault", "drain") : json_pack("[s]", "drain"));
    json_decref(shown);
    return layout;
}

static json_t *open_verdicts(struct ctl_store *store)
{
    json_t *rows = ctl_store_verdicts(store, -1);
    json_t *open = json_array();
    const json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        if (!json_is_null(json_object_get(row, "until_ms")))
            continue;
        json_array_append_new(
            open, json_pack("{s:O, s:O, s:f, s:O}", "where", json_object_get(row, "element"),
                      "text", json_object_get(row, "text"), "confidence",
                      (double)json_integer_value(json_object_get(row, "confidence_ppm")) / 1e6,
                      "since_ms", json_object_get(row, "since_ms")));
    }
    json_decref(rows);
    return open;
}

static json_t *drained_names(struct ctl_store *store)
{
    json_t *rows = ctl_store_denylist(store);
    json_t *names = json_array();
    const json_t *row;
    size_t i;

    json_array_foreach(rows, i, row) json_array_append(names, json_object_get(row, "element"));
    json_decref(rows);
    return names;
}

static json_t *take_sample(void *context, char reason[REQUEST_REASON_BYTES])
{
    struct ctl_dashboard *page = context;
    json_t *sample = dashboard_soft_source.sample(&page->soft, reason);

    if (!sample)
        sample = ctl_sample(topology_of(page), page->controller->ports_down, ctl_clock_day_ms());
    json_object_set_new(sample, "verdicts", open_verdicts(page->controller->store));
    json_object_set_new(sample, "drained", drained_names(page->controller->store));
    return sample;
}

static json_t *list_qps(void *context, char reason[REQUEST_REASON_BYTES])
{
    return dashboard_soft_source.qps(&((struct ctl_dashboard *)context)->soft, reason);
}

static json_t *list_evs(
    void *context, const char *device, uint32_t qpn, char reason[REQUEST_REASON_BYTES])
{
    return dashboard_soft_source.evs(&((struct ctl_dashboard *)context)->soft, device, qpn, reason);
}

/* ---- wishes ---------------------------------------------------------------------------------- */

static json_t *decide_wish(struct ctl_dashboard *page, const char *element,
    json_t *(*decision)(struct ctl_controller *, const struct ctl_wish *, unsigned *),
    char reason[REQUEST_REASON_BYTES])
{
    struct ctl_wish wish = { .actor = "operator", .element = element, .reason = "on the page" };
    unsigned status;
    json_t *answer = decision(page->controller, &wish, &status);
    const char *error = json_string_value(json_object_get(answer, "error"));

    if (status == 200)
        return answer;
    snprintf(reason, REQUEST_REASON_BYTES, "%.200s", error ? error : "refused");
    json_decref(answer);
    return NULL;
}

static json_t *carry_out(void *context, const json_t *wish, char reason[REQUEST_REASON_BYTES])
{
    struct ctl_dashboard *page = context;
    const char *drained = json_string_value(json_object_get(wish, "drain"));
    const char *restored = json_string_value(json_object_get(wish, "restore"));

    if (drained)
        return decide_wish(page, drained, ctl_controller_drain, reason);
    if (restored)
        return decide_wish(page, restored, ctl_controller_restore, reason);
    return dashboard_soft_source.act(&page->soft, wish, reason);
}

/* ---- metrics --------------------------------------------------------------------------------- */

static void add_refusals(
    struct metric_page *metrics, const struct http_server *server, const char *name)
{
    json_t *refusals = json_object();

    for (unsigned i = 0; i < HTTP_REFUSAL_COUNT; i++)
        json_object_set_new(refusals, http_refusal_name((enum http_refusal)i),
            json_integer((json_int_t)http_server_counts(server)->refused[i]));
    metric_page_add_owned(metrics, METRIC_OF_HTTP, refusals, name);
    json_decref(refusals);
}

static void measure_all(void *context, struct metric_page *metrics)
{
    struct ctl_dashboard *page = context;
    json_t *state = ctl_controller_state(page->controller);

    metric_page_add_owned(metrics, METRIC_OF_CONTROLLER, state, topology_of(page)->config.name);
    add_refusals(metrics, page->controller->operators, "operators");
    if (page->controller->agents)
        add_refusals(metrics, page->controller->agents, "agents");
    json_decref(state);
    dashboard_soft_source.measure(&page->soft, metrics);
}

static const struct dashboard_source source = {
    .layout = show_layout,
    .sample = take_sample,
    .qps = list_qps,
    .evs = list_evs,
    .act = carry_out,
    .measure = measure_all,
};

/* ---- events ---------------------------------------------------------------------------------- */

static const char *text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));

    return text ? text : "";
}

static json_t *event_of(const json_t *row)
{
    json_t *event = json_copy(json_object_get(row, "evidence"));

    json_object_set(event, "time_ms", json_object_get(row, "time_ms"));
    return event;
}

static json_t *entry_of(const json_t *row)
{
    const char *reason = text_of(row, "reason");

    return json_pack("{s:s, s:O, s:o}", "event", "audit", "time_ms",
        json_object_get(row, "time_ms"), "text",
        json_sprintf("%s: %s %s, %s%s%s", text_of(row, "actor"), text_of(row, "verb"),
            text_of(row, "element"), text_of(row, "outcome"), reason[0] ? ": " : "", reason));
}

/* Tells the rows of a table after *id. */
static void tell_rows(struct ctl_dashboard *page, struct http_server *operators, int64_t *id,
    json_t *(*rows_after)(struct ctl_store *, int64_t), json_t *(*to_event)(const json_t *row))
{
    json_t *rows = rows_after(page->controller->store, *id);
    const json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        json_t *event = to_event(row);

        *id = json_integer_value(json_object_get(row, "id"));
        if (json_is_object(event))
            dashboard_tell(&page->dashboard, operators, event);
        json_decref(event);
    }
    json_decref(rows);
}

void ctl_dashboard_turn(struct ctl_dashboard *page, struct http_server *operators)
{
    if (http_server_counts(operators)->streams == 0)
        return;
    if (!dashboard_turn(&page->dashboard, operators))
        return;
    tell_rows(page, operators, &page->event_id, ctl_store_events, event_of);
    tell_rows(page, operators, &page->audit_id, ctl_store_audit, entry_of);
}

/* ---- life ------------------------------------------------------------------------------------ */

int ctl_dashboard_init(
    struct ctl_dashboard *page, struct ctl_controller *controller, const char *fabric)
{
    *page = (struct ctl_dashboard){
        .controller = controller,
        .soft.rate_bps_min = 1000000,
        .event_id = -1,
        .audit_id = -1,
    };
    snprintf(page->soft.fabric, sizeof(page->soft.fabric), "%s", fabric);
    return dashboard_init(&page->dashboard, &source, page);
}

void ctl_dashboard_fini(struct ctl_dashboard *page)
{
    dashboard_fini(&page->dashboard);
    dashboard_soft_fini(&page->soft);
}
