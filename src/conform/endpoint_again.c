/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of endpoints: losses, NACKs and retransmissions of a requester. */
#include <string.h>

#include "conform/endpoint_expect.h"
#include "conform/endpoint_requester.h"
#include "conform/endpoint_suite.h"

enum { PACKETS = 8, LOST = 2, ALSO_LOST = 5, ATTEMPTS = 10 };

static bool loses_one(const struct endpoint_bench *bench, uint32_t index, uint32_t copy)
{
    (void)bench;
    return index == LOST && copy == 1;
}

static bool loses_two(const struct endpoint_bench *bench, uint32_t index, uint32_t copy)
{
    (void)bench;
    return (index == LOST || index == ALSO_LOST) && copy == 1;
}

/* A message of 8 packets, of which some are lost. Returns the first retransmission of `LOST`. */
static const struct endpoint_frame *lose_some(
    struct endpoint_bench *bench, bool (*loses)(const struct endpoint_bench *, uint32_t, uint32_t))
{
    struct endpoint_work work = { .id = 1 };

    work.bytes = PACKETS * bench->session.terms.pmtu_bytes;
    bench->peer.loses = loses;
    if (!endpoint_session_post(bench, &work) || !endpoint_expect_write(bench, LOST, 1))
        return NULL;
    return endpoint_expect_write(bench, LOST, 2);
}

/* ---- loss ------------------------------------------------------------------------------------ */

/* SACKs show a hole: only that can cause the retransmission, timeouts are too long. */
void endpoint_suite_lost(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);

    if (bench && lose_some(bench, loses_one))
        endpoint_expect_sent(bench, 1, "success");
}

static void judge_copy(struct conform_report *report, const struct endpoint_frame *first,
    const struct endpoint_frame *again)
{
    const struct packet_write *a = &first->frame.packet.write;
    const struct packet_write *b = &again->frame.packet.write;

    if (!(again->frame.packet.flags & PACKET_RETRANSMISSION))
        conform_report_fail(report, "a retransmission has rtx = 0");
    if (!(again->frame.packet.flags & PACKET_ACK_REQUEST))
        conform_report_fail(report, "a retransmission does not ask for an acknowledgement");
    if (first->frame.packet.opcode != again->frame.packet.opcode || a->msn != b->msn ||
        a->rqmsn != b->rqmsn || a->va != b->va || a->rkey != b->rkey ||
        a->message_bytes != b->message_bytes || a->immediate != b->immediate ||
        a->pad_bytes != b->pad_bytes)
        conform_report_fail(
            report, "opcode, METH or RETH of a retransmission differ from the first copy's");
    if (a->payload.length != b->payload.length ||
        memcmp(a->payload.bytes, b->payload.bytes, a->payload.length) != 0)
        conform_report_fail(
            report, "the payload of a retransmission differs from the first copy's");
}

void endpoint_suite_retransmission(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    const struct endpoint_frame *again = bench ? lose_some(bench, loses_one) : NULL;
    const struct endpoint_frame *first = again ? endpoint_expect_write(bench, LOST, 1) : NULL;

    if (first)
        judge_copy(report, first, again);
}

void endpoint_suite_retransmit_ev(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    const struct endpoint_frame *again = bench ? lose_some(bench, loses_one) : NULL;
    const struct endpoint_frame *first = again ? endpoint_expect_write(bench, LOST, 1) : NULL;
    bool has_others = false;

    for (uint32_t i = 0; first && i < PACKETS; i++) {
        const struct endpoint_frame *other = endpoint_expect_write(bench, i, 1);

        has_others |= other && other->frame.packet.ev != first->frame.packet.ev;
    }
    if (!first)
        return;
    if (!has_others)
        conform_report_skip(report, "the device uses one EV only");
    else if (first->frame.packet.ev == again->frame.packet.ev)
        conform_report_fail(
            report, "a lost packet is sent again on the same EV, 0x%08x", first->frame.packet.ev);
}

void endpoint_suite_retransmit_class(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    const struct endpoint_frame *again = bench ? lose_some(bench, loses_one) : NULL;

    if (!again)
        return;
    if (again->frame.packet.class == DSCP_TRIMMABLE_RETX)
        conform_report_reading(report, ENDPOINT_POINT_RETX_CLASS, "TRIMMABLE_RETX");
    else if (again->frame.packet.class == DSCP_TRIMMABLE ||
             again->frame.packet.class == DSCP_NO_TRIM)
        conform_report_reading(report, ENDPOINT_POINT_RETX_CLASS, "that of new data");
    else
        conform_report_fail(
            report, "a retransmission has DSCP %u", again->frame.inner.traffic_class >> 2);
    if (again->frame.packet.ecn != ECN_ECT0 && again->frame.packet.ecn != ECN_ECT1)
        conform_report_fail(report, "a retransmission is not ECN-capable");
}

/* What was acknowledged is not sent again. */
void endpoint_suite_selective(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);

    if (!bench || !lose_some(bench, loses_one) || !endpoint_expect_sent(bench, 1, "success"))
        return;
    endpoint_bench_settle(bench);
    for (uint32_t i = 0; i < PACKETS - 1; i++) /* the last one may ask for the ACK again */
        if (i != LOST && bench->peer.copies[i] > 1)
            conform_report_fail(report, "packet %u was acknowledged, and is sent %u times", i,
                bench->peer.copies[i]);
}

/* Packets of different ports come in any order; of one port, in the order in which they were sent.
 */
static bool judge_order(struct endpoint_bench *bench)
{
    const struct endpoint_frame *older = lose_some(bench, loses_two);
    const struct endpoint_frame *newer = older ? endpoint_expect_write(bench, ALSO_LOST, 2) : NULL;

    if (!newer || !endpoint_expect_sent(bench, 1, "success"))
        return true;
    if (newer->port != older->port)
        return false;
    if (newer < older)
        conform_report_fail(
            bench->report, "of two lost packets, the one with the higher PSN is sent again first");
    return true;
}

void endpoint_suite_retransmit_order(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);

    for (uint32_t i = 0; bench && i < ATTEMPTS; i++) {
        if (judge_order(bench))
            return;
        bench = endpoint_requester_begin(kit, report);
    }
}

/* ---- NACKs ----------------------------------------------------------------------------------- */

/* The only answer is a NACK of the first packet. Returns the retransmission. */
static const struct endpoint_frame *refuse_first(
    struct endpoint_bench *bench, uint8_t reason, const char *why)
{
    const struct endpoint_frame *first;
    struct packet nack;
    uint32_t from;

    bench->peer.is_mute = true;
    if (!endpoint_requester_post_small(bench, 4))
        return NULL;
    for (uint32_t i = 0; i < 4; i++)
        if (!endpoint_expect_write(bench, i, 1))
            return NULL;
    first = endpoint_expect_write(bench, 0, 1);
    from = endpoint_bench_mark(bench);
    nack = endpoint_peer_nack(bench, first, reason);
    endpoint_bench_send(bench, &nack);
    return endpoint_requester_expect_again(bench, from, 0, why);
}

static void finish_all(struct endpoint_bench *bench)
{
    bench->peer.is_mute = false;
    for (uint32_t i = 0; i < 4; i++) {
        const struct endpoint_frame *from = endpoint_expect_write(bench, i, 1);

        if (!from)
            return;
        endpoint_peer_take(bench, from);
        endpoint_peer_answer(bench, from);
    }
    endpoint_requester_expect_done(bench, 0, 4);
}

static void check_nack(void *kit, struct conform_report *report, uint8_t reason, const char *why)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    const struct endpoint_frame *again = bench ? refuse_first(bench, reason, why) : NULL;

    if (!again)
        return;
    if (!(again->frame.packet.flags & PACKET_RETRANSMISSION))
        conform_report_fail(report, "the packet is sent again with rtx = 0");
    if (bench->peer.copies[1] + bench->peer.copies[2] > 2)
        conform_report_fail(report, "packets that no NACK names are sent again as well");
    finish_all(bench);
}

void endpoint_suite_nack_trimmed(void *kit, struct conform_report *report)
{
    check_nack(kit, report, NACK_TRIMMED, "after a NACK TRIMMED");
}

void endpoint_suite_nack_last_hop(void *kit, struct conform_report *report)
{
    check_nack(kit, report, NACK_TRIMMED_LASTHOP, "after a NACK TRIMMED_LASTHOP");
}

void endpoint_suite_nack_others(void *kit, struct conform_report *report)
{
    static const struct {
        uint8_t reason;
        const char *why;
    } others[] = { { NACK_NO_BITMAP, "after a NACK NO_BITMAP" },
        { NACK_NO_PKT_BUFFER, "after a NACK NO_PKT_BUFFER" },
        { NACK_NO_RESOURCE, "after a NACK NO_RESOURCE" },
        { NACK_PSN_OOR_WINDOW, "after a NACK PSN_OOR_WINDOW" } };

    for (uint32_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (!conform_report_has_failed(report))
            check_nack(kit, report, others[i].reason, others[i].why);
}

void endpoint_suite_nack_unknown(void *kit, struct conform_report *report)
{
    check_nack(kit, report, 0x33, "after a NACK with an unknown reason, which is recoverable");
}

void endpoint_suite_nack_fatal(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    const struct endpoint_frame *first;
    struct packet nack;

    if (!bench)
        return;
    bench->peer.is_mute = true;
    if (!endpoint_requester_post_small(bench, 2) || !(first = endpoint_expect_write(bench, 0, 1)))
        return;
    nack = endpoint_peer_nack(bench, first, NACK_UNEXP_EVENT);
    endpoint_bench_send(bench, &nack);
    if (endpoint_expect_sent(bench, 0, "rem-op-err") &&
        endpoint_expect_sent(bench, 1, "wr-flush-err"))
        endpoint_session_is_in(bench, "err");
}
