/* SPDX-License-Identifier: Apache-2.0 */
/* Every rank writes to others at the same time: a part to each (all-to-all), or everything to the
 * next rank (send-receive). */
#include <string.h>

#include "perf/perf_pattern.h"
#include "perf/perf_test.h"

enum { ELEMENT_BYTES = 4 };

static bool is_to_all(const struct perf_run *run)
{
    return strcmp(run->test->name, "alltoall") == 0;
}

static bool sends(const struct perf_run *run, uint32_t from, uint32_t to)
{
    return from != to && (is_to_all(run) || (from + 1) % run->rank_count == to);
}

bool perf_exchange_is_linked(const struct perf_run *run, uint32_t from, uint32_t to)
{
    return sends(run, from, to);
}

void perf_exchange_measure(struct perf_run *run, uint64_t bytes[3])
{
    bytes[0] = run->settings->size_max_bytes;
    bytes[1] = run->settings->size_max_bytes;
    bytes[2] = 0;
}

/* Returns the number of elements that one rank sends to another. */
static uint64_t part_count(const struct perf_run *run)
{
    uint64_t all = run->size_bytes / ELEMENT_BYTES;

    return is_to_all(run) ? all / run->rank_count : all;
}

/* Returns the offset of the part for, or from, a rank. */
static uint64_t part_offset(const struct perf_run *run, uint32_t rank)
{
    return is_to_all(run) ? rank * part_count(run) * ELEMENT_BYTES : 0;
}

/* ---- an iteration ---------------------------------------------------------------------------- */

/* Sends a share of the part on every QP; the channel is the QP. */
static int send_part(struct perf_run *run, uint32_t to)
{
    uint32_t qp_count = run->settings->qp_count;
    uint32_t sequence = run->sent[to]++;

    for (uint32_t qp = 0; qp < qp_count; qp++) {
        uint64_t first = part_count(run) * qp / qp_count;
        uint64_t end = part_count(run) * (qp + 1) / qp_count;
        struct perf_write write = { .peer = to,
            .qp = qp,
            .from = run->source + part_offset(run, to) + first * ELEMENT_BYTES,
            .to = run->sink + part_offset(run, run->rank) + first * ELEMENT_BYTES,
            .length_bytes = (uint32_t)((end - first) * ELEMENT_BYTES),
            .is_last = true,
            .has_immediate = true,
            .channel = qp,
            .sequence = sequence };

        run->moved_bytes += write.length_bytes;
        if (perf_end_write(run->end, &write) != 0)
            return -1;
    }
    return 0;
}

/* A rank sends as often as it receives. */
static bool has_arrived(const struct perf_run *run, uint32_t from, uint32_t wanted)
{
    for (uint32_t qp = 0; qp < run->settings->qp_count; qp++)
        if ((int32_t)(run->end->peers[from].arrived[qp] - wanted) < 0)
            return false;
    return true;
}

static int exchange_messages(struct perf_run *run)
{
    uint8_t *memory = run->end->memory;
    uint32_t wanted = 0;

    for (uint32_t distance = 1; distance < run->rank_count; distance++) {
        uint32_t to = (run->rank + distance) % run->rank_count;

        if (!sends(run, run->rank, to))
            continue;
        if (send_part(run, to) != 0)
            return -1;
        wanted = run->sent[to];
    }
    if (is_to_all(run))
        memcpy(memory + run->sink + part_offset(run, run->rank),
            memory + run->source + part_offset(run, run->rank), part_count(run) * ELEMENT_BYTES);
    for (uint32_t from = 0; from < run->rank_count; from++)
        while (sends(run, from, run->rank) && !has_arrived(run, from, wanted))
            if (perf_end_poll(run->end) != 0)
                return -1;
    return perf_end_drain(run->end);
}

int perf_exchange_iterate(struct perf_run *run, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (exchange_messages(run) != 0)
            return -1;
    return 0;
}

/* ---- checks ---------------------------------------------------------------------------------- */

void perf_exchange_fill(struct perf_run *run, uint64_t count)
{
    struct perf_numbers numbers = perf_test_numbers(run);

    (void)count;
    perf_pattern_put(
        run->end->memory + run->source, &numbers, run->rank, 0, run->size_bytes / ELEMENT_BYTES);
    perf_pattern_guard(run->end->memory + run->sink, run->settings->size_max_bytes);
}

uint64_t perf_exchange_check(struct perf_run *run, uint64_t count)
{
    struct perf_numbers numbers = perf_test_numbers(run);
    const uint8_t *sink = run->end->memory + run->sink;
    uint64_t used = part_count(run) * ELEMENT_BYTES * (is_to_all(run) ? run->rank_count : 1);
    uint64_t wrong = perf_pattern_guard_wrong(sink + used, run->settings->size_max_bytes - used);

    (void)count;
    for (uint32_t from = 0; from < run->rank_count; from++)
        if (sends(run, from, run->rank) || (is_to_all(run) && from == run->rank))
            wrong += perf_pattern_not(sink + part_offset(run, from), &numbers, from,
                part_offset(run, run->rank) / ELEMENT_BYTES, part_count(run));
    return wrong;
}
