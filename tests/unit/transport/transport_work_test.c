/* SPDX-License-Identifier: Apache-2.0 */
/* Work: posting it, completing it, flushing it, forgetting it (docs/protocol.md §6, §22). */
#include "by_hand.h"
#include "spec.h"

#include <errno.h>

enum { QPN = 7, OTHER_QPN = 8 };

static struct by_hand nic;

static void open_nic(void)
{
    by_hand_prepare(&nic);
    by_hand_open(&nic);
}

static void open_connected(void)
{
    open_nic();
    by_hand_connect(&nic, QPN);
}

static struct psn sent_psn(uint32_t number)
{
    return psn_add(psn(BY_HAND_SQ_PSN), (int32_t)number);
}

static struct psn received_psn(uint32_t number)
{
    return psn_add(psn(BY_HAND_RQ_PSN), (int32_t)number);
}

/* The peer has executed `messages_done` messages, packets up to `last_packet` included. */
static void acknowledge(uint32_t last_packet, uint32_t messages_done)
{
    struct packet ack = by_hand_ack(&nic, QPN, sent_psn(last_packet), messages_done);

    EXPECT_EQ(by_hand_receive(&nic, &ack), DROP_NONE);
}

static void expect_no_event(void)
{
    struct transport_event event;

    EXPECT(!by_hand_event(&nic, &event));
}

#define EXPECT_SENT(id, status)     EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, id, status))
#define EXPECT_RECEIVED(id, status) EXPECT(by_hand_completed(&nic, TRANSPORT_RECV_DONE, id, status))

/* ---- posting -------------------------------------------------------------------------------- */

SPEC("work for an unknown QP, or for a half the QP does not have, is refused")
{
    open_nic();
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 10, 0), -EINVAL);
    EXPECT_EQ(transport_post_recv(nic.transport, QPN, 1), -EINVAL);
    nic.init.window_psns_max = 0;
    by_hand_connect(&nic, QPN);
    nic.init.window_psns_max = 128;
    nic.init.window_psns_max_dest = 0;
    by_hand_connect(&nic, OTHER_QPN);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 10, 0), -EINVAL);
    EXPECT_EQ(transport_post_recv(nic.transport, QPN, 1), 0);
    EXPECT_EQ(by_hand_post(&nic, OTHER_QPN, 1, 10, 0), 0);
    EXPECT_EQ(transport_post_recv(nic.transport, OTHER_QPN, 1), -EINVAL);
    by_hand_close(&nic);
}

SPEC("a message has 2^31 bytes at most")
{
    open_connected();
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, (UINT32_C(1) << 31) + 1, 0), -EINVAL);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, UINT32_MAX, 0), -EINVAL);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, UINT32_C(1) << 31, 0), 0);
    by_hand_close(&nic);
}

SPEC("a full send queue refuses work until a completion was fetched")
{
    open_nic();
    nic.init.send_depth = 3;
    by_hand_connect(&nic, QPN);
    for (uint32_t i = 0; i < 3; i++)
        EXPECT_EQ(by_hand_post(&nic, QPN, i, 10, WORK_SIGNALED), 0);
    EXPECT_EQ(by_hand_post(&nic, QPN, 3, 10, WORK_SIGNALED), -ENOMEM);
    by_hand_send(&nic);
    acknowledge(0, 1);
    EXPECT_EQ(by_hand_post(&nic, QPN, 3, 10, WORK_SIGNALED), -ENOMEM);
    EXPECT_SENT(0, COMPLETION_SUCCESS);
    EXPECT_EQ(by_hand_post(&nic, QPN, 3, 10, WORK_SIGNALED), 0);
    EXPECT_EQ(by_hand_post(&nic, QPN, 4, 10, WORK_SIGNALED), -ENOMEM);
    by_hand_close(&nic);
}

SPEC("a full receive queue refuses work until a completion was fetched")
{
    struct packet packet;

    open_nic();
    nic.init.recv_depth = 2;
    by_hand_connect(&nic, QPN);
    EXPECT_EQ(transport_post_recv(nic.transport, QPN, 1), 0);
    EXPECT_EQ(transport_post_recv(nic.transport, QPN, 2), 0);
    EXPECT_EQ(transport_post_recv(nic.transport, QPN, 3), -ENOMEM);
    packet = by_hand_write_imm(&nic, QPN, received_psn(0), 0, 99);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    EXPECT_EQ(transport_post_recv(nic.transport, QPN, 3), -ENOMEM);
    EXPECT_RECEIVED(1, COMPLETION_SUCCESS);
    EXPECT_EQ(transport_post_recv(nic.transport, QPN, 3), 0);
    by_hand_close(&nic);
}

/* ---- packets of work ------------------------------------------------------------------------ */

SPEC("§3: a WRITE is cut into packets with address, message number, flags and offset")
{
    static const uint8_t opcodes[] = { OPCODE_WRITE_FIRST, OPCODE_WRITE_MIDDLE, OPCODE_WRITE_LAST };
    struct ipv6_addr peer = by_hand_address(1);

    open_connected();
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 2 * 1024 + 5, WORK_SIGNALED), 0);
    EXPECT_EQ(by_hand_send(&nic), 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct packet *packet = &nic.sent[i];

        EXPECT_EQ(packet->opcode, opcodes[i]);
        EXPECT(ip_address_equal(&packet->src, &nic.config.address));
        EXPECT(ip_address_equal(&packet->dst, &peer));
        EXPECT_EQ(packet->dest_qpn, BY_HAND_PEER_QPN + QPN);
        EXPECT_EQ(by_hand_sender(packet), QPN);
        EXPECT_EQ(packet->psn.value, sent_psn(i).value);
        EXPECT_EQ(packet->class, DSCP_TRIMMABLE);
        EXPECT_EQ(packet->ecn, ECN_ECT0);
        EXPECT_EQ(packet->ev >> 8, packet->port);
        EXPECT_EQ(packet->flags, PACKET_STAMPED | (i == 2 ? PACKET_ACK_REQUEST : 0));
        EXPECT_EQ(packet->write.tx_timestamp, nic.now_ns / 128 % 65536);
        EXPECT_EQ(packet->write.va, (UINT64_C(1) << 32) + i * 1024);
        EXPECT_EQ(packet->write.rkey, BY_HAND_RKEY);
        EXPECT_EQ(packet->write.message_bytes, 2 * 1024 + 5);
        EXPECT_EQ(packet->write.payload.offset_bytes, i * 1024);
        EXPECT_EQ(packet->write.payload.length, i == 2 ? 5 : 1024);
        EXPECT_EQ(packet->write.pad_bytes, i == 2 ? 3 : 0);
        EXPECT_EQ(packet->write.msn, 0);
        EXPECT_EQ(transport_request(nic.transport, packet)->id, 1);
    }
    EXPECT_NE(nic.sent[0].port, nic.sent[1].port);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_SENT), 3);
    by_hand_close(&nic);
}

SPEC("§3: a WriteImm carries immediate, rqmsn and solicitation; a plain WRITE solicits nothing")
{
    open_connected();
    by_hand_post(&nic, QPN, 1, 0, WORK_SOLICITED);
    by_hand_post(&nic, QPN, 2, 8, WORK_WITH_IMMEDIATE);
    by_hand_post(&nic, QPN, 3, 1025, WORK_WITH_IMMEDIATE | WORK_SOLICITED);
    EXPECT_EQ(by_hand_send(&nic), 4);
    EXPECT_EQ(nic.sent[0].opcode, OPCODE_WRITE_ONLY);
    EXPECT_EQ(nic.sent[0].write.payload.length, 0);
    EXPECT_EQ(nic.sent[0].flags & PACKET_SOLICITED, 0);
    EXPECT_EQ(nic.sent[1].opcode, OPCODE_WRITE_ONLY_IMM);
    EXPECT_EQ(nic.sent[1].write.immediate, 2);
    EXPECT_EQ(nic.sent[1].write.rqmsn, 0);
    EXPECT_EQ(nic.sent[1].write.msn, 1);
    EXPECT_EQ(nic.sent[1].flags & PACKET_SOLICITED, 0);
    EXPECT_EQ(nic.sent[2].opcode, OPCODE_WRITE_FIRST);
    EXPECT_EQ(nic.sent[2].flags & PACKET_SOLICITED, 0);
    EXPECT_EQ(nic.sent[3].opcode, OPCODE_WRITE_LAST_IMM);
    EXPECT_EQ(nic.sent[3].write.immediate, 3);
    EXPECT_EQ(nic.sent[3].write.rqmsn, 1);
    EXPECT_EQ(nic.sent[3].write.msn, 2);
    EXPECT_EQ(nic.sent[3].flags & PACKET_SOLICITED, PACKET_SOLICITED);
    by_hand_close(&nic);
}

SPEC("placements, completions and requests have the owner of their QP")
{
    uint32_t owners[2];
    struct packet packet;
    struct transport_event event;

    open_nic();
    for (uint32_t i = 0; i < 2; i++) {
        nic.init.owner = &owners[i];
        by_hand_connect(&nic, QPN + i);
    }
    packet = by_hand_write(&nic, OTHER_QPN, OPCODE_WRITE_ONLY, received_psn(0), 8);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    EXPECT(nic.placed.owner == &owners[1]);
    by_hand_discard_events(&nic);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 10, WORK_SIGNALED), 0);
    by_hand_send(&nic);
    EXPECT(transport_sender(nic.transport, by_hand_first(&nic, OPCODE_WRITE_ONLY)) == &owners[0]);
    EXPECT(transport_sender(nic.transport, by_hand_first(&nic, OPCODE_SACK)) == &owners[1]);
    EXPECT(transport_qp_owner(nic.transport, OTHER_QPN) == &owners[1]);
    EXPECT(transport_qp_owner(nic.transport, OTHER_QPN + 1) == NULL);
    acknowledge(0, 1);
    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.kind, TRANSPORT_SEND_DONE);
    EXPECT(event.owner == &owners[0]);
    by_hand_close(&nic);
}

SPEC("at most as many packets leave as there is room for, and none for a port that is not ready")
{
    struct packet out[4];

    open_connected();
    by_hand_post(&nic, QPN, 1, 10 * 1024, 0);
    EXPECT_EQ(transport_send(nic.transport, 3, out, 0, nic.now_ns), 0);
    EXPECT_EQ(transport_send(nic.transport, 0, out, 4, nic.now_ns), 0);
    EXPECT(transport_wants_to_send(nic.transport));
    EXPECT_EQ(transport_send(nic.transport, 2, out, 3, nic.now_ns), 3);
    for (uint32_t i = 0; i < 3; i++)
        EXPECT_EQ(out[i].port, 1);
    EXPECT_EQ(transport_send(nic.transport, 1, out, 4, nic.now_ns), 4);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(out[i].port, 0);
    EXPECT_EQ(by_hand_send(&nic), 3);
    EXPECT(!transport_wants_to_send(nic.transport));
    by_hand_close(&nic);
}

SPEC("§21: with a quantum of one, QPs to different peers take turns of one packet")
{
    struct packet out[6];

    by_hand_prepare(&nic);
    nic.config.parameters.send_quantum = 1;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    nic.peer = 2;
    by_hand_connect(&nic, OTHER_QPN);
    by_hand_post(&nic, QPN, 1, 5 * 1024, 0);
    by_hand_post(&nic, OTHER_QPN, 1, 5 * 1024, 0);
    EXPECT_EQ(transport_send(nic.transport, 3, out, 6, nic.now_ns), 6);
    for (uint32_t i = 0; i < 6; i++)
        EXPECT_EQ(by_hand_sender(&out[i]), i % 2 ? OTHER_QPN : QPN);
    by_hand_close(&nic);
}

SPEC("§21: a burst is 8 packets or an eighth of the window, whichever is more")
{
    struct packet out[200];

    by_hand_prepare(&nic);
    nic.config.parameters.max_cwnd = 40 * (BY_HAND_PMTU_BYTES + 88);
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    by_hand_post(&nic, QPN, 1, 100 * 1024, 0);
    EXPECT_EQ(transport_send(nic.transport, 3, out, 200, nic.now_ns), 8);
    EXPECT_EQ(transport_send(nic.transport, 3, out, 200, nic.now_ns), 8);
    by_hand_close(&nic);
    by_hand_prepare(&nic);
    nic.config.parameters.max_cwnd = 96 * (BY_HAND_PMTU_BYTES + 88) + 8;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    by_hand_post(&nic, QPN, 1, 100 * 1024, 0);
    EXPECT_EQ(
        transport_send(nic.transport, 3, out, 200, nic.now_ns), 13); /* what is begun counts */
    by_hand_close(&nic);
}

SPEC("§21: a larger quantum means more packets in a turn, but never more than there is room for")
{
    struct packet out[20] = { 0 };

    by_hand_prepare(&nic);
    nic.config.parameters.send_quantum = 4;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    nic.peer = 2;
    by_hand_connect(&nic, OTHER_QPN);
    by_hand_post(&nic, QPN, 1, 100 * 1024, 0);
    by_hand_post(&nic, OTHER_QPN, 1, 100 * 1024, 0);
    EXPECT_EQ(transport_send(nic.transport, 3, out, 10, nic.now_ns), 10);
    for (uint32_t i = 0; i < 10; i++)
        EXPECT_EQ(by_hand_sender(&out[i]), i / 4 % 2 ? OTHER_QPN : QPN);
    EXPECT_EQ(out[10].dest_qpn, 0);
    by_hand_close(&nic);
}

SPEC("QPs that have sent their last packet do not block others")
{
    struct packet out[4];

    open_nic();
    for (uint32_t qpn = QPN; qpn < QPN + 3; qpn++) {
        by_hand_connect(&nic, qpn);
        by_hand_post(&nic, qpn, 1, 10, 0);
    }
    EXPECT_EQ(transport_send(nic.transport, 3, out, 2, nic.now_ns), 2);
    by_hand_connect(&nic, QPN + 3);
    by_hand_post(&nic, QPN + 3, 1, 10, 0);
    EXPECT_EQ(transport_send(nic.transport, 3, out, 1, nic.now_ns), 1);
    EXPECT_EQ(transport_send(nic.transport, 3, out, 4, nic.now_ns), 1);
    EXPECT_EQ(by_hand_sender(&out[0]), QPN + 3);
    by_hand_close(&nic);
}

SPEC("a late deadline does not delay an early one")
{
    struct packet packet;

    open_connected();
    for (uint32_t i = 0; i < 2; i++) {
        packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, received_psn(i), 100);
        by_hand_receive(&nic, &packet); /* the first is reported, the second is not yet */
    }
    by_hand_post(&nic, QPN, 1, 10, 0);
    by_hand_send(&nic);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_SACK_SENT), 1);
    by_hand_wait(&nic, 10000 + 256); /* a base RTT */
    EXPECT_EQ(by_hand_count(&nic, COUNTER_SACK_SENT), 2);
    by_hand_close(&nic);
}

/* ---- completing ----------------------------------------------------------------------------- */

SPEC("a completion has the QP, request and length")
{
    struct transport_event event;

    open_connected();
    by_hand_post(&nic, QPN, UINT64_C(0xfedcba9876543210), 777, WORK_SIGNALED);
    by_hand_send(&nic);
    acknowledge(0, 1);
    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.kind, TRANSPORT_SEND_DONE);
    EXPECT_EQ(event.qpn, QPN);
    EXPECT_EQ(event.id, UINT64_C(0xfedcba9876543210));
    EXPECT_EQ(event.length_bytes, 777);
    EXPECT_EQ(event.status, COMPLETION_SUCCESS);
    by_hand_close(&nic);
}

SPEC("requests without a completion free their place in the queue once events are fetched")
{
    open_nic();
    nic.init.send_depth = 1;
    by_hand_connect(&nic, QPN);
    by_hand_post(&nic, QPN, 1, 10, 0);
    by_hand_send(&nic);
    acknowledge(0, 1);
    expect_no_event();
    EXPECT_EQ(by_hand_post(&nic, QPN, 2, 10, 0), 0);
    by_hand_close(&nic);
}

SPEC("completions that are not fetched wait, for any number")
{
    by_hand_prepare(&nic);
    nic.config.qp_count_max = 1;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    for (uint32_t i = 0; i < 5; i++)
        by_hand_post(&nic, QPN, i, 10, WORK_SIGNALED);
    by_hand_send(&nic);
    for (uint32_t i = 0; i < 5; i++)
        acknowledge(i, i + 1);
    for (uint32_t i = 0; i < 5; i++)
        EXPECT_SENT(i, COMPLETION_SUCCESS);
    expect_no_event();
    by_hand_close(&nic);
}

/* Sends half of the answers that wait, the oldest. */
static void answer_half(void)
{
    uint32_t half = transport_answers_waiting(nic.transport) / 2;
    struct packet out[4];

    EXPECT(half >= 1 && half <= 4);
    EXPECT_EQ(transport_send(nic.transport, UINT32_MAX, out, half, nic.now_ns), half);
}

SPEC("events of a QP wait until its answers have left, and events of other QPs do not")
{
    struct transport_event event;

    open_connected();
    by_hand_connect(&nic, OTHER_QPN);
    for (uint32_t qpn = QPN; qpn <= OTHER_QPN; qpn++) {
        struct packet packet = by_hand_write_imm(&nic, qpn, received_psn(0), 0, 1);

        transport_post_recv(nic.transport, qpn, qpn);
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    }
    EXPECT(!transport_next_answered_event(nic.transport, &event));
    answer_half();
    EXPECT(transport_next_answered_event(nic.transport, &event));
    EXPECT_EQ(event.qpn, QPN);
    EXPECT(!transport_next_answered_event(nic.transport, &event));
    by_hand_send(&nic);
    EXPECT(transport_next_answered_event(nic.transport, &event));
    EXPECT_EQ(event.qpn, OTHER_QPN);
    expect_no_event();
    by_hand_close(&nic);
}

SPEC("while one QP owes an answer, a search for events of the others ends and loses none of them")
{
    struct transport_event event;
    struct packet packet;

    open_connected();
    by_hand_connect(&nic, OTHER_QPN);
    for (uint32_t i = 0; i < 3; i++) { /* one event of each turn was fetched before the next */
        by_hand_post(&nic, QPN, i, 1024, WORK_SIGNALED);
        by_hand_send(&nic);
        packet = by_hand_write(&nic, OTHER_QPN, OPCODE_WRITE_ONLY, received_psn(i), 64);
        packet.flags |= PACKET_ACK_REQUEST;
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
        EXPECT_GE(transport_answers_waiting(nic.transport), 1);
        EXPECT(!transport_next_answered_event(nic.transport, &event));
        acknowledge(i, i + 1);
        EXPECT(transport_next_answered_event(nic.transport, &event));
        EXPECT_EQ(event.id, i);
        EXPECT(!transport_next_answered_event(nic.transport, &event));
        transport_check(nic.transport);
    }
    expect_no_event();
    by_hand_close(&nic);
}

/* ---- errors --------------------------------------------------------------------------------- */

SPEC("§22: in ERR finished requests complete, and all others are flushed, in order, sends first")
{
    open_connected();
    for (uint32_t i = 0; i < 4; i++)
        by_hand_post(&nic, QPN, 10 + i, 1024, i == 3 ? 0 : WORK_SIGNALED);
    transport_post_recv(nic.transport, QPN, 20);
    transport_post_recv(nic.transport, QPN, 21);
    by_hand_send(&nic);
    acknowledge(0, 1);
    EXPECT_EQ(by_hand_move(&nic, QPN, QP_ERR), 0);
    EXPECT_SENT(10, COMPLETION_SUCCESS);
    EXPECT_SENT(11, COMPLETION_FLUSHED);
    EXPECT_SENT(12, COMPLETION_FLUSHED);
    EXPECT_SENT(13, COMPLETION_FLUSHED); /* signalled or not */
    EXPECT_RECEIVED(20, COMPLETION_FLUSHED);
    EXPECT_RECEIVED(21, COMPLETION_FLUSHED);
    expect_no_event();
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_QP_ERRORS), 1);
    by_hand_close(&nic);
}

SPEC("§22: a receive that is posted in ERR is flushed at once")
{
    open_connected();
    EXPECT_EQ(by_hand_move(&nic, QPN, QP_ERR), 0);
    by_hand_discard_events(&nic);
    transport_post_recv(nic.transport, QPN, 20);
    EXPECT_RECEIVED(20, COMPLETION_FLUSHED);
    expect_no_event();
    by_hand_close(&nic);
}

SPEC("§22: a QP that goes from RESET to ERR flushes posted requests")
{
    open_nic();
    by_hand_create(&nic, QPN);
    EXPECT_EQ(by_hand_move(&nic, QPN, QP_ERR), 0);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 10, 0), 0);
    EXPECT_EQ(transport_post_recv(nic.transport, QPN, 2), 0);
    EXPECT_SENT(1, COMPLETION_FLUSHED);
    EXPECT_RECEIVED(2, COMPLETION_FLUSHED);
    by_hand_close(&nic);
}

SPEC("in ERR there are no timers and nothing is sent")
{
    open_connected();
    by_hand_post(&nic, QPN, 1, 1024, 0);
    by_hand_send(&nic);
    by_hand_move(&nic, QPN, QP_ERR);
    by_hand_wait(&nic, UINT64_C(1) << 40);
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(transport_deadline_ns(nic.transport), UINT64_MAX);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TIMEOUT_FIRED), 0);
    by_hand_close(&nic);
}

SPEC("§13, §22: without feedback the retries are exhausted, and the oldest request completes with "
     "that error")
{
    struct qp_attributes attributes = { .timeout = 8, .retry_linear = 2, .retry_exponential = 1 };
    uint64_t interval_ns = UINT64_C(1024) << 8;

    open_connected();
    EXPECT_EQ(transport_qp_modify(
                  nic.transport, QPN, &attributes, QP_ATTR_TIMEOUT | QP_ATTR_RETRY, nic.now_ns),
        0);
    by_hand_post(&nic, QPN, 1, 10, 0);
    by_hand_post(&nic, QPN, 2, 10, 0);
    by_hand_send(&nic);
    by_hand_wait(&nic, 5 * interval_ns - 10000); /* T, T, T, then 2 T */
    EXPECT_EQ(by_hand_state(&nic, QPN), QP_RTS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TIMEOUT_FIRED), 3);
    by_hand_wait(&nic, 20000);
    EXPECT_EQ(by_hand_state(&nic, QPN), QP_ERR);
    EXPECT_SENT(1, COMPLETION_RETRY_EXCEEDED);
    EXPECT_SENT(2, COMPLETION_FLUSHED);
    by_hand_close(&nic);
}

/* ---- RESET ---------------------------------------------------------------------------------- */

SPEC("RESET removes work, completions and errors, from any state")
{
    for (enum qp_state from = QP_RTS; from <= QP_ERR; from++) {
        open_connected();
        by_hand_post(&nic, QPN, 1, 10, WORK_SIGNALED);
        by_hand_post(&nic, QPN, 2, 10, WORK_SIGNALED);
        transport_post_recv(nic.transport, QPN, 3);
        by_hand_send(&nic);
        acknowledge(0, 1);
        by_hand_move(&nic, QPN, from);
        EXPECT_EQ(by_hand_move(&nic, QPN, QP_RESET), 0);
        expect_no_event();
        EXPECT_EQ(by_hand_send(&nic), 0);
        by_hand_wait(&nic, UINT64_C(1) << 36);
        EXPECT_EQ(transport_deadline_ns(nic.transport), UINT64_MAX);
        EXPECT_EQ(by_hand_state(&nic, QPN), QP_RESET);
        by_hand_close(&nic);
    }
}

static uint32_t window_bytes(uint32_t qpn)
{
    struct qp_status status;

    EXPECT_EQ(transport_qp_status(nic.transport, qpn, &status), 0);
    return status.window_bytes;
}

/* With a window of 10 packets, how many of 20 the other QP to the peer can send. */
static uint32_t room_for_other(void)
{
    uint32_t first = nic.sent_count;

    EXPECT_EQ(first, 0);
    EXPECT_EQ(by_hand_post(&nic, OTHER_QPN, 1, 20 * 1024, 0), 0);
    return by_hand_send(&nic);
}

SPEC("bytes in flight of a QP in ERR, in RESET or destroyed do not use the window of its peer")
{
    for (uint32_t way = 0; way < 5; way++) {
        by_hand_prepare(&nic);
        nic.config.parameters.max_cwnd = 10 * (BY_HAND_PMTU_BYTES + 88);
        by_hand_open(&nic);
        by_hand_connect(&nic, QPN);
        by_hand_connect(&nic, OTHER_QPN);
        by_hand_post(&nic, QPN, 1, 7 * 1024 + 10, 0);
        EXPECT_EQ(by_hand_send(&nic), 8);
        nic.sent_count = 0;
        if (way == 0 || way == 2 || way == 4) /* via ERR, or at once */
            EXPECT_EQ(by_hand_move(&nic, QPN, QP_ERR), 0);
        if (way == 1 || way == 2)
            EXPECT_EQ(by_hand_move(&nic, QPN, QP_RESET), 0);
        if (way >= 3)
            EXPECT_EQ(transport_qp_destroy(nic.transport, QPN), 0);
        EXPECT_EQ(room_for_other(), 10);
        by_hand_close(&nic);
    }
}

SPEC("a QP that is connected again and leaves before it sends uses no window of its peer")
{
    by_hand_prepare(&nic);
    nic.config.parameters.max_cwnd = 10 * (BY_HAND_PMTU_BYTES + 88);
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    by_hand_connect(&nic, OTHER_QPN);
    by_hand_post(&nic, QPN, 1, 4 * 1024, 0);
    EXPECT_EQ(by_hand_send(&nic), 4);
    nic.sent_count = 0;
    EXPECT_EQ(by_hand_move(&nic, QPN, QP_RESET), 0);
    by_hand_step(&nic, QPN, QP_INIT);
    by_hand_step(&nic, QPN, QP_RTR); /* its window is still that of the former connection */
    EXPECT_EQ(by_hand_move(&nic, QPN, QP_ERR), 0);
    EXPECT_EQ(by_hand_move(&nic, QPN, QP_RESET), 0);
    EXPECT_EQ(room_for_other(), 10);
    by_hand_close(&nic);
}

SPEC("a destination exists while it has a QP, and the next QP starts with a new window")
{
    struct packet nack;
    uint32_t fresh_bytes;

    open_connected();
    fresh_bytes = window_bytes(QPN);
    by_hand_connect(&nic, OTHER_QPN);
    by_hand_post(&nic, QPN, 1, 16 * 1024, 0);
    by_hand_send(&nic);
    nack = by_hand_nack(&nic, QPN, &nic.sent[0], NACK_TRIMMED);
    EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
    EXPECT_LT(window_bytes(OTHER_QPN), fresh_bytes);
    for (uint32_t i = 0; i < 2; i++) { /* by ERR and RESET, twice: the other still counts */
        by_hand_move(&nic, QPN, QP_ERR);
        by_hand_move(&nic, QPN, QP_RESET);
        by_hand_reconnect(&nic, QPN);
        EXPECT_LT(window_bytes(QPN), fresh_bytes);
    }
    by_hand_move(&nic, OTHER_QPN, QP_ERR); /* it still knows its peer */
    by_hand_move(&nic, QPN, QP_ERR);
    by_hand_move(&nic, QPN, QP_RESET);
    by_hand_reconnect(&nic, QPN);
    EXPECT_EQ(window_bytes(QPN), fresh_bytes);
    by_hand_close(&nic);
}

SPEC("in RESET a QP has no peer: no window, no base RTT, no planes")
{
    struct qp_status status;

    open_connected();
    EXPECT_EQ(by_hand_move(&nic, QPN, QP_RESET), 0);
    EXPECT_EQ(transport_qp_status(nic.transport, QPN, &status), 0);
    EXPECT_EQ(status.window_bytes, 0);
    EXPECT_EQ(status.base_rtt_ns, 0);
    EXPECT_EQ(status.plane_mask, 0);
    by_hand_close(&nic);
}

SPEC("RESET removes an asynchronous error that was not fetched")
{
    struct packet packet;

    open_connected();
    nic.refuses = true;
    packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, received_psn(0), 100);
    by_hand_receive(&nic, &packet);
    by_hand_move(&nic, QPN, QP_RESET);
    expect_no_event();
    by_hand_close(&nic);
}

SPEC("RESET removes answers that wait to leave")
{
    struct packet packet;

    open_connected();
    packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, received_psn(0), 100);
    packet.flags |= PACKET_ACK_REQUEST;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    EXPECT(transport_wants_to_send(nic.transport));
    by_hand_move(&nic, QPN, QP_RESET);
    EXPECT(!transport_wants_to_send(nic.transport));
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_close(&nic);
}

SPEC("after RESET a QP connects to another peer as if it were new")
{
    struct packet packet;
    struct ipv6_addr peer = by_hand_address(2);

    open_connected();
    for (uint32_t i = 0; i < 3; i++)
        by_hand_post(&nic, QPN, i, 3000, WORK_WITH_IMMEDIATE);
    transport_post_recv(nic.transport, QPN, 9);
    packet = by_hand_write_imm(&nic, QPN, received_psn(0), 0, 5);
    by_hand_receive(&nic, &packet);
    by_hand_send(&nic);
    acknowledge(2, 1);
    by_hand_move(&nic, QPN, QP_RESET);
    nic.peer = 2;
    by_hand_reconnect(&nic, QPN);
    by_hand_post(&nic, QPN, 50, 10, WORK_WITH_IMMEDIATE);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT(ip_address_equal(&nic.sent[0].dst, &peer));
    EXPECT_EQ(nic.sent[0].psn.value, BY_HAND_SQ_PSN);
    EXPECT_EQ(nic.sent[0].write.msn, 0);
    EXPECT_EQ(nic.sent[0].write.rqmsn, 0);
    transport_post_recv(nic.transport, QPN, 60);
    packet = by_hand_write_imm(&nic, QPN, received_psn(0), 0, 5);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    EXPECT_RECEIVED(60, COMPLETION_SUCCESS);
    acknowledge(0, 1);
    expect_no_event();
    by_hand_close(&nic);
}

SPEC("after RESET a QP has its whole window, and its bad paths are good")
{
    struct qp_status fresh;
    struct qp_status status;
    struct packet nack;

    open_connected();
    transport_qp_status(nic.transport, QPN, &fresh);
    by_hand_post(&nic, QPN, 1, 16 * 1024, 0);
    by_hand_send(&nic);
    nack = by_hand_nack(&nic, QPN, &nic.sent[0], NACK_TRIMMED);
    by_hand_receive(&nic, &nack);
    path_deny(transport_qp_paths(nic.transport, QPN), 0, nic.now_ns);
    transport_qp_status(nic.transport, QPN, &status);
    EXPECT_LT(status.window_bytes, fresh.window_bytes);
    by_hand_move(&nic, QPN, QP_RESET);
    by_hand_reconnect(&nic, QPN);
    transport_qp_status(nic.transport, QPN, &status);
    EXPECT_EQ(status.window_bytes, fresh.window_bytes);
    EXPECT_EQ(path_usable_count(transport_qp_paths(nic.transport, QPN)), BY_HAND_EVS);
    by_hand_close(&nic);
}

SPEC("parameters may change between the creation of a QP and its connection")
{
    struct parameters parameters;

    open_nic();
    by_hand_create(&nic, QPN);
    parameters = *transport_parameters(nic.transport);
    parameters.ev_skip = EV_SKIP_DELAY;
    transport_set_parameters(nic.transport, &parameters);
    by_hand_reconnect(&nic, QPN);
    by_hand_post(&nic, QPN, 1, 16 * 1024, 0);
    EXPECT_EQ(by_hand_send(&nic), 16);
    by_hand_close(&nic);
}

/* ---- destruction ---------------------------------------------------------------------------- */

SPEC("destroying a QP with work, answers, timers and events does not affect other QPs")
{
    struct packet packet;

    open_connected();
    by_hand_connect(&nic, OTHER_QPN);
    for (uint32_t qpn = QPN; qpn <= OTHER_QPN; qpn++) {
        by_hand_post(&nic, qpn, qpn, 10 * 1024, WORK_SIGNALED);
        transport_post_recv(nic.transport, qpn, 100 + qpn);
    }
    by_hand_send(&nic); /* timers run now */
    for (uint32_t qpn = QPN; qpn <= OTHER_QPN; qpn++) {
        packet = by_hand_write_imm(&nic, qpn, received_psn(0), 0, 5);
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
        by_hand_post(&nic, qpn, qpn, 1024, 0);
    }
    EXPECT_EQ(transport_qp_destroy(nic.transport, QPN), 0);
    transport_check(nic.transport);
    EXPECT_RECEIVED(100 + OTHER_QPN, COMPLETION_SUCCESS);
    expect_no_event();
    EXPECT_EQ(by_hand_send(&nic), 3); /* SACK, ACK and a packet of the other */
    for (uint32_t i = 0; i < 3; i++)
        EXPECT_EQ(nic.sent[i].dest_qpn, BY_HAND_PEER_QPN + OTHER_QPN);
    packet.dest_qpn = QPN;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_UNKNOWN_QP);
    EXPECT_EQ(transport_qp_destroy(nic.transport, OTHER_QPN), 0);
    EXPECT_EQ(transport_deadline_ns(nic.transport), UINT64_MAX);
    EXPECT(!transport_wants_to_send(nic.transport));
    by_hand_close(&nic);
}

SPEC("a QP in the place of a destroyed one has none of its state")
{
    struct packet packet;

    by_hand_prepare(&nic);
    nic.config.qp_count_max = 1;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    by_hand_post(&nic, QPN, 1, 1024, WORK_SIGNALED);
    packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, received_psn(0), 100);
    by_hand_receive(&nic, &packet);
    EXPECT_EQ(transport_qp_destroy(nic.transport, QPN), 0);
    by_hand_connect(&nic, OTHER_QPN);
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(by_hand_wait(&nic, UINT64_C(1) << 36), 0);
    expect_no_event();
    by_hand_close(&nic);
}
