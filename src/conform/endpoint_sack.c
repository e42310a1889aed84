/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of endpoints: when they send SACKs, and what these say of the packet that caused them. */
#include "conform/endpoint_expect.h"
#include "conform/endpoint_suite.h"

enum { PACKETS_MAX = 64, SMALL = 64, STAMPS = 8 };

#define FLUSH_NS UINT64_C(100000000)

/* Sends a new small message with these flags and this ECN field. Returns its PSN. */
static struct psn send_small(struct endpoint_bench *bench, uint8_t flags, uint8_t ecn)
{
    struct endpoint_packet_message message = { .bytes = SMALL };
    struct packet packet;

    endpoint_packet_take(bench, &message);
    packet = endpoint_packet_of(bench, &message, 0);
    packet.flags = PACKET_STAMPED | flags;
    packet.ecn = ecn;
    endpoint_bench_send(bench, &packet);
    return packet.psn;
}

/* The first packet of a connection may cause a SACK by itself; a later check needs one without. */
static struct endpoint_bench *begin_warm(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct psn psn;

    if (!bench)
        return NULL;
    psn = send_small(bench, PACKET_ACK_REQUEST, ECN_ECT0);
    return endpoint_expect_sack(bench, 0, psn, "a packet with AckReq") ? bench : NULL;
}

/* ---- triggers -------------------------------------------------------------------------------- */

void endpoint_suite_sack_request(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_warm(kit, report);

    for (uint32_t i = 0; bench && i < 5; i++) {
        uint32_t from = endpoint_bench_mark(bench);
        struct psn psn = send_small(bench, PACKET_ACK_REQUEST, ECN_ECT0);

        if (!endpoint_expect_prompt_sack(bench, from, psn, "a packet with AckReq"))
            return;
    }
}

void endpoint_suite_sack_marked(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_warm(kit, report);

    for (uint32_t i = 0; bench && i < 3; i++) {
        uint32_t from = endpoint_bench_mark(bench);
        struct psn psn = send_small(bench, 0, ECN_CE);

        send_small(bench, 0, ECN_ECT0);
        if (!endpoint_expect_prompt_sack(bench, from, psn, "a packet marked CE"))
            return;
    }
}

void endpoint_suite_sack_again(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_warm(kit, report);
    uint32_t from = bench ? endpoint_bench_mark(bench) : 0;
    struct psn psn;

    if (!bench)
        return;
    psn = send_small(bench, PACKET_RETRANSMISSION, ECN_ECT0);
    send_small(bench, 0, ECN_ECT0);
    endpoint_expect_prompt_sack(bench, from, psn, "a retransmission, rtx = 1");
}

/* A SACK that a packet has caused, not a while of silence. */
static bool is_caused_sack(const struct endpoint_frame *from, uint32_t key)
{
    const struct packet *packet = &from->frame.packet;

    (void)key;
    return packet->opcode == OPCODE_SACK && !packet->sack.answers_probe &&
           packet->sack.tx_timestamp != 0;
}

/* Full packets without AckReq: a SACK must come before the window of any sender closes. Each burst
 * is twice as long as the last one: a device that reports after a while of silence counts anew. */
void endpoint_suite_sack_threshold(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_warm(kit, report);
    struct endpoint_packet_message message;
    uint32_t from, sent = 0;

    if (!bench)
        return;
    message =
        (struct endpoint_packet_message){ .bytes = PACKETS_MAX * bench->session.terms.pmtu_bytes };
    endpoint_packet_take(bench, &message);
    from = endpoint_bench_mark(bench);
    while (sent < PACKETS_MAX && !endpoint_bench_find(bench, from, is_caused_sack, 0)) {
        struct packet packet = endpoint_packet_of(bench, &message, sent++);

        packet.flags = PACKET_STAMPED;
        endpoint_bench_send(bench, &packet);
        if (sent >= 4 && (sent & (sent - 1)) == 0)
            endpoint_bench_settle(bench);
    }
    if (!endpoint_bench_find(bench, from, is_caused_sack, 0))
        conform_report_fail(report, "%u full packets without AckReq cause no SACK", sent);
    else
        conform_report_reading(report, ENDPOINT_POINT_THRESHOLD, "at most %u of %u bytes", sent,
            bench->session.terms.pmtu_bytes);
    while (sent < PACKETS_MAX) { /* the message is complete for what follows */
        struct packet packet = endpoint_packet_of(bench, &message, sent++);

        endpoint_bench_send(bench, &packet);
    }
    endpoint_bench_settle(bench);
}

/* Readings: no answer of these fails. */
void endpoint_suite_sack_readings(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    uint32_t from;
    struct psn psn;

    if (!bench)
        return;
    psn = send_small(bench, 0, ECN_ECT0);
    endpoint_bench_settle(bench);
    conform_report_reading(report, ENDPOINT_POINT_FIRST,
        endpoint_bench_find(bench, 0, endpoint_packet_is_sack, psn.value) ? "a SACK at once"
                                                                          : "no SACK at once");
    from = endpoint_bench_mark(bench);
    psn = send_small(bench, 0, ECN_ECT0);
    endpoint_bench_linger(bench, FLUSH_NS);
    conform_report_reading(report, ENDPOINT_POINT_FLUSH,
        endpoint_bench_find(bench, from, endpoint_packet_is_sack, psn.value)
            ? "a SACK within 100 ms"
            : "no SACK within 100 ms");
}

/* ---- what a SACK says of its trigger --------------------------------------------------------- */

void endpoint_suite_sack_mark(void *kit, struct conform_report *report)
{
    static const uint8_t ecns[] = { ECN_ECT0, ECN_CE, ECN_ECT1, ECN_NOT_ECT, ECN_CE };
    struct endpoint_bench *bench = begin_warm(kit, report);

    for (uint32_t i = 0; bench && i < sizeof(ecns); i++) {
        uint32_t from = endpoint_bench_mark(bench);
        struct psn psn = send_small(bench, PACKET_ACK_REQUEST, ecns[i]);
        const struct endpoint_frame *sack =
            endpoint_expect_sack(bench, from, psn, "a packet with AckReq");
        uint8_t wanted = ecns[i] == ECN_CE ? SACK_MARK_SKIP_ONCE : SACK_MARK_NONE;

        if (!sack)
            return;
        if (sack->frame.packet.sack.mark != wanted)
            conform_report_fail(report,
                "a packet with ECN %u is reported with m = %u instead of %u", ecns[i],
                sack->frame.packet.sack.mark, wanted);
    }
}

void endpoint_suite_sack_rtx(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_warm(kit, report);

    for (uint32_t i = 0; bench && i < 4; i++) {
        uint32_t from = endpoint_bench_mark(bench);
        uint8_t rtx = i % 2 ? PACKET_RETRANSMISSION : 0;
        struct psn psn = send_small(bench, PACKET_ACK_REQUEST | rtx, ECN_ECT0);
        const struct endpoint_frame *sack =
            endpoint_expect_sack(bench, from, psn, "a packet with AckReq");

        if (!sack)
            return;
        if ((sack->frame.packet.flags & PACKET_RETRANSMISSION) != rtx)
            conform_report_fail(
                report, "the SACK of a packet with rtx = %u has rtx = %u", rtx != 0, rtx == 0);
    }
}

/* Out of order, in order and old: ack_psn_offset is positive, zero and negative. */
void endpoint_suite_sack_trigger(void *kit, struct conform_report *report)
{
    static const uint8_t order[] = { 3, 1, 0, 2, 0, 3 };
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message;

    if (!bench)
        return;
    message = (struct endpoint_packet_message){ .bytes = 4 * bench->session.terms.pmtu_bytes };
    endpoint_packet_take(bench, &message);
    for (uint32_t i = 0; i < sizeof(order); i++) {
        struct packet packet = endpoint_packet_of(bench, &message, order[i]);
        uint32_t from = endpoint_bench_mark(bench);
        const struct endpoint_frame *sack;

        packet.flags |= PACKET_ACK_REQUEST;
        endpoint_bench_send(bench, &packet);
        sack = endpoint_bench_await(bench, from, endpoint_packet_is_prompt_sack, packet.psn.value);
        if (!sack) {
            if (!endpoint_bench_has_ended(bench))
                conform_report_fail(
                    report, "no SACK names PSN %u, which asked for one", packet.psn.value);
            return;
        }
        if (sack->frame.packet.sack.entropy != packet.ev)
            conform_report_fail(report, "a packet on EV 0x%08x is reported with EV 0x%08x",
                packet.ev, sack->frame.packet.sack.entropy);
    }
}

/* Each half of the EV by itself: flow label, source port. */
void endpoint_suite_sack_ev(void *kit, struct conform_report *report)
{
    static const uint32_t evs[] = { 0x00000305, 0x554f2400, 0xffff0001, 0x0001ffff, 0x80008000 };
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);

    for (uint32_t i = 0; bench && i < sizeof(evs) / sizeof(evs[0]); i++) {
        struct endpoint_packet_message message = { .bytes = SMALL };
        uint32_t from = endpoint_bench_mark(bench);
        const struct endpoint_frame *sack;
        struct packet packet;

        endpoint_packet_take(bench, &message);
        packet = endpoint_packet_of(bench, &message, 0);
        packet.ev = evs[i];
        endpoint_bench_send(bench, &packet);
        sack = endpoint_expect_sack(bench, from, packet.psn, "a packet with AckReq");
        if (!sack)
            return;
        if (sack->frame.packet.sack.entropy != evs[i])
            conform_report_fail(
                report, "EV 0x%08x is echoed as 0x%08x", evs[i], sack->frame.packet.sack.entropy);
    }
}

/* Returns the echo of the timestamp of a new packet; -1: no SACK came. */
static int32_t echo_of(struct endpoint_bench *bench, bool is_stamped, uint16_t *stamp)
{
    struct endpoint_packet_message message = { .bytes = SMALL };
    uint32_t from = endpoint_bench_mark(bench);
    const struct endpoint_frame *sack;
    struct packet packet;

    endpoint_packet_take(bench, &message);
    packet = endpoint_packet_of(bench, &message, 0);
    if (!is_stamped)
        packet.flags &= (uint8_t)~PACKET_STAMPED;
    *stamp = is_stamped ? packet.write.tx_timestamp : 0;
    endpoint_bench_send(bench, &packet);
    sack = endpoint_expect_sack(bench, from, packet.psn, "a packet with AckReq");
    return sack ? sack->frame.packet.sack.tx_timestamp : -1;
}

/* A device with the capability of service times adds the time for which it held the packet. That is
 * short, except when the device was interrupted: most echoes decide. */
void endpoint_suite_sack_stamp(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    uint32_t right = 0;
    bool adds = false;

    for (uint32_t i = 0; bench && i < 2 * STAMPS; i++) {
        bool is_stamped = i % 2 == 0;
        uint16_t stamp;
        int32_t echo = echo_of(bench, is_stamped, &stamp);

        if (echo < 0)
            return;
        if (!is_stamped && echo != 0)
            conform_report_fail(report, "without TSETH, timestamp 0x%04x is echoed", echo);
        right += is_stamped && (uint16_t)(echo - stamp) < ENDPOINT_STAMP_MORE_MAX;
        adds |= is_stamped && echo != stamp;
    }
    if (bench && right <= STAMPS / 2)
        conform_report_fail(report, "%u of %u timestamps are echoed", right, STAMPS);
    conform_report_reading(report, ENDPOINT_POINT_STAMP,
        adds ? "with the time for which the packet was held" : "unchanged");
}
