/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the checks of a kit and reports their results: TAP while they run, or JSON at the end. */
#pragma once

#include "conform/conform_suite.h"

struct conform_report_config {
    const struct conform_suite *suite;
    const char *device; /* its name, for the report */
    uint64_t absent;    /* features that the device declares as not implemented, by bit */
    const bool *chosen; /* by check; NULL: all */
    FILE *out;
    bool as_json;
};

/* Runs the checks. Returns whether the device passes: no check failed, and the device did not
 * disappear. */
bool conform_report_run(const struct conform_report_config *, void *kit);

/* ---- for checks ------------------------------------------------------------------------------ */

#define CONFORM_PRINTS __attribute__((format(printf, 2, 3)))

/* The device violates the section of the check. The text says what it did. May be called several
 * times; the first texts are printed. */
CONFORM_PRINTS void conform_report_fail(struct conform_report *, const char *format, ...);

/* The check does not apply here, for example because the device has too few ports. */
CONFORM_PRINTS void conform_report_skip(struct conform_report *, const char *format, ...);

/* Adds a line to the report of the check. */
CONFORM_PRINTS void conform_report_note(struct conform_report *, const char *format, ...);

/* The device hangs, floods, has crashed or disappeared: the check fails and no other one is run. */
CONFORM_PRINTS void conform_report_end(struct conform_report *, const char *format, ...);

/* States how the device reads a point that the specification leaves open: no reading fails. */
__attribute__((format(printf, 3, 4))) void conform_report_reading(
    struct conform_report *, uint32_t point, const char *format, ...);

/* Returns whether the running check has failed or the device is gone. */
bool conform_report_has_failed(const struct conform_report *);

/* Returns whether conform_report_end() was called. */
bool conform_report_has_ended(const struct conform_report *);

/* Returns whether the device declares this feature as not implemented. */
bool conform_report_lacks(const struct conform_report *, uint32_t feature);
