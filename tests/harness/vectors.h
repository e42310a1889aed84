/* SPDX-License-Identifier: Apache-2.0 */
/* The packets of tests/vectors: golden ones by name, and negative ones with their verdict. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define VECTOR_COUNT_MAX 128
#define VECTOR_BYTES_MAX 256

struct vector {
    char name[24];
    char verdict[24]; /* of a negative vector: why a receiver drops it; "none": it does not */
    uint8_t bytes[VECTOR_BYTES_MAX];
    size_t length;
};

struct vectors {
    struct vector items[VECTOR_COUNT_MAX];
    size_t count;
};

/* Read once. A file that is missing or malformed ends the program with a message. */
const struct vectors *vectors_all(void);

/* mrc-negative.txt. */
const struct vectors *vectors_negative(void);

/* A vector that does not exist ends the program with a message. */
const struct vector *vectors_find(const char *name);
