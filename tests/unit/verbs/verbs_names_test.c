/* SPDX-License-Identifier: Apache-2.0 */
/* Tests verbs/names.c: words for values of verbs, and rates as numbers. */
#include <infiniband/verbs.h>

#include "spec.h"

SPEC("every status of a completion has a unique word")
{
    for (int i = 0; i <= IBV_WC_TM_RNDV_INCOMPLETE; i++) {
        EXPECT(ibv_wc_status_str((enum ibv_wc_status)i)[0] != 'u');
        for (int k = 0; k < i; k++)
            EXPECT(ibv_wc_status_str((enum ibv_wc_status)i) !=
                   ibv_wc_status_str((enum ibv_wc_status)k));
    }
    EXPECT_STR_EQ(ibv_wc_status_str(IBV_WC_SUCCESS), "success");
    EXPECT_STR_EQ(ibv_wc_status_str(IBV_WC_REM_ACCESS_ERR), "remote access error");
}

SPEC("events, states of ports and kinds of nodes have words")
{
    EXPECT_STR_EQ(ibv_event_type_str(IBV_EVENT_PORT_ERR), "port down");
    EXPECT_STR_EQ(ibv_event_type_str(IBV_EVENT_CQ_ERR), "CQ error");
    EXPECT_STR_EQ(ibv_port_state_str(IBV_PORT_ACTIVE), "active");
    EXPECT_STR_EQ(ibv_port_state_str(IBV_PORT_DOWN), "down");
    EXPECT_STR_EQ(ibv_node_type_str(IBV_NODE_CA), "InfiniBand channel adapter");
}

SPEC("a value without a word is unknown")
{
    EXPECT_STR_EQ(ibv_wc_status_str((enum ibv_wc_status)1000), "unknown");
    EXPECT_STR_EQ(ibv_event_type_str((enum ibv_event_type)1000), "unknown");
    EXPECT_STR_EQ(ibv_port_state_str((enum ibv_port_state)1000), "unknown");
    EXPECT_STR_EQ(ibv_node_type_str((enum ibv_node_type)0), "unknown");
    EXPECT_STR_EQ(ibv_node_type_str((enum ibv_node_type) - 2), "unknown");
}

SPEC("rates convert to Mb/s and to multiples of 2.5 Gb/s and back")
{
    EXPECT_EQ(ibv_rate_to_mbps(IBV_RATE_100_GBPS), 103125);
    EXPECT_EQ(mbps_to_ibv_rate(425000), IBV_RATE_400_GBPS);
    EXPECT_EQ(ibv_rate_to_mult(IBV_RATE_10_GBPS), 4);
    EXPECT_EQ(mult_to_ibv_rate(320), IBV_RATE_800_GBPS);
    for (int rate = IBV_RATE_2_5_GBPS; rate <= IBV_RATE_1200_GBPS; rate++) {
        int mbps = ibv_rate_to_mbps((enum ibv_rate)rate);
        int multiple = ibv_rate_to_mult((enum ibv_rate)rate);

        EXPECT_EQ(mbps_to_ibv_rate(mbps), rate);
        if (multiple > 0)
            EXPECT_EQ(mult_to_ibv_rate(multiple), rate);
    }
}

SPEC("a rate without a number, and a number without a rate, are refused")
{
    EXPECT_EQ(ibv_rate_to_mult(IBV_RATE_100_GBPS), -1);
    EXPECT_EQ(ibv_rate_to_mbps(IBV_RATE_MAX), -1);
    EXPECT_EQ(mult_to_ibv_rate(0), IBV_RATE_MAX);
    EXPECT_EQ(mult_to_ibv_rate(7), IBV_RATE_MAX);
    EXPECT_EQ(mbps_to_ibv_rate(1), IBV_RATE_MAX);
}
