/* SPDX-License-Identifier: Apache-2.0 */
/* Requests on the control socket of a soft fabric. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "lab/soft_record_show.h"
#include "lab/soft_request.h"
#include "lab/soft_state.h"
#include "pktio/pktio.h"

static json_t *problem(const char *text)
{
    return json_pack("{s:s}", "error", text);
}

/* ---- show ------------------------------------------------------------------------------------ */

static json_t *show_wire(const struct soft *soft, const struct soft_wire *wire)
{
    json_t *out = json_object();
    char name[TOPOLOGY_NAME_BYTES];

    topology_name(&wire->link, name);
    json_object_set_new(out, "link", json_string(name));
    json_object_set_new(out, "up", json_boolean(!wire->is_down));
    json_object_set_new(out, "rate_bps", json_integer((json_int_t)wire->rate_bps));
    json_object_set_new(out, "frames", json_integer((json_int_t)wire->frames));
    json_object_set_new(out, "lost", json_integer((json_int_t)wire->lost));
    if (!wire->self.is_nic) {
        const struct port *port = &soft->switches[wire->self.node].ports[wire->self.port];

        json_object_set_new(
            out, "data_queue_bytes", json_integer((json_int_t)port->queues[PORT_DATA].bytes));
        for (uint32_t i = 0; i < PORT_COUNTER_COUNT; i++)
            json_object_set_new(out, port_counter_descriptions[i].name,
                json_integer((json_int_t)port->counters->value[i]));
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

            if (wire->has_cable)
                json_array_append_new(ports, show_wire(soft, wire));
        }
        json_array_append_new(switches, json_pack("{s:s, s:o, s:o}", "name", name, "drops",
                                            show_drops(&soft->switches[node]), "ports", ports));
    }
    return switches;
}

static json_t *show_faults(const struct soft *soft)
{
    json_t *faults = json_array();

    for (uint32_t i = 0; i < soft->faults.count; i++) {
        const struct soft_fault *fault = &soft->faults.list[i];
        json_t *out = json_object();
        char name[SOFT_PLACE_BYTES];

        soft_request_name(soft, fault, name);
        json_object_set_new(out, "id", json_integer(fault->id));
        json_object_set_new(out, "kind", json_string(fault_kind_words[fault->what.kind]));
        json_object_set_new(out, "where", json_string(name));
        json_array_append_new(faults, out);
    }
    return faults;
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

static json_t *show(const struct soft *soft)
{
    const struct topology *topology = &soft->fabric.topology;

    return json_pack("{s:s, s:i, s:i, s:i, s:i, s:I, s:o, s:o, s:o, s:o}", "name",
        soft->config.name, "planes", (int)topology->config.plane_count, "switch_count",
        (int)topology->switch_count, "nic_count", (int)topology->nic_count, "slower",
        (int)soft->config.slower, "frames_without_buffer", (json_int_t)soft_lanes_no_buffer(soft),
        "lost", show_lost(soft), "nics", show_nics(soft), "switches", show_switches(soft), "faults",
        show_faults(soft));
}

/* ---- faults ---------------------------------------------------------------------------------- */

static json_t *add_fault(struct soft *soft, const json_t *request)
{
    struct soft_fault fault;
    char reason[SOFT_REASON_BYTES];

    if (!soft_request_fault(soft, request, &fault, reason))
        return problem(reason);
    if (json_is_true(json_object_get(request, "check")))
        return json_object();
    if (soft_faults_add(&soft->faults, &fault) != 0)
        return problem("too many faults; clear some first");
    if (!fault.is_held) {
        soft_record_fault(&soft->record, &fault);
        soft_lanes_update_links(soft);
    }
    return json_pack("{s:i}", "id", (int)fault.id);
}

/* Opens a script. Its faults follow, each with its time in the script, and then a request to begin,
 * from which these times count. */
static json_t *open_script(struct soft *soft)
{
    for (uint32_t i = 0; i < soft->faults.count;)
        if (soft->faults.list[i].is_held) /* by a process that has ended */
            soft_faults_remove(&soft->faults, i);
        else
            i++;
    soft_lanes_update_links(soft);
    return json_object();
}

static json_t *begin_script(struct soft *soft)
{
    soft_record_begin(&soft->record, soft->now_ps);
    for (uint32_t i = 0; i < soft->faults.count; i++)
        if (soft->faults.list[i].is_held) {
            soft_fault_release(&soft->faults.list[i], soft->now_ps);
            soft_record_fault(&soft->record, &soft->faults.list[i]);
        }
    soft_lanes_update_links(soft);
    return json_object();
}

/* Selects all faults, those of a place, or those that have not begun. */
static bool is_cleared(
    const struct soft_fault *fault, const json_t *request, const struct soft_fault *place)
{
    if (json_is_true(json_object_get(request, "all")))
        return true;
    if (json_is_true(json_object_get(request, "waiting")))
        return !fault->course.has_begun;
    return soft_fault_is_at(fault, place);
}

static json_t *clear_faults(struct soft *soft, const json_t *request)
{
    bool has_place = !json_is_true(json_object_get(request, "all")) &&
                     !json_is_true(json_object_get(request, "waiting"));
    struct soft_fault place = { 0 };
    char reason[SOFT_REASON_BYTES];
    uint32_t cleared = 0;

    if (has_place && !soft_request_place(soft, request, &place, reason))
        return problem(reason);
    if (json_is_true(json_object_get(request, "check")))
        return json_object();
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
    return json_pack("{s:i}", "cleared", (int)cleared);
}

static json_t *show_now(struct soft *soft)
{
    json_t *answer;

    soft_lanes_enter_all(soft);
    answer = show(soft);
    soft_lanes_leave_all(soft);
    return answer;
}

/* ---- all requests ---------------------------------------------------------------------------- */

static json_t *answer_to(struct soft *soft, const json_t *request)
{
    const char *what = json_string_value(json_object_get(request, "do"));

    if (!what)
        return problem("a request must be an object with a member \"do\"");
    if (strcmp(what, "ping") == 0)
        return json_object();
    if (strcmp(what, "show") == 0)
        return show_now(soft);
    if (strcmp(what, "fault") == 0)
        return add_fault(soft, request);
    if (strcmp(what, "clear") == 0)
        return clear_faults(soft, request);
    if (strcmp(what, "script") == 0)
        return open_script(soft);
    if (strcmp(what, "begin") == 0)
        return begin_script(soft);
    if (strcmp(what, "record") == 0)
        return soft_record_show(soft, request);
    if (strcmp(what, "stop") == 0) {
        soft->is_over = true;
        return json_object();
    }
    return problem("\"do\" must be show, fault, clear, script, begin, record or stop");
}

char *soft_control_answer(void *context, const char *text)
{
    json_error_t error;
    json_t *request = json_loads(text, 0, &error);
    json_t *answer = request ? answer_to(context, request) : problem(error.text);
    char *out = answer ? json_dumps(answer, JSON_COMPACT) : NULL;

    json_decref(request);
    json_decref(answer);
    return out;
}
