/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §4: the PSN window, and an MPR that changes. */
#include "observe.h"
#include "spec.h"

enum { PMTU = BY_HAND_PMTU_BYTES, MPR_PSNS = 128 };

static struct by_hand nic;

static uint32_t answers_of(observe_kind *kind, int32_t number, uint8_t flags)
{
    observe_answers(&nic, number, flags);
    return observe_count(&nic, kind);
}

/* ---- the requester's side ------------------------------------------------------------------- */

SPEC("§4: the requester sends no PSN above cack + MPR")
{
    observe_open(&nic);
    observe_post(&nic, 1, 200 * PMTU);
    EXPECT_EQ(observe_count(&nic, observe_is_first), MPR_PSNS);
    EXPECT_EQ(nic.sent[MPR_PSNS - 1].psn.value, observe_out(MPR_PSNS - 1).value);
    EXPECT_EQ(observe_sacked(&nic, &nic.sent[9], observe_out(9)), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(observe_count(&nic, observe_is_first), 10);
    by_hand_close(&nic);
}

SPEC("§4: a Transport ACK moves the window as a SACK does")
{
    observe_open(&nic);
    observe_post(&nic, 1, 10 * PMTU);
    observe_post(&nic, 2, 200 * PMTU);
    EXPECT_EQ(observe_count(&nic, observe_is_first), MPR_PSNS - 10);
    EXPECT_EQ(observe_acked(&nic, 9, 1), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(observe_count(&nic, observe_is_first), 10);
    by_hand_close(&nic);
}

SPEC("§4: PSNs received above a hole do not move the window")
{
    struct packet sack;

    observe_open(&nic);
    observe_post(&nic, 1, 200 * PMTU);
    sack = observe_sack_of(&nic, &nic.sent[40], observe_out(-1));
    sack.sack.bitmap = ~UINT64_C(1);
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(observe_count(&nic, observe_is_first), 0);
    by_hand_close(&nic);
}

/* ---- the responder's side ------------------------------------------------------------------- */

SPEC("§4: the window reaches from ePSN to ePSN + MPR - 1 and moves with cack")
{
    observe_open(&nic);
    EXPECT_EQ(observe_arrive(&nic, MPR_PSNS, 0), DROP_BEYOND_WINDOW);
    EXPECT_EQ(observe_arrive(&nic, MPR_PSNS - 1, 0), DROP_NONE);
    EXPECT_EQ(observe_arrive(&nic, MPR_PSNS, 0), DROP_BEYOND_WINDOW);
    EXPECT_EQ(observe_arrive(&nic, 0, 0), DROP_NONE);
    EXPECT_EQ(observe_arrive(&nic, MPR_PSNS, 0), DROP_NONE);
    EXPECT_EQ(observe_arrive(&nic, MPR_PSNS + 1, 0), DROP_BEYOND_WINDOW);
    EXPECT_EQ(nic.placed_count, 3);
    by_hand_close(&nic);
}

SPEC("§4: a duplicate inside the window is not written; it causes a SACK and no ACK")
{
    observe_open(&nic);
    observe_answers(&nic, 0, 0);
    observe_answers(&nic, 5, 0);
    EXPECT_EQ(observe_arrive(&nic, 5, PACKET_ACK_REQUEST), DROP_DUPLICATE);
    by_hand_send(&nic);
    EXPECT_EQ(nic.placed_count, 2);
    EXPECT_EQ(observe_count(&nic, observe_is_sack), 1);
    EXPECT_EQ(observe_count(&nic, observe_is_ack), 0);
    by_hand_close(&nic);
}

SPEC("§4: an old duplicate is not written; it causes a SACK, and with AckReq the ACK again")
{
    observe_open(&nic);
    EXPECT_EQ(answers_of(observe_is_ack, 0, PACKET_ACK_REQUEST), 1);
    EXPECT_EQ(answers_of(observe_is_ack, 0, 0), 0);
    EXPECT_EQ(observe_count(&nic, observe_is_sack), 1);
    EXPECT_EQ(answers_of(observe_is_ack, 0, PACKET_ACK_REQUEST), 1);
    EXPECT_EQ(observe_count(&nic, observe_is_sack), 1);
    EXPECT_EQ(observe_nth(&nic, observe_is_ack, 0)->psn.value, observe_in(0).value);
    EXPECT_EQ(nic.placed_count, 1);
    by_hand_close(&nic);
}

SPEC("§4: PSNs up to 2^23 behind are old, those further ahead than the window are beyond it")
{
    observe_open(&nic);
    EXPECT_EQ(observe_arrive(&nic, -1, 0), DROP_DUPLICATE);
    EXPECT_EQ(observe_arrive(&nic, -(1 << 23) + 1, 0), DROP_DUPLICATE);
    EXPECT_EQ(observe_arrive(&nic, (1 << 23) - 2, 0), DROP_BEYOND_WINDOW);
    EXPECT_EQ(nic.placed_count, 0);
    by_hand_close(&nic);
}

SPEC("§4: beyond the window every eighth packet causes a NACK PSN_OOR_WINDOW")
{
    uint32_t nacks = 0;

    observe_open(&nic);
    for (int32_t i = 0; i < 24; i++)
        nacks += answers_of(observe_is_nack, 1000 + i, 0);
    EXPECT_EQ(nacks, 3);
    EXPECT_EQ(answers_of(observe_is_nack, 1024, 0), 1);
    EXPECT_EQ(nic.sent[0].nack.reason, NACK_PSN_OOR_WINDOW);
    EXPECT_EQ(nic.sent[0].psn.value, observe_in(1024).value);
    by_hand_close(&nic);
}

SPEC("§4: beyond the window one packet per base RTT causes a NACK, for any number of packets")
{
    observe_open(&nic);
    EXPECT_EQ(answers_of(observe_is_nack, 1000, 0), 1);
    nic.now_ns += 9999;
    EXPECT_EQ(answers_of(observe_is_nack, 1001, 0), 0);
    nic.now_ns += 1;
    EXPECT_EQ(answers_of(observe_is_nack, 1002, 0), 1);
    by_hand_close(&nic);
}

/* ---- §4.1 dynamic MPR ----------------------------------------------------------------------- */

static void open_dynamic(void)
{
    observe_prepare(&nic);
    nic.init.window_psns_max = 1024;
    nic.init.window_psns_max_dest = 1024;
    nic.config.parameters.max_cwnd = 4000000;
    nic.config.parameters.congestion_control = CONGESTION_CONTROL_NONE;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_modify(&nic, (struct qp_attributes){ .dynamic_mpr = true, .trim_nack = true },
        QP_ATTR_CAPABILITIES);
}

static enum drop_reason announce(struct psn cack, uint8_t mpr, uint32_t received_units)
{
    struct packet sack = by_hand_sack(&nic, OBSERVE_QPN, cack);

    sack.sack.mpr = mpr;
    sack.sack.received_units = received_units;
    return by_hand_receive(&nic, &sack);
}

SPEC("§4.1: each SACK states the MPR if both ends agreed on it, otherwise 0")
{
    observe_open(&nic);
    observe_answers(&nic, 0, 0);
    EXPECT_EQ(observe_nth(&nic, observe_is_sack, 0)->sack.mpr, 0);
    by_hand_close(&nic);
    open_dynamic();
    observe_answers(&nic, 0, 0);
    EXPECT_EQ(observe_nth(&nic, observe_is_sack, 0)->sack.mpr, 8);
    observe_modify(&nic, (struct qp_attributes){ .mpr_dest = 2 }, QP_ATTR_MPR_DEST);
    observe_answers(&nic, 1, PACKET_ACK_REQUEST);
    EXPECT_EQ(observe_nth(&nic, observe_is_sack, 0)->sack.mpr, 2);
    by_hand_close(&nic);
}

SPEC("§4.1: without agreement a value in a SACK is ignored")
{
    observe_open(&nic);
    EXPECT_EQ(announce(observe_out(-1), 1, 1), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).mpr_psns, MPR_PSNS);
    by_hand_close(&nic);
    open_dynamic();
    EXPECT_EQ(announce(observe_out(-1), 1, 1), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).mpr_psns, 128);
    by_hand_close(&nic);
}

SPEC("§4.1: 0 is no value, and one above our own mpr counts as that")
{
    open_dynamic();
    EXPECT_EQ(announce(observe_out(-1), 0, 1), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).mpr_psns, 1024);
    EXPECT_EQ(announce(observe_out(-1), 255, 2), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).mpr_psns, 1024);
    by_hand_close(&nic);
}

SPEC("§4.1: after a decrease nothing new goes above cack + MPR, until that lies behind")
{
    open_dynamic();
    observe_post(&nic, 1, 2000 * PMTU);
    while (by_hand_send(&nic) > 0)
        ;
    EXPECT_EQ(observe_status(&nic).next_psn.value, observe_out(1024).value);
    EXPECT_EQ(announce(observe_out(99), 2, 1), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(announce(observe_out(767), 2, 2), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(announce(observe_out(777), 2, 3), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 10);
    by_hand_close(&nic);
}

SPEC("§4.1: after a decrease retransmissions above the edge wait, those below it do not")
{
    struct packet nack;
    struct packet beyond = { .psn = observe_out(300) };
    struct packet within = { .psn = observe_out(200) };

    open_dynamic();
    observe_post(&nic, 1, 400 * PMTU);
    EXPECT_EQ(announce(observe_out(-1), 2, 1), DROP_NONE);
    nack = by_hand_nack(&nic, OBSERVE_QPN, &beyond, NACK_TRIMMED);
    by_hand_receive(&nic, &nack);
    EXPECT_EQ(by_hand_send(&nic), 0);
    nack = by_hand_nack(&nic, OBSERVE_QPN, &within, NACK_TRIMMED);
    by_hand_receive(&nic, &nack);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].psn.value, within.psn.value);
    EXPECT_EQ(announce(observe_out(44), 2, 2), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].psn.value, beyond.psn.value);
    by_hand_close(&nic);
}

SPEC("§4.1: a SACK older by cack, or with the same cack by rcvd_bytes, does not change the MPR")
{
    open_dynamic();
    observe_post(&nic, 1, 100 * PMTU);
    EXPECT_EQ(announce(observe_out(9), 2, 50), DROP_NONE);
    EXPECT_EQ(announce(observe_out(8), 4, 60), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).mpr_psns, 256);
    EXPECT_EQ(announce(observe_out(9), 4, 49), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).mpr_psns, 256);
    EXPECT_EQ(announce(observe_out(9), 4, 61), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).mpr_psns, 512);
    by_hand_close(&nic);
}

SPEC("§4.1: a SACK that is older than an ACK does not change the MPR, after older ACKs neither")
{
    struct packet ack;

    open_dynamic();
    for (uint64_t id = 1; id <= 2; id++)
        observe_post(&nic, id, 10 * PMTU);
    EXPECT_EQ(announce(observe_out(4), 2, 50), DROP_NONE);
    for (int32_t done = 2; done >= 1; done--) {
        ack = by_hand_ack(&nic, OBSERVE_QPN, observe_out(10 * done - 1), (uint32_t)done);
        by_hand_receive(&nic, &ack);
        EXPECT_EQ(announce(observe_out(18), 4, 60), DROP_NONE);
        EXPECT_EQ(observe_status(&nic).mpr_psns, 256);
    }
    EXPECT_EQ(announce(observe_out(19), 4, 61), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).mpr_psns, 512);
    by_hand_close(&nic);
}

SPEC("§4.1: packets in flight beyond a decrease are accepted or NACKed, and the QP stays in RTS")
{
    open_dynamic();
    observe_modify(&nic, (struct qp_attributes){ .mpr_dest = 2 }, QP_ATTR_MPR_DEST);
    EXPECT_EQ(observe_arrive(&nic, 255, 0), DROP_NONE);
    EXPECT_EQ(observe_arrive(&nic, 256, 0), DROP_BEYOND_WINDOW);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
    observe_modify(&nic, (struct qp_attributes){ .mpr_dest = 8 }, QP_ATTR_MPR_DEST);
    EXPECT_EQ(observe_arrive(&nic, 1023, 0), DROP_NONE);
    by_hand_close(&nic);
}

/* ---- §4.1 a pool for all responders -----------------------------------------------------------
 */

enum { BUSY_QPN = OBSERVE_QPN + 1, IDLE_NS = 100 * 1000 * 1000 };

static void connect_wide(uint32_t qpn, uint8_t mpr_dest)
{
    struct qp_attributes attributes = {
        .dynamic_mpr = true, .trim_nack = true, .mpr_dest = mpr_dest
    };

    by_hand_create(&nic, qpn);
    EXPECT_EQ(transport_qp_modify(nic.transport, qpn, &attributes,
                  QP_ATTR_CAPABILITIES | QP_ATTR_MPR_DEST, nic.now_ns),
        0);
    by_hand_reconnect(&nic, qpn);
}

static void connect_dynamic(uint32_t qpn)
{
    connect_wide(qpn, 8);
}

/* One QP of 8 units so far. */
static void open_pool(uint32_t units)
{
    observe_prepare(&nic);
    nic.init.window_psns_max_dest = 1024;
    nic.config.parameters.mpr_pool = units;
    by_hand_open(&nic);
    connect_dynamic(OBSERVE_QPN);
}

/* What the SACK for the peer's n-th packet to this QP announces. */
static uint8_t announced(uint32_t qpn, int32_t number)
{
    struct packet packet = by_hand_write(&nic, qpn, OPCODE_WRITE_ONLY, observe_in(number), 64);

    packet.flags |= PACKET_ACK_REQUEST;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    by_hand_send(&nic);
    return observe_nth(&nic, observe_is_sack, 0)->sack.mpr;
}

SPEC("§4.1: mpr_pool: a silent QP gives half of its range to one that needs it, and has it back "
     "as soon as another is silent")
{
    open_pool(12);
    EXPECT_EQ(announced(OBSERVE_QPN, 0), 8);
    by_hand_wait(&nic, IDLE_NS + 1);
    connect_dynamic(BUSY_QPN);
    EXPECT_EQ(announced(BUSY_QPN, 0), 8);
    EXPECT_EQ(announced(OBSERVE_QPN, 1), 4);
    by_hand_wait(&nic, IDLE_NS + 1);
    EXPECT_EQ(announced(OBSERVE_QPN, 2), 8);
    EXPECT_EQ(announced(BUSY_QPN, 1), 4);
    by_hand_close(&nic);
}

SPEC("§4.1: mpr_pool: a silent QP gives up all but one unit, time after time")
{
    open_pool(9);
    EXPECT_EQ(announced(OBSERVE_QPN, 0), 8);
    connect_dynamic(BUSY_QPN);
    for (int32_t i = 0; i < 4; i++) {
        by_hand_wait(&nic, IDLE_NS + 1);
        announced(BUSY_QPN, i);
    }
    EXPECT_EQ(announced(BUSY_QPN, 4), 8); /* of nine: the other has one */
    by_hand_close(&nic);
}

SPEC("§4.1: mpr_pool: QPs that are not silent keep theirs, and the late one gets what is left")
{
    for (uint64_t silent_ns = IDLE_NS / 2; silent_ns <= IDLE_NS; silent_ns += IDLE_NS / 2) {
        open_pool(10);
        EXPECT_EQ(announced(OBSERVE_QPN, 0), 8);
        by_hand_wait(&nic, silent_ns);
        connect_dynamic(BUSY_QPN);
        EXPECT_EQ(announced(BUSY_QPN, 0), 2);
        EXPECT_EQ(announced(OBSERVE_QPN, 1), 8);
        by_hand_close(&nic);
    }
}

SPEC("§4.1: mpr_pool: each QP keeps one unit, and QPs without dynamic MPR have all of it")
{
    open_pool(8);
    connect_dynamic(BUSY_QPN);
    EXPECT_EQ(announced(BUSY_QPN, 0), 1);
    by_hand_connect(&nic, BUSY_QPN + 1);
    EXPECT_EQ(announced(BUSY_QPN + 1, 1023), 0);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_NO_BITMAP), 0);
    by_hand_close(&nic);
}

SPEC("§8: NO_BITMAP: a PSN within what was promised and beyond what the pool has")
{
    struct packet packet;

    open_pool(8);
    connect_dynamic(BUSY_QPN);
    packet = by_hand_write(&nic, BUSY_QPN, OPCODE_WRITE_ONLY, observe_in(128), 64);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_BEYOND_WINDOW);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].nack.reason, NACK_NO_BITMAP);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_NO_BITMAP), 1);
    /* The other QP is gone, and with it the shortage. */
    EXPECT_EQ(transport_qp_destroy(nic.transport, OBSERVE_QPN), 0);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    by_hand_close(&nic);
}

static void observe_modify_qp(uint32_t qpn, uint8_t mpr_dest)
{
    struct qp_attributes attributes = { .mpr_dest = mpr_dest };

    EXPECT_EQ(
        transport_qp_modify(nic.transport, qpn, &attributes, QP_ATTR_MPR_DEST, nic.now_ns), 0);
}

/* A silent QP of 8 units; one of `units_come` joins, then one whose peer cannot be told. */
static uint8_t kept_when(uint8_t units_come)
{
    uint8_t kept;

    open_pool(20);
    by_hand_wait(&nic, IDLE_NS + 1);
    connect_wide(BUSY_QPN, units_come);
    by_hand_connect(&nic, BUSY_QPN + 1);
    kept = announced(OBSERVE_QPN, 0);
    by_hand_close(&nic);
    return kept;
}

SPEC("§4.1: mpr_pool: silent QPs give if less than a quarter of the pool would be free, not before")
{
    EXPECT_EQ(kept_when(7), 8);
    EXPECT_EQ(kept_when(8), 4);
}

SPEC("§4.1: mpr_pool: a QP that has a part of its range does not count it twice when it needs more")
{
    open_pool(16);
    by_hand_wait(&nic, IDLE_NS + 1);
    connect_dynamic(BUSY_QPN); /* the first QP gives half of its range: 4 and 8 units */
    observe_modify_qp(BUSY_QPN, 2);
    by_hand_wait(&nic, IDLE_NS + 1);
    EXPECT_EQ(announced(OBSERVE_QPN, 0), 8); /* with the 2 of the other, less than 12 */
    EXPECT_EQ(announced(BUSY_QPN, 0), 2);
    by_hand_close(&nic);
}

SPEC("§4.1: mpr_pool: QPs that left RTS, and QPs that are narrowed by hand, leave room for others")
{
    open_pool(10);
    observe_modify(&nic, (struct qp_attributes){ .mpr_dest = 2 }, QP_ATTR_MPR_DEST);
    connect_dynamic(BUSY_QPN);
    EXPECT_EQ(announced(BUSY_QPN, 0), 8);
    EXPECT_EQ(by_hand_move(&nic, BUSY_QPN, QP_ERR), 0);
    observe_modify(&nic, (struct qp_attributes){ .mpr_dest = 8 }, QP_ATTR_MPR_DEST);
    EXPECT_EQ(announced(OBSERVE_QPN, 0), 8);
    EXPECT_EQ(by_hand_move(&nic, OBSERVE_QPN, QP_RESET), 0);
    connect_dynamic(BUSY_QPN + 1);
    EXPECT_EQ(announced(BUSY_QPN + 1, 0), 8);
    by_hand_close(&nic);
}
