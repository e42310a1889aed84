/* SPDX-License-Identifier: Apache-2.0 */
/* A real NIC with one region and one completion queue, as tests need it: header only, so that only
 * the tests that want it link with the host. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "host/host.h"
#include "pair_port.h"
#include "patience.h"
#include "pktio/pktio.h"
#include "spec.h"

#define ENDPOINT_DOMAIN 7

struct endpoint {
    struct host_nic *nic;
    struct ipv6_addr address;
    struct wire_format format;
    struct host_cq *cq;
    uint8_t *memory;
    uint64_t memory_bytes;
    uint32_t key;
};

/* Sent between processes as it is, so it has no padding. */
struct endpoint_address {
    struct ipv6_addr address;
    uint64_t va;
    uint32_t qpn;
    uint32_t key;
};

static inline struct ipv6_addr endpoint_ip(uint8_t number)
{
    return (struct ipv6_addr){ .octets = { 0x20, 0x01, 0x0d, 0xb8, [7] = number, [15] = 1 } };
}

static inline void endpoint_config(struct host_config *config, uint8_t number)
{
    host_config_init(config);
    config->address = endpoint_ip(number);
    config->seed = number;
    config->parameters.link_bps = UINT64_C(40000000000);
    config->parameters.timeout = 12;
    config->parameters.retry_exponential = 25; /* without end: the machine may be busy */
}

static inline void endpoint_open(
    struct endpoint *endpoint, const struct host_config *config, uint64_t memory_bytes)
{
    int err = host_open(config, &endpoint->nic);

    EXPECT_EQ(err, 0);
    endpoint->address = config->address;
    endpoint->format = config->format;
    endpoint->memory_bytes = memory_bytes;
    endpoint->memory = calloc(1, memory_bytes);
    EXPECT(endpoint->memory);
    EXPECT_EQ(host_cq_create(endpoint->nic, 4096, NULL, endpoint, &endpoint->cq), 0);
    EXPECT_EQ(host_memory_register(endpoint->nic,
                  &(struct host_region){ .address = endpoint->memory,
                      .length_bytes = memory_bytes,
                      .remote_va = (uintptr_t)endpoint->memory,
                      .access = HOST_ACCESS_LOCAL_WRITE | HOST_ACCESS_REMOTE_WRITE,
                      .domain = ENDPOINT_DOMAIN },
                  &endpoint->key),
        0);
}

/* QPs must be gone. */
static inline void endpoint_close(struct endpoint *endpoint)
{
    EXPECT_EQ(host_cq_destroy(endpoint->cq), 0);
    EXPECT_EQ(host_memory_deregister(endpoint->nic, endpoint->key), 0);
    EXPECT_EQ(host_close(endpoint->nic), 0);
    free(endpoint->memory);
}

static inline struct host_qp *endpoint_qp(struct endpoint *endpoint)
{
    struct host_qp *qp = NULL;

    EXPECT_EQ(host_qp_create(endpoint->nic,
                  &(struct host_qp_config){ .send_cq = endpoint->cq,
                      .recv_cq = endpoint->cq,
                      .user = endpoint,
                      .domain = ENDPOINT_DOMAIN,
                      .send_depth = 128,
                      .recv_depth = 128,
                      .pieces_max = 4,
                      .inline_bytes_max = 64,
                      .signal_all = true },
                  &qp),
        0);
    return qp;
}

static inline struct endpoint_address endpoint_address(
    const struct endpoint *endpoint, const struct host_qp *qp)
{
    return (struct endpoint_address){ .address = endpoint->address,
        .qpn = host_qp_number(qp),
        .va = (uintptr_t)endpoint->memory,
        .key = endpoint->key };
}

/* The memory of an end that others write to: what they wrote before their completions. Owning the
 * engine once puts its stores before our loads, for ThreadSanitizer too, which does not see the
 * order of frames that pass through the kernel. */
static inline const uint8_t *endpoint_received(const struct endpoint *endpoint)
{
    struct host_port_state state;

    EXPECT_EQ(host_port_query(endpoint->nic, 0, &state), 0);
    return endpoint->memory;
}

/* RESET to RTS. */
static inline void endpoint_connect(
    struct host_qp *qp, const struct endpoint_address *peer, uint32_t pmtu_bytes)
{
    struct qp_attributes attributes = { .state = QP_INIT,
        .peer_address = peer->address,
        .peer_qpn = peer->qpn,
        .peer_ports = 0xffff,
        .pmtu_bytes = pmtu_bytes,
        .rq_psn = psn(4711),
        .sq_psn = psn(4711) };

    EXPECT_EQ(host_qp_modify(qp, &attributes, QP_ATTR_STATE), 0);
    attributes.state = QP_RTR;
    EXPECT_EQ(host_qp_modify(qp, &attributes,
                  QP_ATTR_STATE | QP_ATTR_PEER | QP_ATTR_RQ_PSN |
                      (pmtu_bytes ? (uint32_t)QP_ATTR_PMTU : 0)),
        0);
    attributes.state = QP_RTS;
    EXPECT_EQ(host_qp_modify(qp, &attributes, QP_ATTR_STATE | QP_ATTR_SQ_PSN), 0);
}

static inline int endpoint_write(struct endpoint *endpoint, struct host_qp *qp,
    const struct endpoint_address *peer, uint64_t offset, uint32_t length_bytes)
{
    struct host_piece piece = { .address = (uintptr_t)endpoint->memory + offset,
        .length_bytes = length_bytes,
        .lkey = endpoint->key };
    int err = host_qp_post_send(qp, &(struct host_send){ .id = offset,
                                        .remote_va = peer->va + offset,
                                        .rkey = peer->key,
                                        .flags = WORK_SIGNALED,
                                        .pieces = &piece,
                                        .piece_count = 1 });

    host_kick(endpoint->nic);
    return err;
}

/* Polls until `count` completions came or patience ends; returns how many came. The last is left in
 * *out. */
static inline uint32_t endpoint_wait(
    struct endpoint *endpoint, uint32_t count, struct host_completion *out)
{
    int64_t end_s = patience_end_s();
    uint32_t came = 0;

    while (came < count && patience_lasts(end_s))
        if (host_cq_poll(endpoint->cq, out, 1) == 1)
            came++;
    return came;
}

static inline void endpoint_fill(uint8_t *bytes, uint64_t length_bytes, uint64_t seed)
{
    struct prng prng = { .state = seed };

    for (uint64_t i = 0; i < length_bytes; i++)
        bytes[i] = (uint8_t)prng_next(&prng);
}

/* Two in this process, joined by a pair of ports for each plane. */
struct endpoint_pair {
    struct endpoint ends[2];
    struct pktio_port *ports[2][HOST_PORT_COUNT_MAX];
    struct host_qp *qps[2];
    struct endpoint_address addresses[2];
};

static inline void endpoint_pair_open_as(struct endpoint_pair *pair, uint32_t port_count,
    const struct pair_port_config *port_config, uint64_t memory_bytes, bool without_progress)
{
    struct host_config configs[2];

    for (uint8_t end = 0; end < 2; end++) {
        endpoint_config(&configs[end], (uint8_t)(end + 1));
        configs[end].port_count = port_count;
        configs[end].without_progress = without_progress;
    }
    for (uint32_t port = 0; port < port_count; port++) {
        struct pair_port_config config = *port_config;
        struct pktio_port *ends[2];

        config.seed += port;
        EXPECT_EQ(pair_port_open(&config, ends), 0);
        for (uint32_t end = 0; end < 2; end++)
            configs[end].ports[port].port = pair->ports[end][port] = ends[end];
    }
    for (uint32_t end = 0; end < 2; end++) {
        endpoint_open(&pair->ends[end], &configs[end], memory_bytes);
        pair->qps[end] = endpoint_qp(&pair->ends[end]);
        pair->addresses[end] = endpoint_address(&pair->ends[end], pair->qps[end]);
    }
}

static inline void endpoint_pair_open(struct endpoint_pair *pair, uint32_t port_count,
    const struct pair_port_config *port_config, uint64_t memory_bytes)
{
    endpoint_pair_open_as(pair, port_count, port_config, memory_bytes, false);
}

/* Without threads: nothing moves but in calls. */
static inline void endpoint_pair_open_alone(struct endpoint_pair *pair, uint32_t port_count,
    const struct pair_port_config *port_config, uint64_t memory_bytes)
{
    endpoint_pair_open_as(pair, port_count, port_config, memory_bytes, true);
}

static inline void endpoint_pair_connect(struct endpoint_pair *pair, uint32_t pmtu_bytes)
{
    endpoint_connect(pair->qps[0], &pair->addresses[1], pmtu_bytes);
    endpoint_connect(pair->qps[1], &pair->addresses[0], pmtu_bytes);
}

static inline void endpoint_pair_close(struct endpoint_pair *pair)
{
    for (uint32_t end = 0; end < 2; end++)
        EXPECT_EQ(host_qp_destroy(pair->qps[end]), 0);
    for (uint32_t end = 0; end < 2; end++)
        endpoint_close(&pair->ends[end]);
}
