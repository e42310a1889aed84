/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of one run of a check: one that makes the calls, and its peer. */
#pragma once

#include <sys/types.h>

#include "conform/api_watch.h"

struct api_process {
    pid_t pid; /* 0: ended, or not started */
    struct api_run_watch *watch;
    const char *name; /* "the library", for reports */
};

struct api_process_pair {
    const struct api_kit *kit;
    void (*check)(struct api_run *);
    bool has_peer;
    bool peer_is_ours;
    struct api_process subject;
    struct api_process peer;
    int lines; /* read end of the pipe through which they report */
};

/* Starts the processes. Returns false if that is not possible. */
bool api_process_start(struct api_process_pair *);
