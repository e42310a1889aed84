/* SPDX-License-Identifier: Apache-2.0 */
/* A running simulation in text: redrawn in place on a terminal, lines one below the other
 * elsewhere. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SIM_VIEW_PLANES_MAX 8
#define SIM_VIEW_HISTORY    512 /* points of the curve of goodput, over the whole run */
#define SIM_VIEW_FAULTS_MAX 6   /* lines of what happened last */
#define SIM_VIEW_TEXT_BYTES 96

struct sim_view_sample {
    uint64_t time_ps;
    uint64_t goodput_bps;
    uint64_t ideal_bps; /* 0: nobody knows */
    uint64_t plane_bps[SIM_VIEW_PLANES_MAX];
    uint32_t plane_count;
    uint64_t active_evs;
    uint64_t bad_evs;
    uint64_t queue_peak_bytes;
    uint64_t trimmed; /* so far, like the next two */
    uint64_t retransmitted;
    uint64_t lost;
};

struct sim_view {
    FILE *to;
    bool is_terminal;
    bool has_unicode;
    const char *title;
    uint64_t end_ps;                      /* of the run, at the latest */
    uint64_t curve_bps[SIM_VIEW_HISTORY]; /* the most goodput of as many samples as a point has */
    uint32_t curve_count;
    uint32_t samples_per_point;
    uint32_t samples_in_last;
    uint64_t goodput_most_bps;
    uint64_t plane_most_bps;
    char faults[SIM_VIEW_FAULTS_MAX][SIM_VIEW_TEXT_BYTES];
    uint32_t fault_count; /* all that were told */
    uint32_t lines_drawn; /* by the last frame, to go back over */
    uint32_t tenths_told; /* of the run, in lines */
    uint64_t drawn_ns;    /* time of day of the last frame */
    struct sim_view_sample last;
};

/* `title` is borrowed. Whether `to` is a terminal decides the form. */
void sim_view_init(struct sim_view *, FILE *to, const char *title, uint64_t end_ps);
void sim_view_show(struct sim_view *, const struct sim_view_sample *);
/* A fault or its end; told before the sample in which it fell. */
void sim_view_tell(struct sim_view *, uint64_t time_ps, const char *what);
/* The last frame stays. */
void sim_view_finish(struct sim_view *);
