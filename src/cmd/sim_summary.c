/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of a run. All arithmetic is on integers; rates are rounded down. */
#include "cmd/sim_summary.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/sim_fairness.h"
#include "files/files.h"

#define MILLION UINT64_C(1000000)

uint64_t sim_summary_bps(uint64_t bytes, uint64_t duration_ps)
{
    return duration_ps ? (uint64_t)((sim_wide)bytes * 8 * SIM_PS_PER_S / duration_ps) : 0;
}

/* The smallest value that `permille` of all do not exceed. */
static uint64_t percentile(const struct sim_numbers *sorted, uint64_t permille)
{
    uint64_t rank = (sorted->count * permille + 999) / 1000;

    return sorted->at[rank ? rank - 1 : 0];
}

json_t *sim_summary_distribution(struct sim_numbers *durations_ps)
{
    static const struct {
        const char *name;
        uint64_t permille;
    } points[] = { { "min", 0 }, { "p50", 500 }, { "p99", 990 }, { "p999", 999 }, { "max", 1000 } };
    json_t *distribution = json_object();

    sim_numbers_sort(durations_ps);
    json_object_set_new(distribution, "count", json_integer((json_int_t)durations_ps->count));
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
        json_object_set_new(distribution, points[i].name,
            durations_ps->count ? json_millionths(percentile(durations_ps, points[i].permille))
                                : json_null());
    return distribution;
}

/* ---- flows ----------------------------------------------------------------------------------- */

static uint64_t flow_bps(const struct sim_record *record, const struct sim_flow *flow)
{
    bool is_done = flow->completed_bytes == flow->posted_bytes && flow->ended_ps > flow->started_ps;
    bool repeats = record->experiment->sim.workloads[flow->workload].iterations == 0;

    if (is_done && !repeats)
        return sim_summary_bps(flow->completed_bytes, flow->ended_ps - flow->started_ps);
    return sim_summary_bps(flow->placed_bytes, sim_now_ps(record->sim) - flow->started_ps);
}

static struct sim_fairness fairness_of(const struct sim_record *record, uint32_t workload)
{
    struct sim_fairness fairness;

    sim_fairness_init(&fairness);
    for (uint32_t i = 0; i < record->flow_count; i++) {
        struct sim_flow flow;

        sim_flow_at(record->sim, i, &flow);
        if (flow.workload == workload && flow.posted_bytes)
            sim_fairness_add(&fairness, flow_bps(record, &flow));
    }
    return fairness;
}

/* ---- workloads ------------------------------------------------------------------------------- */

struct outcome {
    uint64_t goodput_bps;
    uint64_t ideal_bps;
    uint64_t jain_millionths;
};

static uint64_t workload_bytes(const struct sim_record *record, uint32_t workload)
{
    return record->last.workload_bytes ? record->last.workload_bytes[workload] : 0;
}

/* Of a collective, and of there and back, the whole counts, not its messages. */
static struct sim_numbers *completions_of(struct sim_record *record, uint32_t workload)
{
    enum sim_workload_kind kind = record->experiment->sim.workloads[workload].kind;
    struct sim_record_workload *its = &record->workloads[workload];

    if (kind == SIM_PING_PONG || kind >= SIM_ALL_REDUCE)
        return &its->collective_ps;
    return &its->message_ps;
}

static json_t *steps_of(const struct sim_record_workload *workload)
{
    struct sim_numbers durations = { 0 };
    json_t *steps;

    if (!workload->step_count)
        return json_null();
    for (size_t i = 0; i < workload->step_count; i++)
        sim_numbers_push(&durations, workload->steps[i].duration_ps);
    steps = sim_summary_distribution(&durations);
    free(durations.at);
    return steps;
}

static json_t *workload_summary(struct sim_record *record, uint32_t index, struct outcome *outcome)
{
    const struct sim_workload *workload = &record->experiment->sim.workloads[index];
    struct sim_fairness fairness = fairness_of(record, index);
    uint64_t from_ps;
    uint64_t until_ps;
    json_t *json = json_object();

    *outcome = (struct outcome){ .ideal_bps = sim_ideal_bps(record->sim, index) };
    if (sim_record_span_of(record, index, &from_ps, &until_ps))
        outcome->goodput_bps = sim_summary_bps(workload_bytes(record, index), until_ps - from_ps);
    outcome->jain_millionths = fairness.count ? sim_fairness_jain_millionths(&fairness) : MILLION;
    json_object_set_new(json, "kind", json_string(experiment_kind_name(workload->kind)));
    json_object_set_new(json, "ranks", json_integer(workload->rank_count));
    json_object_set_new(json, "goodput_bps", json_integer((json_int_t)outcome->goodput_bps));
    json_object_set_new(
        json, "goodput_fraction", json_ratio(outcome->goodput_bps, outcome->ideal_bps));
    json_object_set_new(
        json, "completion_us", sim_summary_distribution(completions_of(record, index)));
    sim_fairness_set(json, &fairness, outcome->ideal_bps);
    json_object_set_new(json, "step_us", steps_of(&record->workloads[index]));
    return json;
}

/* All workloads together: sums, and the worst of what cannot be summed. */
static json_t *all_completions(struct sim_record *record)
{
    struct sim_numbers all = { 0 };
    json_t *json;

    for (uint32_t i = 0; i < record->experiment->sim.workload_count; i++) {
        const struct sim_numbers *some = completions_of(record, i);

        for (size_t k = 0; k < some->count; k++)
            sim_numbers_push(&all, some->at[k]);
    }
    json = sim_summary_distribution(&all);
    free(all.at);
    return json;
}

/* ---- counts ---------------------------------------------------------------------------------- */

static json_t *retransmissions(const struct sim_totals *totals)
{
    static const char prefix[] = "retransmit_";
    json_t *json = json_object();

    for (int i = 0; i < COUNTER_COUNT; i++)
        if (strncmp(counter_descriptions[i].name, prefix, sizeof(prefix) - 1) == 0)
            json_object_set_new(json, counter_descriptions[i].name + sizeof(prefix) - 1,
                json_integer((json_int_t)totals->transport[i]));
    return json;
}

static json_t *losses(const struct sim_totals *totals)
{
    static const char *const names[SIM_LOSS_COUNT] = {
        [SIM_LOST_DATA_QUEUE] = "data_queue",
        [SIM_LOST_CONTROL_QUEUE] = "control_queue",
        [SIM_LOST_BUFFER] = "buffer",
        [SIM_LOST_NO_ROUTE] = "no_route",
        [SIM_LOST_LINK_DOWN] = "link_down",
        [SIM_LOST_BLACKHOLE] = "blackhole",
        [SIM_LOST_FAULT] = "fault",
        [SIM_LOST_CORRUPT] = "corrupt",
        [SIM_LOST_REBOOT] = "reboot",
    };
    json_t *json = json_object();

    for (int i = 0; i < SIM_LOSS_COUNT; i++)
        json_object_set_new(json, names[i], json_integer((json_int_t)totals->packets_lost[i]));
    return json;
}

static json_t *plane_imbalance(const struct sim_record *record)
{
    uint32_t plane_count = record->experiment->fabric.config.plane_count;
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

static json_t *transitions(const struct sim_record *record)
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

static void set_counts(json_t *json, const struct sim_record *record)
{
    const struct sim_totals *totals = &record->last.totals;
    uint64_t queue_peak = 0;

    for (size_t i = 0; i < record->queue_peak.count; i++)
        if (record->queue_peak.at[i] > queue_peak)
            queue_peak = record->queue_peak.at[i];
    json_object_set_new(json, "retransmitted", retransmissions(totals));
    json_object_set_new(json, "trimmed", json_integer((json_int_t)totals->trimmed));
    json_object_set_new(json, "marked", json_integer((json_int_t)totals->marked));
    json_object_set_new(json, "lost", losses(totals));
    json_object_set_new(
        json, "timeouts", json_integer((json_int_t)totals->transport[COUNTER_TIMEOUT_FIRED]));
    json_object_set_new(
        json, "qp_errors", json_integer((json_int_t)totals->transport[COUNTER_QP_ERRORS]));
    json_object_set_new(json, "queue_peak_bytes", json_integer((json_int_t)queue_peak));
    json_object_set_new(json, "plane_imbalance", plane_imbalance(record));
    json_object_set_new(json, "ev_transitions", transitions(record));
    json_object_set_new(json, "counters", sim_summary_counters(NULL, totals));
    json_object_set_new(json, "packets_sent", json_integer((json_int_t)totals->packets_sent));
    json_object_set_new(
        json, "packets_delivered", json_integer((json_int_t)totals->packets_delivered));
}

json_t *sim_summary(struct sim_record *record)
{
    struct outcome all = { .jain_millionths = MILLION };
    json_t *json = json_object();
    json_t *workloads = json_object();
    json_t *victim = json_null();

    for (uint32_t i = 0; i < record->experiment->sim.workload_count; i++) {
        struct outcome one;

        json_object_set_new(workloads, record->experiment->sim.workloads[i].name,
            workload_summary(record, i, &one));
        all.goodput_bps += one.goodput_bps;
        all.ideal_bps += one.ideal_bps;
        if (one.jain_millionths < all.jain_millionths)
            all.jain_millionths = one.jain_millionths;
        if (i == record->experiment->victim)
            victim = json_ratio(one.goodput_bps, one.ideal_bps);
    }
    json_object_set_new(json, "goodput_bps", json_integer((json_int_t)all.goodput_bps));
    json_object_set_new(json, "goodput_fraction", json_ratio(all.goodput_bps, all.ideal_bps));
    json_object_set_new(json, "completion_us", all_completions(record));
    json_object_set_new(json, "jain", json_millionths(all.jain_millionths));
    json_object_set_new(json, "victim_fraction", victim);
    set_counts(json, record);
    json_object_set_new(json, "workloads", workloads);
    json_object_set_new(json, "phases", sim_summary_phases(record));
    return json;
}
