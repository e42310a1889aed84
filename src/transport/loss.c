/* SPDX-License-Identifier: Apache-2.0 */
/* Loss inference. First transmissions leave in the order of PSNs, so every search may end at the
 * first packet in flight that was sent once and too recently: all behind it were sent later still.
 */
#include "transport/loss.h"

#include <assert.h>

#include "transport/nic.h"

enum {
    RELAX_ROUND_TRIPS = 16,
    DOUBTFUL_RTTS = 3,                    /* more than the queues of a full network make of one */
    AGE_AMBIGUOUS_NS = 500 * 1000 * 1000, /* records of send times wrap after twice this */
};

static uint32_t nominal_bytes_of(const struct qp *qp, struct psn psn, uint8_t flags)
{
    return flags & SEND_ODD_SIZE ? requester_nominal_bytes(qp, psn) : qp->requester->full_bytes;
}

static bool blames_path(enum loss_rule rule)
{
    return rule <= LOSS_BY_TIMEOUT;
}

enum silence_blames { SILENCE_BLAMES_EVS, SILENCE_BLAMES_NOBODY };

/* Probes on other EVs were not answered either: had only the packets been lost, they would have
 * been. */
static bool may_be_the_way_back(const struct qp *qp)
{
    return qp->requester->tail_rounds > 1 &&
           qp->nic->parameters->silence_blames == SILENCE_BLAMES_NOBODY;
}

/* True if the loss made the path bad. */
static bool blame(
    struct qp *qp, const struct send_record *record, enum loss_rule rule, uint64_t now_ns)
{
    uint64_t sent_ns = now_ns - send_window_age_ns(record->ticks, now_ns);
    bool plane_lives = qp->requester->last_plane == qp_plane_of_ev(qp, record->ev_index);

    if (rule == LOSS_BY_TIMEOUT && may_be_the_way_back(qp))
        return false;
    if (rule == LOSS_BY_TIMEOUT && plane_lives)
        return path_on_timeout(qp->paths, record->ev_index, sent_ns, now_ns);
    return path_on_loss(qp->paths, record->ev_index, sent_ns, now_ns);
}

void loss_declare(
    struct transport *nic, struct qp *qp, struct psn psn, enum loss_rule rule, uint64_t now_ns)
{
    static const uint8_t counters[LOSS_RULE_COUNT] = {
        [LOSS_BY_TIME] = COUNTER_RETRANSMIT_TIME,
        [LOSS_BY_COUNT] = COUNTER_RETRANSMIT_COUNT,
        [LOSS_BY_PROBE] = COUNTER_RETRANSMIT_PROBE,
        [LOSS_BY_TIMEOUT] = COUNTER_RETRANSMIT_TIMEOUT,
        [LOSS_BY_PORT] = COUNTER_RETRANSMIT_PORT_DOWN,
        [LOSS_BY_TRIM] = COUNTER_RETRANSMIT_TRIMMED,
        [LOSS_BY_TRIM_LASTHOP] = COUNTER_RETRANSMIT_TRIMMED_LASTHOP,
        [LOSS_BY_NACK] = COUNTER_RETRANSMIT_NACK,
    };
    struct send_window *window = &qp->requester->window;
    struct send_record record = send_window_record(window, psn);
    uint32_t bytes = nominal_bytes_of(qp, psn, record.flags);

    send_window_lose(window, psn, bytes);
    nic_count(nic, (enum counter)counters[rule]);
    nic_trace(nic, EVENT_LOSS, qp->qpn, now_ns, psn.value, qp_ev(qp, record.ev_index), rule);
    if (!blames_path(rule) || !(qp_planes(nic, qp) >> qp_plane_of_ev(qp, record.ev_index) & 1))
        return; /* nor is a path to blame whose plane is known to be down */
    cc_on_inferred_loss(&qp->cc, bytes, now_ns);
    if (blame(qp, &record, rule, now_ns))
        send_window_set_flags(window, psn, SEND_DEMOTED);
}

static uint32_t reorder_least_ns(const struct transport *nic, const struct qp *qp)
{
    uint64_t configured_ns = nic->parameters->reo_wnd;

    return configured_ns ? (uint32_t)configured_ns : qp->cc.base_rtt_ns;
}

static uint32_t reorder_most_ns(const struct transport *nic, const struct qp *qp)
{
    return (uint32_t)(reorder_least_ns(nic, qp) * nic->parameters->reo_wnd_factor_max);
}

enum reo_from { FROM_LATEST, FROM_LONGEST };

/* How old a packet must be that something with this round trip has overtaken. Planes are sent equal
 * shares, so all that a window holds beyond a round trip comes to stand in the queue of the slowest
 * one, and packets there are late by all of it: the time they take is added to, not the time of the
 * fastest, which tells of none of this. */
static uint32_t lost_after_ns(const struct transport *nic, const struct qp *qp, uint32_t rtt_ns)
{
    const struct requester *requester = qp->requester;
    uint32_t longest_ns = requester->longest_ticks * SEND_WINDOW_TICK_NS;
    uint32_t most_ns;

    if (longest_ns > rtt_ns && nic->parameters->reo_from == FROM_LONGEST) {
        most_ns = reorder_most_ns(nic, qp);
        if (longest_ns > most_ns)
            longest_ns = most_ns;
        if (longest_ns > rtt_ns)
            rtt_ns = longest_ns;
    }
    return rtt_ns + requester->reorder_ns;
}

void loss_infer_by_time(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    struct send_window *window = &requester->window;
    uint32_t limit_ns = lost_after_ns(nic, qp, requester->rack_rtt_ns);
    struct psn psn = send_window_next_in_flight(window, window->oldest);

    requester->loss_check_ns = UINT64_MAX;
    if (!requester->rack_valid)
        return;
    for (; !psn_equal(psn, window->next);
         psn = send_window_next_in_flight(window, psn_add(psn, 1))) {
        struct send_record record = send_window_record(window, psn);
        bool sent_once = !(record.flags & (SEND_TWICE | SEND_OFTEN));
        uint32_t age_ns = send_window_age_ns(record.ticks, now_ns);

        if (!loss_was_overtaken(requester, psn, record.ticks)) {
            if (sent_once)
                break;
        } else if (age_ns >= limit_ns) {
            loss_declare(nic, qp, psn, LOSS_BY_TIME, now_ns);
        } else {
            if (now_ns + (limit_ns - age_ns) < requester->loss_check_ns)
                requester->loss_check_ns = now_ns + (limit_ns - age_ns);
            if (sent_once)
                break;
        }
    }
    qp_arm(nic, qp, requester->loss_check_ns);
}

/* What was sent after the last packet heard of is overdue as well: answers were lost, and with them
 * what they would have said of the packets that seem lost by now. */
static bool is_silent(const struct transport *nic, const struct qp *qp, uint64_t now_ns)
{
    const struct requester *requester = qp->requester;
    const struct send_window *window = &requester->window;
    struct psn after = psn_add(requester->rack_psn, 1);
    struct psn next = send_window_next_in_flight(
        window, psn_before(after, window->oldest) ? window->oldest : after);
    struct send_record record;

    if (psn_equal(next, window->next))
        return false;
    record = send_window_record(window, next);
    return !loss_was_overtaken(requester, next, record.ticks) &&
           send_window_age_ns(record.ticks, now_ns) >=
               lost_after_ns(nic, qp, requester->rack_rtt_ns) - requester->reorder_ns;
}

void loss_on_time(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    if (nic->parameters->silence_loses && is_silent(nic, qp, now_ns))
        qp->requester->loss_check_ns = UINT64_MAX; /* the next SACK will tell */
    else
        loss_infer_by_time(nic, qp, now_ns);
}

static uint64_t count_threshold_bytes(const struct transport *nic, const struct qp *qp)
{
    const struct parameters *parameters = nic->parameters;
    uint64_t threshold = qp->cc.window_bytes * parameters->sleek_factor / 1000;
    uint64_t floor_bytes = parameters->sleek_min_packets * qp->requester->full_bytes;

    if (threshold > qp->cc.max_window_bytes)
        threshold = qp->cc.max_window_bytes;
    return threshold > floor_bytes ? threshold : floor_bytes;
}

enum sleek_reach { REACH_WINDOW, REACH_OVERTAKEN };

/* The PSN from which on a recovery repairs nothing. */
static struct psn recovery_end(
    const struct transport *nic, const struct qp *qp, uint64_t threshold_bytes)
{
    const struct requester *requester = qp->requester;
    struct psn end = nic->parameters->sleek_reach == REACH_WINDOW
                         ? psn_add(requester->window.oldest,
                               (int32_t)(qp->cc.window_bytes / requester->full_bytes))
                         : psn_add(requester->highest_acked,
                               1 - (int32_t)(threshold_bytes / requester->full_bytes));

    return psn_before(requester->recovery_psn, end) ? requester->recovery_psn : end;
}

/* What a recovery leaves alone: what it has sent again, and, as nothing sent again was overtaken by
 * the PSNs above it, whatever was. */
static uint8_t spared_flags(const struct transport *nic)
{
    return nic->parameters->sleek_reach == REACH_WINDOW ? SEND_RECOVERED
                                                        : SEND_RECOVERED | SEND_TWICE | SEND_OFTEN;
}

static void recover(struct transport *nic, struct qp *qp, uint64_t threshold_bytes, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    struct send_window *window = &requester->window;
    struct psn end = recovery_end(nic, qp, threshold_bytes);
    struct psn psn = send_window_next_in_flight(window, window->oldest);
    uint8_t spared = spared_flags(nic);

    while (psn_before(psn, end) && !psn_equal(psn, window->next)) {
        struct send_record record = send_window_record(window, psn);

        /* Nothing sent after it has arrived: it may well be on its way. */
        if (!(record.flags & spared) && loss_was_overtaken(requester, psn, record.ticks)) {
            loss_declare(nic, qp, psn, LOSS_BY_COUNT, now_ns);
            send_window_set_flags(window, psn, SEND_RECOVERED);
        }
        psn = send_window_next_in_flight(window, psn_add(psn, 1));
    }
}

void loss_infer_by_count(struct transport *nic, struct qp *qp, uint32_t ooo_count, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    uint64_t threshold_bytes = count_threshold_bytes(nic, qp);

    if (requester->in_recovery && !psn_before(requester->window.oldest, requester->recovery_psn))
        requester->in_recovery = false;
    if ((uint64_t)ooo_count * requester->full_bytes < threshold_bytes || !requester->rack_valid)
        return;
    if (!requester->in_recovery) {
        requester->in_recovery = true;
        requester->recovery_psn = requester->window.next;
    }
    recover(nic, qp, threshold_bytes, now_ns);
}

/* A clear bit says nothing; but the PSN after cack is missing, or cack would be higher. */
static bool is_shown_missing(const struct packet_sack *sack, struct psn psn)
{
    int32_t above = psn_distance(sack->cack_psn, psn);

    return above == 1 || (above >= sack->sack_offset && above < sack->sack_offset + 64);
}

void loss_infer_by_probe(struct transport *nic, struct qp *qp, const struct packet_sack *sack,
    uint32_t probe_age_ns, uint32_t delay_ns, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    struct send_window *window = &requester->window;
    struct psn end = psn_add(sack->cack_psn, sack->sack_offset + 64);
    struct psn psn = send_window_next_in_flight(window, window->oldest);
    uint64_t delayed_factor = nic->parameters->delayed_probe_factor;
    uint64_t limit_ns = lost_after_ns(nic, qp, probe_age_ns);

    if (delay_ns >= qp->cc.target_delay_ns)
        limit_ns = delayed_factor ? limit_ns * delayed_factor : UINT64_MAX;
    while (!psn_equal(psn, window->next) && psn_before(psn, end)) {
        struct send_record record = send_window_record(window, psn);
        bool early = send_window_age_ns(record.ticks, now_ns) > limit_ns;

        if (!early && !(record.flags & (SEND_TWICE | SEND_OFTEN)))
            return;
        if (early && is_shown_missing(sack, psn))
            loss_declare(nic, qp, psn, LOSS_BY_PROBE, now_ns);
        psn = send_window_next_in_flight(window, psn_add(psn, 1));
    }
}

void loss_infer_by_timeout(
    struct transport *nic, struct qp *qp, uint64_t interval_ns, uint64_t now_ns)
{
    struct send_window *window = &qp->requester->window;
    struct psn psn = send_window_next_in_flight(window, window->oldest);
    bool is_oldest = psn_equal(psn, window->oldest);

    while (!psn_equal(psn, window->next)) {
        struct send_record record = send_window_record(window, psn);

        if (is_oldest || interval_ns >= AGE_AMBIGUOUS_NS ||
            send_window_age_ns(record.ticks, now_ns) >= interval_ns)
            loss_declare(nic, qp, psn, LOSS_BY_TIMEOUT, now_ns);
        is_oldest = false;
        psn = send_window_next_in_flight(window, psn_add(psn, 1));
    }
}

static uint64_t relax_at(const struct qp *qp, uint64_t now_ns)
{
    uint32_t rtt_ns = qp->requester->smoothed_rtt_ns;

    return now_ns + (uint64_t)RELAX_ROUND_TRIPS * (rtt_ns ? rtt_ns : qp->cc.base_rtt_ns);
}

void loss_on_spurious(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    uint64_t most_ns = reorder_most_ns(nic, qp);
    uint64_t wider_ns = (uint64_t)requester->reorder_ns * 2;

    requester->reorder_ns = (uint32_t)(wider_ns < most_ns ? wider_ns : most_ns);
    requester->reorder_relax_ns = relax_at(qp, now_ns);
    nic_count(nic, COUNTER_SPURIOUS_LOSS);
}

void loss_on_disproved(struct transport *nic, struct qp *qp, struct psn psn, uint64_t now_ns)
{
    struct send_record record = send_window_record(&qp->requester->window, psn);
    bool plane_is_up = qp_planes(nic, qp) >> qp_plane_of_ev(qp, record.ev_index) & 1;

    /* Of several copies it may have been any; and a port that went down made no mistake. */
    if (record.flags & (SEND_TWICE | SEND_OFTEN) || !plane_is_up ||
        !nic->parameters->spurious_proof)
        return;
    loss_on_spurious(nic, qp, now_ns);
    if (record.flags & SEND_DEMOTED || path_state_of(qp->paths, record.ev_index) <= EV_SKIP)
        path_on_spurious(qp->paths, record.ev_index, now_ns);
    nic_trace(nic, EVENT_SPURIOUS, qp->qpn, now_ns, psn.value, qp_ev(qp, record.ev_index),
        qp->requester->reorder_ns);
}

bool loss_is_in_doubt(const struct transport *nic, const struct qp *qp)
{
    const struct requester *requester = qp->requester;

    return requester->reorder_ns > reorder_least_ns(nic, qp) ||
           requester->longest_ticks * SEND_WINDOW_TICK_NS > DOUBTFUL_RTTS * qp->cc.base_rtt_ns;
}

void loss_relax(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    uint32_t least_ns = reorder_least_ns(nic, qp);

    /* Gone within some round trips. */
    requester->longest_ticks -= (uint16_t)((requester->longest_ticks + 127) / 128);
    if (requester->reorder_ns <= least_ns) {
        requester->reorder_ns = least_ns;
        return;
    }
    if (now_ns < requester->reorder_relax_ns)
        return;
    requester->reorder_ns =
        requester->reorder_ns / 2 > least_ns ? requester->reorder_ns / 2 : least_ns;
    requester->reorder_relax_ns = relax_at(qp, now_ns);
}
