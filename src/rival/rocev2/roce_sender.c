/* SPDX-License-Identifier: Apache-2.0 */
/* Go-back-N, and selective repeat with a window of one path. */
#include "rival/rocev2/roce_sender.h"

#include <assert.h>

#include "base/bits.h"

void roce_sender_init(struct roce_sender *sender, struct arena *arena,
    const struct roce_profile *profile, uint32_t depth)
{
    struct roce_piece *pieces =
        arena_take(arena, depth, sizeof(*pieces), _Alignof(struct roce_piece));
    uint64_t *sacked = profile->selective ? arena_take(arena, profile->window_packets / 64,
                                                sizeof(*sacked), sizeof(*sacked))
                                          : NULL;

    if (!arena->memory)
        return;
    *sender = (struct roce_sender){ .pieces = pieces,
        .depth = depth,
        .sacked = sacked,
        .retries_left = profile->retries,
        .timeout_ps = ROCE_NEVER_PS };
    dcqcn_init(&sender->dcqcn, &profile->dcqcn);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static struct roce_piece *piece_at(const struct roce_sender *sender, uint32_t number)
{
    return &sender->pieces[number % sender->depth];
}

void roce_sender_post(
    struct roce_sender *sender, const struct roce_profile *profile, struct roce_piece piece)
{
    assert(sender->posted - sender->oldest < sender->depth);
    piece.first = sender->end;
    piece.packet_count = (uint32_t)((piece.bytes + profile->mtu_bytes - 1) / profile->mtu_bytes);
    if (piece.packet_count == 0)
        piece.packet_count = 1;
    sender->end += piece.packet_count;
    *piece_at(sender, sender->posted++) = piece;
}

bool roce_sender_take_done(struct roce_sender *sender, struct roce_piece *done)
{
    const struct roce_piece *oldest = piece_at(sender, sender->oldest);

    if (sender->oldest == sender->posted || oldest->first + oldest->packet_count > sender->acked)
        return false;
    *done = *oldest;
    if (sender->current == sender->oldest)
        sender->current++;
    sender->oldest++;
    return true;
}

/* Returns the piece of a packet, at or after piece `number`. */
static uint32_t find_piece(const struct roce_sender *sender, uint32_t number, uint64_t sequence)
{
    while (piece_at(sender, number)->first + piece_at(sender, number)->packet_count <= sequence)
        number++;
    return number;
}

/* ---- out ------------------------------------------------------------------------------------- */

static bool has_hole(const struct roce_sender *sender)
{
    return sender->is_recovering && sender->repeat < sender->holes_end;
}

bool roce_sender_has_packet(const struct roce_sender *sender, const struct roce_profile *profile)
{
    if (sender->has_failed)
        return false;
    return has_hole(sender) ||
           (sender->next < sender->end && sender->next - sender->acked < profile->window_packets);
}

/* Moves to the next packet at or after `repeat` that the receiver does not have. */
static void find_hole(struct roce_sender *sender, const struct roce_profile *profile)
{
    while (sender->repeat < sender->holes_end &&
           bits_test(sender->sacked, (uint32_t)(sender->repeat % profile->window_packets)))
        sender->repeat++;
}

static struct roce_packet packet_of(const struct roce_sender *sender,
    const struct roce_profile *profile, const struct roce_piece *piece, uint64_t sequence)
{
    uint64_t done_bytes = (sequence - piece->first) * profile->mtu_bytes;
    uint64_t left_bytes = piece->bytes - done_bytes;
    bool is_last = sequence + 1 == piece->first + piece->packet_count;

    return (struct roce_packet){ .opcode = ROCE_WRITE,
        .flags =
            (uint8_t)((sequence == piece->first ? ROCE_FIRST : 0) |
                      (is_last ? ROCE_LAST | ROCE_ASKS_ACK : 0) | (piece->tells ? ROCE_TELLS : 0)),
        .dest_qp = sender->dest_qp,
        .psn = psn((uint32_t)sequence),
        .va = piece->offset_bytes + done_bytes,
        .length = (uint32_t)(is_last ? left_bytes : profile->mtu_bytes),
        .message = piece->message,
        .message_packets = piece->message_packets,
        .tag = piece->tag };
}

/* The timer runs while an ACK has been asked for. */
static void ask_ack(struct roce_sender *sender, const struct roce_profile *profile,
    uint64_t sequence, uint64_t now_ps)
{
    if (sequence + 1 > sender->asked)
        sender->asked = sequence + 1;
    if (sender->timeout_ps == ROCE_NEVER_PS)
        sender->timeout_ps = now_ps + profile->timeout_ps;
}

struct roce_packet roce_sender_next(struct roce_sender *sender, const struct roce_profile *profile,
    uint64_t now_ps, bool *is_repeat)
{
    bool is_hole = has_hole(sender);
    uint64_t sequence = is_hole ? sender->repeat : sender->next;
    uint32_t number = find_piece(sender, is_hole ? sender->oldest : sender->current, sequence);
    struct roce_packet packet = packet_of(sender, profile, piece_at(sender, number), sequence);

    *is_repeat = sequence < sender->sent;
    if (is_hole) {
        sender->repeat++;
        find_hole(sender, profile);
    } else {
        sender->current = number;
        sender->next++;
    }
    if (sender->sent < sender->next)
        sender->sent = sender->next;
    if (is_hole || sequence + 1 - sender->asked >= profile->ack_every)
        packet.flags |= ROCE_ASKS_ACK;
    if (packet.flags & ROCE_ASKS_ACK)
        ask_ack(sender, profile, sequence, now_ps);
    return packet;
}

/* ---- in -------------------------------------------------------------------------------------- */

/* All packets before `sequence` have arrived. */
static void acknowledge_to(struct roce_sender *sender, const struct roce_profile *profile,
    uint64_t sequence, uint64_t now_ps)
{
    if (sequence <= sender->acked)
        return;
    if (profile->selective)
        for (uint64_t i = sender->acked; i < sequence; i++)
            bits_clear(sender->sacked, (uint32_t)(i % profile->window_packets));
    sender->acked = sequence;
    sender->retries_left = profile->retries;
    sender->timeout_ps =
        sender->asked > sender->acked ? now_ps + profile->timeout_ps : ROCE_NEVER_PS;
    if (sender->next < sequence) {
        sender->next = sequence;
        while (sender->current != sender->posted &&
               piece_at(sender, sender->current)->first +
                       piece_at(sender, sender->current)->packet_count <=
                   sequence)
            sender->current++;
    }
    if (sender->repeat < sequence)
        sender->repeat = sequence;
    if (sender->is_recovering && sequence >= sender->recovered)
        sender->is_recovering = false;
}

/* A retry is used up. */
static void use_retry(struct roce_sender *sender)
{
    if (sender->retries_left-- == 0) {
        sender->retries_left = 0;
        sender->has_failed = true;
        sender->timeout_ps = ROCE_NEVER_PS;
    }
}

static void go_back(struct roce_sender *sender)
{
    sender->next = sender->acked;
    sender->current = sender->oldest;
    sender->asked = sender->acked;
}

/* Begins to fill holes up to `holes_end`, each of them once. */
static void recover(
    struct roce_sender *sender, const struct roce_profile *profile, uint64_t holes_end)
{
    if (!sender->is_recovering) {
        sender->is_recovering = true;
        sender->recovered = sender->sent;
        sender->repeat = sender->acked;
        sender->holes_end = sender->acked;
    }
    if (sender->holes_end < holes_end)
        sender->holes_end = holes_end;
    find_hole(sender, profile);
}

static void on_sack(
    struct roce_sender *sender, const struct roce_profile *profile, uint64_t sequence)
{
    if (sequence < sender->acked || sequence >= sender->sent)
        return;
    bits_set(sender->sacked, (uint32_t)(sequence % profile->window_packets));
    recover(sender, profile, sequence);
}

/* Returns the sequence number with these lowest bits that is nearest to `near`. */
static uint64_t sequence_of(struct psn number, uint64_t near)
{
    return near + (uint64_t)(int64_t)psn_distance(psn((uint32_t)near), number);
}

void roce_sender_on_answer(struct roce_sender *sender, const struct roce_profile *profile,
    const struct roce_packet *answer, uint64_t now_ps)
{
    uint64_t sequence =
        sequence_of(answer->psn, sender->acked) + (answer->opcode == ROCE_ACK ? 1 : 0);

    /* The number before the first packet is far ahead of it; anything else was never sent. */
    if (sender->has_failed || (int64_t)sequence < 0 || sequence > sender->sent)
        return;
    if (sequence < sender->acked)
        return;
    acknowledge_to(sender, profile, sequence, now_ps);
    if (answer->opcode != ROCE_NAK)
        return;
    if (profile->selective) {
        on_sack(sender, profile, sequence_of(answer->sack, sender->acked));
        return;
    }
    go_back(sender);
    use_retry(sender);
}

/* ---- time ------------------------------------------------------------------------------------ */

void roce_sender_on_timeout(
    struct roce_sender *sender, const struct roce_profile *profile, uint64_t now_ps)
{
    sender->timeout_ps = now_ps + profile->timeout_ps;
    if (profile->selective) {
        sender->is_recovering = false;
        recover(sender, profile, sender->holes_end);
        recover(sender, profile, sender->acked + 1);
    } else {
        go_back(sender);
    }
    use_retry(sender);
}

void roce_sender_check(const struct roce_sender *sender, const struct roce_profile *profile)
{
    assert(sender->acked <= sender->next);
    assert(sender->next <= sender->sent);
    assert(sender->sent <= sender->end);
    assert(sender->sent - sender->acked <= profile->window_packets);
    assert(sender->posted - sender->oldest <= sender->depth);
    assert(sender->current - sender->oldest <= sender->posted - sender->oldest);
}
