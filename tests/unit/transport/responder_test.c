/* SPDX-License-Identifier: Apache-2.0 */
/* The receiving half of a QP: messages that complete together, and receive queues that fill up. */
#include "by_hand.h"
#include "spec.h"
#include "transport/nic.h"
#include "wire/ack.h"

enum { QPN = 7 };

static struct by_hand nic;

static struct psn in(uint32_t number)
{
    return psn_add(psn(BY_HAND_RQ_PSN), (int32_t)number);
}

/* ---- no receive request -----------------------------------------------------------------------
 */

/* Messages 0 to `count` - 1, of a packet each; number `immediate` is a WriteImm for which nothing
 * was posted. The first comes last, so that all complete with it. */
static void receive_together(uint32_t count, uint32_t immediate, uint16_t immediate_msn)
{
    by_hand_prepare(&nic);
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    for (uint32_t i = count; i-- > 0;) {
        struct packet packet = i == immediate
                                   ? by_hand_write_imm(&nic, QPN, in(i), 0, 5)
                                   : by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, in(i), 64);

        packet.write.msn = i == immediate ? immediate_msn : (uint16_t)i;
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    }
    by_hand_send(&nic);
}

SPEC("§6.4: of messages that complete together, those before a WriteImm without a receive are done")
{
    for (uint32_t immediate = 0; immediate < 4; immediate++) {
        const struct packet *nak;

        receive_together(4, immediate, (uint16_t)immediate);
        nak = by_hand_first(&nic, OPCODE_ACK);
        EXPECT(nak);
        EXPECT_EQ(nak->ack.syndrome, ACK_SYNDROME_REMOTE_OPERATION);
        EXPECT_EQ(nak->ack.messages_done, immediate);
        EXPECT_EQ(nak->psn.value, in(immediate).value);
        EXPECT_EQ(by_hand_state(&nic, QPN), QP_ERR);
        by_hand_close(&nic);
    }
}

SPEC("§6.4: a peer with other message numbers is told of no completed message")
{
    receive_together(4, 2, 900);
    EXPECT_EQ(by_hand_first(&nic, OPCODE_ACK)->ack.messages_done, 0);
    by_hand_close(&nic);
}

SPEC("§6.3: an ACK that waits does not acknowledge a message that then fails")
{
    struct packet packet;

    by_hand_prepare(&nic);
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, in(0), 64);
    packet.flags |= PACKET_ACK_REQUEST;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    packet = by_hand_write_imm(&nic, QPN, in(1), 0, 5); /* nothing was posted for it */
    packet.write.msn = 1;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(by_hand_sent(&nic, OPCODE_ACK), 2);
    for (uint32_t i = 0; i < nic.sent_count; i++) {
        if (nic.sent[i].opcode != OPCODE_ACK)
            continue;
        EXPECT_EQ(nic.sent[i].ack.messages_done, 1);
        EXPECT_EQ(nic.sent[i].psn.value,
            nic.sent[i].ack.syndrome == ACK_SYNDROME_ACK ? in(0).value : in(1).value);
    }
    by_hand_close(&nic);
}

/* ---- a receive queue that fills up ------------------------------------------------------------
 */

/* The n-th WriteImm of the peer arrives; returns the SACK for it. */
static struct packet_sack sack_for(uint32_t number)
{
    struct packet packet = by_hand_write_imm(&nic, QPN, in(number), (uint16_t)number, 5);

    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    by_hand_send(&nic);
    EXPECT(by_hand_first(&nic, OPCODE_SACK));
    return by_hand_first(&nic, OPCODE_SACK)->sack;
}

SPEC(
    "§20: completions that are not fetched slow the peer down, from half of the queue to all of it")
{
    struct packet_sack sack;

    by_hand_prepare(&nic);
    nic.config.parameters.receiver_penalty = RECEIVER_PENALTY_QUEUE;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    for (uint32_t i = 0; i < 16; i++)
        EXPECT_EQ(transport_post_recv(nic.transport, QPN, i), 0);
    for (uint32_t i = 0; i < 8; i++) {
        sack = sack_for(i);
        EXPECT_EQ(sack.window_penalty, 0);
        EXPECT(!sack.restore_window);
    }
    for (uint32_t i = 8; i < 16; i++) {
        sack = sack_for(i);
        EXPECT_EQ(sack.window_penalty, (2 * (i + 1) - 16) * 127 / 16);
        EXPECT(!sack.restore_window);
    }
    EXPECT_EQ(by_hand_discard_events(&nic), 16);
    for (uint32_t i = 16; i < 20; i++)
        EXPECT_EQ(transport_post_recv(nic.transport, QPN, i), 0);
    sack = sack_for(16);
    EXPECT_EQ(sack.window_penalty, 0);
    EXPECT(sack.restore_window); /* once */
    EXPECT(!sack_for(17).restore_window);
    by_hand_close(&nic);
}

/* ---- silence -----------------------------------------------------------------------------------
 */

SPEC("§20: the penalty of the host counts while that of the queue is smaller")
{
    by_hand_prepare(&nic);
    nic.config.parameters.receiver_penalty = RECEIVER_PENALTY_QUEUE;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    transport_set_penalty(nic.transport, 40);
    for (uint32_t i = 0; i < 16; i++)
        EXPECT_EQ(transport_post_recv(nic.transport, QPN, i), 0);
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t of_queue = i < 8 ? 0 : (2 * (i + 1) - 16) * 127 / 16;

        EXPECT_EQ(sack_for(i).window_penalty, of_queue > 40 ? of_queue : 40);
    }
    by_hand_close(&nic);
}

SPEC("§7.3: a SACK sets the timer of the next one if one bitmap cannot show all that has arrived")
{
    static const uint32_t arriving[] = { 0, 64, 65 };

    by_hand_prepare(&nic);
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    for (uint32_t i = 0; i < 3; i++) {
        const struct qp *qp = nic_find(nic.transport, QPN);
        struct packet packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, in(arriving[i]), 64);
        uint64_t due_ns;

        packet.flags |= PACKET_ACK_REQUEST;
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
        by_hand_send(&nic);
        due_ns = responder_deadline_ns(qp->responder);
        EXPECT_EQ(due_ns < UINT64_MAX, i == 2);
        EXPECT_LE(deadlines_of(&nic.transport->deadlines, qp->env.index), due_ns);
    }
    by_hand_close(&nic);
}

SPEC("§7: after a pause SACKs report every packet that arrived above a gap")
{
    static const uint32_t spans[] = { 65, 128, 129, 192, 193 };

    for (uint32_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
        uint64_t shown = 0;
        struct packet packet;

        by_hand_prepare(&nic);
        nic.init.window_psns_max_dest = 256;
        by_hand_open(&nic);
        by_hand_connect(&nic, QPN);
        for (uint32_t number = 1; number < spans[i]; number++) {
            packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, in(number), 64);
            EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
        }
        by_hand_send(&nic);
        nic.now_ns += 10000 + 256; /* a base RTT */
        transport_expire(nic.transport, nic.now_ns);
        by_hand_send(&nic);
        for (uint32_t k = 0; k < nic.sent_count; k++)
            if (nic.sent[k].opcode == OPCODE_SACK)
                shown += (uint64_t)__builtin_popcountll(nic.sent[k].sack.bitmap);
        EXPECT_EQ(by_hand_sent(&nic, OPCODE_SACK), (spans[i] + 63) / 64);
        EXPECT_EQ(shown, spans[i] - 1);
        by_hand_close(&nic);
    }
}

SPEC("§7.3: every SACK reports all arrived packets while 64 bits suffice")
{
    struct packet packet;

    by_hand_prepare(&nic);
    nic.init.window_psns_max_dest = 256;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    for (uint32_t number = 1; number < 64; number++) {
        packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, in(number), 64);
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    }
    by_hand_send(&nic);
    for (uint32_t i = 0; i < 8; i++) { /* each repeat is answered */
        packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, in(1 + i * 7), 64);
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_DUPLICATE);
        EXPECT_EQ(by_hand_send(&nic), 1);
        EXPECT_EQ(__builtin_popcountll(nic.sent[0].sack.bitmap), 63);
    }
    by_hand_close(&nic);
}

/* What a SACK reports after this many bytes. */
static uint32_t units_of(uint64_t received_bytes)
{
    struct packet packet;
    uint32_t units;

    by_hand_prepare(&nic);
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, in(0), 64);
    packet.flags |= PACKET_ACK_REQUEST;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    nic_find(nic.transport, QPN)->responder->received_bytes = received_bytes;
    by_hand_send(&nic);
    units = by_hand_first(&nic, OPCODE_SACK)->sack.received_units;
    by_hand_close(&nic);
    return units;
}

SPEC("§7: received bytes are reported in units of 256, rounded up, modulo 2^24")
{
    EXPECT_EQ(units_of(0), 0);
    EXPECT_EQ(units_of(1), 1);
    EXPECT_EQ(units_of(256), 1);
    EXPECT_EQ(units_of(257), 2);
    EXPECT_EQ(units_of(UINT64_C(1) << 32), 0);
    EXPECT_EQ(units_of((UINT64_C(1) << 32) - 256), (1 << 24) - 1);
}

SPEC("§7: what was not reported is reported when no packet has arrived for the idle time")
{
    struct control_record sack;
    struct responder *responder;
    struct packet packet;
    uint64_t due_ns;

    by_hand_prepare(&nic);
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    responder = nic_find(nic.transport, QPN)->responder;
    for (uint32_t i = 0; i < 2; i++) { /* the first packet is answered at once */
        packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, in(i), 64);
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
        EXPECT_EQ(by_hand_send(&nic), 1 - i);
    }
    due_ns = responder_deadline_ns(responder);
    EXPECT_EQ(responder_expire(responder, &sack, due_ns - 1), 0);
    EXPECT_EQ(responder_expire(responder, &sack, due_ns), 1);
    EXPECT_EQ(responder_deadline_ns(responder), UINT64_MAX);
    by_hand_close(&nic);
}

/* The answers to a trimmed packet with this PSN. */
static uint32_t answers_to_trimmed(struct psn psn, uint8_t opcode)
{
    struct packet packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, psn, 64);

    packet.class = DSCP_TRIMMED;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_TRIMMED);
    by_hand_send(&nic);
    EXPECT_EQ(by_hand_sent(&nic, opcode), nic.sent_count);
    return nic.sent_count;
}

SPEC("§5: a trimmed packet causes a NACK, a SACK if it had arrived, nothing beyond the window")
{
    struct packet packet;

    by_hand_prepare(&nic);
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, in(0), 64);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(answers_to_trimmed(in(1), OPCODE_NACK), 1);
    EXPECT_EQ(answers_to_trimmed(in(0), OPCODE_SACK), 1);
    EXPECT_EQ(answers_to_trimmed(in(5000), OPCODE_NACK), 0);
    by_hand_close(&nic);
}
