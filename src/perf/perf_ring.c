/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives in a ring. The data is divided into one chunk per rank, and each chunk into channels
 * that proceed independently, so that sending and adding overlap.
 *
 * Reduce-scatter, steps 0 to N-2: rank r sends chunk r-1-s and adds the arriving chunk r-2-s to
 * its own; at the end chunk r is complete. All-gather, N-1 steps: rank r sends chunk r-s, and chunk
 * r-1-s arrives in its place. All-reduce is reduce-scatter followed by all-gather.
 *
 * A rank may be one iteration ahead of its successor, so there are two scratch buffers. It cannot
 * be two ahead, because a rank ends an iteration only after its successor has sent in it. */
#include <string.h>

#include "perf/perf_pattern.h"
#include "perf/perf_test.h"

enum { ELEMENT_BYTES = 4 };

#define CHANNEL_BYTES UINT64_C(65536) /* there is one channel per this many bytes of a chunk */

static bool reduces(const struct perf_run *run)
{
    return run->test->adds;
}

static bool gathers(const struct perf_run *run)
{
    return strcmp(run->test->name, "reducescatter") != 0;
}

bool perf_ring_is_linked(const struct perf_run *run, uint32_t from, uint32_t to)
{
    return from != to && (from + 1) % run->rank_count == to;
}

void perf_ring_measure(struct perf_run *run, uint64_t bytes[3])
{
    bytes[0] = run->settings->size_max_bytes;
    bytes[1] = run->settings->size_max_bytes;
    bytes[2] = reduces(run) ? run->settings->size_max_bytes : 0;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

struct range {
    uint64_t first; /* elements */
    uint64_t count;
};

static struct range part(struct range whole, uint32_t part_count, uint32_t index)
{
    uint64_t first = whole.count * index / part_count;

    return (struct range){ whole.first + first, whole.count * (index + 1) / part_count - first };
}

static struct range chunk_of(const struct perf_run *run, uint32_t chunk)
{
    struct range all = { 0, run->size_bytes / ELEMENT_BYTES };

    return part(all, run->rank_count, chunk % run->rank_count);
}

static uint32_t channel_count(const struct perf_run *run)
{
    uint64_t worth = run->size_bytes / run->rank_count / CHANNEL_BYTES;
    uint32_t least = run->settings->qp_count;
    uint32_t most = least < 8 ? 8 : least;

    return worth < least ? least : worth > most ? most : (uint32_t)worth;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static uint32_t reduce_steps(const struct perf_run *run)
{
    return reduces(run) ? run->rank_count - 1 : 0;
}

static uint32_t step_count(const struct perf_run *run)
{
    return reduce_steps(run) + (gathers(run) ? run->rank_count - 1 : 0);
}

/* Returns the chunk that this rank sends in a step. The chunk before it arrives in that step. */
static uint32_t chunk_sent(const struct perf_run *run, uint32_t step)
{
    uint32_t back = step < reduce_steps(run) ? 1 + step : step - reduce_steps(run);

    return (run->rank + 2 * run->rank_count - back) % run->rank_count;
}

static int send_step(struct perf_run *run, uint32_t channel, uint32_t step, uint64_t scratch)
{
    struct range piece = part(chunk_of(run, chunk_sent(run, step)), channel_count(run), channel);
    uint64_t offset = piece.first * ELEMENT_BYTES;
    bool is_first_sum = reduces(run) && step == 0;
    uint32_t next = (run->rank + 1) % run->rank_count;
    struct perf_write write = { .peer = next,
        .qp = channel % run->settings->qp_count,
        .from = (is_first_sum ? run->source : run->sink) + offset,
        .to = (step < reduce_steps(run) ? scratch : run->sink) + offset,
        .length_bytes = (uint32_t)(piece.count * ELEMENT_BYTES),
        .is_last = true,
        .has_immediate = true,
        .channel = channel,
        .sequence = run->sent[channel]++ };

    run->moved_bytes += write.length_bytes;
    return perf_end_write(run->end, &write);
}

/* Adds the chunk that arrived in a step, or keeps it, and then sends the next step of the channel.
 */
static int take_step(struct perf_run *run, uint32_t channel, uint32_t step, uint64_t scratch)
{
    uint8_t *memory = run->end->memory;
    uint32_t chunk = (chunk_sent(run, step) + run->rank_count - 1) % run->rank_count;
    struct range piece = part(chunk_of(run, chunk), channel_count(run), channel);
    uint64_t offset = piece.first * ELEMENT_BYTES;

    if (step < reduce_steps(run))
        perf_pattern_add(memory + run->sink + offset, memory + run->source + offset,
            memory + scratch + offset, piece.count, (enum perf_type)run->settings->type);
    return step + 1 < step_count(run) ? send_step(run, channel, step + 1, scratch) : 0;
}

static int go_round(struct perf_run *run, uint64_t scratch)
{
    uint32_t before = (run->rank + run->rank_count - 1) % run->rank_count;
    const uint32_t *arrived = run->end->peers[before].arrived;
    uint32_t steps[PERF_CHANNELS_MAX] = { 0 };
    uint32_t channels = channel_count(run);
    uint32_t unfinished = channels;
    uint32_t taken[PERF_CHANNELS_MAX];

    /* In all previous iterations, as many messages arrived as were sent. */
    memcpy(taken, run->sent, sizeof(taken));
    for (uint32_t channel = 0; channel < channels; channel++)
        if (send_step(run, channel, 0, scratch) != 0)
            return -1;
    while (unfinished > 0) {
        if (perf_end_poll(run->end) != 0)
            return -1;
        for (uint32_t channel = 0; channel < channels; channel++)
            while (steps[channel] < step_count(run) &&
                   arrived[channel] != taken[channel] + steps[channel]) {
                if (take_step(run, channel, steps[channel], scratch) != 0)
                    return -1;
                unfinished -= ++steps[channel] == step_count(run);
            }
    }
    return perf_end_drain(run->end);
}

int perf_ring_iterate(struct perf_run *run, uint64_t count)
{
    struct range mine = chunk_of(run, run->rank);
    uint8_t *memory = run->end->memory;

    for (uint64_t i = 0; i < count; i++) {
        if (!reduces(run))
            memcpy(memory + run->sink + mine.first * ELEMENT_BYTES,
                memory + run->source + mine.first * ELEMENT_BYTES, mine.count * ELEMENT_BYTES);
        if (go_round(run, run->scratch[(run->iteration + i) % 2]) != 0)
            return -1;
    }
    return 0;
}

/* ---- checks ---------------------------------------------------------------------------------- */

void perf_ring_fill(struct perf_run *run, uint64_t count)
{
    struct perf_numbers numbers = perf_test_numbers(run);
    uint8_t *memory = run->end->memory;

    (void)count;
    perf_pattern_put(memory + run->source, &numbers, run->rank, 0, run->size_bytes / ELEMENT_BYTES);
    perf_pattern_guard(memory + run->sink, run->settings->size_max_bytes);
}

static uint64_t check_chunk(const struct perf_run *run, uint32_t chunk)
{
    struct perf_numbers numbers = perf_test_numbers(run);
    struct range range = chunk_of(run, chunk);
    const uint8_t *at = run->end->memory + run->sink + range.first * ELEMENT_BYTES;

    if (reduces(run))
        return perf_pattern_not_sum(at, &numbers, run->rank_count, range.first, range.count);
    return perf_pattern_not(at, &numbers, chunk, range.first, range.count);
}

uint64_t perf_ring_check(struct perf_run *run, uint64_t count)
{
    uint64_t used = run->size_bytes / ELEMENT_BYTES * ELEMENT_BYTES;
    uint64_t wrong = perf_pattern_guard_wrong(
        run->end->memory + run->sink + used, run->settings->size_max_bytes - used);

    (void)count;
    for (uint32_t chunk = 0; chunk < run->rank_count; chunk++)
        if (gathers(run) || chunk == run->rank)
            wrong += check_chunk(run, chunk);
    return wrong;
}
