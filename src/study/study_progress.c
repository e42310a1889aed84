/* SPDX-License-Identifier: Apache-2.0 */
/* Prints simulated time, speed and remaining time of a simulation. */
#include "study/study_progress.h"

#include <stdio.h>

#include <unistd.h>

#define QUIET_S    2.0
#define INTERVAL_S 0.2

void study_progress_init(struct study_progress *progress, const char *label, uint64_t duration_ps,
    bool is_wanted, double now_s)
{
    *progress = (struct study_progress){
        .label = label,
        .duration_ps = duration_ps,
        .began_s = now_s,
        .is_on = is_wanted && isatty(STDERR_FILENO),
    };
}

void study_progress_show(struct study_progress *progress, const struct sim *sim, double now_s)
{
    double took_s = now_s - progress->began_s;
    uint64_t now_ps = sim_now_ps(sim);
    uint64_t left_ps = now_ps < progress->duration_ps ? progress->duration_ps - now_ps : 0;

    if (!progress->is_under_way) {
        progress->first_ps = now_ps;
        progress->first_hops = sim_packet_hops(sim);
        progress->is_under_way = true;
    }
    if (!progress->is_on || took_s < QUIET_S || now_s - progress->shown_s < INTERVAL_S)
        return;
    fprintf(stderr, "\r\033[K%s%s%.3f of %.3f ms, %.1f M packet-hops/s, ", progress->label,
        *progress->label ? ": " : "", (double)now_ps / 1e9, (double)progress->duration_ps / 1e9,
        (double)(sim_packet_hops(sim) - progress->first_hops) / took_s / 1e6);
    if (now_ps > progress->first_ps)
        fprintf(stderr, "at most %.0f s left",
            took_s * (double)left_ps / (double)(now_ps - progress->first_ps));
    fflush(stderr);
    progress->is_shown = true;
    progress->shown_s = now_s;
}

void study_progress_clear(struct study_progress *progress)
{
    if (progress->is_shown)
        fputs("\r\033[K", stderr);
    progress->is_shown = false;
}
