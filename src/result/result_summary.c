/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of a run. All arithmetic uses integers; rates are rounded down. */
#include "result/result_summary.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "files/files.h"
#include "result/grow.h"
#include "result/result_distribution.h"
#include "result/result_jobs.h"
#include "result/result_map.h"

#define MILLION UINT64_C(1000000)

void result_summary_set_fairness(
    json_t *json, const struct measure_fairness *fairness, uint64_t ideal_bps)
{
    bool is_known = fairness->count > 0;
    uint64_t share_bps = is_known ? ideal_bps / fairness->count : 0;

    json_object_set_new(json, "flows", json_integer((json_int_t)fairness->count));
    json_object_set_new(
        json, "jain", is_known ? json_millionths(measure_jain_millionths(fairness)) : json_null());
    json_object_set_new(json, "flow_fraction_min",
        is_known ? json_ratio(fairness->least_bps, share_bps) : json_null());
    json_object_set_new(json, "flow_fraction_max",
        is_known ? json_ratio(fairness->most_bps, share_bps) : json_null());
}

json_t *result_summary_share(const struct measure_share *share)
{
    return share->capacity_bits ? json_ratio(share->bits, share->capacity_bits) : json_null();
}

/* ---- workloads ------------------------------------------------------------------------------- */

struct outcome {
    uint64_t goodput_bps;
    uint64_t ideal_bps;
    struct measure_share share;
    uint64_t jain_millionths;
};

static uint64_t workload_bytes(const struct measure_record *record, uint32_t workload)
{
    return record->last.workload_bytes ? record->last.workload_bytes[workload] : 0;
}

/* Of collectives and ping-pong, complete collectives and round trips count, not messages. */
static struct measure_numbers *completions_of(struct measure_record *record, uint32_t workload)
{
    enum sim_workload_kind kind = record->plan->sim->workloads[workload].kind;
    struct measure_workload *its = &record->workloads[workload];

    return sim_workload_is(kind, SIM_STEADY) || sim_workload_is(kind, SIM_SCHEDULED)
               ? &its->message_ps
               : &its->collective_ps;
}

static json_t *steps_of(const struct measure_workload *workload)
{
    struct measure_numbers durations = { 0 };
    json_t *steps;

    if (!workload->step_count)
        return json_null();
    for (size_t i = 0; i < workload->step_count; i++)
        measure_push(&grow_memory, &durations, workload->steps[i].duration_ps);
    steps = result_distribution(&durations);
    measure_free(&grow_memory, &durations);
    return steps;
}

/* Adds the mean of the steps, and the share of it in which GPUs wait for the network and for each
 * other. */
static void add_steps(
    json_t *json, const struct sim_workload *workload, const struct measure_workload *its)
{
    uint64_t compute_ps = sim_compute_ps(workload) * its->step_count;
    uint64_t all_ps = 0;

    if (!its->step_count)
        return;
    for (size_t i = 0; i < its->step_count; i++)
        all_ps += its->steps[i].duration_ps;
    json_object_set_new(json, "step_mean_us", json_millionths(all_ps / its->step_count));
    json_object_set_new(json, "exposed_fraction",
        json_ratio(all_ps > compute_ps ? all_ps - compute_ps : 0, all_ps));
}

/* Of a collective or training job of which nothing ended: how long one takes. */
static void add_estimate(
    json_t *json, const struct sim_workload *workload, const struct outcome *outcome)
{
    uint64_t least_ps = sim_collective_ps(workload, outcome->ideal_bps);
    uint64_t likely_ps = sim_collective_ps(workload, outcome->goodput_bps);

    if (!least_ps)
        return;
    json_object_set_new(json, "estimate_us",
        json_pack("{s:o,s:o}", "ideal", json_millionths(least_ps), "at_goodput",
            likely_ps ? json_millionths(likely_ps) : json_null()));
}

static json_t *workload_summary(
    struct measure_record *record, uint32_t index, struct outcome *outcome)
{
    const struct sim_workload *workload = &record->plan->sim->workloads[index];
    struct measure_fairness fairness = measure_fairness_of(record, index);
    uint64_t from_ps;
    uint64_t until_ps;
    json_t *json = json_object();

    *outcome = (struct outcome){ .ideal_bps = sim_ideal_bps(record->sim, index) };
    if (record->last.workload_bits)
        outcome->share = (struct measure_share){ .bits = 8 * workload_bytes(record, index),
            .capacity_bits = record->last.workload_bits[index] };
    if (measure_span_of(record, index, &from_ps, &until_ps))
        outcome->goodput_bps = measure_bps(workload_bytes(record, index), until_ps - from_ps);
    outcome->jain_millionths = fairness.count ? measure_jain_millionths(&fairness) : MILLION;
    json_object_set_new(json, "kind", json_string(sim_workload_words[workload->kind]));
    json_object_set_new(json, "ranks", json_integer(workload->rank_count));
    json_object_set_new(json, "goodput_bps", json_integer((json_int_t)outcome->goodput_bps));
    json_object_set_new(
        json, "goodput_fraction", json_ratio(outcome->goodput_bps, outcome->ideal_bps));
    json_object_set_new(json, "capacity_fraction", result_summary_share(&outcome->share));
    json_object_set_new(json, "completion_us", result_distribution(completions_of(record, index)));
    result_summary_set_fairness(json, &fairness, outcome->ideal_bps);
    json_object_set_new(json, "step_us", steps_of(&record->workloads[index]));
    add_steps(json, workload, &record->workloads[index]);
    if (completions_of(record, index)->count == 0)
        add_estimate(json, workload, outcome);
    return json;
}

/* Summarises all workloads: sums, or the worst value if a sum has no meaning. */
static json_t *all_completions(struct measure_record *record)
{
    struct measure_numbers all = { 0 };
    json_t *json;

    for (uint32_t i = 0; i < record->plan->sim->workload_count; i++) {
        const struct measure_numbers *some = completions_of(record, i);

        for (size_t k = 0; k < some->count; k++)
            measure_push(&grow_memory, &all, some->at[k]);
    }
    json = result_distribution(&all);
    measure_free(&grow_memory, &all);
    return json;
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* By reason. Other protocols do not tell. */
static json_t *retransmissions(const struct measure_record *record)
{
    static const char prefix[] = "retransmit_";
    const struct sim_totals *totals = &record->last.totals;
    json_t *json = json_object();

    if (record->plan->sim->protocol != SIM_MRC) {
        json_object_set_new(
            json, "all", json_integer((json_int_t)totals->transport[COUNTER_DATA_RETRANSMITTED]));
        return json;
    }
    for (int i = 0; i < COUNTER_COUNT; i++)
        if (strncmp(counter_descriptions[i].name, prefix, sizeof(prefix) - 1) == 0)
            json_object_set_new(json, counter_descriptions[i].name + sizeof(prefix) - 1,
                json_integer((json_int_t)totals->transport[i]));
    return json;
}

static json_t *losses(const struct sim_totals *totals)
{
    json_t *json = json_object();

    for (int i = 0; i < LOSS_REASON_COUNT; i++)
        json_object_set_new(json, loss_reason_name((enum loss_reason)i),
            json_integer((json_int_t)totals->packets_lost[i]));
    return json;
}

static json_t *plane_imbalance(const struct measure_record *record)
{
    uint32_t plane_count = record->plan->sim->fabric->topology.config.plane_count;
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    uint64_t sum = 0;

    for (uint32_t plane = 0; plane < plane_count; plane++) {
        uint64_t bytes = record->last.plane_bytes[plane];

        least = bytes < least ? bytes : least;
        most = bytes > most ? bytes : most;
        sum += bytes;
    }
    assert(plane_count > 0);
    return json_ratio(most - least, sum / plane_count);
}

static json_t *transitions(const struct measure_record *record)
{
    json_t *json = json_object();
    char name[64];

    for (int from = 0; from < EV_STATE_COUNT; from++)
        for (int to = 0; to < EV_STATE_COUNT; to++)
            for (int cause = 0; cause < PATH_SIGNAL_COUNT; cause++) {
                uint64_t count = record->transitions[from][to][cause];

                snprintf(name, sizeof(name), "%s>%s:%s", path_state_word((enum path_ev_state)from),
                    path_state_word((enum path_ev_state)to),
                    path_signal_word((enum path_signal)cause));
                if (count)
                    json_object_set_new(json, name, json_integer((json_int_t)count));
            }
    return json;
}

json_t *result_summary_named(
    const struct counter_description *descriptions, const uint64_t *values, uint32_t count)
{
    json_t *json = json_object();

    for (uint32_t i = 0; i < count; i++)
        json_object_set_new(json, descriptions[i].name, json_integer((json_int_t)values[i]));
    return json;
}

static void set_rival(json_t *json, const struct measure_record *record)
{
    enum sim_protocol protocol = record->plan->sim->protocol;

    if (protocol == SIM_ROCE)
        json_object_set_new(json, "roce", result_summary_roce(record));
    if (protocol == SIM_UET)
        json_object_set_new(json, "uet", result_summary_uet(record));
    if (protocol == SIM_INFINIBAND)
        json_object_set_new(json, "infiniband", result_summary_infiniband(record));
}

static void set_map(json_t *json, const struct measure_record *record)
{
    const struct map *map = sim_map(record->sim);

    if (map)
        json_object_set_new(
            json, "map", result_map(map, (double)record->plan->sim->map.period_ps / 1e6));
}

static void set_counts(json_t *json, const struct measure_record *record)
{
    const struct sim_totals *totals = &record->last.totals;
    bool is_mrc = record->plan->sim->protocol == SIM_MRC;
    bool trims = is_mrc || record->plan->sim->protocol == SIM_UET;
    uint64_t queue_peak = 0;

    for (size_t i = 0; i < record->queue_peak.count; i++)
        if (record->queue_peak.at[i] > queue_peak)
            queue_peak = record->queue_peak.at[i];
    json_object_set_new(json, "retransmitted", retransmissions(record));
    if (trims)
        json_object_set_new(json, "trimmed", json_integer((json_int_t)totals->trimmed));
    json_object_set_new(json, "marked", json_integer((json_int_t)totals->marked));
    json_object_set_new(json, "lost", losses(totals));
    json_object_set_new(
        json, "timeouts", json_integer((json_int_t)totals->transport[COUNTER_TIMEOUT_FIRED]));
    json_object_set_new(
        json, "qp_errors", json_integer((json_int_t)totals->transport[COUNTER_QP_ERRORS]));
    json_object_set_new(json, "queue_peak_bytes", json_integer((json_int_t)queue_peak));
    if (record->plan->occupancy)
        json_object_set_new(json, "queue_occupancy", result_summary_occupancy(record));
    if (record->plan->sim->counts_order)
        json_object_set_new(json, "reordering", result_summary_order(record));
    json_object_set_new(json, "plane_imbalance", plane_imbalance(record));
    if (is_mrc) {
        json_object_set_new(json, "ev_transitions", transitions(record));
        json_object_set_new(json, "counters", result_summary_counters(NULL, totals));
    } else {
        set_rival(json, record);
    }
    set_map(json, record);
    json_object_set_new(json, "packets_sent", json_integer((json_int_t)totals->packets_sent));
    json_object_set_new(
        json, "packets_delivered", json_integer((json_int_t)totals->packets_delivered));
}

json_t *result_summary(struct measure_record *record, uint32_t victim_index)
{
    struct outcome all = { .jain_millionths = MILLION };
    json_t *json = json_object();
    json_t *workloads = json_object();
    json_t *victim = json_null();

    for (uint32_t i = 0; i < record->plan->sim->workload_count; i++) {
        struct outcome one;

        json_object_set_new(
            workloads, record->plan->sim->workloads[i].name, workload_summary(record, i, &one));
        all.goodput_bps += one.goodput_bps;
        all.ideal_bps += one.ideal_bps;
        all.share.bits += one.share.bits;
        all.share.capacity_bits += one.share.capacity_bits;
        if (one.jain_millionths < all.jain_millionths)
            all.jain_millionths = one.jain_millionths;
        if (i == victim_index)
            victim = json_ratio(one.goodput_bps, one.ideal_bps);
    }
    json_object_set_new(json, "goodput_bps", json_integer((json_int_t)all.goodput_bps));
    json_object_set_new(json, "goodput_fraction", json_ratio(all.goodput_bps, all.ideal_bps));
    json_object_set_new(json, "capacity_fraction", result_summary_share(&all.share));
    json_object_set_new(json, "completion_us", all_completions(record));
    json_object_set_new(json, "jain", json_millionths(all.jain_millionths));
    json_object_set_new(json, "victim_fraction", victim);
    set_counts(json, record);
    json_object_set_new(json, "workloads", workloads);
    if (record->plan->sim->job_count > 0)
        json_object_set_new(json, "jobs", result_jobs(record));
    json_object_set_new(json, "phases", result_summary_phases(record));
    json_object_set_new(json, "faults", result_summary_faults(record));
    json_object_set_new(
        json, "faults_not_begun", json_integer(result_summary_faults_not_begun(record)));
    return json;
}
