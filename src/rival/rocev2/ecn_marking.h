/* SPDX-License-Identifier: Apache-2.0 */
/* ECN marking for DCQCN: by the length of the queue that a packet enters. Below Kmin no packet is
 * marked, above Kmax every one, and at Kmax the probability has grown to Pmax. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"

enum ecn_set {
#define ECN_SET(ID, name, least, most, chance, scale, meaning) ECN_SET_##ID,
#include "rival/rocev2/ecn_sets.def"
    ECN_SET_COUNT,
};
/* "nv", ...; NULL at the end. */
extern const char *const ecn_set_words[ECN_SET_COUNT + 1];

struct ecn_marking {
    uint64_t least_bytes; /* Kmin */
    uint64_t most_bytes;  /* Kmax */
    uint32_t chance;      /* Pmax, in 2^-32 */
};

/* The thresholds of ports of this rate. */
struct ecn_marking ecn_marking_of(enum ecn_set, uint64_t rate_bps);

/* Returns true if a packet is marked that enters a queue of this length. */
bool ecn_marking_marks(const struct ecn_marking *, uint64_t queue_bytes, struct prng *);
