/* SPDX-License-Identifier: Apache-2.0 */
/* Answers to port status updates that this NIC has not sent (docs/protocol.md §18). */
#include "by_hand.h"
#include "spec.h"
#include "transport/nic.h"

enum { QPN = 7, UNASKED = 999 };

static struct by_hand nic;

static void open_engine(uint32_t engine_index, uint32_t engine_count)
{
    by_hand_prepare(&nic);
    nic.config.engine_index = engine_index;
    nic.config.engine_count = engine_count;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
}

static void receive_unasked_answer(void)
{
    struct packet answer =
        by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_RESPONSE, ENDPOINT_PORT_STATUS_UPDATE, UNASKED);

    by_hand_receive(&nic, &answer);
}

SPEC("§18: after an answer to an update not sent, the peer is told of the ports by a new "
     "incarnation")
{
    open_engine(0, 1);
    for (uint32_t i = 0; i < 300; i++) {
        uint8_t former = nic.transport->incarnation;

        receive_unasked_answer();
        EXPECT_NE(nic.transport->incarnation, former);
        EXPECT_NE(nic.transport->incarnation, 0);
    }
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].endpoint.op, ENDPOINT_PORT_STATUS_UPDATE);
    EXPECT_EQ(nic.sent[0].endpoint.incarnation, nic.transport->incarnation);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_FORGED), 300);
    by_hand_close(&nic);
}

SPEC("§18: the new incarnation names the same engine of the NIC")
{
    for (uint32_t engine = 0; engine < 2; engine++) {
        open_engine(engine, 2);
        for (uint32_t i = 0; i < 300; i++) {
            uint8_t former = nic.transport->incarnation;

            receive_unasked_answer();
            EXPECT_NE(nic.transport->incarnation, former);
            EXPECT_GE(nic.transport->incarnation, TRANSPORT_ENGINES_MAX);
            EXPECT_EQ(nic.transport->incarnation % TRANSPORT_ENGINES_MAX, engine);
        }
        by_hand_close(&nic);
    }
}

SPEC("§18: an answer from an address to which no QP is left has no effect")
{
    uint8_t former;

    open_engine(0, 1);
    former = nic.transport->incarnation;
    EXPECT_EQ(transport_qp_destroy(nic.transport, QPN), 0);
    receive_unasked_answer();
    EXPECT_EQ(nic.transport->incarnation, former);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_FORGED), 0);
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_close(&nic);
}

SPEC("§18: a late answer to our newest update is no answer to an update not sent")
{
    uint16_t id;

    open_engine(1, 2);
    transport_ports_changed(nic.transport, 1, nic.now_ns);
    EXPECT_EQ(by_hand_send(&nic), 1);
    id = (uint16_t)nic.sent[0].psn.value;
    nic_forget_endpoint(nic.transport, id); /* its slot has another use */
    for (uint16_t later = 0; later < 2; later++) {
        struct packet answer = by_hand_endpoint(
            &nic, 1, OPCODE_ENDPOINT_RESPONSE, ENDPOINT_PORT_STATUS_UPDATE, id + later);

        by_hand_receive(&nic, &answer);
        EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_FORGED), later);
    }
    by_hand_close(&nic);
}
