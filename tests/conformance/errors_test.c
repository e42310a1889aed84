/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §22: errors and events, at both ends. */
#include <errno.h>

#include "observe.h"
#include "scenario.h"
#include "spec.h"

static struct by_hand nic;

static void expect_async(enum transport_event_kind kind)
{
    struct transport_event event;

    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.kind, kind);
    EXPECT_EQ(event.qpn, OBSERVE_QPN);
    EXPECT(!by_hand_event(&nic, &event));
}

static void expect_nak(uint8_t syndrome, struct psn offending, uint32_t messages_done)
{
    const struct packet *nak;

    by_hand_send(&nic);
    EXPECT_GE(observe_count(&nic, observe_is_ack), 1);
    nak = observe_nth(&nic, observe_is_ack, observe_count(&nic, observe_is_ack) - 1);
    EXPECT_EQ(nak->ack.syndrome, syndrome);
    EXPECT_EQ(nak->psn.value, offending.value);
    EXPECT_EQ(nak->ack.messages_done, messages_done);
    EXPECT_EQ(nak->dest_qpn, BY_HAND_PEER_QPN + OBSERVE_QPN);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_ERR);
}

static enum drop_reason arrive_imm(int32_t number, uint16_t rqmsn)
{
    struct packet packet =
        by_hand_write_imm(&nic, OBSERVE_QPN, observe_in(number), rqmsn, 1000u + rqmsn);

    packet.write.msn = (uint16_t)number;
    return by_hand_receive(&nic, &packet);
}

/* ---- found by the responder ------------------------------------------------------------------ */

SPEC("§22: a wrong length causes NAK 0x61, QP ERR and QP_REQ_ERR")
{
    struct packet packet;

    observe_open(&nic);
    EXPECT_EQ(observe_arrive(&nic, 0, 0), DROP_NONE);
    packet = by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_FIRST, observe_in(1), 8);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_INVALID_REQUEST);
    expect_nak(0x61, observe_in(1), 1);
    expect_async(TRANSPORT_QP_REQUEST_ERROR);
    EXPECT_EQ(nic.placed_count, 1); /* the first packet */
    by_hand_close(&nic);
}

SPEC("§22: wrong key, bounds or rights cause NAK 0x62, QP ERR and QP_ACCESS_ERR")
{
    observe_open(&nic);
    EXPECT_EQ(observe_arrive(&nic, 0, 0), DROP_NONE);
    nic.refuses = true;
    EXPECT_EQ(observe_arrive(&nic, 1, 0), DROP_REMOTE_ACCESS);
    expect_nak(0x62, observe_in(1), 1);
    expect_async(TRANSPORT_QP_ACCESS_ERROR);
    by_hand_close(&nic);
}

SPEC("§22: a WriteImm without a receive request causes NAK 0x63, QP ERR and QP_FATAL")
{
    observe_open(&nic);
    EXPECT_EQ(arrive_imm(0, 0), DROP_NONE);
    expect_nak(0x63, observe_in(0), 0);
    expect_async(TRANSPORT_QP_FATAL);
    by_hand_close(&nic);
}

SPEC("§22: the NAK for a missing receive names the WriteImm, whichever packet completed it")
{
    observe_open(&nic);
    transport_post_recv(nic.transport, OBSERVE_QPN, 1);
    EXPECT_EQ(observe_arrive(&nic, 3, 0), DROP_NONE);
    EXPECT_EQ(arrive_imm(2, 1), DROP_NONE);
    EXPECT_EQ(arrive_imm(1, 0), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(observe_arrive(&nic, 0, 0), DROP_NONE); /* now all four are complete */
    expect_nak(0x63, observe_in(2), 2);
    EXPECT(by_hand_completed(&nic, TRANSPORT_RECV_DONE, 1, COMPLETION_SUCCESS));
    expect_async(TRANSPORT_QP_FATAL);
    by_hand_close(&nic);
}

SPEC("§22: too many WriteImm cause the NAK of the wire format, QP ERR and QP_FATAL")
{
    observe_prepare(&nic);
    nic.config.nak_write_imm_limit = 0x67;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    EXPECT_EQ(arrive_imm(31, 31), DROP_NONE); /* the 32nd is still allowed */
    EXPECT_EQ(arrive_imm(32, 32), DROP_WRITE_IMM_LIMIT);
    expect_nak(0x67, observe_in(32), 0);
    expect_async(TRANSPORT_QP_FATAL);
    by_hand_close(&nic);
}

SPEC("§22: an ACK that still waits does not cover the packet that is refused after it")
{
    observe_open(&nic);
    EXPECT_EQ(observe_arrive(&nic, 0, PACKET_ACK_REQUEST), DROP_NONE);
    nic.refuses = true;
    EXPECT_EQ(observe_arrive(&nic, 1, PACKET_ACK_REQUEST), DROP_REMOTE_ACCESS);
    by_hand_send(&nic);
    EXPECT_EQ(observe_count(&nic, observe_is_ack), 2);
    EXPECT_EQ(observe_nth(&nic, observe_is_ack, 0)->psn.value, observe_in(0).value);
    EXPECT_EQ(observe_nth(&nic, observe_is_ack, 0)->ack.messages_done, 1);
    EXPECT_EQ(observe_nth(&nic, observe_is_ack, 1)->ack.syndrome, 0x62);
    by_hand_close(&nic);
}

SPEC("§22: after its NAK a QP is silent")
{
    observe_open(&nic);
    nic.refuses = true;
    EXPECT_EQ(observe_arrive(&nic, 0, 0), DROP_REMOTE_ACCESS);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(observe_arrive(&nic, 0, 0), DROP_QP_STATE);
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_wait(&nic, 1000000000);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_ACK_SENT), 1);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_SACK_SENT), 0);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 0);
    by_hand_close(&nic);
}

SPEC("§22: a failing responder flushes the receive work, and the send work of its own QP")
{
    observe_open(&nic);
    transport_post_recv(nic.transport, OBSERVE_QPN, 5);
    observe_post(&nic, 1, 64);
    nic.refuses = true;
    EXPECT_EQ(observe_arrive(&nic, 0, 0), DROP_REMOTE_ACCESS);
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 1, COMPLETION_FLUSHED));
    EXPECT(by_hand_completed(&nic, TRANSPORT_RECV_DONE, 5, COMPLETION_FLUSHED));
    expect_async(TRANSPORT_QP_ACCESS_ERROR);
    by_hand_close(&nic);
}

/* ---- found by the requester ------------------------------------------------------------------ */

static const struct {
    uint8_t syndrome;
    enum completion_status status;
} syndromes[] = {
    { 0x61, COMPLETION_REMOTE_INVALID_REQUEST },
    { 0x62, COMPLETION_REMOTE_ACCESS },
    { 0x63, COMPLETION_REMOTE_OPERATION },
    { 0x65, COMPLETION_REMOTE_OPERATION },
    { 0x7f, COMPLETION_REMOTE_OPERATION },
};

SPEC("§22: each NAK has its status; only the request that failed has it, the rest is flushed")
{
    for (uint32_t i = 0; i < sizeof(syndromes) / sizeof(*syndromes); i++) {
        struct packet nak;

        observe_open(&nic);
        for (uint64_t id = 1; id <= 3; id++)
            observe_post(&nic, id, 64);
        nak = by_hand_nak(&nic, OBSERVE_QPN, observe_out(0), syndromes[i].syndrome, 0);
        EXPECT_EQ(by_hand_receive(&nic, &nak), DROP_NONE);
        EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 1, syndromes[i].status));
        EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 2, COMPLETION_FLUSHED));
        EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 3, COMPLETION_FLUSHED));
        by_hand_close(&nic);
    }
}

SPEC("§22: requests flushed or failed are reported whether signalled or not")
{
    observe_open(&nic);
    by_hand_post(&nic, OBSERVE_QPN, 1, 64, 0);
    by_hand_move(&nic, OBSERVE_QPN, QP_ERR);
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 1, COMPLETION_FLUSHED));
    by_hand_close(&nic);
}

SPEC("§22: work posted in ERR is flushed")
{
    observe_open(&nic);
    by_hand_move(&nic, OBSERVE_QPN, QP_ERR);
    for (uint32_t i = 0; i < 40; i++) { /* more than the queues hold at a time */
        EXPECT_EQ(by_hand_post(&nic, OBSERVE_QPN, i, 64, 0), 0);
        EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, i, COMPLETION_FLUSHED));
        EXPECT_EQ(transport_post_recv(nic.transport, OBSERVE_QPN, 100 + i), 0);
        EXPECT(by_hand_completed(&nic, TRANSPORT_RECV_DONE, 100 + i, COMPLETION_FLUSHED));
    }
    EXPECT_EQ(by_hand_discard_events(&nic), 0);
    EXPECT(!transport_wants_to_send(nic.transport));
    by_hand_close(&nic);
}

SPEC("§22: nothing acknowledges anything in ERR any more")
{
    observe_open(&nic);
    observe_post(&nic, 1, 64);
    by_hand_move(&nic, OBSERVE_QPN, QP_ERR);
    EXPECT_EQ(observe_acked(&nic, 0, 1), DROP_QP_STATE);
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 1, COMPLETION_FLUSHED));
    by_hand_close(&nic);
}

/* ---- both ends ------------------------------------------------------------------------------- */

static enum completion_status status_of(struct scenario *s, uint32_t message)
{
    return traffic_message(s->network, message)->status;
}

SPEC("§22: a WriteImm that finds no receive request fails with REM_OP_ERR at its requester")
{
    struct scenario s;
    struct network_config config = network_config_default(1);
    struct traffic_side a;
    struct traffic_side b;
    uint32_t flow;

    s = scenario_of(&config);
    a = traffic_side(s.network, HOST_A);
    b = traffic_side(s.network, HOST_B);
    b.posts_receives = false;
    flow = traffic_connect(s.network, &a, &b);
    traffic_write(s.network, flow, KIB(64));
    traffic_write_immediate(s.network, flow, KIB(16));
    traffic_write(s.network, flow, KIB(64));
    scenario_run_until_idle(&s);
    EXPECT_EQ(status_of(&s, 0), COMPLETION_SUCCESS);
    EXPECT_EQ(status_of(&s, 1), COMPLETION_REMOTE_OPERATION);
    EXPECT_EQ(status_of(&s, 2), COMPLETION_FLUSHED);
    EXPECT_EQ(network_events_of(s.network, HOST_B, TRANSPORT_QP_FATAL), 1);
}

SPEC("§22: when retries are exhausted the peer gets no packet, and its QP stays in RTS")
{
    struct network_config config = network_config_default(1);
    struct scenario s;

    config.parameters.timeout = 6;
    s = scenario_of(&config);
    scenario_write(&s, HOST_A, HOST_B, KIB(4));
    scenario_run_until_idle(&s);
    scenario_fault(&s,
        &(struct fault_rule){ .where = fault_everywhere(), .chance[FAULT_DOWN] = FAULT_ALWAYS });
    scenario_write(&s, HOST_A, HOST_B, KIB(4));
    scenario_run_until_idle(&s);
    EXPECT_EQ(status_of(&s, 1), COMPLETION_RETRY_EXCEEDED);
    EXPECT_EQ(scenario_qp(&s, HOST_A, HOST_B).state, QP_ERR);
    EXPECT_EQ(scenario_qp(&s, HOST_B, HOST_A).state, QP_RTS);
}
