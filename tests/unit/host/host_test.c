/* SPDX-License-Identifier: Apache-2.0 */
/* Two NICs in one process: bytes that land, and bytes that must not. */
#include <errno.h>

#include "endpoint.h"
#include "host_look.h"

static const struct pair_port_config perfect;

SPEC("a write arrives in the memory of the peer and completes")
{
    struct endpoint_pair pair;
    struct host_completion completion;

    endpoint_pair_open(&pair, 1, &perfect, 1 << 20);
    endpoint_pair_connect(&pair, 0);
    endpoint_fill(pair.ends[0].memory, 100000, 1);
    EXPECT_EQ(endpoint_write(&pair.ends[0], pair.qps[0], &pair.addresses[1], 0, 100000), 0);
    EXPECT_EQ(endpoint_wait(&pair.ends[0], 1, &completion), 1);
    EXPECT_EQ(completion.status, COMPLETION_SUCCESS);
    EXPECT_EQ(completion.length_bytes, 100000);
    EXPECT_EQ(completion.qpn, host_qp_number(pair.qps[0]));
    EXPECT_MEM_EQ(endpoint_received(&pair.ends[1]), pair.ends[0].memory, 100000);
    EXPECT_EQ(pair.ends[1].memory[100000], 0);
    endpoint_pair_close(&pair);
}

SPEC("writes with every path MTU and of odd lengths arrive exactly")
{
    static const uint32_t lengths[] = { 1, 2, 3, 7, 255, 256, 257, 4095, 4096, 4097, 30001 };

    for (uint32_t pmtu = 256; pmtu <= 4096; pmtu *= 2) {
        struct endpoint_pair pair;
        struct host_completion completion;
        uint64_t offset = 3;

        endpoint_pair_open(&pair, 2, &perfect, 1 << 17);
        endpoint_pair_connect(&pair, pmtu);
        endpoint_fill(pair.ends[0].memory, 1 << 17, pmtu);
        for (uint32_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
            EXPECT_EQ(
                endpoint_write(&pair.ends[0], pair.qps[0], &pair.addresses[1], offset, lengths[i]),
                0);
            EXPECT_EQ(endpoint_wait(&pair.ends[0], 1, &completion), 1);
            EXPECT_EQ(completion.status, COMPLETION_SUCCESS);
            EXPECT_MEM_EQ(endpoint_received(&pair.ends[1]) + offset, pair.ends[0].memory + offset,
                lengths[i]);
            EXPECT_EQ(pair.ends[1].memory[offset + lengths[i]], 0);
            offset += lengths[i] + 5;
        }
        endpoint_pair_close(&pair);
    }
}

SPEC("an immediate arrives with its value, its length and the id of the receive")
{
    struct endpoint_pair pair;
    struct host_completion completion;
    struct host_piece piece;

    endpoint_pair_open(&pair, 1, &perfect, 1 << 16);
    endpoint_pair_connect(&pair, 0);
    EXPECT_EQ(host_qp_post_recv(pair.qps[1], 99), 0);
    piece = (struct host_piece){
        .address = (uintptr_t)pair.ends[0].memory, .length_bytes = 5000, .lkey = pair.ends[0].key
    };
    EXPECT_EQ(host_qp_post_send(pair.qps[0], &(struct host_send){ .remote_va = pair.addresses[1].va,
                                                 .rkey = pair.addresses[1].key,
                                                 .flags = WORK_WITH_IMMEDIATE,
                                                 .immediate = 0x01020304,
                                                 .pieces = &piece,
                                                 .piece_count = 1 }),
        0);
    EXPECT_EQ(endpoint_wait(&pair.ends[0], 1, &completion), 1);
    EXPECT_EQ(endpoint_wait(&pair.ends[1], 1, &completion), 1);
    EXPECT(completion.is_recv);
    EXPECT_EQ(completion.status, COMPLETION_SUCCESS);
    EXPECT_EQ(completion.id, 99);
    EXPECT_EQ(completion.immediate, 0x01020304);
    EXPECT_EQ(completion.length_bytes, 5000);
    endpoint_pair_close(&pair);
}

SPEC("a gather list and inline bytes arrive as one message")
{
    struct endpoint_pair pair;
    struct host_completion completion;
    struct host_piece pieces[3];
    char small[] = "inline bytes may go at once";
    uint8_t *from;

    endpoint_pair_open(&pair, 1, &perfect, 1 << 16);
    endpoint_pair_connect(&pair, 1024);
    from = pair.ends[0].memory;
    endpoint_fill(from, 20000, 5);
    pieces[0] = (struct host_piece){ (uintptr_t)from + 11, 1500, pair.ends[0].key };
    pieces[1] = (struct host_piece){ (uintptr_t)from + 5000, 0, pair.ends[0].key };
    pieces[2] = (struct host_piece){ (uintptr_t)from + 9001, 3001, pair.ends[0].key };
    EXPECT_EQ(host_qp_post_send(pair.qps[0], &(struct host_send){ .remote_va = pair.addresses[1].va,
                                                 .rkey = pair.addresses[1].key,
                                                 .pieces = pieces,
                                                 .piece_count = 3 }),
        0);
    pieces[0] = (struct host_piece){ .address = (uintptr_t)small, .length_bytes = sizeof(small) };
    EXPECT_EQ(host_qp_post_send(
                  pair.qps[0], &(struct host_send){ .remote_va = pair.addresses[1].va + 4501,
                                   .rkey = pair.addresses[1].key,
                                   .flags = HOST_SEND_INLINE,
                                   .pieces = pieces,
                                   .piece_count = 1 }),
        0);
    memset(small, 'x', sizeof(small));
    EXPECT_EQ(endpoint_wait(&pair.ends[0], 2, &completion), 2);
    EXPECT_MEM_EQ(endpoint_received(&pair.ends[1]), from + 11, 1500);
    EXPECT_MEM_EQ(endpoint_received(&pair.ends[1]) + 1500, from + 9001, 3001);
    EXPECT_STR_EQ((char *)pair.ends[1].memory + 4501, "inline bytes may go at once");
    endpoint_pair_close(&pair);
}

/* One write with a wrong right of some kind, which must fail and touch nothing. */
static void expect_refused(struct endpoint_pair *pair, uint32_t rkey, uint64_t va)
{
    struct host_piece piece = {
        .address = (uintptr_t)pair->ends[0].memory, .length_bytes = 8192, .lkey = pair->ends[0].key
    };
    struct host_completion completion;
    struct host_async event;

    endpoint_fill(pair->ends[0].memory, 8192, 9);
    EXPECT_EQ(host_qp_post_send(pair->qps[0],
                  &(struct host_send){
                      .remote_va = va, .rkey = rkey, .pieces = &piece, .piece_count = 1 }),
        0);
    EXPECT_EQ(endpoint_wait(&pair->ends[0], 1, &completion), 1);
    EXPECT_EQ(completion.status, COMPLETION_REMOTE_ACCESS);
    EXPECT_EQ(host_async_next(pair->ends[1].nic, &event), 0);
    EXPECT_EQ(event.kind, HOST_ASYNC_QP_ACCESS_ERROR);
    for (uint64_t i = 0; i < pair->ends[1].memory_bytes; i++)
        EXPECT_EQ(pair->ends[1].memory[i], 0);
}

SPEC("a wrong key writes nothing and fails the QP")
{
    struct endpoint_pair pair;

    endpoint_pair_open(&pair, 1, &perfect, 1 << 14);
    endpoint_pair_connect(&pair, 0);
    expect_refused(&pair, pair.addresses[1].key ^ 1, pair.addresses[1].va);
    endpoint_pair_close(&pair);
}

SPEC("a write that begins one byte before a region changes no byte")
{
    struct endpoint_pair pair;

    endpoint_pair_open(&pair, 1, &perfect, 1 << 14);
    endpoint_pair_connect(&pair, 0);
    expect_refused(&pair, pair.addresses[1].key, pair.addresses[1].va - 1);
    endpoint_pair_close(&pair);
}

SPEC("a write that crosses the end of a region changes no byte behind it")
{
    struct endpoint_pair pair;
    struct host_completion completion;
    struct endpoint_address peer;

    endpoint_pair_open(&pair, 1, &perfect, 1 << 15);
    endpoint_pair_connect(&pair, 0);
    endpoint_fill(pair.ends[0].memory, 1 << 15, 6);
    peer = pair.addresses[1];
    EXPECT_EQ(host_memory_register(pair.ends[1].nic,
                  &(struct host_region){ .address = pair.ends[1].memory,
                      .length_bytes = 8192 - 1,
                      .remote_va = peer.va,
                      .access = HOST_ACCESS_REMOTE_WRITE,
                      .domain = ENDPOINT_DOMAIN },
                  &peer.key),
        0);
    EXPECT_EQ(endpoint_write(&pair.ends[0], pair.qps[0], &peer, 0, 8192), 0);
    EXPECT_EQ(endpoint_wait(&pair.ends[0], 1, &completion), 1);
    EXPECT_EQ(completion.status, COMPLETION_REMOTE_ACCESS);
    for (uint32_t i = 4096; i < 1 << 15; i++)
        EXPECT_EQ(pair.ends[1].memory[i], 0);
    EXPECT_EQ(host_memory_deregister(pair.ends[1].nic, peer.key), 0);
    endpoint_pair_close(&pair);
}

SPEC("a key of another protection domain is refused")
{
    struct endpoint_pair pair;
    uint32_t key;

    endpoint_pair_open(&pair, 1, &perfect, 1 << 14);
    endpoint_pair_connect(&pair, 0);
    EXPECT_EQ(host_memory_register(pair.ends[1].nic,
                  &(struct host_region){ .address = pair.ends[1].memory,
                      .length_bytes = 1 << 14,
                      .remote_va = pair.addresses[1].va,
                      .access = HOST_ACCESS_REMOTE_WRITE,
                      .domain = ENDPOINT_DOMAIN + 1 },
                  &key),
        0);
    expect_refused(&pair, key, pair.addresses[1].va);
    EXPECT_EQ(host_memory_deregister(pair.ends[1].nic, key), 0);
    endpoint_pair_close(&pair);
}

SPEC("a key without the right to write, or deregistered, is refused")
{
    for (uint32_t deregistered = 0; deregistered < 2; deregistered++) {
        struct endpoint_pair pair;
        uint32_t key;

        endpoint_pair_open(&pair, 1, &perfect, 1 << 14);
        endpoint_pair_connect(&pair, 0);
        EXPECT_EQ(host_memory_register(pair.ends[1].nic,
                      &(struct host_region){ .address = pair.ends[1].memory,
                          .length_bytes = 1 << 14,
                          .remote_va = pair.addresses[1].va,
                          .access = deregistered ? HOST_ACCESS_REMOTE_WRITE : 0,
                          .domain = ENDPOINT_DOMAIN },
                      &key),
            0);
        if (deregistered)
            EXPECT_EQ(host_memory_deregister(pair.ends[1].nic, key), 0);
        expect_refused(&pair, key, pair.addresses[1].va);
        if (!deregistered)
            EXPECT_EQ(host_memory_deregister(pair.ends[1].nic, key), 0);
        endpoint_pair_close(&pair);
    }
}

SPEC("a QP that does not allow remote writes refuses them")
{
    struct endpoint_pair pair;

    endpoint_pair_open(&pair, 1, &perfect, 1 << 14);
    endpoint_pair_connect(&pair, 0);
    EXPECT_EQ(host_qp_allow_remote_write(pair.qps[1], false), 0);
    expect_refused(&pair, pair.addresses[1].key, pair.addresses[1].va);
    endpoint_pair_close(&pair);
}

SPEC("a wrong local key completes with a protection error, and later work is flushed")
{
    struct endpoint_pair pair;
    struct host_completion completion;
    struct host_piece piece;

    endpoint_pair_open(&pair, 1, &perfect, 1 << 14);
    endpoint_pair_connect(&pair, 0);
    piece = (struct host_piece){ (uintptr_t)pair.ends[0].memory, 100, pair.ends[0].key + 1 };
    for (uint32_t i = 0; i < 2; i++)
        EXPECT_EQ(host_qp_post_send(pair.qps[0], &(struct host_send){ .id = i,
                                                     .remote_va = pair.addresses[1].va,
                                                     .rkey = pair.addresses[1].key,
                                                     .pieces = &piece,
                                                     .piece_count = 1 }),
            0);
    EXPECT_EQ(endpoint_wait(&pair.ends[0], 1, &completion), 1);
    EXPECT_EQ(completion.id, 0);
    EXPECT_EQ(completion.status, COMPLETION_LOCAL_PROTECTION);
    EXPECT_EQ(endpoint_wait(&pair.ends[0], 1, &completion), 1);
    EXPECT_EQ(completion.id, 1);
    EXPECT_NE(completion.status, COMPLETION_SUCCESS);
    endpoint_pair_close(&pair);
}

SPEC("many QPs write at once, each to its own place, and a QP that fails does not affect others")
{
    enum { QPS = 40, BYTES = 20000 };
    struct endpoint_pair pair;
    struct host_qp *qps[2][QPS];
    struct host_completion completion;
    uint32_t failures = 0;

    endpoint_pair_open(&pair, 4, &perfect, QPS * BYTES);
    endpoint_fill(pair.ends[0].memory, QPS * BYTES, 3);
    for (uint32_t i = 0; i < QPS; i++) {
        struct endpoint_address addresses[2];

        for (uint32_t end = 0; end < 2; end++) {
            qps[end][i] = endpoint_qp(&pair.ends[end]);
            addresses[end] = endpoint_address(&pair.ends[end], qps[end][i]);
        }
        for (uint32_t end = 0; end < 2; end++)
            endpoint_connect(qps[end][i], &addresses[1 - end], 0);
        addresses[1].key ^= i == 7; /* one asks for too much */
        EXPECT_EQ(
            endpoint_write(&pair.ends[0], qps[0][i], &addresses[1], (uint64_t)i * BYTES, BYTES), 0);
    }
    for (uint32_t i = 0; i < QPS; i++) {
        EXPECT_EQ(endpoint_wait(&pair.ends[0], 1, &completion), 1);
        failures += completion.status != COMPLETION_SUCCESS;
    }
    EXPECT_EQ(failures, 1);
    memset(pair.ends[0].memory + 7 * BYTES, 0, BYTES);
    EXPECT_MEM_EQ(endpoint_received(&pair.ends[1]), pair.ends[0].memory, QPS * BYTES);
    for (uint32_t i = 0; i < QPS; i++)
        for (uint32_t end = 0; end < 2; end++)
            EXPECT_EQ(host_qp_destroy(qps[end][i]), 0);
    endpoint_pair_close(&pair);
}

SPEC("objects in use cannot be closed")
{
    struct endpoint_pair pair;

    endpoint_pair_open(&pair, 1, &perfect, 4096);
    EXPECT_EQ(host_close(pair.ends[0].nic), -EBUSY);
    EXPECT_EQ(host_cq_destroy(pair.ends[0].cq), -EBUSY);
    endpoint_pair_close(&pair);
}

/* ---- what a QP gets that asks for nothing ---------------------------------------------------- */

/* EVs in rotation of a QP on a NIC with two ports. */
static uint32_t active_evs(uint32_t uplink_count)
{
    struct host_config config;
    struct pktio_port *ends[2][2];
    struct endpoint endpoint;
    struct host_qp *qp;
    uint32_t active;

    endpoint_config(&config, 1);
    config.port_count = 2;
    config.uplink_count = uplink_count;
    for (uint32_t port = 0; port < 2; port++) {
        EXPECT_EQ(pair_port_open(&perfect, ends[port]), 0);
        config.ports[port].port = ends[port][0];
    }
    endpoint_open(&endpoint, &config, 4096);
    qp = endpoint_qp(&endpoint);
    active = host_look_active_evs(qp);
    EXPECT_EQ(host_qp_destroy(qp), 0);
    endpoint_close(&endpoint);
    for (uint32_t port = 0; port < 2; port++)
        pktio_port_close(ends[port][1]);
    return active;
}

SPEC("a QP uses all paths of its fabric, or 128 EVs where the fabric is not known")
{
    EXPECT_EQ(active_evs(200), 400);
    EXPECT_EQ(active_evs(0), 128);
}

SPEC("the range of a QP is four windows of its congestion control")
{
    struct endpoint_pair pair;
    struct qp_attributes attributes;

    endpoint_pair_open(&pair, 1, &perfect, 4096);
    EXPECT_EQ(host_qp_query(pair.qps[0], &attributes), 0);
    /* 40 Gb/s for a base RTT of 200 us and a delay of 1 ms: 1,434 packets. */
    EXPECT_GE(attributes.mpr * 128, 4 * 1400);
    EXPECT_GE(attributes.mpr_dest, attributes.mpr);
    endpoint_pair_close(&pair);
}
