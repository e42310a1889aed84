/* SPDX-License-Identifier: Apache-2.0 */
/* What the number of processors suggests to a NIC on a soft fabric: engines, and how much is in
 * flight. */
#pragma once

#include <stdint.h>

#include "host/host.h"

enum {
    ENGINE_DEFAULT_PROCESSORS = 8, /* for one engine: other NICs need some, and their fabric */
    ENGINE_DEFAULT_WINDOW_BYTES = 1 << 20,
    ENGINE_DEFAULT_SACK_BYTES = 1 << 16,
};

/* A power of two. */
static inline uint32_t engine_default_count(uint32_t processors)
{
    uint32_t count = 1;

    while (2 * count * ENGINE_DEFAULT_PROCESSORS <= processors && count < HOST_ENGINE_COUNT_MAX)
        count *= 2;
    return count;
}

/* Where each engine has a processor, a packet and its answer take tens of microseconds. Windows for
 * the round trips of a machine that is shared would only fill rings and queues, and push what is in
 * them out of the caches before it is read. A SACK costs as much as a short packet at every switch:
 * a few in a window are enough. Where processes share processors, large windows and frequent SACKs
 * keep all of them at work. */
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
