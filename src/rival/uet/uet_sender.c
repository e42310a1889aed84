/* SPDX-License-Identifier: Apache-2.0 */
/* Messages, and the next packet of a connection. */
#include "rival/uet/uet_sender.h"

#include <assert.h>

enum {
    PROBE_AGAIN_RTTS = 5,
    ASKS_PER_WINDOW = 4,
};

void uet_sender_init(struct uet_sender *sender, struct arena *arena,
    const struct uet_profile *profile, uint32_t depth, struct prng prng)
{
    struct uet_message *messages =
        arena_take(arena, depth, sizeof(*messages), _Alignof(struct uet_message));
    struct uet_copy *copies =
        arena_take(arena, profile->window_packets, sizeof(*copies), _Alignof(struct uet_copy));
    struct uet_spray spray;

    uet_spray_init(&spray, arena, profile, prng);
    if (!arena->memory)
        return;
    *sender = (struct uet_sender){ .messages = messages,
        .depth = depth,
        .copies = copies,
        .probe_ps = UET_NEVER_PS,
        .timeout_ps = UET_NEVER_PS,
        .spray = spray };
    cc_init(&sender->nscc, &profile->nscc);
    rccc_source_init(&sender->rccc, profile->window_bytes);
}

/* ---- messages -------------------------------------------------------------------------------- */

static struct uet_message *message_at(const struct uet_sender *sender, uint32_t number)
{
    return &sender->messages[number % sender->depth];
}

void uet_sender_post(
    struct uet_sender *sender, const struct uet_profile *profile, struct uet_message message)
{
    assert(sender->posted - sender->oldest < sender->depth);
    message.first = sender->end;
    message.packet_count =
        (uint32_t)((message.bytes + profile->mtu_bytes - 1) / profile->mtu_bytes);
    if (message.packet_count == 0)
        message.packet_count = 1;
    message.packets_left = message.packet_count;
    sender->end += message.packet_count;
    sender->backlog_bytes += message.bytes + (uint64_t)message.packet_count * UET_HEADER_BYTES;
    *message_at(sender, sender->posted++) = message;
    uet_sender_ask_credit(sender, profile);
}

bool uet_sender_take_done(struct uet_sender *sender, struct uet_message *done)
{
    const struct uet_message *oldest = message_at(sender, sender->oldest);

    if (sender->oldest == sender->posted || oldest->packets_left > 0)
        return false;
    *done = *oldest;
    if (sender->current == sender->oldest)
        sender->current++;
    sender->oldest++;
    return true;
}

static uint32_t payload_bytes(
    const struct uet_message *message, const struct uet_profile *profile, uint64_t sequence)
{
    uint64_t left = message->bytes - (sequence - message->first) * profile->mtu_bytes;

    return (uint32_t)(left < profile->mtu_bytes ? left : profile->mtu_bytes);
}

uint32_t uet_sender_packet_bytes(
    const struct uet_sender *sender, const struct uet_profile *profile, uint64_t sequence)
{
    uint32_t message = uet_sender_copy(sender, profile, sequence)->message;

    return UET_HEADER_BYTES + payload_bytes(message_at(sender, message), profile, sequence);
}

/* ---- permission ------------------------------------------------------------------------------ */

static bool has_packet(const struct uet_sender *sender, const struct uet_profile *profile)
{
    return sender->lost_count > 0 ||
           (sender->next < sender->end && sender->next - sender->acked < profile->window_packets);
}

static bool window_is_open(const struct uet_sender *sender, const struct uet_profile *profile)
{
    return !profile->has_nscc || sender->inflight_bytes == 0 ||
           sender->inflight_bytes + profile->packet_bytes <= sender->nscc.window_bytes;
}

static bool lacks_credit(const struct uet_sender *sender, const struct uet_profile *profile)
{
    return profile->has_rccc && !rccc_source_may_send(&sender->rccc);
}

bool uet_sender_may_send(const struct uet_sender *sender, const struct uet_profile *profile)
{
    if (sender->has_failed)
        return false;
    if (sender->owes_probe || sender->owes_request)
        return true;
    return has_packet(sender, profile) && window_is_open(sender, profile) &&
           !lacks_credit(sender, profile);
}

/* What is in flight asks as well, and is answered. */
void uet_sender_ask_credit(struct uet_sender *sender, const struct uet_profile *profile)
{
    if (sender->inflight_bytes == 0 && sender->probe_ps == UET_NEVER_PS &&
        sender->backlog_bytes > 0 && lacks_credit(sender, profile))
        sender->owes_request = true;
}

uint64_t uet_sender_wanted_bytes(const struct uet_sender *sender, const struct uet_profile *profile)
{
    uint64_t most = profile->window_bytes;

    if (profile->has_nscc && sender->nscc.window_bytes + profile->packet_bytes < most)
        most = sender->nscc.window_bytes + profile->packet_bytes;
    return sender->backlog_bytes < most ? sender->backlog_bytes : most;
}

/* ---- packets --------------------------------------------------------------------------------- */

static uint64_t rtts_ps(const struct uet_sender *sender, uint32_t count)
{
    return (uint64_t)sender->nscc.base_rtt_ns * 1000 * count;
}

/* There is a lost packet at or after `repeat`. */
static uint64_t next_lost(struct uet_sender *sender, const struct uet_profile *profile)
{
    while (uet_sender_copy(sender, profile, sender->repeat)->state != UET_LOST)
        sender->repeat++;
    return sender->repeat;
}

static uint64_t next_new(struct uet_sender *sender, const struct uet_profile *profile)
{
    const struct uet_message *message = message_at(sender, sender->current);

    if (sender->next == message->first + message->packet_count)
        sender->current++;
    *uet_sender_copy(sender, profile, sender->next) =
        (struct uet_copy){ .message = sender->current };
    return sender->next++;
}

/* An ACK is needed for what is sent again, at the end of what is posted, and before the window
 * closes. A window that stays nearly closed asks a few times in a round trip. */
static bool asks_ack(
    const struct uet_sender *sender, const struct uet_profile *profile, uint64_t sequence)
{
    uint64_t unasked = (sequence + 1 - sender->asked) * profile->packet_bytes;
    uint64_t window = profile->has_nscc ? sender->nscc.window_bytes : profile->window_bytes;

    return sequence + 1 == sender->end || uet_sender_copy(sender, profile, sequence)->repeats > 0 ||
           ((window < profile->ack_bytes ||
                sender->inflight_bytes + profile->packet_bytes > window) &&
               unasked * ASKS_PER_WINDOW >= window);
}

static struct uet_packet data_packet(
    const struct uet_sender *sender, const struct uet_profile *profile, uint64_t sequence)
{
    const struct uet_copy *copy = uet_sender_copy(sender, profile, sequence);
    const struct uet_message *message = message_at(sender, copy->message);

    return (struct uet_packet){ .ev = copy->ev,
        .opcode = UET_DATA,
        .flags = (uint8_t)((copy->repeats > 0 ? UET_REPEATED : 0) |
                           (asks_ack(sender, profile, sequence) ? UET_ASKS_ACK : 0) |
                           (message->tells ? UET_TELLS : 0)),
        .body = { .psn = (uint32_t)sequence,
            .data = {
                .va = message->offset_bytes + (sequence - message->first) * profile->mtu_bytes,
                .length = payload_bytes(message, profile, sequence),
                .message = copy->message,
                .message_packets = message->packet_count,
                .tag = message->tag } } };
}

static void arm_timers(struct uet_sender *sender, const struct uet_env *env)
{
    if (sender->timeout_ps == UET_NEVER_PS)
        sender->timeout_ps = env->now_ps + (env->profile->timeout_ps << sender->retries);
    if (sender->probe_ps == UET_NEVER_PS)
        sender->probe_ps = env->now_ps + rtts_ps(sender, UET_PROBE_RTTS);
}

static struct uet_packet next_data(
    struct uet_sender *sender, const struct uet_env *env, uint32_t ev)
{
    const struct uet_profile *profile = env->profile;
    bool is_repeat = sender->lost_count > 0;
    uint64_t sequence = is_repeat ? next_lost(sender, profile) : next_new(sender, profile);
    struct uet_copy *copy = uet_sender_copy(sender, profile, sequence);
    uint32_t bytes = uet_sender_packet_bytes(sender, profile, sequence);
    struct uet_packet packet;

    sender->lost_count -= is_repeat;
    if (is_repeat && copy->repeats < UINT8_MAX)
        copy->repeats++;
    copy->sent_ps = env->now_ps;
    copy->ev = (uint16_t)ev;
    copy->state = UET_IN_FLIGHT;
    sender->inflight_bytes += bytes;
    sender->backlog_bytes -= bytes;
    rccc_source_spend(&sender->rccc, bytes);
    packet = data_packet(sender, profile, sequence);
    if (packet.flags & UET_ASKS_ACK && !is_repeat)
        sender->asked = sequence + 1;
    arm_timers(sender, env);
    uet_env_count(env, UET_COUNTER_DATA_SENT);
    if (is_repeat)
        uet_env_count(env, UET_COUNTER_DATA_RETRANSMITTED);
    return packet;
}

struct uet_packet uet_sender_next(struct uet_sender *sender, const struct uet_env *env, uint32_t ev)
{
    bool is_probe = sender->owes_probe;

    if (!is_probe && !sender->owes_request)
        return next_data(sender, env, ev);
    sender->owes_probe = false;
    sender->owes_request = false;
    sender->probe_ps = env->now_ps + rtts_ps(sender, PROBE_AGAIN_RTTS);
    if (is_probe)
        sender->probe_sent_ps = env->now_ps;
    uet_env_count(env, is_probe ? UET_COUNTER_PROBE_SENT : UET_COUNTER_REQUEST_SENT);
    return (struct uet_packet){ .ev = (uint16_t)ev, .opcode = is_probe ? UET_PROBE : UET_REQUEST };
}

void uet_sender_check(const struct uet_sender *sender, const struct uet_profile *profile)
{
    uint64_t inflight = 0;
    uint32_t lost = 0;

    assert(sender->acked <= sender->next);
    assert(sender->next <= sender->end);
    assert(sender->next - sender->acked <= profile->window_packets);
    assert(sender->posted - sender->oldest <= sender->depth);
    for (uint64_t i = sender->acked; i < sender->next; i++) {
        const struct uet_copy *copy = uet_sender_copy(sender, profile, i);

        assert(copy->state != UET_UNSENT);
        assert(copy->state != UET_LOST || i >= sender->repeat);
        lost += copy->state == UET_LOST;
        if (copy->state == UET_IN_FLIGHT)
            inflight += uet_sender_packet_bytes(sender, profile, i);
    }
    assert(lost == sender->lost_count);
    assert(inflight == sender->inflight_bytes);
    assert(inflight == 0 || sender->has_failed || sender->timeout_ps != UET_NEVER_PS);
}
