/* SPDX-License-Identifier: Apache-2.0 */
/* Latency: half of the round trip of a write with immediate. */
#include "perf/perf_pattern.h"
#include "perf/perf_test.h"

bool perf_latency_is_active(const struct perf_run *run, uint32_t rank)
{
    (void)run;
    return rank == 0;
}

bool perf_latency_is_linked(const struct perf_run *run, uint32_t from, uint32_t to)
{
    (void)run;
    return from != to;
}

void perf_latency_measure(struct perf_run *run, uint64_t bytes[3])
{
    bytes[0] = run->settings->size_max_bytes;
    bytes[1] = run->settings->size_max_bytes;
    bytes[2] = 0;
}

static int send_turn(struct perf_run *run)
{
    uint32_t peer = 1 - run->rank;
    struct perf_write write = { .peer = peer,
        .from = run->source,
        .to = run->sink,
        .length_bytes = (uint32_t)run->size_bytes,
        .is_last = true,
        .has_immediate = true,
        .sequence = run->sent[peer]++ };

    run->moved_bytes += run->size_bytes;
    return perf_end_write(run->end, &write);
}

static int await_turn(struct perf_run *run, uint32_t wanted)
{
    const struct perf_peer *peer = &run->end->peers[1 - run->rank];

    while (peer->arrived[0] != wanted)
        if (perf_end_poll(run->end) != 0)
            return -1;
    return 0;
}

static int go_first(struct perf_run *run)
{
    uint64_t start_ns = perf_end_now_ns();

    if (send_turn(run) != 0 || await_turn(run, run->sent[1]) != 0)
        return -1;
    if (run->samples_ns)
        run->samples_ns[run->sample_count++] = (perf_end_now_ns() - start_ns) / 2;
    return 0;
}

static int go_second(struct perf_run *run)
{
    return await_turn(run, run->sent[0] + 1) != 0 ? -1 : send_turn(run);
}

int perf_latency_iterate(struct perf_run *run, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if ((run->rank == 0 ? go_first(run) : go_second(run)) != 0)
            return -1;
    return perf_end_drain(run->end);
}

/* A batch is one iteration: both directions are checked after it. */
static struct perf_message message_of(const struct perf_run *run, uint32_t sender)
{
    return (struct perf_message){
        .seed = run->settings->seed, .iteration = run->iteration, .rank = sender
    };
}

void perf_latency_fill(struct perf_run *run, uint64_t count)
{
    struct perf_message message = message_of(run, run->rank);

    (void)count;
    perf_pattern_fill(run->end->memory + run->source, run->size_bytes, &message);
    perf_pattern_guard(run->end->memory + run->sink, run->settings->size_max_bytes);
}

uint64_t perf_latency_check(struct perf_run *run, uint64_t count)
{
    struct perf_message message = message_of(run, 1 - run->rank);
    const uint8_t *sink = run->end->memory + run->sink;

    (void)count;
    return perf_pattern_wrong(sink, run->size_bytes, &message) +
           perf_pattern_guard_wrong(
               sink + run->size_bytes, run->settings->size_max_bytes - run->size_bytes);
}
