/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric as it is emulated. */
#include <stdlib.h>

#include "lab/soft_state.h"
#include "spec.h"

static void scale(
    struct soft *soft, struct fabric *fabric, struct fabric_config *config, uint32_t slower)
{
    struct fabric_problem problem;

    EXPECT(fabric_init(fabric, config, NULL, &problem));
    soft->config.fabric = fabric;
    soft->config.slower = slower;
    EXPECT_EQ(soft_scale(soft), 0);
    free(soft->exceptions);
}

SPEC("ten times slower: rates are a tenth, delays ten times as long")
{
    struct fabric_config config;
    struct fabric fabric;
    struct soft soft = { 0 };

    fabric_config_init(&config);
    scale(&soft, &fabric, &config, 10);
    EXPECT(soft.fabric.config.host_link.rate_bps == fabric.config.host_link.rate_bps / 10);
    EXPECT(soft.fabric.config.uplink.delay_ps == fabric.config.uplink.delay_ps * 10);
    EXPECT(soft.fabric.config.switch_latency_ps == fabric.config.switch_latency_ps * 10);
}

SPEC("queues that the file leaves open are made for software")
{
    struct fabric_config config;
    struct fabric fabric;
    struct soft soft = { 0 };

    fabric_config_init(&config);
    scale(&soft, &fabric, &config, 1);
    EXPECT_EQ(soft.fabric.config.buffers.data_bytes, 2500000); /* 100 Gb/s for 200 us */
    EXPECT_EQ(soft.fabric.config.buffers.host_data_bytes, 3750000);
}

SPEC("queues that the file gives stay as they are")
{
    struct fabric_config config;
    struct fabric fabric;
    struct soft soft = { 0 };

    fabric_config_init(&config);
    config.buffers.data_bytes = 65536;
    scale(&soft, &fabric, &config, 1);
    EXPECT_EQ(soft.fabric.config.buffers.data_bytes, 65536);
    EXPECT_EQ(soft.fabric.config.buffers.host_data_bytes, 3750000);
}

SPEC("without pace every link has the highest rate, and missing ones stay missing")
{
    struct fabric_exception exceptions[] = {
        { .link = { .kind = FABRIC_HOST_LINK, .nic = 1 }, .rate_bps = 1000000000 },
        { .link = { .kind = FABRIC_UPLINK, .t0 = 2, .t1 = 1 }, .missing = true },
    };
    struct fabric_link_kind kind;
    struct fabric_element link;
    struct fabric_config config;
    struct fabric fabric;
    struct soft soft = { .config.is_unpaced = true };
    struct fabric_problem problem;
    struct fabric_exception sorted[2];

    fabric_config_init(&config);
    config.exceptions = exceptions;
    config.exception_count = 2;
    EXPECT(fabric_init(&fabric, &config, sorted, &problem));
    soft.config.fabric = &fabric;
    soft.config.slower = 1;
    EXPECT_EQ(soft_scale(&soft), 0);
    EXPECT(fabric_link_at(
        &soft.fabric, (struct fabric_end){ .is_nic = true, .node = 1 }, &link, &kind));
    EXPECT(kind.rate_bps == UINT64_C(8000000000000));
    EXPECT(!fabric_link_at(
        &soft.fabric, (struct fabric_end){ .node = 2, .port = 8 + 1 }, &link, &kind));
    EXPECT_EQ(soft.fabric.config.buffers.data_bytes, 2500000);
    free(soft.exceptions);
}
