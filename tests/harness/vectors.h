/* SPDX-License-Identifier: Apache-2.0 */
/* The packets of tests/vectors/mrc-vectors.txt by name. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define VECTOR_COUNT_MAX 64
#define VECTOR_BYTES_MAX 256

struct vector {
    char name[8];
    uint8_t bytes[VECTOR_BYTES_MAX];
    size_t length;
};

struct vectors {
    struct vector items[VECTOR_COUNT_MAX];
    size_t count;
};

/* Read once. A file that is missing or malformed ends the program with a message. */
const struct vectors *vectors_all(void);

/* A vector that does not exist ends the program with a message. */
const struct vector *vectors_find(const char *name);
