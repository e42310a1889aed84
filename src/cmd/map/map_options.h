/* SPDX-License-Identifier: Apache-2.0 */
/* The options of mrc map, and its two environments. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cmd/cmd.h"

struct map;

struct map_options {
    const char *fabric; /* name */
    uint64_t period_count;
    uint32_t period_ms;
    uint32_t round_periods;
    uint64_t seed;
    bool has_seed;
    bool is_simulated;
    bool is_json;
};

/* Probes the devices of a running fabric, which the file describes. */
enum cmd_status map_live(const struct map_options *, const char *path);
/* Probes the simulated fabric of an experiment, with its faults and without its traffic. */
enum cmd_status map_simulated(const struct map_options *, const char *path);

/* Prints the result. `period_us`: the length of a period. */
void map_print_result(const struct map *, double period_us, const struct map_options *);
