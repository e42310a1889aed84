/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §21: which QPs may send, and in which order. */
#include "observe.h"
#include "spec.h"

enum {
    PMTU = BY_HAND_PMTU_BYTES,
    FULL_BYTES = PMTU + 88,
    QPS = 3,
};

static struct by_hand nic;

/* Each to a peer of its own. */
static void connect_all(void)
{
    for (uint32_t i = 0; i < QPS; i++) {
        nic.peer = 1 + i;
        by_hand_connect(&nic, OBSERVE_QPN + i);
    }
}

/* Three QPs with a window of `packets` packets each. */
static void open_with_windows(uint32_t packets)
{
    observe_prepare(&nic);
    nic.config.parameters.congestion_control = CONGESTION_CONTROL_NONE;
    nic.config.parameters.max_cwnd = packets * FULL_BYTES;
    nic.config.parameters.send_quantum = 1;
    by_hand_open(&nic);
    connect_all();
}

static void post(uint32_t qp, uint32_t packets)
{
    EXPECT_EQ(by_hand_post(&nic, OBSERVE_QPN + qp, 1, packets * PMTU, 0), 0);
}

/* One call of transport_send() with room for `room` packets. */
static uint32_t send_once(uint32_t room)
{
    nic.sent_count = transport_send(nic.transport, nic.ready_ports, nic.sent, room, nic.now_ns);
    return nic.sent_count;
}

static uint32_t sent_by(uint32_t qp)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < nic.sent_count; i++)
        count += by_hand_sender(&nic.sent[i]) == OBSERVE_QPN + qp;
    return count;
}

/* ---- states of a QPCC ----------------------------------------------------------------------- */

SPEC("§21: IDLE becomes READY with new data, and PENDING when all of it is in flight")
{
    open_with_windows(10);
    EXPECT(!transport_wants_to_send(nic.transport));
    post(0, 3);
    EXPECT(transport_wants_to_send(nic.transport));
    EXPECT_EQ(by_hand_send(&nic), 3);
    EXPECT(!transport_wants_to_send(nic.transport));
    by_hand_close(&nic);
}

SPEC("§21: READY becomes ACTIVE when the window closes, and READY again with an acknowledgement")
{
    open_with_windows(4);
    post(0, 10);
    EXPECT_EQ(by_hand_send(&nic), 4);
    EXPECT(!transport_wants_to_send(nic.transport));
    EXPECT_EQ(observe_sacked(&nic, &nic.sent[0], observe_out(0)), DROP_NONE);
    EXPECT(transport_wants_to_send(nic.transport));
    EXPECT_EQ(by_hand_send(&nic), 1);
    by_hand_close(&nic);
}

SPEC("§21: a NACK makes room, and what it NACKed is backlog")
{
    open_with_windows(4);
    post(0, 4);
    EXPECT_EQ(by_hand_send(&nic), 4);
    EXPECT(!transport_wants_to_send(nic.transport));
    EXPECT_EQ(observe_nacked(&nic, &nic.sent[2], NACK_TRIMMED), DROP_NONE);
    EXPECT(transport_wants_to_send(nic.transport));
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(observe_count(&nic, observe_is_repeat), 1);
    by_hand_close(&nic);
}

SPEC("§21: a window is open while it is larger than what is in flight")
{
    observe_prepare(&nic);
    nic.config.parameters.congestion_control = CONGESTION_CONTROL_NONE;
    nic.config.parameters.max_cwnd = 3 * FULL_BYTES + 1;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    post(0, 10);
    EXPECT_EQ(by_hand_send(&nic), 4);
    by_hand_close(&nic);
}

/* ---- turns ---------------------------------------------------------------------------------- */

SPEC("§21: READY QPs take turns, one packet each")
{
    open_with_windows(50);
    for (uint32_t i = 0; i < QPS; i++)
        post(i, 8);
    EXPECT_EQ(send_once(24), 24);
    for (uint32_t i = QPS; i < 24; i++) {
        EXPECT_EQ(by_hand_sender(&nic.sent[i]), by_hand_sender(&nic.sent[i - QPS]));
        EXPECT_NE(by_hand_sender(&nic.sent[i]), by_hand_sender(&nic.sent[i - 1]));
    }
    by_hand_close(&nic);
}

SPEC("§21: a quantum of four makes turns of four packets")
{
    observe_prepare(&nic);
    nic.config.parameters.send_quantum = 4;
    by_hand_open(&nic);
    connect_all();
    for (uint32_t i = 0; i < QPS; i++)
        post(i, 8);
    EXPECT_EQ(send_once(24), 24);
    for (uint32_t i = 0; i < 24; i++)
        EXPECT_EQ(by_hand_sender(&nic.sent[i]), by_hand_sender(&nic.sent[i / 4 * 4]));
    EXPECT_NE(by_hand_sender(&nic.sent[0]), by_hand_sender(&nic.sent[4]));
    by_hand_close(&nic);
}

SPEC("§21: turns go on where the last call ended")
{
    open_with_windows(50);
    for (uint32_t i = 0; i < QPS; i++)
        post(i, 8);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t before;

        EXPECT_EQ(send_once(1), 1);
        before = by_hand_sender(&nic.sent[0]);
        EXPECT_EQ(send_once(1), 1);
        EXPECT_NE(by_hand_sender(&nic.sent[0]), before);
    }
    by_hand_close(&nic);
}

SPEC("§21: a QP that has to wait does not block the others")
{
    open_with_windows(4);
    for (uint32_t i = 0; i < QPS; i++)
        post(i, 4);
    EXPECT_EQ(by_hand_send(&nic), 12);
    post(0, 4); /* its window is closed */
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN + 1), QP_RTS);
    by_hand_move(&nic, OBSERVE_QPN + 1, QP_RESET);
    nic.peer = 2;
    by_hand_reconnect(&nic, OBSERVE_QPN + 1);
    post(1, 4);
    EXPECT_EQ(by_hand_send(&nic), 4);
    EXPECT_EQ(sent_by(1), 4);
    by_hand_close(&nic);
}

SPEC("§21: a burst is 8 packets, or an eighth of the window if that is more")
{
    open_with_windows(32);
    post(0, 32);
    EXPECT_EQ(send_once(32), 8);
    by_hand_close(&nic);
    open_with_windows(120);
    post(0, 120);
    EXPECT_EQ(send_once(120), 15);
    by_hand_close(&nic);
}

SPEC("§21: answers go before data")
{
    open_with_windows(10);
    post(0, 4);
    observe_arrive(&nic, 0, PACKET_ACK_REQUEST);
    EXPECT_EQ(by_hand_send(&nic), 6);
    EXPECT(observe_is_sack(&nic.sent[0]));
    EXPECT(observe_is_ack(&nic.sent[1]));
    by_hand_close(&nic);
}

/* ---- back-pressure -------------------------------------------------------------------------- */

SPEC("§21: only ports with room get packets")
{
    open_with_windows(50);
    nic.ready_ports = 2;
    post(0, 8);
    EXPECT_EQ(by_hand_send(&nic), 8);
    for (uint32_t i = 0; i < 8; i++)
        EXPECT_EQ(nic.sent[i].port, 1);
    by_hand_close(&nic);
}

SPEC("§21: with no port ready nothing is sent, nothing is lost, and the wish to send stays")
{
    open_with_windows(50);
    nic.ready_ports = 0;
    post(0, 8);
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT(transport_wants_to_send(nic.transport));
    nic.ready_ports = 3;
    EXPECT_EQ(by_hand_send(&nic), 8);
    by_hand_close(&nic);
}

/* ---- one QPCC for several QPs -----------------------------------------------------------------
 */

static uint32_t window_of(uint32_t qpn)
{
    struct qp_status status;

    EXPECT_EQ(transport_qp_status(nic.transport, qpn, &status), 0);
    return status.window_bytes;
}

SPEC("§21: QPs to one peer have one window, those to another peer have another")
{
    struct packet nack;
    uint32_t window_bytes;

    observe_prepare(&nic);
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    by_hand_connect(&nic, OBSERVE_QPN + 1);
    nic.peer = 2;
    by_hand_connect(&nic, OBSERVE_QPN + 2);
    window_bytes = observe_status(&nic).window_bytes;
    observe_post(&nic, 1, 64);
    nack = by_hand_nack(&nic, OBSERVE_QPN, &nic.sent[0], NACK_TRIMMED);
    EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
    EXPECT_EQ(window_of(OBSERVE_QPN), window_bytes - 152);
    EXPECT_EQ(window_of(OBSERVE_QPN + 1), window_bytes - 152);
    EXPECT_EQ(window_of(OBSERVE_QPN + 2), window_bytes);
    by_hand_close(&nic);
}

/* Three QPs to one peer whose window is `packets` packets. */
static void open_sharing(uint32_t packets)
{
    observe_prepare(&nic);
    nic.config.parameters.congestion_control = CONGESTION_CONTROL_NONE;
    nic.config.parameters.max_cwnd = packets * FULL_BYTES;
    nic.config.parameters.sack_gen_threshold = UINT64_C(4) * BY_HAND_PMTU_BYTES;
    by_hand_open(&nic);
    for (uint32_t i = 0; i < QPS; i++)
        by_hand_connect(&nic, OBSERVE_QPN + i);
}

SPEC("§21: QPs to one peer together have no more in flight than its window")
{
    open_sharing(10);
    for (uint32_t i = 0; i < QPS; i++)
        post(i, 8);
    EXPECT_EQ(by_hand_send(&nic), 10);
    EXPECT(!transport_wants_to_send(nic.transport));
    by_hand_close(&nic);
}

SPEC(
    "§21: QPs to one peer take turns that two SACKs answer, and the last of a turn asks for an ACK")
{
    open_sharing(50);
    for (uint32_t i = 0; i < QPS; i++)
        post(i, 16);
    EXPECT_EQ(send_once(24), 24);
    for (uint32_t i = 0; i < 24; i++) {
        EXPECT_EQ(by_hand_sender(&nic.sent[i]), by_hand_sender(&nic.sent[i / 8 * 8]));
        EXPECT_EQ(!!(nic.sent[i].flags & PACKET_ACK_REQUEST), i % 8 == 7);
    }
    for (uint32_t i = 0; i < QPS; i++)
        EXPECT_EQ(sent_by(i), 8);
    by_hand_close(&nic);
}

SPEC("§21: a QP whose fellows have failed takes no turns, and asks at the end of its message")
{
    open_sharing(50);
    for (uint32_t i = 1; i < QPS; i++)
        EXPECT_EQ(by_hand_move(&nic, OBSERVE_QPN + i, QP_ERR), 0);
    post(0, 8);
    EXPECT_EQ(send_once(8), 8);
    for (uint32_t i = 0; i < 8; i++)
        EXPECT_EQ(!!(nic.sent[i].flags & PACKET_ACK_REQUEST), i == 7);
    by_hand_close(&nic);
}
