/* SPDX-License-Identifier: Apache-2.0 */
/* The series of a run: one value for each interval. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/files.h"
#include "result/grow.h"
#include "result/result_summary.h"

#define LINKS_MAX 64 /* listed individually; the others are summed */

static json_t *numbers(const struct measure_numbers *list)
{
    json_t *json = json_array();

    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(json, json_integer((json_int_t)list->at[i]));
    return json;
}

static json_t *times(const struct measure_record *record)
{
    json_t *json = json_array();

    for (size_t i = 0; i < record->time_ps.count; i++)
        json_array_append_new(json, json_millionths(record->time_ps.at[i]));
    return json;
}

/* `bits` is the size of one unit of the amounts. */
static json_t *rates(
    const struct measure_record *record, const struct measure_numbers *amounts, uint32_t bits)
{
    json_t *json = json_array();
    uint64_t before_ps = 0;

    for (size_t i = 0; i < amounts->count; i++) {
        uint64_t duration_ps = record->time_ps.at[i] - before_ps;
        measure_wide all_bits = (measure_wide)amounts->at[i] * bits * SIM_PS_PER_S;

        before_ps = record->time_ps.at[i];
        json_array_append_new(
            json, json_integer(duration_ps ? (json_int_t)(all_bits / duration_ps) : 0));
    }
    return json;
}

static json_t *goodputs(const struct measure_record *record)
{
    json_t *json = json_object();

    for (uint32_t i = 0; i < record->plan->sim->workload_count; i++)
        json_object_set_new(json, record->plan->sim->workloads[i].name,
            rates(record, &record->workloads[i].placed, 8));
    return json;
}

/* ---- capacity -------------------------------------------------------------------------------- */

static json_t *capacities(const struct measure_record *record)
{
    json_t *json = json_object();

    for (uint32_t i = 0; i < record->plan->sim->workload_count; i++)
        json_object_set_new(json, record->plan->sim->workloads[i].name,
            rates(record, &record->workloads[i].capacity_bits, 1));
    return json;
}

/* Returns the fraction over all workloads; null in intervals without capacity. */
static json_t *capacity_fractions(const struct measure_record *record)
{
    json_t *json = json_array();

    for (size_t k = 0; k < record->time_ps.count; k++) {
        uint64_t bytes = 0;
        uint64_t bits = 0;

        for (uint32_t i = 0; i < record->plan->sim->workload_count; i++) {
            bytes += record->workloads[i].placed.at[k];
            bits += record->workloads[i].capacity_bits.at[k];
        }
        json_array_append_new(json, bits ? json_ratio(8 * bytes, bits) : json_null());
    }
    return json;
}

static void set_capacity(json_t *json, const struct measure_record *record)
{
    bool is_known = record->capacity->pair_count > 0;

    json_object_set_new(json, "capacity_bps", is_known ? capacities(record) : json_null());
    json_object_set_new(
        json, "capacity_fraction", is_known ? capacity_fractions(record) : json_null());
}

static json_t *planes(const struct measure_record *record)
{
    json_t *json = json_array();

    for (uint32_t plane = 0; plane < record->plan->sim->fabric->topology.config.plane_count;
         plane++)
        json_array_append_new(json, rates(record, &record->plane_bytes[plane], 8));
    return json;
}

/* Returns the port of the longest queue, given by its switch and the other end of its link. */
static json_t *queue_places(const struct measure_record *record)
{
    const struct topology *topology = &record->plan->sim->fabric->topology;
    json_t *json = json_array();

    for (size_t i = 0; i < record->queue_where.count; i++) {
        struct topology_end end = measure_unpack(record->queue_where.at[i]);
        char name[TOPOLOGY_NAME_BYTES] = "";
        struct topology_link_kind kind;
        struct topology_element link;

        if (record->queue_peak.at[i] && topology_link_at(topology, end, &link, &kind))
            topology_name(&link, name);
        json_array_append_new(json, json_string(name));
    }
    return json;
}

/* ---- losses ---------------------------------------------------------------------------------- */

static int by_total(const void *left, const void *right)
{
    const struct measure_losses *const *a = left;
    const struct measure_losses *const *b = right;

    if ((*a)->total != (*b)->total)
        return (*a)->total > (*b)->total ? -1 : 1;
    return memcmp(&(*a)->link, &(*b)->link, sizeof((*a)->link));
}

static void add_samples(uint64_t *all, const struct measure_numbers *samples)
{
    for (size_t i = 0; i + 1 < samples->count; i += 2)
        all[samples->at[i]] += samples->at[i + 1];
}

static void set_link(
    json_t *json, const char *name, const struct measure_record *record, uint64_t *counts)
{
    struct measure_numbers list = { .at = counts, .count = record->time_ps.count };

    json_object_set_new(json, name, numbers(&list));
    memset(counts, 0, record->time_ps.count * sizeof(*counts));
}

static json_t *losses(const struct measure_record *record)
{
    const struct measure_losses **links =
        grow_take(record->link_count, sizeof(struct measure_losses *));
    uint64_t *counts = grow_take(record->time_ps.count, sizeof(*counts));
    json_t *json = json_object();

    for (size_t i = 0; i < record->link_count; i++)
        links[i] = &record->links[i];
    if (record->link_count)
        qsort(links, record->link_count, sizeof(struct sim_link_losses *), by_total);
    for (size_t i = 0; i < record->link_count && i < LINKS_MAX; i++) {
        char name[TOPOLOGY_NAME_BYTES];

        topology_name(&links[i]->link, name);
        add_samples(counts, &links[i]->samples);
        set_link(json, name, record, counts);
    }
    for (size_t i = LINKS_MAX; i < record->link_count; i++)
        add_samples(counts, &links[i]->samples);
    if (record->link_count > LINKS_MAX)
        set_link(json, "other", record, counts);
    free(counts);
    free(links);
    return json;
}

/* ---- entropy values -------------------------------------------------------------------------- */

static json_t *ev_list(
    const struct measure_record *record, const struct sim_ev *evs, uint32_t count)
{
    const struct plan *fabric = record->plan->sim->fabric;
    json_t *json = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(
            json, json_pack("{s:I,s:i,s:i}", "ev", (json_int_t)evs[i].ev, "plane",
                      (int)evs[i].plane, "uplink", (int)plan_ev_path(fabric, evs[i].ev).uplink));
    return json;
}

static json_t *ev_map(const struct measure_record *record)
{
    struct sim_ev evs[PATH_EV_COUNT_MAX];
    struct sim_flow flow;
    json_t *states;
    char name[128];
    uint32_t count = 0;

    if (record->observed_flow != MEASURE_NONE)
        count = sim_flow_evs(record->sim, record->observed_flow, evs);
    if (count == 0)
        return json_null();
    states = json_array();
    sim_flow_at(record->sim, record->observed_flow, &flow);
    snprintf(name, sizeof(name), "%s rank %u -> %u",
        record->plan->sim->workloads[flow.workload].name, flow.from_rank, flow.to_rank);
    for (size_t at = 0; at + count <= record->ev_states_bytes; at += count)
        json_array_append_new(states, json_stringn(record->ev_states + at, count));
    return json_pack(
        "{s:s,s:o,s:o}", "flow", name, "evs", ev_list(record, evs, count), "states", states);
}

/* ---- QPs ------------------------------------------------------------------------------------- */

static json_t *qp_rates(const struct measure_record *record)
{
    json_t *json = json_object();

    for (uint32_t i = 0; i < record->qp_count; i++) {
        struct sim_flow flow;
        char name[96];

        sim_flow_at(record->sim, record->qps[i].flow, &flow);
        snprintf(name, sizeof(name), "%s h%u to h%u qp %u",
            record->plan->sim->workloads[flow.workload].name, flow.from_nic, flow.to_nic, flow.qpn);
        json_object_set_new(json, name, rates(record, &record->qps[i].bytes, 8));
    }
    return json;
}

/* Series that only MRC has. */
static void set_mrc_series(json_t *json, const struct measure_record *record)
{
    json_object_set_new(json, "active_evs", numbers(&record->active_evs));
    json_object_set_new(json, "bad_evs", numbers(&record->bad_evs));
    json_object_set_new(json, "trimmed", numbers(&record->trimmed));
    json_object_set_new(json, "ev_map", ev_map(record));
}

json_t *result_series(const struct measure_record *record)
{
    json_t *json = json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "time_us", times(record),
        "goodput_bps", goodputs(record), "plane_bps", planes(record), "queue_peak_bytes",
        numbers(&record->queue_peak), "queue_peak_where", queue_places(record), "marked",
        numbers(&record->marked), "retransmitted", numbers(&record->retransmitted), "lost_by_link",
        losses(record));

    if (record->plan->sim->protocol == SIM_MRC)
        set_mrc_series(json, record);
    set_capacity(json, record);
    if (record->qp_count)
        json_object_set_new(json, "qp_bps", qp_rates(record));
    return json;
}
