/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of endpoints: trimmed packets and outer headers. */
#include <string.h>

#include "conform/conform_frame.h"
#include "conform/endpoint_expect.h"
#include "conform/endpoint_suite.h"
#include "wire/trim.h"

enum { UNIT_PSNS = 128, FILLER = 0x5a };

static const struct ipv6_addr somewhere = { { 0x20, 0x01, 0x0d, 0xb8, 0xff, 0xff, [15] = 9 } };

/* Sends a new message of 700 bytes as a trimmed packet. */
static struct packet send_trimmed(
    struct endpoint_bench *bench, struct endpoint_packet_message *message, enum dscp_class class)
{
    struct packet packet;

    message->bytes = 700;
    endpoint_packet_take(bench, message);
    packet = endpoint_packet_of(bench, message, 0);
    packet.class = (uint8_t) class;
    endpoint_bench_send(bench, &packet);
    return packet;
}

static void judge_nack(struct conform_report *report, const struct endpoint_frame *nack,
    const struct packet *packet, uint8_t reason)
{
    const struct packet_nack *found = &nack->frame.packet.nack;

    if (found->reason != reason)
        conform_report_fail(
            report, "the reason is 0x%02x instead of 0x%02x", found->reason, reason);
    if (found->entropy != packet->ev)
        conform_report_fail(
            report, "the EV is 0x%08x instead of 0x%08x", found->entropy, packet->ev);
    if (found->tx_timestamp != packet->write.tx_timestamp)
        conform_report_fail(report, "the timestamp is 0x%04x instead of 0x%04x",
            found->tx_timestamp, packet->write.tx_timestamp);
}

static void check_trimmed(
    void *kit, struct conform_report *report, enum dscp_class class, uint8_t reason)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);

    for (uint32_t i = 0; bench && i < 3; i++) {
        struct endpoint_packet_message message = { .offset = 0 };
        uint32_t from = endpoint_bench_mark(bench);
        struct packet packet = send_trimmed(bench, &message, class);
        const struct endpoint_frame *nack =
            endpoint_expect_nack(bench, from, packet.psn, "a trimmed packet");

        if (!nack)
            return;
        judge_nack(report, nack, &packet, reason);
        if (!endpoint_expect_taken(bench, &message, 0))
            return;
    }
}

void endpoint_suite_trim(void *kit, struct conform_report *report)
{
    check_trimmed(kit, report, DSCP_TRIMMED, NACK_TRIMMED);
}

void endpoint_suite_trim_last_hop(void *kit, struct conform_report *report)
{
    check_trimmed(kit, report, DSCP_TRIMMED_LASTHOP, NACK_TRIMMED_LASTHOP);
}

/* A trimmed packet has not arrived: the next copy is new. */
void endpoint_suite_trim_state(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message = { .offset = 0 };
    const struct endpoint_frame *answer;
    struct packet packet;

    if (!bench)
        return;
    packet = send_trimmed(bench, &message, DSCP_TRIMMED);
    answer = endpoint_expect_probe_answer(bench);
    if (!answer)
        return;
    if (endpoint_packet_shows(&answer->frame.packet, packet.psn))
        conform_report_fail(report, "SACKs show a packet that came trimmed");
    if (!endpoint_expect_taken(bench, &message, 0))
        return;
    endpoint_expect_placed(bench, &message, "a packet that came trimmed at first");
}

/* More than the headers survives at most switches. It must not be used: neither key nor payload. */
void endpoint_suite_trim_rest(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message = { .bytes = 700 };
    uint8_t bytes[CONFORM_FRAME_BYTES_MAX];
    struct frame frame;
    uint32_t length;

    if (!bench)
        return;
    endpoint_session_fill(bench, 0, message.bytes, FILLER);
    endpoint_packet_take(bench, &message);
    frame = (struct frame){ .packet = endpoint_packet_of(bench, &message, 0) };
    frame_address(&bench->device->format, &frame,
        bench->device->ports[0].has_path ? &bench->device->ports[0].path : NULL, NULL);
    length = frame_build(&bench->device->format, &frame, bytes, sizeof(bytes));
    memcpy(bytes + frame.payload_offset, message.payload, message.bytes);
    length =
        (uint32_t)trim_frame(bytes, length, length - 400, bench->device->format.dscp[DSCP_TRIMMED]);
    endpoint_bench_send_bytes(bench, 0, bytes, length);
    endpoint_expect_nack(bench, 0, message.first, "a trimmed packet of which more survived");
    if (!endpoint_session_is_filled(bench, 0, message.bytes, FILLER))
        conform_report_fail(report, "what survives of a trimmed packet is written to memory");
    endpoint_expect_taken(bench, &message, 0);
}

void endpoint_suite_trim_stranger(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message = { .bytes = 700 };
    struct packet packet;

    if (!bench)
        return;
    endpoint_packet_take(bench, &message);
    packet = endpoint_packet_of(bench, &message, 0);
    packet.class = DSCP_TRIMMED;
    packet.src = somewhere;
    endpoint_bench_send(bench, &packet);
    endpoint_expect_silence(bench, 0, "a trimmed packet from another address");
    endpoint_packet_send_all(bench, &message);
}

/* Readings: a trimmed duplicate, and one beyond the window. */
void endpoint_suite_trim_readings(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message = { .bytes = 700 };
    struct packet packet;
    uint32_t from;

    if (!bench)
        return;
    endpoint_packet_take(bench, &message);
    if (!endpoint_expect_taken(bench, &message, 0))
        return;
    packet = endpoint_packet_of(bench, &message, 0);
    packet.class = DSCP_TRIMMED;
    from = endpoint_bench_mark(bench);
    endpoint_bench_send(bench, &packet);
    endpoint_bench_settle(bench);
    if (endpoint_bench_find(bench, from, endpoint_packet_is_nack, packet.psn.value))
        conform_report_reading(report, ENDPOINT_POINT_TRIM_AGAIN, "a NACK");
    else
        conform_report_reading(report, ENDPOINT_POINT_TRIM_AGAIN, "%s",
            endpoint_bench_find(bench, from, endpoint_packet_is_sack, packet.psn.value)
                ? "a SACK"
                : "no answer");
    packet.psn = psn_add(packet.psn, (int32_t)(bench->session.terms.mpr_dest * UNIT_PSNS + 50));
    endpoint_bench_send(bench, &packet);
    endpoint_bench_settle(bench);
    conform_report_reading(report, ENDPOINT_POINT_TRIM_BEYOND, "%s",
        endpoint_bench_find(bench, from, endpoint_packet_is_nack, packet.psn.value) ? "a NACK"
                                                                                    : "no answer");
}

/* ---- outer headers --------------------------------------------------------------------------- */

/* Returns the outer destination: that of the port or, on a cable, uSIDs of which the last one,
 * which leads to the host, is left. */
static const struct ipv6_addr *outer_path(const struct endpoint_bench *bench)
{
    static const struct ipv6_addr last = { { 0xfc, 0x00, 0x00, 0x42, 0xac, 0x07 } };

    return bench->device->ports[0].has_path ? &bench->device->ports[0].path : &last;
}

static uint8_t traffic_class(
    const struct endpoint_bench *bench, enum dscp_class class, enum ecn ecn)
{
    return (uint8_t)(bench->device->format.dscp[class] << 2 | (int)ecn);
}

/* CE of the outer header counts if the inner packet is ECN-capable. */
void endpoint_suite_outer_mark(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);

    for (uint32_t i = 0; bench && i < 2; i++) {
        struct endpoint_packet_message message = { .bytes = 64 };
        uint32_t from = endpoint_bench_mark(bench);
        const struct endpoint_frame *sack;
        struct packet packet;

        endpoint_packet_take(bench, &message);
        packet = endpoint_packet_of(bench, &message, 0);
        endpoint_bench_send_inside(bench, &packet, outer_path(bench),
            traffic_class(bench, DSCP_TRIMMABLE, i == 0 ? ECN_CE : ECN_ECT0));
        sack = endpoint_expect_sack(bench, from, packet.psn, "a packet with an outer header");
        if (!sack)
            return;
        if (sack->frame.packet.sack.mark != (i == 0 ? SACK_MARK_SKIP_ONCE : SACK_MARK_NONE))
            conform_report_fail(report, "the outer header %s CE, and m is %u",
                i == 0 ? "has" : "does not have", sack->frame.packet.sack.mark);
        if (!endpoint_expect_placed(bench, &message, "a packet with an outer header"))
            return;
    }
}

/* The inner packet of a trimmed one is as it was: lengths and DSCP are those of the whole packet.
 */
void endpoint_suite_outer_trim(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message = { .bytes = 700 };
    uint8_t bytes[CONFORM_FRAME_BYTES_MAX];
    const struct endpoint_frame *nack;
    struct frame frame;
    uint32_t length;

    if (!bench)
        return;
    endpoint_packet_take(bench, &message);
    frame = (struct frame){ .packet = endpoint_packet_of(bench, &message, 0) };
    frame_address(&bench->device->format, &frame, outer_path(bench), NULL);
    length = frame_build(&bench->device->format, &frame, bytes, sizeof(bytes));
    length = (uint32_t)trim_frame(bytes, length, trim_bytes_min(bytes, length),
        bench->device->format.dscp[DSCP_TRIMMED_LASTHOP]);
    endpoint_bench_send_bytes(bench, 0, bytes, length);
    nack = endpoint_expect_nack(
        bench, 0, message.first, "a packet whose outer header says that it was trimmed");
    if (nack)
        judge_nack(report, nack, &frame.packet, NACK_TRIMMED_LASTHOP);
    endpoint_expect_taken(bench, &message, 0);
}
