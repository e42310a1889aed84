/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment given as text, run to its end: what the transport made of the fabric between two
 * times, compared with the fluid capacity of that time. */
#pragma once

#include <stdint.h>

#include "sim/sim.h"

/* Fabrics of four planes, 100 Gb/s each. */
#define DECISION_FABRIC(t0s, t1s, hosts)                                                           \
    "fabric: { planes: 4, t0s: " #t0s ", t1s: " #t1s ", hosts_per_t0: " #hosts                     \
    ", host_link: { rate: 100Gb/s, delay: 500ns }, uplink: { rate: 100Gb/s, delay: 500ns } }\n"
#define DECISION_F8  DECISION_FABRIC(2, 4, 4)
#define DECISION_F16 DECISION_FABRIC(4, 4, 4)
#define DECISION_F64 DECISION_FABRIC(8, 8, 8)

#define DECISION_PERMUTATION                                                                       \
    "workloads: [{ name: w, kind: permutation, message_bytes: 1MiB, outstanding: 8 }]\n"

/* Of the time from `from_us` to the end. */
struct decision {
    double of_capacity; /* all flows together */
    double worst_flow;  /* of its own max-min rate */
    double of_ideal;    /* the first workload, of what its links carry without faults */
    double jain;        /* of all pairs of NICs */
    double bytes_of_workload[4];
    uint32_t bad_evs;         /* at the end, assumed bad */
    uint32_t planes_out;      /* at the end: of QPs, planes that are not usable */
    struct sim_totals totals; /* of the whole run */
    uint64_t trimmed;         /* of this time, as is what follows */
    uint64_t sent;
    uint64_t lost[LOSS_REASON_COUNT];
};

/* `seed` replaces that of the text. A text that cannot be run fails the test. */
struct decision decision_run(const char *text, uint64_t seed, double from_us);

/* Prints the figures as a comment. */
void decision_print(const char *what, const struct decision *);
