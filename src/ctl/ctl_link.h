/* SPDX-License-Identifier: Apache-2.0 */
/* The connection of an agent to its controller, over TLS with certificates on both sides: reports
 * go out, orders come back with their answers, and a stream tells when there are new orders. An
 * agent without a connection keeps trying, and keeps its orders. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <curl/curl.h>

#include "ctl/ctl_agent.h"
#include "ctl/ctl_folder.h"
#include "ctl/ctl_text.h"

struct ctl_link {
    struct ctl_agent *agent; /* lent */
    char url[CTL_PATH_BYTES];
    char certificate[CTL_PATH_BYTES];
    char key[CTL_PATH_BYTES];
    char authority[CTL_PATH_BYTES];
    CURLM *multi;
    CURL *report; /* NULL: none on its way */
    CURL *stream;
    char *report_text;
    struct ctl_text answer;
    uint64_t reported_ms;     /* when the last report began */
    uint64_t streamed_ms;     /* when the stream began */
    uint64_t stream_heard_ms; /* when something came last */
    bool is_prompted;         /* the controller has something new */
    bool is_connected;
    char problem[CTL_REASON_BYTES]; /* of the last attempt; empty: none */
};

/* The certificates are those of the folder. Returns 0 or a negative errno. */
int ctl_link_open(
    struct ctl_link *, struct ctl_agent *, const struct ctl_folder *, const char *url);
void ctl_link_close(struct ctl_link *);

/* Waits for at most `timeout_ms`, and does what there is to do. */
void ctl_link_wait(struct ctl_link *, int timeout_ms);
