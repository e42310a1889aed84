/* SPDX-License-Identifier: Apache-2.0 */
/* A stream of writes: from one rank to another, in both directions, or from all ranks to the first.
 */
#include <string.h>

#include "base/prng.h"
#include "perf/perf_pattern.h"
#include "perf/perf_test.h"

/* Messages that are checked must not overlap, in up to this much memory. Others reuse the same
 * memory, as in perftest. */
#define SLOTS_BYTES_MAX (UINT64_C(64) << 20)

static bool is_incast(const struct perf_run *run)
{
    return !run->test->is_pair;
}

/* With two ranks, rank 0 sends to rank 1; in an incast, all ranks send to rank 0. */
static bool sends(const struct perf_run *run, uint32_t from, uint32_t to)
{
    if (is_incast(run))
        return to == 0 && from != 0;
    return from != to && (from == 0 || run->settings->both_ways);
}

bool perf_stream_is_active(const struct perf_run *run, uint32_t rank)
{
    return sends(run, rank, 0) || sends(run, rank, 1);
}

bool perf_stream_is_linked(const struct perf_run *run, uint32_t from, uint32_t to)
{
    return sends(run, from, to);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static uint64_t stride_of(const struct perf_run *run)
{
    return (run->settings->size_max_bytes + PERF_GUARD_BYTES + 63) & ~UINT64_C(63);
}

static uint64_t sender_bytes(const struct perf_run *run)
{
    return stride_of(run) * run->slot_count * run->settings->qp_count;
}

void perf_stream_measure(struct perf_run *run, uint64_t bytes[3])
{
    uint64_t fit = SLOTS_BYTES_MAX / (stride_of(run) * run->settings->qp_count);

    run->slot_count = fit < 1 || !run->settings->checks ? 1
                      : fit < run->settings->depth      ? fit
                                                        : run->settings->depth;
    bytes[0] = sender_bytes(run);
    bytes[1] = sender_bytes(run) * (is_incast(run) ? run->rank_count - 1 : 1);
    bytes[2] = 0;
}

uint64_t perf_stream_batch_max(const struct perf_run *run)
{
    return run->slot_count;
}

static uint64_t slot_offset(const struct perf_run *run, uint32_t qp, uint64_t iteration)
{
    return (qp * run->slot_count + iteration % run->slot_count) * stride_of(run);
}

static uint64_t sink_of(const struct perf_run *run, uint32_t sender)
{
    return run->sink + (is_incast(run) ? (sender - 1) * sender_bytes(run) : 0);
}

static struct perf_message message_of(
    const struct perf_run *run, uint32_t sender, uint32_t qp, uint64_t iteration)
{
    return (struct perf_message){
        .seed = run->settings->seed, .iteration = iteration, .rank = sender, .qp = qp
    };
}

static uint32_t length_of(const struct perf_run *run, uint32_t qp, uint64_t iteration)
{
    struct prng prng = prng_stream(run->settings->seed + qp, iteration);

    if (!run->settings->random_sizes)
        return (uint32_t)run->size_bytes;
    return 1 + prng_below(&prng, (uint32_t)run->size_bytes);
}

/* ---- an iteration ---------------------------------------------------------------------------- */

static int send_one(struct perf_run *run, uint32_t to, uint32_t qp, uint64_t done, uint64_t count)
{
    uint64_t iteration = run->iteration + done;
    uint64_t slot = slot_offset(run, qp, iteration);
    struct perf_write write = { .peer = to,
        .qp = qp,
        .from = run->source + slot,
        .to = sink_of(run, run->rank) + slot,
        .length_bytes = length_of(run, qp, iteration),
        .is_last = done + 1 == count };

    run->moved_bytes += write.length_bytes;
    return perf_end_write(run->end, &write);
}

int perf_stream_iterate(struct perf_run *run, uint64_t count)
{
    uint32_t to = is_incast(run) ? 0 : 1 - run->rank;

    if (!sends(run, run->rank, to))
        return 0;
    for (uint64_t done = 0; done < count; done++)
        for (uint32_t qp = 0; qp < run->settings->qp_count; qp++)
            if (send_one(run, to, qp, done, count) != 0)
                return -1;
    return perf_end_drain(run->end);
}

/* ---- checks ---------------------------------------------------------------------------------- */

void perf_stream_fill(struct perf_run *run, uint64_t count)
{
    uint8_t *memory = run->end->memory;

    for (uint32_t qp = 0; qp < run->settings->qp_count; qp++)
        for (uint64_t i = 0; i < count && perf_stream_is_active(run, run->rank); i++) {
            struct perf_message message = message_of(run, run->rank, qp, run->iteration + i);

            perf_pattern_fill(memory + run->source + slot_offset(run, qp, message.iteration),
                length_of(run, qp, message.iteration), &message);
        }
    for (uint32_t sender = 0; sender < run->rank_count; sender++)
        if (sends(run, sender, run->rank))
            perf_pattern_guard(memory + sink_of(run, sender), sender_bytes(run));
}

static uint64_t check_slot(
    const struct perf_run *run, uint32_t sender, uint32_t qp, uint64_t iteration)
{
    struct perf_message message = message_of(run, sender, qp, iteration);
    uint32_t length = length_of(run, qp, iteration);
    const uint8_t *slot = run->end->memory + sink_of(run, sender) + slot_offset(run, qp, iteration);

    return perf_pattern_wrong(slot, length, &message) +
           perf_pattern_guard_wrong(slot + length, stride_of(run) - length);
}

uint64_t perf_stream_check(struct perf_run *run, uint64_t count)
{
    uint64_t wrong = 0;

    for (uint32_t sender = 0; sender < run->rank_count; sender++)
        for (uint32_t qp = 0; sends(run, sender, run->rank) && qp < run->settings->qp_count; qp++)
            for (uint64_t i = 0; i < count; i++)
                wrong += check_slot(run, sender, qp, run->iteration + i);
    return wrong;
}
