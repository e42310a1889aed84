/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of endpoints: data packets in any order, twice, and at the edges of the PSN window. */
#include "conform/endpoint_expect.h"
#include "conform/endpoint_suite.h"

enum { PACKETS = 3, ORDERS = 6, UNIT_PSNS = 128, FILLER = 0xa5 };

/* ---- placement ------------------------------------------------------------------------------- */

void endpoint_suite_place(void *kit, struct conform_report *report)
{
    static const uint32_t sizes[] = { 1, 4, 255, 1023, 1024, 1025, 5000 };
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    uint32_t offset = 0;

    for (uint32_t i = 0; bench && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct endpoint_packet_message message = { .offset = offset, .bytes = sizes[i] };
        struct psn last;

        endpoint_packet_take(bench, &message);
        last = psn_add(message.first, (int32_t)message.packet_count - 1);
        endpoint_packet_send_all(bench, &message);
        if (!endpoint_expect_ack(bench, 0, last, "a message") ||
            !endpoint_expect_placed(bench, &message, "a message in order"))
            return;
        offset += sizes[i];
    }
}

static bool deliver_in_order(
    struct endpoint_bench *bench, struct endpoint_packet_message *message, const uint8_t *order)
{
    struct psn last;
    uint32_t from = endpoint_bench_mark(bench);

    endpoint_packet_take(bench, message);
    last = psn_add(message->first, PACKETS - 1);
    for (uint32_t i = 0; i < PACKETS; i++) {
        struct packet packet = endpoint_packet_of(bench, message, order[i]);

        endpoint_bench_send(bench, &packet);
    }
    return endpoint_expect_ack(bench, from, last, "a message whose packets came out of order") &&
           endpoint_expect_placed(bench, message, "a message out of order");
}

static const uint8_t orders[ORDERS][PACKETS] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 },
    { 2, 0, 1 }, { 2, 1, 0 } };

void endpoint_suite_order(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);

    for (uint32_t i = 0; bench && i < ORDERS; i++) {
        struct endpoint_packet_message message = { .offset = i * 4096,
            .bytes = 2 * bench->session.terms.pmtu_bytes + 77 };

        if (!deliver_in_order(bench, &message, orders[i]))
            return;
    }
}

/* The first packet comes last: nothing before it may be acknowledged cumulatively. */
void endpoint_suite_cack(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message;
    struct psn before;

    if (!bench)
        return;
    message =
        (struct endpoint_packet_message){ .bytes = PACKETS * bench->session.terms.pmtu_bytes };
    endpoint_packet_take(bench, &message);
    before = psn_add(message.first, -1);
    for (uint32_t i = PACKETS; i-- > 0;) {
        const struct endpoint_frame *sack = endpoint_expect_taken(bench, &message, i);
        struct psn wanted = i > 0 ? before : psn_add(before, PACKETS);

        if (!sack)
            return;
        if (!psn_equal(sack->frame.packet.sack.cack_psn, wanted))
            conform_report_fail(report, "after packets %u to 2 cack_psn is %u instead of %u", i,
                sack->frame.packet.sack.cack_psn.value, wanted.value);
    }
}

void endpoint_suite_wrap(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_bench_begin(kit, report);
    struct endpoint_terms terms = endpoint_session_terms(bench);
    static const uint8_t order[] = { 1, 4, 0, 3, 2, 5 };
    struct endpoint_packet_message message = { .bytes = 6 * terms.pmtu_bytes };
    const struct endpoint_frame *sack;

    terms.rq_psn = 0xfffffd;
    if (!endpoint_session_open(bench, &terms))
        return;
    endpoint_packet_take(bench, &message);
    for (uint32_t i = 0; i < sizeof(order); i++) {
        sack = endpoint_expect_taken(bench, &message, order[i]);
        if (!sack)
            return;
        for (uint32_t seen = 0; seen <= i; seen++)
            if (!endpoint_packet_shows(&sack->frame.packet, psn_add(message.first, order[seen])))
                conform_report_fail(report,
                    "PSN %u, which has arrived, is not shown across the wrap",
                    psn_add(message.first, order[seen]).value);
    }
    if (sack->frame.packet.sack.cack_psn.value != 2)
        conform_report_fail(
            report, "cack_psn is %u instead of 2", sack->frame.packet.sack.cack_psn.value);
    endpoint_expect_placed(bench, &message, "a message across PSN 0xffffff");
}

/* ---- duplicates ------------------------------------------------------------------------------ */

/* The memory changes between the two copies: a late copy must not change it back. */
void endpoint_suite_duplicate(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message;

    if (!bench)
        return;
    message =
        (struct endpoint_packet_message){ .bytes = PACKETS * bench->session.terms.pmtu_bytes };
    endpoint_packet_take(bench, &message);
    for (uint32_t i = 1; i < PACKETS; i++)
        if (!endpoint_expect_taken(bench, &message, i))
            return;
    endpoint_session_fill(bench, 0, message.bytes, FILLER);
    for (uint32_t i = 1; i < PACKETS; i++)
        if (!endpoint_expect_taken(bench, &message, i))
            return;
    if (!endpoint_session_is_filled(bench, 0, message.bytes, FILLER))
        conform_report_fail(report, "a packet in the window is written a second time");
    if (!endpoint_expect_taken(bench, &message, 0))
        return;
    endpoint_session_fill(bench, 0, message.bytes, FILLER);
    for (uint32_t i = 0; i < PACKETS; i++)
        if (!endpoint_expect_taken(bench, &message, i))
            return;
    if (!endpoint_session_is_filled(bench, 0, message.bytes, FILLER))
        conform_report_fail(report, "a packet below the window is written a second time");
}

void endpoint_suite_duplicate_sack(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message = { .bytes = 64 };
    struct packet packet;
    uint32_t from;

    if (!bench)
        return;
    endpoint_packet_take(bench, &message);
    if (!endpoint_expect_taken(bench, &message, 0))
        return;
    packet = endpoint_packet_of(bench, &message, 0);
    packet.flags = PACKET_STAMPED;
    from = endpoint_bench_mark(bench);
    endpoint_bench_send(bench, &packet);
    endpoint_expect_prompt_sack(bench, from, packet.psn, "an old duplicate without AckReq");
}

void endpoint_suite_old_ack(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message = { .bytes = 64 };
    struct packet packet;
    uint32_t from;

    if (!bench)
        return;
    endpoint_packet_take(bench, &message);
    endpoint_packet_send_all(bench, &message);
    if (!endpoint_expect_ack(bench, 0, message.first, "a message"))
        return;
    packet = endpoint_packet_of(bench, &message, 0);
    packet.flags |= PACKET_RETRANSMISSION;
    from = endpoint_bench_mark(bench);
    endpoint_bench_send(bench, &packet);
    endpoint_expect_sack(bench, from, packet.psn, "an old duplicate");
    endpoint_expect_ack(
        bench, from, packet.psn, "an old duplicate with AckReq, whose ACK may be lost");
}

/* ---- the window ------------------------------------------------------------------------------ */

/* Returns a write of 16 bytes, `ahead` PSNs after the next one. */
static struct packet write_ahead(struct endpoint_bench *bench, uint32_t ahead)
{
    struct endpoint_packet_message message = { .offset = 4096, .bytes = 16 };
    struct endpoint_session session = bench->session;
    struct packet packet;

    bench->session.next_psn = psn_add(session.next_psn, (int32_t)ahead);
    bench->session.next_msn = (uint16_t)(session.next_msn + ahead);
    endpoint_packet_take(bench, &message);
    packet = endpoint_packet_of(bench, &message, 0);
    bench->session = session;
    return packet;
}

/* The PSNs in between follow, so that the next check can go on. */
static void fill_window(struct endpoint_bench *bench, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct endpoint_packet_message message = { .offset = 4096, .bytes = 16 };
        struct packet packet;

        endpoint_packet_take(bench, &message);
        packet = endpoint_packet_of(bench, &message, 0);
        endpoint_bench_send(bench, &packet);
        if (i % 64 == 63)
            endpoint_bench_settle(bench);
    }
    endpoint_bench_settle(bench);
}

void endpoint_suite_window_edge(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    uint32_t window;
    struct packet packet;

    if (!bench)
        return;
    window = bench->session.terms.mpr_dest * UNIT_PSNS;
    packet = write_ahead(bench, window - 1);
    endpoint_bench_send(bench, &packet);
    endpoint_expect_sack(bench, 0, packet.psn, "the last PSN of the window");
    if (!bench->device->driver[0])
        fill_window(bench, window);
}

static bool is_accepted(struct endpoint_bench *bench, uint32_t from, struct psn psn)
{
    const struct endpoint_frame *answer;

    endpoint_bench_settle(bench);
    if (endpoint_bench_find(bench, from, endpoint_packet_is_sack, psn.value))
        return true;
    answer = endpoint_expect_probe_answer(bench);
    return answer && endpoint_packet_shows(&answer->frame.packet, psn);
}

/* One source has the window one PSN larger. What is beyond a PSN more must be refused. */
void endpoint_suite_window_beyond(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    uint32_t window;
    struct packet packet;
    const struct endpoint_frame *nack;

    if (!bench)
        return;
    window = bench->session.terms.mpr_dest * UNIT_PSNS;
    endpoint_session_fill(bench, 4096, 16, FILLER);
    packet = write_ahead(bench, window + 1);
    endpoint_bench_send(bench, &packet);
    if (is_accepted(bench, 0, packet.psn))
        conform_report_fail(
            report, "PSN ePSN + MPR + 1, beyond the window of %u PSNs, is accepted", window);
    nack = endpoint_bench_find(bench, 0, endpoint_packet_is_nack, packet.psn.value);
    if (!nack)
        conform_report_reading(report, ENDPOINT_POINT_BEYOND, "it is dropped silently");
    else if (nack->frame.packet.nack.reason == NACK_PSN_OOR_WINDOW)
        conform_report_reading(report, ENDPOINT_POINT_BEYOND, "a NACK PSN_OOR_WINDOW reports it");
    else
        conform_report_fail(report, "the NACK for a PSN beyond the window has reason 0x%02x",
            nack->frame.packet.nack.reason);
    packet = write_ahead(bench, 3 * window);
    endpoint_bench_send(bench, &packet);
    if (is_accepted(bench, 0, packet.psn))
        conform_report_fail(report, "a PSN far beyond the window is accepted");
    if (!endpoint_session_is_filled(bench, 4096, 16, FILLER))
        conform_report_fail(report, "a packet beyond the window is written to memory");
    if (!bench->device->driver[0])
        return; /* the PSN might be taken for good */
    packet = write_ahead(bench, window);
    endpoint_bench_send(bench, &packet);
    conform_report_reading(report, ENDPOINT_POINT_EDGE,
        is_accepted(bench, 0, packet.psn) ? "ePSN + MPR" : "ePSN + MPR - 1");
}
