/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §12: sending again. */
#include "observe.h"
#include "spec.h"

enum {
    PMTU = BY_HAND_PMTU_BYTES,
    FULL_BYTES = PMTU + 88,
    BASE_RTT_NS = 10000,
};

static struct by_hand nic;
static struct packet sent[128];

/* What is sent after packet `number` was trimmed. */
static const struct packet *repeat_of(uint32_t number)
{
    EXPECT_EQ(observe_nacked(&nic, &sent[number], NACK_TRIMMED), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(observe_count(&nic, observe_is_repeat), 1);
    return observe_nth(&nic, observe_is_repeat, 0);
}

SPEC("§12: only what was lost or NACKed is sent again")
{
    observe_open_sending(&nic, sent, 20);
    EXPECT_EQ(repeat_of(7)->psn.value, sent[7].psn.value);
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_RETRANSMITTED), 1);
    by_hand_close(&nic);
}

SPEC("§12: repeats go before new data, the oldest PSN first")
{
    observe_open(&nic);
    observe_post(&nic, 1, 4 * PMTU);
    for (uint32_t i = 0; i < 4; i++)
        sent[i] = nic.sent[i];
    by_hand_post(&nic, OBSERVE_QPN, 2, 2 * PMTU, 0);
    EXPECT_EQ(observe_nacked(&nic, &sent[3], NACK_TRIMMED), DROP_NONE);
    EXPECT_EQ(observe_nacked(&nic, &sent[1], NACK_TRIMMED), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 4);
    EXPECT_EQ(nic.sent[0].psn.value, sent[1].psn.value);
    EXPECT_EQ(nic.sent[1].psn.value, sent[3].psn.value);
    EXPECT_EQ(nic.sent[2].psn.value, observe_out(4).value);
    by_hand_close(&nic);
}

SPEC("§12: PSN, METH, RETH and payload stay; rtx and AckReq are set, the stamp is new")
{
    const struct packet *repeat;

    observe_open_sending(&nic, sent, 3);
    nic.now_ns += 12800;
    repeat = repeat_of(1);
    EXPECT_EQ(repeat->opcode, sent[1].opcode);
    EXPECT_EQ(repeat->psn.value, sent[1].psn.value);
    EXPECT_EQ(repeat->write.msn, sent[1].write.msn);
    EXPECT_EQ(repeat->write.rqmsn, sent[1].write.rqmsn);
    EXPECT_EQ(repeat->write.va, sent[1].write.va);
    EXPECT_EQ(repeat->write.message_bytes, sent[1].write.message_bytes);
    EXPECT_EQ(repeat->write.payload.offset_bytes, sent[1].write.payload.offset_bytes);
    EXPECT_EQ(repeat->write.payload.length, sent[1].write.payload.length);
    EXPECT_EQ(repeat->flags, PACKET_STAMPED | PACKET_RETRANSMISSION | PACKET_ACK_REQUEST);
    EXPECT_EQ(repeat->write.tx_timestamp, (uint16_t)(nic.now_ns / 128));
    by_hand_close(&nic);
}

SPEC("§12: a repeated WriteImm has its immediate and solicitation again")
{
    observe_open(&nic);
    by_hand_post(&nic, OBSERVE_QPN, 9, 64, WORK_WITH_IMMEDIATE | WORK_SOLICITED);
    by_hand_send(&nic);
    sent[0] = nic.sent[0];
    EXPECT_EQ(repeat_of(0)->opcode, OPCODE_WRITE_ONLY_IMM);
    EXPECT_EQ(nic.sent[0].write.immediate, 9);
    EXPECT(nic.sent[0].flags & PACKET_SOLICITED);
    by_hand_close(&nic);
}

SPEC("§12: repeats travel as TRIMMABLE_RETX, or as TRIMMABLE if so configured")
{
    observe_open_sending(&nic, sent, 3);
    EXPECT_EQ(repeat_of(1)->class, DSCP_TRIMMABLE_RETX);
    by_hand_close(&nic);
    observe_prepare(&nic);
    nic.config.parameters.retransmit_class = 0;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, 64);
    sent[0] = nic.sent[0];
    EXPECT_EQ(repeat_of(0)->class, DSCP_TRIMMABLE);
    by_hand_close(&nic);
}

SPEC("§12: a repeat takes another EV than the copy that was lost")
{
    for (uint32_t i = 0; i < 8; i++) {
        observe_open_sending(&nic, sent, 8);
        EXPECT_NE(repeat_of(i)->ev, sent[i].ev);
        by_hand_close(&nic);
    }
}

SPEC("§12: with a single EV a repeat takes it again")
{
    by_hand_prepare(&nic);
    path_profile_explicit(&nic.profile, nic.entries, 1, BY_HAND_PLANES);
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, 64);
    sent[0] = nic.sent[0];
    EXPECT_EQ(repeat_of(0)->ev, sent[0].ev);
    by_hand_close(&nic);
}

/* The port by which packet 0, inferred lost, goes again when `acked` was the last acknowledged. */
static uint32_t repair_port(uint32_t acked)
{
    nic.now_ns += BASE_RTT_NS;
    EXPECT_EQ(observe_sacked(&nic, &sent[acked], observe_out(-1)), DROP_NONE);
    EXPECT_NE(observe_wait_for(&nic, observe_is_repeat, 2 * BASE_RTT_NS), UINT64_MAX);
    EXPECT_EQ(observe_nth(&nic, observe_is_repeat, 0)->psn.value, sent[0].psn.value);
    return observe_nth(&nic, observe_is_repeat, 0)->port;
}

SPEC("§12: a repeat takes the plane acknowledged most recently")
{
    for (uint32_t acked = 1; acked < 8; acked += 2) { /* planes take turns */
        observe_open_sending(&nic, sent, acked + 1);
        EXPECT_NE(sent[acked].port, sent[0].port);
        EXPECT_EQ(repair_port(acked), sent[acked].port);
        by_hand_close(&nic);
    }
}

SPEC("§12: what was lost on that plane itself goes by the other planes")
{
    struct packet sack;

    observe_open_sending(&nic, sent, 5);
    nic.now_ns += BASE_RTT_NS;
    sack = observe_sack_of(&nic, &sent[4], observe_out(-1));
    sack.sack.bitmap = 0x1a; /* missing: 0 and 2, on the same plane as 4 */
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_NE(observe_wait_for(&nic, observe_is_repeat, 2 * BASE_RTT_NS), UINT64_MAX);
    EXPECT_EQ(observe_count(&nic, observe_is_repeat), 2);
    EXPECT_EQ(sent[0].port, sent[4].port);
    EXPECT_EQ(sent[2].port, sent[4].port);
    EXPECT_NE(nic.sent[0].port, sent[4].port);
    EXPECT_NE(nic.sent[1].port, sent[4].port);
    by_hand_close(&nic);
}

SPEC("§12: a repeat waits for the congestion window, like new data")
{
    observe_prepare(&nic);
    nic.config.parameters.congestion_control = CONGESTION_CONTROL_NONE;
    nic.config.parameters.max_cwnd = 4 * FULL_BYTES;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, 8 * PMTU);
    EXPECT_EQ(nic.sent_count, 4);
    for (uint32_t i = 0; i < 4; i++)
        sent[i] = nic.sent[i];
    EXPECT_EQ(observe_nacked(&nic, &sent[0], NACK_TRIMMED), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 1); /* the repeat took the place that the loss had left */
    EXPECT_EQ(nic.sent[0].psn.value, sent[0].psn.value);
    EXPECT_EQ(observe_status(&nic).inflight_bytes, 4 * FULL_BYTES);
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_close(&nic);
}

SPEC("§12: one repeat may always go when nothing is in flight, however small the window")
{
    observe_prepare(&nic);
    nic.config.parameters.max_cwnd = 4 * FULL_BYTES;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, 8 * PMTU);
    for (uint32_t i = 0; i < nic.sent_count; i++)
        sent[i] = nic.sent[i];
    for (uint32_t i = 0; i < 4; i++) /* each takes a packet out of the window, down to one */
        EXPECT_EQ(observe_nacked(&nic, &sent[i], NACK_TRIMMED), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).inflight_bytes, 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].psn.value, sent[0].psn.value);
    by_hand_close(&nic);
}

SPEC("§12: a full PSN window does not hold a repeat back")
{
    observe_open(&nic);
    observe_post(&nic, 1, 200 * PMTU);
    EXPECT_EQ(nic.sent_count, 128);
    sent[127] = nic.sent[127];
    EXPECT_EQ(repeat_of(127)->psn.value, sent[127].psn.value);
    by_hand_close(&nic);
}

SPEC("§12: a repeat is in flight again, and its timer starts again")
{
    uint64_t timeout_ns = UINT64_C(1024) << 8;

    observe_open(&nic);
    observe_modify(&nic, (struct qp_attributes){ .timeout = 8 }, QP_ATTR_TIMEOUT);
    observe_post(&nic, 1, 64);
    sent[0] = nic.sent[0];
    by_hand_wait(&nic, 50000);
    repeat_of(0);
    EXPECT_EQ(observe_status(&nic).inflight_bytes, 152);
    by_hand_wait(&nic, timeout_ns - OBSERVE_TICK_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TIMEOUT_FIRED), 0);
    by_hand_wait(&nic, 3 * OBSERVE_TICK_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TIMEOUT_FIRED), 1);
    by_hand_close(&nic);
}

SPEC("§12: the payload is read again, so the request stays until its completion")
{
    const struct packet *repeat;

    observe_open_sending(&nic, sent, 2);
    repeat = repeat_of(1);
    EXPECT_EQ(transport_request(nic.transport, repeat)->id, 1);
    EXPECT_EQ(transport_request(nic.transport, repeat)->length_bytes, 2 * PMTU);
    by_hand_close(&nic);
}

/* The n-th packet is missing when a probe on the other plane is answered: where does it go again?
 */
static void expect_repair_where_probe_went(int32_t missing)
{
    struct packet lost;
    struct packet sack;
    uint32_t ev_index = 0;

    observe_open(&nic);
    for (int32_t i = 0; i <= missing; i++)
        observe_post(&nic, (uint64_t)i, 64);
    lost = *observe_nth(&nic, observe_is_data, 0);
    if (missing > 0)
        observe_acked(&nic, missing - 1, (uint32_t)missing);
    EXPECT_NE(observe_wait_for(&nic, observe_is_probe, 100000), UINT64_MAX);
    while (nic.entries[ev_index].plane == lost.port)
        ev_index++;
    sack = by_hand_sack(&nic, OBSERVE_QPN, observe_out(missing - 1));
    sack.sack.answers_probe = true;
    sack.sack.probe_id = (uint16_t)ev_index;
    sack.sack.entropy = nic.entries[ev_index].ev;
    sack.sack.tx_timestamp = observe_nth(&nic, observe_is_probe, 0)->probe.tx_timestamp;
    nic.now_ns += 10000;
    by_hand_receive(&nic, &sack);
    by_hand_send(&nic);
    EXPECT_EQ(observe_nth(&nic, observe_is_repeat, 0)->psn.value, lost.psn.value);
    EXPECT_EQ(observe_nth(&nic, observe_is_repeat, 0)->port, nic.entries[ev_index].plane);
    by_hand_close(&nic);
}

SPEC("§12: an answered probe also shows on which plane a retransmission arrives")
{
    for (int32_t missing = 0; missing < 4; missing++)
        expect_repair_where_probe_went(missing);
}
