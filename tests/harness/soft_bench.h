/* SPDX-License-Identifier: Apache-2.0 */
/* A soft fabric driven pass by pass, with the ports of its NICs in the same process. */
#pragma once

#include "lab/soft_state.h"
#include "pktio/pktio.h"
#include "plan/plan.h"
#include "topology/topology.h"

enum {
    SOFT_BENCH_PLANES = 2,
    SOFT_BENCH_NICS = 4,
    SOFT_BENCH_PASSES_MAX = 10000000,
    SOFT_BENCH_PAYLOAD_BYTES = 1024,
};

struct soft_bench {
    char root[32];
    uint64_t now_ps; /* the clock of the fabric */
    uint32_t slower; /* 1000: frames are inside for milliseconds, which are many passes */
    struct topology_config config;
    struct plan fabric;
    struct soft_config soft_config; /* what a test sets before it starts */
    struct soft *soft;
    struct pktio_port *nics[SOFT_BENCH_NICS][TOPOLOGY_PLANES_MAX];
};

/* Two planes, two T0s with one NIC each, two T1s. */
struct soft_bench soft_bench_small(void);
/* Opens the fabric and attaches all NICs. */
void soft_bench_start(struct soft_bench *);
void soft_bench_open(struct soft_bench *); /* without NICs */
void soft_bench_attach(struct soft_bench *, uint32_t nic, uint32_t plane);
/* One engine of a NIC; the port is the caller's. */
struct pktio_port *soft_bench_attach_engine(
    struct soft_bench *, uint32_t nic, uint32_t plane, uint32_t engine, uint32_t engine_count);
void soft_bench_stop(struct soft_bench *);
/* 50 ns later: one pass of the fabric. */
void soft_bench_pass(struct soft_bench *);

/* A data packet from one NIC to another, on uplink PSN mod 2. Returns its length. */
uint32_t soft_bench_build(const struct soft_bench *, uint32_t from, uint32_t to, uint32_t plane,
    uint32_t psn_value, uint8_t *bytes);
void soft_bench_send(
    struct soft_bench *, uint32_t from, uint32_t to, uint32_t plane, uint32_t psn_value);
void soft_bench_send_bytes(
    struct soft_bench *, uint32_t nic, uint32_t plane, const uint8_t *bytes, uint32_t length);

bool soft_bench_uses_buffers(const struct soft_bench *);
