/* SPDX-License-Identifier: Apache-2.0 */
/* Many QPs on one NIC: found by number, by peer, in turn, however their numbers collide. */
#include "by_hand.h"
#include "spec.h"

#include <errno.h>
#include <stdlib.h>

#include "base/prng.h"

enum {
    QPS_MAX = 16,
    TABLE_SLOTS = 32, /* twice as many as QPs */
};

static struct by_hand nic;

static void open_nic(void)
{
    by_hand_prepare(&nic);
    nic.config.qp_count_max = QPS_MAX;
    nic.config.parameters.send_quantum = 1;
    by_hand_open(&nic);
}

/* A QP number that falls into `slot` of the table; different for each `turn`. */
static uint32_t qpn_in_slot(uint32_t slot, uint32_t turn)
{
    return 3 * TABLE_SLOTS + slot + turn * TABLE_SLOTS;
}

static uint64_t placements(uint32_t qpn)
{
    struct packet packet = by_hand_write(&nic, qpn, OPCODE_WRITE_ONLY, psn(BY_HAND_RQ_PSN), 8);
    uint32_t before = nic.placed_count;

    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    EXPECT_EQ(nic.placed.qpn, qpn);
    return nic.placed_count - before;
}

SPEC("QPs whose numbers fall into one slot of the table are all found")
{
    open_nic();
    for (uint32_t i = 0; i < QPS_MAX; i++)
        by_hand_connect(&nic, qpn_in_slot(TABLE_SLOTS - 3, i));
    for (uint32_t i = 0; i < QPS_MAX; i++)
        EXPECT_EQ(placements(qpn_in_slot(TABLE_SLOTS - 3, i)), 1);
    EXPECT_EQ(by_hand_create(&nic, qpn_in_slot(TABLE_SLOTS - 3, QPS_MAX)), -ENOMEM);
    by_hand_close(&nic);
}

SPEC("destroying one of several QPs in one slot, first, last or in between, hides no other")
{
    for (uint32_t victim = 0; victim < QPS_MAX; victim++) {
        open_nic();
        for (uint32_t i = 0; i < QPS_MAX; i++)
            by_hand_connect(&nic, qpn_in_slot(TABLE_SLOTS - 3, i));
        EXPECT_EQ(transport_qp_destroy(nic.transport, qpn_in_slot(TABLE_SLOTS - 3, victim)), 0);
        for (uint32_t i = 0; i < QPS_MAX; i++) {
            struct qp_attributes attributes;

            EXPECT_EQ(
                transport_qp_query(nic.transport, qpn_in_slot(TABLE_SLOTS - 3, i), &attributes),
                i == victim ? -ENOENT : 0);
        }
        transport_check(nic.transport);
        by_hand_close(&nic);
    }
}

/* One place for a QP: its memory, and what the model knows of it. */
struct place {
    void *memory;
    uint32_t qpn; /* 0: free */
    uint32_t peer_qpn;
};

static struct place *find(struct place *places, uint32_t qpn)
{
    for (uint32_t i = 0; i < QPS_MAX; i++)
        if (places[i].qpn == qpn)
            return &places[i];
    return NULL;
}

static void create_or_not(struct place *places, uint32_t qpn, uint32_t mark)
{
    struct place *place = find(places, 0);
    struct qp_attributes attributes = { .peer_qpn = mark };
    int expected = find(places, qpn) ? -EEXIST : place ? 0 : -ENOMEM;
    char no_memory[1];

    EXPECT_EQ(
        transport_qp_create(nic.transport, qpn, &nic.init, expected ? no_memory : place->memory),
        expected);
    if (expected)
        return;
    EXPECT_EQ(transport_qp_modify(nic.transport, qpn, &attributes, QP_ATTR_PEER, 0), 0);
    place->qpn = qpn;
    place->peer_qpn = mark;
}

PROPERTY("QPs with colliding numbers are found after any order of creation and destruction", 200)
{
    struct place places[QPS_MAX] = { 0 };
    struct prng prng = prng_stream(seed, 0);
    uint32_t slots = 1 + prng_below(&prng, 4); /* neighbours, so that chains grow together */
    uint32_t first_slot = prng_below(&prng, TABLE_SLOTS);

    open_nic();
    for (uint32_t i = 0; i < QPS_MAX; i++)
        places[i].memory = malloc(transport_qp_bytes(&nic.init));
    for (uint32_t step = 0; step < 200; step++) {
        uint32_t slot = (first_slot + prng_below(&prng, slots)) % TABLE_SLOTS;
        uint32_t qpn = qpn_in_slot(slot, prng_below(&prng, 12));
        struct place *place = find(places, qpn);
        struct qp_attributes attributes;

        if (prng_below(&prng, 2)) {
            create_or_not(places, qpn, 1000 + step);
        } else {
            EXPECT_EQ(transport_qp_destroy(nic.transport, qpn), place ? 0 : -ENOENT);
            if (place)
                place->qpn = 0;
        }
        for (uint32_t i = 0; i < QPS_MAX; i++)
            if (places[i].qpn) {
                EXPECT_EQ(transport_qp_query(nic.transport, places[i].qpn, &attributes), 0);
                EXPECT_EQ(attributes.peer_qpn, places[i].peer_qpn);
            }
        transport_check(nic.transport);
    }
    for (uint32_t i = 0; i < QPS_MAX; i++)
        free(places[i].memory);
    by_hand_close(&nic);
}

SPEC("every peer with work has its turn in one round, and again in the next")
{
    static struct packet out[2 * QPS_MAX];
    uint32_t turns[QPS_MAX] = { 0 };

    open_nic();
    for (uint32_t i = 0; i < QPS_MAX; i++) {
        nic.peer = 1 + i;
        by_hand_connect(&nic, 100 + i);
        by_hand_post(&nic, 100 + i, i, 5 * 1024, 0);
    }
    EXPECT_EQ(transport_send(nic.transport, 3, out, QPS_MAX, nic.now_ns), QPS_MAX);
    EXPECT_EQ(transport_send(nic.transport, 3, out + QPS_MAX, QPS_MAX, nic.now_ns), QPS_MAX);
    for (uint32_t i = 0; i < 2 * QPS_MAX; i++)
        turns[by_hand_sender(&out[i]) - 100]++;
    for (uint32_t i = 0; i < QPS_MAX; i++)
        EXPECT_EQ(turns[i], 2);
    by_hand_close(&nic);
}

SPEC("destroying QPs that wait for their turn does not change the turns of the others")
{
    static struct packet out[QPS_MAX];

    open_nic();
    for (uint32_t i = 0; i < QPS_MAX; i++) {
        nic.peer = 1 + i;
        by_hand_connect(&nic, 100 + i);
        by_hand_post(&nic, 100 + i, i, 5 * 1024, 0);
    }
    EXPECT_EQ(transport_send(nic.transport, 3, out, 5, nic.now_ns), 5);
    for (uint32_t i = 0; i < QPS_MAX; i += 2)
        EXPECT_EQ(transport_qp_destroy(nic.transport, 100 + i), 0);
    EXPECT_EQ(transport_send(nic.transport, 3, out, QPS_MAX / 2, nic.now_ns), QPS_MAX / 2);
    for (uint32_t i = 0; i < QPS_MAX / 2; i++) {
        EXPECT_EQ(by_hand_sender(&out[i]) % 2, 1);
        for (uint32_t k = 0; k < i; k++)
            EXPECT_NE(by_hand_sender(&out[i]), by_hand_sender(&out[k]));
    }
    by_hand_close(&nic);
}

SPEC("events of many QPs are fetched QP by QP, each in its order")
{
    struct transport_event event;

    open_nic();
    for (uint32_t i = 0; i < QPS_MAX; i++) {
        by_hand_connect(&nic, 100 + i);
        for (uint32_t k = 0; k < 3; k++)
            by_hand_post(&nic, 100 + i, k, 10, 0);
    }
    for (uint32_t i = QPS_MAX; i-- > 0;)
        by_hand_move(&nic, 100 + i, QP_ERR);
    for (uint32_t i = QPS_MAX; i-- > 0;)
        for (uint32_t k = 0; k < 3; k++) {
            EXPECT(by_hand_event(&nic, &event));
            EXPECT_EQ(event.qpn, 100 + i);
            EXPECT_EQ(event.id, k);
        }
    EXPECT(!by_hand_event(&nic, &event));
    by_hand_close(&nic);
}

SPEC("destroying a QP with events keeps the events of others")
{
    struct transport_event event;

    open_nic();
    for (uint32_t i = 0; i < 3; i++) {
        by_hand_connect(&nic, 100 + i);
        by_hand_post(&nic, 100 + i, i, 10, 0);
        by_hand_move(&nic, 100 + i, QP_ERR);
    }
    EXPECT_EQ(transport_qp_destroy(nic.transport, 101), 0);
    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.qpn, 100);
    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.qpn, 102);
    EXPECT(!by_hand_event(&nic, &event));
    by_hand_close(&nic);
}

/* ---- many QPs ----------------------------------------------------------------------------------
 */

/* Sends four packets of each of three QPs and answers them; returns a sum over all that was sent.
 */
static uint64_t talk(uint32_t qp_count_max)
{
    uint64_t sum = 0;

    by_hand_prepare(&nic);
    nic.config.qp_count_max = qp_count_max;
    by_hand_open(&nic);
    for (uint32_t qpn = 7; qpn < 10; qpn++) {
        by_hand_connect(&nic, qpn);
        EXPECT_EQ(by_hand_post(&nic, qpn, 1, 8 * 1024, 0), 0);
    }
    by_hand_send(&nic);
    for (uint32_t i = 0; i < nic.sent_count; i++)
        sum = sum * 31 + nic.sent[i].psn.value + nic.sent[i].dest_qpn + nic.sent[i].ev;
    for (uint32_t qpn = 7; qpn < 10; qpn++) {
        struct packet packets[3] = {
            by_hand_write(&nic, qpn, OPCODE_WRITE_FIRST, psn(BY_HAND_RQ_PSN), 1024),
            by_hand_sack(&nic, qpn, psn(BY_HAND_SQ_PSN)),
            by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_EV_PROBE, 1),
        };

        if (qpn == 9) /* there is no such QP */
            packets[0].dest_qpn = packets[1].dest_qpn = 10;
        for (uint32_t i = 0; i < 3; i++)
            if (transport_prefetch(nic.transport, &packets[i]))
                transport_prefetch_windows(nic.transport, &packets[i]);
        for (uint32_t i = 0; i < 3; i++)
            sum = sum * 31 + by_hand_receive(&nic, &packets[i]);
    }
    by_hand_close(&nic);
    return sum;
}

SPEC("prefetching with many QPs changes nothing")
{
    EXPECT_EQ(talk(1000), talk(16));
}

SPEC("with many QPs a packet for one of them is fetched ahead, with few QPs none is")
{
    struct packet packet;

    by_hand_prepare(&nic);
    by_hand_open(&nic);
    by_hand_connect(&nic, 7);
    packet = by_hand_write(&nic, 7, OPCODE_WRITE_ONLY, psn(BY_HAND_RQ_PSN), 8);
    EXPECT(!transport_prefetch(nic.transport, &packet));
    by_hand_close(&nic);
    by_hand_prepare(&nic);
    nic.config.qp_count_max = 1024;
    by_hand_open(&nic);
    by_hand_connect(&nic, 7);
    EXPECT(transport_prefetch(nic.transport, &packet));
    packet.dest_qpn = 8;
    EXPECT(!transport_prefetch(nic.transport, &packet));
    by_hand_close(&nic);
}
