/* SPDX-License-Identifier: Apache-2.0 */
/* The last events of a fabric, for pages that are opened later. */
#pragma once

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#define DASHBOARD_LOG_MAX 256

struct dashboard_log {
    char *lines[DASHBOARD_LOG_MAX];
    uint64_t count; /* so far */
};

void dashboard_log_fini(struct dashboard_log *);
/* Keeps an event. Returns its text, which the log owns, or NULL without memory. */
const char *dashboard_log_add(struct dashboard_log *, const json_t *event);
/* Writes all events as an array. */
void dashboard_log_write(const struct dashboard_log *, FILE *to);

/* Returns the time of day, in milliseconds, of a time of CLOCK_MONOTONIC; 0: now. */
uint64_t dashboard_log_wall_ms(uint64_t monotonic_ns);
