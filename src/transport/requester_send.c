/* SPDX-License-Identifier: Apache-2.0 */
/* Sends the packets of the requester, in this order: probes, lost packets, new packets
 * (docs/protocol.md §3, §12, §16). */
#include <assert.h>

#include "transport/requester_ask.h"
#include "transport/requester_packet.h"
#include "wire/stamp.h"

/* Values that all packets of a turn share. */
struct turn {
    uint64_t now_ns;
    uint64_t pace_ns; /* time from a packet to the next; 0: no pacing */
    uint32_t planes;  /* usable toward the peer ... */
    uint32_t ready;   /* ... with a port that is ready */
    uint32_t usable;  /* ... with a usable path */
    uint32_t ticks;
    uint16_t stamp; /* 0: packets carry none */
    uint8_t flags;  /* enum packet_flag */
    uint8_t class;  /* of packets sent for the first time */
    bool planes_share;
};

/* The part of a message that a packet carries. */
struct part {
    const struct send_request *request;
    uint32_t slot; /* of the request */
    uint32_t packet_index;
};

static uint8_t data_class(const struct env *env, bool again)
{
    const struct parameters *parameters = env->nic->parameters;

    if (!parameters->network_trims || !env->attributes.peer_trim_nack)
        return DSCP_NO_TRIM;
    return again && parameters->retransmit_class ? DSCP_TRIMMABLE_RETX : DSCP_TRIMMABLE;
}

static uint8_t write_opcode(const struct part *part)
{
    bool first = part->packet_index == 0;
    bool last = part->packet_index + 1 == part->request->packet_count;
    bool immediate = last && part->request->work.flags & WORK_WITH_IMMEDIATE;

    if (last)
        return first       ? immediate ? OPCODE_WRITE_ONLY_IMM : OPCODE_WRITE_ONLY
               : immediate ? OPCODE_WRITE_LAST_IMM
                           : OPCODE_WRITE_LAST;
    return first ? OPCODE_WRITE_FIRST : OPCODE_WRITE_MIDDLE;
}

/* Fills in a data packet, except for its path and some flags. */
static inline void fill_write(const struct env *env, const struct turn *turn,
    const struct part *part, uint8_t opcode, struct packet *out)
{
    const struct send_request *request = part->request;
    uint32_t pmtu_bytes = env->attributes.pmtu_bytes;
    uint32_t offset_bytes = part->packet_index * pmtu_bytes;
    uint32_t length = pmtu_bytes; /* a multiple of 4 */

    if (opcode_ends_message(opcode))
        length = request->work.length_bytes - offset_bytes;
    out->opcode = opcode;
    out->flags = turn->flags;
    out->psn = psn_add(request->first_psn, (int32_t)part->packet_index);
    out->write.va = request->work.remote_va + offset_bytes;
    out->write.payload =
        (struct payload){ .request = part->slot, .offset_bytes = offset_bytes, .length = length };
    out->write.rkey = request->work.rkey;
    out->write.message_bytes = request->work.length_bytes;
    out->write.immediate = request->work.immediate;
    out->write.rqmsn = request->rqmsn;
    out->write.msn = request->msn;
    out->write.tx_timestamp = turn->stamp;
    out->write.pad_bytes = opcode_ends_message(opcode) ? (uint8_t)(-length & 3) : 0;
    if (opcode_has_immediate(opcode) && request->work.flags & WORK_SOLICITED)
        out->flags |= PACKET_SOLICITED;
}

static inline void after_send(
    struct requester *requester, const struct env *env, const struct turn *turn)
{
    env->peer->pace_ns = turn->pace_ns;
    if (requester->tail_ns == UINT64_MAX)
        requester_arm_tail(requester, env, turn->now_ns);
}

static inline bool ends_shared_turn(struct requester *requester, const struct env *env)
{
    if (requester->turn_left > 0)
        return --requester->turn_left == 0;
    requester->turn_left = env->turn_packets - 1;
    return false;
}

/* QPs that share a window take turns of several packets, so that one SACK answers the whole turn.
 * True for the last packet of a turn: the rest of the window is for other QPs. */
static inline bool ends_turn(struct requester *requester, const struct env *env)
{
    if (__builtin_expect(env->peer->sender_count > 1, false))
        return ends_shared_turn(requester, env);
    requester->turn_left = 0;
    return false;
}

/* Sends the packet that was cut last. A constant `opcode` lets the compiler specialise the code:
 * nearly all packets are in the middle of a message. */
__attribute__((always_inline)) static inline void send_cut(struct requester *requester,
    const struct env *env, const struct turn *turn, const struct part *part, uint8_t opcode,
    uint32_t ev_index, struct packet *out)
{
    struct psn psn = requester->window.next;
    uint32_t bytes = requester->full_bytes;

    requester_packet_address(env, ev_index, out);
    fill_write(env, turn, part, opcode, out);
    out->class = turn->class;
    if (opcode != OPCODE_WRITE_MIDDLE)
        bytes = packet_nominal_bytes_of(out, opcode);
    if (ends_turn(requester, env) ||
        (opcode_ends_message(opcode) &&
            requester_ask_is_due_at_end(requester, env, part->request)) ||
        requester_ask_is_due(requester, env, psn, bytes)) {
        out->flags |= PACKET_ACK_REQUEST;
        requester->asked_psn = (uint16_t)psn.value;
    }
    send_window_sent(&requester->window,
        (struct send_record){ .ticks = turn->ticks,
            .ev_index = ev_index,
            .flags = opcode == OPCODE_WRITE_MIDDLE || bytes == requester->full_bytes
                         ? 0
                         : SEND_ODD_SIZE },
        bytes);
    peer_on_sent(env->peer, out->port, bytes);
    after_send(requester, env, turn);
}

/* Sends the first or last packet of a message. Not inlined, so that the common case stays fast. */
__attribute__((noinline)) static void send_edge(struct requester *requester, const struct env *env,
    const struct turn *turn, uint32_t ev_index, struct packet *out)
{
    struct send_queue *queue = &requester->queue;
    struct part part = { .slot = send_queue_slot(queue, queue->cutting) };

    part.request = send_queue_cut(queue, requester->window.next, &part.packet_index);
    send_cut(requester, env, turn, &part, write_opcode(&part), ev_index, out);
}

static inline void send_new(struct requester *requester, const struct env *env,
    const struct turn *turn, uint32_t ev_index, struct packet *out)
{
    struct send_queue *queue = &requester->queue;
    struct part part = { .slot = send_queue_slot(queue, queue->cutting) };

    if (!send_queue_is_within(queue)) {
        send_edge(requester, env, turn, ev_index, out);
        return;
    }
    part.request = &queue->requests[part.slot];
    part.packet_index = queue->packets_cut++;
    send_cut(requester, env, turn, &part, OPCODE_WRITE_MIDDLE, ev_index, out);
}

/* Builds a retransmission. It carries AckReq and rtx. */
static void fill_again(struct requester *requester, const struct env *env, const struct turn *turn,
    struct psn psn, uint32_t ev_index, struct packet *out)
{
    struct part part = { .request = send_queue_find(&requester->queue, psn) };

    assert(part.request);
    part.slot = (uint32_t)(part.request - requester->queue.requests);
    part.packet_index = (uint32_t)psn_distance(part.request->first_psn, psn);
    requester_packet_address(env, ev_index, out);
    fill_write(env, turn, &part, write_opcode(&part), out);
    out->class = data_class(env, true);
    out->flags |= PACKET_ACK_REQUEST | PACKET_RETRANSMISSION;
    env_count(env, COUNTER_DATA_RETRANSMITTED);
    env_trace(env, EVENT_RETRANSMIT, turn->now_ns, psn.value, out->ev, out->write.payload.length);
}

static void send_again(struct requester *requester, const struct env *env, const struct turn *turn,
    struct psn psn, uint32_t ev_index, struct packet *out)
{
    struct send_record record = send_window_record(&requester->window, psn);

    fill_again(requester, env, turn, psn, ev_index, out);
    record.flags = (uint8_t)((record.flags & ~(SEND_TWICE | SEND_HELD)) |
                             (record.flags & (SEND_TWICE | SEND_OFTEN) ? SEND_OFTEN : SEND_TWICE));
    record.ticks = turn->ticks;
    record.ev_index = ev_index;
    send_window_sent_again(&requester->window, psn, record, packet_nominal_bytes(out));
    peer_on_sent(env->peer, out->port, packet_nominal_bytes(out));
    if (psn_equal(psn, requester->window.oldest))
        requester_arm_timeout(requester, env, turn->now_ns);
    if (requester->turn_left > 0) /* else other QPs would wait until all losses are repaired */
        requester->turn_left--;
    after_send(requester, env, turn);
}

/* If no path is usable, sends one packet per interval on a bad one (§14.4). */
__attribute__((noinline)) static uint32_t pick_desperate(
    struct requester *requester, const struct env *env, const struct turn *turn)
{
    uint32_t ev_index;

    if (path_usable_planes(env->paths, turn->planes) != 0 || turn->now_ns < requester->desperate_ns)
        return PATH_NONE;
    ev_index = path_pick_desperate(env->paths, turn->ready);
    if (ev_index != PATH_NONE)
        requester->desperate_ns = turn->now_ns + requester_interval_ns(requester, env);
    return ev_index;
}

/* Picks the EV of a first transmission. */
static inline uint32_t pick_new(const struct env *env, const struct turn *turn)
{
    uint32_t plane;

    if (!turn->planes_share)
        return path_pick(env->paths, turn->ready, turn->now_ns);
    plane = planes_choose(
        &env->peer->planes, turn->usable & turn->ready, turn->usable, env->peer->cc.window_bytes);
    return plane == PATH_NONE ? PATH_NONE : path_pick_on(env->paths, plane, turn->now_ns);
}

/* Sends a lost packet again. Not inlined: it is rare. */
__attribute__((noinline)) static bool send_repair(struct requester *requester,
    const struct env *env, const struct turn *turn, struct psn psn, struct packet *out)
{
    uint32_t lost_ev_index = send_window_record(&requester->window, psn).ev_index;
    uint32_t plane = requester_packet_repair_plane(requester, env, lost_ev_index);
    uint32_t ev_index =
        path_pick_other(env->paths, requester_packet_ports(env, turn->ready, plane, lost_ev_index),
            plane, lost_ev_index, turn->now_ns);

    if (ev_index == PATH_NONE)
        ev_index = pick_desperate(requester, env, turn);
    if (ev_index == PATH_NONE)
        return false;
    send_again(requester, env, turn, psn, ev_index, out);
    return true;
}

static inline bool send_data(
    struct requester *requester, const struct env *env, const struct turn *turn, struct packet *out)
{
    uint32_t ev_index;
    struct psn psn;

    if (requester->window.lost_count > 0 &&
        requester_may_repair(requester, env, &psn, turn->now_ns))
        return send_repair(requester, env, turn, psn, out);
    if (!requester_may_send_new(env->peer, requester, env->attributes.max_wimm, turn->now_ns))
        return false;
    ev_index = pick_new(env, turn);
    if (ev_index == PATH_NONE)
        ev_index = pick_desperate(requester, env, turn);
    if (ev_index == PATH_NONE)
        return false;
    send_new(requester, env, turn, ev_index, out);
    return true;
}

/* Sends the last packet of a message again: the message was received, but its Transport ACK was
 * lost (§6.3). */
static bool send_last_again(
    struct requester *requester, const struct env *env, const struct turn *turn, struct packet *out)
{
    uint32_t plane = requester_is_cut_off(requester, env) ? PATH_NONE : requester->last_plane;
    uint32_t ev_index;

    if (send_queue_unacknowledged(&requester->queue) == 0) {
        requester->resend_last = false;
        return false;
    }
    ev_index = path_pick_other(env->paths,
        requester_packet_ports(env, turn->ready, plane, PATH_NONE), plane, PATH_NONE, turn->now_ns);
    if (ev_index == PATH_NONE)
        ev_index = pick_desperate(requester, env, turn);
    if (ev_index == PATH_NONE)
        return false;
    requester->resend_last = false;
    fill_again(requester, env, turn,
        send_queue_last_psn(send_queue_at(&requester->queue, requester->queue.done)), ev_index,
        out);
    env_count(env, COUNTER_DATA_SENT);
    env_count(env, COUNTER_RETRANSMIT_FOR_ACK);
    return true;
}

/* Returns the planes on which new data may leave. */
static uint32_t usable_planes(const struct env *env, uint32_t planes)
{
    uint32_t usable = path_usable_planes(env->paths, planes);

    return usable & env->peer->near_planes ? usable & env->peer->near_planes : usable;
}

/* Sends a tail probe, the last packet of a message that lacks only its Transport ACK, or a probe of
 * an EV. Not inlined: it is rare. */
__attribute__((noinline)) static bool send_question(struct requester *requester,
    const struct env *env, struct turn *turn, struct packet *out, uint64_t *due_ns)
{
    uint64_t now_ns = turn->now_ns;

    if ((requester->probe_planes || requester->probe_once) &&
        requester_send_tail_probe(requester, env, turn->ready, out, now_ns))
        return true;
    if (requester->resend_last && send_last_again(requester, env, turn, out))
        return true;
    if (requester->ev_to_probe == REQUESTER_NO_EV && now_ns >= requester->ev_probe_ns) {
        requester_draw_ev_probe(requester, env, now_ns);
        turn->usable = usable_planes(env, turn->planes);
        *due_ns = deadlines_sooner_ns(*due_ns, requester->ev_probe_ns);
    }
    if (requester->ev_to_probe == REQUESTER_NO_EV ||
        !requester_send_ev_probe(requester, env, turn->ready, out, now_ns))
        return false;
    *due_ns = deadlines_sooner_ns(*due_ns, requester->ev_probe_ns);
    return true;
}

static struct turn begin_turn(
    const struct requester *requester, const struct env *env, uint32_t ready_ports, uint64_t now_ns)
{
    uint32_t planes = env_planes(env);
    uint64_t gap_ns = cc_gap_ns(&env->peer->cc, requester->full_bytes);

    return (struct turn){ .now_ns = now_ns,
        .pace_ns = gap_ns != 0 ? now_ns + gap_ns : 0,
        .planes = planes,
        .ready = planes & ready_ports,
        .usable = usable_planes(env, planes),
        .ticks = send_window_ticks(now_ns),
        .stamp = requester->stamped ? (uint16_t)(now_ns / STAMP_UNIT_NS) : 0,
        .flags = requester->stamped ? PACKET_STAMPED : 0,
        .class = data_class(env, false),
        .planes_share = env->nic->parameters->plane_share != PLANE_SHARE_EQUAL };
}

/* Ends a turn with `data_count` data packets. `was_idle`: none was in flight before. */
static void end_turn(struct requester *requester, const struct env *env, uint32_t data_count,
    bool was_idle, uint64_t now_ns)
{
    env_add(env, COUNTER_DATA_SENT, data_count);
    env->peer->way_back.sent_data |= env->peer->way_back.profile == env->profile;
    if (was_idle || requester->timeout_ns == UINT64_MAX)
        requester_arm_timeout(requester, env, now_ns);
}

struct requester_burst requester_send(struct requester *requester, const struct env *env,
    uint32_t ready_ports, struct packet *out, uint32_t out_max, uint64_t now_ns)
{
    struct turn turn = begin_turn(requester, env, ready_ports, now_ns);
    uint64_t due_ns = UINT64_MAX;
    uint32_t count = 0;
    bool was_idle = send_window_count(&requester->window) == 0;
    bool asks = requester_is_asking(requester, now_ns); /* sending data makes no probe due */
    uint32_t question_count = 0;

    for (; count < out_max; count++, out++) {
        if (asks && send_question(requester, env, &turn, out, &due_ns)) {
            asks = requester_is_asking(requester, now_ns);
            question_count++;
        } else if (!send_data(requester, env, &turn, out)) {
            break;
        }
    }
    if (count > question_count)
        end_turn(requester, env, count - question_count, was_idle, now_ns);
    if (requester->desperate_ns > now_ns)
        due_ns = deadlines_sooner_ns(due_ns, requester->desperate_ns);
    return (struct requester_burst){ .due_ns = due_ns, .count = count };
}
