/* SPDX-License-Identifier: Apache-2.0 */
/* The port by which a packet leaves, of those that begin a shortest path: by its destination, or
 * the least loaded one. */
#pragma once

#include <stdint.h>

#include "base/bits.h"
#include "base/prng.h"
#include "rival/routing/ecmp.h"

/* Ports of a switch, as a bitmap. */
struct ib_ports {
    const uint64_t *words;
    uint32_t word_count;
};

/* Static routing: the destination LID modulo the number of ports. A switch of a higher tier uses
 * the quotient, so that packets that were divided below are divided again. Returns ECMP_NO_PORT if
 * there is no port. */
uint32_t ib_route_static(struct ib_ports, uint32_t lid, uint32_t tier);

/* The load of a port, for a packet: 0 is none. */
struct ib_loads {
    uint32_t (*of)(const void *context, uint32_t port);
    const void *context;
};

/* The port with the least load so far. */
struct ib_route_best {
    uint32_t port;
    uint32_t load;
};

/* Looks at the ports of a word, and remembers the best. Returns true if it has no load. */
static inline bool ib_route_try(
    struct ib_loads loads, uint64_t word, uint32_t first, struct ib_route_best *best)
{
    for (; word != 0; word &= word - 1) {
        uint32_t port = first + bits_lowest(word);
        uint32_t load = loads.of(loads.context, port);

        if (load < best->load)
            *best = (struct ib_route_best){ .port = port, .load = load };
        if (load == 0)
            return true;
    }
    return false;
}

/* Adaptive routing: the port with the least load; of several, the first from a random one on.
 * Inlined, so that the load of a port costs no call: a packet looks at many ports. */
static inline uint32_t ib_route_adaptive(
    struct ib_ports ports, struct ib_loads loads, struct prng *prng)
{
    uint32_t count = ecmp_group_size(ports.words, ports.word_count);
    struct ib_route_best best = { .port = ECMP_NO_PORT, .load = UINT32_MAX };
    uint32_t start = count > 0
                         ? ecmp_group_member(ports.words, count > 1 ? prng_below(prng, count) : 0)
                         : ECMP_NO_PORT;
    uint64_t before_start = ~(UINT64_MAX << start % 64);
    uint32_t w = start / 64;

    if (count <= 1)
        return start;
    if (ib_route_try(loads, ports.words[w] & ~before_start, w * 64, &best))
        return best.port;
    /* The other words, and at last the ports before the first one. */
    for (uint32_t i = 1; i <= ports.word_count; i++) {
        w = w + 1 < ports.word_count ? w + 1 : 0;
        if (ib_route_try(loads, ports.words[w] & (i < ports.word_count ? UINT64_MAX : before_start),
                w * 64, &best))
            break;
    }
    return best.port;
}
