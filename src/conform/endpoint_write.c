/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of endpoints: the data packets that a requester sends. */
#include <string.h>

#include "conform/endpoint_expect.h"
#include "conform/endpoint_requester.h"
#include "conform/endpoint_suite.h"

enum { BTH_OFFSET = 48, HEADER_OFFSET = 60, STAMP_TYPE = 1, PACKETS_SEEN = 4 };

static const uint8_t *header_of(const struct endpoint_frame *from)
{
    return from->bytes + from->frame.inner_offset + HEADER_OFFSET;
}

/* ---- messages and packets -------------------------------------------------------------------- */

static uint8_t opcode_for(uint32_t index, uint32_t count, bool has_immediate)
{
    if (count == 1)
        return has_immediate ? OPCODE_WRITE_ONLY_IMM : OPCODE_WRITE_ONLY;
    if (index + 1 == count)
        return has_immediate ? OPCODE_WRITE_LAST_IMM : OPCODE_WRITE_LAST;
    return index == 0 ? OPCODE_WRITE_FIRST : OPCODE_WRITE_MIDDLE;
}

/* Posts a write of so many bytes, and expects its packets from `first` on. Returns their number. */
static uint32_t expect_message(
    struct endpoint_bench *bench, uint32_t first, const struct endpoint_work *work)
{
    uint32_t pmtu_bytes = bench->session.terms.pmtu_bytes;
    uint32_t count = work->bytes > 0 ? (work->bytes + pmtu_bytes - 1) / pmtu_bytes : 1;

    if (!endpoint_session_post(bench, work))
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct endpoint_frame *from = endpoint_expect_write(bench, first + i, 1);
        const struct packet *packet;
        uint32_t left = work->bytes - i * pmtu_bytes;
        uint32_t length = left < pmtu_bytes ? left : pmtu_bytes;
        uint8_t opcode = opcode_for(i, count, work->has_immediate);

        if (!from)
            return 0;
        packet = &from->frame.packet;
        if (packet->opcode != opcode)
            conform_report_fail(bench->report, "packet %u of %u is %s instead of %s", i, count,
                opcode_name(packet->opcode), opcode_name(opcode));
        if (packet->write.payload.length != length)
            conform_report_fail(bench->report, "packet %u of %u bytes has %u of them instead of %u",
                i, work->bytes, packet->write.payload.length, length);
        else if (memcmp(packet->write.payload.bytes,
                     bench->pattern + work->offset + (size_t)i * pmtu_bytes, length) != 0)
            conform_report_fail(
                bench->report, "packet %u carries other bytes than those in memory", i);
    }
    return endpoint_expect_sent(bench, work->id, "success") ? count : 0;
}

void endpoint_suite_segments(void *kit, struct conform_report *report)
{
    static const uint32_t parts[] = { 1, 1024, 1025, 2048, 3500, 0, 7 };
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    uint32_t first = 0;

    for (uint32_t i = 0; bench && i < sizeof(parts) / sizeof(parts[0]); i++) {
        struct endpoint_work work = { .id = i, .offset = i * 4096, .bytes = parts[i] };
        uint32_t count = expect_message(bench, first, &work);

        if (count == 0)
            return;
        first += count;
    }
}

void endpoint_suite_write_reth(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    struct endpoint_work work = { .id = 1, .offset = 512 };

    if (!bench)
        return;
    work.bytes = 3 * bench->session.terms.pmtu_bytes + 5;
    if (!endpoint_session_post(bench, &work))
        return;
    for (uint32_t i = 0; i < PACKETS_SEEN; i++) {
        const struct endpoint_frame *from = endpoint_expect_write(bench, i, 1);
        uint64_t va =
            ENDPOINT_WORK_VA + work.offset + (uint64_t)i * bench->session.terms.pmtu_bytes;

        if (!from)
            return;
        if (from->frame.packet.write.va != va)
            conform_report_fail(report, "va of packet %u is 0x%llx instead of 0x%llx", i,
                (unsigned long long)from->frame.packet.write.va, (unsigned long long)va);
        if (from->frame.packet.write.rkey != ENDPOINT_WORK_RKEY)
            conform_report_fail(
                report, "rkey of packet %u is 0x%x", i, from->frame.packet.write.rkey);
        if (from->frame.packet.write.message_bytes != work.bytes)
            conform_report_fail(report, "dmalen of packet %u is %u instead of %u", i,
                from->frame.packet.write.message_bytes, work.bytes);
    }
}

/* Plain writes and WriteIMMs in turn, of two packets each. */
void endpoint_suite_write_msn(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    bool has_immediates = !conform_report_lacks(report, ENDPOINT_WRITE_IMM);

    for (uint32_t i = 0; bench && i < 6; i++) {
        struct endpoint_work work = { .id = i,
            .bytes = bench->session.terms.pmtu_bytes + 4,
            .has_immediate = has_immediates && i % 2,
            .immediate = i };

        if (!endpoint_session_post(bench, &work))
            return;
        for (uint32_t k = 0; k < 2; k++) {
            const struct endpoint_frame *from = endpoint_expect_write(bench, 2 * i + k, 1);

            if (!from)
                return;
            if (from->frame.packet.write.msn != i)
                conform_report_fail(
                    report, "msn of message %u is %u", i, from->frame.packet.write.msn);
            if (work.has_immediate && from->frame.packet.write.rqmsn != i / 2)
                conform_report_fail(
                    report, "rqmsn of WriteIMM %u is %u", i / 2, from->frame.packet.write.rqmsn);
            if (!work.has_immediate && i > 0)
                conform_report_reading(report, ENDPOINT_POINT_PLAIN_RQMSN, "%u after %u WriteIMMs",
                    from->frame.packet.write.rqmsn, has_immediates ? i / 2 : 0);
        }
    }
}

void endpoint_suite_write_imm(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    uint32_t first = 0;

    for (uint32_t i = 0; bench && i < 3; i++) {
        struct endpoint_work work = {
            .id = i, .bytes = i * 1024, .has_immediate = true, .immediate = 0xcafe0000 + i
        };
        uint32_t count = expect_message(bench, first, &work);
        const struct endpoint_frame *last;

        if (count == 0)
            return;
        last = endpoint_expect_write(bench, first + count - 1, 1);
        if (last && last->frame.packet.write.immediate != work.immediate)
            conform_report_fail(report, "immediate 0x%x is sent as 0x%x", work.immediate,
                last->frame.packet.write.immediate);
        first += count;
    }
}

void endpoint_suite_write_pad(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);

    for (uint32_t i = 0; bench && i < 5; i++) {
        struct endpoint_work work = { .id = i, .bytes = i + 1 };
        const struct endpoint_frame *from;
        const uint8_t *pad;

        from = endpoint_session_post(bench, &work) ? endpoint_expect_write(bench, i, 1) : NULL;
        if (!from)
            return;
        if (from->frame.packet.write.pad_bytes != (-work.bytes & 3))
            conform_report_fail(report, "%u bytes have %u bytes of pad", work.bytes,
                from->frame.packet.write.pad_bytes);
        pad = from->bytes + from->frame.payload_offset + from->frame.packet.write.payload.length;
        for (uint32_t k = 0; k < from->frame.packet.write.pad_bytes; k++)
            if (pad[k])
                conform_report_fail(report, "a byte of pad is 0x%02x", pad[k]);
    }
}

/* ---- headers --------------------------------------------------------------------------------- */

/* Returns the packets of one message of four packets, as they came. */
static struct endpoint_bench *begin_message(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    struct endpoint_work work = { .id = 1 };

    if (!bench)
        return NULL;
    work.bytes = PACKETS_SEEN * bench->session.terms.pmtu_bytes - 1;
    return endpoint_session_post(bench, &work) && endpoint_expect_write(bench, PACKETS_SEEN - 1, 1)
               ? bench
               : NULL;
}

void endpoint_suite_write_class(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_message(kit, report);

    for (uint32_t i = 0; bench && i < PACKETS_SEEN; i++) {
        const struct endpoint_frame *from = endpoint_expect_write(bench, i, 1);

        if (!from)
            return;
        if (from->frame.packet.class != DSCP_TRIMMABLE && from->frame.packet.class != DSCP_NO_TRIM)
            conform_report_fail(report,
                "the DSCP of a new packet is %u: neither TRIMMABLE nor NO_TRIM",
                from->frame.inner.traffic_class >> 2);
        if (from->frame.packet.ecn != ECN_ECT0 && from->frame.packet.ecn != ECN_ECT1)
            conform_report_fail(
                report, "a data packet is not ECN-capable: ECN %u", from->frame.packet.ecn);
    }
}

void endpoint_suite_write_icrc(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_message(kit, report);

    for (uint32_t i = 0; bench && i < bench->frame_count; i++)
        if (bench->frames[i].reason == DROP_NONE && !bench->frames[i].has_good_icrc)
            conform_report_fail(report, "the iCRC of %s is wrong",
                endpoint_expect_name(&bench->frames[i].frame.packet));
}

void endpoint_suite_write_bth(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_message(kit, report);

    for (uint32_t i = 0; bench && i < PACKETS_SEEN; i++) {
        const struct endpoint_frame *from = endpoint_expect_write(bench, i, 1);
        const uint8_t *bth = from ? from->bytes + from->frame.inner_offset + BTH_OFFSET : NULL;

        if (!from)
            return;
        if (from->frame.packet.dest_qpn != bench->session.peer_qpn)
            conform_report_fail(report, "a write goes to QP 0x%x", from->frame.packet.dest_qpn);
        if (bth[2] != 0xff || bth[3] != 0xff || bth[4] || bth[1] & 0x4f || bth[8] & 0x4f)
            conform_report_fail(report,
                "partition or reserved bits of BTH are wrong: %02x %02x%02x %02x %02x", bth[1],
                bth[2], bth[3], bth[4], bth[8]);
        if (from->frame.packet.flags & PACKET_RETRANSMISSION)
            conform_report_fail(report, "the first transmission of a packet has rtx = 1");
    }
}

void endpoint_suite_write_stamp(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_message(kit, report);

    for (uint32_t i = 0; bench && i < PACKETS_SEEN; i++) {
        const struct endpoint_frame *from = endpoint_expect_write(bench, i, 1);
        const uint8_t *stamp = from ? header_of(from) + 4 : NULL;

        if (!from)
            return;
        if (!(from->frame.packet.flags & PACKET_STAMPED))
            conform_report_fail(report, "packet %u has no TSETH", i);
        else if ((stamp[2] & 0x7f) || stamp[3] != STAMP_TYPE)
            conform_report_fail(report,
                "bytes 2 and 3 of TSETH are %02x %02x: ftype is 1, the rest is reserved", stamp[2],
                stamp[3]);
    }
}

void endpoint_suite_write_ack_request(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_message(kit, report);
    uint32_t asking = 0;

    for (uint32_t i = 0; bench && i < PACKETS_SEEN; i++) {
        const struct endpoint_frame *from = endpoint_expect_write(bench, i, 1);

        if (!from)
            return;
        asking += (from->frame.packet.flags & PACKET_ACK_REQUEST) != 0;
        if (i == PACKETS_SEEN - 1 && !(from->frame.packet.flags & PACKET_ACK_REQUEST))
            conform_report_fail(report,
                "the last packet of a signalled message does not ask for an acknowledgement");
    }
    if (bench)
        conform_report_reading(report, ENDPOINT_POINT_ACK_REQUEST, "%u of 4", asking);
}

/* EVs: several of them in use, in the low 16 bits of the flow label and in the source port. */
void endpoint_suite_write_ev(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_message(kit, report);
    const struct endpoint_frame *from = bench ? endpoint_expect_write(bench, 0, 1) : NULL;

    if (!from)
        return;
    conform_report_reading(
        report, ENDPOINT_POINT_FLOW_LABEL, "%s", from->frame.inner.flow_label >> 16 ? "set" : "0");
}

void endpoint_suite_write_wrap(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_bench_begin(kit, report);
    struct endpoint_terms terms = endpoint_requester_terms(bench);
    struct endpoint_work work = { .id = 1, .bytes = 6 * terms.pmtu_bytes };

    terms.sq_psn = 0xfffffd;
    if (!endpoint_session_open(bench, &terms) || !endpoint_session_post(bench, &work))
        return;
    for (uint32_t i = 0; i < 6; i++)
        if (!endpoint_expect_write(bench, i, 1))
            return;
    endpoint_expect_sent(bench, 1, "success");
}
