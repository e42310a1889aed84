/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §7: when a SACK goes, and what it says. */
#include "observe.h"
#include "spec.h"

enum {
    PMTU = BY_HAND_PMTU_BYTES,
    SMALL_BYTES = 152, /* nominal size of a packet with 64 bytes of payload */
};

static struct by_hand nic;

/* The first packet, whose SACK is not the one that a test is about. */
static void open_after_first(void)
{
    observe_open(&nic);
    EXPECT_EQ(observe_answers(&nic, 0, 0), 1);
}

static void open_wide(void)
{
    observe_prepare(&nic);
    nic.init.window_psns_max_dest = 1024;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
}

static uint32_t sacks_of(int32_t number, uint8_t flags)
{
    observe_answers(&nic, number, flags);
    return observe_count(&nic, observe_is_sack);
}

static const struct packet *sack_of(int32_t number, uint8_t flags)
{
    EXPECT_EQ(sacks_of(number, flags), 1);
    return observe_nth(&nic, observe_is_sack, 0);
}

static enum drop_reason arrive_full(int32_t number, uint8_t ecn)
{
    struct packet packet =
        by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_ONLY, observe_in(number), PMTU);

    packet.ecn = ecn;
    packet.ev = nic.entries[5].ev;
    return by_hand_receive(&nic, &packet);
}

/* ---- §7.1 triggers -------------------------------------------------------------------------- */

SPEC("§7.1: without a trigger there is no SACK")
{
    open_after_first();
    EXPECT_EQ(sacks_of(1, 0), 0);
    EXPECT_EQ(sacks_of(5, 0), 0);
    EXPECT_EQ(sacks_of(3, 0), 0);
    by_hand_close(&nic);
}

SPEC("§7.1 trigger 1: sack_gen_threshold bytes, 16 KiB of nominal packet sizes, with any PMTU")
{
    open_after_first();
    for (int32_t i = 1; i <= 14; i++) {
        EXPECT_EQ(arrive_full(i, ECN_ECT0), DROP_NONE);
        EXPECT_EQ(by_hand_send(&nic), 0);
    }
    EXPECT_EQ(arrive_full(15, ECN_ECT0), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 1);
    by_hand_close(&nic);
}

SPEC("§7.1 trigger 1: a small packet is charged 1,024 bytes, and the count starts again after a "
     "SACK")
{
    open_after_first();
    for (int32_t round = 0; round < 3; round++) {
        for (int32_t i = 1; i <= 15; i++)
            EXPECT_EQ(sacks_of(16 * round + i, 0), 0);
        EXPECT_EQ(sacks_of(16 * round + 16, 0), 1);
    }
    by_hand_close(&nic);
}

SPEC("§7.1 trigger 1: the threshold itself suffices, one byte less does not")
{
    for (uint32_t missing_bytes = 0; missing_bytes < 2; missing_bytes++) {
        observe_prepare(&nic);
        nic.config.parameters.sack_min_charge = 0;
        nic.config.parameters.sack_gen_threshold = 3 * SMALL_BYTES + missing_bytes;
        by_hand_open(&nic);
        by_hand_connect(&nic, OBSERVE_QPN);
        EXPECT_EQ(sacks_of(0, 0), 1);
        EXPECT_EQ(sacks_of(1, 0), 0);
        EXPECT_EQ(sacks_of(2, 0), 0);
        EXPECT_EQ(sacks_of(3, 0), 1 - missing_bytes);
        by_hand_close(&nic);
    }
}

SPEC("§7.1 trigger 2: a packet with AckReq causes a SACK")
{
    open_after_first();
    EXPECT_EQ(sacks_of(1, 0), 0);
    EXPECT_EQ(sacks_of(2, PACKET_ACK_REQUEST), 1);
    by_hand_close(&nic);
}

SPEC("§7.1 trigger 3: every CE-marked packet causes a SACK of its own")
{
    open_after_first();
    EXPECT_EQ(arrive_full(1, ECN_CE), DROP_NONE);
    EXPECT_EQ(arrive_full(2, ECN_CE), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 2);
    EXPECT_EQ(observe_count(&nic, observe_is_sack), 2);
    by_hand_close(&nic);
}

SPEC("§7.1 trigger 4: a retransmission causes a SACK")
{
    open_after_first();
    EXPECT_EQ(sacks_of(1, PACKET_RETRANSMISSION), 1);
    by_hand_close(&nic);
}

SPEC("§7.1 trigger 5: a Reliability Probe causes a SACK, which resets the count as any other does")
{
    struct packet probe;

    open_after_first();
    for (int32_t i = 1; i <= 3; i++)
        EXPECT_EQ(sacks_of(i, 0), 0);
    probe = by_hand_write(&nic, OBSERVE_QPN, OPCODE_PROBE, psn(0), 0);
    EXPECT_EQ(by_hand_receive(&nic, &probe), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(observe_count(&nic, observe_is_sack), 1);
    EXPECT_EQ(sacks_of(4, 0), 0);
    by_hand_close(&nic);
}

SPEC("§7.1 trigger 6: a duplicate, old or inside the window, causes a SACK")
{
    open_after_first();
    EXPECT_EQ(sacks_of(0, 0), 1);
    EXPECT_EQ(sacks_of(5, 0), 0);
    EXPECT_EQ(sacks_of(5, 0), 1);
    by_hand_close(&nic);
}

SPEC("§7.1 trigger 7: the first packet of a connection causes a SACK, also after RESET")
{
    observe_open(&nic);
    EXPECT_EQ(sacks_of(3, 0), 1);
    by_hand_move(&nic, OBSERVE_QPN, QP_RESET);
    by_hand_reconnect(&nic, OBSERVE_QPN);
    EXPECT_EQ(sacks_of(0, 0), 1);
    by_hand_close(&nic);
}

SPEC("§7.1 trigger 8: what fills a gap below the highest PSN, if that asked for an ACK")
{
    open_after_first();
    EXPECT_EQ(sacks_of(5, PACKET_ACK_REQUEST), 1);
    EXPECT_EQ(sacks_of(2, 0), 1);
    EXPECT_EQ(sacks_of(4, 0), 1);
    EXPECT_EQ(sacks_of(1, 0), 1);
    EXPECT_EQ(sacks_of(3, 0), 1); /* the last gap: cack equals the highest */
    EXPECT_EQ(sacks_of(6, 0), 0);
    by_hand_close(&nic);
}

SPEC("§7.1 trigger 8: sack_gap=filled: one SACK when the last gap is filled")
{
    observe_prepare(&nic);
    nic.config.parameters.sack_gap = SACK_GAP_FILLED;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    EXPECT_EQ(sacks_of(0, 0), 1);
    EXPECT_EQ(sacks_of(4, PACKET_ACK_REQUEST), 1);
    EXPECT_EQ(sacks_of(2, 0), 0);
    EXPECT_EQ(sacks_of(1, 0), 0);
    EXPECT_EQ(sacks_of(3, 0), 1);
    by_hand_close(&nic);
}

SPEC("§7.1 trigger 8: ends with a higher PSN that does not ask, and with the last gap filled")
{
    open_after_first();
    EXPECT_EQ(sacks_of(5, PACKET_ACK_REQUEST), 1);
    EXPECT_EQ(sacks_of(7, 0), 0);
    EXPECT_EQ(sacks_of(2, 0), 0);
    by_hand_close(&nic);
    open_after_first();
    EXPECT_EQ(sacks_of(1, PACKET_ACK_REQUEST), 1);
    EXPECT_EQ(sacks_of(3, 0), 0);
    EXPECT_EQ(sacks_of(2, 0), 0);
    by_hand_close(&nic);
}

/* ---- §7.1 idle flush ------------------------------------------------------------------------ */

SPEC("§7.1: what none has reported is reported after a base RTT of silence, once")
{
    uint64_t wait_ns;

    open_after_first();
    EXPECT_EQ(sacks_of(1, 0), 0);
    wait_ns = observe_wait_for(&nic, observe_is_sack, 100000);
    EXPECT_AFTER(wait_ns, 10000);
    EXPECT_EQ(observe_wait_for(&nic, observe_is_sack, 1000000), UINT64_MAX);
    by_hand_close(&nic);
}

SPEC("§7.1: the idle time restarts with each packet, and can be configured")
{
    uint64_t wait_ns;

    observe_prepare(&nic);
    nic.config.parameters.sack_idle_flush = 18000;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    EXPECT_EQ(sacks_of(0, 0), 1);
    EXPECT_EQ(sacks_of(1, 0), 0);
    by_hand_wait(&nic, 12000);
    EXPECT_EQ(sacks_of(2, 0), 0);
    wait_ns = observe_wait_for(&nic, observe_is_sack, 100000);
    EXPECT_AFTER(wait_ns, 18000);
    by_hand_close(&nic);
}

SPEC("§7.1: an idle flush has no stamp and no mark, and refers to the last packet charged")
{
    struct packet packet;

    open_after_first();
    packet = by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_ONLY, observe_in(3), 64);
    packet.ev = nic.entries[6].ev;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    EXPECT_LT(observe_wait_for(&nic, observe_is_sack, 100000), 100000);
    EXPECT_EQ(nic.sent[0].sack.tx_timestamp, 0);
    EXPECT_EQ(nic.sent[0].sack.mark, SACK_MARK_NONE);
    EXPECT_EQ(nic.sent[0].sack.ack_psn_offset, 3);
    EXPECT_EQ(nic.sent[0].sack.entropy, nic.entries[6].ev);
    by_hand_close(&nic);
}

SPEC("§7.1: what no bitmap reached is shown after a base RTT of silence, all of it")
{
    open_after_first();
    for (int32_t number = 2; number < 100; number++)
        EXPECT_EQ(observe_arrive(&nic, number, 0), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(sacks_of(100, PACKET_ACK_REQUEST), 1);
    EXPECT_LT(observe_wait_for(&nic, observe_is_sack, 100000), 100000);
    EXPECT_EQ(observe_count(&nic, observe_is_sack), 2);
    EXPECT_EQ(observe_wait_for(&nic, observe_is_sack, 1000000), UINT64_MAX);
    by_hand_close(&nic);
}

SPEC("§7.1: an idle flush never names a packet that was not taken: that would lose it")
{
    open_after_first();
    EXPECT_EQ(sacks_of(1, 0), 0);
    EXPECT_EQ(observe_arrive(&nic, 900, 0), DROP_BEYOND_WINDOW);
    by_hand_send(&nic);
    EXPECT_LT(observe_wait_for(&nic, observe_is_sack, 100000), 100000);
    EXPECT_EQ(nic.sent[0].psn.value, observe_in(1).value);
    EXPECT_EQ(nic.sent[0].sack.ack_psn_offset, 0);
    by_hand_close(&nic);
}

/* ---- §7.2 contents -------------------------------------------------------------------------- */

SPEC("§7.2: PSN is cack, ack_psn the trigger's, ahead of cack or behind it")
{
    open_after_first();
    EXPECT_EQ(sack_of(4, PACKET_ACK_REQUEST)->sack.ack_psn_offset, 4);
    EXPECT_EQ(nic.sent[0].psn.value, observe_in(0).value);
    EXPECT_EQ(nic.sent[0].sack.cack_psn.value, observe_in(0).value);
    observe_arrive(&nic, 1, PACKET_ACK_REQUEST);
    observe_arrive(&nic, 2, 0);
    by_hand_send(&nic);
    EXPECT_EQ(observe_nth(&nic, observe_is_sack, 0)->psn.value, observe_in(2).value);
    EXPECT_EQ(observe_nth(&nic, observe_is_sack, 0)->sack.ack_psn_offset, -1);
    EXPECT_EQ(sack_of(0, 0)->sack.ack_psn_offset, -2);
    by_hand_close(&nic);
}

SPEC("§7.2: an offset beyond 32,767 is sent as 0")
{
    open_after_first();
    EXPECT_EQ(sack_of(-32767, 0)->sack.ack_psn_offset, -32767);
    EXPECT_EQ(sack_of(-32768, 0)->sack.ack_psn_offset, 0);
    EXPECT_EQ(sack_of(-1000000, 0)->sack.ack_psn_offset, 0);
    by_hand_close(&nic);
}

SPEC("§7.2: rtx, EV and stamp are the trigger's")
{
    struct packet packet;
    const struct packet *sack;

    open_after_first();
    packet = by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_ONLY, observe_in(1), 64);
    packet.flags |= PACKET_RETRANSMISSION;
    packet.ev = nic.entries[3].ev;
    packet.write.tx_timestamp = 0x4711;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 1);
    sack = observe_nth(&nic, observe_is_sack, 0);
    EXPECT(sack->flags & PACKET_RETRANSMISSION);
    EXPECT_EQ(sack->sack.entropy, nic.entries[3].ev);
    EXPECT_EQ(sack->sack.tx_timestamp, 0x4711);
    EXPECT(!(sack_of(2, PACKET_ACK_REQUEST)->flags & PACKET_RETRANSMISSION));
    by_hand_close(&nic);
}

SPEC("§7.2: m is SKIP_ONCE for a marked trigger, otherwise NONE, duplicates included")
{
    open_after_first();
    EXPECT_EQ(arrive_full(1, ECN_CE), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(nic.sent[0].sack.mark, SACK_MARK_SKIP_ONCE);
    EXPECT_EQ(nic.sent[0].sack.entropy, nic.entries[5].ev);
    EXPECT_EQ(arrive_full(1, ECN_CE), DROP_DUPLICATE);
    by_hand_send(&nic);
    EXPECT_EQ(nic.sent[0].sack.mark, SACK_MARK_SKIP_ONCE);
    EXPECT_EQ(arrive_full(1, ECN_ECT0), DROP_DUPLICATE);
    by_hand_send(&nic);
    EXPECT_EQ(nic.sent[0].sack.mark, SACK_MARK_NONE);
    by_hand_close(&nic);
}

SPEC("§7.2: ooo_count is the number of packets held above cack")
{
    open_after_first();
    EXPECT_EQ(sack_of(1, PACKET_ACK_REQUEST)->sack.ooo_count, 0);
    EXPECT_EQ(sack_of(3, PACKET_ACK_REQUEST)->sack.ooo_count, 1);
    EXPECT_EQ(sack_of(9, PACKET_ACK_REQUEST)->sack.ooo_count, 2);
    EXPECT_EQ(sack_of(2, PACKET_ACK_REQUEST)->sack.ooo_count, 1);
    by_hand_close(&nic);
}

SPEC("§7.2: by default there is no penalty and nothing to restore")
{
    observe_open(&nic);
    EXPECT_EQ(sack_of(0, 0)->sack.window_penalty, 0);
    EXPECT(!nic.sent[0].sack.restore_window);
    EXPECT(!nic.sent[0].sack.answers_probe);
    by_hand_close(&nic);
}

SPEC("§7.2: a SACK goes to the peer's QP in the control class, and cannot be marked")
{
    observe_open(&nic);
    EXPECT_EQ(sack_of(0, 0)->dest_qpn, BY_HAND_PEER_QPN + OBSERVE_QPN);
    EXPECT_EQ(nic.sent[0].class, DSCP_CONTROL);
    EXPECT_EQ(nic.sent[0].ecn, ECN_NOT_ECT);
    by_hand_close(&nic);
}

/* ---- §7.3 the bitmap ------------------------------------------------------------------------ */

SPEC("§7.3: up to 64 PSNs above cack the bitmap begins at cack + 1 and shows all of them")
{
    observe_open(&nic);
    EXPECT_EQ(sack_of(1, 0)->sack.sack_offset, 1);
    EXPECT_EQ(nic.sent[0].sack.bitmap, 2);
    EXPECT_EQ(sack_of(63, PACKET_ACK_REQUEST)->sack.sack_offset, 1);
    EXPECT_EQ(nic.sent[0].sack.bitmap, 2 | UINT64_C(1) << 63);
    EXPECT_EQ(sack_of(63, PACKET_ACK_REQUEST)->sack.sack_offset, 1);
    EXPECT_EQ(sack_of(0, PACKET_ACK_REQUEST)->sack.bitmap, UINT64_C(1) << 61);
    by_hand_close(&nic);
}

SPEC("§7.3: a wider span is shown by turns: the oldest 64, the 64 up to the trigger, the next "
     "stretch of the rest, the 64 up to the trigger (decision 8)")
{
    static const int16_t offsets[] = { 1, 127, 65, 127, 1, 127, 129, 127, 1, 127, 193 };

    open_wide();
    observe_answers(&nic, 1, 0);
    observe_answers(&nic, 200, 0);
    observe_answers(&nic, 189, 0);
    for (uint32_t i = 0; i < 11; i++)
        EXPECT_EQ(sack_of(189, 0)->sack.sack_offset, offsets[i]);
    by_hand_close(&nic);
}

/* Bit i: some SACK has shown number 10 + 60 * i, which has arrived, as have 15 others so far apart
 * and number 1. */
static uint32_t shown_by(uint32_t sack_count)
{
    uint32_t shown = 0;

    observe_answers(&nic, 1, 0);
    for (int32_t i = 0; i < 16; i++)
        observe_answers(&nic, 10 + 60 * i, 0);
    for (uint32_t i = 0; i < sack_count; i++) {
        const struct packet_sack *sack = &sack_of(910, 0)->sack;

        for (uint64_t bits = sack->bitmap; bits; bits &= bits - 1) {
            int32_t number = sack->sack_offset + __builtin_ctzll(bits) - 1;

            if (number != 1)
                shown |= 1u << (number - 10) / 60;
        }
    }
    return shown;
}

SPEC("§7.3: every PSN above cack is shown by some SACK, however wide the span")
{
    open_wide();
    EXPECT_EQ(shown_by(4 * 15), 0xffff); /* 15 stretches of 64 */
    by_hand_close(&nic);
}

SPEC("§7.3: when cack overtakes the walk, it goes on 64 above cack")
{
    static const int16_t before[] = { 338, 65, 338 };
    static const int16_t after[] = { 1, 138, 65, 138 };

    observe_prepare(&nic);
    nic.init.window_psns_max_dest = 1024;
    nic.config.parameters.sack_gen_threshold = 1048576;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_answers(&nic, 400, 0);
    for (uint32_t i = 0; i < 3; i++)
        EXPECT_EQ(sack_of(400, 0)->sack.sack_offset, before[i]);
    for (int32_t i = 0; i < 200; i++)
        EXPECT_EQ(sacks_of(i, 0), 0);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(sack_of(400, 0)->sack.sack_offset, after[i]);
    EXPECT_EQ(nic.sent[0].sack.cack_psn.value, observe_in(199).value);
    by_hand_close(&nic);
}

SPEC("§7.3: in silence everything above cack is shown, 64 PSNs a SACK")
{
    uint32_t sacks;

    open_wide();
    observe_answers(&nic, 1, 0);
    observe_answers(&nic, 200, 0);
    EXPECT_LT(observe_wait_for(&nic, observe_is_sack, 100000), 100000);
    sacks = observe_count(&nic, observe_is_sack);
    EXPECT_EQ(sacks, 4);
    for (uint32_t i = 0; i < sacks; i++)
        EXPECT_EQ(observe_nth(&nic, observe_is_sack, i)->sack.sack_offset, 1 + 64 * (int)i);
    EXPECT_EQ(observe_wait_for(&nic, observe_is_sack, 1000000), UINT64_MAX);
    by_hand_close(&nic);
}

/* ---- §7.4 rcvd_bytes ------------------------------------------------------------------------ */

SPEC("§7.4: rcvd_bytes sums up nominal sizes of new packets, in units of 256, rounded up")
{
    observe_open(&nic);
    EXPECT_EQ(sack_of(0, 0)->sack.received_units, 1);
    EXPECT_EQ(sack_of(1, PACKET_ACK_REQUEST)->sack.received_units, 2); /* 304 bytes */
    EXPECT_EQ(sack_of(0, 0)->sack.received_units, 2);
    EXPECT_EQ(arrive_full(5, ECN_CE), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(nic.sent[0].sack.received_units, (2 * SMALL_BYTES + PMTU + 88 + 255) / 256);
    by_hand_close(&nic);
}

static struct packet by_port(int32_t number, uint8_t port)
{
    struct packet packet =
        by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_ONLY, observe_in(number), 64);

    packet.port = port;
    return packet;
}

SPEC("§7.2: each packet that arrives on a port that the operator drains causes a SACK with "
     "ALWAYS_SKIP")
{
    struct packet packet;

    open_after_first();
    transport_drain_ports(nic.transport, 2);
    for (int32_t i = 1; i < 4; i++) {
        packet = by_port(i, 1);
        packet.ecn = ECN_CE;
        by_hand_receive(&nic, &packet);
        EXPECT_EQ(by_hand_send(&nic), 1);
        EXPECT_EQ(nic.sent[0].sack.mark, SACK_MARK_ALWAYS_SKIP);
        EXPECT_EQ(nic.sent[0].sack.entropy, packet.ev);
    }
    packet = by_port(4, 0);
    by_hand_receive(&nic, &packet);
    EXPECT_EQ(by_hand_send(&nic), 0);
    transport_drain_ports(nic.transport, 0);
    packet = by_port(5, 1);
    packet.ecn = ECN_CE;
    by_hand_receive(&nic, &packet);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].sack.mark, SACK_MARK_SKIP_ONCE);
    by_hand_close(&nic);
}

SPEC("§7.2: a probe that arrives by a draining port is answered with ALWAYS_SKIP")
{
    struct packet probe;

    observe_open(&nic);
    transport_drain_ports(nic.transport, 1);
    probe = by_hand_write(&nic, OBSERVE_QPN, OPCODE_PROBE, psn(0), 0);
    probe.port = 0;
    by_hand_receive(&nic, &probe);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].sack.mark, SACK_MARK_ALWAYS_SKIP);
    by_hand_close(&nic);
}

/* ---- §20 receiver penalty -------------------------------------------------------------------- */

/* The n-th WriteImm of the peer, for which a receive was posted. */
static const struct packet *imm_arrives(uint16_t number)
{
    struct packet packet =
        by_hand_write_imm(&nic, OBSERVE_QPN, observe_in(number), number, 0x100u + number);

    EXPECT_EQ(transport_post_recv(nic.transport, OBSERVE_QPN, number), 0);
    packet.flags |= PACKET_ACK_REQUEST;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    by_hand_send(&nic);
    return observe_nth(&nic, observe_is_sack, 0);
}

SPEC("§20: no penalty by default, however many receives wait to be fetched")
{
    observe_open(&nic);
    for (uint16_t i = 0; i < 16; i++)
        EXPECT_EQ(imm_arrives(i)->sack.window_penalty, 0);
    by_hand_close(&nic);
}

SPEC("§20: receiver_penalty: from half of the receive queue to all of it 0 to 127, then restore "
     "once")
{
    struct transport_event event;

    observe_prepare(&nic);
    nic.config.parameters.receiver_penalty = 1;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    for (uint16_t i = 0; i < 8; i++)
        EXPECT_EQ(imm_arrives(i)->sack.window_penalty, 0);
    EXPECT_EQ(imm_arrives(8)->sack.window_penalty, 127 / 8);
    for (uint16_t i = 9; i < 15; i++)
        EXPECT_EQ(imm_arrives(i)->sack.window_penalty, (i - 7) * 127 / 8);
    EXPECT_EQ(imm_arrives(15)->sack.window_penalty, 127);
    for (uint32_t i = 0; i < 12; i++)
        EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(imm_arrives(16)->sack.window_penalty, 0);
    EXPECT(observe_nth(&nic, observe_is_sack, 0)->sack.restore_window);
    EXPECT(!imm_arrives(17)->sack.restore_window);
    by_hand_close(&nic);
}
