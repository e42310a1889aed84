/* SPDX-License-Identifier: Apache-2.0 */
/* Traffic as NCCL makes it: the receiver offers buffers by writing slots into the sender's memory,
 * where the sender watches for them; the data comes with an immediate that says how much it is. */
#include <endian.h>
#include <string.h>
#include <time.h>

#include "patience.h"
#include "pattern.h"
#include "verbs_world.h"

enum {
    SLOTS = 8,
    MESSAGES = 300,
    BYTES_MAX = 60000,
    DATA = 4096, /* where buffers begin, behind the slots */
};

struct slot { /* 64 bytes, one packet: the last word says that the others are there */
    uint64_t address;
    uint32_t rkey;
    uint32_t length_bytes;
    uint64_t unused[5];
    uint64_t number;
};

_Static_assert(sizeof(struct slot) == 64, "as NCCL has them");

struct traffic {
    struct verbs_world world;
    uint64_t offered;
    uint64_t sent;
    uint64_t completed;
    uint64_t received;
};

static uint32_t length_of(uint64_t number)
{
    return (uint32_t)(number * 7919 % BYTES_MAX);
}

static uint64_t buffer_of(uint64_t number)
{
    return DATA + number % SLOTS * BYTES_MAX;
}

static struct slot *slot_of(struct verbs_end *end, uint64_t number)
{
    return (struct slot *)(void *)end->end->memory + number % SLOTS;
}

static void post(struct verbs_end *end, struct ibv_send_wr *request)
{
    struct ibv_send_wr *bad;

    EXPECT_EQ(ibv_post_send(end->qp, request, &bad), 0);
}

/* One slot in eight is signalled; that frees the queue of the others. */
static void offer(struct traffic *traffic)
{
    struct verbs_end *from = &traffic->world.ends[1];
    struct verbs_end *to = &traffic->world.ends[0];
    struct slot *slot = slot_of(from, traffic->offered);
    struct ibv_sge piece = {
        .addr = (uintptr_t)slot, .length = sizeof(*slot), .lkey = from->end->mr->lkey
    };
    struct ibv_recv_wr receive = { .wr_id = traffic->offered };
    struct ibv_recv_wr *bad;

    *slot = (struct slot){ .address = (uintptr_t)from->end->memory + buffer_of(traffic->offered),
        .rkey = from->end->mr->rkey,
        .length_bytes = length_of(traffic->offered),
        .number = traffic->offered + 1 };
    EXPECT_EQ(ibv_post_recv(from->qp, &receive, &bad), 0);
    post(from, &(struct ibv_send_wr){ .sg_list = &piece,
                   .num_sge = 1,
                   .opcode = IBV_WR_RDMA_WRITE,
                   .send_flags = traffic->offered % SLOTS ? 0 : IBV_SEND_SIGNALED,
                   .wr.rdma = { .remote_addr = (uintptr_t)slot_of(to, traffic->offered),
                       .rkey = to->end->mr->rkey } });
    traffic->offered++;
}

/* If the slot is there; NCCL polls memory, nothing else tells. */
static void send_if_offered(struct traffic *traffic)
{
    struct verbs_end *from = &traffic->world.ends[0];
    struct slot *slot = slot_of(from, traffic->sent);
    uint8_t *bytes = from->end->memory + buffer_of(traffic->sent);
    struct ibv_sge piece = { .addr = (uintptr_t)bytes, .lkey = from->end->mr->lkey };

    if (__atomic_load_n(&slot->number, __ATOMIC_ACQUIRE) != traffic->sent + 1)
        return;
    EXPECT_EQ(slot->length_bytes, length_of(traffic->sent));
    pattern_fill(bytes, traffic->sent, 0, slot->length_bytes);
    piece.length = slot->length_bytes;
    post(from, &(struct ibv_send_wr){ .wr_id = traffic->sent,
                   .sg_list = &piece,
                   .num_sge = piece.length ? 1 : 0,
                   .opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
                   .send_flags = IBV_SEND_SIGNALED,
                   .imm_data = htobe32(piece.length),
                   .wr.rdma = { .remote_addr = slot->address, .rkey = slot->rkey } });
    traffic->sent++;
}

static void take(struct traffic *traffic)
{
    struct verbs_end *end = &traffic->world.ends[1];
    struct ibv_wc wc;

    while (ibv_poll_cq(end->cq, 1, &wc) == 1) {
        EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
        if (wc.opcode != IBV_WC_RECV_RDMA_WITH_IMM)
            continue;
        EXPECT_EQ(wc.wr_id, traffic->received);
        EXPECT_EQ(be32toh(wc.imm_data), length_of(traffic->received));
        EXPECT(pattern_matches(end->end->memory + buffer_of(traffic->received), traffic->received,
            0, length_of(traffic->received)));
        traffic->received++;
    }
}

SPEC("slots polled in memory and data announced by immediates work in both directions at once")
{
    static struct traffic traffic;
    int64_t end_s = patience_end_s();
    struct ibv_wc wc;

    verbs_world_open(&traffic.world);
    while (traffic.received < MESSAGES || traffic.completed < MESSAGES) {
        if (traffic.offered < MESSAGES && traffic.offered < traffic.received + SLOTS / 2)
            offer(&traffic);
        if (traffic.sent < MESSAGES && traffic.sent < traffic.completed + SLOTS / 2)
            send_if_offered(&traffic);
        take(&traffic);
        while (ibv_poll_cq(traffic.world.ends[0].cq, 1, &wc) == 1) {
            EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
            EXPECT_EQ(wc.wr_id, traffic.completed++);
        }
        EXPECT(patience_lasts(end_s));
    }
    verbs_world_close(&traffic.world);
}
