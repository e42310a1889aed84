/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the counters of all links, both directions in one row, and writes them without holding up
 * the fabric. */
#include "lab/soft_view.h"

#include <stdlib.h>

#include "files/files.h"
#include "lab/soft_request.h"
#include "lab/soft_state.h"

/* ---- pairs of wires -------------------------------------------------------------------------- */

/* Returns the wire of the other direction, or the wire itself if it is not the first of the two or
 * has no cable. */
static uint32_t find_reverse(const struct soft *soft, uint32_t wire_index)
{
    const struct soft_wire *wire = &soft->wires[wire_index];
    uint32_t reverse =
        wire->link.has_cable ? soft_wire_of(soft, soft_peer(soft, wire)) : wire_index;

    return reverse > wire_index ? reverse : wire_index;
}

/* ---- layout ---------------------------------------------------------------------------------- */

json_t *soft_view_layout(const struct soft *soft)
{
    json_t *layout = fabric_layout(&soft->fabric.topology, UINT32_MAX);

    json_object_set_new(layout, "name", json_string(soft->config.name));
    json_object_set_new(layout, "first_device", json_integer(soft->first_device));
    json_object_set_new(layout, "slower", json_integer(soft->config.slower));
    return layout;
}

/* ---- state ----------------------------------------------------------------------------------- */

struct view_row {
#define VIEW_COLUMN(name) uint64_t name;
#include "lab/soft_view.def"
};

static uint32_t half_state(const struct soft_wire *wire)
{
    return (wire->is_down ? SOFT_VIEW_DOWN_UP : 0) |
           (fault_link_is_healthy(&wire->fault) ? 0 : SOFT_VIEW_HURT_UP);
}

static void copy_queue(const struct soft *soft, const struct soft_wire *wire, struct view_row *row)
{
    const struct port *port;
    uint64_t queue_bytes;

    if (wire->self.is_nic)
        return;
    port = &soft->switches[wire->self.node].ports[wire->self.port];
    queue_bytes = port->queues[PORT_DATA].bytes;
    row->queue_bytes = queue_bytes > row->queue_bytes ? queue_bytes : row->queue_bytes;
    row->marked += port_counter(port->counters, PORT_COUNTER_MARKED);
    row->trimmed += port_counter(port->counters, PORT_COUNTER_TRIMMED_ARRIVING) +
                    port_counter(port->counters, PORT_COUNTER_TRIMMED_TAIL);
    row->dropped += port_counter(port->counters, PORT_COUNTER_DROPPED_DATA_QUEUE) +
                    port_counter(port->counters, PORT_COUNTER_DROPPED_CONTROL_QUEUE) +
                    port_counter(port->counters, PORT_COUNTER_DROPPED_BUFFER);
}

static bool is_free(const struct soft *soft, const struct soft_wire *reverse)
{
    return reverse->exit != SOFT_NO_END && soft->ends[reverse->exit].port_count == 0;
}

static void copy_row(
    const struct soft *soft, uint32_t up_index, uint32_t down_index, struct view_row *row)
{
    const struct soft_wire *up = &soft->wires[up_index];
    const struct soft_wire *down = &soft->wires[down_index];

    *row = (struct view_row){ .state = half_state(up) | half_state(down) << 1 |
                                       (is_free(soft, down) ? SOFT_VIEW_FREE : 0),
        .rate_bps = up->rate_bps,
        .up_bytes = up->bytes,
        .down_bytes = down->bytes,
        .lost = up->lost + down->lost };
    copy_queue(soft, up, row);
    copy_queue(soft, down, row);
}

static uint32_t copy_rows(struct soft *soft, struct view_row *rows)
{
    uint32_t count = 0;

    soft_lanes_enter_all(soft);
    for (uint32_t i = 0; i < soft->wire_count; i++) {
        uint32_t reverse = find_reverse(soft, i);

        if (reverse != i)
            copy_row(soft, i, reverse, &rows[count++]);
    }
    soft_lanes_leave_all(soft);
    return count;
}

static json_t *show_row(const struct view_row *row)
{
    json_t *out = json_array();

#define VIEW_COLUMN(name) json_array_append_new(out, json_integer((json_int_t)row->name));
#include "lab/soft_view.def"
    return out;
}

json_t *soft_view_faults(const struct soft *soft)
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
        if (!fault->is_held)
            json_object_set_new(
                out, "from_ns", json_integer((json_int_t)(fault->what.from_ps / 1000)));
        json_array_append_new(faults, out);
    }
    return faults;
}

json_t *soft_view_links(struct soft *soft)
{
    struct view_row *rows = calloc(soft->wire_count + 1, sizeof(*rows));
    json_t *columns = json_array();
    json_t *list = json_array();
    uint32_t count = rows ? copy_rows(soft, rows) : 0;

#define VIEW_COLUMN(name) json_array_append_new(columns, json_string(#name));
#include "lab/soft_view.def"
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, show_row(&rows[i]));
    free(rows);
    return json_pack("{s:I, s:o, s:o, s:o}", "time_ns", (json_int_t)(soft_clock_ps(soft) / 1000),
        "columns", columns, "rows", list, "faults", soft_view_faults(soft));
}
