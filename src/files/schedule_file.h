/* SPDX-License-Identifier: Apache-2.0 */
/* Files with the traffic of a workload: flows as comma-separated values, schedules in GOAL, and
 * connection matrices of htsim. */
#pragma once

#include "files/yaml.h"
#include "sim/sim.h"

enum schedule_format {
    SCHEDULE_CSV,
    SCHEDULE_GOAL,
    SCHEDULE_MATRIX,
    SCHEDULE_FORMAT_COUNT,
};
/* "csv", "goal", "cm": also the ends of names of files; then NULL. */
extern const char *const schedule_format_words[SCHEDULE_FORMAT_COUNT + 1];

struct schedule_options {
    enum schedule_format format;
    uint32_t rank_count;   /* 0: as the file says */
    uint32_t rank_max;     /* the NICs that there are */
    uint64_t matrix_start; /* connection matrices: the unit of start times, in ps */
};

/* Reads a text. Returns the schedule, in the memory of `yaml`, or NULL after a complaint. `source`
 * is the name of the file. */
const struct sim_schedule *schedule_file_read(
    struct yaml *, const char *source, const char *text, const struct schedule_options *);
