/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of mrc perf: what each does in an iteration, and their common state. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "perf/perf_end.h"
#include "perf/perf_pattern.h"

enum {
    PERF_GUARD_BYTES = 256,
    PERF_TEST_COUNT = 9,
};

/* One test while it runs at one rank. */
struct perf_run {
    const struct perf_settings *settings;
    const struct perf_test *test;
    struct perf_end *end;
    uint32_t rank;
    uint32_t rank_count;
    uint64_t size_bytes;  /* of the current row */
    uint64_t iteration;   /* the first of this batch, counted over all sizes */
    uint64_t moved_bytes; /* sent by this rank in this batch */
    /* Offsets into the memory. There are guards between them. */
    uint64_t source;
    uint64_t sink;
    uint64_t scratch[2]; /* consecutive iterations may overlap */
    uint64_t slot_count; /* of a QP: messages that do not overlap (perf_stream.c) */
    uint32_t *sent;      /* messages with an immediate to each rank */
    uint64_t *samples_ns;
    uint64_t sample_count;
};

/* What the elements of this iteration are computed from. */
static inline struct perf_numbers perf_test_numbers(const struct perf_run *run)
{
    return (struct perf_numbers){ .seed = run->settings->seed,
        .iteration = run->iteration,
        .type = (enum perf_type)run->settings->type };
}

enum perf_manner {
    PERF_BANDWIDTH, /* columns of perftest */
    PERF_LATENCY,
    PERF_GROUP, /* columns of nccl-tests */
};

struct perf_test {
    const char *name;
    const char *summary;
    enum perf_manner manner;
    bool is_pair;                                              /* exactly two ranks */
    bool adds;                                                 /* sums over all ranks */
    bool (*is_active)(const struct perf_run *, uint32_t rank); /* its time counts */
    bool (*is_linked)(const struct perf_run *, uint32_t from, uint32_t to);
    /* Writes the bytes of source, sink and each scratch buffer for the largest size. */
    void (*measure)(struct perf_run *, uint64_t bytes[3]);
    int (*iterate)(struct perf_run *, uint64_t count); /* returns 0, or -1 with a problem */
    /* With checks, called before and after a batch; check() returns the number of wrong bytes or
     * elements. */
    void (*fill)(struct perf_run *, uint64_t count);
    uint64_t (*check)(struct perf_run *, uint64_t count);
    uint64_t (*batch_max)(const struct perf_run *); /* iterations between two checks */
    /* Bytes on the busiest link per byte of size, in thousandths, as in nccl-tests. */
    uint32_t (*bus_permille)(uint32_t rank_count);
};

extern const struct perf_test perf_tests[PERF_TEST_COUNT];

/* Returns NULL if there is no such test. */
const struct perf_test *perf_test_find(const char *name);

/* perf_stream.c: writes in sequence: write, rate, incast. */
bool perf_stream_is_active(const struct perf_run *, uint32_t rank);
bool perf_stream_is_linked(const struct perf_run *, uint32_t from, uint32_t to);
void perf_stream_measure(struct perf_run *, uint64_t bytes[3]);
int perf_stream_iterate(struct perf_run *, uint64_t count);
void perf_stream_fill(struct perf_run *, uint64_t count);
uint64_t perf_stream_check(struct perf_run *, uint64_t count);
uint64_t perf_stream_batch_max(const struct perf_run *);

/* perf_latency.c: round trips. */
bool perf_latency_is_active(const struct perf_run *, uint32_t rank);
bool perf_latency_is_linked(const struct perf_run *, uint32_t from, uint32_t to);
void perf_latency_measure(struct perf_run *, uint64_t bytes[3]);
int perf_latency_iterate(struct perf_run *, uint64_t count);
void perf_latency_fill(struct perf_run *, uint64_t count);
uint64_t perf_latency_check(struct perf_run *, uint64_t count);

/* perf_ring.c: collectives in a ring: all-reduce, all-gather, reduce-scatter. */
bool perf_ring_is_linked(const struct perf_run *, uint32_t from, uint32_t to);
void perf_ring_measure(struct perf_run *, uint64_t bytes[3]);
int perf_ring_iterate(struct perf_run *, uint64_t count);
void perf_ring_fill(struct perf_run *, uint64_t count);
uint64_t perf_ring_check(struct perf_run *, uint64_t count);

/* perf_exchange.c: every rank to others at once: all-to-all, and to the next rank. */
bool perf_exchange_is_linked(const struct perf_run *, uint32_t from, uint32_t to);
void perf_exchange_measure(struct perf_run *, uint64_t bytes[3]);
int perf_exchange_iterate(struct perf_run *, uint64_t count);
void perf_exchange_fill(struct perf_run *, uint64_t count);
uint64_t perf_exchange_check(struct perf_run *, uint64_t count);
