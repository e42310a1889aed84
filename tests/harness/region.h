/* SPDX-License-Identifier: Apache-2.0 */
/* Registered memory under observation: how often was each byte placed, and did anything land beside
 * it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/packet.h"

/* Where no bytes are kept, placements are counted in grains of this size; writes must then begin at
 * a multiple of it, and so do packets, as every PMTU is one. */
#define REGION_GRAIN_BYTES 64

struct region {
    uint64_t va;
    uint64_t size_bytes;
    uint32_t rkey;
    bool keeps_bytes;
    uint8_t *block; /* red zone, memory, red zone; NULL unless keeps_bytes */
    uint8_t *memory;
    uint8_t *placed; /* how often, by byte or by grain */
};

enum region_verdict {
    REGION_PLACED,
    REGION_REFUSED,      /* wrong key, or not inside */
    REGION_PLACED_TWICE, /* placed, but at least one byte already was */
};

void region_init(struct region *, uint32_t rkey, uint64_t va, bool keeps_bytes);
void region_fini(struct region *);

/* At least `size_bytes` from now on. Content and counts stay. */
void region_grow(struct region *, uint64_t size_bytes);

enum region_verdict region_place(
    struct region *, uint32_t rkey, uint64_t va, const struct payload *);

/* Forgets the placements of a range, for a message to come. */
void region_expect(struct region *, uint64_t offset_bytes, uint64_t length_bytes);

/* Each byte of the range was placed exactly once since then. */
bool region_is_complete(const struct region *, uint64_t offset_bytes, uint64_t length_bytes);

/* And is what the message with this key says; true where no bytes are kept. */
bool region_matches(
    const struct region *, uint64_t offset_bytes, uint64_t length_bytes, uint64_t key);

bool region_is_intact(const struct region *); /* its red zones */
