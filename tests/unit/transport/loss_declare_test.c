/* SPDX-License-Identifier: Apache-2.0 */
/* What is blamed for a loss, and how the reordering window narrows, at their limits. */
#include "by_hand.h"
#include "spec.h"
#include "transport/loss.h"
#include "transport/nic.h"

enum { QPN = 7, BASE_RTT_NS = 10000 };

static struct by_hand nic;

/* A QP with one packet in flight. */
static const struct qp *open_sent(bool network_trims)
{
    by_hand_prepare(&nic);
    nic.config.parameters.network_trims = network_trims;
    nic.config.parameters.loss_to_bad = LOSS_TO_BAD_COMPARED;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 1024, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    nic.now_ns += 8 * BASE_RTT_NS;
    return nic_find(nic.transport, QPN);
}

static enum path_ev_state state_after_loss_by(const struct qp *qp, enum loss_rule rule)
{
    uint32_t ev_index = path_profile_find(&nic.profile, nic.sent[0].ev);
    enum path_ev_state state;

    loss_declare(qp->requester, &qp->env, psn(BY_HAND_SQ_PSN), rule, nic.now_ns);
    state = path_state_of(qp->env.paths, ev_index);
    by_hand_close(&nic);
    return state;
}

static enum path_ev_state state_after_loss(const struct qp *qp)
{
    return state_after_loss_by(qp, LOSS_BY_TIME);
}

static enum path_ev_state state_after_silence(enum loss_rule rule, uint8_t tail_rounds)
{
    const struct qp *qp = open_sent(true);

    qp->requester->tail_rounds = tail_rounds;
    return state_after_loss_by(qp, rule);
}

SPEC("§10: a timeout does not count against the path if probes on other EVs were not answered "
     "either")
{
    EXPECT_EQ(state_after_silence(LOSS_BY_TIMEOUT, 0), EV_SUSPECT);
    EXPECT_EQ(state_after_silence(LOSS_BY_TIMEOUT, 1), EV_SUSPECT);
    EXPECT_EQ(state_after_silence(LOSS_BY_TIMEOUT, 2), EV_GOOD);
    EXPECT_EQ(state_after_silence(LOSS_BY_TIME, 2), EV_SUSPECT);
}

SPEC("§10: a packet that was refused or trimmed, or whose port went down, says nothing of its path")
{
    for (enum loss_rule rule = LOSS_BY_PORT; rule < LOSS_RULE_COUNT; rule++)
        EXPECT_EQ(state_after_loss_by(open_sent(true), rule), EV_GOOD);
}

static enum path_ev_state state_with_delay(uint32_t beyond_half_target_ns)
{
    const struct qp *qp = open_sent(false);
    const struct cc *cc = &qp->env.peer->cc;

    qp->requester->smoothed_rtt_ns =
        cc->base_rtt_ns + cc->target_delay_ns / 2 + beyond_half_target_ns;
    return state_after_loss(qp);
}

SPEC("§10: without trimming a loss is congestion if packets take more than half of the target "
     "longer")
{
    EXPECT_EQ(state_with_delay(0), EV_SUSPECT);
    EXPECT_NE(state_with_delay(1), EV_SUSPECT);
}

static enum path_ev_state state_after_trim(uint64_t ago_ns)
{
    const struct qp *qp = open_sent(true);

    qp->env.peer->trimmed_ns = ago_ns ? nic.now_ns - ago_ns : 0;
    return state_after_loss(qp);
}

SPEC("§10: with trimming a loss is congestion if a packet was trimmed within four base RTTs")
{
    EXPECT_EQ(state_after_trim(0), EV_SUSPECT);
    EXPECT_NE(state_after_trim(1), EV_SUSPECT);
    EXPECT_NE(state_after_trim(4 * BASE_RTT_NS - 1), EV_SUSPECT);
    EXPECT_EQ(state_after_trim(4 * BASE_RTT_NS), EV_SUSPECT);
}

/* The last spurious loss to the destination was some round trips ago; 0: there was none. */
static enum path_ev_state state_after_spurious(bool has_wide_window, uint32_t round_trips_ago)
{
    const struct qp *qp = open_sent(true);

    if (has_wide_window)
        qp->requester->reorder_ns = 2 * requester_reorder_ns(&qp->env);
    if (round_trips_ago)
        peer_note_spurious(qp->env.peer,
            nic.now_ns - (uint64_t)round_trips_ago * requester_rtt_ns(qp->requester, &qp->env));
    return state_after_loss(qp);
}

SPEC("§10: a loss is not counted against a path while packets of this QP, or of another to its "
     "peer, are late")
{
    EXPECT_EQ(state_after_spurious(false, 0), EV_SUSPECT);
    EXPECT_NE(state_after_spurious(true, 0), EV_SUSPECT);
    EXPECT_NE(state_after_spurious(false, LOSS_RELAX_ROUND_TRIPS), EV_SUSPECT);
    EXPECT_EQ(state_after_spurious(false, LOSS_RELAX_ROUND_TRIPS + 1), EV_SUSPECT);
}

SPEC("§9: a path whose loss was spurious is no longer suspect")
{
    const struct qp *qp = open_sent(true);
    uint32_t ev_index = path_profile_find(&nic.profile, nic.sent[0].ev);

    loss_declare(qp->requester, &qp->env, psn(BY_HAND_SQ_PSN), LOSS_BY_TIME, nic.now_ns);
    EXPECT_EQ(path_state_of(qp->env.paths, ev_index), EV_SUSPECT);
    loss_on_disproved(qp->requester, &qp->env, psn(BY_HAND_SQ_PSN), nic.now_ns);
    EXPECT_LE(path_state_of(qp->env.paths, ev_index), EV_SKIP);
    by_hand_close(&nic);
}

/* Whether a loss shrinks the congestion window; the last packet was trimmed `ago_ns` ago. */
static bool shrinks_window(uint64_t ago_ns)
{
    const struct qp *qp = open_sent(true);
    uint32_t window_bytes = qp->env.peer->cc.window_bytes;
    bool shrinks;

    qp->env.peer->trimmed_ns = nic.now_ns - ago_ns;
    loss_declare(qp->requester, &qp->env, psn(BY_HAND_SQ_PSN), LOSS_BY_TIME, nic.now_ns);
    shrinks = qp->env.peer->cc.window_bytes < window_bytes;
    by_hand_close(&nic);
    return shrinks;
}

SPEC("§10: a loss shrinks the window if it may be congestion, and not otherwise")
{
    EXPECT(shrinks_window(1));
    EXPECT(!shrinks_window(4 * BASE_RTT_NS));
}

/* The window after a round, in twentieths of the least. */
static uint32_t relaxed(uint32_t tenths_of_least)
{
    const struct qp *qp = open_sent(true);
    uint32_t least_ns = requester_reorder_ns(&qp->env);
    uint32_t reorder_ns;

    qp->requester->reorder_ns = least_ns * tenths_of_least / 10;
    qp->requester->reorder_relax_ns = nic.now_ns;
    loss_relax(qp->requester, &qp->env, nic.now_ns);
    reorder_ns = qp->requester->reorder_ns;
    by_hand_close(&nic);
    return reorder_ns * 20 / least_ns;
}

SPEC("§10: with time a wide reordering window narrows by half, and a narrow one ends")
{
    EXPECT_EQ(relaxed(5), 20); /* losses made it narrow, or the base RTT has grown */
    EXPECT_EQ(relaxed(10), 20);
    EXPECT_EQ(relaxed(15), 20);
    EXPECT_EQ(relaxed(20), 20);
    EXPECT_EQ(relaxed(25), 25);
    EXPECT_EQ(relaxed(40), 40);
}

/* ---- a narrow window ------------------------------------------------------------------------- */

/* Declares the packet lost, by a rule that blames the path, as often as this. */
static void lose(const struct qp *qp, uint32_t times)
{
    for (; times > 0; times--) {
        loss_declare(qp->requester, &qp->env, psn(BY_HAND_SQ_PSN), LOSS_BY_TIME, nic.now_ns);
        send_window_sent_again(&qp->requester->window, psn(BY_HAND_SQ_PSN),
            send_window_record(&qp->requester->window, psn(BY_HAND_SQ_PSN)), 1024);
        peer_on_sent(qp->env.peer, 0, 1024);
    }
}

/* Returns the reordering window in eighths of the usual one. */
static uint32_t window_of(const struct qp *qp)
{
    return qp->requester->reorder_ns * 8 / requester_reorder_ns(&qp->env);
}

SPEC(
    "§10: sixteen losses in succession halve the reordering window, down to a quarter of the usual")
{
    const struct qp *qp = open_sent(true);

    lose(qp, 15);
    EXPECT_EQ(window_of(qp), 8);
    lose(qp, 1);
    EXPECT_EQ(window_of(qp), 4);
    lose(qp, 15);
    EXPECT_EQ(window_of(qp), 4);
    lose(qp, 1);
    EXPECT_EQ(window_of(qp), 2);
    lose(qp, 64);
    EXPECT_EQ(window_of(qp), 2);
    by_hand_close(&nic);
}

SPEC("§10: losses that may be congestion, and those with a spurious one between, do not narrow the "
     "reordering window")
{
    const struct qp *qp = open_sent(true);

    lose(qp, 15);
    qp->env.peer->trimmed_ns = nic.now_ns - 1;
    lose(qp, 1);
    EXPECT_EQ(window_of(qp), 8);
    qp->env.peer->trimmed_ns = 0;
    qp->requester->reorder_ns /= 2;
    loss_on_spurious(qp->requester, &qp->env, nic.now_ns);
    EXPECT_EQ(window_of(qp), 8);
    lose(qp, 15);
    EXPECT_EQ(window_of(qp), 8);
    by_hand_close(&nic);
}

SPEC("§10: spurious losses without another between widen a narrow window once, a usual one each "
     "time")
{
    const struct qp *qp = open_sent(true);

    lose(qp, 33);
    EXPECT_EQ(window_of(qp), 2);
    for (uint32_t i = 0; i < 3; i++) {
        loss_on_spurious(qp->requester, &qp->env, nic.now_ns);
        EXPECT_EQ(window_of(qp), 4);
    }
    lose(qp, 1);
    loss_on_spurious(qp->requester, &qp->env, nic.now_ns);
    EXPECT_EQ(window_of(qp), 8);
    loss_on_spurious(qp->requester, &qp->env, nic.now_ns);
    EXPECT_EQ(window_of(qp), 16);
    by_hand_close(&nic);
}

SPEC("§10: sixteen round trips without a loss end a narrow window")
{
    const struct qp *qp = open_sent(true);
    uint32_t rtt_ns = requester_rtt_ns(qp->requester, &qp->env);

    lose(qp, 16);
    loss_relax(qp->requester, &qp->env, nic.now_ns + 16 * rtt_ns - 1);
    EXPECT_EQ(window_of(qp), 4);
    loss_relax(qp->requester, &qp->env, nic.now_ns + 16 * rtt_ns);
    EXPECT_EQ(window_of(qp), 8);
    by_hand_close(&nic);
}

/* Returns the narrowest window for this reo_wnd; both are in eighths of the usual window. */
static uint32_t narrowest(uint32_t set_eighths)
{
    const struct qp *qp = open_sent(true);
    uint32_t narrowest;

    nic.config.parameters.reo_wnd = requester_reorder_ns(&qp->env) * set_eighths / 8;
    transport_set_parameters(nic.transport, &nic.config.parameters);
    lose(qp, 64);
    narrowest = window_of(qp);
    by_hand_close(&nic);
    return narrowest;
}

SPEC("§10: a reordering window that is set is not narrowed")
{
    EXPECT_EQ(narrowest(0), 2);
    EXPECT_EQ(narrowest(2), 2);
    EXPECT_EQ(narrowest(3), 4);
    EXPECT_EQ(narrowest(4), 4);
    EXPECT_EQ(narrowest(5), 8);
    EXPECT_EQ(narrowest(8), 8);
}
