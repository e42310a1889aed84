/* SPDX-License-Identifier: Apache-2.0 */
/* The four rules of loss inference, at their limits (docs/protocol.md §10). */
#include "transport/loss.h"

#include "by_hand.h"
#include "spec.h"
#include "transport/nic.h"

enum {
    QPN = 7,
    TICK_NS = SEND_WINDOW_TICK_NS,
    GAP_NS = 100 * TICK_NS, /* between two packets */
    REORDER_NS = 50 * TICK_NS,
    LEAST_PACKETS = 4, /* rule B */
};

static struct by_hand nic;
static struct qp *qp;
static uint64_t first_ns; /* when the first packet was sent */

/* A QP with packets in flight that were sent one after the other. */
static void open_sent(uint32_t count)
{
    by_hand_prepare(&nic);
    nic.config.parameters.sleek_min_packets = LEAST_PACKETS;
    nic.config.parameters.sleek_factor = 100;
    nic.config.parameters.max_cwnd = 32 * 1024;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    first_ns = nic.now_ns;
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_EQ(by_hand_post(&nic, QPN, i, BY_HAND_PMTU_BYTES, 0), 0);
        EXPECT_EQ(by_hand_send(&nic), 1);
        nic.now_ns += GAP_NS;
    }
    qp = nic_find(nic.transport, QPN);
    qp->requester->reorder_ns = REORDER_NS;
}

static struct psn sent_psn(uint32_t number)
{
    return psn_add(psn(BY_HAND_SQ_PSN), (int32_t)number);
}

static bool is_lost(uint32_t number)
{
    return send_window_is_lost(&qp->requester->window, sent_psn(number));
}

/* The packet has overtaken those before it; its round trip was `rtt_ns`. */
static void overtake(uint32_t number, uint32_t rtt_ns)
{
    struct requester *requester = qp->requester;

    requester->rack_valid = true;
    requester->rack_psn = sent_psn(number);
    requester->rack_ticks = send_window_record(&requester->window, sent_psn(number)).ticks;
    requester->rack_rtt_ns = rtt_ns;
    requester->highest_acked = sent_psn(number);
}

/* Whether the first of two packets is lost by rule A when it is this old. */
static bool is_lost_by_time(uint32_t longest_ns, uint64_t age_ns)
{
    bool lost;

    open_sent(2);
    overtake(1, GAP_NS);
    qp->requester->longest_ticks = (uint16_t)(longest_ns / TICK_NS);
    loss_infer_by_time(qp->requester, &qp->env, first_ns + age_ns);
    lost = is_lost(0);
    EXPECT(!is_lost(1));
    by_hand_close(&nic);
    return lost;
}

SPEC("§10 A: a packet is lost a round trip and a reordering window after it was sent, not before")
{
    EXPECT(!is_lost_by_time(0, GAP_NS + REORDER_NS - TICK_NS));
    EXPECT(is_lost_by_time(0, GAP_NS + REORDER_NS));
}

SPEC("§10 A: a longer round trip of late counts instead, up to the widest reordering window")
{
    uint32_t most_ns;

    open_sent(1);
    most_ns = requester_reorder_ns(&qp->env) * (uint32_t)nic.config.parameters.reo_wnd_factor_max /
              TICK_NS * TICK_NS;
    by_hand_close(&nic);
    EXPECT_GT(most_ns, 2 * GAP_NS);
    EXPECT(!is_lost_by_time(2 * GAP_NS, 2 * GAP_NS + REORDER_NS - TICK_NS));
    EXPECT(is_lost_by_time(2 * GAP_NS, 2 * GAP_NS + REORDER_NS));
    EXPECT(!is_lost_by_time(4 * most_ns, most_ns + REORDER_NS - TICK_NS));
    EXPECT(is_lost_by_time(4 * most_ns, most_ns + REORDER_NS + TICK_NS));
}

/* In front of a slow destination, queues last longer than the widest reordering window. */
SPEC("§10 A: a longer round trip of late counts up to twice the mean")
{
    uint64_t age_ns;

    open_sent(2);
    overtake(1, GAP_NS);
    qp->requester->longest_ticks = UINT16_MAX;
    qp->requester->smoothed_rtt_ns =
        requester_reorder_ns(&qp->env) * (uint32_t)nic.config.parameters.reo_wnd_factor_max;
    age_ns = UINT64_C(2) * qp->requester->smoothed_rtt_ns + REORDER_NS;
    loss_infer_by_time(qp->requester, &qp->env, first_ns + age_ns - TICK_NS);
    EXPECT(!is_lost(0));
    loss_infer_by_time(qp->requester, &qp->env, first_ns + age_ns + TICK_NS);
    EXPECT(is_lost(0));
    by_hand_close(&nic);
}

SPEC("§10 A: it counts up to the widest reordering window though the mean is short")
{
    uint64_t age_ns;

    open_sent(2);
    overtake(1, GAP_NS);
    qp->requester->longest_ticks = UINT16_MAX;
    qp->requester->smoothed_rtt_ns = TICK_NS;
    age_ns = requester_reorder_ns(&qp->env) * nic.config.parameters.reo_wnd_factor_max + REORDER_NS;
    loss_infer_by_time(qp->requester, &qp->env, first_ns + age_ns - TICK_NS);
    EXPECT(!is_lost(0));
    by_hand_close(&nic);
}

SPEC("§10 A: the timer of the rule declares the loss when it is due, not before")
{
    uint64_t due_ns;

    open_sent(2);
    overtake(1, GAP_NS);
    qp->requester->reorder_ns = 4 * GAP_NS;
    loss_infer_by_time(qp->requester, &qp->env, nic.now_ns);
    due_ns = qp->requester->loss_check_ns;
    EXPECT_EQ(due_ns, first_ns + 5 * GAP_NS);
    requester_expire(qp->requester, &qp->env, due_ns - 1);
    EXPECT(!is_lost(0));
    requester_expire(qp->requester, &qp->env, due_ns);
    EXPECT(is_lost(0));
    by_hand_close(&nic);
}

SPEC("§10 B: only packets that enough others have overtaken are lost")
{
    open_sent(8);
    overtake(7, GAP_NS);
    loss_infer_by_count(qp->requester, &qp->env, LEAST_PACKETS - 1, nic.now_ns);
    EXPECT(!is_lost(0));
    loss_infer_by_count(qp->requester, &qp->env, LEAST_PACKETS, nic.now_ns);
    for (uint32_t i = 0; i < 8; i++)
        EXPECT_EQ(is_lost(i), i <= 7 - LEAST_PACKETS);
    by_hand_close(&nic);
}

/* Whether a packet of this age is lost by rule C, if the probe was sent `probe_age_ns` ago. */
static bool is_lost_by_probe(uint32_t probe_age_ns, uint64_t age_ns)
{
    struct packet sack;
    bool lost;

    open_sent(1);
    sack = by_hand_sack(&nic, QPN, sent_psn(0));
    sack.sack.cack_psn = psn_add(sent_psn(0), -1);
    loss_infer_by_probe(qp->requester, &qp->env, &sack.sack, probe_age_ns, first_ns + age_ns);
    lost = is_lost(0);
    by_hand_close(&nic);
    return lost;
}

SPEC("§10 C: a packet sent more than a reordering window before an answered probe is lost")
{
    EXPECT(!is_lost_by_probe(GAP_NS, GAP_NS + REORDER_NS));
    EXPECT(is_lost_by_probe(GAP_NS, GAP_NS + REORDER_NS + TICK_NS));
}

/* Two packets in flight are old when the answer to a probe shows PSNs from `offset` above cack on,
 * of which one that is not the first or second has arrived. Returns which are lost, as bits. */
static uint32_t lost_if_shown_from(int16_t offset)
{
    struct packet sack;
    uint32_t lost;

    open_sent(2);
    sack = by_hand_sack(&nic, QPN, sent_psn(0));
    sack.sack.cack_psn = psn_add(sent_psn(0), -1);
    sack.sack.sack_offset = offset;
    sack.sack.ooo_count = 1;
    loss_infer_by_probe(qp->requester, &qp->env, &sack.sack, GAP_NS, nic.now_ns + 10 * GAP_NS);
    lost = is_lost(0) | (uint32_t)is_lost(1) << 1;
    by_hand_close(&nic);
    return lost;
}

SPEC("§10 C: in part of the bitmap, the PSN after cack and those that it covers are shown missing")
{
    EXPECT_EQ(lost_if_shown_from(1), 3);
    EXPECT_EQ(lost_if_shown_from(2), 3);
    EXPECT_EQ(lost_if_shown_from(3), 1);
    EXPECT_EQ(lost_if_shown_from(2 - 64), 1);
    EXPECT_EQ(lost_if_shown_from(2 - 63), 3);
}

SPEC("§10 C: an answer is delayed from a base RTT and a target on")
{
    uint32_t delayed_ns;

    open_sent(1);
    delayed_ns = qp->env.peer->cc.base_rtt_ns + qp->env.peer->cc.target_delay_ns;
    by_hand_close(&nic);
    EXPECT(is_lost_by_probe(delayed_ns - 1, delayed_ns + REORDER_NS + TICK_NS));
    EXPECT(!is_lost_by_probe(delayed_ns, delayed_ns + REORDER_NS + TICK_NS));
}

SPEC("§10 C: after a delayed answer, a packet must be several times as late")
{
    uint64_t late_ns = 100 * GAP_NS;
    uint64_t times;

    open_sent(1);
    times = nic.config.parameters.delayed_probe_factor;
    by_hand_close(&nic);
    EXPECT(!is_lost_by_probe((uint32_t)late_ns, times * (late_ns + REORDER_NS)));
    EXPECT(is_lost_by_probe((uint32_t)late_ns, times * (late_ns + REORDER_NS) + TICK_NS));
}

SPEC("§10 C: after a delayed answer, no packet is late for more than half of the timeout")
{
    uint64_t half_ns;

    open_sent(1);
    half_ns = requester_interval_ns(qp->requester, &qp->env) / 2;
    by_hand_close(&nic);
    EXPECT(!is_lost_by_probe((uint32_t)half_ns / 2, half_ns - TICK_NS));
    EXPECT(is_lost_by_probe((uint32_t)half_ns / 2, half_ns + TICK_NS));
    EXPECT(!is_lost_by_probe((uint32_t)half_ns * 2, half_ns + TICK_NS));
}

SPEC("§10 D: a timeout declares the oldest packet lost, and all that are as old as its interval")
{
    for (uint32_t earlier_ns = 0; earlier_ns <= TICK_NS; earlier_ns += TICK_NS) {
        open_sent(3);
        loss_infer_by_timeout(qp->requester, &qp->env, 10 * GAP_NS + TICK_NS,
            first_ns + 11 * GAP_NS + TICK_NS - earlier_ns);
        EXPECT(is_lost(0));
        EXPECT_EQ(is_lost(1), earlier_ns == 0);
        EXPECT(!is_lost(2));
        by_hand_close(&nic);
    }
}

SPEC("§10 D: a timeout longer than recorded ages can be declares all packets lost")
{
    open_sent(3);
    loss_infer_by_timeout(qp->requester, &qp->env, SEND_WINDOW_AGE_MAX_NS - 1, nic.now_ns);
    EXPECT(is_lost(0) && !is_lost(1) && !is_lost(2));
    loss_infer_by_timeout(qp->requester, &qp->env, SEND_WINDOW_AGE_MAX_NS, nic.now_ns);
    EXPECT(is_lost(1) && is_lost(2));
    by_hand_close(&nic);
}

SPEC("§10: a spurious loss doubles the reordering window, which halves once per interval without")
{
    struct requester *requester;
    uint32_t least_ns;
    uint64_t relax_ns;

    open_sent(1);
    requester = qp->requester;
    least_ns = requester_reorder_ns(&qp->env);
    requester->reorder_ns = 2 * least_ns;
    loss_on_spurious(requester, &qp->env, nic.now_ns);
    EXPECT_EQ(requester->reorder_ns, 4 * least_ns);
    EXPECT(peer_was_spurious(qp->env.peer, 1000, nic.now_ns));
    relax_ns = requester->reorder_relax_ns;
    loss_relax(requester, &qp->env, relax_ns - 1);
    EXPECT_EQ(requester->reorder_ns, 4 * least_ns);
    for (uint32_t i = 0; i < 2; i++)
        loss_relax(requester, &qp->env, relax_ns);
    EXPECT_EQ(requester->reorder_ns, 2 * least_ns);
    by_hand_close(&nic);
}
