/* SPDX-License-Identifier: Apache-2.0 */
/* How evenly flows share: Jain's index, the slowest and the fastest. */
#pragma once

#include <stdint.h>

#include <jansson.h>

__extension__ typedef unsigned __int128 sim_wide;

struct sim_fairness {
    sim_wide sum; /* of kb/s, so that squares stay small */
    sim_wide sum_of_squares;
    uint64_t count;
    uint64_t least_bps;
    uint64_t most_bps;
};

void sim_fairness_init(struct sim_fairness *);
void sim_fairness_add(struct sim_fairness *, uint64_t flow_bps);
/* 1,000,000: fair. */
uint64_t sim_fairness_jain_millionths(const struct sim_fairness *);
/* Sets flows, jain, and flow_fraction_min and _max, relative to equal shares of `ideal_bps`. */
void sim_fairness_set(json_t *, const struct sim_fairness *, uint64_t ideal_bps);
