/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of endpoints: packets that a responder refuses, and packets that are not for it. */
#include <string.h>

#include "conform/conform_frame.h"
#include "conform/endpoint_expect.h"
#include "conform/endpoint_suite.h"
#include "conform/hostile_frame.h"

enum { FILLER = 0x3c, HOSTILE_FRAMES = 400, HOSTILE_BATCH = 20 };

static const struct ipv6_addr somewhere = { { 0x20, 0x01, 0x0d, 0xb8, 0xff, 0xff, [15] = 9 } };

/* ---- Transport NAKs -------------------------------------------------------------------------- */

/* Two messages complete; the third one is refused. Returns its first packet. */
static struct endpoint_bench *begin_refusal(
    void *kit, struct conform_report *report, struct packet *packet)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message good = { .offset = 4096, .bytes = 100 };
    struct endpoint_packet_message bad = { .bytes = 100 };

    for (uint32_t i = 0; bench && i < 2; i++) {
        endpoint_packet_take(bench, &good);
        endpoint_packet_send_all(bench, &good);
        if (!endpoint_expect_ack(bench, 0, good.first, "a message"))
            return NULL;
    }
    if (!bench)
        return NULL;
    endpoint_session_fill(bench, 0, bad.bytes, FILLER);
    endpoint_packet_take(bench, &bad);
    *packet = endpoint_packet_of(bench, &bad, 0);
    return bench;
}

static void expect_refusal(
    struct endpoint_bench *bench, const struct packet *packet, const char *what, uint8_t syndrome)
{
    const struct endpoint_frame *nak;

    endpoint_bench_send(bench, packet);
    nak = endpoint_expect_nak(bench, 0, packet->psn, what);
    if (!nak)
        return;
    if (nak->frame.packet.ack.syndrome != syndrome)
        conform_report_fail(bench->report, "the syndrome for %s is 0x%02x instead of 0x%02x", what,
            nak->frame.packet.ack.syndrome, syndrome);
    endpoint_session_is_in(bench, "err");
    if (!endpoint_session_is_filled(bench, 0, 100, FILLER))
        conform_report_fail(bench->report, "%s is written to memory", what);
}

void endpoint_suite_bad_key(void *kit, struct conform_report *report)
{
    struct packet packet;
    struct endpoint_bench *bench = begin_refusal(kit, report, &packet);

    if (!bench)
        return;
    packet.write.rkey ^= 0x5a5a5a5a;
    expect_refusal(bench, &packet, "a write with a wrong rkey", ACK_SYNDROME_REMOTE_ACCESS);
}

void endpoint_suite_bounds(void *kit, struct conform_report *report)
{
    for (uint32_t i = 0; i < 3; i++) {
        struct packet packet;
        struct endpoint_bench *bench = begin_refusal(kit, report, &packet);

        if (!bench)
            return;
        if (i == 0)
            packet.write.va = bench->session.va - 50;
        else if (i == 1)
            packet.write.va = bench->session.va + bench->session.memory_bytes - 50;
        else
            packet.write.va = UINT64_MAX - 50;
        expect_refusal(
            bench, &packet, "a write beyond the memory region", ACK_SYNDROME_REMOTE_ACCESS);
        if (conform_report_has_failed(report))
            return;
    }
}

/* Lengths that do not fit the opcode. */
void endpoint_suite_length(void *kit, struct conform_report *report)
{
    static const uint8_t opcodes[] = { OPCODE_WRITE_FIRST, OPCODE_WRITE_ONLY };

    for (uint32_t i = 0; i < sizeof(opcodes); i++) {
        struct packet packet;
        struct endpoint_bench *bench = begin_refusal(kit, report, &packet);

        if (!bench)
            return;
        packet.opcode = opcodes[i];
        packet.write.message_bytes = 5000;
        packet.write.payload.length = i == 0 ? 60 : 100;
        expect_refusal(bench, &packet,
            i == 0 ? "a First that is shorter than the PMTU"
                   : "an Only that is not the whole message",
            ACK_SYNDROME_INVALID_REQUEST);
        if (conform_report_has_failed(report))
            return;
    }
}

/* What the requester needs to know which messages have arrived. */
void endpoint_suite_nak(void *kit, struct conform_report *report)
{
    struct packet packet;
    struct endpoint_bench *bench = begin_refusal(kit, report, &packet);
    const struct endpoint_frame *nak;

    if (!bench)
        return;
    packet.write.rkey ^= 0x5a5a5a5a;
    endpoint_bench_send(bench, &packet);
    nak = endpoint_expect_nak(bench, 0, packet.psn, "a write with a wrong rkey");
    if (nak && nak->frame.packet.ack.messages_done != 2)
        conform_report_fail(report, "two messages are complete, and msn of the NAK is %u",
            nak->frame.packet.ack.messages_done);
}

void endpoint_suite_sequence(void *kit, struct conform_report *report)
{
    struct packet packet;
    struct endpoint_bench *bench = begin_refusal(kit, report, &packet);

    if (!bench)
        return;
    packet.opcode = OPCODE_WRITE_MIDDLE;
    packet.write.payload.length = bench->session.terms.pmtu_bytes;
    packet.write.message_bytes = 3 * bench->session.terms.pmtu_bytes;
    packet.write.pad_bytes = 0;
    endpoint_bench_send(bench, &packet);
    endpoint_bench_settle(bench);
    if (endpoint_bench_find(bench, 0, endpoint_packet_is_nak, packet.psn.value))
        conform_report_reading(report, ENDPOINT_POINT_SEQUENCE, "a NAK, and the QP fails");
    else
        conform_report_reading(report, ENDPOINT_POINT_SEQUENCE, "no NAK");
}

/* ---- silence --------------------------------------------------------------------------------- */

void endpoint_suite_error_silent(void *kit, struct conform_report *report)
{
    struct packet packet;
    struct endpoint_bench *bench = begin_refusal(kit, report, &packet);
    struct packet probe;
    uint32_t from;

    if (!bench)
        return;
    packet.write.rkey ^= 0x5a5a5a5a;
    endpoint_bench_send(bench, &packet);
    if (!endpoint_expect_nak(bench, 0, packet.psn, "a write with a wrong rkey") ||
        !endpoint_session_is_in(bench, "err"))
        return;
    endpoint_bench_settle(bench);
    from = endpoint_bench_mark(bench);
    packet.write.rkey ^= 0x5a5a5a5a;
    endpoint_bench_send(bench, &packet);
    packet.psn = psn_add(packet.psn, 1);
    endpoint_bench_send(bench, &packet);
    packet.class = DSCP_TRIMMED;
    endpoint_bench_send(bench, &packet);
    probe = endpoint_packet_probe(bench);
    endpoint_bench_send(bench, &probe);
    endpoint_expect_silence(bench, from, "a packet for a QP in ERR");
    if (!endpoint_session_is_filled(bench, 0, 100, FILLER))
        conform_report_fail(report, "a QP in ERR writes to memory");
}

/* The QP is not connected yet. */
void endpoint_suite_init_silent(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_bench_begin(kit, report);
    struct endpoint_terms terms = endpoint_session_terms(bench);
    struct endpoint_packet_message message = { .bytes = 100 };
    struct packet packet;

    if (!endpoint_session_make(bench, &terms))
        return;
    endpoint_session_fill(bench, 0, 100, FILLER);
    endpoint_packet_take(bench, &message);
    endpoint_packet_send_all(bench, &message);
    packet = endpoint_packet_probe(bench);
    endpoint_bench_send(bench, &packet);
    endpoint_expect_silence(bench, 0, "a packet for a QP in INIT");
    if (!endpoint_session_is_filled(bench, 0, 100, FILLER))
        conform_report_fail(report, "a QP in INIT writes to memory");
}

/* Sends a packet that the device must ignore, and then the same one as it should be. */
static void check_ignored(struct endpoint_bench *bench, const struct packet *strange,
    const struct endpoint_packet_message *message, const char *what)
{
    uint32_t from;

    endpoint_bench_settle(bench); /* the ACK of what came before may still be on its way */
    from = endpoint_bench_mark(bench);
    endpoint_bench_send(bench, strange);
    if (!endpoint_expect_silence(bench, from, what))
        return;
    if (!endpoint_session_is_filled(bench, 0, message->bytes, FILLER))
        conform_report_fail(bench->report, "%s is written to memory", what);
    if (endpoint_expect_taken(bench, message, 0))
        endpoint_expect_placed(bench, message, "the packet that follows");
    endpoint_session_fill(bench, 0, message->bytes, FILLER);
}

void endpoint_suite_stranger(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message = { .bytes = 100 };
    struct packet packet;

    if (!bench)
        return;
    endpoint_session_fill(bench, 0, 100, FILLER);
    endpoint_packet_take(bench, &message);
    packet = endpoint_packet_of(bench, &message, 0);
    packet.src = somewhere;
    check_ignored(bench, &packet, &message, "a write from another address than the peer's");
    packet = endpoint_packet_probe(bench);
    packet.src = somewhere;
    endpoint_packet_take(bench, &message);
    check_ignored(bench, &packet, &message, "a probe from another address than the peer's");
}

void endpoint_suite_misdirected(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message = { .bytes = 100 };
    struct packet packet;

    if (!bench)
        return;
    endpoint_session_fill(bench, 0, 100, FILLER);
    endpoint_packet_take(bench, &message);
    packet = endpoint_packet_of(bench, &message, 0);
    packet.dest_qpn ^= 0x400000;
    check_ignored(bench, &packet, &message, "a write to a QP that does not exist");
    endpoint_packet_take(bench, &message);
    packet = endpoint_packet_of(bench, &message, 0);
    packet.dst.octets[15] ^= 0x40;
    check_ignored(bench, &packet, &message, "a write to another address");
}

/* ---- hostile frames -------------------------------------------------------------------------- */

/* Damaged frames of all kinds, with the addresses and the QP of the session. Afterwards the device
 * works, if not the QP. */
void endpoint_suite_hostile(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    static const uint8_t opcodes[] = { OPCODE_WRITE_ONLY, OPCODE_SACK, OPCODE_NACK, OPCODE_ACK,
        OPCODE_PROBE, OPCODE_ENDPOINT_REQUEST, OPCODE_ENDPOINT_RESPONSE };
    uint8_t bytes[CONFORM_FRAME_BYTES_MAX];

    for (uint32_t i = 0; bench && i < HOSTILE_FRAMES; i++) {
        struct conform_frame frame = { .source = bench->device->peer,
            .destination = bench->address,
            .path = bench->device->ports[0].has_path ? &bench->device->ports[0].path : NULL,
            .opcode = opcodes[i % sizeof(opcodes)],
            .ev = i,
            .dest_qpn = bench->session.qpn,
            .psn = psn_add(bench->session.next_psn, (int32_t)(i % 8)).value,
            .class = i % 3 ? DSCP_TRIMMABLE : DSCP_TRIMMED,
            .payload_bytes = 64 };
        uint32_t length =
            conform_frame_build(&bench->device->format, &frame, &bench->prng, bytes, sizeof(bytes));

        if (length < 60)
            continue;
        length = hostile_frame_damage(&bench->prng, bytes, length, sizeof(bytes));
        if (length > 0 && length <= bench->ports[0].io->mtu_bytes)
            endpoint_bench_send_bytes(bench, 0, bytes, length);
        if (i % HOSTILE_BATCH == 0)
            endpoint_bench_settle(bench);
    }
    if (!bench || endpoint_bench_has_ended(bench))
        return;
    endpoint_bench_settle(bench);
    if (bench->has_late_fence)
        conform_report_fail(report, "after hostile frames the device answers no EV probe");
    if (bench->device->driver[0])
        endpoint_suite_place(kit, report);
}
