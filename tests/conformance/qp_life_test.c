/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §1 and §2: roles, the life of a QP, and what its two ends agree on. */
#include <errno.h>

#include "observe.h"
#include "spec.h"

static struct by_hand nic;

static void open_in(enum qp_state state)
{
    static const enum qp_state way[] = { QP_INIT, QP_RTR, QP_RTS };

    observe_prepare(&nic);
    by_hand_open(&nic);
    by_hand_create(&nic, OBSERVE_QPN);
    for (uint32_t i = 0; i < 3 && state != QP_ERR && way[i] <= state; i++)
        EXPECT_EQ(by_hand_step(&nic, OBSERVE_QPN, way[i]), 0);
    if (state == QP_ERR)
        EXPECT_EQ(by_hand_move(&nic, OBSERVE_QPN, QP_ERR), 0);
}

/* ---- states --------------------------------------------------------------------------------- */

static int step_to(enum qp_state from, enum qp_state to)
{
    bool needs_attributes = to != from && to != QP_RESET && to != QP_ERR;

    return needs_attributes ? by_hand_step(&nic, OBSERVE_QPN, to)
                            : by_hand_move(&nic, OBSERVE_QPN, to);
}

SPEC(
    "§2: RESET, INIT, RTR and RTS follow one another, ERR and RESET follow any state, and no other "
    "step is possible")
{
    static const bool allowed[QP_STATE_COUNT][QP_STATE_COUNT] = {
        /*             RESET  INIT   RTR    RTS    ERR */
        [QP_RESET] = { true, true, false, false, true },
        [QP_INIT] = { true, true, true, false, true },
        [QP_RTR] = { true, false, true, true, true },
        [QP_RTS] = { true, false, false, true, true },
        [QP_ERR] = { true, false, false, false, true },
    };

    for (enum qp_state from = QP_RESET; from < QP_STATE_COUNT; from++)
        for (enum qp_state to = QP_RESET; to < QP_STATE_COUNT; to++) {
            open_in(from);
            EXPECT_EQ(step_to(from, to), allowed[from][to] ? 0 : -EINVAL);
            EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), allowed[from][to] ? to : from);
            by_hand_close(&nic);
        }
}

SPEC("§2: states that MRC does not have, SQD and SQE among them, are refused")
{
    open_in(QP_RTS);
    for (uint32_t state = QP_STATE_COUNT; state < QP_STATE_COUNT + 3; state++)
        EXPECT_EQ(by_hand_move(&nic, OBSERVE_QPN, (enum qp_state)state), -EINVAL);
    EXPECT_EQ(by_hand_move(&nic, OBSERVE_QPN, (enum qp_state)200), -EINVAL);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
    by_hand_close(&nic);
}

SPEC("§2: send work is accepted from RTS on, receive work from INIT on")
{
    for (enum qp_state state = QP_RESET; state <= QP_RTS; state++) {
        open_in(state);
        EXPECT_EQ(by_hand_post(&nic, OBSERVE_QPN, 1, 64, 0), state == QP_RTS ? 0 : -EINVAL);
        EXPECT_EQ(
            transport_post_recv(nic.transport, OBSERVE_QPN, 1), state >= QP_INIT ? 0 : -EINVAL);
        by_hand_close(&nic);
    }
}

SPEC("§2: the responder is live in RTR already: it places, answers, and is probed")
{
    struct packet probe;

    open_in(QP_RTR);
    EXPECT_EQ(observe_answers(&nic, 0, PACKET_ACK_REQUEST), 2);
    EXPECT_EQ(nic.placed_count, 1);
    EXPECT_EQ(observe_count(&nic, observe_is_sack), 1);
    EXPECT_EQ(observe_count(&nic, observe_is_ack), 1);
    probe = by_hand_write(&nic, OBSERVE_QPN, OPCODE_PROBE, psn(0), 0);
    EXPECT_EQ(by_hand_receive(&nic, &probe), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 1);
    by_hand_close(&nic);
}

static const uint8_t opcodes[] = { OPCODE_WRITE_ONLY, OPCODE_PROBE, OPCODE_SACK, OPCODE_NACK,
    OPCODE_ACK };

static void expect_silence(enum qp_state state, uint32_t first_opcode)
{
    open_in(state);
    for (uint32_t i = first_opcode; i < sizeof(opcodes); i++) {
        struct packet packet = by_hand_write(&nic, OBSERVE_QPN, opcodes[i], observe_in(0), 64);

        packet.src = by_hand_address(nic.peer);
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_QP_STATE);
    }
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(nic.placed_count, 0);
    by_hand_close(&nic);
}

SPEC("§2: in RESET, INIT and ERR packets vanish without an answer; feedback does in RTR, too")
{
    expect_silence(QP_RESET, 0);
    expect_silence(QP_INIT, 0);
    expect_silence(QP_ERR, 0);
    expect_silence(QP_RTR, 2);
}

SPEC("§2: packets of any kind from another address than that of the peer are dropped")
{
    observe_open(&nic);
    observe_post(&nic, 1, 64);
    for (uint32_t i = 0; i < sizeof(opcodes); i++) {
        struct packet packet = by_hand_write(&nic, OBSERVE_QPN, opcodes[i], observe_in(0), 64);

        packet.src = by_hand_address(2);
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_PEER);
    }
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(nic.placed_count, 0);
    EXPECT_EQ(by_hand_discard_events(&nic), 0);
    by_hand_close(&nic);
}

/* ---- §1: two directions that share nothing --------------------------------------------------- */

SPEC("§1: a requester begins at sq_psn, a responder at rq_psn, and neither moves the other")
{
    observe_open(&nic);
    EXPECT_EQ(observe_status(&nic).unacked_psn.value, BY_HAND_SQ_PSN);
    EXPECT_EQ(observe_status(&nic).next_psn.value, BY_HAND_SQ_PSN);
    observe_post(&nic, 1, 64);
    EXPECT_EQ(observe_nth(&nic, observe_is_data, 0)->psn.value, BY_HAND_SQ_PSN);
    EXPECT_EQ(observe_answers(&nic, 0, 0), 1);
    EXPECT_EQ(observe_nth(&nic, observe_is_sack, 0)->psn.value, BY_HAND_RQ_PSN);
    EXPECT_EQ(observe_status(&nic).unacked_psn.value, BY_HAND_SQ_PSN);
    by_hand_close(&nic);
}

SPEC("§1: before anything has arrived a responder has received rq_psn - 1")
{
    struct packet probe;

    observe_open(&nic);
    probe = by_hand_write(&nic, OBSERVE_QPN, OPCODE_PROBE, psn(0), 0);
    by_hand_receive(&nic, &probe);
    by_hand_send(&nic);
    EXPECT_EQ(observe_nth(&nic, observe_is_sack, 0)->psn.value, BY_HAND_RQ_PSN - 1);
    EXPECT_EQ(observe_nth(&nic, observe_is_sack, 0)->sack.received_units, 0);
    EXPECT_EQ(observe_nth(&nic, observe_is_sack, 0)->sack.ooo_count, 0);
    by_hand_close(&nic);
}

/* ---- what the ends agree on ----------------------------------------------------------------- */

SPEC("§2: defaults of MPR, WriteImm limit, timeout and retries: 8, 128 or less, 14, 3 and 7")
{
    struct qp_attributes attributes;

    observe_open(&nic);
    EXPECT_EQ(transport_qp_query(nic.transport, OBSERVE_QPN, &attributes), 0);
    EXPECT_EQ(attributes.mpr, 8);
    EXPECT_EQ(attributes.mpr_dest, 8);
    EXPECT_EQ(attributes.max_wimm, 128);
    EXPECT_EQ(attributes.max_wimm_dest, nic.init.write_imm_max_dest);
    EXPECT_EQ(attributes.timeout, 14);
    EXPECT_EQ(attributes.retry_linear, 3);
    EXPECT_EQ(attributes.retry_exponential, 7);
    EXPECT(!attributes.dynamic_mpr);
    by_hand_close(&nic);
}

SPEC("§2: WriteImm can be limited to what the responder can hold, not to more")
{
    struct qp_attributes attributes = { .max_wimm_dest = 32 };

    open_in(QP_INIT);
    EXPECT_EQ(transport_qp_modify(
                  nic.transport, OBSERVE_QPN, &attributes, QP_ATTR_MAX_WIMM_DEST, nic.now_ns),
        0);
    attributes.max_wimm_dest = 33;
    EXPECT_EQ(transport_qp_modify(
                  nic.transport, OBSERVE_QPN, &attributes, QP_ATTR_MAX_WIMM_DEST, nic.now_ns),
        -EINVAL);
    by_hand_close(&nic);
}

SPEC("§2: to a responder without trim-NACK data travels as NO_TRIM, to one with it as TRIMMABLE")
{
    observe_open(&nic);
    observe_post(&nic, 1, 64);
    EXPECT_EQ(observe_nth(&nic, observe_is_data, 0)->class, DSCP_TRIMMABLE);
    observe_modify(&nic, (struct qp_attributes){ .peer_trim_nack = false }, QP_ATTR_CAPABILITIES);
    observe_post(&nic, 2, 64);
    EXPECT_EQ(observe_nth(&nic, observe_is_data, 0)->class, DSCP_NO_TRIM);
    by_hand_close(&nic);
}

SPEC("§2: trim-NACK is the responder's ability alone: each direction has its own")
{
    struct packet packet;

    observe_open(&nic);
    observe_modify(&nic, (struct qp_attributes){ .peer_trim_nack = true, .trim_nack = false },
        QP_ATTR_CAPABILITIES);
    packet = by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_ONLY, observe_in(0), 64);
    packet.class = DSCP_TRIMMED;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_TRIMMED);
    EXPECT_EQ(by_hand_send(&nic), 0);
    observe_post(&nic, 1, 64);
    EXPECT_EQ(observe_nth(&nic, observe_is_data, 0)->class, DSCP_TRIMMABLE);
    by_hand_close(&nic);
}

SPEC("§2: the window is the smaller of what the QP can hold and 128 times MPR")
{
    observe_prepare(&nic);
    nic.init.window_psns_max = 1024;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    EXPECT_EQ(observe_status(&nic).mpr_psns, 1024);
    by_hand_move(&nic, OBSERVE_QPN, QP_RESET);
    observe_modify(&nic, (struct qp_attributes){ .mpr = 3 }, QP_ATTR_MPR);
    by_hand_reconnect(&nic, OBSERVE_QPN);
    EXPECT_EQ(observe_status(&nic).mpr_psns, 384);
    by_hand_close(&nic);
}

SPEC("§2: a requester's MPR can be changed while it runs: smaller or larger, at once")
{
    observe_prepare(&nic);
    nic.init.window_psns_max = 1024;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    EXPECT_EQ(observe_status(&nic).mpr_psns, 1024);
    observe_modify(&nic, (struct qp_attributes){ .mpr = 2 }, QP_ATTR_MPR);
    EXPECT_EQ(observe_status(&nic).mpr_psns, 256);
    observe_modify(&nic, (struct qp_attributes){ .mpr = 200 }, QP_ATTR_MPR);
    EXPECT_EQ(observe_status(&nic).mpr_psns, 1024);
    by_hand_close(&nic);
}

SPEC("§4.1: with dynamic MPR a larger value takes effect when the peer announces it")
{
    struct packet sack;

    observe_prepare(&nic);
    nic.init.window_psns_max = 1024;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_modify(&nic, (struct qp_attributes){ .dynamic_mpr = true, .mpr = 2 },
        QP_ATTR_CAPABILITIES | QP_ATTR_MPR);
    observe_modify(&nic, (struct qp_attributes){ .mpr = 8 }, QP_ATTR_MPR);
    EXPECT_EQ(observe_status(&nic).mpr_psns, 256);
    sack = by_hand_sack(&nic, OBSERVE_QPN, observe_out(-1));
    sack.sack.mpr = 4;
    by_hand_receive(&nic, &sack);
    EXPECT_EQ(observe_status(&nic).mpr_psns, 512);
    by_hand_close(&nic);
}

/* ---- QPs that share a peer --------------------------------------------------------------------
 */

enum { OTHER_QPN = OBSERVE_QPN + 1, FULL_BYTES = BY_HAND_PMTU_BYTES + 88 };

/* Two QPs to one peer, whose window is `packets` packets. */
static void open_pair(uint32_t packets)
{
    observe_prepare(&nic);
    nic.config.parameters.congestion_control = CONGESTION_CONTROL_NONE;
    nic.config.parameters.max_cwnd = packets * FULL_BYTES;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    by_hand_connect(&nic, OTHER_QPN);
}

static uint32_t sent_by_other(uint32_t packets)
{
    EXPECT_EQ(by_hand_post(&nic, OTHER_QPN, 1, packets * BY_HAND_PMTU_BYTES, 0), 0);
    by_hand_send(&nic);
    return observe_count(&nic, observe_is_data);
}

SPEC("§2: what a QP had in flight when it was reset takes no room of others with the same peer")
{
    open_pair(8);
    observe_post(&nic, 1, 6 * BY_HAND_PMTU_BYTES);
    EXPECT_EQ(by_hand_move(&nic, OBSERVE_QPN, QP_RESET), 0);
    EXPECT_EQ(by_hand_step(&nic, OBSERVE_QPN, QP_INIT), 0);
    EXPECT_EQ(by_hand_step(&nic, OBSERVE_QPN, QP_RTR), 0);
    EXPECT_EQ(by_hand_move(&nic, OBSERVE_QPN, QP_RESET), 0); /* nothing was sent this time */
    EXPECT_EQ(sent_by_other(12), 8);
    by_hand_close(&nic);
}

SPEC("§2: a QP that failed, is changed and reset does not change the state that others share")
{
    struct packet update;
    struct qp_status status;

    open_pair(8);
    observe_post(&nic, 1, 6 * BY_HAND_PMTU_BYTES);
    EXPECT_EQ(by_hand_move(&nic, OBSERVE_QPN, QP_ERR), 0);
    EXPECT_EQ(transport_qp_set_cc(nic.transport, OBSERVE_QPN, &nic.cc, nic.now_ns), 0);
    EXPECT_EQ(by_hand_move(&nic, OBSERVE_QPN, QP_RESET), 0);
    update = by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_PORT_STATUS_UPDATE, 1);
    update.endpoint.port_status_mask = 1 << 1;
    EXPECT_EQ(by_hand_receive(&nic, &update), DROP_NONE);
    EXPECT_EQ(transport_qp_status(nic.transport, OTHER_QPN, &status), 0);
    EXPECT_EQ(status.plane_mask, 1);
    EXPECT_EQ(sent_by_other(12), 8);
    by_hand_close(&nic);
}
