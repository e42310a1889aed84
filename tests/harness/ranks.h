/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of a workload in a world without a network, which delivers, acknowledges, wakes and starts
 * in any order that is possible, and expects of every step that it is right. */
#pragma once

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "sim/workload.h"

enum { /* of what a world can hold */
    RANKS_MAX = 9,
    QPS_MAX = 3,
    ITERATIONS_MAX = 4,
    SLICES_MAX = 4,
    FLOWS_MAX = RANKS_MAX * RANKS_MAX * QPS_MAX,
    NEIGHBOURS_MAX = 4,                         /* in a tree */
    LANES_MAX = (NEIGHBOURS_MAX + 3) * QPS_MAX, /* and of the other axes of a divided model */
    CHUNKS_MAX = 8,
    PIECES_MAX = 2 * CHUNKS_MAX,
    MESSAGES_MAX = 2 * RANKS_MAX * SLICES_MAX * ITERATIONS_MAX,
};

struct message {
    uint64_t bytes;
    uint32_t tag;
    uint32_t contributions;     /* a bit per rank whose data is in it */
    uint32_t pieces[RANKS_MAX]; /* likewise, of each piece of the buffer that it holds */
};

/* What one flow carries, in order. */
struct wire {
    struct workload_flow ends;
    uint32_t number_out; /* as its sender counts */
    uint32_t number_in;
    uint32_t posted;
    uint32_t delivered;
    uint32_t acknowledged;
    struct message messages[MESSAGES_MAX];
};

struct node {
    struct ranks *world;
    struct workload_rank rank;
    struct workload_lane lanes[LANES_MAX];
    uint64_t wake_ps;
    uint32_t completions;
    uint32_t steps;
    bool is_finished;
    /* Whose data this rank has of each chunk and slice, in every iteration: a bit per rank. */
    uint32_t has[ITERATIONS_MAX][RANKS_MAX][QPS_MAX * SLICES_MAX];
    uint32_t parts[ITERATIONS_MAX];              /* all-to-all: that came */
    uint32_t pieces[ITERATIONS_MAX][PIECES_MAX]; /* trees and groups: as `has`, by piece */
};

struct ranks {
    alignas(16) uint8_t memory[4096];
    struct plan fabric;
    struct sim_workload workload;
    struct workload_layout layout;
    struct prng prng;
    uint64_t now_ps;
    uint32_t wire_count;
    struct wire wires[FLOWS_MAX];
    struct node nodes[RANKS_MAX];
};

/* Places them on a fabric of their own; no rank has started. */
void ranks_init(struct ranks *, const struct sim_workload *, uint64_t seed);
/* Until nothing can happen any more. */
void ranks_run(struct ranks *);

uint64_t ranks_sent_bytes(const struct ranks *);
bool ranks_are_finished(const struct ranks *);
