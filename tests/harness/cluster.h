/* SPDX-License-Identifier: Apache-2.0 */
/* A small simulated cluster for tests: described by hand or at random, opened, run, closed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/sim.h"

struct graph_bench;

#define CLUSTER_WORKLOADS_MAX 3
#define CLUSTER_FAULTS_MAX    4

struct cluster {
    struct topology_config fabric_config;
    struct topology_exception exceptions[2];
    struct topology_exception sorted[2];
    struct graph_bench *graph; /* instead of two tiers; NULL */
    struct plan fabric;
    struct sim_workload workloads[CLUSTER_WORKLOADS_MAX];
    struct fault faults[CLUSTER_FAULTS_MAX];
    struct topology_element places[CLUSTER_FAULTS_MAX];
    struct sim_config config; /* points into this struct: it stays where it is */
    struct sim *sim;
    void *memory;
    size_t memory_bytes;
};

/* Two T0s of 64 NICs and 64 T1s, one plane of 400 Gb/s, 500 ns cables; no work yet. */
void cluster_leaf_spine(struct cluster *);

/* A fabric of up to 3 x 4 NICs on up to 3 planes, up to 3 workloads and 4 faults. */
void cluster_random(struct cluster *, uint64_t seed);

/* Gives a random cluster NICs and switches that are not ideal. */
void cluster_random_hardware(struct cluster *, uint64_t seed);

/* The same as cluster_random() on a random graph of up to 64 NICs whose links may have several
 * rates; free it with cluster_free_graph(). */
void cluster_random_graph(struct cluster *, uint64_t seed);
void cluster_free_graph(struct cluster *);

/* Switches in a row, each with a NIC; the first and the last NIC write to each other. Free it like
 * a random graph. */
void cluster_chain(struct cluster *, uint32_t count);

/* Switches in a ring, each with a NIC that writes to the NIC of the switch after the next one. Free
 * it like a random graph. */
void cluster_ring(struct cluster *, uint32_t count);

/* Wires the fabric and makes the simulation; what is described must make sense. */
void cluster_open(struct cluster *);
void cluster_close(struct cluster *);

/* Opens, runs to the end, closes; returns the hash. */
struct cluster_outcome {
    enum sim_status status;
    uint64_t hash;
    uint64_t now_ps;
    struct sim_totals totals;
    char violation[256];
};
struct cluster_outcome cluster_run(struct cluster *);

/* Expects two runs to be the same in every figure. */
void cluster_expect_same(const struct cluster_outcome *, const struct cluster_outcome *);

/* Runs it with both engines and with one to three shards, and expects the same and no violation. */
void cluster_expect_same_runs(struct cluster *);
