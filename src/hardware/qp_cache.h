/* SPDX-License-Identifier: Apache-2.0 */
/* Which QPs of a NIC have their state on the chip. The QP that was used longest ago makes room. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Neighbours in the list of the QPs on the chip. */
struct qp_cache_link {
    uint32_t newer;
    uint32_t older;
    bool is_on_chip;
};

struct qp_cache {
    struct qp_cache_link *links; /* by QP; NULL: all QPs fit */
    uint32_t qp_count;
    uint32_t newest;
    uint32_t oldest;
    uint64_t misses;
};

/* QPs are numbers below `qp_count`. At first the first `room` of them are on the chip. `links`: one
 * for each QP, which the cache keeps; unused if all QPs fit. */
void qp_cache_init(
    struct qp_cache *, struct qp_cache_link *links, uint32_t qp_count, uint32_t room);

/* Uses a QP. Returns false if its state had to be fetched; it then replaces another. */
bool qp_cache_use(struct qp_cache *, uint32_t qp);
