/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §10: telling losses from reordering, and the tail probe. */
#include <string.h>

#include "observe.h"
#include "spec.h"

enum {
    PMTU = BY_HAND_PMTU_BYTES,
    FULL_BYTES = PMTU + 88,
    BASE_RTT_NS = 10000,
    TARGET_NS = 7500,
    LONG_NS = 200000,         /* longer than anything but a timeout */
    FIRST_PROBE_NS = 2000000, /* of a bad EV: it is due sooner */
};

static struct by_hand nic;
static struct packet sent[128];

static void later(uint64_t duration_ns)
{
    nic.now_ns += duration_ns;
}

static enum drop_reason sack_with(uint32_t trigger, int32_t cack, uint64_t bitmap, uint16_t ooo)
{
    return observe_sack_with(&nic, &sent[trigger], cack, bitmap, ooo);
}

/* The answer to a probe of ours, from a peer that has received all up to `cack`. */
static struct packet answer_to(const struct packet *probe, int32_t cack)
{
    struct packet sack = by_hand_sack(&nic, OBSERVE_QPN, observe_out(cack));

    sack.sack.answers_probe = true;
    sack.sack.probe_id = probe->probe.probe_id;
    sack.sack.entropy = probe->ev;
    sack.sack.tx_timestamp = probe->probe.tx_timestamp;
    return sack;
}

static enum drop_reason answer_probe(struct packet probe, int32_t cack)
{
    struct packet sack = answer_to(&probe, cack);

    return by_hand_receive(&nic, &sack);
}

/* ---- A: time -------------------------------------------------------------------------------- */

SPEC("§10 A: a packet is lost one round trip of a later one and reo_wnd after it was sent")
{
    uint64_t wait_ns;

    observe_open_sending(&nic, sent, 2);
    later(14016);
    EXPECT_EQ(sack_with(1, -1, 0, 1), DROP_NONE);
    wait_ns = observe_wait_for(&nic, observe_is_repeat, LONG_NS);
    EXPECT_AFTER(wait_ns, BASE_RTT_NS);
    EXPECT_EQ(nic.sent[0].psn.value, sent[0].psn.value);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_TIME), 1);
    by_hand_close(&nic);
}

SPEC("§10 A: a packet sent before the acknowledged one is lost sooner by that time")
{
    uint64_t wait_ns;

    observe_open_sending(&nic, sent, 1);
    later(4032);
    observe_post(&nic, 2, PMTU);
    sent[1] = nic.sent[0];
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(1, -1, 0, 1), DROP_NONE);
    wait_ns = observe_wait_for(&nic, observe_is_repeat, LONG_NS);
    EXPECT_AFTER(wait_ns + 64, BASE_RTT_NS - 4032); /* send times are kept in units of 64 ns */
    by_hand_close(&nic);
}

SPEC("§10 A: nothing is lost that was sent after the latest acknowledged packet")
{
    observe_open_sending(&nic, sent, 1);
    later(1024);
    observe_post(&nic, 2, PMTU);
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(0, 0, 0, 0), DROP_NONE);
    by_hand_wait(&nic, LONG_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_TIME), 0);
    by_hand_close(&nic);
}

SPEC("§10 A: what arrives within reo_wnd is not lost")
{
    observe_open_sending(&nic, sent, 2);
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(1, -1, 0, 1), DROP_NONE);
    by_hand_wait(&nic, BASE_RTT_NS - OBSERVE_TICK_NS);
    EXPECT_EQ(sack_with(0, 1, 0, 0), DROP_NONE);
    by_hand_wait(&nic, LONG_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_TIME), 0);
    by_hand_close(&nic);
}

/* How long packet 0 is waited for after the SACK of packet 1, both sent a base RTT before. */
static uint64_t wait_with_reo_wnd(uint64_t reo_wnd_ns)
{
    uint64_t wait_ns;

    observe_prepare(&nic);
    nic.config.parameters.reo_wnd = reo_wnd_ns;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, 2 * PMTU);
    sent[1] = nic.sent[1];
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(1, -1, 0, 1), DROP_NONE);
    wait_ns = observe_wait_for(&nic, observe_is_repeat, LONG_NS);
    by_hand_close(&nic);
    return wait_ns;
}

SPEC("§10 A: reo_wnd can be set, to a base RTT or more")
{
    EXPECT_AFTER(wait_with_reo_wnd(30000) + 64, 30000); /* send times are kept in units of 64 ns */
    EXPECT_AFTER(wait_with_reo_wnd(3000) + 64, BASE_RTT_NS);
}

/* Two packets that took twice as long as one of the two sent after them. */
static uint64_t wait_after_long_round_trip(void)
{
    uint64_t wait_ns;

    observe_prepare(&nic);
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, 2 * PMTU);
    sent[1] = nic.sent[1];
    later(2 * BASE_RTT_NS);
    EXPECT_EQ(sack_with(1, 1, 0, 0), DROP_NONE);
    EXPECT_EQ(observe_acked(&nic, 1, 1), DROP_NONE);
    observe_post(&nic, 2, 2 * PMTU);
    sent[1] = nic.sent[1];
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(1, 1, 0, 1), DROP_NONE);
    wait_ns = observe_wait_for(&nic, observe_is_repeat, LONG_NS);
    by_hand_close(&nic);
    return wait_ns;
}

SPEC("§10 A: reo_wnd is added to the longest round trip of late, which other planes may take, too "
     "(decision 11)")
{
    EXPECT_GE(wait_after_long_round_trip(), 2 * BASE_RTT_NS - BASE_RTT_NS / 10);
}

/* Three packets, of which the first is taken for lost while no port is ready, and then shown to
 * have arrived by a SACK that another caused. */
static uint64_t spurious_before_repeat(void)
{
    uint64_t count;

    observe_prepare(&nic);
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, 2 * PMTU);
    sent[1] = nic.sent[1];
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(1, -1, 0, 1), DROP_NONE);
    later(1000);
    observe_post(&nic, 2, PMTU);
    sent[2] = nic.sent[0];
    nic.ready_ports = 0;
    by_hand_wait(&nic, BASE_RTT_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_TIME), 1);
    EXPECT_EQ(sack_with(2, 2, 0, 0), DROP_NONE);
    count = by_hand_count(&nic, COUNTER_SPURIOUS_LOSS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_RETRANSMITTED), 0);
    by_hand_close(&nic);
    return count;
}

SPEC("§9: whatever acknowledges a packet before it is sent again shows that it was not lost "
     "(decision 11)")
{
    EXPECT_EQ(spurious_before_repeat(), 1);
}

static bool is_any(const struct packet *packet)
{
    (void)packet;
    return true;
}

SPEC("§15: a probe of a bad EV waits for its port, and nothing leaves in its place")
{
    observe_open_sending(&nic, sent, 2);
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(1, -1, 0, 1), DROP_NONE);
    EXPECT_NE(observe_wait_for(&nic, observe_is_repeat, LONG_NS), UINT64_MAX);
    later(1000);
    EXPECT_EQ(observe_acked(&nic, 1, 1), DROP_NONE);
    by_hand_send(&nic);
    nic.ready_ports = ~(UINT32_C(1) << sent[0].port);
    EXPECT_EQ(observe_wait_for(&nic, is_any, FIRST_PROBE_NS), UINT64_MAX);
    nic.ready_ports = UINT32_MAX;
    EXPECT_NE(observe_wait_for(&nic, observe_is_probe, FIRST_PROBE_NS), UINT64_MAX);
    EXPECT_EQ(observe_nth(&nic, observe_is_probe, 0)->ev, sent[0].ev);
    by_hand_close(&nic);
}

SPEC("§10 A: what took long out of order is waited for as well")
{
    enum { SLOW_NS = 30016, FAST_NS = 12032 };
    uint64_t wait_ns;

    observe_open_sending(&nic, sent, 3);
    later(SLOW_NS);
    EXPECT_EQ(sack_with(2, -1, 0, 1), DROP_NONE);
    observe_post(&nic, 2, 2 * PMTU);
    memcpy(sent, nic.sent, 2 * sizeof(sent[0]));
    later(FAST_NS);
    EXPECT_EQ(sack_with(1, -1, 0, 1), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 2); /* of the first message */
    wait_ns = observe_wait_for(&nic, observe_is_repeat, LONG_NS);
    EXPECT_GT(wait_ns, SLOW_NS - FAST_NS); /* and the reordering window, less what it relaxed */
    EXPECT_EQ(nic.sent[0].psn.value, sent[0].psn.value);
    by_hand_close(&nic);
}

SPEC("§10 A: a hole is lost once: its repeat has a round trip of its own")
{
    observe_open_sending(&nic, sent, 2);
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(1, -1, 0, 1), DROP_NONE);
    later(1000);
    observe_post(&nic, 2, PMTU);
    sent[2] = nic.sent[0];
    EXPECT_NE(observe_wait_for(&nic, observe_is_repeat, LONG_NS), UINT64_MAX);
    later(1000);
    EXPECT_EQ(sack_with(2, -1, 0x6, 2), DROP_NONE);
    by_hand_wait(&nic, BASE_RTT_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_RETRANSMITTED), 1);
    by_hand_close(&nic);
}

/* One packet is taken for lost, and arrives all the same. */
static void lose_spuriously(uint64_t id, int32_t number)
{
    struct packet first;

    observe_post(&nic, id, 2 * PMTU);
    first = nic.sent[0];
    sent[1] = nic.sent[1];
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(1, number - 1, 0, 1), DROP_NONE);
    EXPECT_NE(observe_wait_for(&nic, observe_is_repeat, LONG_NS), UINT64_MAX);
    EXPECT_EQ(observe_sacked(&nic, &first, observe_out(number + 1)), DROP_NONE);
    EXPECT_EQ(observe_acked(&nic, number + 1, (uint32_t)id), DROP_NONE);
}

SPEC("§10 A: each spurious loss doubles reo_wnd, up to four base RTT")
{
    observe_open(&nic);
    EXPECT_EQ(observe_status(&nic).reorder_window_ns, BASE_RTT_NS);
    lose_spuriously(1, 0);
    EXPECT_EQ(observe_status(&nic).reorder_window_ns, 2 * BASE_RTT_NS);
    lose_spuriously(2, 2);
    EXPECT_EQ(observe_status(&nic).reorder_window_ns, 4 * BASE_RTT_NS);
    lose_spuriously(3, 4);
    EXPECT_EQ(observe_status(&nic).reorder_window_ns, 4 * BASE_RTT_NS);
    by_hand_close(&nic);
}

SPEC("§10 A: 16 round trips without a spurious loss halve reo_wnd, down to the base RTT")
{
    uint32_t rtt_ns;

    observe_open(&nic);
    lose_spuriously(1, 0);
    rtt_ns = observe_status(&nic).smoothed_rtt_ns;
    later(15 * rtt_ns);
    EXPECT_EQ(sack_with(1, 1, 0, 0), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).reorder_window_ns, 2 * BASE_RTT_NS);
    later(rtt_ns);
    EXPECT_EQ(sack_with(1, 1, 0, 0), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).reorder_window_ns, BASE_RTT_NS);
    later(40 * rtt_ns);
    EXPECT_EQ(sack_with(1, 1, 0, 0), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).reorder_window_ns, BASE_RTT_NS);
    by_hand_close(&nic);
}

/* ---- B: count ------------------------------------------------------------------------------- */

enum { ALL_BUT_FIRST = 0xffffe };

/* Twenty packets of window; those of `arrived` made room for as many more. */
static void open_for_count(uint32_t arrived)
{
    uint32_t count = (uint32_t)__builtin_popcount(arrived);

    observe_prepare(&nic);
    nic.config.parameters.congestion_control = CONGESTION_CONTROL_NONE;
    nic.config.parameters.max_cwnd = 20 * FULL_BYTES;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, 100 * PMTU);
    for (uint32_t i = 0; i < 20; i++)
        sent[i] = nic.sent[i];
    EXPECT_EQ(sack_with(10, -1, arrived, (uint16_t)count), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), count);
    for (uint32_t i = 0; i < count; i++)
        sent[20 + i] = nic.sent[i];
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_COUNT), 0);
}

SPEC("§10 B: min(1.5 cwnd, max_wnd) of packets out of order begin a recovery, one less does not")
{
    open_for_count(ALL_BUT_FIRST);
    EXPECT_EQ(sack_with(20, -1, 0x1ffffe, 19), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_COUNT), 0);
    EXPECT_EQ(sack_with(20, -1, 0x1ffffe, 20), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_COUNT), 1);
    by_hand_send(&nic);
    EXPECT_EQ(observe_nth(&nic, observe_is_repeat, 0)->psn.value, sent[0].psn.value);
    by_hand_close(&nic);
}

SPEC("§10 B: a recovery repairs what a threshold's worth has overtaken, no more (decision 3)")
{
    open_for_count(0x7fffe);                                   /* missing: 0 and 19 */
    EXPECT_EQ(sack_with(37, -1, 0x3ffff7fffe, 36), DROP_NONE); /* 18 above 19, 37 above 0 */
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_COUNT), 1);
    by_hand_close(&nic);
}

SPEC("§10 B: one recovery repeats a packet once, however many SACKs say so")
{
    open_for_count(ALL_BUT_FIRST);
    EXPECT_EQ(sack_with(20, -1, 0x1ffffe, 20), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(sack_with(21, -1, 0x3ffffe, 21), DROP_NONE);
    EXPECT_EQ(sack_with(22, -1, 0x7ffffe, 22), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_COUNT), 1);
    by_hand_close(&nic);
}

/* PSNs `first` to `last`, both included. */
static uint64_t bits_of(uint32_t first, uint32_t last)
{
    return (UINT64_MAX >> (63 - (last - first))) << first;
}

SPEC("§10 B: a recovery repairs nothing sent since it began; when it is over, another may begin")
{
    open_for_count(ALL_BUT_FIRST);
    EXPECT_EQ(sack_with(20, -1, 0x1ffffe, 20), DROP_NONE); /* up to 38 was sent */
    by_hand_send(&nic);
    EXPECT_EQ(sack_with(38, -1, bits_of(1, 38), 38), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(sack_with(38, -1, bits_of(1, 38) | bits_of(40, 57), 56), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(sack_with(38, -1, bits_of(1, 38) | bits_of(40, 59), 58), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_COUNT), 1);
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(38, 38, bits_of(1, 20), 20), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_COUNT), 2);
    by_hand_send(&nic);
    EXPECT_EQ(observe_nth(&nic, observe_is_repeat, 0)->psn.value, observe_out(39).value);
    by_hand_close(&nic);
}

SPEC("§10 B: at least five packets must be out of order, however small the window")
{
    observe_prepare(&nic);
    nic.config.parameters.congestion_control = CONGESTION_CONTROL_NONE;
    nic.config.parameters.max_cwnd = 2 * FULL_BYTES;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, 20 * PMTU);
    for (uint32_t i = 1; i <= 5; i++) {
        sent[i] = *observe_nth(&nic, observe_is_first, i == 1 ? 1 : 0);
        EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_COUNT), 0);
        EXPECT_EQ(sack_with(i, -1, 0, (uint16_t)i), DROP_NONE);
        if (i < 5)
            EXPECT_EQ(by_hand_send(&nic), 1);
    }
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_COUNT), 1);
    by_hand_close(&nic);
}

/* ---- C: probe ------------------------------------------------------------------------------- */

SPEC("§10 C: a packet that an undelayed probe, sent reo_wnd later, does not find is lost")
{
    observe_open_sending(&nic, sent, 1);
    EXPECT_NE(observe_wait_for(&nic, observe_is_probe, LONG_NS), UINT64_MAX);
    later(BASE_RTT_NS);
    EXPECT_EQ(answer_probe(nic.sent[0], -1), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_PROBE), 1);
    by_hand_send(&nic);
    EXPECT_EQ(observe_count(&nic, observe_is_repeat), 1);
    by_hand_close(&nic);
}

SPEC("§10 C: a probe that was delayed by the target or more proves nothing")
{
    observe_open_sending(&nic, sent, 1);
    EXPECT_NE(observe_wait_for(&nic, observe_is_probe, LONG_NS), UINT64_MAX);
    later(BASE_RTT_NS + TARGET_NS + 128);
    EXPECT_EQ(answer_probe(nic.sent[0], -1), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_PROBE), 0);
    by_hand_close(&nic);
}

SPEC("§10 C: a packet sent less than reo_wnd before the probe is not lost")
{
    observe_open_sending(&nic, sent, 1);
    later(BASE_RTT_NS);
    observe_post(&nic, 2, PMTU);
    EXPECT_NE(observe_wait_for(&nic, observe_is_probe, LONG_NS), UINT64_MAX);
    later(BASE_RTT_NS);
    EXPECT_EQ(answer_probe(nic.sent[0], -1), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_PROBE), 1);
    by_hand_send(&nic);
    EXPECT_EQ(observe_nth(&nic, observe_is_repeat, 0)->psn.value, sent[0].psn.value);
    by_hand_close(&nic);
}

/* 100 packets are in flight; a probe is answered with an empty bitmap and this count. */
static uint64_t lost_by_answer(uint16_t ooo_count)
{
    struct packet probe;
    struct packet sack;
    uint64_t lost;

    observe_open_sending(&nic, sent, 100);
    EXPECT_NE(observe_wait_for(&nic, observe_is_probe, LONG_NS), UINT64_MAX);
    probe = *observe_nth(&nic, observe_is_probe, 0);
    later(BASE_RTT_NS);
    sack = answer_to(&probe, -1);
    sack.sack.ooo_count = ooo_count;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    lost = by_hand_count(&nic, COUNTER_RETRANSMIT_PROBE);
    by_hand_close(&nic);
    return lost;
}

SPEC(
    "§10 C: PSNs outside the bitmap are not lost, unless ooo_count says that it shows all there is")
{
    EXPECT_EQ(lost_by_answer(1), 64);
    EXPECT_EQ(lost_by_answer(0), 100);
}

/* ---- the tail probe ------------------------------------------------------------------------- */

SPEC("§10: with nothing left to send a tail probe is sent a base RTT and the target after the "
     "packet")
{
    uint64_t wait_ns;

    observe_open_sending(&nic, sent, 1);
    wait_ns = observe_wait_for(&nic, observe_is_probe, LONG_NS);
    EXPECT_AFTER(wait_ns, BASE_RTT_NS + TARGET_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TAIL_PROBES), 1);
    by_hand_close(&nic);
}

SPEC("§10: with something left to send a tail probe is sent after three base RTT")
{
    uint64_t wait_ns;

    observe_open(&nic);
    observe_post(&nic, 1, 200 * PMTU); /* 128 of them fit */
    wait_ns = observe_wait_for(&nic, observe_is_probe, LONG_NS);
    EXPECT_AFTER(wait_ns, 3 * BASE_RTT_NS);
    by_hand_close(&nic);
}

SPEC("§10: every SACK restarts the timer of tail probes, a further packet does not")
{
    uint64_t wait_ns;

    observe_open_sending(&nic, sent, 2);
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(0, 0, 0, 0), DROP_NONE);
    later(5000);
    observe_post(&nic, 2, 64);
    wait_ns = observe_wait_for(&nic, observe_is_probe, LONG_NS);
    EXPECT_AFTER(wait_ns, BASE_RTT_NS + TARGET_NS - 5000);
    by_hand_close(&nic);
}

SPEC("§10: tail probes repeat every five base RTT, on one plane first, then on all (decision 2)")
{
    uint64_t wait_ns;

    observe_open_sending(&nic, sent, 1);
    EXPECT_NE(observe_wait_for(&nic, observe_is_probe, LONG_NS), UINT64_MAX);
    EXPECT_EQ(observe_count(&nic, observe_is_probe), 1);
    for (uint32_t i = 0; i < 3; i++) {
        wait_ns = observe_wait_for(&nic, observe_is_probe, LONG_NS);
        EXPECT_AFTER(wait_ns, 5 * BASE_RTT_NS);
        EXPECT_EQ(observe_count(&nic, observe_is_probe), 2);
        EXPECT_NE(nic.sent[0].port, nic.sent[1].port);
    }
    by_hand_close(&nic);
}

SPEC("§10: the time of tail probes has a floor for jittery clocks")
{
    uint64_t wait_ns;

    observe_prepare(&nic);
    nic.config.parameters.tail_floor = 1000000;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, 64);
    for (uint32_t i = 0; i < 2; i++) {
        wait_ns = observe_wait_for(&nic, observe_is_probe, 10000000);
        EXPECT_AFTER(wait_ns, 1000000);
    }
    by_hand_close(&nic);
}

SPEC("§10: when everything is acknowledged no tail probe is sent")
{
    observe_open_sending(&nic, sent, 2);
    EXPECT_EQ(observe_acked(&nic, 1, 1), DROP_NONE);
    EXPECT_EQ(observe_wait_for(&nic, observe_is_probe, 1000000000), UINT64_MAX);
    by_hand_close(&nic);
}

/* ---- what a loss does ----------------------------------------------------------------------- */

SPEC("§10: a lost packet leaves inflight, shrinks the window by its size, and turns its EV bad")
{
    struct qp_status before;

    observe_open_sending(&nic, sent, 2);
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(1, -1, 0, 1), DROP_NONE);
    before = observe_status(&nic);
    nic.ready_ports = 0;
    by_hand_wait(&nic, BASE_RTT_NS + OBSERVE_TICK_NS);
    EXPECT_EQ(observe_status(&nic).inflight_bytes, before.inflight_bytes - FULL_BYTES);
    EXPECT_EQ(observe_status(&nic).window_bytes, before.window_bytes - FULL_BYTES);
    EXPECT_EQ(observe_ev(&nic, sent[0].ev), EV_ASSUMED_BAD);
    by_hand_close(&nic);
}

SPEC("§10: lost packets are repeated oldest first")
{
    observe_open_sending(&nic, sent, 8);
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(7, -1, 0x80 | 0x12, 3), DROP_NONE);
    EXPECT_NE(observe_wait_for(&nic, observe_is_repeat, LONG_NS), UINT64_MAX);
    EXPECT_EQ(observe_count(&nic, observe_is_repeat), 5);
    for (uint32_t i = 1; i < 5; i++)
        EXPECT(psn_before(nic.sent[i - 1].psn, nic.sent[i].psn));
    by_hand_close(&nic);
}

SPEC("§10: a burst of losses on one EV moves it once")
{
    uint64_t others = 0;
    uint32_t losses = 0;

    observe_open_sending(&nic, sent, 64);
    for (uint32_t i = 0; i < 64; i++)
        if (sent[i].ev == sent[0].ev)
            losses++;
        else
            others |= UINT64_C(1) << i;
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(sent[63].ev == sent[0].ev ? 62 : 63, -1, others, 56), DROP_NONE);
    by_hand_wait(&nic, BASE_RTT_NS + OBSERVE_TICK_NS);
    EXPECT_GT(losses, 1);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_TIME), losses);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_TURNED_BAD), 1);
    by_hand_close(&nic);
}

SPEC("§10: of a packet lost twice, an acknowledgement disproves neither loss")
{
    observe_open_sending(&nic, sent, 4);
    EXPECT_EQ(observe_nacked(&nic, &sent[0], NACK_TRIMMED), DROP_NONE);
    nic.now_ns += 5000;
    by_hand_send(&nic);
    EXPECT_EQ(
        observe_nacked(&nic, observe_nth(&nic, observe_is_repeat, 0), NACK_TRIMMED), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_TRIMMED), 2);
    EXPECT_EQ(sack_with(3, 3, 0, 0), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_SPURIOUS_LOSS), 0);
    by_hand_close(&nic);
}
