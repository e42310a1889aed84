/* SPDX-License-Identifier: Apache-2.0 */
/* What ACKs, NACKs and timers tell a sender: what has arrived, and what is lost. */
#include <assert.h>

#include "base/bits.h"
#include "rival/uet/uet_sender.h"

enum {
    PS_PER_NS = 1000,
    SLEEK_PACKETS_LEAST = 5,
    BITMAP_BITS = 64,
};

#define SLEEK_WINDOWS 1.5

static uint64_t base_rtt_ps(const struct uet_sender *sender)
{
    return (uint64_t)sender->nscc.base_rtt_ns * PS_PER_NS;
}

/* ---- losses ---------------------------------------------------------------------------------- */

/* A packet in flight is lost. */
static void lose_packet(
    struct uet_sender *sender, const struct uet_env *env, uint64_t sequence, enum uet_counter why)
{
    struct uet_copy *copy = uet_sender_copy(sender, env->profile, sequence);
    uint32_t bytes = uet_sender_packet_bytes(sender, env->profile, sequence);

    copy->state = UET_LOST;
    sender->lost_count++;
    sender->inflight_bytes -= bytes;
    sender->backlog_bytes += bytes;
    if (sequence < sender->repeat)
        sender->repeat = sequence;
    uet_env_count(env, why);
}

/* The same, without a NACK. */
static void infer_loss(
    struct uet_sender *sender, const struct uet_env *env, uint64_t sequence, enum uet_counter why)
{
    uint32_t ev = uet_sender_copy(sender, env->profile, sequence)->ev;

    lose_packet(sender, env, sequence, why);
    uet_spray_on_met(&sender->spray, env->profile, ev, UET_MET_LOSS);
    cc_on_inferred_loss(&sender->nscc, uet_sender_packet_bytes(sender, env->profile, sequence),
        env->now_ps / PS_PER_NS);
}

static void lose_older(struct uet_sender *sender, const struct uet_env *env, uint64_t end,
    uint64_t sent_before_ps, enum uet_counter why)
{
    if (end > sender->next)
        end = sender->next;
    for (uint64_t i = sender->acked; i < end; i++) {
        const struct uet_copy *copy = uet_sender_copy(sender, env->profile, i);

        if (copy->state == UET_IN_FLIGHT && copy->sent_ps < sent_before_ps)
            infer_loss(sender, env, i, why);
    }
}

/* SLEEK: many packets that arrive after a gap show that it is not filled any more. Each packet is
 * sent again once in a recovery. */
static void count_early(struct uet_sender *sender, const struct uet_env *env, uint32_t early)
{
    const struct uet_profile *profile = env->profile;
    uint64_t window = profile->has_nscc ? sender->nscc.window_bytes : profile->window_bytes;
    uint64_t limit = (uint64_t)(SLEEK_WINDOWS * (double)window);

    if (sender->is_recovering && sender->acked >= sender->recovered)
        sender->is_recovering = false;
    if (limit > sender->nscc.max_window_bytes)
        limit = sender->nscc.max_window_bytes;
    if (limit < (uint64_t)SLEEK_PACKETS_LEAST * profile->packet_bytes)
        limit = (uint64_t)SLEEK_PACKETS_LEAST * profile->packet_bytes;
    if (!sender->is_recovering) {
        if ((uint64_t)early * profile->packet_bytes < limit)
            return;
        sender->is_recovering = true;
        sender->recovered = sender->next;
        sender->recovering_ps = env->now_ps;
    }
    lose_older(sender, env,
        sender->acked + window / profile->packet_bytes < sender->recovered
            ? sender->acked + window / profile->packet_bytes
            : sender->recovered,
        sender->recovering_ps, UET_COUNTER_LOST_COUNTED);
}

/* The answer to a probe shows the oldest gaps. If the probe has met no queue, what was sent a round
 * trip before it cannot be on its way any more. */
static void judge_by_probe(struct uet_sender *sender, const struct uet_env *env, uint64_t base)
{
    uint64_t delay_ps = env->now_ps - sender->probe_sent_ps;

    if (delay_ps >= base_rtt_ps(sender) + (uint64_t)sender->nscc.target_delay_ns * PS_PER_NS ||
        sender->probe_sent_ps < base_rtt_ps(sender))
        return;
    lose_older(sender, env, base + BITMAP_BITS, sender->probe_sent_ps - base_rtt_ps(sender),
        UET_COUNTER_LOST_PROBED);
}

/* ---- ACKs ------------------------------------------------------------------------------------ */

static void acknowledge_packet(
    struct uet_sender *sender, const struct uet_profile *profile, uint64_t sequence)
{
    struct uet_copy *copy = uet_sender_copy(sender, profile, sequence);
    uint32_t bytes;

    if (copy->state == UET_ACKED)
        return;
    bytes = uet_sender_packet_bytes(sender, profile, sequence);
    if (copy->state == UET_LOST) {
        sender->lost_count--;
        sender->backlog_bytes -= bytes;
    } else {
        sender->inflight_bytes -= bytes;
    }
    copy->state = UET_ACKED;
    sender->messages[copy->message % sender->depth].packets_left--;
}

static bool is_outstanding(const struct uet_sender *sender, uint64_t sequence)
{
    return sequence >= sender->acked && sequence < sender->next;
}

/* A message is complete when all its packets are, so all before `acked` may be forgotten. */
static void take_ack(
    struct uet_sender *sender, const struct uet_profile *profile, const struct uet_packet *ack)
{
    uint64_t before = uet_packet_sequence(ack->body.psn, sender->acked);
    uint64_t base = uet_packet_sequence(ack->body.ack.base, sender->acked);
    uint64_t trigger = uet_packet_sequence(ack->body.ack.trigger, sender->acked);
    uint64_t bitmap = ack->body.ack.bitmap;
    uint64_t acked = sender->acked;

    for (uint64_t i = sender->acked; i < before && i < sender->next; i++)
        acknowledge_packet(sender, profile, i);
    if (!(ack->flags & UET_OF_PROBE) && is_outstanding(sender, trigger))
        acknowledge_packet(sender, profile, trigger);
    for (; bitmap != 0; bitmap &= bitmap - 1)
        if (is_outstanding(sender, base + bits_lowest(bitmap)))
            acknowledge_packet(sender, profile, base + bits_lowest(bitmap));
    while (sender->acked < sender->next &&
           uet_sender_copy(sender, profile, sender->acked)->state == UET_ACKED)
        sender->acked++;
    if (sender->repeat < sender->acked)
        sender->repeat = sender->acked;
    if (sender->acked > acked)
        sender->retries = 0;
}

/* Returns the round trip of the packet that is answered, or 0 if it is not known which copy
 * arrived.
 */
static uint64_t sample_ns(const struct uet_sender *sender, const struct uet_env *env,
    const struct uet_packet *answer, uint64_t sequence)
{
    const struct uet_copy *copy = uet_sender_copy(sender, env->profile, sequence);
    uint32_t repeats = answer->flags & UET_REPEATED ? 1 : 0;

    if (!is_outstanding(sender, sequence) || copy->repeats != repeats)
        return 0;
    return (env->now_ps - copy->sent_ps) / PS_PER_NS;
}

static uint32_t newly_received(struct uet_sender *sender, uint64_t received_bytes)
{
    uint64_t newly = received_bytes - sender->received_bytes;

    if (received_bytes <= sender->received_bytes)
        return 0;
    sender->received_bytes = received_bytes;
    return newly < UINT32_MAX ? (uint32_t)newly : UINT32_MAX;
}

/* The probe waits for silence. */
static void restart_probe(struct uet_sender *sender, const struct uet_env *env)
{
    sender->owes_probe = false;
    sender->probe_ps = sender->inflight_bytes > 0
                           ? env->now_ps + UET_PROBE_RTTS * base_rtt_ps(sender)
                           : UET_NEVER_PS;
    uet_sender_ask_credit(sender, env->profile);
}

void uet_sender_on_ack(
    struct uet_sender *sender, const struct uet_env *env, const struct uet_packet *ack)
{
    const struct uet_profile *profile = env->profile;
    bool is_of_probe = ack->flags & UET_OF_PROBE;
    bool is_marked = ack->flags & UET_MARKED;
    uint64_t base = uet_packet_sequence(ack->body.ack.base, sender->acked);
    uint64_t rtt_ns = is_of_probe ? 0
                                  : sample_ns(sender, env, ack,
                                        uet_packet_sequence(ack->body.ack.trigger, sender->acked));

    if (sender->has_failed)
        return;
    take_ack(sender, profile, ack);
    uet_sender_on_credit(sender, profile, ack->body.credit);
    uet_spray_on_met(&sender->spray, profile, ack->ev, is_marked ? UET_MET_MARK : UET_MET_NOTHING);
    cc_on_ack(
        &sender->nscc, &(struct cc_ack){ .now_ns = env->now_ps / PS_PER_NS,
                           .rtt_ns = rtt_ns,
                           .received_bytes = newly_received(sender, ack->body.ack.received_bytes),
                           .inflight_bytes = (uint32_t)sender->inflight_bytes,
                           .marked = is_marked });
    count_early(sender, env, ack->body.ack.early);
    if (is_of_probe)
        judge_by_probe(sender, env, base);
    restart_probe(sender, env);
}

/* ---- NACKs and credits ----------------------------------------------------------------------- */

/* A trim at the port to the receiver does not change the window if the receiver grants credits: it
 * is the receiver that reacts. */
void uet_sender_on_nack(
    struct uet_sender *sender, const struct uet_env *env, const struct uet_packet *nack)
{
    uint64_t sequence = uet_packet_sequence(nack->body.psn, sender->acked);
    const struct uet_copy *copy = uet_sender_copy(sender, env->profile, sequence);
    bool is_of_repeat = nack->flags & UET_REPEATED;
    uint64_t rtt_ns = sample_ns(sender, env, nack, sequence);

    if (sender->has_failed)
        return;
    uet_spray_on_met(&sender->spray, env->profile, nack->ev, UET_MET_TRIM);
    rccc_source_on_trim(&sender->rccc);
    if (is_outstanding(sender, sequence) && copy->state == UET_IN_FLIGHT &&
        (copy->repeats > 0) == is_of_repeat) {
        uint32_t bytes = uet_sender_packet_bytes(sender, env->profile, sequence);

        lose_packet(sender, env, sequence, UET_COUNTER_LOST_TRIMMED);
        cc_on_nack(&sender->nscc,
            &(struct cc_nack){ .now_ns = env->now_ps / PS_PER_NS,
                .rtt_ns = rtt_ns,
                .packet_bytes = bytes,
                .inflight_bytes = (uint32_t)sender->inflight_bytes,
                .trimmed = !(env->profile->has_rccc && nack->flags & UET_LAST_HOP) });
    }
    restart_probe(sender, env);
}

void uet_sender_on_credit(
    struct uet_sender *sender, const struct uet_profile *profile, uint32_t granted)
{
    if (profile->has_rccc)
        rccc_source_on_credit(&sender->rccc, granted, profile->window_bytes);
}

/* ---- timers ---------------------------------------------------------------------------------- */

/* Returns when the first packet in flight times out. */
static uint64_t first_timeout_ps(
    const struct uet_sender *sender, const struct uet_profile *profile, uint64_t timeout_ps)
{
    uint64_t first_ps = UET_NEVER_PS;

    for (uint64_t i = sender->acked; i < sender->next; i++) {
        const struct uet_copy *copy = uet_sender_copy(sender, profile, i);

        if (copy->state == UET_IN_FLIGHT && copy->sent_ps + timeout_ps < first_ps)
            first_ps = copy->sent_ps + timeout_ps;
    }
    return first_ps;
}

static bool expire_packets(struct uet_sender *sender, const struct uet_env *env)
{
    uint64_t timeout_ps = env->profile->timeout_ps << sender->retries;

    sender->timeout_ps = first_timeout_ps(sender, env->profile, timeout_ps);
    if (sender->timeout_ps > env->now_ps)
        return false;
    if (sender->retries == env->profile->retries) {
        sender->has_failed = true;
        sender->timeout_ps = UET_NEVER_PS;
        sender->probe_ps = UET_NEVER_PS;
        return true;
    }
    sender->retries++;
    lose_older(sender, env, sender->next, env->now_ps - timeout_ps + 1, UET_COUNTER_LOST_TIMEOUT);
    sender->timeout_ps = first_timeout_ps(sender, env->profile, timeout_ps << 1);
    return true;
}

bool uet_sender_expire(struct uet_sender *sender, const struct uet_env *env)
{
    if (sender->probe_ps <= env->now_ps) {
        sender->probe_ps = UET_NEVER_PS;
        sender->owes_probe = sender->inflight_bytes > 0;
        uet_sender_ask_credit(sender, env->profile);
    }
    return sender->timeout_ps <= env->now_ps && expire_packets(sender, env);
}
