/* SPDX-License-Identifier: Apache-2.0 */
/* A running simulation in text: redrawn in place on a terminal, lines one below the other
 * elsewhere. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LIVE_VIEW_PLANES_MAX 8
#define LIVE_VIEW_HISTORY    512 /* points of the curve of goodput, over the whole run */
#define LIVE_VIEW_FAULTS_MAX 6   /* lines of what happened last */
#define LIVE_VIEW_TEXT_BYTES 96

struct live_view_sample {
    uint64_t time_ps;
    uint64_t goodput_bps;
    uint64_t ideal_bps; /* 0: not known */
    uint64_t plane_bps[LIVE_VIEW_PLANES_MAX];
    uint32_t plane_count;
    uint64_t active_evs;
    uint64_t bad_evs;
    uint64_t queue_peak_bytes;
    uint64_t trimmed; /* so far, like the next two */
    uint64_t retransmitted;
    uint64_t lost;
};

struct live_view {
    FILE *to;
    bool is_terminal;
    bool has_unicode;
    const char *title;
    uint64_t end_ps;                       /* of the run, at the latest */
    uint64_t curve_bps[LIVE_VIEW_HISTORY]; /* the most goodput of as many samples as a point has */
    uint32_t curve_count;
    uint32_t samples_per_point;
    uint32_t samples_in_last;
    uint64_t goodput_most_bps;
    uint64_t plane_most_bps;
    char faults[LIVE_VIEW_FAULTS_MAX][LIVE_VIEW_TEXT_BYTES];
    uint32_t fault_count; /* all that were told */
    uint32_t lines_drawn; /* by the last frame, to go back over */
    uint32_t tenths_told; /* of the run, in lines */
    uint64_t drawn_ns;    /* time of day of the last frame */
    struct live_view_sample last;
};

/* `title` is borrowed. Whether `to` is a terminal decides the form. */
void live_view_init(struct live_view *, FILE *to, const char *title, uint64_t end_ps);
void live_view_show(struct live_view *, const struct live_view_sample *);
/* A fault or its end; told before the sample in which it fell. */
void live_view_tell(struct live_view *, uint64_t time_ps, const char *what);
/* The last frame stays. */
void live_view_finish(struct live_view *);
