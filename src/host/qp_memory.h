/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the QPs of a NIC, in huge pages if there are many.
 *
 * With thousands of QPs every packet finds its QP in no cache, and its pages in no TLB. A huge page
 * holds some 200 QPs, so that a few of them cover all. */
#pragma once

#include <stddef.h>

struct qp_chunk;

/* All zero: nothing is taken. */
struct qp_memory {
    struct qp_chunk *chunks; /* a list */
};

/* Returns zeroed memory, aligned to a cache line. NULL: there is none. */
void *qp_memory_take(struct qp_memory *, size_t bytes);
/* Takes back what qp_memory_take() returned; NULL is ignored. */
void qp_memory_return(struct qp_memory *, void *);
/* Frees everything that was taken. */
void qp_memory_fini(struct qp_memory *);

/* Returns zeroed memory, aligned to a cache line, in huge pages if it fills at least one. NULL:
 * there is none. */
void *qp_memory_map(size_t bytes);
void qp_memory_unmap(void *, size_t bytes);
