/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of endpoints: WRITE with Immediate, received. */
#include "conform/endpoint_expect.h"
#include "conform/endpoint_suite.h"

enum { RECEIVES = 64 };

static struct endpoint_bench *begin_receives(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);

    return bench && endpoint_session_post_receives(bench, RECEIVES) ? bench : NULL;
}

static struct endpoint_packet_message immediate_of(
    struct endpoint_bench *bench, uint32_t bytes, uint32_t immediate)
{
    struct endpoint_packet_message message = {
        .bytes = bytes, .has_immediate = true, .immediate = immediate
    };

    endpoint_packet_take(bench, &message);
    return message;
}

void endpoint_suite_imm(void *kit, struct conform_report *report)
{
    static const uint32_t sizes[] = { 1, 100, 3000 };
    struct endpoint_bench *bench = begin_receives(kit, report);

    for (uint32_t i = 0; bench && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct endpoint_packet_message message = immediate_of(bench, sizes[i], 0xcafe0000 + i);

        endpoint_packet_send_all(bench, &message);
        if (!endpoint_expect_received(bench, &message) ||
            !endpoint_expect_placed(bench, &message, "a WriteIMM"))
            return;
    }
}

void endpoint_suite_imm_zero(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_receives(kit, report);
    struct endpoint_packet_message message;
    struct packet packet;

    if (!bench)
        return;
    message = immediate_of(bench, 0, 0xcafe0002);
    packet = endpoint_packet_of(bench, &message, 0);
    packet.write.va = 0;
    packet.write.rkey = 0;
    endpoint_bench_send(bench, &packet);
    endpoint_expect_received(bench, &message);
}

/* The second is complete before the first. */
void endpoint_suite_imm_order(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_receives(kit, report);
    struct endpoint_packet_message messages[4];

    if (!bench)
        return;
    for (uint32_t i = 0; i < 4; i++)
        messages[i] = immediate_of(bench, 50, 100 + i);
    for (uint32_t i = 4; i-- > 1;)
        endpoint_packet_send_all(bench, &messages[i]);
    endpoint_bench_settle(bench);
    if (!endpoint_expect_no_completion(bench, "before the first WriteIMM has come"))
        return;
    endpoint_packet_send_all(bench, &messages[0]);
    for (uint32_t i = 0; i < 4; i++)
        if (!endpoint_expect_received(bench, &messages[i]))
            return;
}

/* A packet of an earlier plain WRITE is missing. */
void endpoint_suite_imm_barrier(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_receives(kit, report);
    struct endpoint_packet_message plain, message;
    struct packet packet;

    if (!bench)
        return;
    plain = (struct endpoint_packet_message){ .offset = 4096,
        .bytes = 3 * bench->session.terms.pmtu_bytes };
    endpoint_packet_take(bench, &plain);
    message = immediate_of(bench, 10, 7);
    if (!endpoint_expect_taken(bench, &plain, 0) || !endpoint_expect_taken(bench, &plain, 2))
        return;
    endpoint_packet_send_all(bench, &message);
    endpoint_bench_settle(bench);
    if (!endpoint_expect_no_completion(bench, "while a packet with a smaller PSN is missing"))
        return;
    packet = endpoint_packet_of(bench, &plain, 1);
    endpoint_bench_send(bench, &packet);
    if (endpoint_expect_received(bench, &message))
        endpoint_expect_placed(bench, &plain, "the WRITE before a WriteIMM");
}

void endpoint_suite_imm_twice(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_receives(kit, report);
    struct endpoint_packet_message message;

    if (!bench)
        return;
    message = immediate_of(bench, 10, 7);
    endpoint_packet_send_all(bench, &message);
    if (!endpoint_expect_received(bench, &message))
        return;
    endpoint_packet_send_all(bench, &message);
    endpoint_bench_settle(bench);
    endpoint_expect_no_completion(bench, "for a WriteIMM that came twice");
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* All that may be in flight come before the first one. */
void endpoint_suite_imm_window(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_receives(kit, report);
    struct endpoint_packet_message first;
    uint32_t limit;

    if (!bench)
        return;
    limit = bench->session.terms.wimm_dest;
    first = immediate_of(bench, 10, 0);
    for (uint32_t i = 1; i < limit; i++) {
        struct endpoint_packet_message message = immediate_of(bench, 10, i);

        endpoint_packet_send_all(bench, &message);
        if (i % 16 == 0)
            endpoint_bench_settle(bench);
    }
    endpoint_packet_send_all(bench, &first);
    for (uint32_t i = 0; i < limit; i++) {
        first.immediate = i;
        if (!endpoint_expect_received(bench, &first))
            return;
    }
}

void endpoint_suite_imm_limit(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_receives(kit, report);
    struct endpoint_packet_message message;
    const struct endpoint_frame *nak;

    if (!bench)
        return;
    bench->session.next_rqmsn = (uint16_t)bench->session.terms.wimm_dest;
    bench->session.next_psn = psn_add(bench->session.next_psn, 40);
    message = immediate_of(bench, 10, 1);
    endpoint_packet_send_all(bench, &message);
    nak = endpoint_expect_nak(
        bench, 0, message.first, "the WriteIMM that exceeds the agreed number in flight");
    if (!nak)
        return;
    conform_report_reading(
        report, ENDPOINT_POINT_LIMIT_CODE, "0x%02x", nak->frame.packet.ack.syndrome);
    endpoint_session_is_in(bench, "err");
}

void endpoint_suite_imm_no_receive(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message;
    const struct endpoint_frame *nak;

    if (!bench)
        return;
    message = immediate_of(bench, 10, 1);
    endpoint_packet_send_all(bench, &message);
    nak = endpoint_expect_nak(bench, 0, message.first, "a WriteIMM that finds no receive");
    if (!nak)
        return;
    if (nak->frame.packet.ack.syndrome != ACK_SYNDROME_REMOTE_OPERATION)
        conform_report_fail(
            report, "the syndrome is 0x%02x instead of 0x63", nak->frame.packet.ack.syndrome);
    endpoint_session_is_in(bench, "err");
}
