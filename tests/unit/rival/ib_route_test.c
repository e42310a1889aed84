/* SPDX-License-Identifier: Apache-2.0 */
/* Routes of InfiniBand: static by destination, adaptive by load. */
#include "spec.h"

#include "rival/rival.h"

static const uint64_t ports_of_four =
    UINT64_C(1) << 3 | UINT64_C(1) << 10 | UINT64_C(1) << 11 | UINT64_C(1) << 63;
static const struct ib_ports four = { .words = &ports_of_four, .word_count = 1 };

SPEC("static routes divide destinations evenly, and again in the next tier")
{
    static const uint32_t expected[4] = { 3, 10, 11, 63 };

    for (uint32_t lid = 0; lid < 32; lid++) {
        EXPECT_EQ(ib_route_static(four, lid, 0), expected[lid % 4]);
        EXPECT_EQ(ib_route_static(four, lid, 1), expected[lid / 4 % 4]);
    }
}

static uint32_t load_at(const void *context, uint32_t port)
{
    return ((const uint32_t *)context)[port];
}

SPEC("an adaptive route takes the port with the least load")
{
    uint32_t loads[64] = { [3] = 7, [10] = 5, [11] = 65536, [63] = 6 };
    struct ib_loads by_load = { .of = load_at, .context = loads };
    struct prng prng = { 0 };

    for (uint32_t i = 0; i < 20; i++)
        EXPECT_EQ(ib_route_adaptive(four, by_load, &prng), 10);
    loads[63] = 0;
    EXPECT_EQ(ib_route_adaptive(four, by_load, &prng), 63);
}

SPEC("ports with the same load are used equally often")
{
    uint32_t loads[64] = { [3] = 1, [10] = 1, [11] = 1, [63] = 1 };
    struct ib_loads by_load = { .of = load_at, .context = loads };
    struct prng prng = { 0 };
    uint32_t used[64] = { 0 };

    for (uint32_t i = 0; i < 4000; i++)
        used[ib_route_adaptive(four, by_load, &prng)]++;
    for (uint32_t port = 0; port < 64; port++)
        EXPECT(!(ports_of_four >> port & 1) || (used[port] > 900 && used[port] < 1100));
}
