/* SPDX-License-Identifier: Apache-2.0 */
/* What a dashboard shows, and what it can do: a soft fabric, or a controller with its agents. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "control/control.h"

/* Functions return a document of mrc-dashboard(5), which the caller releases, or NULL with a
 * reason. */
struct dashboard_source {
    json_t *(*layout)(void *context, char reason[REQUEST_REASON_BYTES]);
    /* The state now, and rates since the previous call. */
    json_t *(*sample)(void *context, char reason[REQUEST_REASON_BYTES]);
    json_t *(*qps)(void *context, char reason[REQUEST_REASON_BYTES]);
    json_t *(*evs)(
        void *context, const char *device, uint32_t qpn, char reason[REQUEST_REASON_BYTES]);
    /* Carries out what a user asked for. */
    json_t *(*act)(void *context, const json_t *wish, char reason[REQUEST_REASON_BYTES]);
    void (*measure)(void *context, struct metric_page *);
};
