/* SPDX-License-Identifier: Apache-2.0 */
/* Formats quantities for users: three digits and a suitable unit. */
#pragma once

enum units_kind {
    UNITS_RATE, /* bit/s: "23.1 Tb/s" */
    UNITS_TIME, /* ps: "1.25 us" */
    UNITS_SIZE, /* bytes: "64.0 KiB" */
    UNITS_KIND_COUNT,
};

struct units_text {
    char at[32];
};

struct units_text units_text(enum units_kind, double value);
