/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a phase: differences between two points in time, and the worst sample. */
#include "measure/measure.h"

enum {
    WORST_PACKETS = 64, /* a pair with less capacity in a phase is not judged */
    PACKET_BITS = 4096 * 8,
};

/* ---- samples --------------------------------------------------------------------------------- */

static uint64_t sample_start_ps(const struct measure_record *record, size_t index)
{
    return index ? record->time_ps.at[index - 1] : 0;
}

static bool is_within(
    const struct measure_record *record, size_t index, const struct measure_between *between)
{
    return sample_start_ps(record, index) >= between->from->time_ps &&
           record->time_ps.at[index] <= between->until->time_ps;
}

/* Finds the worst sample and the longest time without a byte placed. */
static void find_worst(const struct measure_record *record, uint32_t workload,
    const struct measure_between *between, struct measure_phase_work *work)
{
    const struct measure_numbers *placed = &record->workloads[workload].placed;
    uint64_t silence_ps = 0;

    work->least_bps = UINT64_MAX;
    for (size_t i = 0; i < placed->count; i++) {
        uint64_t length_ps = record->time_ps.at[i] - sample_start_ps(record, i);
        uint64_t bps = measure_bps(placed->at[i], length_ps);

        if (!is_within(record, i, between) || !length_ps)
            continue;
        work->least_bps = bps < work->least_bps ? bps : work->least_bps;
        silence_ps = placed->at[i] ? 0 : silence_ps + length_ps;
        work->stall_ps = silence_ps > work->stall_ps ? silence_ps : work->stall_ps;
    }
}

uint64_t measure_queue_peak(
    const struct measure_record *record, const struct measure_between *between)
{
    uint64_t peak = 0;

    for (size_t i = 0; i < record->queue_peak.count; i++)
        if (is_within(record, i, between) && record->queue_peak.at[i] > peak)
            peak = record->queue_peak.at[i];
    return peak;
}

/* ---- reaction to loss ------------------------------------------------------------------------ */

/* Returns the beginning of the first sample with a lost data packet. */
static uint64_t first_loss_ps(
    const struct measure_record *record, const struct measure_between *between)
{
    for (size_t i = 0; i < record->data_losses.count; i++)
        if (is_within(record, record->data_losses.at[i], between))
            return sample_start_ps(record, record->data_losses.at[i]);
    return SIM_NEVER_PS;
}

/* Returns when the first EV left the rotation because of a loss: it became SUSPECT or
 * ASSUMED_BAD. */
static uint64_t first_out_ps(
    const struct measure_record *record, const struct measure_between *between)
{
    for (size_t i = 0; i < record->kept.count; i++) {
        const struct sim_event *event = &record->kept.at[i];

        if (event->kind == SIM_EVENT_EV_CHANGED &&
            (event->values[2] == EV_SUSPECT || event->values[2] == EV_ASSUMED_BAD) &&
            event->time_ps >= between->from->time_ps && event->time_ps <= between->until->time_ps)
            return event->time_ps;
    }
    return SIM_NEVER_PS;
}

uint64_t measure_ev_reaction_ps(
    const struct measure_record *record, const struct measure_between *between)
{
    uint64_t loss_ps = first_loss_ps(record, between);
    uint64_t out_ps = first_out_ps(record, between);

    if (loss_ps == SIM_NEVER_PS || out_ps == SIM_NEVER_PS || out_ps < loss_ps)
        return SIM_NEVER_PS;
    return out_ps - loss_ps;
}

/* ---- workloads ------------------------------------------------------------------------------- */

static uint64_t time_at_work(
    const struct measure_record *record, uint32_t workload, const struct measure_between *between)
{
    uint64_t begun_ps;
    uint64_t ended_ps;

    if (!measure_span_of(record, workload, &begun_ps, &ended_ps))
        return 0;
    begun_ps = begun_ps > between->from->time_ps ? begun_ps : between->from->time_ps;
    ended_ps = ended_ps < between->until->time_ps ? ended_ps : between->until->time_ps;
    return ended_ps > begun_ps ? ended_ps - begun_ps : 0;
}

static struct measure_fairness fairness_between(
    const struct measure_record *record, uint32_t workload, const struct measure_between *between)
{
    uint64_t duration_ps = between->until->time_ps - between->from->time_ps;
    struct measure_fairness fairness;

    measure_fairness_init(&fairness);
    for (uint32_t i = 0; i < record->flow_count; i++) {
        struct sim_flow flow;

        sim_flow_at(record->sim, i, &flow);
        if (flow.workload == workload && flow.posted_bytes &&
            flow.started_ps <= between->from->time_ps)
            measure_fairness_add(&fairness, measure_bps(between->until_detail->flow_bytes[i] -
                                                            between->from_detail->flow_bytes[i],
                                                duration_ps));
    }
    return fairness;
}

static struct measure_share pair_share(
    const struct measure_pair *pair, uint32_t index, const struct measure_between *between)
{
    uint64_t bytes = 0;

    for (uint32_t i = pair->first_flow; i < pair->first_flow + pair->flow_count; i++)
        bytes += between->until_detail->flow_bytes[i] - between->from_detail->flow_bytes[i];
    return (struct measure_share){ .bits = 8 * bytes,
        .capacity_bits =
            between->until_detail->pair_bits[index] - between->from_detail->pair_bits[index] };
}

static bool is_smaller(const struct measure_share *left, const struct measure_share *right)
{
    return (measure_wide)left->bits * right->capacity_bits <
           (measure_wide)right->bits * left->capacity_bits;
}

static void find_worst_pair(const struct measure_record *record, uint32_t workload,
    const struct measure_between *between, struct measure_phase_work *work)
{
    const struct measure_capacity *capacity = record->capacity;

    for (uint32_t i = 0; capacity && i < capacity->pair_count; i++) {
        struct measure_share share;

        if (capacity->pairs[i].workload != workload)
            continue;
        share = pair_share(&capacity->pairs[i], i, between);
        if (share.capacity_bits < (uint64_t)WORST_PACKETS * PACKET_BITS ||
            (work->worst.capacity_bits && !is_smaller(&share, &work->worst)))
            continue;
        work->worst = share;
        work->worst_pair = i;
    }
}

struct measure_phase_work measure_phase_work(
    const struct measure_record *record, uint32_t workload, const struct measure_between *between)
{
    uint64_t bytes =
        between->until->workload_bytes[workload] - between->from->workload_bytes[workload];
    struct measure_phase_work work = { .bytes = bytes,
        .duration_ps = time_at_work(record, workload, between),
        .fairness = fairness_between(record, workload, between),
        .share = { .bits = 8 * bytes,
            .capacity_bits = between->until->workload_bits[workload] -
                             between->from->workload_bits[workload] } };

    find_worst(record, workload, between, &work);
    find_worst_pair(record, workload, between, &work);
    return work;
}

struct measure_share measure_phase_share(
    const struct measure_record *record, const struct measure_between *between)
{
    struct measure_share share = { 0 };

    for (uint32_t i = 0; i < record->plan->sim->workload_count; i++) {
        share.bits += 8 * (between->until->workload_bytes[i] - between->from->workload_bytes[i]);
        share.capacity_bits += between->until->workload_bits[i] - between->from->workload_bits[i];
    }
    return share;
}
