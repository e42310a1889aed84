/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what a requester sends: transmissions of WRITE packets, and probes. */
#include <inttypes.h>

#include "conform/capture_state.h"
#include "wire/crc32.h"
#include "wire/frame.h"
#include "wire/opcode.h"
#include "wire/packet.h"
#include "wire/psn.h"

enum { WINDOW_MOST = 255 * CONFORM_MPR_UNIT };

/* ---- transmissions --------------------------------------------------------------------------- */

static struct sending sending_of(const struct packet *packet)
{
    return (struct sending){ .ev = packet->ev,
        .stamp = packet->write.tx_timestamp,
        .is_stamped = packet->flags & PACKET_STAMPED,
        .is_retransmission = packet->flags & PACKET_RETRANSMISSION,
        .is_trimmed = dscp_is_trimmed((enum dscp_class)packet->class),
        .is_last_hop = packet->class == DSCP_TRIMMED_LASTHOP,
        .is_marked = packet->ecn == ECN_CE };
}

/* Returns the transmission that this packet is a copy of, or NULL. Switches may trim or mark a
 * later copy. */
static struct sending *find_copy(struct sent *sent, const struct sending *sending)
{
    uint32_t count = sent->sending_count < SENDINGS_MAX ? sent->sending_count : SENDINGS_MAX;

    for (uint32_t i = 0; i < count; i++) {
        struct sending *known = &sent->sendings[i];

        if (known->ev == sending->ev && known->stamp == sending->stamp &&
            known->is_retransmission == sending->is_retransmission)
            return known;
    }
    return NULL;
}

/* Of a trimmed packet, only what precedes RETH can be relied on (docs/wire.md §14). */
static void fill_contents(const struct subject *subject, struct sent *sent)
{
    const struct decode_packet *decoded = subject->decoded;
    const struct packet *packet = subject->packet;
    uint32_t end = decoded->frame.payload_offset + packet->write.payload.length;

    sent->opcode = packet->opcode;
    sent->msn = packet->write.msn;
    sent->is_whole = !frame_is_trimmed(&decoded->frame);
    if (!sent->is_whole)
        return;
    sent->rkey = packet->write.rkey;
    sent->message_bytes = packet->write.message_bytes;
    sent->payload_bytes = packet->write.payload.length;
    sent->immediate = opcode_has_immediate(packet->opcode) ? packet->write.immediate : 0;
    sent->nominal_bytes = packet_nominal_bytes(packet);
    sent->va = packet->write.va;
    sent->has_crc = end <= decoded->captured_bytes;
    if (sent->has_crc)
        sent->payload_crc = crc32_add(
            0, decoded->bytes + decoded->frame.payload_offset, packet->write.payload.length);
}

static const char *find_difference(const struct sent *sent, const struct sent *again)
{
    if (again->opcode != sent->opcode)
        return "opcode";
    if (again->msn != sent->msn)
        return "msn";
    if (!again->is_whole || !sent->is_whole)
        return NULL;
    if (again->va != sent->va)
        return "address";
    if (again->rkey != sent->rkey)
        return "rkey";
    if (again->message_bytes != sent->message_bytes)
        return "dmalen";
    if (again->payload_bytes != sent->payload_bytes)
        return "payload length";
    if (again->immediate != sent->immediate)
        return "immediate";
    if (again->has_crc && sent->has_crc && again->payload_crc != sent->payload_crc)
        return "payload";
    return NULL;
}

static void check_same(const struct subject *subject, const struct sent *sent)
{
    struct sent again = { .psn = sent->psn };
    const char *difference;

    fill_contents(subject, &again);
    difference = find_difference(sent, &again);
    if (difference)
        capture_report(subject->capture, CONFORM_RTX_SAME, subject->number,
            "PSN 0x%06x: another %s than in packet %" PRIu64, sent->psn, difference, sent->number);
}

/* A retransmission may overtake the first transmission, which waits at another port. */
static bool has_first(const struct sent *sent)
{
    uint32_t count = sent->sending_count < SENDINGS_MAX ? sent->sending_count : SENDINGS_MAX;

    for (uint32_t i = 0; i < count; i++)
        if (!sent->sendings[i].is_retransmission)
            return true;
    return false;
}

static void check_window(
    const struct subject *subject, const struct flow *flow, struct psn psn, uint64_t number)
{
    struct psn cack = flow->has_cack ? flow->cack : psn_add(flow->first, -1);
    uint32_t mpr = subject->capture->settings.mpr;

    if (flow->has_sack && flow->mpr)
        mpr = 0; /* it may have been higher when the packet was sent */
    if (!mpr || mpr > WINDOW_MOST)
        mpr = WINDOW_MOST;
    if ((flow->has_cack || flow->is_from_start) && psn_distance(cack, psn) > (int32_t)mpr)
        capture_report(subject->capture, CONFORM_WINDOW, number,
            "PSN 0x%06x is %d above the acknowledged PSN 0x%06x, MPR is %u", psn.value,
            psn_distance(cack, psn), cack.value, mpr);
}

/* ---- one packet ------------------------------------------------------------------------------ */

/* Prefix sums of sizes, which rcvd_bytes is compared with. */
static void sum_sizes(const struct flow *flow, struct psn from)
{
    const struct sent *before = flow_find(flow, psn_add(from, -1));
    uint64_t sum = 0;

    if (!psn_equal(from, flow->first)) {
        if (!before || !before->has_sum)
            return;
        sum = before->sum_bytes;
    }
    for (struct sent *sent = flow_find(flow, from); sent && sent->is_whole;
         sent = flow_find(flow, from)) {
        sum += sent->nominal_bytes;
        sent->sum_bytes = sum;
        sent->has_sum = true;
        from = psn_add(from, 1);
    }
}

/* Another connection may use the QP number: its first message has msn 0 and a PSN elsewhere. */
static bool is_new_connection(const struct flow *flow, const struct packet *packet)
{
    return packet->write.msn == 0 && opcode_starts_message(packet->opcode) &&
           !(packet->flags & PACKET_RETRANSMISSION) && !flow_find(flow, packet->psn);
}

/* Packets of several ports may be captured before the first packet of the connection, which shows
 * where the window begins. */
static void check_earlier(const struct subject *subject, const struct flow *flow)
{
    const struct sent *highest = flow_find(flow, flow->highest);

    if (highest)
        check_window(subject, flow, flow->highest, highest->number);
}

static void begin_flow(const struct subject *subject, struct flow *flow)
{
    const struct packet *packet = subject->packet;
    bool is_start = packet->write.msn == 0 && opcode_starts_message(packet->opcode);
    int32_t distance = psn_distance(flow->highest, packet->psn);

    if (!flow->has_data ||
        (is_new_connection(flow, packet) &&
            (distance > 2 * WINDOW_MOST || psn_distance(packet->psn, flow->first) > WINDOW_MOST)))
        flow_restart(flow, packet->psn, is_start);
    if (psn_distance(packet->psn, flow->first) > 0 && /* reordered on the way, or lost */
        (is_start || !(packet->flags & PACKET_RETRANSMISSION))) {
        flow->first = packet->psn;
        flow->is_from_start = is_start;
        flow->has_bytes = is_start;
        check_earlier(subject, flow);
    }
}

static bool want_answer(const struct subject *subject, struct flow *flow,
    const struct sending *sending, bool is_duplicate)
{
    const struct packet *packet = subject->packet;
    struct wanted wanted = { .rule = CONFORM_SACK_ANSWER,
        .psn = packet->psn.value,
        .ev = packet->ev,
        .number = subject->number,
        .time_ns = subject->time_ns };

    if (!flow->is_at_responder)
        return true;
    if (sending->is_trimmed && !is_duplicate)
        wanted.rule = CONFORM_NACK_SILENCE;
    else if (!is_duplicate && !sending->is_marked && !sending->is_retransmission &&
             !(packet->flags & PACKET_ACK_REQUEST))
        return true;
    return flow_want(flow, &wanted);
}

/* True if the PSN is no longer remembered, or nonsense. */
static bool is_unknown(const struct flow *flow, struct psn psn)
{
    int32_t room = flow->room ? (int32_t)flow->room : 1;

    return psn_distance(flow->highest, psn) > 2 * WINDOW_MOST ||
           psn_distance(psn, flow->highest) >= room;
}

/* The contents of a PSN become known. */
static void take_contents(const struct subject *subject, struct flow *flow, struct sent *sent)
{
    fill_contents(subject, sent);
    if (!sent->is_whole)
        return;
    capture_check_message(subject, flow, sent);
    sum_sizes(flow, psn(sent->psn));
}

static struct sent *add_sent(const struct subject *subject, struct flow *flow)
{
    struct psn psn = subject->packet->psn;
    struct sent *sent = flow_add(flow, psn);

    if (!sent)
        return NULL;
    sent->number = subject->number;
    if (psn_distance(flow->highest, psn) > 0)
        flow->highest = psn;
    take_contents(subject, flow, sent);
    return sent;
}

static void note_sending(
    const struct subject *subject, struct sent *sent, const struct sending *sending)
{
    struct sending *copy = find_copy(sent, sending);

    if (copy) {
        copy->is_trimmed |= sending->is_trimmed;
        copy->is_last_hop |= sending->is_last_hop;
        copy->is_marked |= sending->is_marked;
        return;
    }
    if (!sending->is_retransmission && has_first(sent))
        capture_report(subject->capture, CONFORM_RTX_BIT, subject->number,
            "PSN 0x%06x was sent in packet %" PRIu64 " and is sent again with rtx = 0", sent->psn,
            sent->number);
    sent->sendings[sent->sending_count % SENDINGS_MAX] = *sending;
    if (sent->sending_count < UINT8_MAX)
        sent->sending_count++;
}

bool capture_check_data(const struct subject *subject, struct flow *flow)
{
    const struct packet *packet = subject->packet;
    struct sending sending = sending_of(packet);
    struct sent *sent;
    bool is_duplicate;

    begin_flow(subject, flow);
    check_window(subject, flow, packet->psn, subject->number);
    if (sending.is_retransmission && !(packet->flags & PACKET_ACK_REQUEST))
        capture_report(subject->capture, CONFORM_RTX_ACK_REQUEST, subject->number,
            "PSN 0x%06x with rtx = 1 has AckReq = 0", packet->psn.value);
    if (is_unknown(flow, packet->psn))
        return true;
    sent = flow_find(flow, packet->psn);
    is_duplicate = sent && sent->has_arrived;
    if (sent)
        check_same(subject, sent);
    else
        sent = add_sent(subject, flow);
    if (!sent)
        return false;
    if (!sent->is_whole)
        take_contents(subject, flow, sent);
    note_sending(subject, sent, &sending);
    sent->has_arrived |= !sending.is_trimmed;
    return want_answer(subject, flow, &sending, is_duplicate);
}

bool capture_check_probe(const struct subject *subject, struct flow *flow)
{
    const struct packet *packet = subject->packet;
    const struct packet_probe *probe = &packet->probe;

    flow->probes[flow->probe_count++ % PROBES_KEPT] = (struct probe){ .id = probe->probe_id,
        .stamp = probe->tx_timestamp,
        .ev = packet->ev,
        .is_marked = packet->ecn == ECN_CE };
    if (!flow->is_at_responder)
        return true;
    return flow_want(flow, &(struct wanted){ .rule = CONFORM_PROBE_SILENCE,
                               .psn = probe->probe_id,
                               .ev = packet->ev,
                               .number = subject->number,
                               .time_ns = subject->time_ns });
}
