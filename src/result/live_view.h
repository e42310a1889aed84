/* SPDX-License-Identifier: Apache-2.0 */
/* A running simulation as text: redrawn in place on a terminal, as consecutive lines elsewhere. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LIVE_VIEW_PLANES_MAX 16
#define LIVE_VIEW_HISTORY    512 /* points of the goodput curve, over the whole run */
#define LIVE_VIEW_FAULTS_MAX 6   /* lines for the latest events */
#define LIVE_VIEW_TEXT_BYTES 96

struct live_view_sample {
    uint64_t time_ps;
    uint64_t goodput_bps;
    uint64_t ideal_bps; /* 0: not known */
    uint64_t plane_bps[LIVE_VIEW_PLANES_MAX];
    uint32_t plane_count;
    bool has_ports; /* planes are ports of NICs: in a graph */
    uint64_t active_evs;
    uint64_t bad_evs;
    uint64_t queue_peak_bytes;
    uint64_t trimmed; /* so far, as are the next two */
    uint64_t retransmitted;
    uint64_t lost;
};

struct live_view {
    FILE *to;
    bool is_terminal; /* that can draw a frame over another */
    uint32_t rows;    /* of the terminal; the last planes of a frame may not fit */
    bool has_color;
    bool has_unicode;
    const char *title;
    uint64_t end_ps;                       /* latest end of the run */
    uint64_t curve_bps[LIVE_VIEW_HISTORY]; /* each point: the highest goodput of its samples */
    uint32_t curve_count;
    uint32_t samples_per_point;
    uint32_t samples_in_last;
    uint64_t goodput_most_bps;
    uint64_t plane_most_bps;
    char faults[LIVE_VIEW_FAULTS_MAX][LIVE_VIEW_TEXT_BYTES];
    uint32_t fault_count; /* all reported faults */
    uint32_t lines_drawn; /* by the last frame, to overwrite it */
    uint32_t tenths_told; /* tenths of the run for which a line was printed */
    uint64_t drawn_ns;    /* time of the last frame */
    struct live_view_sample last;
};

/* `title` is borrowed. The form depends on whether `to` is a terminal, on its size, and on TERM and
 * NO_COLOR. */
void live_view_init(struct live_view *, FILE *to, const char *title, uint64_t end_ps);
void live_view_show(struct live_view *, const struct live_view_sample *);
/* Reports a fault or its end, before the sample that contains it. */
void live_view_tell(struct live_view *, uint64_t time_ps, const char *what);
/* Leaves the last frame on the terminal. */
void live_view_finish(struct live_view *);
