/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of endpoints: the form of the packets that they send. */
#include "conform/endpoint_expect.h"
#include "conform/endpoint_suite.h"
#include "wire/bth.h"

enum { UDP_OFFSET = 40, BTH_OFFSET = 48, HEADER_OFFSET = 60, TYPE_NACK_CC = 0x20 };

/* Returns the BTH of a valid frame over IPv6. */
static const uint8_t *bth_of(const struct endpoint_frame *from)
{
    return from->bytes + from->frame.inner_offset + BTH_OFFSET;
}

static const uint8_t *header_of(const struct endpoint_frame *from)
{
    return from->bytes + from->frame.inner_offset + HEADER_OFFSET;
}

/* Makes the device send a packet of each kind, as responder. */
static struct endpoint_bench *begin_answers(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message = { .bytes = 100 };
    struct endpoint_packet_message trimmed = { .bytes = 500 };
    struct packet packet;

    if (!bench)
        return NULL;
    endpoint_packet_take(bench, &message);
    endpoint_packet_send_all(bench, &message);
    endpoint_packet_take(bench, &trimmed);
    packet = endpoint_packet_of(bench, &trimmed, 0);
    packet.class = DSCP_TRIMMED;
    endpoint_bench_send(bench, &packet);
    endpoint_packet_send_all(bench, &trimmed);
    packet = endpoint_packet_probe(bench);
    endpoint_bench_send(bench, &packet);
    endpoint_bench_await(bench, 0, endpoint_packet_is_probe_answer, packet.probe.probe_id);
    endpoint_bench_settle(bench);
    return bench;
}

static bool is_control(const struct endpoint_frame *from)
{
    uint8_t opcode = from->frame.packet.opcode;

    return from->reason == DROP_NONE &&
           (opcode == OPCODE_SACK || opcode == OPCODE_NACK || opcode == OPCODE_ACK ||
               opcode == OPCODE_ENDPOINT_RESPONSE);
}

void endpoint_suite_answer_valid(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_answers(kit, report);

    for (uint32_t i = 0; bench && i < bench->frame_count; i++)
        if (bench->frames[i].reason != DROP_NONE)
            conform_report_fail(report, "a packet of %u bytes is malformed: %s",
                bench->frames[i].length, drop_name(bench->frames[i].reason));
    if (bench && !endpoint_bench_find(bench, 0, endpoint_packet_is_answer, 0) &&
        !endpoint_bench_has_ended(bench))
        conform_report_fail(report, "a write, a trimmed packet and a probe are not answered");
}

static void judge_icrc(struct endpoint_bench *bench, struct conform_report *report)
{
    for (uint32_t i = 0; i < bench->frame_count; i++)
        if (bench->frames[i].reason == DROP_NONE && !bench->frames[i].has_good_icrc)
            conform_report_fail(report, "the iCRC of %s is wrong",
                endpoint_expect_name(&bench->frames[i].frame.packet));
}

void endpoint_suite_answer_icrc(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_answers(kit, report);

    if (bench)
        judge_icrc(bench, report);
}

void endpoint_suite_answer_class(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_answers(kit, report);

    for (uint32_t i = 0; bench && i < bench->frame_count; i++) {
        const struct packet *packet = &bench->frames[i].frame.packet;

        if (!is_control(&bench->frames[i]))
            continue;
        if (packet->class != DSCP_CONTROL)
            conform_report_fail(report, "%s is not in the control class: DSCP %u",
                endpoint_expect_name(packet), bench->frames[i].frame.inner.traffic_class >> 2);
        if (packet->ecn != ECN_NOT_ECT)
            conform_report_fail(
                report, "%s is ECN-capable: ECN %u", endpoint_expect_name(packet), packet->ecn);
    }
}

void endpoint_suite_answer_udp(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_answers(kit, report);

    for (uint32_t i = 0; bench && i < bench->frame_count; i++) {
        const struct endpoint_frame *from = &bench->frames[i];
        const uint8_t *udp = from->bytes + from->frame.inner_offset + UDP_OFFSET;

        if (from->reason != DROP_NONE)
            continue;
        if (from->frame.dest_port != bench->device->format.udp_port)
            conform_report_fail(report, "the UDP destination port is %u instead of %u",
                from->frame.dest_port, bench->device->format.udp_port);
        if (udp[6] || udp[7])
            conform_report_fail(report, "the UDP checksum is not 0");
        if (!ip_address_equal(&from->frame.packet.src, &bench->address) ||
            !ip_address_equal(&from->frame.packet.dst, &bench->device->peer))
            conform_report_fail(report, "%s has a wrong source or destination address",
                endpoint_expect_name(&from->frame.packet));
    }
}

static void judge_bth(struct conform_report *report, const struct endpoint_bench *bench,
    const struct endpoint_frame *from)
{
    const struct packet *packet = &from->frame.packet;
    const uint8_t *bth = bth_of(from);
    const char *name = endpoint_expect_name(packet);
    bool is_endpoint = packet->opcode == OPCODE_ENDPOINT_RESPONSE;
    uint32_t qpn = is_endpoint ? BTH_ENDPOINT_QPN : bench->session.peer_qpn;
    uint8_t allowed = packet->opcode == OPCODE_SACK ? PACKET_RETRANSMISSION : 0;

    if (packet->dest_qpn != qpn)
        conform_report_fail(
            report, "%s goes to QP 0x%x instead of 0x%x", name, packet->dest_qpn, qpn);
    if (bth[1] & 0x70)
        conform_report_fail(report, "%s: byte 1 of BTH is 0x%02x: pad or M is set", name, bth[1]);
    if (bth[2] != 0xff || bth[3] != 0xff)
        conform_report_fail(report, "%s: the partition key is 0x%02x%02x", name, bth[2], bth[3]);
    if (bth[4])
        conform_report_fail(report, "%s: byte 4 of BTH is 0x%02x instead of 0", name, bth[4]);
    if (bth[8] & ~allowed)
        conform_report_fail(report, "%s: byte 8 of BTH is 0x%02x", name, bth[8]);
}

void endpoint_suite_answer_bth(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_answers(kit, report);

    for (uint32_t i = 0; bench && i < bench->frame_count; i++)
        if (is_control(&bench->frames[i]))
            judge_bth(report, bench, &bench->frames[i]);
}

/* ---- headers of answers ---------------------------------------------------------------------- */

static void judge_sack(struct conform_report *report, const struct endpoint_frame *from)
{
    const uint8_t *seth = header_of(from);
    const struct packet *packet = &from->frame.packet;

    if (seth[0] || seth[1] & 0x9d)
        conform_report_fail(
            report, "type, nxt or reserved bits of SETH are set: %02x %02x", seth[0], seth[1]);
    if (seth[12] || seth[16] || seth[30] & 0x80)
        conform_report_fail(report, "reserved bytes, cc_type or cc_fl of SETH are set");
    if (!psn_equal(packet->psn, packet->sack.cack_psn))
        conform_report_fail(report, "PSN %u of BTH differs from cack_psn %u", packet->psn.value,
            packet->sack.cack_psn.value);
}

void endpoint_suite_sack_form(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_answers(kit, report);

    for (uint32_t i = 0; bench && i < bench->frame_count; i++)
        if (is_control(&bench->frames[i]) && bench->frames[i].frame.packet.opcode == OPCODE_SACK)
            judge_sack(report, &bench->frames[i]);
    if (bench && !endpoint_bench_find(bench, 0, endpoint_packet_is_opcode, OPCODE_SACK) &&
        !endpoint_bench_has_ended(bench))
        conform_report_fail(report, "no SACK came");
}

/* Sources disagree on which QP is named first: neither is wrong. */
void endpoint_suite_sack_pdcid(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_answers(kit, report);
    const struct endpoint_frame *from =
        bench ? endpoint_bench_find(bench, 0, endpoint_packet_is_opcode, OPCODE_SACK) : NULL;
    uint16_t own, peer;

    if (!from)
        return;
    own = (uint16_t)bench->session.qpn;
    peer = (uint16_t)bench->session.peer_qpn;
    if (from->frame.packet.sack.spdcid == own && from->frame.packet.sack.dpdcid == peer)
        conform_report_reading(report, ENDPOINT_POINT_PDCID, "the sender of the SACK");
    else if (from->frame.packet.sack.spdcid == peer && from->frame.packet.sack.dpdcid == own)
        conform_report_reading(report, ENDPOINT_POINT_PDCID, "the requester");
    else
        conform_report_reading(report, ENDPOINT_POINT_PDCID, "neither: 0x%04x and 0x%04x",
            from->frame.packet.sack.spdcid, from->frame.packet.sack.dpdcid);
}

void endpoint_suite_nack_form(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_answers(kit, report);
    const struct endpoint_frame *from =
        bench ? endpoint_bench_find(bench, 0, endpoint_packet_is_opcode, OPCODE_NACK) : NULL;
    const uint8_t *neth = from ? header_of(from) : NULL;

    if (!bench || endpoint_bench_has_ended(bench))
        return;
    if (!from) {
        conform_report_fail(report, "a trimmed packet causes no NACK");
        return;
    }
    if (neth[0] || neth[1] || neth[12] || neth[17])
        conform_report_fail(report, "type, nxt or reserved bits of NETH are set");
    if (neth[16] != TYPE_NACK_CC)
        conform_report_fail(
            report, "cc_type and cc_fl of NETH are 0x%02x instead of 0x20", neth[16]);
    if (!psn_equal(from->frame.packet.psn, from->frame.packet.nack.nack_psn))
        conform_report_fail(report, "the PSN of BTH differs from nack_psn");
}

void endpoint_suite_ack_form(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_answers(kit, report);
    const struct endpoint_frame *from =
        bench ? endpoint_bench_find(bench, 0, endpoint_packet_is_opcode, OPCODE_ACK) : NULL;

    if (!bench || endpoint_bench_has_ended(bench))
        return;
    if (!from)
        conform_report_fail(report, "a complete message causes no Transport ACK");
    else if (from->frame.packet.ack.syndrome != ACK_SYNDROME_ACK)
        conform_report_fail(report,
            "the syndrome of an ACK is 0x%02x instead of 0x1f: credits are not used",
            from->frame.packet.ack.syndrome);
}
