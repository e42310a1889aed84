/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §6: what completes when, at either end. */
#include "observe.h"
#include "spec.h"

enum { PMTU = BY_HAND_PMTU_BYTES };

static struct by_hand nic;

static void expect_nothing(void)
{
    struct transport_event event;

    EXPECT(!by_hand_event(&nic, &event));
}

static struct transport_event received(void)
{
    struct transport_event event;

    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.kind, TRANSPORT_RECV_DONE);
    EXPECT_EQ(event.status, COMPLETION_SUCCESS);
    return event;
}

static void open_with_receives(uint32_t count)
{
    observe_open(&nic);
    for (uint32_t i = 0; i < count; i++)
        EXPECT_EQ(transport_post_recv(nic.transport, OBSERVE_QPN, 100 + i), 0);
}

static enum drop_reason arrive_imm(int32_t number, uint16_t rqmsn)
{
    struct packet packet =
        by_hand_write_imm(&nic, OBSERVE_QPN, observe_in(number), rqmsn, 1000u + rqmsn);

    return by_hand_receive(&nic, &packet);
}

static uint32_t acks_of(int32_t number, uint8_t flags)
{
    observe_answers(&nic, number, flags);
    return observe_count(&nic, observe_is_ack);
}

#define EXPECT_SENT(id) EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, id, COMPLETION_SUCCESS))

/* ---- §6.1 plain WRITE ----------------------------------------------------------------------- */

SPEC("§6.1: being SACKed is not enough: a WRITE completes with the Transport ACK of its last PSN")
{
    observe_open(&nic);
    observe_post(&nic, 1, 3 * PMTU);
    EXPECT_EQ(observe_sacked(&nic, &nic.sent[2], observe_out(2)), DROP_NONE);
    expect_nothing();
    EXPECT_EQ(observe_acked(&nic, 1, 0), DROP_NONE);
    expect_nothing();
    EXPECT_EQ(observe_acked(&nic, 2, 1), DROP_NONE);
    EXPECT_SENT(1);
    expect_nothing();
    by_hand_close(&nic);
}

SPEC("§6.1: one ACK completes all messages it covers, in the order of the queue")
{
    observe_open(&nic);
    for (uint64_t id = 1; id <= 4; id++)
        observe_post(&nic, id, 64);
    EXPECT_EQ(observe_acked(&nic, 2, 3), DROP_NONE);
    EXPECT_SENT(1);
    EXPECT_SENT(2);
    EXPECT_SENT(3);
    expect_nothing();
    EXPECT_EQ(observe_acked(&nic, 3, 4), DROP_NONE);
    EXPECT_SENT(4);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_MESSAGES_SENT), 4);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_BYTES_ACKNOWLEDGED), 4 * 64);
    by_hand_close(&nic);
}

SPEC("§6.1: an ACK completes a message if its PSN covers the last packet, else it is dropped")
{
    observe_open(&nic);
    for (uint64_t id = 1; id <= 3; id++)
        observe_post(&nic, id, 64);
    EXPECT_EQ(observe_acked(&nic, 0, 3), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(observe_acked(&nic, 1, 3), DROP_FEEDBACK_RANGE);
    expect_nothing();
    EXPECT_EQ(observe_acked(&nic, 2, 3), DROP_NONE);
    EXPECT_SENT(1);
    EXPECT_SENT(2);
    EXPECT_SENT(3);
    EXPECT_EQ(observe_status(&nic).inflight_bytes, 0);
    EXPECT(psn_equal(observe_status(&nic).unacked_psn, observe_status(&nic).next_psn));
    by_hand_close(&nic);
}

SPEC("§6.1: only signalled requests are reported, unless all are to be")
{
    observe_open(&nic);
    by_hand_post(&nic, OBSERVE_QPN, 1, 64, 0);
    observe_post(&nic, 2, 64);
    by_hand_post(&nic, OBSERVE_QPN, 3, 64, 0);
    by_hand_send(&nic);
    EXPECT_EQ(observe_acked(&nic, 2, 3), DROP_NONE);
    EXPECT_SENT(2);
    expect_nothing();
    by_hand_close(&nic);
    observe_prepare(&nic);
    nic.init.signal_all = true;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    by_hand_post(&nic, OBSERVE_QPN, 1, 64, 0);
    by_hand_send(&nic);
    EXPECT_EQ(observe_acked(&nic, 0, 1), DROP_NONE);
    EXPECT_SENT(1);
    by_hand_close(&nic);
}

SPEC("§6.1: a plain WRITE completes nothing at the responder")
{
    open_with_receives(1);
    EXPECT_EQ(observe_arrive(&nic, 0, PACKET_ACK_REQUEST), DROP_NONE);
    expect_nothing();
    by_hand_close(&nic);
}

SPEC("§6.1: an ACK for messages or PSNs never sent is refused and completes nothing")
{
    observe_open(&nic);
    observe_post(&nic, 1, 64);
    EXPECT_EQ(observe_acked(&nic, 0, 2), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(observe_acked(&nic, 1, 1), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(observe_acked(&nic, 0, (1 << 23) - 1), DROP_FEEDBACK_RANGE);
    expect_nothing();
    EXPECT_EQ(observe_status(&nic).unacked_psn.value, observe_out(0).value);
    by_hand_close(&nic);
}

SPEC("§6.1: an ACK for a message of which a packet was not sent yet is refused")
{
    observe_open(&nic);
    observe_post(&nic, 1, 200 * PMTU);
    EXPECT_EQ(observe_acked(&nic, 127, 1), DROP_FEEDBACK_RANGE);
    expect_nothing();
    by_hand_close(&nic);
}

SPEC("§6.1: an ACK older than the newest takes nothing back")
{
    observe_open(&nic);
    observe_post(&nic, 1, 64);
    observe_post(&nic, 2, 64);
    EXPECT_EQ(observe_acked(&nic, 1, 2), DROP_NONE);
    EXPECT_EQ(observe_acked(&nic, 0, 1), DROP_NONE);
    EXPECT_SENT(1);
    EXPECT_SENT(2);
    expect_nothing();
    EXPECT_EQ(observe_status(&nic).unacked_psn.value, observe_out(2).value);
    by_hand_close(&nic);
}

/* ---- §6.2 WriteImm -------------------------------------------------------------------------- */

SPEC("§6.2: a WriteImm is a barrier: it waits for every packet with a smaller PSN")
{
    open_with_receives(1);
    EXPECT_EQ(observe_arrive(&nic, 0, 0), DROP_NONE);
    EXPECT_EQ(arrive_imm(3, 0), DROP_NONE);
    EXPECT_EQ(observe_arrive(&nic, 2, 0), DROP_NONE);
    expect_nothing();
    EXPECT_EQ(observe_arrive(&nic, 1, 0), DROP_NONE);
    EXPECT_EQ(received().immediate, 1000);
    expect_nothing();
    by_hand_close(&nic);
}

SPEC("§6.2: a WriteImm waits for the other packets of its own message, too")
{
    struct packet packet;

    open_with_receives(1);
    packet = by_hand_write_imm(&nic, OBSERVE_QPN, observe_in(1), 0, 5);
    packet.opcode = OPCODE_WRITE_LAST_IMM;
    packet.write.message_bytes = PMTU + 64;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    expect_nothing();
    packet = by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_FIRST, observe_in(0), PMTU);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    EXPECT_EQ(received().immediate, 5);
    by_hand_close(&nic);
}

SPEC("§6.2: what comes after a WriteImm does not hold it up")
{
    open_with_receives(1);
    EXPECT_EQ(observe_arrive(&nic, 5, 0), DROP_NONE);
    EXPECT_EQ(arrive_imm(0, 0), DROP_NONE);
    EXPECT_EQ(received().immediate, 1000);
    by_hand_close(&nic);
}

SPEC("§6.2: early immediates are delivered in the order of rqmsn, each to the next receive")
{
    open_with_receives(4);
    for (uint32_t i = 4; i-- > 1;)
        EXPECT_EQ(arrive_imm((int32_t)i, (uint16_t)i), DROP_NONE);
    expect_nothing();
    EXPECT_EQ(arrive_imm(0, 0), DROP_NONE);
    for (uint32_t i = 0; i < 4; i++) {
        struct transport_event event = received();

        EXPECT_EQ(event.immediate, 1000 + i);
        EXPECT_EQ(event.id, 100 + i);
    }
    by_hand_close(&nic);
}

SPEC("§6.2: the completion has immediate, length of the message, and whether it is solicited")
{
    struct packet packet;
    struct transport_event event;

    open_with_receives(2);
    packet = by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_FIRST, observe_in(0), PMTU);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    packet = by_hand_write_imm(&nic, OBSERVE_QPN, observe_in(1), 0, 0xabcdef01);
    packet.opcode = OPCODE_WRITE_LAST_IMM;
    packet.flags |= PACKET_SOLICITED;
    packet.write.message_bytes = PMTU + 64;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    event = received();
    EXPECT_EQ(event.qpn, OBSERVE_QPN);
    EXPECT_EQ(event.immediate, 0xabcdef01);
    EXPECT_EQ(event.length_bytes, PMTU + 64);
    EXPECT(event.solicited);
    EXPECT_EQ(arrive_imm(2, 1), DROP_NONE);
    EXPECT(!received().solicited);
    by_hand_close(&nic);
}

SPEC("§6.2: max_wimm_dest WriteImm fit above the next one, one more is an error")
{
    open_with_receives(16);
    observe_modify(&nic, (struct qp_attributes){ .max_wimm_dest = 4 }, QP_ATTR_MAX_WIMM_DEST);
    EXPECT_EQ(arrive_imm(3, 3), DROP_NONE);
    EXPECT_EQ(arrive_imm(0, 0), DROP_NONE);
    EXPECT_EQ(arrive_imm(4, 4), DROP_NONE);
    EXPECT_EQ(arrive_imm(5, 5), DROP_WRITE_IMM_LIMIT);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_ERR);
    by_hand_close(&nic);
}

SPEC("§6.2: rqmsn wraps, with early immediates on both sides")
{
    open_with_receives(0);
    for (uint32_t i = 0; i < 0x10010; i += 2) {
        transport_post_recv(nic.transport, OBSERVE_QPN, i);
        transport_post_recv(nic.transport, OBSERVE_QPN, i + 1);
        EXPECT_EQ(arrive_imm((int32_t)i + 1, (uint16_t)(i + 1)), DROP_NONE);
        EXPECT_EQ(arrive_imm((int32_t)i, (uint16_t)i), DROP_NONE);
        EXPECT_EQ(received().immediate, 1000 + (uint16_t)i);
        EXPECT_EQ(received().id, i + 1);
        by_hand_send(&nic);
    }
    by_hand_close(&nic);
}

/* ---- §6.3 Transport ACK --------------------------------------------------------------------- */

SPEC("§6.3: an ACK has the cumulative PSN, the number of messages done, and syndrome 0x1f")
{
    observe_open(&nic);
    observe_answers(&nic, 1, 0);
    observe_answers(&nic, 4, 0);
    EXPECT_EQ(acks_of(0, PACKET_ACK_REQUEST), 1);
    EXPECT_EQ(observe_nth(&nic, observe_is_ack, 0)->psn.value, observe_in(1).value);
    EXPECT_EQ(observe_nth(&nic, observe_is_ack, 0)->ack.messages_done, 2);
    EXPECT_EQ(observe_nth(&nic, observe_is_ack, 0)->ack.syndrome, 0x1f);
    EXPECT_EQ(observe_nth(&nic, observe_is_ack, 0)->class, DSCP_CONTROL);
    by_hand_close(&nic);
}

SPEC("§6.3: an ACK goes when cack reaches a PSN that asked for it, not when that one arrives")
{
    observe_open(&nic);
    EXPECT_EQ(acks_of(2, PACKET_ACK_REQUEST), 0);
    EXPECT_EQ(acks_of(1, 0), 0);
    EXPECT_EQ(acks_of(0, 0), 1);
    EXPECT_EQ(observe_nth(&nic, observe_is_ack, 0)->psn.value, observe_in(2).value);
    by_hand_close(&nic);
}

SPEC("§6.3: a message that does not ask gets no ACK")
{
    observe_open(&nic);
    for (int32_t i = 0; i < 20; i++)
        EXPECT_EQ(acks_of(i, 0), 0);
    by_hand_close(&nic);
}

SPEC("§6.3: messages that ask and become complete together are acknowledged by one ACK")
{
    observe_open(&nic);
    for (int32_t i = 1; i < 10; i++)
        EXPECT_EQ(acks_of(i, PACKET_ACK_REQUEST), 0);
    EXPECT_EQ(acks_of(0, PACKET_ACK_REQUEST), 1);
    EXPECT_EQ(observe_nth(&nic, observe_is_ack, 0)->ack.messages_done, 10);
    by_hand_close(&nic);
}

SPEC("§6.3: a request in the middle of a message causes a SACK and no ACK (decision 4)")
{
    struct packet packet;

    observe_open(&nic);
    packet = by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_FIRST, observe_in(0), PMTU);
    packet.flags |= PACKET_ACK_REQUEST;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(observe_count(&nic, observe_is_sack), 1);
    by_hand_close(&nic);
}

SPEC("§6.3: messages are counted modulo 2^24 and from 0 at RTR")
{
    observe_open(&nic);
    EXPECT_EQ(acks_of(0, PACKET_ACK_REQUEST), 1);
    EXPECT_EQ(observe_nth(&nic, observe_is_ack, 0)->ack.messages_done, 1);
    by_hand_move(&nic, OBSERVE_QPN, QP_RESET);
    by_hand_reconnect(&nic, OBSERVE_QPN);
    EXPECT_EQ(acks_of(0, PACKET_ACK_REQUEST), 1);
    EXPECT_EQ(observe_nth(&nic, observe_is_ack, 0)->ack.messages_done, 1);
    by_hand_close(&nic);
}

/* ---- §6.3 a lost ACK ------------------------------------------------------------------------ */

SPEC("§6.3: the oldest message that lacks its ACK is the one whose last packet is repeated")
{
    uint64_t wait_ns;

    observe_open(&nic);
    observe_post(&nic, 1, 2 * PMTU);
    observe_post(&nic, 2, 2 * PMTU);
    EXPECT_EQ(observe_sacked(&nic, &nic.sent[1], observe_out(3)), DROP_NONE);
    wait_ns = observe_wait_for(&nic, observe_is_data, 100000);
    EXPECT_AFTER(wait_ns, 17500); /* base RTT and target */
    EXPECT_EQ(observe_count(&nic, observe_is_data), 1);
    EXPECT_EQ(nic.sent[0].psn.value, observe_out(1).value);
    EXPECT_EQ(nic.sent[0].flags & (PACKET_ACK_REQUEST | PACKET_RETRANSMISSION),
        PACKET_ACK_REQUEST | PACKET_RETRANSMISSION);
    EXPECT_EQ(observe_count(&nic, observe_is_probe), 0);
    by_hand_close(&nic);
}

SPEC("§6.3: the repeat for a lost ACK comes every 5 base RTT, takes no PSN and no window")
{
    uint64_t wait_ns;

    observe_open(&nic);
    observe_post(&nic, 1, 64);
    EXPECT_EQ(observe_sacked(&nic, &nic.sent[0], observe_out(0)), DROP_NONE);
    EXPECT_LT(observe_wait_for(&nic, observe_is_repeat, 100000), 100000);
    wait_ns = observe_wait_for(&nic, observe_is_repeat, 100000);
    EXPECT_AFTER(wait_ns, 50000);
    EXPECT_EQ(observe_status(&nic).inflight_bytes, 0);
    EXPECT_EQ(observe_status(&nic).next_psn.value, observe_out(1).value);
    EXPECT_EQ(observe_status(&nic).timeouts, 0);
    by_hand_close(&nic);
}

/* ---- §6.4 Transport NAK --------------------------------------------------------------------- */

SPEC("§6.4: a NAK does not acknowledge the packets before its PSN: only its msn is trusted")
{
    struct packet nak;

    observe_open(&nic);
    for (uint64_t id = 1; id <= 4; id++)
        observe_post(&nic, id, 2 * PMTU);
    nak = by_hand_nak(&nic, OBSERVE_QPN, observe_out(5), ACK_SYNDROME_REMOTE_ACCESS, 1);
    EXPECT_EQ(by_hand_receive(&nic, &nak), DROP_NONE);
    EXPECT_SENT(1);
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 2, COMPLETION_FLUSHED));
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 3, COMPLETION_REMOTE_ACCESS));
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 4, COMPLETION_FLUSHED));
    expect_nothing();
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_ERR);
    by_hand_close(&nic);
}

SPEC("§6.4: a NAK for PSNs or messages never sent is refused")
{
    struct packet nak;

    observe_open(&nic);
    observe_post(&nic, 1, 64);
    nak = by_hand_nak(&nic, OBSERVE_QPN, observe_out(1), ACK_SYNDROME_REMOTE_ACCESS, 0);
    EXPECT_EQ(by_hand_receive(&nic, &nak), DROP_FEEDBACK_RANGE);
    nak = by_hand_nak(&nic, OBSERVE_QPN, observe_out(0), ACK_SYNDROME_REMOTE_ACCESS, 2);
    EXPECT_EQ(by_hand_receive(&nic, &nak), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
    expect_nothing();
    EXPECT_EQ(observe_acked(&nic, 0, 1), DROP_NONE);
    EXPECT_SENT(1);
    by_hand_close(&nic);
}

/* Two messages of four packets are under way behind one that is done. */
static enum drop_reason nak_of(int32_t number, uint32_t messages_done)
{
    struct packet nak;
    enum drop_reason reason;

    observe_open(&nic);
    for (uint64_t id = 1; id <= 3; id++)
        observe_post(&nic, id, 4 * PMTU);
    EXPECT_EQ(observe_acked(&nic, 3, 1), DROP_NONE);
    nak = by_hand_nak(
        &nic, OBSERVE_QPN, observe_out(number), ACK_SYNDROME_REMOTE_ACCESS, messages_done);
    reason = by_hand_receive(&nic, &nak);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), reason == DROP_NONE ? QP_ERR : QP_RTS);
    EXPECT_EQ(transport_drops(nic.transport)[DROP_FEEDBACK_RANGE], reason != DROP_NONE);
    by_hand_close(&nic);
    return reason;
}

SPEC("§6.4: a NAK fails a QP only if its PSN was sent and belongs to a message that is not done")
{
    EXPECT_EQ(nak_of(4, 1), DROP_NONE);
    EXPECT_EQ(nak_of(11, 1), DROP_NONE);
    EXPECT_EQ(nak_of(12, 1), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(nak_of(3, 1), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(nak_of(0, 1), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(nak_of(-1, 1), DROP_FEEDBACK_RANGE);
    for (int32_t number = -(1 << 23); number < 1 << 23; number += 99991)
        if (number < 4 || number >= 12)
            EXPECT_EQ(nak_of(number, 1), DROP_FEEDBACK_RANGE);
}

SPEC("§6.4: a NAK counts no message as done that its PSN belongs to or that comes after it")
{
    EXPECT_EQ(nak_of(8, 2), DROP_NONE);
    EXPECT_EQ(nak_of(7, 2), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(nak_of(11, 3), DROP_FEEDBACK_RANGE);
}

SPEC("§6.1: an ACK far behind, or ahead of what was sent, is dropped and counted")
{
    observe_open(&nic);
    observe_post(&nic, 1, 64);
    EXPECT_EQ(observe_acked(&nic, 1, 0), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(observe_acked(&nic, 1 << 22, 0), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(observe_acked(&nic, -(1 << 22), 0), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(observe_acked(&nic, -130, 0), DROP_FEEDBACK_RANGE); /* the window has 128 PSNs */
    EXPECT_EQ(transport_drops(nic.transport)[DROP_FEEDBACK_RANGE], 4);
    EXPECT_EQ(observe_acked(&nic, -1, 0), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).inflight_bytes, 152);
    by_hand_close(&nic);
}
