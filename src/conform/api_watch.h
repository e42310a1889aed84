/* SPDX-License-Identifier: Apache-2.0 */
/* The process that watches checks of a library. It never loads the library: each check runs in a
 * process of its own, and its other end in another one. A process that crashes, exits or hangs is
 * reported with the call in which it was. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "conform/api_run.h"

struct api_private;
struct conform_report;

/* What a library is and which devices it has. */
struct api_kit {
    const char *library;
    const char *verbs;
    const char *devices[2]; /* NULL: none */
    const char *ours;       /* a device of our library that reaches devices[0]; NULL: none */
    const struct api_library *our_library;
    struct api_private *network; /* to which the devices belong; NULL: not one of ours */
    int gid_index;
    const uint8_t *path; /* as in struct api_run */
    uint64_t patience_ms;
    uint64_t lacks;        /* features that the library does not implement, by bit */
    uint32_t silent_count; /* checks in which something did not happen in time */
    const volatile sig_atomic_t *is_interrupted; /* NULL: never */
};

/* What a check needs. */
enum api_need {
    API_NEED_LIBRARY,
    API_NEED_DEVICE,
    API_NEED_PEER, /* runs with each peer: another device of the library, and one of ours */
};

/* Runs a check. Reports to `report`. */
void api_watch_run(
    struct api_kit *, struct conform_report *, void (*check)(struct api_run *), enum api_need);

/* ---- lines from a process: a letter and a text ----------------------------------------------- */

#define API_WATCH_LINE_BYTES 512

enum api_watch_letter {
    API_WATCH_FAIL = 'F',
    API_WATCH_SKIP = 'S',
    API_WATCH_SILENT = 'T',  /* fails, because something did not happen in time */
    API_WATCH_END = 'E',     /* no check makes sense */
    API_WATCH_READING = 'R', /* number of the point, space, text */
};
