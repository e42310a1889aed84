/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the SACKs of the responder, also when no more packets arrive (docs/protocol.md §7). */
#include <assert.h>

#include "base/serial.h"
#include "transport/responder.h"

enum {
    BITMAP_PSNS = 64,
    OOO_COUNT_MAX = 0x7fff,
    UNITS_BYTES = 256,
    UNIT_PSNS = 128,
    PENALTY_MAX = 127,
    FLUSH_SACKS_MAX = 64,
};

/* Chooses the bitmap when 64 bits do not show everything (§7.3): of four SACKs, two show the PSNs
 * just below the trigger, which are news, one the oldest gaps, and one the next part of the
 * rest. A copy on another EV shows what the SACK before it showed: of copies, the peer may get
 * one. */
static struct psn bitmap_base(struct responder *responder, struct psn trigger, bool is_copy)
{
    const struct recv_window *window = &responder->window;
    struct psn oldest = psn_add(window->cack, 1);
    struct psn rest = psn_add(window->cack, 1 + BITMAP_PSNS);
    struct psn recent = psn_add(trigger, 1 - BITMAP_PSNS);
    struct psn base;
    uint32_t turn;

    if (psn_distance(window->cack, window->highest) <= BITMAP_PSNS)
        return oldest;
    turn = is_copy ? responder->sack_turn - 1u : responder->sack_turn++;
    if (turn & 1)
        return psn_before(recent, oldest) ? oldest : recent;
    if (!(turn & 2))
        return oldest;
    if (is_copy)
        return psn_add(responder->tracker, -BITMAP_PSNS);
    base = psn_before(responder->tracker, rest) || psn_before(window->highest, responder->tracker)
               ? rest
               : responder->tracker;
    responder->tracker = psn_add(base, BITMAP_PSNS);
    return base;
}

/* The range of PSNs is less than 2^15, so the low bits tell which one was shown first. */
static struct psn shown_before(struct psn cack, uint16_t shown)
{
    int16_t offset = (int16_t)(uint16_t)(shown - cack.value);

    return psn_add(cack, offset > 0 ? offset : 1);
}

static struct psn answer_base(
    struct responder *responder, const struct control_record *answer, struct psn trigger)
{
    struct psn cack = responder->window.cack;

    if (answer->is_second)
        return shown_before(cack, answer->shown);
    if (answer->stretch)
        return psn_add(cack, 1 + (answer->stretch - 1) * BITMAP_PSNS);
    return bitmap_base(responder, trigger, answer->elsewhere);
}

/* Returns the number of bitmaps that show all packets that have arrived above cack. */
static uint32_t stretch_count(const struct recv_window *window)
{
    uint32_t psns = (uint32_t)psn_distance(window->cack, window->highest);

    return (psns + BITMAP_PSNS - 1) / BITMAP_PSNS;
}

static uint64_t idle_at_ns(const struct responder *responder)
{
    return responder->unreported_bytes > 0 || responder->shown_in_part
               ? responder->last_arrival_ns + responder->idle_ns
               : UINT64_MAX;
}

/* The penalty is 0 while the queue is at most half full, and largest when it is full. */
static uint32_t queue_penalty(const struct recv_queue *queue)
{
    uint32_t waiting = queue->done - queue->reported;

    return 2 * waiting > queue->depth ? (2 * waiting - queue->depth) * PENALTY_MAX / queue->depth
                                      : 0;
}

static uint8_t larger_penalty(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

/* Returns the penalty of a sender that has more than its share (receive_share.h). Its window is not
 * restored afterwards. */
static uint8_t share_penalty(const struct env *env)
{
    return env->peer->share_round == env->nic->share_round ? env->peer->share_penalty : 0;
}

/* The larger penalty counts, of the queue or of the NIC. Returns true for the first SACK after it,
 * which restores the window of the sender (§20). */
static bool update_penalty(struct responder *responder, const struct env_nic *nic)
{
    uint32_t penalty = nic->parameters->receiver_penalty == RECEIVER_PENALTY_QUEUE
                           ? queue_penalty(&responder->queue)
                           : 0;
    bool had_penalty = responder->penalty > 0;

    if (penalty < nic->penalty)
        penalty = nic->penalty;
    responder->penalty = (uint8_t)penalty;
    return had_penalty && penalty == 0;
}

uint64_t responder_fill_sack(struct responder *responder, const struct env *env,
    const struct control_record *answer, struct packet_sack *sack)
{
    const struct recv_window *window = &responder->window;
    struct psn trigger = answer->kind == CONTROL_SACK ? answer->psn : window->highest;
    uint64_t due_ns = UINT64_MAX;
    struct psn base = answer_base(responder, answer, trigger);

    /* A second copy adds nothing to what the first one left out. */
    if (!answer->is_second && !answer->stretch && stretch_count(window) > 1) {
        responder->shown_in_part = true;
        due_ns = idle_at_ns(responder);
    }
    sack->cack_psn = window->cack;
    sack->sack_offset = (int16_t)psn_distance(window->cack, base);
    sack->bitmap = recv_window_bitmap(window, base);
    sack->mpr = env->attributes.dynamic_mpr ? (uint8_t)(responder->range_psns / UNIT_PSNS) : 0;
    sack->ooo_count =
        (uint16_t)(window->ooo_count < OOO_COUNT_MAX ? window->ooo_count : OOO_COUNT_MAX);
    sack->restore_window = update_penalty(responder, env->nic);
    sack->window_penalty = larger_penalty(responder->penalty, share_penalty(env));
    sack->received_units =
        (uint32_t)((responder->received_bytes + UNITS_BYTES - 1) / UNITS_BYTES % SERIAL24_MODULUS);
    return due_ns;
}

uint64_t responder_deadline_ns(const struct responder *responder)
{
    return idle_at_ns(responder);
}

/* Reports everything when no packet has arrived for some time and something was not reported, or
 * not in every bitmap. Echoes no stamp, so that the peer does not take the wait for a delay. */
uint32_t responder_expire(struct responder *responder, struct control_record *sack, uint64_t now_ns)
{
    uint32_t count = stretch_count(&responder->window);

    if (now_ns < idle_at_ns(responder))
        return 0;
    *sack = (struct control_record){ .kind = CONTROL_SACK,
        .code = SACK_MARK_NONE,
        .psn = responder->last_psn,
        .entropy = responder->last_ev,
        .port = responder->last_port,
        .retransmission = responder->last_flags & PACKET_RETRANSMISSION };
    responder->unreported_bytes = 0;
    responder->shown_in_part = false;
    if (count == 0)
        return 1;
    return count < FLUSH_SACKS_MAX ? count : FLUSH_SACKS_MAX;
}
