/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the values of verbs, and rates as numbers. */
#include <stddef.h>

#include "verbs/verbs_device.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char *word(const char *const *words, size_t count, unsigned int value)
{
    return value < count && words[value] ? words[value] : "unknown";
}

const char *ibv_wc_status_str(enum ibv_wc_status status)
{
    static const char *const words[] = {
        [IBV_WC_SUCCESS] = "success",
        [IBV_WC_LOC_LEN_ERR] = "local length error",
        [IBV_WC_LOC_QP_OP_ERR] = "local QP operation error",
        [IBV_WC_LOC_EEC_OP_ERR] = "local EE context operation error",
        [IBV_WC_LOC_PROT_ERR] = "local protection error",
        [IBV_WC_WR_FLUSH_ERR] = "work request flushed",
        [IBV_WC_MW_BIND_ERR] = "memory window bind error",
        [IBV_WC_BAD_RESP_ERR] = "bad response",
        [IBV_WC_LOC_ACCESS_ERR] = "local access error",
        [IBV_WC_REM_INV_REQ_ERR] = "remote invalid request error",
        [IBV_WC_REM_ACCESS_ERR] = "remote access error",
        [IBV_WC_REM_OP_ERR] = "remote operation error",
        [IBV_WC_RETRY_EXC_ERR] = "retries exceeded: the peer does not answer",
        [IBV_WC_RNR_RETRY_EXC_ERR] = "retries exceeded: the receiver is not ready",
        [IBV_WC_LOC_RDD_VIOL_ERR] = "local RDD violation",
        [IBV_WC_REM_INV_RD_REQ_ERR] = "remote invalid RD request",
        [IBV_WC_REM_ABORT_ERR] = "aborted by the peer",
        [IBV_WC_INV_EECN_ERR] = "invalid EE context number",
        [IBV_WC_INV_EEC_STATE_ERR] = "invalid EE context state",
        [IBV_WC_FATAL_ERR] = "fatal error",
        [IBV_WC_RESP_TIMEOUT_ERR] = "response timed out",
        [IBV_WC_GENERAL_ERR] = "general error",
        [IBV_WC_TM_ERR] = "tag matching error",
        [IBV_WC_TM_RNDV_INCOMPLETE] = "tag matching rendezvous incomplete",
    };

    return word(words, COUNT(words), status);
}

const char *ibv_event_type_str(enum ibv_event_type event)
{
    static const char *const words[] = {
        [IBV_EVENT_CQ_ERR] = "CQ error",
        [IBV_EVENT_QP_FATAL] = "QP error",
        [IBV_EVENT_QP_REQ_ERR] = "QP: invalid request of the peer",
        [IBV_EVENT_QP_ACCESS_ERR] = "QP: access violation by the peer",
        [IBV_EVENT_COMM_EST] = "communication established",
        [IBV_EVENT_SQ_DRAINED] = "send queue drained",
        [IBV_EVENT_PATH_MIG] = "path migrated",
        [IBV_EVENT_PATH_MIG_ERR] = "path migration failed",
        [IBV_EVENT_DEVICE_FATAL] = "device error",
        [IBV_EVENT_PORT_ACTIVE] = "port active",
        [IBV_EVENT_PORT_ERR] = "port down",
        [IBV_EVENT_LID_CHANGE] = "LID changed",
        [IBV_EVENT_PKEY_CHANGE] = "P_Key table changed",
        [IBV_EVENT_SM_CHANGE] = "subnet manager changed",
        [IBV_EVENT_SRQ_ERR] = "SRQ error",
        [IBV_EVENT_SRQ_LIMIT_REACHED] = "SRQ limit reached",
        [IBV_EVENT_QP_LAST_WQE_REACHED] = "QP: last work request reached",
        [IBV_EVENT_CLIENT_REREGISTER] = "subnet manager asks clients to register again",
        [IBV_EVENT_GID_CHANGE] = "GID table changed",
        [IBV_EVENT_WQ_FATAL] = "WQ error",
    };

    return word(words, COUNT(words), event);
}

const char *ibv_node_type_str(enum ibv_node_type node_type)
{
    static const char *const words[] = {
        [IBV_NODE_CA] = "InfiniBand channel adapter",
        [IBV_NODE_SWITCH] = "InfiniBand switch",
        [IBV_NODE_ROUTER] = "InfiniBand router",
        [IBV_NODE_RNIC] = "iWARP NIC",
        [IBV_NODE_USNIC] = "usNIC",
        [IBV_NODE_USNIC_UDP] = "usNIC UDP",
        [IBV_NODE_UNSPECIFIED] = "unspecified",
    };

    return word(words, COUNT(words), (unsigned int)node_type);
}

const char *ibv_port_state_str(enum ibv_port_state port_state)
{
    static const char *const words[] = {
        [IBV_PORT_NOP] = "no state change (NOP)",
        [IBV_PORT_DOWN] = "down",
        [IBV_PORT_INIT] = "init",
        [IBV_PORT_ARMED] = "armed",
        [IBV_PORT_ACTIVE] = "active",
        [IBV_PORT_ACTIVE_DEFER] = "active defer",
    };

    return word(words, COUNT(words), port_state);
}

/* ---- rates ----------------------------------------------------------------------------------- */

static const struct {
    enum ibv_rate rate;
    int multiple; /* of 2.5 Gb/s; 0 if none */
    int mbps;
} rates[] = {
    { IBV_RATE_2_5_GBPS, 1, 2500 },
    { IBV_RATE_5_GBPS, 2, 5000 },
    { IBV_RATE_10_GBPS, 4, 10000 },
    { IBV_RATE_14_GBPS, 0, 14062 },
    { IBV_RATE_20_GBPS, 8, 20000 },
    { IBV_RATE_25_GBPS, 0, 25781 },
    { IBV_RATE_28_GBPS, 0, 28125 },
    { IBV_RATE_30_GBPS, 12, 30000 },
    { IBV_RATE_40_GBPS, 16, 40000 },
    { IBV_RATE_50_GBPS, 20, 53125 },
    { IBV_RATE_56_GBPS, 0, 56250 },
    { IBV_RATE_60_GBPS, 24, 60000 },
    { IBV_RATE_80_GBPS, 32, 80000 },
    { IBV_RATE_100_GBPS, 0, 103125 },
    { IBV_RATE_112_GBPS, 0, 112500 },
    { IBV_RATE_120_GBPS, 48, 120000 },
    { IBV_RATE_168_GBPS, 0, 168750 },
    { IBV_RATE_200_GBPS, 0, 206250 },
    { IBV_RATE_300_GBPS, 0, 309375 },
    { IBV_RATE_400_GBPS, 160, 425000 },
    { IBV_RATE_600_GBPS, 240, 637500 },
    { IBV_RATE_800_GBPS, 320, 850000 },
    { IBV_RATE_1200_GBPS, 480, 1275000 },
};

int ibv_rate_to_mult(enum ibv_rate rate)
{
    for (size_t i = 0; i < COUNT(rates); i++)
        if (rates[i].rate == rate && rates[i].multiple)
            return rates[i].multiple;
    return -1;
}

enum ibv_rate mult_to_ibv_rate(int mult)
{
    for (size_t i = 0; i < COUNT(rates); i++)
        if (rates[i].multiple == mult && mult)
            return rates[i].rate;
    return IBV_RATE_MAX;
}

int ibv_rate_to_mbps(enum ibv_rate rate)
{
    for (size_t i = 0; i < COUNT(rates); i++)
        if (rates[i].rate == rate)
            return rates[i].mbps;
    return -1;
}

enum ibv_rate mbps_to_ibv_rate(int mbps)
{
    for (size_t i = 0; i < COUNT(rates); i++)
        if (rates[i].mbps == mbps)
            return rates[i].rate;
    return IBV_RATE_MAX;
}
