/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §26: the items of the checklist that one end can show. Those that take a network
 * are in checklist_network_test.c. */
#include <string.h>

#include "observe.h"
#include "spec.h"
#include "vectors.h"
#include "wire/frame.h"

enum {
    PMTU = BY_HAND_PMTU_BYTES,
    BASE_RTT_NS = 10000,
};

static struct by_hand nic;
static struct packet sent[64];
static struct observe_memory memory;
static uint8_t pattern[3 * PMTU];

/* Tail probes, which are not answered, are kept rare. */
static void open_quiet(void)
{
    observe_prepare(&nic);
    nic.config.parameters.tail_floor = 1000000000;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
}

static void open_with_memory(void)
{
    for (uint32_t i = 0; i < sizeof(pattern); i++)
        pattern[i] = (uint8_t)(i * 7 + i / 251);
    memory = (struct observe_memory){ .va = 0x40000 };
    observe_prepare(&nic);
    nic.config.memory = observe_memory_of(&memory);
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
}

/* Packet k of a message of three, which begins the memory. */
static struct packet packet_of_three(uint32_t k)
{
    static const uint8_t opcodes[] = { OPCODE_WRITE_FIRST, OPCODE_WRITE_MIDDLE, OPCODE_WRITE_LAST };
    struct packet packet =
        by_hand_write(&nic, OBSERVE_QPN, opcodes[k], observe_in((int32_t)k), PMTU);

    packet.write.va = memory.va + k * PMTU;
    packet.write.payload.bytes = pattern + k * PMTU;
    packet.write.message_bytes = 3 * PMTU;
    packet.flags |= k == 2 ? PACKET_ACK_REQUEST : 0;
    return packet;
}

static struct psn cack_now(void)
{
    struct packet probe = by_hand_write(&nic, OBSERVE_QPN, OPCODE_PROBE, psn(0), 0);

    EXPECT_EQ(by_hand_receive(&nic, &probe), DROP_NONE);
    by_hand_send(&nic);
    return observe_nth(&nic, observe_is_sack, observe_count(&nic, observe_is_sack) - 1)->psn;
}

static enum drop_reason arrive_imm(int32_t number, uint16_t rqmsn)
{
    struct packet packet =
        by_hand_write_imm(&nic, OBSERVE_QPN, observe_in(number), rqmsn, 1000u + rqmsn);

    return by_hand_receive(&nic, &packet);
}

static enum drop_reason sack_marked(const struct packet *trigger, uint8_t mark)
{
    struct packet sack = observe_sack_of(&nic, trigger, observe_out(-1));

    sack.sack.mark = mark;
    return by_hand_receive(&nic, &sack);
}

/* ---- 1: the wire ----------------------------------------------------------------------------- */

SPEC("§26.1: every vector is decoded, iCRC included, and encoded again (wire_vectors: its fields)")
{
    for (size_t i = 0; i < vectors_all()->count; i++) {
        const struct vector *vector = &vectors_all()->items[i];
        uint8_t built[VECTOR_BYTES_MAX];
        struct frame frame;

        EXPECT_EQ(frame_parse(&format_default, vector->bytes, vector->length, &frame), DROP_NONE);
        EXPECT(frame_icrc_ok(&frame, vector->bytes));
        EXPECT_EQ(frame_build(&format_default, &frame, built, sizeof(built)), vector->length);
        if (opcode_has_payload(frame.packet.opcode) && !frame_is_trimmed(&frame))
            memcpy(built + frame.payload_offset, frame.packet.write.payload.bytes,
                frame.packet.write.payload.length);
        if (!frame_is_trimmed(&frame))
            frame_seal(&frame, built);
        EXPECT_MEM_EQ(built, vector->bytes, vector->length);
    }
}

/* ---- 2 to 7: placement, PSNs, WriteImm ------------------------------------------------------- */

SPEC("§26.2: three packets in all 6 orders: the same memory, one ACK, cack at the end of no gap")
{
    static const uint8_t orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 },
        { 2, 0, 1 }, { 2, 1, 0 } };

    for (uint32_t order = 0; order < 6; order++) {
        uint32_t arrived = 0;

        open_with_memory();
        for (uint32_t i = 0; i < 3; i++) {
            struct packet packet = packet_of_three(orders[order][i]);

            EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
            arrived |= 1u << orders[order][i];
            EXPECT_EQ(cack_now().value, observe_in((int32_t)__builtin_ctz(~arrived) - 1).value);
            EXPECT_EQ(observe_count(&nic, observe_is_ack), i == 2);
        }
        EXPECT_MEM_EQ(memory.bytes, pattern, sizeof(pattern));
        EXPECT_EQ(by_hand_count(&nic, COUNTER_MESSAGES_RECEIVED), 1);
        by_hand_close(&nic);
    }
}

SPEC("§26.3: each packet arrives twice: it is written once, and the second causes a SACK")
{
    open_with_memory();
    for (uint32_t k = 0; k < 3; k++) {
        struct packet packet = packet_of_three(k);

        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
        EXPECT_MEM_EQ(memory.bytes + k * PMTU, pattern + k * PMTU, PMTU);
        memset(memory.bytes + k * PMTU, 0xee, PMTU);
        by_hand_send(&nic);
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_DUPLICATE);
        by_hand_send(&nic);
        EXPECT_EQ(observe_count(&nic, observe_is_sack), 1);
        EXPECT_EQ(memory.bytes[k * PMTU], 0xee);
    }
    EXPECT_EQ(memory.placed_count, 3);
    by_hand_close(&nic);
}

SPEC("§26.4: PSNs wrap at 0xffffff with holes on both sides, at the responder")
{
    static const int32_t arrivals[] = { 9, 0, 12, 5, 7, 8, 2 }; /* number 8 is PSN 0 */

    observe_open(&nic);
    for (uint32_t i = 0; i < 7; i++)
        EXPECT_EQ(observe_arrive(&nic, arrivals[i], PACKET_ACK_REQUEST), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(observe_nth(&nic, observe_is_sack, 6)->psn.value, 0xfffff8);
    EXPECT_EQ(observe_nth(&nic, observe_is_sack, 6)->sack.bitmap, 0x9d2);
    EXPECT_EQ(observe_nth(&nic, observe_is_sack, 6)->sack.ooo_count, 6);
    for (int32_t i = 1; i < 12; i++)
        observe_arrive(&nic, i, 0);
    EXPECT_EQ(cack_now().value, 4);
    EXPECT_EQ(nic.placed_count, 13);
    by_hand_close(&nic);
}

SPEC("§26.4: PSNs wrap at 0xffffff with holes on both sides, at the requester")
{
    struct packet sack;

    observe_open_sending(&nic, sent, 24); /* number 16 is PSN 0 */
    sack = observe_sack_of(&nic, &sent[20], observe_out(11));
    sack.sack.bitmap = 0x0bd; /* missing: 13 and 18, and what follows 20 */
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).inflight_bytes, 5 * (PMTU + 88));
    EXPECT_EQ(observe_sacked(&nic, &sent[13], observe_out(11)), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).unacked_psn.value, 2);
    EXPECT_EQ(observe_acked(&nic, 23, 1), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).unacked_psn.value, 8);
    by_hand_close(&nic);
}

SPEC("§26.5: WriteImm 2 is complete before WriteImm 1: completions in the order 1, 2")
{
    struct transport_event event;

    observe_open(&nic);
    transport_post_recv(nic.transport, OBSERVE_QPN, 101);
    transport_post_recv(nic.transport, OBSERVE_QPN, 102);
    EXPECT_EQ(arrive_imm(1, 1), DROP_NONE);
    EXPECT(!by_hand_event(&nic, &event));
    EXPECT_EQ(arrive_imm(0, 0), DROP_NONE);
    for (uint32_t i = 0; i < 2; i++) {
        EXPECT(by_hand_event(&nic, &event));
        EXPECT_EQ(event.id, 101 + i);
        EXPECT_EQ(event.immediate, 1000 + i);
    }
    by_hand_close(&nic);
}

SPEC("§26.6: max_wimm WriteImm wait for the first; one more is a QP error at the responder")
{
    observe_open(&nic); /* 32 at most */
    for (uint16_t i = 1; i < 32; i++)
        EXPECT_EQ(arrive_imm(i, i), DROP_NONE);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
    EXPECT_EQ(arrive_imm(32, 32), DROP_WRITE_IMM_LIMIT);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_ERR);
    by_hand_send(&nic);
    EXPECT_EQ(nic.sent[nic.sent_count - 1].ack.syndrome, 0x65);
    by_hand_close(&nic);
}

SPEC("§26.7: PSN cack + MPR is accepted, cack + MPR + 1 is answered with NACK PSN_OOR_WINDOW")
{
    observe_open(&nic); /* MPR is 128 PSNs here, cack is number -1 */
    EXPECT_EQ(observe_arrive(&nic, 127, 0), DROP_NONE);
    EXPECT_EQ(nic.placed_count, 1);
    by_hand_send(&nic);
    EXPECT_EQ(observe_arrive(&nic, 128, 0), DROP_BEYOND_WINDOW);
    EXPECT_EQ(nic.placed_count, 1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].nack.reason, NACK_PSN_OOR_WINDOW);
    EXPECT_EQ(nic.sent[0].nack.nack_psn.value, observe_in(128).value);
    by_hand_close(&nic);
}

/* ---- 8, 9: marks and trims ------------------------------------------------------------------- */

SPEC("§26.8: a CE-marked packet causes a SACK with m = 01 and its EV")
{
    struct packet packet;

    observe_open(&nic);
    observe_answers(&nic, 0, 0);
    packet = by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_ONLY, observe_in(1), 64);
    packet.ecn = ECN_CE;
    packet.ev = nic.entries[6].ev;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].sack.mark, 1);
    EXPECT_EQ(nic.sent[0].sack.entropy, nic.entries[6].ev);
    EXPECT_EQ(nic.sent[0].sack.ack_psn_offset, 0);
    by_hand_close(&nic);
}

/* Sends until the plane of `ev` has had `plane_packets`; returns how many of them it carried. */
static uint32_t carried(uint32_t ev, uint32_t plane_packets)
{
    uint32_t port = nic.entries[path_profile_find(&nic.profile, ev)].plane;
    uint32_t count = 0;

    observe_post(&nic, 9, 2 * plane_packets * PMTU); /* two planes, in turn */
    for (uint32_t i = 0; i < nic.sent_count; i++) {
        count += nic.sent[i].ev == ev;
        plane_packets -= nic.sent[i].port == port;
    }
    EXPECT_EQ(plane_packets, 0);
    return count;
}

SPEC("§26.8: the requester skips a marked EV exactly once")
{
    observe_open_sending(&nic, sent, 8); /* one rotation: four EVs on each plane */
    EXPECT_EQ(sack_marked(&sent[0], SACK_MARK_SKIP_ONCE), DROP_NONE);
    EXPECT_EQ(observe_ev(&nic, sent[0].ev), EV_SKIP);
    EXPECT_EQ(carried(sent[0].ev, 3), 0); /* a rotation without it */
    EXPECT_EQ(carried(sent[0].ev, 4), 1);
    EXPECT_EQ(carried(sent[0].ev, 4), 1);
    by_hand_close(&nic);
}

SPEC("§26.9: NACK TRIMMED: the EV is SKIP, and the packet goes with rtx = 1 on another")
{
    observe_open_sending(&nic, sent, 8);
    EXPECT_EQ(observe_nacked(&nic, &sent[3], NACK_TRIMMED), DROP_NONE);
    EXPECT_EQ(observe_ev(&nic, sent[3].ev), EV_SKIP);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT(observe_is_repeat(&nic.sent[0]));
    EXPECT_EQ(nic.sent[0].psn.value, sent[3].psn.value);
    EXPECT_NE(nic.sent[0].ev, sent[3].ev);
    by_hand_close(&nic);
}

SPEC("§26.9: NACK TRIMMED_LASTHOP: the EV stays GOOD, and the packet goes on another")
{
    observe_open_sending(&nic, sent, 8);
    EXPECT_EQ(observe_nacked(&nic, &sent[3], NACK_TRIMMED_LASTHOP), DROP_NONE);
    EXPECT_EQ(observe_ev(&nic, sent[3].ev), EV_GOOD);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT(observe_is_repeat(&nic.sent[0]));
    EXPECT_NE(nic.sent[0].ev, sent[3].ev);
    by_hand_close(&nic);
}

SPEC("§26.9: a trimmed packet causes NACK TRIMMED with its EV, one of the last hop TRIMMED_LASTHOP")
{
    static const uint8_t classes[] = { DSCP_TRIMMED, DSCP_TRIMMED_LASTHOP };
    static const uint8_t reasons[] = { NACK_TRIMMED, NACK_TRIMMED_LASTHOP };

    observe_open(&nic);
    for (int32_t i = 0; i < 2; i++) {
        struct packet packet =
            by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_ONLY, observe_in(i), 64);

        packet.class = classes[i];
        packet.ev = nic.entries[4].ev;
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_TRIMMED);
        EXPECT_EQ(by_hand_send(&nic), 1);
        EXPECT_EQ(nic.sent[0].nack.reason, reasons[i]);
        EXPECT_EQ(nic.sent[0].nack.entropy, nic.entries[4].ev);
    }
    by_hand_close(&nic);
}

/* ---- 11: the floor --------------------------------------------------------------------------- */

SPEC("§26.11: the floor holds, three losses in a row pass it, and the last usable EV always stays")
{
    const struct path_set *paths;
    uint32_t bad_most = 0;

    open_quiet(); /* 8 EVs: the floor is 2 */
    observe_modify(&nic,
        (struct qp_attributes){ .timeout = 8, .retry_linear = 7, .retry_exponential = 25 },
        QP_ATTR_TIMEOUT | QP_ATTR_RETRY);
    paths = transport_qp_paths(nic.transport, OBSERVE_QPN);
    observe_post(&nic, 1, 64);
    for (uint32_t i = 0; i < 60; i++) { /* every copy is lost */
        uint32_t refusals = path_refusals(paths);

        EXPECT_NE(observe_wait_for(&nic, observe_is_repeat, UINT64_C(1) << 40), UINT64_MAX);
        bad_most = path_bad_count(paths) > bad_most ? path_bad_count(paths) : bad_most;
        if (path_refusals(paths) > refusals)
            EXPECT_GE(path_bad_count(paths), 6);
        EXPECT_GE(path_usable_count(paths), 1);
    }
    EXPECT_GT(path_refusals(paths), 0);
    EXPECT_EQ(bad_most, 7);
    by_hand_close(&nic);
}

/* ---- 15: timeouts ---------------------------------------------------------------------------- */

SPEC("§26.15: with the defaults silence lasts 258 T, at the times of §13; then RETRY_EXC_ERR")
{
    static const uint32_t intervals[] = { 1, 1, 1, 1, 2, 4, 8, 16, 32, 64, 128 };
    uint64_t timeout_ns = UINT64_C(1024) << 14;
    uint64_t begin_ns;
    uint64_t due_ns = 0;

    open_quiet();
    begin_ns = nic.now_ns;
    observe_post(&nic, 1, 64);
    for (uint32_t i = 0; i < 10; i++) {
        observe_wait_for(&nic, observe_is_repeat, 200 * timeout_ns);
        due_ns += intervals[i] * timeout_ns;
        EXPECT_GE(nic.now_ns - begin_ns, due_ns);
        EXPECT_LE(nic.now_ns - begin_ns, due_ns + (i + 1) * OBSERVE_TICK_NS);
    }
    by_hand_wait(&nic, begin_ns + 258 * timeout_ns - nic.now_ns - 1);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
    by_hand_wait(&nic, 12 * OBSERVE_TICK_NS);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_ERR);
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 1, COMPLETION_RETRY_EXCEEDED));
    by_hand_close(&nic);
}

SPEC("§26.15: an advance of cack sets R to 0")
{
    open_quiet();
    observe_post(&nic, 1, 2 * PMTU);
    for (uint32_t i = 0; i < 3; i++)
        observe_wait_for(&nic, observe_is_repeat, UINT64_C(1) << 30);
    EXPECT_EQ(observe_status(&nic).timeouts, 3);
    EXPECT_EQ(
        observe_sacked(&nic, observe_nth(&nic, observe_is_repeat, 0), observe_out(0)), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).timeouts, 0);
    by_hand_close(&nic);
}

/* ---- 17: dynamic MPR ------------------------------------------------------------------------- */

static uint32_t mpr_told(int32_t number, uint8_t mpr)
{
    observe_modify(&nic, (struct qp_attributes){ .mpr_dest = mpr }, QP_ATTR_MPR_DEST);
    observe_answers(&nic, number, PACKET_ACK_REQUEST);
    return observe_nth(&nic, observe_is_sack, 0)->sack.mpr;
}

SPEC("§26.17: the responder announces MPR 8, 2, 8 and admits as many PSNs, without QP error")
{
    observe_prepare(&nic);
    nic.init.window_psns_max_dest = 1024;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_modify(&nic, (struct qp_attributes){ .dynamic_mpr = true }, QP_ATTR_CAPABILITIES);
    EXPECT_EQ(mpr_told(0, 8), 8);
    EXPECT_EQ(observe_arrive(&nic, 1024, 0), DROP_NONE);
    EXPECT_EQ(mpr_told(1, 2), 2);
    EXPECT_EQ(observe_arrive(&nic, 257, 0), DROP_NONE);
    EXPECT_EQ(observe_arrive(&nic, 258, 0), DROP_BEYOND_WINDOW);
    EXPECT_EQ(mpr_told(2, 8), 8);
    EXPECT_EQ(observe_arrive(&nic, 1026, 0), DROP_NONE);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
    by_hand_close(&nic);
}

/* ---- 20: NAK --------------------------------------------------------------------------------- */

SPEC("§26.20: Transport NAK: earlier messages succeed, the offending one fails, later are flushed")
{
    struct packet nak;

    observe_open(&nic);
    for (uint64_t id = 1; id <= 4; id++)
        observe_post(&nic, id, 2 * PMTU);
    nak = by_hand_nak(&nic, OBSERVE_QPN, observe_out(5), ACK_SYNDROME_REMOTE_ACCESS, 2);
    EXPECT_EQ(by_hand_receive(&nic, &nak), DROP_NONE);
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 1, COMPLETION_SUCCESS));
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 2, COMPLETION_SUCCESS));
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 3, COMPLETION_REMOTE_ACCESS));
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 4, COMPLETION_FLUSHED));
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_ERR);
    by_hand_close(&nic);
}

/* ---- 22: a lost ACK -------------------------------------------------------------------------- */

SPEC("§26.22: a lost Transport ACK: the tail-probe timer repeats the last packet, and it completes")
{
    const struct packet *repeat;

    observe_open(&nic);
    observe_post(&nic, 1, 3 * PMTU);
    nic.now_ns += BASE_RTT_NS;
    EXPECT_EQ(observe_sacked(&nic, &nic.sent[2], observe_out(2)), DROP_NONE);
    EXPECT_LT(observe_wait_for(&nic, observe_is_repeat, 10 * BASE_RTT_NS), 2 * BASE_RTT_NS);
    repeat = observe_nth(&nic, observe_is_repeat, 0);
    EXPECT_EQ(repeat->psn.value, observe_out(2).value);
    EXPECT(repeat->flags & PACKET_ACK_REQUEST);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_FOR_ACK), 1);
    EXPECT_EQ(observe_acked(&nic, 2, 1), DROP_NONE);
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 1, COMPLETION_SUCCESS));
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TIMEOUT_FIRED), 0);
    by_hand_close(&nic);
}

/* Of one message more than `before`, all acknowledged but the last message as such, the ports by
 * which its last packet goes again, round by round. */
static void repeat_for_ack(uint32_t before, uint32_t *ports, uint32_t count)
{
    observe_open(&nic);
    for (uint32_t i = 0; i <= before; i++)
        observe_post(&nic, i, PMTU);
    ports[0] = nic.sent[0].port;
    nic.now_ns += BASE_RTT_NS;
    EXPECT_EQ(observe_sacked(&nic, &nic.sent[0], observe_out((int32_t)before)), DROP_NONE);
    EXPECT_EQ(observe_acked(&nic, (int32_t)before - 1, before), DROP_NONE);
    for (uint32_t i = 1; i < count; i++) {
        EXPECT_NE(observe_wait_for(&nic, observe_is_repeat, 100 * BASE_RTT_NS), UINT64_MAX);
        ports[i] = observe_nth(&nic, observe_is_repeat, 0)->port;
    }
    by_hand_close(&nic);
}

SPEC("§6.3: a repeat for an ACK uses the plane heard from last; without an answer all planes in "
     "turn")
{
    for (uint32_t before = 0; before < 2; before++) {
        uint32_t ports[4];

        repeat_for_ack(before, ports, 4);
        EXPECT_EQ(ports[1], ports[0]);
        EXPECT_NE(ports[3], ports[2]);
    }
}

/* ---- 26: trimmed packets of strangers ---------------------------------------------------------
 */

static void expect_no_answer(uint32_t peer, enum drop_reason reason)
{
    struct packet packet = by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_ONLY, observe_in(0), 64);

    packet.class = DSCP_TRIMMED;
    packet.src = by_hand_address(peer);
    EXPECT_EQ(by_hand_receive(&nic, &packet), reason);
    EXPECT_EQ(by_hand_send(&nic), 0);
}

SPEC("§26.26: a trimmed packet not of the peer, or in RESET, INIT or ERR, is not answered")
{
    observe_prepare(&nic);
    by_hand_open(&nic);
    by_hand_create(&nic, OBSERVE_QPN);
    expect_no_answer(nic.peer, DROP_QP_STATE);
    by_hand_step(&nic, OBSERVE_QPN, QP_INIT);
    expect_no_answer(nic.peer, DROP_QP_STATE);
    by_hand_step(&nic, OBSERVE_QPN, QP_RTR);
    expect_no_answer(nic.peer + 1, DROP_PEER);
    by_hand_step(&nic, OBSERVE_QPN, QP_RTS);
    expect_no_answer(nic.peer + 1, DROP_PEER);
    by_hand_move(&nic, OBSERVE_QPN, QP_ERR);
    expect_no_answer(nic.peer, DROP_QP_STATE);
    by_hand_close(&nic);
}
