/* SPDX-License-Identifier: Apache-2.0 */
/* The phases of a run: the same figures, between two moments, and the worst sample in between. */
#include "cmd/sim_fairness.h"
#include "cmd/sim_summary.h"
#include "files/files.h"

/* Between two moments. */
struct span {
    const struct sim_moment *from;
    const struct sim_moment *until;
    const struct sim_detail *from_detail;
    const struct sim_detail *until_detail;
};

json_t *sim_summary_counters(const struct sim_totals *from, const struct sim_totals *until)
{
    json_t *json = json_object();

    for (int i = 0; i < COUNTER_COUNT; i++) {
        uint64_t count = until->transport[i] - (from ? from->transport[i] : 0);

        json_object_set_new(json, counter_descriptions[i].name, json_integer((json_int_t)count));
    }
    return json;
}

/* ---- samples --------------------------------------------------------------------------------- */

static uint64_t sample_start_ps(const struct sim_record *record, size_t index)
{
    return index ? record->time_ps.at[index - 1] : 0;
}

static bool is_within(const struct sim_record *record, size_t index, const struct span *span)
{
    return sample_start_ps(record, index) >= span->from->time_ps &&
           record->time_ps.at[index] <= span->until->time_ps;
}

/* The worst sample, and the longest time without a byte. */
static void set_worst(
    json_t *json, const struct sim_record *record, uint32_t workload, const struct span *span)
{
    const struct sim_numbers *placed = &record->workloads[workload].placed;
    uint64_t least_bps = UINT64_MAX;
    uint64_t longest_ps = 0;
    uint64_t silence_ps = 0;

    for (size_t i = 0; i < placed->count; i++) {
        uint64_t length_ps = record->time_ps.at[i] - sample_start_ps(record, i);
        uint64_t bps = sim_summary_bps(placed->at[i], length_ps);

        if (!is_within(record, i, span) || !length_ps)
            continue;
        least_bps = bps < least_bps ? bps : least_bps;
        silence_ps = placed->at[i] ? 0 : silence_ps + length_ps;
        longest_ps = silence_ps > longest_ps ? silence_ps : longest_ps;
    }
    json_object_set_new(json, "sample_fraction_min",
        least_bps < UINT64_MAX ? json_ratio(least_bps, sim_ideal_bps(record->sim, workload))
                               : json_null());
    json_object_set_new(json, "stall_us", json_millionths(longest_ps));
}

static uint64_t queue_peak(const struct sim_record *record, const struct span *span)
{
    uint64_t peak = 0;

    for (size_t i = 0; i < record->queue_peak.count; i++)
        if (is_within(record, i, span) && record->queue_peak.at[i] > peak)
            peak = record->queue_peak.at[i];
    return peak;
}

/* ---- paths that fail ------------------------------------------------------------------------- */

/* The beginning of the first sample with a loss. */
static uint64_t first_loss_ps(const struct sim_record *record, const struct span *span)
{
    uint64_t first_ps = SIM_NEVER_PS;

    for (size_t link = 0; link < record->link_count; link++) {
        const struct sim_numbers *samples = &record->links[link].samples;

        for (size_t i = 0; i + 1 < samples->count; i += 2) {
            uint64_t start_ps = sample_start_ps(record, samples->at[i]);

            if (is_within(record, samples->at[i], span) && start_ps < first_ps)
                first_ps = start_ps;
        }
    }
    return first_ps;
}

static uint64_t first_bad_ps(const struct sim_record *record, const struct span *span)
{
    for (size_t i = 0; i < record->kept.count; i++) {
        const struct sim_event *event = &record->kept.at[i];

        if (event->kind == SIM_EVENT_EV_CHANGED && event->values[2] == EV_ASSUMED_BAD &&
            event->time_ps >= span->from->time_ps && event->time_ps <= span->until->time_ps)
            return event->time_ps;
    }
    return SIM_NEVER_PS;
}

/* From the first loss, at most a sample too early, to the first EV that is bad for it. */
static json_t *ev_reaction(const struct sim_record *record, const struct span *span)
{
    uint64_t loss_ps = first_loss_ps(record, span);
    uint64_t bad_ps = first_bad_ps(record, span);

    if (loss_ps == SIM_NEVER_PS || bad_ps == SIM_NEVER_PS || bad_ps < loss_ps)
        return json_null();
    return json_millionths(bad_ps - loss_ps);
}

/* ---- workloads ------------------------------------------------------------------------------- */

/* The part of a phase during which the workload was at work; 0: none. */
static uint64_t time_at_work(
    const struct sim_record *record, uint32_t workload, const struct span *span)
{
    uint64_t begun_ps;
    uint64_t ended_ps;

    if (!sim_record_span_of(record, workload, &begun_ps, &ended_ps))
        return 0;
    begun_ps = begun_ps > span->from->time_ps ? begun_ps : span->from->time_ps;
    ended_ps = ended_ps < span->until->time_ps ? ended_ps : span->until->time_ps;
    return ended_ps > begun_ps ? ended_ps - begun_ps : 0;
}

/* Of the flows that were there when the phase began. */
static struct sim_fairness fairness_of(
    const struct sim_record *record, uint32_t workload, const struct span *span)
{
    uint64_t duration_ps = span->until->time_ps - span->from->time_ps;
    struct sim_fairness fairness;

    sim_fairness_init(&fairness);
    for (uint32_t i = 0; i < record->flow_count; i++) {
        struct sim_flow flow;

        sim_flow_at(record->sim, i, &flow);
        if (flow.workload == workload && flow.posted_bytes &&
            flow.started_ps <= span->from->time_ps)
            sim_fairness_add(&fairness, sim_summary_bps(span->until_detail->flow_bytes[i] -
                                                            span->from_detail->flow_bytes[i],
                                            duration_ps));
    }
    return fairness;
}

static json_t *workload_json(
    const struct sim_record *record, uint32_t workload, const struct span *span)
{
    uint64_t bytes = span->until->workload_bytes[workload] - span->from->workload_bytes[workload];
    uint64_t duration_ps = time_at_work(record, workload, span);
    uint64_t bps = sim_summary_bps(bytes, duration_ps);
    uint64_t ideal_bps = sim_ideal_bps(record->sim, workload);
    struct sim_fairness fairness = fairness_of(record, workload, span);
    json_t *json = json_object();

    json_object_set_new(json, "bytes", json_integer((json_int_t)bytes));
    json_object_set_new(
        json, "goodput_bps", duration_ps ? json_integer((json_int_t)bps) : json_null());
    json_object_set_new(
        json, "goodput_fraction", duration_ps ? json_ratio(bps, ideal_bps) : json_null());
    sim_fairness_set(json, &fairness, ideal_bps);
    set_worst(json, record, workload, span);
    return json;
}

static json_t *links_json(const struct experiment *experiment, const struct span *span)
{
    const uint64_t *from = span->from_detail->link_packets;
    const uint64_t *until = span->until_detail->link_packets;
    json_t *json = json_object();

    for (size_t i = 0; i < experiment->watch_count; i++)
        json_object_set_new(json, experiment->watches[i].name,
            json_pack("{s:I,s:I}", "up_packets", (json_int_t)(until[2 * i] - from[2 * i]),
                "down_packets", (json_int_t)(until[2 * i + 1] - from[2 * i + 1])));
    return json;
}

/* ---- counts ---------------------------------------------------------------------------------- */

static uint64_t lost(const struct sim_totals *totals)
{
    uint64_t sum = 0;

    for (int i = 0; i < SIM_LOSS_COUNT; i++)
        sum += totals->packets_lost[i];
    return sum;
}

static void set_counts(json_t *json, const struct sim_moment *from, const struct sim_moment *until)
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
        { "trimmed", b->trimmed - a->trimmed },
        { "marked", b->marked - a->marked },
        { "timeouts", b->transport[COUNTER_TIMEOUT_FIRED] - a->transport[COUNTER_TIMEOUT_FIRED] },
        { "active_evs", until->active_evs },
        { "bad_evs", until->bad_evs },
    };

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        json_object_set_new(json, counts[i].name, json_integer((json_int_t)counts[i].count));
    json_object_set_new(json, "counters", sim_summary_counters(a, b));
}

static json_t *phase_json(const struct sim_record *record, const struct span *span)
{
    const struct experiment *experiment = record->experiment;
    json_t *json = json_object();
    json_t *workloads = json_object();

    json_object_set_new(json, "from_us", json_millionths(span->from->time_ps));
    json_object_set_new(json, "until_us", json_millionths(span->until->time_ps));
    for (uint32_t i = 0; i < experiment->sim.workload_count; i++)
        json_object_set_new(
            workloads, experiment->sim.workloads[i].name, workload_json(record, i, span));
    json_object_set_new(json, "workloads", workloads);
    json_object_set_new(json, "links", links_json(experiment, span));
    json_object_set_new(
        json, "queue_peak_bytes", json_integer((json_int_t)queue_peak(record, span)));
    json_object_set_new(json, "ev_reaction_us", ev_reaction(record, span));
    set_counts(json, span->from, span->until);
    return json;
}

json_t *sim_summary_phases(const struct sim_record *record)
{
    struct sim_detail now = sim_record_detail(record);
    json_t *phases = json_object();

    for (uint32_t i = 0; i < record->experiment->phase_count; i++) {
        const struct sim_span *its = &record->spans[i];
        bool has_ended = its->until.workload_bytes != NULL;
        struct span span = {
            .from = &its->from,
            .until = has_ended ? &its->until : &record->last,
            .from_detail = &its->from_detail,
            .until_detail = has_ended ? &its->until_detail : &now,
        };

        if (its->from.workload_bytes && span.until->workload_bytes)
            json_object_set_new(
                phases, record->experiment->phases[i].name, phase_json(record, &span));
    }
    sim_record_detail_fini(&now);
    return phases;
}
