/* SPDX-License-Identifier: Apache-2.0 */
/* The phases of a run, as JSON. */
#include <stdio.h>

#include "files/files.h"
#include "result/result_summary.h"

json_t *result_summary_counters(const struct sim_totals *from, const struct sim_totals *until)
{
    json_t *json = json_object();

    for (int i = 0; i < COUNTER_COUNT; i++) {
        uint64_t count = until->transport[i] - (from ? from->transport[i] : 0);

        json_object_set_new(json, counter_descriptions[i].name, json_integer((json_int_t)count));
    }
    return json;
}

/* ---- workloads ------------------------------------------------------------------------------- */

static json_t *pair_name(
    const struct measure_record *record, const struct measure_share *worst, uint32_t pair)
{
    char name[64];
    struct sim_flow flow;

    if (!worst->capacity_bits)
        return json_null();
    sim_flow_at(record->sim, record->capacity->pairs[pair].first_flow, &flow);
    snprintf(name, sizeof(name), "h%u to h%u", flow.from_nic, flow.to_nic);
    return json_string(name);
}

static json_t *workload_json(
    const struct measure_record *record, uint32_t workload, const struct measure_between *between)
{
    struct measure_phase_work work = measure_phase_work(record, workload, between);
    uint64_t bps = measure_bps(work.bytes, work.duration_ps);
    uint64_t ideal_bps = sim_ideal_bps(record->sim, workload);
    json_t *json = json_object();

    json_object_set_new(json, "bytes", json_integer((json_int_t)work.bytes));
    json_object_set_new(
        json, "goodput_bps", work.duration_ps ? json_integer((json_int_t)bps) : json_null());
    json_object_set_new(
        json, "goodput_fraction", work.duration_ps ? json_ratio(bps, ideal_bps) : json_null());
    json_object_set_new(json, "capacity_fraction", result_summary_share(&work.share));
    json_object_set_new(json, "capacity_flow_min", result_summary_share(&work.worst));
    json_object_set_new(
        json, "capacity_flow_min_of", pair_name(record, &work.worst, work.worst_pair));
    result_summary_set_fairness(json, &work.fairness, ideal_bps);
    json_object_set_new(json, "sample_fraction_min",
        work.least_bps < UINT64_MAX ? json_ratio(work.least_bps, ideal_bps) : json_null());
    json_object_set_new(json, "stall_us", json_millionths(work.stall_ps));
    return json;
}

static json_t *links_json(const struct measure_plan *plan, const struct measure_between *between)
{
    const uint64_t *from = between->from_detail->link_packets;
    const uint64_t *until = between->until_detail->link_packets;
    json_t *json = json_object();

    for (size_t i = 0; i < plan->watch_count; i++)
        json_object_set_new(json, plan->watches[i].name,
            json_pack("{s:I,s:I}", "up_packets", (json_int_t)(until[2 * i] - from[2 * i]),
                "down_packets", (json_int_t)(until[2 * i + 1] - from[2 * i + 1])));
    return json;
}

/* ---- counts ---------------------------------------------------------------------------------- */

static uint64_t lost(const struct sim_totals *totals)
{
    uint64_t sum = 0;

    for (int i = 0; i < LOSS_REASON_COUNT; i++)
        sum += totals->packets_lost[i];
    return sum;
}

/* Figures that only MRC has. */
static void set_mrc_counts(
    json_t *json, const struct measure_moment *from, const struct measure_moment *until)
{
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {
        { "trimmed", until->totals.trimmed - from->totals.trimmed },
        { "active_evs", until->active_evs },
        { "bad_evs", until->bad_evs },
    };

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        json_object_set_new(json, counts[i].name, json_integer((json_int_t)counts[i].count));
    json_object_set_new(json, "counters", result_summary_counters(&from->totals, &until->totals));
}

static void set_counts(
    json_t *json, const struct measure_moment *from, const struct measure_moment *until)
{
    const struct sim_totals *a = &from->totals;
    const struct sim_totals *b = &until->totals;
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {
        { "lost", lost(b) - lost(a) },
        { "packets_sent", b->packets_sent - a->packets_sent },
        { "retransmitted",
            b->transport[COUNTER_DATA_RETRANSMITTED] - a->transport[COUNTER_DATA_RETRANSMITTED] },
        { "marked", b->marked - a->marked },
        { "timeouts", b->transport[COUNTER_TIMEOUT_FIRED] - a->transport[COUNTER_TIMEOUT_FIRED] },
    };

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        json_object_set_new(json, counts[i].name, json_integer((json_int_t)counts[i].count));
}

static json_t *phase_json(
    const struct measure_record *record, const struct measure_between *between)
{
    const struct sim_config *sim = record->plan->sim;
    struct measure_share share = measure_phase_share(record, between);
    uint64_t reaction_ps = measure_ev_reaction_ps(record, between);
    json_t *json = json_object();
    json_t *workloads = json_object();

    json_object_set_new(json, "from_us", json_millionths(between->from->time_ps));
    json_object_set_new(json, "until_us", json_millionths(between->until->time_ps));
    json_object_set_new(json, "capacity_fraction", result_summary_share(&share));
    for (uint32_t i = 0; i < sim->workload_count; i++)
        json_object_set_new(workloads, sim->workloads[i].name, workload_json(record, i, between));
    json_object_set_new(json, "workloads", workloads);
    json_object_set_new(json, "links", links_json(record->plan, between));
    json_object_set_new(
        json, "queue_peak_bytes", json_integer((json_int_t)measure_queue_peak(record, between)));
    json_object_set_new(json, "ev_reaction_us",
        reaction_ps < SIM_NEVER_PS ? json_millionths(reaction_ps) : json_null());
    set_counts(json, between->from, between->until);
    if (record->plan->sim->protocol == SIM_MRC)
        set_mrc_counts(json, between->from, between->until);
    return json;
}

json_t *result_summary_phases(const struct measure_record *record)
{
    const struct measure_plan *plan = record->plan;
    struct measure_detail now = measure_detail(record);
    json_t *phases = json_object();

    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct measure_span *its = &record->spans[i];
        bool has_ended = its->until.workload_bytes != NULL;
        struct measure_between between = {
            .from = &its->from,
            .until = has_ended ? &its->until : &record->last,
            .from_detail = &its->from_detail,
            .until_detail = has_ended ? &its->until_detail : &now,
        };

        if (its->from.workload_bytes && between.until->workload_bytes)
            json_object_set_new(phases, plan->phases[i].name, phase_json(record, &between));
    }
    measure_detail_fini(record, &now);
    return phases;
}
