/* SPDX-License-Identifier: Apache-2.0 */
/* The golden and the negative vectors of tests/vectors, adapted to the device: addresses, QP, PSN
 * and keys are replaced, and the iCRC is computed again unless it is what is wrong. */
#pragma once

#include "conform/endpoint_bench.h"

#define ENDPOINT_VECTOR_BYTES_MAX 256

extern const char endpoint_vector_golden[];
extern const char endpoint_vector_negative[];

struct endpoint_vector {
    char name[32];
    uint8_t bytes[ENDPOINT_VECTOR_BYTES_MAX];
    uint32_t length;
    char verdict[24]; /* of a negative vector: the reason to drop it, or "none" */
    char base[32];    /* the golden vector from which it was made */
};

/* What replaces the values of the vector. */
struct endpoint_vector_terms {
    uint32_t qpn;
    uint32_t psn;
    uint32_t msn; /* of a message; of an ACK: messages done */
    uint64_t va;
    uint32_t rkey;
    uint32_t rqmsn;
};

/* Sends adapted bytes by port 0, with the outer header that the port needs. */
void endpoint_vector_send(
    struct endpoint_bench *, const struct endpoint_vector *, const uint8_t *bytes, uint32_t length);

/* Reads the next vector of a list and moves the list behind it. */
bool endpoint_vector_next(const char **list, struct endpoint_vector *);

/* Finds a golden vector. */
bool endpoint_vector_find(const char *name, struct endpoint_vector *);

/* Adapts it. Returns the length; 0: the vector is IPv4, which the kit does not speak. */
uint32_t endpoint_vector_adapt(const struct endpoint_bench *, const struct endpoint_vector *,
    const struct endpoint_vector_terms *, uint8_t bytes[static ENDPOINT_VECTOR_BYTES_MAX]);
