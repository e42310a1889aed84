/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of a dashboard, which answer from a source. */
#pragma once

#include "dashboard/dashboard_log.h"
#include "dashboard/dashboard_source.h"
#include "http/http.h"

#define DASHBOARD_CHANNEL 2

struct dashboard {
    const struct dashboard_source *source;
    void *context; /* of the source */
    struct dashboard_log log;
    char *page; /* HTML */
    size_t page_bytes;
    char *sample; /* the latest; NULL: none */
    uint64_t sampled_ms;
};

/* Returns 0 or -ENOMEM. */
int dashboard_init(struct dashboard *, const struct dashboard_source *, void *context);
void dashboard_fini(struct dashboard *);

/* All paths; the context is the struct dashboard. Ends with NULL. A server with more paths copies
 * these into its table, and its context begins with a struct dashboard. */
extern const struct http_route dashboard_routes[];

/* Keeps an event, and tells it to all open pages. */
void dashboard_tell(struct dashboard *, struct http_server *, const json_t *event);
/* Takes a sample and tells it, if a page is open and an interval has passed. */
void dashboard_turn(struct dashboard *, struct http_server *);
