/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §3: from work requests to packets. */
#include "observe.h"
#include "spec.h"

enum { PMTU = BY_HAND_PMTU_BYTES };

static struct by_hand nic;

static void open_with_window(uint32_t packets)
{
    observe_prepare(&nic);
    nic.config.parameters.congestion_control = CONGESTION_CONTROL_NONE; /* none: the window stays */
    nic.config.parameters.max_cwnd = packets * (PMTU + 88);
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
}

static void post(uint64_t id, uint32_t length_bytes, uint32_t flags)
{
    EXPECT_EQ(by_hand_post(&nic, OBSERVE_QPN, id, length_bytes, flags), 0);
}

static bool asks(uint32_t number)
{
    return observe_nth(&nic, observe_is_data, number)->flags & PACKET_ACK_REQUEST;
}

/* ---- segmentation --------------------------------------------------------------------------- */

SPEC("§3.2: a message takes max(1, ceil(length / PMTU)) packets")
{
    static const uint32_t lengths[] = { 0, 1, PMTU - 1, PMTU, PMTU + 1, 2 * PMTU, 3 * PMTU + 5 };
    static const uint32_t counts[] = { 1, 1, 1, 1, 2, 2, 4 };

    observe_open(&nic);
    for (uint32_t i = 0; i < 7; i++) {
        observe_post(&nic, i, lengths[i]);
        EXPECT_EQ(observe_count(&nic, observe_is_first), counts[i]);
    }
    by_hand_close(&nic);
}

SPEC("§3.2: one packet is an Only, two are First and Last, the others are Middles")
{
    observe_open(&nic);
    observe_post(&nic, 1, PMTU);
    EXPECT_EQ(nic.sent[0].opcode, OPCODE_WRITE_ONLY);
    observe_post(&nic, 2, 2 * PMTU);
    EXPECT_EQ(nic.sent[0].opcode, OPCODE_WRITE_FIRST);
    EXPECT_EQ(nic.sent[1].opcode, OPCODE_WRITE_LAST);
    observe_post(&nic, 3, 3 * PMTU + 1);
    EXPECT_EQ(nic.sent[1].opcode, OPCODE_WRITE_MIDDLE);
    EXPECT_EQ(nic.sent[2].opcode, OPCODE_WRITE_MIDDLE);
    EXPECT_EQ(nic.sent[3].opcode, OPCODE_WRITE_LAST);
    by_hand_close(&nic);
}

SPEC("§3.2: the immediate is in the last packet of its message")
{
    observe_open(&nic);
    post(1, PMTU, WORK_WITH_IMMEDIATE);
    post(2, PMTU + 1, WORK_WITH_IMMEDIATE);
    by_hand_send(&nic);
    EXPECT_EQ(nic.sent[0].opcode, OPCODE_WRITE_ONLY_IMM);
    EXPECT_EQ(nic.sent[0].write.immediate, 1);
    EXPECT_EQ(nic.sent[1].opcode, OPCODE_WRITE_FIRST);
    EXPECT_EQ(nic.sent[2].opcode, OPCODE_WRITE_LAST_IMM);
    EXPECT_EQ(nic.sent[2].write.immediate, 2);
    by_hand_close(&nic);
}

SPEC("§3.3: packet k writes to va + k PMTU, and every packet has the length of the message")
{
    observe_open(&nic);
    observe_post(&nic, 5, 2 * PMTU + 100);
    for (uint32_t k = 0; k < 3; k++) {
        EXPECT_EQ(nic.sent[k].write.va, (UINT64_C(5) << 32) + k * PMTU);
        EXPECT_EQ(nic.sent[k].write.message_bytes, 2 * PMTU + 100);
        EXPECT_EQ(nic.sent[k].write.rkey, BY_HAND_RKEY);
        EXPECT_EQ(nic.sent[k].write.payload.length, k < 2 ? PMTU : 100);
        EXPECT_EQ(nic.sent[k].write.payload.offset_bytes, k * PMTU);
    }
    by_hand_close(&nic);
}

SPEC("§3.4: every packet has its message's index, all of a WriteImm the WriteImm's, too")
{
    static const uint16_t msn[] = { 0, 1, 1, 2, 3, 3 };
    static const uint16_t rqmsn[] = { 0, 0, 0, 0, 1, 1 };

    observe_open(&nic);
    post(1, 64, 0);
    post(2, 2 * PMTU, WORK_WITH_IMMEDIATE);
    post(3, 64, 0);
    post(4, 2 * PMTU, WORK_WITH_IMMEDIATE);
    EXPECT_EQ(by_hand_send(&nic), 6);
    for (uint32_t i = 0; i < 6; i++) {
        EXPECT_EQ(nic.sent[i].write.msn, msn[i]);
        EXPECT_EQ(nic.sent[i].write.rqmsn, rqmsn[i]);
    }
    by_hand_close(&nic);
}

SPEC("§3.5: messages are cut in the order of the queue, PSNs follow one another over the wrap")
{
    observe_open(&nic);
    for (uint32_t i = 0; i < 10; i++)
        post(i, 2 * PMTU, 0);
    EXPECT_EQ(by_hand_send(&nic), 20);
    for (int32_t i = 0; i < 20; i++) {
        EXPECT_EQ(nic.sent[i].psn.value, observe_out(i).value);
        EXPECT_EQ(nic.sent[i].write.msn, i / 2);
    }
    EXPECT_EQ(nic.sent[16].psn.value, 0);
    by_hand_close(&nic);
}

SPEC("§3.5: a packet has its PSN from its departure: what cannot leave uses none up")
{
    observe_open(&nic);
    nic.ready_ports = 0;
    observe_post(&nic, 1, 4 * PMTU);
    EXPECT_EQ(observe_status(&nic).next_psn.value, BY_HAND_SQ_PSN);
    nic.ready_ports = 1;
    by_hand_send(&nic);
    EXPECT_EQ(observe_status(&nic).next_psn.value, observe_out(4).value);
    by_hand_close(&nic);
}

/* ---- AckReq --------------------------------------------------------------------------------- */

SPEC("§3.6: the last packet of a signalled message asks for an ACK, the others do not")
{
    observe_open(&nic);
    post(1, 3 * PMTU, WORK_SIGNALED);
    post(2, 2 * PMTU, 0);
    by_hand_send(&nic);
    EXPECT(!asks(0));
    EXPECT(!asks(1));
    EXPECT(asks(2));
    EXPECT(!asks(3));
    by_hand_close(&nic);
}

SPEC("§3.6: the last packet of a WriteImm asks for an ACK, signalled or not")
{
    observe_open(&nic);
    post(1, 2 * PMTU, WORK_WITH_IMMEDIATE);
    post(2, 64, 0);
    by_hand_send(&nic);
    EXPECT(!asks(0));
    EXPECT(asks(1));
    by_hand_close(&nic);
}

SPEC("§3.6: the packet that empties the send queue asks for an ACK, and none before it")
{
    observe_open(&nic);
    post(1, 64, 0);
    post(2, 64, 0);
    post(3, 2 * PMTU, 0);
    by_hand_send(&nic);
    EXPECT(!asks(0));
    EXPECT(!asks(1));
    EXPECT(!asks(2));
    EXPECT(asks(3));
    by_hand_close(&nic);
}

SPEC("§3.6: the packet that leaves less than one packet of window asks for an ACK")
{
    open_with_window(20);
    post(1, 40 * PMTU, 0);
    EXPECT_EQ(by_hand_send(&nic), 20);
    for (uint32_t i = 0; i < 19; i++)
        EXPECT(!asks(i));
    EXPECT(asks(19));
    by_hand_close(&nic);
}

/* How many ask of those that a window of 16 lets go, 12 of them one by one. */
static uint32_t asked_for_one_by_one(void)
{
    struct packet first;
    uint32_t count = 0;

    observe_prepare(&nic);
    nic.config.parameters.congestion_control = CONGESTION_CONTROL_NONE;
    nic.config.parameters.max_cwnd = 16 * (PMTU + 88);
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    post(1, 40 * PMTU, 0);
    EXPECT_EQ(by_hand_send(&nic), 16);
    count += asks(15);
    first = nic.sent[0];
    for (int32_t i = 0; i < 12; i++) {
        EXPECT_EQ(observe_sacked(&nic, &first, observe_out(i)), DROP_NONE);
        EXPECT_EQ(by_hand_send(&nic), 1);
        count += asks(0);
    }
    by_hand_close(&nic);
    return count;
}

SPEC("§3.6: of the packets that close the window again and again, one in a quarter of it asks "
     "(decision 10)")
{
    EXPECT_EQ(asked_for_one_by_one(), 4);
}

SPEC("§3.6: while the window is below sack_gen_threshold every packet asks for an ACK")
{
    open_with_window(3); /* 3,336 bytes; the threshold is four PMTUs */
    post(1, 20 * PMTU, 0);
    EXPECT_EQ(by_hand_send(&nic), 3);
    for (uint32_t i = 0; i < 3; i++)
        EXPECT(asks(i));
    by_hand_close(&nic);
}

SPEC("§3.6: a retransmission asks for an ACK where its first copy did not")
{
    observe_open(&nic);
    post(1, 3 * PMTU, 0);
    by_hand_send(&nic);
    EXPECT(!asks(0));
    EXPECT_EQ(observe_nacked(&nic, observe_nth(&nic, observe_is_data, 0), NACK_TRIMMED), 0);
    by_hand_send(&nic);
    EXPECT_EQ(observe_count(&nic, observe_is_repeat), 1);
    EXPECT(asks(0));
    by_hand_close(&nic);
}

/* ---- WriteImm ------------------------------------------------------------------------------- */

static void open_with_write_imm(uint16_t max_wimm)
{
    observe_open(&nic);
    observe_modify(&nic, (struct qp_attributes){ .max_wimm = max_wimm }, QP_ATTR_MAX_WIMM);
}

SPEC("§3.7: max_wimm WriteImm are under way at most; one more waits, and what is behind it")
{
    open_with_write_imm(2);
    for (uint32_t i = 1; i <= 3; i++)
        post(i, 64, WORK_WITH_IMMEDIATE);
    post(4, 64, 0);
    EXPECT_EQ(by_hand_send(&nic), 2);
    EXPECT_EQ(observe_acked(&nic, 0, 1), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 2);
    EXPECT_EQ(nic.sent[0].write.immediate, 3);
    EXPECT_EQ(nic.sent[1].opcode, OPCODE_WRITE_ONLY);
    by_hand_close(&nic);
}

SPEC("§3.7: a SACK does not make room for another WriteImm, only a Transport ACK does")
{
    open_with_write_imm(1);
    post(1, 64, WORK_WITH_IMMEDIATE);
    post(2, 64, WORK_WITH_IMMEDIATE);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(observe_sacked(&nic, &nic.sent[0], observe_out(0)), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(observe_acked(&nic, 0, 1), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 1);
    by_hand_close(&nic);
}

SPEC("§3.7: plain WRITEs in front of a WriteImm that must wait are sent")
{
    open_with_write_imm(1);
    post(1, 64, WORK_WITH_IMMEDIATE);
    post(2, 64, 0);
    post(3, 64, WORK_WITH_IMMEDIATE);
    EXPECT_EQ(by_hand_send(&nic), 2);
    EXPECT_EQ(nic.sent[1].opcode, OPCODE_WRITE_ONLY);
    by_hand_close(&nic);
}
