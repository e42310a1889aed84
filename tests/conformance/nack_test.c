/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §8: when a responder sends a NACK. */
#include "observe.h"
#include "spec.h"

static struct by_hand nic;

static struct packet trimmed(int32_t number, uint8_t class)
{
    struct packet packet =
        by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_ONLY, observe_in(number), 64);

    packet.class = class;
    packet.ev = nic.entries[2].ev;
    packet.write.tx_timestamp = 0x1234;
    return packet;
}

static uint32_t answers_to(struct packet packet)
{
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_TRIMMED);
    return by_hand_send(&nic);
}

SPEC("§8: a trimmed packet that is new causes a NACK TRIMMED or TRIMMED_LASTHOP")
{
    observe_open(&nic);
    EXPECT_EQ(answers_to(trimmed(0, DSCP_TRIMMED)), 1);
    EXPECT_EQ(nic.sent[0].opcode, OPCODE_NACK);
    EXPECT_EQ(nic.sent[0].nack.reason, NACK_TRIMMED);
    EXPECT_EQ(answers_to(trimmed(1, DSCP_TRIMMED_LASTHOP)), 1);
    EXPECT_EQ(nic.sent[0].nack.reason, NACK_TRIMMED_LASTHOP);
    by_hand_close(&nic);
}

SPEC("§8: a NACK names the PSN and echoes EV and stamp of the packet it is about")
{
    observe_open(&nic);
    EXPECT_EQ(answers_to(trimmed(5, DSCP_TRIMMED)), 1);
    EXPECT_EQ(nic.sent[0].psn.value, observe_in(5).value);
    EXPECT_EQ(nic.sent[0].nack.nack_psn.value, observe_in(5).value);
    EXPECT_EQ(nic.sent[0].nack.entropy, nic.entries[2].ev);
    EXPECT_EQ(nic.sent[0].nack.tx_timestamp, 0x1234);
    EXPECT_EQ(nic.sent[0].dest_qpn, BY_HAND_PEER_QPN + OBSERVE_QPN);
    by_hand_close(&nic);
}

SPEC("§8: one NACK for each trimmed arrival, the same PSN included")
{
    observe_open(&nic);
    for (uint32_t i = 0; i < 5; i++)
        EXPECT_EQ(answers_to(trimmed(0, DSCP_TRIMMED)), 1);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_NACK_SENT), 5);
    by_hand_close(&nic);
}

SPEC("§8: a NACK leaves at once, in the control class, and is never repeated")
{
    observe_open(&nic);
    EXPECT_EQ(answers_to(trimmed(0, DSCP_TRIMMED)), 1);
    EXPECT_EQ(nic.sent[0].class, DSCP_CONTROL);
    EXPECT_EQ(nic.sent[0].ecn, ECN_NOT_ECT);
    EXPECT_EQ(observe_wait_for(&nic, observe_is_nack, 1000000000), UINT64_MAX);
    by_hand_close(&nic);
}

SPEC("§8: a trimmed packet received before, inside the window or long ago, causes a SACK instead")
{
    observe_open(&nic);
    observe_answers(&nic, 0, 0);
    observe_answers(&nic, 5, 0);
    EXPECT_EQ(answers_to(trimmed(5, DSCP_TRIMMED)), 1);
    EXPECT_EQ(nic.sent[0].opcode, OPCODE_SACK);
    EXPECT_EQ(nic.sent[0].sack.ack_psn_offset, 5);
    EXPECT_EQ(answers_to(trimmed(0, DSCP_TRIMMED_LASTHOP)), 1);
    EXPECT_EQ(nic.sent[0].opcode, OPCODE_SACK);
    EXPECT_EQ(nic.sent[0].sack.ack_psn_offset, 0);
    by_hand_close(&nic);
}

SPEC("§8: the SACK for a trimmed duplicate carries no mark, even if the packet does")
{
    struct packet packet;

    observe_open(&nic);
    observe_answers(&nic, 0, 0);
    packet = trimmed(0, DSCP_TRIMMED);
    packet.ecn = ECN_CE;
    EXPECT_EQ(answers_to(packet), 1);
    EXPECT_EQ(nic.sent[0].sack.mark, SACK_MARK_NONE);
    by_hand_close(&nic);
}

SPEC("§8: without trim-NACK capability what is trimmed is discarded in silence")
{
    observe_open(&nic);
    observe_modify(&nic, (struct qp_attributes){ .trim_nack = false }, QP_ATTR_CAPABILITIES);
    EXPECT_EQ(answers_to(trimmed(0, DSCP_TRIMMED)), 0);
    EXPECT_EQ(answers_to(trimmed(1, DSCP_TRIMMED_LASTHOP)), 0);
    EXPECT_EQ(observe_wait_for(&nic, observe_is_sack, 1000000), UINT64_MAX);
    by_hand_close(&nic);
}

SPEC("§8: PSN_OOR_WINDOW echoes EV and stamp, too")
{
    struct packet packet;

    observe_open(&nic);
    packet = trimmed(500, DSCP_TRIMMABLE);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_BEYOND_WINDOW);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].nack.reason, NACK_PSN_OOR_WINDOW);
    EXPECT_EQ(nic.sent[0].nack.entropy, nic.entries[2].ev);
    EXPECT_EQ(nic.sent[0].nack.tx_timestamp, 0x1234);
    by_hand_close(&nic);
}

SPEC("§8: a NACK is no SACK: bytes charged stay charged")
{
    observe_open(&nic);
    observe_answers(&nic, 0, 0);
    for (int32_t i = 1; i <= 15; i++)
        EXPECT_EQ(observe_answers(&nic, i, 0), 0);
    EXPECT_EQ(answers_to(trimmed(20, DSCP_TRIMMED)), 1);
    EXPECT_EQ(observe_answers(&nic, 16, 0), 1);
    EXPECT_EQ(nic.sent[0].opcode, OPCODE_SACK);
    by_hand_close(&nic);
}

/* ---- what this responder can be short of ------------------------------------------------------
 */

static bool is_full;

static bool has_room(void *context, uint32_t qpn, uint32_t payload_bytes)
{
    (void)context;
    EXPECT_EQ(qpn, OBSERVE_QPN);
    EXPECT_EQ(payload_bytes, 64);
    return !is_full;
}

SPEC("§8: NO_PKT_BUFFER: while the memory has no room a packet leaves no trace, and can come again")
{
    observe_prepare(&nic);
    nic.config.memory.has_room = has_room;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    is_full = true;
    EXPECT_EQ(observe_arrive(&nic, 0, PACKET_ACK_REQUEST), DROP_NO_BUFFER);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].nack.reason, NACK_NO_PKT_BUFFER);
    EXPECT_EQ(nic.sent[0].nack.nack_psn.value, observe_in(0).value);
    EXPECT_EQ(nic.placed_count, 0);
    is_full = false;
    EXPECT_EQ(observe_arrive(&nic, 0, PACKET_ACK_REQUEST), DROP_NONE);
    EXPECT_EQ(nic.placed_count, 1);
    by_hand_close(&nic);
}

static enum transport_access fail(void *context, void *owner, uint32_t qpn, uint32_t rkey,
    uint64_t va, const struct payload *payload)
{
    (void)context;
    (void)owner;
    (void)qpn;
    (void)rkey;
    (void)va;
    (void)payload;
    return TRANSPORT_ACCESS_FAILED;
}

SPEC("§8: UNEXP_EVENT: memory that fails ends the QP, at both ends")
{
    struct transport_event event;
    struct packet nack;

    observe_prepare(&nic);
    nic.config.memory.place = fail;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    EXPECT_EQ(observe_arrive(&nic, 0, 0), DROP_MEMORY_FAILED);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].nack.reason, NACK_UNEXP_EVENT);
    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.kind, TRANSPORT_QP_FATAL);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_ERR);
    by_hand_close(&nic);
    observe_open(&nic);
    observe_post(&nic, 1, 64);
    nack = by_hand_nack(&nic, OBSERVE_QPN, &nic.sent[0], NACK_UNEXP_EVENT);
    by_hand_receive(&nic, &nack);
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 1, COMPLETION_REMOTE_OPERATION));
    by_hand_close(&nic);
}
