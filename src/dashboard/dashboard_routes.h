/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of a dashboard, which answer from a source. */
#pragma once

#include <stdbool.h>

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

/* Answers a request for one of the paths in dashboard_paths.def. */
void dashboard_answer(struct dashboard *, const struct http_request *, struct http_answer *);

/* Keeps an event, and tells it to all open pages. */
void dashboard_tell(struct dashboard *, struct http_server *, const json_t *event);
/* Takes a sample and tells it, if a page is open and an interval has passed. Returns whether it
 * did. */
bool dashboard_turn(struct dashboard *, struct http_server *);
