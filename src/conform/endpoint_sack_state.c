/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of endpoints: what SACKs say of everything that has arrived. */
#include "conform/endpoint_expect.h"
#include "conform/endpoint_suite.h"

enum { PACKETS = 40, FAR_PSNS = 300, UNIT_BYTES = 256, BITMAP_PSNS = 64, ROUNDS_MAX = 40 };

/* Returns a SACK right after the packets of `has` arrived; NULL if none came. */
static const struct endpoint_frame *deliver_some(
    struct endpoint_bench *bench, const struct endpoint_packet_message *message, const bool *has)
{
    for (uint32_t i = 0; i < message->packet_count; i++) {
        struct packet packet = endpoint_packet_of(bench, message, i);

        packet.flags = PACKET_STAMPED;
        if (has[i])
            endpoint_bench_send(bench, &packet);
    }
    return endpoint_expect_probe_answer(bench);
}

/* Holes at random: every bit must be as it is. */
void endpoint_suite_sack_bitmap(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message;
    const struct endpoint_frame *sack;
    bool has[PACKETS];

    if (!bench)
        return;
    message =
        (struct endpoint_packet_message){ .bytes = PACKETS * bench->session.terms.pmtu_bytes };
    endpoint_packet_take(bench, &message);
    for (uint32_t i = 0; i < PACKETS; i++)
        has[i] = i == 0 || (i > 1 && prng_below(&bench->prng, 2) == 0) || i == PACKETS - 1;
    sack = deliver_some(bench, &message, has);
    for (uint32_t i = 0; sack && i < PACKETS; i++)
        if (endpoint_packet_shows(&sack->frame.packet, psn_add(message.first, (int32_t)i)) !=
            has[i])
            conform_report_fail(report, "packet %u of a message %s, and the SACK says otherwise", i,
                has[i] ? "has arrived" : "is missing");
    endpoint_packet_send_all(bench, &message);
    endpoint_bench_settle(bench);
}

/* Far more PSNs than the 64 of a bitmap: no SACK may show what has not arrived, and together they
 * show all. */
void endpoint_suite_sack_far(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message = { .offset = 0 };
    bool is_shown[FAR_PSNS] = { false };
    bool has[FAR_PSNS];
    uint32_t left = 1;

    if (!bench)
        return;
    message.bytes = FAR_PSNS * bench->session.terms.pmtu_bytes;
    if (message.bytes > bench->session.memory_bytes)
        message.bytes = bench->session.memory_bytes;
    endpoint_packet_take(bench, &message);
    for (uint32_t i = 0; i < message.packet_count; i++)
        has[i] = i > 0 && prng_below(&bench->prng, 4) > 0;
    for (uint32_t round = 0; left > 0 && round < ROUNDS_MAX; round++) {
        const struct endpoint_frame *sack =
            round == 0 ? deliver_some(bench, &message, has) : endpoint_expect_probe_answer(bench);

        if (!sack)
            return;
        left = 0;
        for (uint32_t i = 0; i < message.packet_count; i++) {
            bool shows =
                endpoint_packet_shows(&sack->frame.packet, psn_add(message.first, (int32_t)i));

            if (shows && !has[i])
                conform_report_fail(report, "a SACK shows packet %u, which has not arrived", i);
            is_shown[i] |= shows;
            left += has[i] && !is_shown[i];
        }
    }
    if (left > 0)
        conform_report_fail(
            report, "%u packets that have arrived are in none of %u SACKs", left, ROUNDS_MAX);
    endpoint_packet_send_all(bench, &message);
    endpoint_bench_settle(bench);
}

/* ---- numbers --------------------------------------------------------------------------------- */

void endpoint_suite_sack_ooo(void *kit, struct conform_report *report)
{
    static const uint8_t order[] = { 4, 2, 2, 1, 0, 3 };
    static const uint8_t wanted[] = { 1, 2, 2, 3, 1, 0 };
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message;

    if (!bench)
        return;
    message = (struct endpoint_packet_message){ .bytes = 5 * bench->session.terms.pmtu_bytes };
    endpoint_packet_take(bench, &message);
    for (uint32_t i = 0; i < sizeof(order); i++) {
        const struct endpoint_frame *sack = endpoint_expect_taken(bench, &message, order[i]);

        if (!sack)
            return;
        if (sack->frame.packet.sack.ooo_count != wanted[i])
            conform_report_fail(report, "%u packets wait above cack_psn, and ooo_count is %u",
                wanted[i], sack->frame.packet.sack.ooo_count);
    }
}

/* Judges rcvd_bytes after packets of `bytes`, of which `before` units were there. What these were
 * rounded from is known only of a new QP. */
static bool judge_units(
    const struct endpoint_bench *bench, uint32_t units, uint32_t before, uint64_t bytes)
{
    uint32_t wanted = (uint32_t)((bytes + UNIT_BYTES - 1) / UNIT_BYTES);
    uint32_t found = (units - before) & 0xffffff;
    uint32_t less = bench->device->driver[0] ? 0 : 1;

    if (found <= wanted && found + less >= wanted)
        return true;
    conform_report_fail(bench->report,
        "after packets of %llu bytes, nominal, rcvd_bytes has grown by %u units instead of %u",
        (unsigned long long)bytes, found, wanted);
    return false;
}

/* Sends a packet trimmed, whole and again. Returns what counts of it; 0 if it is not answered. */
static uint32_t send_thrice(struct endpoint_bench *bench, uint32_t bytes)
{
    struct endpoint_packet_message message = { .bytes = bytes };
    struct packet packet;

    endpoint_packet_take(bench, &message);
    packet = endpoint_packet_of(bench, &message, 0);
    packet.class = DSCP_TRIMMED;
    endpoint_bench_send(bench, &packet);
    for (uint32_t copy = 0; copy < 2; copy++)
        if (!endpoint_expect_taken(bench, &message, 0))
            return 0;
    packet.class = DSCP_TRIMMABLE;
    return packet_nominal_bytes(&packet);
}

/* New packets count with their nominal size; duplicates, trimmed packets and probes do not. */
void endpoint_suite_sack_bytes(void *kit, struct conform_report *report)
{
    static const uint32_t sizes[] = { 1, 600, 64, 1024, 0, 333 };
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    const struct endpoint_frame *sack = bench ? endpoint_expect_probe_answer(bench) : NULL;
    uint32_t before = sack ? sack->frame.packet.sack.received_units : 0;
    uint64_t total_bytes = 0;

    for (uint32_t i = 0; sack && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint32_t bytes = send_thrice(bench, sizes[i]);

        sack = bytes > 0 ? endpoint_expect_probe_answer(bench) : NULL;
        total_bytes += bytes;
        if (!sack ||
            !judge_units(bench, sack->frame.packet.sack.received_units, before, total_bytes))
            return;
    }
}

/* Without Dynamic MPR the field is 0, with it the MPR that was agreed or less. */
void endpoint_suite_sack_mpr(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    const struct endpoint_frame *sack = bench ? endpoint_expect_probe_answer(bench) : NULL;

    if (sack && sack->frame.packet.sack.mpr != 0)
        conform_report_fail(report, "without Dynamic MPR, SACKs announce an MPR of %u",
            sack->frame.packet.sack.mpr);
}

void endpoint_suite_sack_mpr_dynamic(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_bench_begin(kit, report);
    struct endpoint_terms terms = endpoint_session_terms(bench);
    const struct endpoint_frame *sack;
    uint8_t mpr;

    terms.has_dynamic_mpr = true;
    sack = endpoint_session_open(bench, &terms) ? endpoint_expect_probe_answer(bench) : NULL;
    if (!sack)
        return;
    mpr = sack->frame.packet.sack.mpr;
    if (mpr == 0 || mpr > terms.mpr_dest)
        conform_report_fail(
            report, "with Dynamic MPR and an MPR of %u, SACKs announce %u", terms.mpr_dest, mpr);
}

/* ---- Transport ACKs -------------------------------------------------------------------------- */

void endpoint_suite_ack(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    uint32_t base = 0;

    for (uint32_t i = 0; bench && i < 4; i++) {
        struct endpoint_packet_message message = { .bytes = i * 1500 };
        const struct endpoint_frame *ack;
        uint32_t from = endpoint_bench_mark(bench);

        endpoint_packet_take(bench, &message);
        endpoint_packet_send_all(bench, &message);
        ack = endpoint_expect_ack(bench, from,
            psn_add(message.first, (int32_t)message.packet_count - 1), "a complete message");
        if (!ack)
            return;
        if (i == 0)
            base = ack->frame.packet.ack.messages_done - 1;
        if (bench->device->driver[0] && base != 0)
            conform_report_fail(report, "after the first message msn is %u instead of 1", base + 1);
        if (ack->frame.packet.ack.messages_done - base != i + 1)
            conform_report_fail(report, "after %u messages msn has grown by %u", i + 1,
                ack->frame.packet.ack.messages_done - base);
    }
}

static bool is_any_ack(const struct endpoint_frame *from, uint32_t key)
{
    (void)key;
    return from->frame.packet.opcode == OPCODE_ACK;
}

/* A packet is missing: the message is not acknowledged until it comes. */
void endpoint_suite_ack_waits(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message first, second = { .offset = 8192, .bytes = 100 };
    struct packet packet;

    if (!bench)
        return;
    first = (struct endpoint_packet_message){ .bytes = 3 * bench->session.terms.pmtu_bytes };
    endpoint_packet_take(bench, &first);
    endpoint_packet_take(bench, &second);
    if (!endpoint_expect_taken(bench, &first, 0) || !endpoint_expect_taken(bench, &first, 2) ||
        !endpoint_expect_taken(bench, &second, 0))
        return;
    endpoint_bench_settle(bench);
    if (endpoint_bench_find(bench, 0, is_any_ack, 0))
        conform_report_fail(report, "an ACK is sent for a message of which a packet is missing");
    packet = endpoint_packet_of(bench, &first, 1);
    endpoint_bench_send(bench, &packet);
    endpoint_expect_ack(bench, 0, second.first, "messages whose missing packet has come");
}
