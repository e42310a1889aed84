/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §10 and docs/decisions/0014: what silence says, and how it is probed. */
#include "observe.h"
#include "spec.h"

enum {
    PMTU = BY_HAND_PMTU_BYTES,
    BASE_RTT_NS = 10000,
    LONG_NS = 200000, /* longer than anything but a timeout */
};

static struct by_hand nic;
static struct packet sent[4];

static void later(uint64_t duration_ns)
{
    nic.now_ns += duration_ns;
}

static enum drop_reason sack_with(uint32_t trigger, int32_t cack, uint64_t bitmap, uint16_t ooo)
{
    return observe_sack_with(&nic, &sent[trigger], cack, bitmap, ooo);
}

/* Three packets leave together; the second is heard of after a round trip, the third never. */
static void fall_silent(void)
{
    observe_prepare(&nic);
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, 3 * PMTU);
    for (uint32_t i = 0; i < 3; i++)
        sent[i] = nic.sent[i];
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(1, -1, 0, 1), DROP_NONE);
}

SPEC("§10 A: while later packets are overdue as well, nothing is lost by time (decision 14)")
{
    fall_silent();
    by_hand_wait(&nic, LONG_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_TIME), 0);
    EXPECT_EQ(observe_ev(&nic, sent[0].ev), EV_GOOD);
    by_hand_close(&nic);
}

SPEC("§10 A: the SACK that ends a silence shows what was lost (decision 14)")
{
    fall_silent();
    by_hand_wait(&nic, 2 * BASE_RTT_NS);
    EXPECT_EQ(sack_with(2, -1, 0x6, 2), DROP_NONE);
    EXPECT_LE(observe_wait_for(&nic, observe_is_repeat, LONG_NS), BASE_RTT_NS + OBSERVE_TICK_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_TIME), 1);
    EXPECT_EQ(observe_ev(&nic, sent[0].ev), EV_ASSUMED_BAD);
    by_hand_close(&nic);
}

SPEC("§10 A: later packets that can still be answered in time are no silence (decision 14)")
{
    uint64_t wait_ns;

    observe_open_sending(&nic, sent, 2);
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(1, -1, 0, 1), DROP_NONE);
    later(1000);
    observe_post(&nic, 2, PMTU);
    wait_ns = observe_wait_for(&nic, observe_is_repeat, LONG_NS);
    EXPECT_AFTER(wait_ns, BASE_RTT_NS - 1000);
    by_hand_close(&nic);
}

SPEC("§10 A: a repeat heard of last makes no silence of what it overtook (decision 14)")
{
    observe_open_sending(&nic, sent, 4);
    later(BASE_RTT_NS);
    EXPECT_EQ(observe_nacked(&nic, &sent[0], NACK_TRIMMED), DROP_NONE);
    later(1000);
    EXPECT_GE(by_hand_send(&nic), 1);
    sent[0] = *observe_nth(&nic, observe_is_repeat, 0);
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(0, 0, 0, 0), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_TIME), 3);
    by_hand_close(&nic);
}

/* Of the probes of one round, all on GOOD EVs, how many take the EV of packet 0, the oldest hole.
 */
static uint32_t probes_on_hole(void)
{
    uint32_t count = 0;

    EXPECT_NE(observe_wait_for(&nic, observe_is_probe, LONG_NS), UINT64_MAX);
    for (uint32_t i = 0; i < observe_count(&nic, observe_is_probe); i++) {
        count += observe_nth(&nic, observe_is_probe, i)->ev == sent[0].ev;
        EXPECT_EQ(observe_ev(&nic, observe_nth(&nic, observe_is_probe, i)->ev), EV_GOOD);
    }
    return count;
}

SPEC("§10: the first goes on a GOOD EV that is not the oldest hole's, later ones on any (decision "
     "14)")
{
    uint32_t count = 0;

    observe_open_sending(&nic, sent, 1);
    EXPECT_EQ(probes_on_hole(), 0);
    for (uint32_t i = 1; i < 16; i++)
        count += probes_on_hole();
    EXPECT_GE(count, 1);
    by_hand_close(&nic);
}

SPEC("§6.3, §10: where only a Transport ACK is missing, the last packet goes again and no probe "
     "does")
{
    observe_open_sending(&nic, sent, 2);
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(1, 1, 0, 0), DROP_NONE);
    EXPECT_NE(observe_wait_for(&nic, observe_is_repeat, LONG_NS), UINT64_MAX);
    EXPECT_EQ(nic.sent[0].psn.value, sent[1].psn.value);
    EXPECT_EQ(nic.sent_count, 1);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TAIL_PROBES), 0);
    by_hand_close(&nic);
}

SPEC("§10: where all is acknowledged, no timer of the tail runs on")
{
    observe_open_sending(&nic, sent, 2);
    later(BASE_RTT_NS);
    EXPECT_EQ(sack_with(1, 1, 0, 0), DROP_NONE);
    EXPECT_EQ(observe_acked(&nic, 1, 1), DROP_NONE);
    by_hand_wait(&nic, 10 * LONG_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TAIL_PROBES), 0);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_RETRANSMITTED), 0);
    by_hand_close(&nic);
}

/* A packet in flight; each tail probe is answered 20 us after it left, twice the base RTT, and no
 * answer shows the packet. Returns when it is repeated. */
static uint64_t lost_by_delayed_answers(uint64_t factor)
{
    observe_prepare(&nic);
    nic.config.parameters.delayed_probe_factor = factor;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, PMTU);
    sent[0] = nic.sent[0];
    for (uint64_t start_ns = nic.now_ns; nic.now_ns < start_ns + 10 * LONG_NS;) {
        struct packet sack;

        EXPECT_NE(observe_wait_for(&nic, observe_is_probe, LONG_NS), UINT64_MAX);
        sack = by_hand_sack(&nic, OBSERVE_QPN, observe_out(-1));
        sack.sack.answers_probe = true;
        sack.sack.probe_id = nic.sent[0].probe.probe_id;
        sack.sack.entropy = nic.sent[0].ev;
        sack.sack.tx_timestamp = nic.sent[0].probe.tx_timestamp;
        later(2 * BASE_RTT_NS);
        EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
        if (by_hand_count(&nic, COUNTER_RETRANSMIT_PROBE))
            return nic.now_ns - start_ns;
    }
    return UINT64_MAX;
}

SPEC("§10 C: to the letter, an answer that was delayed itself says nothing")
{
    EXPECT_EQ(lost_by_delayed_answers(0), UINT64_MAX);
    by_hand_close(&nic);
}

SPEC("§10 C: after an answer that was itself delayed, packets are lost if four times as late "
     "(decision 14)")
{
    uint64_t after_ns = lost_by_delayed_answers(4);

    EXPECT_GE(after_ns, 4 * 3 * BASE_RTT_NS); /* its round trip and reo_wnd */
    EXPECT_LE(after_ns, 4 * 3 * BASE_RTT_NS + 5 * BASE_RTT_NS);
    by_hand_close(&nic);
}
