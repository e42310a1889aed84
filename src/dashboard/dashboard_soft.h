/* SPDX-License-Identifier: Apache-2.0 */
/* A soft fabric as the source of a dashboard: it asks the fabric and its NICs over their sockets,
 * as every other program does. */
#pragma once

#include "dashboard/dashboard_source.h"

#define DASHBOARD_SOFT_NAME_BYTES 64

struct dashboard_soft {
    char fabric[DASHBOARD_SOFT_NAME_BYTES];
    uint64_t rate_bps_min; /* lowest rate of a link that is made slow */
    json_t *layout;
    json_t *links; /* of the previous sample */
    json_t *sums;  /* of the previous sample */
    /* Called for each fault that begins or ends. */
    void (*on_event)(void *context, json_t *event);
    void *context;
};

extern const struct dashboard_source dashboard_soft_source;

void dashboard_soft_fini(struct dashboard_soft *);

/* Calls `visit` for each device of the fabric. */
void dashboard_soft_devices(
    struct dashboard_soft *, void (*visit)(void *context, const char *device), void *context);
