/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what a responder sends: SACKs, NACKs and Transport ACKs. */
#include <stdlib.h>

#include "base/bits.h"
#include "conform/capture_state.h"
#include "wire/ack.h"
#include "wire/packet.h"
#include "wire/psn.h"

enum { STAMP_HELD_MOST = 1 << 15 };

/* What an answer echoes of the packet that it is about. */
struct echo {
    uint32_t ev;
    uint16_t stamp;
    bool is_retransmission;
    bool may_be_held; /* the responder adds the time that it held the packet */
};

/* True if a SACK can be sent about this PSN: it was sent, and arrived whole where the capture shows
 * arrivals. Also if the capture does not show that part of the connection. */
static bool is_receivable(const struct flow *flow, struct psn psn)
{
    const struct sent *sent = flow_find(flow, psn);

    if (!flow_covers(flow, psn))
        return true;
    return sent && (sent->has_arrived || !flow->is_at_responder);
}

static bool is_echo(const struct echo *echo, uint16_t stamp)
{
    uint16_t held = (uint16_t)(echo->stamp - stamp);

    return held == 0 || (echo->may_be_held && held < STAMP_HELD_MOST);
}

/* Returns the transmission of the PSN that the answer is about, or NULL. A timestamp of 0 fits all.
 * Of several transmissions, one with the same rtx is preferred. */
static const struct sending *find_sending(const struct sent *sent, const struct echo *echo)
{
    uint32_t count = sent->sending_count < SENDINGS_MAX ? sent->sending_count : SENDINGS_MAX;
    const struct sending *found = NULL;

    for (uint32_t i = 0; i < count; i++) {
        const struct sending *sending = &sent->sendings[i];

        if (sending->ev != echo->ev ||
            (echo->stamp && sending->is_stamped && !is_echo(echo, sending->stamp)))
            continue;
        if (!found || sending->is_retransmission == echo->is_retransmission)
            found = sending;
    }
    return found;
}

/* ---- SACK ------------------------------------------------------------------------------------ */

/* Stops at the first PSN that cannot have been received. */
static void check_cumulative(const struct subject *subject, struct flow *flow, struct psn cack)
{
    struct psn from = flow->has_cack ? psn_add(flow->cack, 1) : flow->first;

    for (int32_t i = 0; i <= psn_distance(from, cack); i++) {
        struct psn at = psn_add(from, i);

        if (!is_receivable(flow, at)) {
            capture_report(subject->capture,
                subject->packet->opcode == OPCODE_ACK ? CONFORM_ACK_KNOWN : CONFORM_SACK_KNOWN,
                subject->number, "acknowledges PSN 0x%06x, which %s", at.value,
                flow_find(flow, at) ? "did not arrive whole" : "was not sent");
            return;
        }
    }
}

static void check_back(const struct subject *subject, struct flow *flow)
{
    struct psn cack = subject->packet->sack.cack_psn;
    struct way *way = &flow->ways[subject->packet->ev % WAYS_KEPT];

    if (!flow->is_at_responder)
        return;
    if (way->is_used && way->ev == subject->packet->ev && psn_distance(way->cack, cack) < 0)
        capture_report(subject->capture, CONFORM_SACK_BACK, subject->number,
            "cack_psn 0x%06x after 0x%06x on EV 0x%04x", cack.value, way->cack.value, way->ev);
    *way = (struct way){ .is_used = true, .ev = subject->packet->ev, .cack = cack };
}

static void take_cack(const struct subject *subject, struct flow *flow, struct psn cack)
{
    if (flow->has_cack && psn_distance(flow->cack, cack) < 0)
        return;
    check_cumulative(subject, flow, cack);
    if (psn_distance(flow->highest, cack) > 0)
        return; /* wrong, and reported */
    flow->has_cack = true;
    flow->cack = cack;
}

static void check_bitmap(const struct subject *subject, const struct flow *flow)
{
    const struct packet_sack *sack = &subject->packet->sack;

    for (uint64_t left = sack->bitmap; left; left &= left - 1) {
        struct psn at = psn_add(sack->cack_psn, sack->sack_offset + (int32_t)bits_lowest(left));

        if (!is_receivable(flow, at)) {
            capture_report(subject->capture, CONFORM_SACK_KNOWN, subject->number,
                "its bitmap reports PSN 0x%06x, which %s", at.value,
                flow_find(flow, at) ? "did not arrive whole" : "was not sent");
            return;
        }
    }
}

static void check_mark(const struct subject *subject, const struct flow *flow, bool is_marked)
{
    uint8_t mark = subject->packet->sack.mark;

    if (mark == SACK_MARK_RESERVED)
        capture_report(subject->capture, CONFORM_SACK_RESERVED, subject->number, "m is 3");
    if (!flow->is_at_responder || mark == SACK_MARK_ALWAYS_SKIP || mark == SACK_MARK_RESERVED)
        return;
    if ((mark == SACK_MARK_SKIP_ONCE) != is_marked)
        capture_report(subject->capture, CONFORM_SACK_MARK, subject->number,
            is_marked ? "the trigger was CE-marked, but m is NONE"
                      : "m is SKIP_ONCE, but the trigger was not CE-marked");
}

static void check_trigger(const struct subject *subject, const struct flow *flow)
{
    const struct packet *packet = subject->packet;
    const struct packet_sack *sack = &packet->sack;
    struct psn trigger = psn_add(sack->cack_psn, sack->ack_psn_offset);
    const struct sent *sent = flow_find(flow, trigger);
    struct echo echo = { .ev = sack->entropy,
        .stamp = sack->tx_timestamp,
        .is_retransmission = packet->flags & PACKET_RETRANSMISSION,
        .may_be_held = subject->capture->settings.has_service_time };
    const struct sending *sending;

    if (!flow_covers(flow, trigger))
        return;
    if (!is_receivable(flow, trigger)) {
        capture_report(subject->capture, CONFORM_SACK_TRIGGER, subject->number,
            "its trigger, PSN 0x%06x, %s", trigger.value,
            sent ? "did not arrive whole" : "was not sent");
        return;
    }
    if (sent->sending_count > SENDINGS_MAX)
        return;
    sending = find_sending(sent, &echo);
    if (!sending)
        capture_report(subject->capture, CONFORM_SACK_TRIGGER, subject->number,
            "PSN 0x%06x was not sent with EV 0x%04x and timestamp 0x%04x", trigger.value,
            sack->entropy, sack->tx_timestamp);
    else if (sack->tx_timestamp && sending->is_retransmission != echo.is_retransmission)
        capture_report(subject->capture, CONFORM_SACK_TRIGGER, subject->number,
            "its rtx is not that of PSN 0x%06x on EV 0x%04x", trigger.value, sack->entropy);
    else if (sack->tx_timestamp)
        check_mark(subject, flow, sending->is_marked);
}

static void check_probe_answer(const struct subject *subject, const struct flow *flow)
{
    const struct packet_sack *sack = &subject->packet->sack;
    uint32_t count = flow->probe_count < PROBES_KEPT ? flow->probe_count : PROBES_KEPT;
    struct echo echo = { .stamp = sack->tx_timestamp,
        .may_be_held = subject->capture->settings.has_service_time };

    for (uint32_t i = 1; i <= count; i++) {
        const struct probe *probe = &flow->probes[(flow->probe_count - i) % PROBES_KEPT];

        if (probe->id == sack->probe_id && probe->ev == sack->entropy &&
            is_echo(&echo, probe->stamp)) {
            check_mark(subject, flow, probe->is_marked);
            return;
        }
    }
    if (flow->probe_count > 0 && flow->probe_count < PROBES_KEPT)
        capture_report(subject->capture, CONFORM_PROBE_ANSWER, subject->number,
            "no probe had id 0x%04x, EV 0x%04x and timestamp 0x%04x", sack->probe_id, sack->entropy,
            sack->tx_timestamp);
}

static void check_mpr(const struct subject *subject, struct flow *flow)
{
    uint8_t mpr = subject->packet->sack.mpr;

    if (flow->has_sack && !flow->mpr != !mpr)
        capture_report(subject->capture, CONFORM_MPR, subject->number,
            "mpr is %u, and was %u in an earlier SACK", mpr, flow->mpr);
    flow->has_sack = true;
    flow->mpr = mpr;
}

void capture_check_sack(const struct subject *subject, struct flow *flow)
{
    const struct packet *packet = subject->packet;
    const struct packet_sack *sack = &packet->sack;

    if (!psn_equal(packet->psn, sack->cack_psn))
        capture_report(subject->capture, CONFORM_SACK_PSN, subject->number,
            "the PSN is 0x%06x, cack_psn is 0x%06x", packet->psn.value, sack->cack_psn.value);
    check_mpr(subject, flow);
    if (sack->answers_probe)
        check_probe_answer(subject, flow);
    flow_settle(flow, packet);
    if (!flow->has_data)
        return;
    check_back(subject, flow);
    take_cack(subject, flow, sack->cack_psn);
    check_bitmap(subject, flow);
    if (!sack->answers_probe)
        check_trigger(subject, flow);
    if (psn_distance(sack->cack_psn, flow->highest) >= 0)
        capture_check_ahead(subject, flow);
}

/* ---- NACK ------------------------------------------------------------------------------------ */

static bool is_trim(uint8_t reason)
{
    return reason == NACK_TRIMMED || reason == NACK_TRIMMED_LASTHOP;
}

static void check_trimmed(const struct subject *subject, const struct sending *sending)
{
    bool is_last_hop = subject->packet->nack.reason == NACK_TRIMMED_LASTHOP;

    if (!sending->is_trimmed)
        capture_report(subject->capture, CONFORM_NACK_TRIMMED, subject->number,
            "PSN 0x%06x on EV 0x%04x did not arrive trimmed", subject->packet->nack.nack_psn.value,
            sending->ev);
    else if (sending->is_last_hop != is_last_hop)
        capture_report(subject->capture, CONFORM_NACK_TRIMMED, subject->number,
            "PSN 0x%06x was%s trimmed at the last hop", subject->packet->nack.nack_psn.value,
            sending->is_last_hop ? "" : " not");
}

void capture_check_nack(const struct subject *subject, struct flow *flow)
{
    const struct packet_nack *nack = &subject->packet->nack;
    const struct sent *sent = flow_find(flow, nack->nack_psn);
    struct echo echo = { .ev = nack->entropy, .stamp = nack->tx_timestamp };
    const struct sending *sending;

    flow_settle(flow, subject->packet);
    flow->nacks_trims |= is_trim(nack->reason);
    if (!packet_nack_reason_name(nack->reason))
        capture_report(subject->capture, CONFORM_NACK_REASON, subject->number,
            "the reason is 0x%02x", nack->reason);
    if (!flow_covers(flow, nack->nack_psn) || (sent && sent->sending_count > SENDINGS_MAX))
        return;
    sending = sent ? find_sending(sent, &echo) : NULL;
    if (!sending) {
        capture_report(subject->capture, CONFORM_NACK_KNOWN, subject->number,
            "PSN 0x%06x was not sent with EV 0x%04x and timestamp 0x%04x", nack->nack_psn.value,
            nack->entropy, nack->tx_timestamp);
        return;
    }
    if (is_trim(nack->reason) && flow->is_at_responder)
        check_trimmed(subject, sending);
    if (nack->reason == NACK_PSN_OOR_WINDOW && flow->has_cack &&
        psn_distance(flow->cack, nack->nack_psn) <= 0)
        capture_report(subject->capture, CONFORM_NACK_WINDOW, subject->number,
            "PSN 0x%06x is not above cack_psn 0x%06x", nack->nack_psn.value, flow->cack.value);
}

/* ---- Transport ACK --------------------------------------------------------------------------- */

void capture_check_ack(const struct subject *subject, struct flow *flow)
{
    const struct packet *packet = subject->packet;
    const struct sent *sent = flow_find(flow, packet->psn);
    uint32_t done = packet->ack.messages_done;
    uint16_t complete;

    if (ack_is_nak(packet->ack.syndrome)) {
        flow->has_failed = true;
        return;
    }
    if (!flow->has_data)
        return;
    if (!is_receivable(flow, packet->psn))
        capture_report(subject->capture, CONFORM_ACK_KNOWN, subject->number,
            "acknowledges PSN 0x%06x, which %s", packet->psn.value,
            sent ? "did not arrive whole" : "was not sent");
    else if (psn_distance(flow->has_cack ? flow->cack : flow->first, packet->psn) > 0)
        take_cack(subject, flow, packet->psn);
    if (!sent)
        return;
    complete = (uint16_t)(sent->msn + (opcode_ends_message(sent->opcode) ? 1 : 0));
    if ((uint16_t)done != complete)
        capture_report(subject->capture, CONFORM_ACK_COUNT, subject->number,
            "states %u messages; up to PSN 0x%06x, %u (mod 65536) are complete", done,
            packet->psn.value, complete);
}
