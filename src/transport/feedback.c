/* SPDX-License-Identifier: Apache-2.0 */
/* What SACK, NACK and Transport ACK have in common for the sending half (docs/protocol.md §9). */
#include "transport/feedback.h"

#include "transport/loss.h"
#include "transport/nic.h"

enum { CACK_BEHIND_MAX = 1 << 22 };

/* The first acknowledgement of one PSN of the window. */
static void acknowledge(struct qp *qp, struct psn psn, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    struct send_record record = send_window_record(&requester->window, psn);
    uint32_t bytes =
        record.flags & SEND_ODD_SIZE ? requester_nominal_bytes(qp, psn) : requester->full_bytes;

    /* Lost and not sent again since: that copy arrived after all, but it says nothing of the
     * present. */
    if (!send_window_acknowledge(&requester->window, psn, bytes))
        return;
    loss_on_acknowledged(requester, psn, record, qp->cc.base_rtt_ns, now_ns);
    path_on_delivered(qp->paths, record.ev_index);
}

/* Those taken for lost and not sent again had arrived. Not inlined: it is rare. */
__attribute__((noinline)) static void disprove(
    struct qp *qp, struct psn base, uint64_t bitmap, uint64_t now_ns)
{
    for (; bitmap; bitmap &= bitmap - 1) {
        struct psn psn = psn_add(base, (int32_t)bits_lowest(bitmap));

        if (send_window_is_lost(&qp->requester->window, psn))
            loss_on_disproved(qp->nic, qp, psn, now_ns);
    }
}

void feedback_acknowledge_bitmap(struct qp *qp, struct psn base, uint64_t bitmap, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    struct psn highest;

    bitmap = send_window_unacked(&requester->window, base, bitmap);
    if (!bitmap)
        return;
    highest = psn_add(base, (int32_t)bits_highest(bitmap));
    if (psn_before(requester->highest_acked, highest))
        requester->highest_acked = highest;
    if (requester->window.lost_count > 0)
        disprove(qp, base, bitmap, now_ns);
    for (; bitmap; bitmap &= bitmap - 1)
        acknowledge(qp, psn_add(base, (int32_t)bits_lowest(bitmap)), now_ns);
}

/* The oldest packet is acknowledged. It may have been what the rest waited for. */
static void note_round_trip(struct requester *requester, struct psn psn, uint64_t now_ns)
{
    struct send_record record = send_window_record(&requester->window, psn);

    if (!(record.flags & (SEND_TWICE | SEND_OFTEN)))
        loss_note_round_trip(requester, send_window_age_ns(record.ticks, now_ns));
}

void feedback_acknowledge_up_to(struct qp *qp, struct psn cack, uint64_t now_ns)
{
    struct psn psn = qp->requester->window.oldest;
    int32_t count = psn_distance(psn, cack) + 1;

    if (count > 0)
        note_round_trip(qp->requester, psn, now_ns);
    for (; count > 0; count -= 64, psn = psn_add(psn, 64))
        feedback_acknowledge_bitmap(
            qp, psn, count < 64 ? (UINT64_C(1) << count) - 1 : ~UINT64_C(0), now_ns);
}

void feedback_advance(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct requester *requester = qp->requester;

    if (!send_window_advance(&requester->window))
        return;
    requester->timeouts = 0;
    requester->hold_ns = 0;
    requester_arm_timeout(nic, qp, now_ns);
}

bool feedback_cack_is_plausible(const struct qp *qp, struct psn cack)
{
    const struct send_window *window = &qp->requester->window;

    return psn_distance(cack, window->oldest) <= CACK_BEHIND_MAX &&
           psn_distance(cack, window->next) > 0;
}

uint32_t feedback_ev(
    struct transport *nic, const struct qp *qp, uint32_t ev_index, uint32_t entropy)
{
    if (ev_index != PATH_NONE && qp_ev(qp, ev_index) == entropy)
        return ev_index;
    ev_index = path_profile_find(qp->profile, entropy);
    if (ev_index == PATH_NONE)
        nic_count(nic, COUNTER_FEEDBACK_UNKNOWN_EV);
    return ev_index;
}

uint64_t feedback_base_sample(const struct transport *nic, const struct qp *qp, uint64_t sample_ns)
{
    bool is_too_short = sample_ns != 0 && sample_ns < qp->cc.base_rtt_ns;

    return is_too_short && nic->parameters->base_rtt_samples ? qp->cc.base_rtt_ns : sample_ns;
}
