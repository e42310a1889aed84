/* SPDX-License-Identifier: Apache-2.0 */
/* What the number of processors suggests to a NIC. */
#include "host/engine_default.h"

#include "spec.h"

enum { MIB = 1 << 20, KIB = 1 << 10 };

static struct parameters parameters_with(uint32_t engine_count, uint32_t processors)
{
    struct parameters parameters = { .max_cwnd = 0 };

    engine_default_parameters(&parameters, engine_count, processors);
    return parameters;
}

SPEC("there is one engine for every eight processors, a power of two, at most four")
{
    static const uint32_t counts[][2] = { { 1, 1 }, { 2, 1 }, { 15, 1 }, { 16, 2 }, { 31, 2 },
        { 32, 4 }, { 256, 4 } };

    for (uint32_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        EXPECT_EQ(engine_default_count(counts[i][0]), counts[i][1]);
}

SPEC(
    "a NIC with several engines, or on eight processors, has 1 MiB in flight and a SACK for 64 KiB")
{
    EXPECT_EQ(parameters_with(2, 2).max_cwnd, MIB);
    EXPECT_EQ(parameters_with(2, 2).sack_gen_threshold, 64 * KIB);
    EXPECT_EQ(parameters_with(1, 8).max_cwnd, MIB);
    EXPECT_EQ(parameters_with(1, 8).sack_gen_threshold, 64 * KIB);
}

SPEC("one engine on few processors keeps the defaults of the transport")
{
    EXPECT_EQ(parameters_with(1, 7).max_cwnd, 0);
    EXPECT_EQ(parameters_with(1, 7).sack_gen_threshold, 0);
}

SPEC("configured values are kept")
{
    struct parameters parameters = { .max_cwnd = 7 * MIB, .sack_gen_threshold = 8 * KIB };

    engine_default_parameters(&parameters, 4, 64);
    EXPECT_EQ(parameters.max_cwnd, 7 * MIB);
    EXPECT_EQ(parameters.sack_gen_threshold, 8 * KIB);
}
