/* SPDX-License-Identifier: Apache-2.0 */
/* A check of a library, in a process of its own: what it may use, and how it reports.
 *
 * A check calls the library with API(run, create_cq)(...). The name of the call is noted where the
 * process that watches sees it, so that a crash or a hang is reported with it. The process of a
 * check ends at its first fatal finding; the kernel frees what the library holds. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "conform/api_library.h"

struct api_peer;
struct api_run;

/* Shared with the process that watches. */
struct api_run_watch {
    _Atomic(const char *) call; /* that the process has entered last; a literal */
    _Atomic uint32_t entered;   /* the number of calls that it has entered */
    _Atomic bool is_done;       /* the process ends because it is done */
    /* Undoes what outlives the process; NULL: nothing. If the process crashes, another one calls
     * it.
     */
    void (*_Atomic at_end)(struct api_run *);
    _Atomic uint8_t port; /* for it: a port that is disabled */
};

struct api_run {
    const struct api_library *library;
    const char *device; /* NULL: none */
    const char *second; /* another device of the library; NULL: none */
    int gid_index;
    const uint8_t *path; /* 16 bytes: the way of probes by SRv6; NULL: by UDP source port */
    uint64_t patience_ms;
    uint64_t lacks;        /* features that the library declares as not implemented, by bit */
    bool is_private;       /* the devices are those of api_private.h */
    const char *role;      /* prefix of reports; "" for the process of the check */
    struct api_peer *peer; /* NULL: the check has none */
    struct api_run_watch *watch;
    int report_fd;
    bool has_failed;
};

#define API(run, name)                                                                             \
    (api_run_call((run), "mrc_" #name, (run)->library->calls.name != NULL),                        \
        (run)->library->calls.name)
#define VERB(run, name) (api_run_enter((run), "ibv_" #name), (run)->library->verbs.name)

#define API_RUN_NO_CALL "no call"

/* Notes that the process enters this call. */
void api_run_enter(struct api_run *, const char *call);
/* The same; fails and ends the process if the library does not have the call. */
void api_run_call(struct api_run *, const char *call, bool exists);

#define API_PRINTS(number) __attribute__((format(printf, number, (number) + 1)))

/* Reports as conform_report_fail() and _reading() do. */
API_PRINTS(2) void api_run_fail(struct api_run *, const char *format, ...);
API_PRINTS(3) void api_run_reading(struct api_run *, uint32_t point, const char *format, ...);

/* Fails unless a statement is true. Returns it. */
API_PRINTS(3) bool api_run_expect(struct api_run *, bool is_true, const char *format, ...);
/* The same, and ends the process. */
API_PRINTS(3) void api_run_must(struct api_run *, bool is_true, const char *format, ...);

/* The check does not apply; ends the process. */
__attribute__((noreturn))
API_PRINTS(2) void api_run_skip(struct api_run *, const char *format, ...);

/* No check makes sense: ends the process and the run. */
__attribute__((noreturn)) API_PRINTS(2) void api_run_end(struct api_run *, const char *format, ...);

/* Fails because something did not happen in time, which is counted. Ends the process. */
__attribute__((noreturn))
API_PRINTS(2) void api_run_silent(struct api_run *, const char *format, ...);

/* The check is complete; ends the process. */
__attribute__((noreturn)) void api_run_done(struct api_run *);

bool api_run_lacks(const struct api_run *, uint32_t feature);

/* ---- results of calls ------------------------------------------------------------------------ */

/* Return 0, an errno value, or a negative number if the result does not follow the convention of
 * the call: a pointer or NULL with errno; 0 or -1 with errno; 0 or an errno value. */
int api_run_error_null(const void *result);
int api_run_error_minus(int result);
int api_run_error_number(int result);

/* Fails unless a call ended with this error (0: success). `what` says what was called. */
bool api_run_ends(struct api_run *, int error, int expected, const char *what);

/* The name of an errno value: "EBUSY", or what api_run_error_ found wrong. */
const char *api_run_error_text(int error);

/* ---- waiting --------------------------------------------------------------------------------- */

/* The time of a monotonic clock. */
uint64_t api_run_now_ms(void);

/* A wait with the patience of the run. */
struct api_wait {
    uint64_t end_ms;
    uint32_t turns;
};
struct api_wait api_run_wait(const struct api_run *);
/* Lets time pass. Returns false when patience is over. */
bool api_run_goes_on(struct api_wait *);
