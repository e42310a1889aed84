/* SPDX-License-Identifier: Apache-2.0 */
/* Requests on the control socket of a soft fabric. */
#include <jansson.h>

#include "control/control.h"
#include "lab/soft_record_show.h"
#include "lab/soft_request.h"
#include "lab/soft_state.h"
#include "lab/soft_view.h"
#include "pktio/pktio.h"

/* Writes an answer, and releases it. */
static char *text_of(json_t *answer)
{
    char *text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;

    json_decref(answer);
    return text;
}

static char *problem(const char *text)
{
    return text_of(json_pack("{s:s}", "error", text));
}

static char *done(void)
{
    return text_of(json_object());
}

/* ---- show ------------------------------------------------------------------------------------ */

static json_t *show_wire(const struct soft *soft, const struct soft_wire *wire)
{
    json_t *out = json_object();
    char name[TOPOLOGY_NAME_BYTES];

    topology_name(&wire->cable, name);
    json_object_set_new(out, "link", json_string(name));
    json_object_set_new(out, "up", json_boolean(!wire->is_down));
    json_object_set_new(out, "plane", json_integer(wire->cable.plane));
#define LINK_METRIC(name, kind, help)                                                              \
    json_object_set_new(out, #name, json_integer((json_int_t)wire->name));
#include "control/metrics.def"
    if (!wire->self.is_nic) {
        const struct port *port = &soft->switches[wire->self.node].ports[wire->self.port];

#define EGRESS_METRIC(name, kind, help)                                                            \
    json_object_set_new(out, #name, json_integer((json_int_t)port->queues[PORT_DATA].bytes));
#include "control/metrics.def"
        for (uint32_t i = 0; i < PORT_COUNTER_COUNT; i++)
            json_object_set_new(out, port_counter_descriptions[i].name,
                json_integer((json_int_t)port_counter(port->counters, i)));
    }
    return out;
}

static json_t *show_nics(const struct soft *soft)
{
    json_t *nics = json_array();

    for (uint32_t nic = 0; nic < soft->fabric.topology.nic_count; nic++) {
        json_t *ports = json_array();

        for (uint32_t plane = 0; plane < soft->fabric.topology.config.plane_count; plane++) {
            uint32_t end = soft_nic_end(soft, nic, plane);
            json_t *port;

            if (end == SOFT_NO_END)
                continue;
            port = show_wire(soft, &soft->wires[soft_nic_wire(soft, nic, plane)]);
            json_object_set_new(port, "attached", json_boolean(soft->ends[end].port_count > 0));
            json_array_append_new(ports, port);
        }
        json_array_append_new(nics, json_pack("{s:o}", "ports", ports));
    }
    return nics;
}

/* Drops at a switch by reason, with the names of the manual. */
static json_t *show_drops(const struct switch_node *node)
{
    json_t *drops = json_object();

    for (uint32_t i = DROP_NONE + 1; i < DROP_REASON_COUNT; i++)
        if (node->drops[i] > 0)
            json_object_set_new(
                drops, drop_name((enum drop_reason)i), json_integer((json_int_t)node->drops[i]));
    return drops;
}

static json_t *show_switches(const struct soft *soft)
{
    json_t *switches = json_array();

    for (uint32_t node = 0; node < soft->fabric.topology.switch_count; node++) {
        struct topology_element element = topology_switch_at(&soft->fabric.topology, node);
        json_t *ports;
        char name[TOPOLOGY_NAME_BYTES];

        if (!soft_serves(soft, node))
            continue;
        ports = json_array();
        topology_name(&element, name);
        for (uint32_t port = 0; port < topology_port_count(&soft->fabric.topology, node); port++) {
            const struct soft_wire *wire = &soft->wires[soft->first_wire[node] + port];

            if (wire->link.has_cable)
                json_array_append_new(ports, show_wire(soft, wire));
        }
        json_array_append_new(switches, json_pack("{s:s, s:o, s:o}", "name", name, "drops",
                                            show_drops(&soft->switches[node]), "ports", ports));
    }
    return switches;
}

/* Losses on wires and at reboots, with the names of the manual. */
static json_t *show_lost(const struct soft *soft)
{
    json_t *lost = json_object();

    for (int i = 0; i < LOSS_REASON_COUNT; i++)
        if (soft_lanes_lost(soft, (enum loss_reason)i) > 0)
            json_object_set_new(lost, loss_reason_name((enum loss_reason)i),
                json_integer((json_int_t)soft_lanes_lost(soft, (enum loss_reason)i)));
    return lost;
}

static json_t *show_fabric(const struct soft *soft)
{
    const struct topology *topology = &soft->fabric.topology;

    return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:I, s:o, s:o, s:o, s:o}", "name",
        soft->config.name, "planes", (int)topology->config.plane_count, "switch_count",
        (int)topology->switch_count, "nic_count", (int)topology->nic_count, "slower",
        (int)soft->config.slower, "faults_open", (int)soft->faults.count, "frames_without_buffer",
        (json_int_t)soft_lanes_no_buffer(soft), "lost", show_lost(soft), "nics", show_nics(soft),
        "switches", show_switches(soft), "faults", soft_view_faults(soft));
}

/* ---- faults ---------------------------------------------------------------------------------- */

static char *add_fault(void *context, const struct request *request)
{
    struct soft *soft = context;
    struct soft_fault fault;
    char reason[SOFT_REASON_BYTES];

    if (!soft_request_fault(soft, request, &fault, reason))
        return problem(reason);
    if (request_form_has(request, "check"))
        return done();
    if (soft_faults_add(&soft->faults, &fault) != 0)
        return problem("too many faults; clear some first");
    if (!fault.is_held) {
        soft_record_fault(&soft->record, &fault);
        soft_lanes_update_links(soft);
    }
    return text_of(json_pack("{s:i}", "id", (int)fault.id));
}

/* Opens a script. Its faults follow, each with its time in the script, and then a request to begin,
 * from which these times count. */
static char *open_script(void *context, const struct request *request)
{
    struct soft *soft = context;

    (void)request;
    for (uint32_t i = 0; i < soft->faults.count;)
        if (soft->faults.list[i].is_held) /* by a process that has ended */
            soft_faults_remove(&soft->faults, i);
        else
            i++;
    soft_lanes_update_links(soft);
    return done();
}

static char *begin_script(void *context, const struct request *request)
{
    struct soft *soft = context;

    (void)request;
    soft_record_begin(&soft->record, soft->now_ps);
    for (uint32_t i = 0; i < soft->faults.count; i++)
        if (soft->faults.list[i].is_held) {
            soft_fault_release(&soft->faults.list[i], soft->now_ps);
            soft_record_fault(&soft->record, &soft->faults.list[i]);
        }
    soft_lanes_update_links(soft);
    return done();
}

/* Selects all faults, those of a place, or those that have not begun. */
static bool is_cleared(
    const struct soft_fault *fault, const struct request *request, const struct soft_fault *place)
{
    if (request_form_has(request, "all"))
        return true;
    if (request_form_has(request, "waiting"))
        return !fault->course.has_begun;
    return soft_fault_is_at(fault, place);
}

static char *clear_faults(void *context, const struct request *request)
{
    struct soft *soft = context;
    bool has_place = !request_form_has(request, "all") && !request_form_has(request, "waiting");
    struct soft_fault place = { 0 };
    char reason[SOFT_REASON_BYTES];
    uint32_t cleared = 0;

    if (has_place && !soft_request_place(soft, request, &place, reason))
        return problem(reason);
    if (request_form_has(request, "check"))
        return done();
    soft_lanes_update_links(soft); /* removes the faults that have ended */
    for (uint32_t i = 0; i < soft->faults.count;) {
        if (!is_cleared(&soft->faults.list[i], request, &place)) {
            i++;
            continue;
        }
        soft_record_repair(&soft->record, &soft->faults.list[i], soft->now_ps);
        soft_faults_remove(&soft->faults, i);
        cleared++;
    }
    soft_lanes_update_links(soft);
    return text_of(json_pack("{s:i}", "cleared", (int)cleared));
}

static char *show_now(void *context, const struct request *request)
{
    struct soft *soft = context;
    json_t *answer;

    (void)request;
    soft_lanes_enter_all(soft);
    answer = show_fabric(soft);
    soft_lanes_leave_all(soft);
    return text_of(answer);
}

static char *show_layout(void *context, const struct request *request)
{
    (void)request;
    return text_of(soft_view_layout(context));
}

static char *show_links(void *context, const struct request *request)
{
    (void)request;
    return text_of(soft_view_links(context));
}

static char *show_record(void *context, const struct request *request)
{
    struct soft *soft = context;
    json_t *answer = soft_record_show(soft);

    if (request_form_has(request, "clear"))
        soft_record_clear(&soft->record);
    return text_of(answer);
}

static char *answer_ping(void *context, const struct request *request)
{
    (void)context;
    (void)request;
    return done();
}

static char *stop_fabric(void *context, const struct request *request)
{
    struct soft *soft = context;

    (void)request;
    soft->is_over = true;
    return done();
}

/* ---- all requests ---------------------------------------------------------------------------- */

static const struct request_argument clear_arguments[] = {
    { .name = "where", .kind = REQUEST_TEXT },
    { .name = "what", .kind = REQUEST_TEXT },
    { .name = "ev", .kind = REQUEST_TEXT },
    { .name = "all", .kind = REQUEST_FLAG },
    { .name = "waiting", .kind = REQUEST_FLAG },
    { .name = "check", .kind = REQUEST_FLAG },
    { 0 },
};

static const struct request_argument record_arguments[] = {
    { .name = "clear", .kind = REQUEST_FLAG },
    { 0 },
};

/* clang-format off */
static const struct request_form forms[] = {
    { "ping", "answers, so that the caller knows that the fabric runs", NULL, answer_ping },
    { "show", "shows links, queues, drops and faults", NULL, show_now },
    { "layout", "shows nodes and links by their names, for pages", NULL, show_layout },
    { "links", "shows the state of links as rows of numbers, and faults", NULL, show_links },
    { "fault", "adds a fault", soft_request_arguments, add_fault },
    { "clear", "ends the faults of a place, all faults, or those that wait for their time", clear_arguments, clear_faults },
    { "script", "opens a script: faults with at_ps that follow wait for its beginning", NULL, open_script },
    { "begin", "begins the script, from which at_ps counts", NULL, begin_script },
    { "record", "shows all faults so far with their times; clear: and forgets them", record_arguments, show_record },
    { "stop", "ends the fabric", NULL, stop_fabric },
    { 0 },
};
/* clang-format on */

char *soft_control_answer(void *context, const char *text)
{
    return request_form_answer(forms, context, text);
}
