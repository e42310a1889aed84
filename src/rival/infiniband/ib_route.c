/* SPDX-License-Identifier: Apache-2.0 */
/* Static and adaptive choice of a port. */
#include "rival/infiniband/ib_route.h"

#include "base/bits.h"
#include "rival/routing/ecmp.h"

/* The port with the least load so far. */
struct best {
    uint32_t port;
    uint32_t load;
};

uint32_t ib_route_static(struct ib_ports ports, uint32_t lid, uint32_t tier)
{
    uint32_t count = ecmp_group_size(ports.words, ports.word_count);

    for (uint32_t i = 0; count > 0 && i < tier; i++)
        lid /= count;
    return count > 0 ? ecmp_group_member(ports.words, lid % count) : ECMP_NO_PORT;
}

/* Looks at the ports of a word, and remembers the best. Returns true if it has no load. */
static bool try_ports(
    const struct ib_loads *loads, uint64_t word, uint32_t first, struct best *best)
{
    for (; word != 0; word &= word - 1) {
        uint32_t port = first + bits_lowest(word);
        uint32_t load = loads->of(loads->context, port);

        if (load < best->load)
            *best = (struct best){ .port = port, .load = load };
        if (load == 0)
            return true;
    }
    return false;
}

uint32_t ib_route_adaptive(struct ib_ports ports, const struct ib_loads *loads, struct prng *prng)
{
    uint32_t count = ecmp_group_size(ports.words, ports.word_count);
    struct best best = { .port = ECMP_NO_PORT, .load = UINT32_MAX };
    uint64_t from_start;
    uint32_t start;

    if (count <= 1)
        return count == 1 ? ecmp_group_member(ports.words, 0) : ECMP_NO_PORT;
    start = ecmp_group_member(ports.words, prng_below(prng, count));
    from_start = UINT64_MAX << start % 64;
    if (try_ports(loads, ports.words[start / 64] & from_start, start / 64 * 64, &best))
        return best.port;
    for (uint32_t i = 1; i <= ports.word_count; i++) {
        uint32_t w = (start / 64 + i) % ports.word_count;

        if (try_ports(loads, ports.words[w] & (w == start / 64 ? ~from_start : UINT64_MAX), w * 64,
                &best))
            break;
    }
    return best.port;
}
