/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of endpoints: NAKs, silence of the peer and forged feedback, at a requester. */
#include <stdio.h>
#include <string.h>

#include "conform/endpoint_expect.h"
#include "conform/endpoint_requester.h"
#include "conform/endpoint_suite.h"

enum { LINEAR = 2, EXPONENTIAL = 1, TIMEOUT = 12, WAITING = 4 };

#define GIVE_UP_NS UINT64_C(30000000000)

static const struct ipv6_addr somewhere = { { 0x20, 0x01, 0x0d, 0xb8, 0xff, 0xff, [15] = 9 } };

/* Posts writes that stay unanswered. Returns the packet of the first. */
static const struct endpoint_frame *post_unanswered(struct endpoint_bench *bench, uint32_t count)
{
    bench->peer.is_mute = true;
    if (!endpoint_requester_post_small(bench, count))
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!endpoint_expect_write(bench, i, 1))
            return NULL;
    return endpoint_expect_write(bench, 0, 1);
}

/* ---- Transport NAKs -------------------------------------------------------------------------- */

static bool send_nak(struct endpoint_bench *bench, uint32_t index, uint32_t done, uint8_t syndrome)
{
    struct packet nak = endpoint_peer_ack(bench);

    nak.psn = psn_add(bench->peer.first, (int32_t)index);
    nak.ack = (struct packet_ack){ .syndrome = syndrome, .messages_done = done };
    endpoint_bench_send(bench, &nak);
    return true;
}

void endpoint_suite_nak_status(void *kit, struct conform_report *report)
{
    static const struct {
        uint8_t syndrome;
        const char *status;
    } naks[] = { { 0x61, "rem-inv-req-err" }, { 0x62, "rem-access-err" }, { 0x63, "rem-op-err" },
        { 0x7a, "rem-op-err" } };

    for (uint32_t i = 0; i < sizeof(naks) / sizeof(naks[0]); i++) {
        struct endpoint_bench *bench = endpoint_requester_begin(kit, report);

        if (!bench || !post_unanswered(bench, 1))
            return;
        send_nak(bench, 0, 0, naks[i].syndrome);
        if (!endpoint_expect_sent(bench, 0, naks[i].status) ||
            !endpoint_session_is_in(bench, "err"))
            return;
    }
}

/* Two are complete, the third one is refused, the fourth one is flushed. */
void endpoint_suite_nak_others(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);

    if (!bench || !post_unanswered(bench, WAITING))
        return;
    send_nak(bench, 2, 2, ACK_SYNDROME_REMOTE_ACCESS);
    if (endpoint_expect_sent(bench, 0, "success") && endpoint_expect_sent(bench, 1, "success") &&
        endpoint_expect_sent(bench, 2, "rem-access-err"))
        endpoint_expect_sent(bench, 3, "wr-flush-err");
}

/* ---- silence --------------------------------------------------------------------------------- */

void endpoint_suite_timeout(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_bench_begin(kit, report);
    struct endpoint_terms terms = endpoint_session_terms(bench);
    struct endpoint_completion completion;
    uint32_t wanted = 1 + LINEAR + EXPONENTIAL;

    terms.timeout = TIMEOUT;
    terms.linear = LINEAR;
    terms.exponential = EXPONENTIAL;
    if (!endpoint_session_open(bench, &terms) || !post_unanswered(bench, 1))
        return;
    if (!endpoint_session_complete_for(bench, &completion, GIVE_UP_NS)) {
        conform_report_fail(report, "a write that is never answered does not complete");
        return;
    }
    endpoint_bench_settle(bench);
    if (strcmp(completion.status, "retry-exc-err") != 0)
        conform_report_fail(
            report, "a write that is never answered completes with '%s'", completion.status);
    conform_report_reading(report, ENDPOINT_POINT_RETRIES,
        "%u, with %u retries at a fixed and %u at a doubling interval", bench->peer.copies[0],
        LINEAR, EXPONENTIAL);
    if (bench->peer.copies[0] < 2 || bench->peer.copies[0] > 2 * wanted)
        conform_report_fail(report,
            "a packet that is never answered is sent %u times instead of %u", bench->peer.copies[0],
            wanted);
    endpoint_session_is_in(bench, "err");
}

/* Silence at first: the packet comes again, with rtx = 1, and its answer counts. */
static bool loses_first_copies(const struct endpoint_bench *bench, uint32_t index, uint32_t copy)
{
    (void)bench;
    (void)index;
    return copy < 2;
}

void endpoint_suite_timeout_repair(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_bench_begin(kit, report);
    struct endpoint_terms terms = endpoint_session_terms(bench);
    const struct endpoint_frame *again;

    terms.timeout = TIMEOUT;
    if (!endpoint_session_open(bench, &terms))
        return;
    bench->peer.loses = loses_first_copies;
    bench->peer.ignores_probes = true;
    if (!endpoint_requester_post_small(bench, 1) || !(again = endpoint_expect_write(bench, 0, 2)))
        return;
    if (!(again->frame.packet.flags & PACKET_RETRANSMISSION))
        conform_report_fail(report, "after a timeout the packet is sent again with rtx = 0");
    endpoint_expect_sent(bench, 0, "success");
}

static bool loses_last(const struct endpoint_bench *bench, uint32_t index, uint32_t copy)
{
    (void)bench;
    return index == WAITING - 1 && copy == 1;
}

/* The last packet of a message is lost: no SACK shows a hole. */
void endpoint_suite_tail(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_work work = { .id = 1 };

    if (!bench)
        return;
    work.bytes = WAITING * bench->session.terms.pmtu_bytes;
    bench->peer.loses = loses_last;
    if (!endpoint_session_post(bench, &work) || !endpoint_expect_sent(bench, 1, "success"))
        return;
    conform_report_reading(report, ENDPOINT_POINT_TAIL, "%s",
        bench->peer.probe_count > 0 ? "by a Reliability Probe" : "by a timeout");
}

/* The SACK arrives, the ACK does not. */
void endpoint_suite_lost_ack(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    const struct endpoint_frame *again;

    if (!bench)
        return;
    bench->peer.withholds_acks = true;
    if (!endpoint_requester_post_small(bench, 1) || !endpoint_expect_write(bench, 0, 1) ||
        !(again = endpoint_expect_write(bench, 0, 2)))
        return;
    if (!(again->frame.packet.flags & PACKET_ACK_REQUEST) ||
        !(again->frame.packet.flags & PACKET_RETRANSMISSION))
        conform_report_fail(
            report, "the packet whose ACK is missing is repeated without AckReq or rtx");
    bench->peer.withholds_acks = false;
    endpoint_peer_answer(bench, again);
    if (endpoint_expect_sent(bench, 0, "success"))
        conform_report_reading(report, ENDPOINT_POINT_LOST_ACK, "the last packet is sent again");
}

/* ---- forged feedback ------------------------------------------------------------------------- */

/* Expects that nothing has happened to four writes, and then completes them. */
static void expect_unharmed(struct endpoint_bench *bench, const char *what)
{
    char while_what[80];

    snprintf(while_what, sizeof(while_what), "by %s", what);
    endpoint_bench_settle(bench);
    if (!endpoint_expect_no_completion(bench, while_what) || !endpoint_session_is_in(bench, "rts"))
        return;
    bench->peer.is_mute = false;
    for (uint32_t i = 0; i < WAITING; i++) {
        const struct endpoint_frame *data = endpoint_expect_write(bench, i, 1);

        if (!data)
            return;
        endpoint_peer_take(bench, data);
        endpoint_peer_answer(bench, data);
    }
    endpoint_requester_expect_done(bench, 0, WAITING);
}

void endpoint_suite_forged_sack(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    const struct endpoint_frame *data = bench ? post_unanswered(bench, WAITING) : NULL;
    struct packet sack;
    uint32_t from;

    if (!data)
        return;
    sack = endpoint_peer_sack(bench, data);
    sack.sack.cack_psn = psn_add(bench->peer.first, 100);
    sack.psn = sack.sack.cack_psn;
    endpoint_bench_send(bench, &sack);
    endpoint_bench_settle(bench);
    /* A device that believed it has nothing in flight, and does not repeat what a NACK names. */
    from = endpoint_bench_mark(bench);
    sack = endpoint_peer_nack(bench, data, NACK_TRIMMED);
    endpoint_bench_send(bench, &sack);
    if (endpoint_requester_expect_again(
            bench, from, 0, "after a SACK for PSNs that were never sent: it was believed"))
        expect_unharmed(bench, "a SACK for PSNs that were never sent");
}

void endpoint_suite_forged_ack(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    const struct endpoint_frame *data = bench ? post_unanswered(bench, WAITING) : NULL;
    struct packet ack;

    if (!data)
        return;
    ack = endpoint_peer_ack(bench);
    ack.psn = psn_add(bench->peer.first, 100);
    ack.ack.messages_done = 100;
    endpoint_bench_send(bench, &ack);
    expect_unharmed(bench, "an ACK for PSNs and messages that were never sent");
}

void endpoint_suite_forged_nack(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    const struct endpoint_frame *data = bench ? post_unanswered(bench, WAITING) : NULL;
    static const uint8_t reasons[] = { NACK_TRIMMED, NACK_NO_RESOURCE, NACK_UNEXP_EVENT };

    for (uint32_t i = 0; data && i < sizeof(reasons); i++) {
        struct packet nack = endpoint_peer_nack(bench, data, reasons[i]);

        nack.nack.nack_psn = psn_add(bench->peer.first, 100);
        nack.psn = nack.nack.nack_psn;
        endpoint_bench_send(bench, &nack);
    }
    if (data)
        expect_unharmed(bench, "a NACK for a PSN that was never sent");
}

/* Right in all, except that they come from another address. */
void endpoint_suite_forged_source(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    const struct endpoint_frame *data = bench ? post_unanswered(bench, WAITING) : NULL;
    struct packet ack, nack;

    if (!data)
        return;
    ack = endpoint_peer_ack(bench);
    ack.psn = psn_add(bench->peer.first, WAITING - 1);
    ack.ack.messages_done = WAITING;
    ack.src = somewhere;
    endpoint_bench_send(bench, &ack);
    nack = endpoint_peer_nack(bench, data, NACK_UNEXP_EVENT);
    nack.src = somewhere;
    endpoint_bench_send(bench, &nack);
    expect_unharmed(bench, "an ACK and a NACK from another address");
}

/* A SACK that was overtaken says less than is known. */
void endpoint_suite_stale_sack(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    const struct endpoint_frame *data = bench ? post_unanswered(bench, WAITING) : NULL;
    struct packet stale;

    if (!data)
        return;
    endpoint_peer_take(bench, data);
    stale = endpoint_peer_sack(bench, data);
    bench->peer.is_mute = false;
    for (uint32_t i = 1; i < WAITING; i++) {
        data = endpoint_expect_write(bench, i, 1);
        if (!data)
            return;
        endpoint_peer_take(bench, data);
    }
    endpoint_peer_answer(bench, data);
    if (!endpoint_requester_expect_done(bench, 0, WAITING))
        return;
    for (uint32_t i = 0; i < 5; i++)
        endpoint_bench_send(bench, &stale);
    endpoint_bench_settle(bench);
    for (uint32_t i = 0; i < WAITING; i++)
        if (bench->peer.copies[i] > 1)
            conform_report_fail(
                report, "packet %u was acknowledged, and is sent again after an older SACK", i);
    endpoint_session_is_in(bench, "rts");
}
