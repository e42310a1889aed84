/* SPDX-License-Identifier: Apache-2.0 */
/* The list of tests. */
#include "perf/perf_test.h"

#include <string.h>

static bool everybody(const struct perf_run *run, uint32_t rank)
{
    (void)run;
    (void)rank;
    return true;
}

static uint64_t one(const struct perf_run *run)
{
    (void)run;
    return 1;
}

static uint32_t bus_once(uint32_t rank_count)
{
    (void)rank_count;
    return 1000;
}

static uint32_t bus_others(uint32_t rank_count)
{
    return 1000 * (rank_count - 1) / rank_count;
}

static uint32_t bus_twice(uint32_t rank_count)
{
    return 2000 * (rank_count - 1) / rank_count;
}

/* All data passes the last link to rank 0. */
static uint32_t bus_senders(uint32_t rank_count)
{
    return 1000 * (rank_count - 1);
}

#define STREAM                                                                                     \
    .is_active = perf_stream_is_active, .is_linked = perf_stream_is_linked,                        \
    .measure = perf_stream_measure, .iterate = perf_stream_iterate, .fill = perf_stream_fill,      \
    .check = perf_stream_check, .batch_max = perf_stream_batch_max
#define RING                                                                                       \
    .manner = PERF_GROUP, .is_active = everybody, .is_linked = perf_ring_is_linked,                \
    .measure = perf_ring_measure, .iterate = perf_ring_iterate, .fill = perf_ring_fill,            \
    .check = perf_ring_check, .batch_max = one
#define EXCHANGE                                                                                   \
    .manner = PERF_GROUP, .is_active = everybody, .is_linked = perf_exchange_is_linked,            \
    .measure = perf_exchange_measure, .iterate = perf_exchange_iterate,                            \
    .fill = perf_exchange_fill, .check = perf_exchange_check, .batch_max = one

const struct perf_test perf_tests[PERF_TEST_COUNT] = {
    { .name = "write",
        .summary = "bandwidth of writes between two ranks",
        .manner = PERF_BANDWIDTH,
        .is_pair = true,
        STREAM,
        .bus_permille = bus_once },
    { .name = "rate",
        .summary = "rate of small writes between two ranks",
        .manner = PERF_BANDWIDTH,
        .is_pair = true,
        STREAM,
        .bus_permille = bus_once },
    { .name = "lat",
        .summary = "latency of writes between two ranks",
        .manner = PERF_LATENCY,
        .is_pair = true,
        .is_active = perf_latency_is_active,
        .is_linked = perf_latency_is_linked,
        .measure = perf_latency_measure,
        .iterate = perf_latency_iterate,
        .fill = perf_latency_fill,
        .check = perf_latency_check,
        .batch_max = one,
        .bus_permille = bus_once },
    { .name = "allreduce",
        .summary = "sums over all ranks, at every rank, in a ring",
        .adds = true,
        RING,
        .bus_permille = bus_twice },
    { .name = "allgather",
        .summary = "the parts of all ranks, at every rank, in a ring",
        RING,
        .bus_permille = bus_others },
    { .name = "reducescatter",
        .summary = "a part of the sums at each rank, in a ring",
        .adds = true,
        RING,
        .bus_permille = bus_others },
    { .name = "alltoall",
        .summary = "every rank sends a part to every other rank",
        EXCHANGE,
        .bus_permille = bus_others },
    { .name = "sendrecv",
        .summary = "every rank sends to the next",
        EXCHANGE,
        .bus_permille = bus_once },
    { .name = "incast",
        .summary = "all other ranks write to rank 0",
        .manner = PERF_GROUP,
        STREAM,
        .bus_permille = bus_senders },
};

const struct perf_test *perf_test_find(const char *name)
{
    for (uint32_t i = 0; i < PERF_TEST_COUNT; i++)
        if (strcmp(perf_tests[i].name, name) == 0)
            return &perf_tests[i];
    return NULL;
}
