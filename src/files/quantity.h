/* SPDX-License-Identifier: Apache-2.0 */
/* Converts numbers with units into exact integers: 1.5us is 1,500,000 ps. */
#pragma once

#include <stdint.h>

enum quantity_kind {
    QUANTITY_COUNT,    /* 64; no unit */
    QUANTITY_RATE,     /* bit/s: 400Gb/s, 100G */
    QUANTITY_TIME,     /* ps: 500ns, 1.5us */
    QUANTITY_SIZE,     /* bytes: 4096, 64KiB, 2MB */
    QUANTITY_FRACTION, /* of 2^32, rounded: 0.1%, 0.001, 1e-6; 1 is 2^32 - 1 */
    QUANTITY_PERMILLE, /* whole thousandths: 25%, 0.25 */
    QUANTITY_KIND_COUNT,
};

enum quantity_error {
    QUANTITY_OK,
    QUANTITY_NOT_A_NUMBER,
    QUANTITY_NO_UNIT,
    QUANTITY_UNKNOWN_UNIT,
    QUANTITY_NOT_WHOLE, /* 0.5 ps, 1.5 ranks */
    QUANTITY_TOO_LARGE,
};

enum quantity_error quantity_parse(enum quantity_kind, const char *text, uint64_t *value);

/* Returns how such a number is written, for messages: "a time such as 500ns, 1.5us, 2ms or 3s". */
const char *quantity_example(enum quantity_kind);

#define QUANTITY_BYTES 40
/* Formats with the largest unit in which the value is whole. For counts, rates, times and sizes. */
void quantity_format(enum quantity_kind, uint64_t value, char out[static QUANTITY_BYTES]);
