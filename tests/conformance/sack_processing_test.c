/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §9: what a requester makes of a SACK. */
#include "observe.h"
#include "spec.h"

enum {
    PMTU = BY_HAND_PMTU_BYTES,
    FULL_BYTES = PMTU + 88,
    BASE_RTT_NS = 10000,
};

static struct by_hand nic;
static struct packet sent[128]; /* and not acknowledged at first */

static enum drop_reason sack_with(uint32_t trigger, int32_t cack, uint64_t bitmap)
{
    struct packet sack = observe_sack_of(&nic, &sent[trigger], observe_out(cack));

    sack.sack.bitmap = bitmap;
    return by_hand_receive(&nic, &sack);
}

static enum drop_reason sack_marked(uint32_t trigger, int32_t cack, uint8_t mark)
{
    struct packet sack = observe_sack_of(&nic, &sent[trigger], observe_out(cack));

    sack.sack.mark = mark;
    return by_hand_receive(&nic, &sack);
}

static uint32_t in_flight(void)
{
    return observe_status(&nic).inflight_bytes / FULL_BYTES;
}

static uint32_t unacked(void)
{
    return (uint32_t)psn_distance(observe_out(0), observe_status(&nic).unacked_psn);
}

/* ---- validation ----------------------------------------------------------------------------- */

SPEC(
    "§9.1: a cack above what was sent, or behind all that can be under way, is dropped and counted")
{
    observe_open_sending(&nic, sent, 4);
    EXPECT_EQ(sack_with(3, 4, 0), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(sack_with(3, 5000, 0), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(sack_with(3, (1 << 23) - 1, 0), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(sack_with(3, -(1 << 22) - 2, ~UINT64_C(0)), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(sack_with(3, -(1 << 22), 0), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(sack_with(3, -130, 0), DROP_FEEDBACK_RANGE); /* the window has 128 PSNs */
    EXPECT_EQ(transport_drops(nic.transport)[DROP_FEEDBACK_RANGE], 6);
    EXPECT_EQ(in_flight(), 4);
    EXPECT_EQ(unacked(), 0);
    EXPECT_EQ(sack_with(3, -129, 0), DROP_NONE);
    by_hand_close(&nic);
}

SPEC("§9.1: before anything was sent there is nothing a SACK could acknowledge")
{
    struct packet sack;

    observe_open(&nic);
    sack = by_hand_sack(&nic, OBSERVE_QPN, observe_out(0));
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_FEEDBACK_RANGE);
    sack = by_hand_sack(&nic, OBSERVE_QPN, observe_out(-1));
    sack.sack.bitmap = 1;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_FEEDBACK_RANGE);
    sack.sack.bitmap = 0;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).unacked_psn.value, observe_out(0).value);
    by_hand_close(&nic);
}

SPEC("§9.1: a SACK with a bit or an ack_psn above what was sent is dropped and counted")
{
    struct packet sack;

    observe_open_sending(&nic, sent, 4);
    EXPECT_EQ(sack_with(0, 0, 0xf), DROP_FEEDBACK_RANGE); /* the last bit is number 4 */
    sack = observe_sack_of(&nic, &sent[0], observe_out(0));
    sack.sack.ack_psn_offset = 4;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_FEEDBACK_RANGE);
    EXPECT_EQ(transport_drops(nic.transport)[DROP_FEEDBACK_RANGE], 2);
    EXPECT_EQ(in_flight(), 4);
    EXPECT_EQ(sack_with(0, 0, 0x7), DROP_NONE);
    EXPECT_EQ(in_flight(), 0);
    by_hand_close(&nic);
}

SPEC("§9.3: in the answer to a probe the id is no ack_psn, however large")
{
    struct packet sack;

    observe_open_sending(&nic, sent, 4);
    sack = observe_sack_of(&nic, &sent[0], observe_out(0));
    sack.sack.answers_probe = true;
    sack.sack.probe_id = 0xffff;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    by_hand_close(&nic);
}

/* ---- acknowledgement ------------------------------------------------------------------------ */

SPEC("§9.2: cack acknowledges everything up to it")
{
    observe_open_sending(&nic, sent, 10);
    EXPECT_EQ(sack_with(6, 6, 0), DROP_NONE);
    EXPECT_EQ(in_flight(), 3);
    EXPECT_EQ(unacked(), 7);
    by_hand_close(&nic);
}

SPEC("§9.3: ack_psn counts as received for any bitmap")
{
    observe_open_sending(&nic, sent, 10);
    EXPECT_EQ(sack_with(6, 1, 0), DROP_NONE);
    EXPECT_EQ(in_flight(), 7);
    EXPECT_EQ(unacked(), 2);
    by_hand_close(&nic);
}

SPEC("§9.3: in the answer to a probe the same field is an id, and acknowledges nothing")
{
    struct packet sack;

    observe_open_sending(&nic, sent, 10);
    sack = observe_sack_of(&nic, &sent[6], observe_out(1));
    sack.sack.answers_probe = true;
    sack.sack.probe_id = 5;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_EQ(in_flight(), 8);
    by_hand_close(&nic);
}

SPEC("§9.4: bits add up over SACKs, and a 0 takes nothing back")
{
    observe_open_sending(&nic, sent, 10);
    EXPECT_EQ(sack_with(2, -1, 0x004), DROP_NONE);
    EXPECT_EQ(sack_with(5, -1, 0x120), DROP_NONE);
    EXPECT_EQ(in_flight(), 7);
    EXPECT_EQ(sack_with(5, -1, 0), DROP_NONE);
    EXPECT_EQ(in_flight(), 7);
    EXPECT_EQ(unacked(), 0);
    by_hand_close(&nic);
}

SPEC("§9.4: the bitmap begins where sack_offset says, far from cack or before it")
{
    struct packet sack;

    observe_open_sending(&nic, sent, 100);
    sack = observe_sack_of(&nic, &sent[0], observe_out(0));
    sack.sack.sack_offset = 70;
    sack.sack.bitmap = 0x3;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_EQ(in_flight(), 97);
    sack.sack.sack_offset = -20;
    sack.sack.bitmap = ~UINT64_C(0);
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_EQ(unacked(), 44);
    by_hand_close(&nic);
}

SPEC("§9.5: unack_psn is the first PSN not acknowledged, however it became known")
{
    observe_open_sending(&nic, sent, 10);
    EXPECT_EQ(sack_with(2, -1, 0x3c), DROP_NONE);
    EXPECT_EQ(unacked(), 0);
    EXPECT_EQ(sack_with(1, 1, 0), DROP_NONE);
    EXPECT_EQ(unacked(), 6);
    by_hand_close(&nic);
}

SPEC("§9: inflight is the sum of what is out: neither acknowledged nor NACKed nor lost")
{
    observe_open_sending(&nic, sent, 10);
    EXPECT_EQ(observe_nacked(&nic, &sent[3], NACK_TRIMMED), DROP_NONE);
    EXPECT_EQ(in_flight(), 9);
    EXPECT_EQ(sack_with(3, -1, 0), DROP_NONE); /* it had arrived after all */
    EXPECT_EQ(in_flight(), 9);
    EXPECT_EQ(observe_nacked(&nic, &sent[3], NACK_TRIMMED), DROP_NONE);
    EXPECT_EQ(sack_with(3, -1, 0), DROP_NONE);
    EXPECT_EQ(in_flight(), 9);
    EXPECT_EQ(sack_with(9, 9, 0), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).inflight_bytes, 0);
    by_hand_close(&nic);
}

/* ---- EV feedback ---------------------------------------------------------------------------- */

SPEC("§9.6: SKIP_ONCE makes the EV SKIP, ALWAYS_SKIP makes it ASSUMED_BAD, NONE changes nothing")
{
    observe_open_sending(&nic, sent, 4);
    EXPECT_EQ(sack_marked(0, -1, SACK_MARK_SKIP_ONCE), DROP_NONE);
    EXPECT_EQ(sack_marked(1, -1, SACK_MARK_ALWAYS_SKIP), DROP_NONE);
    EXPECT_EQ(sack_marked(2, -1, SACK_MARK_NONE), DROP_NONE);
    EXPECT_EQ(observe_ev(&nic, sent[0].ev), EV_SKIP);
    EXPECT_EQ(observe_ev(&nic, sent[1].ev), EV_ASSUMED_BAD);
    EXPECT_EQ(observe_ev(&nic, sent[2].ev), EV_GOOD);
    by_hand_close(&nic);
}

SPEC("§9.6: the mark of a stale SACK counts")
{
    observe_open_sending(&nic, sent, 4);
    EXPECT_EQ(sack_with(3, 3, 0), DROP_NONE);
    EXPECT_EQ(sack_marked(0, 0, SACK_MARK_SKIP_ONCE), DROP_NONE);
    EXPECT_EQ(observe_ev(&nic, sent[0].ev), EV_SKIP);
    EXPECT_EQ(unacked(), 4);
    by_hand_close(&nic);
}

SPEC("§9.6: feedback about an EV that the profile does not have is counted and changes none")
{
    struct packet sack;

    observe_open_sending(&nic, sent, 4);
    sack = observe_sack_of(&nic, &sent[0], observe_out(0));
    sack.sack.entropy = 0x77777;
    sack.sack.mark = SACK_MARK_ALWAYS_SKIP;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_FEEDBACK_UNKNOWN_EV), 1);
    EXPECT_EQ(path_bad_count(transport_qp_paths(nic.transport, OBSERVE_QPN)), 0);
    EXPECT_EQ(unacked(), 1);
    by_hand_close(&nic);
}

/* ---- round trips (§19.3) -------------------------------------------------------------------- */

SPEC("§9.7: the trigger's own record gives the round trip")
{
    observe_open_sending(&nic, sent, 4);
    nic.now_ns += 12800;
    EXPECT_EQ(sack_with(2, 2, 0), DROP_NONE);
    EXPECT_AFTER(observe_status(&nic).smoothed_rtt_ns, 12800);
    by_hand_close(&nic);
}

SPEC("§9.7: a trigger that was sent again gives one if the SACK has rtx, and only once")
{
    observe_open_sending(&nic, sent, 4);
    EXPECT_EQ(observe_nacked(&nic, &sent[1], NACK_TRIMMED), DROP_NONE);
    nic.now_ns += 5000;
    EXPECT_EQ(by_hand_send(&nic), 1);
    nic.now_ns += 12800;
    EXPECT_EQ(sack_with(1, 0, 0), DROP_NONE); /* of the first copy */
    EXPECT_EQ(observe_status(&nic).smoothed_rtt_ns, 0);
    EXPECT_EQ(observe_sacked(&nic, &nic.sent[0], observe_out(1)), DROP_NONE);
    EXPECT_AFTER(observe_status(&nic).smoothed_rtt_ns, 12800);
    by_hand_close(&nic);
}

SPEC("§9.7: sent twice again, a trigger gives none")
{
    observe_open_sending(&nic, sent, 4);
    for (uint32_t i = 0; i < 2; i++) {
        EXPECT_EQ(observe_nacked(&nic, i ? &nic.sent[0] : &sent[1], NACK_TRIMMED), DROP_NONE);
        nic.now_ns += 5000;
        EXPECT_EQ(by_hand_send(&nic), 1);
    }
    nic.now_ns += 12800;
    EXPECT_EQ(observe_sacked(&nic, &nic.sent[0], observe_out(1)), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).smoothed_rtt_ns, 0);
    by_hand_close(&nic);
}

/* The sample of a trigger that was sent three times, with another congestion control than UET's,
 * when the SACK echoes the stamp of that copy. */
static uint32_t sample_of_copy(uint32_t copy)
{
    struct packet copies[3];
    struct packet sack;
    uint32_t smoothed_ns;

    observe_prepare(&nic);
    nic.config.parameters.congestion_control = CONGESTION_CONTROL_FAIR;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, 4 * PMTU);
    copies[0] = nic.sent[1];
    for (uint32_t i = 1; i < 3; i++) {
        EXPECT_EQ(observe_nacked(&nic, &copies[i - 1], NACK_TRIMMED), DROP_NONE);
        nic.now_ns += 5000;
        by_hand_send(&nic);
        copies[i] = *observe_nth(&nic, observe_is_repeat, 0);
    }
    nic.now_ns += 12800;
    sack = observe_sack_of(&nic, &copies[2], observe_out(1));
    sack.sack.tx_timestamp = copies[copy].write.tx_timestamp;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    smoothed_ns = observe_status(&nic).smoothed_rtt_ns;
    by_hand_close(&nic);
    return smoothed_ns;
}

SPEC("§9.7: where UET's rule need not hold, the stamp of the newest copy gives one")
{
    EXPECT_AFTER(sample_of_copy(2), 12800);
    EXPECT_EQ(sample_of_copy(1), 0);
    EXPECT_EQ(sample_of_copy(0), 0);
}

SPEC("§9.7: an idle flush, whose stamp is 0, gives none")
{
    struct packet sack;

    observe_open_sending(&nic, sent, 4);
    nic.now_ns += 12800;
    sack = observe_sack_of(&nic, &sent[2], observe_out(2));
    sack.sack.tx_timestamp = 0;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).smoothed_rtt_ns, 0);
    EXPECT_EQ(unacked(), 3);
    by_hand_close(&nic);
}

SPEC("§9.7: the least sample becomes the base RTT")
{
    by_hand_prepare(&nic);
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, 2 * PMTU);
    nic.now_ns += 6400;
    EXPECT_EQ(observe_sacked(&nic, &nic.sent[0], observe_out(0)), DROP_NONE);
    EXPECT_AFTER(observe_status(&nic).base_rtt_ns, 6400);
    nic.now_ns += 6400;
    EXPECT_EQ(observe_sacked(&nic, &nic.sent[1], observe_out(1)), DROP_NONE);
    EXPECT_AFTER(observe_status(&nic).base_rtt_ns, 6400);
    by_hand_close(&nic);
}

/* ---- bytes and the window -------------------------------------------------------------------- */

/* Under a penalty of 64 the window loses half of the bytes that are newly received. A marked sample
 * without delay has no other effect. */
static uint32_t window_after(uint32_t received_units, uint8_t penalty)
{
    struct packet sack = observe_sack_of(&nic, &sent[0], observe_out(0));

    sack.sack.received_units = received_units % (1 << 24);
    sack.sack.window_penalty = penalty;
    sack.sack.mark = SACK_MARK_SKIP_ONCE;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    return observe_status(&nic).window_bytes;
}

/* Until it is below what is in flight. */
static uint32_t window_below_inflight(uint32_t received_units)
{
    uint32_t window_bytes = 0;

    for (uint32_t i = 1; i <= 4; i++)
        window_bytes = window_after(received_units + 100 * i, 64);
    return window_bytes;
}

SPEC("§9.8: bytes are what rcvd_bytes grew by since the newest SACK; an older one brings none")
{
    uint32_t window_bytes;

    observe_open_sending(&nic, sent, 100);
    window_bytes = window_below_inflight(0);
    EXPECT_EQ(window_after(410, 64), window_bytes - 10 * 128);
    EXPECT_EQ(window_after(405, 64), window_bytes - 10 * 128);
    EXPECT_EQ(window_after(410, 64), window_bytes - 10 * 128);
    EXPECT_EQ(window_after(414, 64), window_bytes - 14 * 128);
    by_hand_close(&nic);
}

SPEC("§9.8: rcvd_bytes wraps at 2^24 units")
{
    uint32_t window_bytes;

    observe_open_sending(&nic, sent, 100);
    window_after(0x7fffff, 0);
    window_after(0xfffffe - 400, 0);
    window_bytes = window_below_inflight(0xfffffe - 400);
    EXPECT_EQ(window_after(0x1000002, 64), window_bytes - 4 * 128);
    EXPECT_EQ(window_after(0xffffff, 64), window_bytes - 4 * 128);
    by_hand_close(&nic);
}

/* ---- spurious losses ------------------------------------------------------------------------ */

/* Packet 0 is inferred lost; its repeat is ready to leave. */
static void lose_first(void)
{
    nic.now_ns += BASE_RTT_NS;
    EXPECT_EQ(sack_with(1, -1, 0), DROP_NONE);
    nic.ready_ports = 0;
    by_hand_wait(&nic, BASE_RTT_NS + 2 * OBSERVE_TICK_NS);
    nic.ready_ports = UINT32_MAX;
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_TIME), 1);
    EXPECT_EQ(observe_ev(&nic, sent[0].ev), EV_ASSUMED_BAD);
}

SPEC("§9: a packet in the retransmit queue whose first copy is acknowledged leaves the queue")
{
    observe_open_sending(&nic, sent, 2);
    lose_first();
    EXPECT_EQ(sack_with(0, 1, 0), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_SPURIOUS_LOSS), 1);
    by_hand_send(&nic);
    EXPECT_EQ(observe_count(&nic, observe_is_data), 0);
    EXPECT_EQ(observe_status(&nic).inflight_bytes, 0);
    by_hand_close(&nic);
}

SPEC("§9: a spurious loss returns its EV to its former state and doubles the reordering window")
{
    observe_open_sending(&nic, sent, 2);
    lose_first();
    by_hand_send(&nic);
    EXPECT_EQ(observe_count(&nic, observe_is_repeat), 1);
    EXPECT_EQ(sack_with(0, 1, 0), DROP_NONE); /* rtx = 0: of the first copy */
    EXPECT_EQ(by_hand_count(&nic, COUNTER_SPURIOUS_LOSS), 1);
    EXPECT_EQ(observe_ev(&nic, sent[0].ev), EV_GOOD);
    EXPECT_EQ(observe_status(&nic).reorder_window_ns, 2 * BASE_RTT_NS);
    by_hand_close(&nic);
}

SPEC("§9: the first copy may arrive behind the second: that proves it, too, and counts once")
{
    observe_open_sending(&nic, sent, 2);
    lose_first();
    by_hand_send(&nic);
    nic.now_ns += BASE_RTT_NS;
    EXPECT_EQ(
        observe_sacked(&nic, observe_nth(&nic, observe_is_repeat, 0), observe_out(1)), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_SPURIOUS_LOSS), 0);
    EXPECT_EQ(sack_with(0, 1, 0), DROP_NONE);
    EXPECT_EQ(sack_with(0, 1, 0), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_SPURIOUS_LOSS), 1);
    EXPECT_EQ(observe_ev(&nic, sent[0].ev), EV_GOOD);
    EXPECT_EQ(observe_status(&nic).reorder_window_ns, 2 * BASE_RTT_NS);
    by_hand_close(&nic);
}

SPEC("§9: an acknowledgement of the repeat is no proof of a spurious loss")
{
    observe_open_sending(&nic, sent, 2);
    lose_first();
    by_hand_send(&nic);
    nic.now_ns += BASE_RTT_NS;
    EXPECT_EQ(
        observe_sacked(&nic, observe_nth(&nic, observe_is_repeat, 0), observe_out(1)), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_SPURIOUS_LOSS), 0);
    EXPECT_EQ(observe_ev(&nic, sent[0].ev), EV_ASSUMED_BAD);
    EXPECT_EQ(observe_status(&nic).reorder_window_ns, BASE_RTT_NS);
    by_hand_close(&nic);
}

SPEC("§9: an acknowledgement of the repeat sooner than a base RTT after it is one: the first "
     "arrived")
{
    observe_open_sending(&nic, sent, 2);
    lose_first();
    by_hand_send(&nic);
    nic.now_ns += BASE_RTT_NS - 2 * 64; /* send times are kept in units of 64 ns */
    EXPECT_EQ(
        observe_sacked(&nic, observe_nth(&nic, observe_is_repeat, 0), observe_out(1)), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_SPURIOUS_LOSS), 1);
    EXPECT_EQ(observe_status(&nic).reorder_window_ns, 2 * BASE_RTT_NS);
    by_hand_close(&nic);
}

static uint32_t smoothed_after(uint64_t wait_ns)
{
    uint32_t smoothed_ns;

    observe_open_sending(&nic, sent, 1);
    nic.now_ns += wait_ns;
    observe_sacked(&nic, &sent[0], observe_out(0));
    smoothed_ns = observe_status(&nic).smoothed_rtt_ns;
    by_hand_close(&nic);
    return smoothed_ns;
}

SPEC("§19.3: a round trip of half a second or more is no sample: the record may have wrapped")
{
    EXPECT_GE(smoothed_after(500000000 - 64), 500000000 - 64);
    EXPECT_EQ(smoothed_after(500000000), 0);
}
