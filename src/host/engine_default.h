/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults that a NIC on a soft fabric derives from the number of processors: engines, windows,
 * SACKs. */
#pragma once

#include <stdint.h>

#include "host/host.h"

enum {
    ENGINE_DEFAULT_PROCESSORS = 8, /* per engine: other NICs and their fabric need processors too */
    ENGINE_DEFAULT_WINDOW_BYTES = 1 << 20,
    ENGINE_DEFAULT_SACK_BYTES = 1 << 16,
};

/* Returns a power of two. */
static inline uint32_t engine_default_count(uint32_t processors)
{
    uint32_t count = 1;

    while (2 * count * ENGINE_DEFAULT_PROCESSORS <= processors && count < HOST_ENGINE_COUNT_MAX)
        count *= 2;
    return count;
}

/* If each engine has a processor, a packet and its answer take tens of microseconds. Windows sized
 * for the round trips of a shared machine would only fill rings and queues, and evict their
 * contents from the caches before they are read. At every switch a SACK costs as much as a short
 * packet, so a few per window are enough. If processes share processors, large windows and frequent
 * SACKs keep all of them busy. */
static inline void engine_default_parameters(
    struct parameters *parameters, uint32_t engine_count, uint32_t processors)
{
    if (engine_count == 1 && processors < ENGINE_DEFAULT_PROCESSORS)
        return;
    if (parameters->max_cwnd == 0)
        parameters->max_cwnd = ENGINE_DEFAULT_WINDOW_BYTES;
    if (parameters->sack_gen_threshold == 0)
        parameters->sack_gen_threshold = ENGINE_DEFAULT_SACK_BYTES;
}
