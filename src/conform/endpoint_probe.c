/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of endpoints: probes and port status updates, received. */
#include "conform/endpoint_expect.h"
#include "conform/endpoint_suite.h"

enum { HEADER_OFFSET = 60, RESPONSE_BYTES = 36, STAMP_OFFSET = 28, ECHOES = 8 };

static const struct ipv6_addr somewhere = { { 0x20, 0x01, 0x0d, 0xb8, 0xff, 0xff, [15] = 9 } };

/* ---- EV probes ------------------------------------------------------------------------------- */

static const struct endpoint_frame *probe_node(
    struct endpoint_bench *bench, const struct packet *probe)
{
    const struct endpoint_frame *answer;
    uint32_t from = endpoint_bench_mark(bench);

    endpoint_bench_send(bench, probe);
    answer = endpoint_bench_await(bench, from, endpoint_packet_is_response, probe->psn.value);
    if (!answer && !endpoint_bench_has_ended(bench))
        conform_report_fail(bench->report, "an EV probe is not answered");
    return answer;
}

void endpoint_suite_ev_probe(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);

    for (uint32_t i = 0; bench && i < bench->port_count; i++) {
        struct packet probe = endpoint_packet_request(bench, ENDPOINT_EV_PROBE);
        const struct endpoint_frame *answer;

        probe.port = (uint8_t)i;
        answer = probe_node(bench, &probe);
        if (!answer)
            return;
        if (answer->frame.packet.endpoint.tx_timestamp != probe.endpoint.tx_timestamp)
            conform_report_fail(report, "timestamp 0x%04x is echoed as 0x%04x",
                probe.endpoint.tx_timestamp, answer->frame.packet.endpoint.tx_timestamp);
    }
}

/* The place of op: bits 3:2. One source has bits 5:4; receivers do not look. */
void endpoint_suite_ev_probe_form(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    const struct endpoint_frame *answer;
    const uint8_t *eeth;
    struct packet probe;

    if (!bench)
        return;
    probe = endpoint_packet_request(bench, ENDPOINT_EV_PROBE);
    answer = probe_node(bench, &probe);
    if (!answer)
        return;
    eeth = answer->bytes + answer->frame.inner_offset + HEADER_OFFSET;
    if (eeth[1] != 0x04)
        conform_report_fail(
            report, "byte 1 of EETH is 0x%02x instead of 0x04: op is in bits 3:2", eeth[1]);
    for (uint32_t i = 0; i < RESPONSE_BYTES; i++)
        if (i != 1 && i != STAMP_OFFSET && i != STAMP_OFFSET + 1 && eeth[i])
            conform_report_fail(report, "reserved byte %u of EETH is 0x%02x", i, eeth[i]);
    if (answer->frame.packet.psn.value >> 16)
        conform_report_fail(report, "bits 23:16 of the PSN are set");
}

static bool is_to_stranger(const struct endpoint_frame *from, uint32_t key)
{
    return endpoint_packet_is_response(from, key) &&
           ip_address_equal(&from->frame.packet.dst, &somewhere);
}

void endpoint_suite_ev_probe_stranger(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct packet probe;

    if (!bench)
        return;
    if (bench->device->ports[0].has_path) {
        conform_report_skip(report, "the device may have no route to another address");
        return;
    }
    probe = endpoint_packet_request(bench, ENDPOINT_EV_PROBE);
    probe.src = somewhere;
    endpoint_bench_send(bench, &probe);
    if (!endpoint_bench_await(bench, 0, is_to_stranger, probe.psn.value) &&
        !endpoint_bench_has_ended(bench))
        conform_report_fail(report, "an EV probe from an address without a QP is not answered");
}

void endpoint_suite_endpoint_op(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    enum { OP_FIRST = 2, OP_LAST = 3 };

    for (uint32_t op = OP_FIRST; bench && op <= OP_LAST; op++) {
        struct packet request = endpoint_packet_request(bench, ENDPOINT_EV_PROBE);

        request.endpoint.op = (uint8_t)op;
        endpoint_bench_send(bench, &request);
        endpoint_bench_settle(bench);
        if (endpoint_bench_find(bench, 0, endpoint_packet_is_response, request.psn.value))
            conform_report_fail(report, "an Endpoint Request with op %u is answered", op);
    }
}

/* ---- Reliability Probes ---------------------------------------------------------------------- */

/* Idle, in the midst of a message, and complete. */
void endpoint_suite_probe(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message;

    if (!bench)
        return;
    message = (struct endpoint_packet_message){ .bytes = 3 * bench->session.terms.pmtu_bytes };
    endpoint_packet_take(bench, &message);
    for (uint32_t i = 0; i <= 3; i++) {
        const struct endpoint_frame *answer = endpoint_expect_probe_answer(bench);

        if (!answer)
            return;
        for (uint32_t k = 0; k < 3; k++)
            if (endpoint_packet_shows(&answer->frame.packet, psn_add(message.first, (int32_t)k)) !=
                (k < i))
                conform_report_fail(report,
                    "after %u packets, the answer to a probe is wrong about packet %u", i, k);
        if (i < 3 && !endpoint_expect_taken(bench, &message, i))
            return;
    }
}

/* Sends a probe and judges its answer. Returns whether the timestamp is right; see sack-stamp. */
static bool judge_echo(struct endpoint_bench *bench, uint8_t ecn)
{
    struct packet probe = endpoint_packet_probe(bench);
    uint8_t mark = ecn == ECN_CE ? SACK_MARK_SKIP_ONCE : SACK_MARK_NONE;
    uint32_t from = endpoint_bench_mark(bench);
    const struct endpoint_frame *answer;
    const struct packet_sack *sack;

    probe.ecn = ecn;
    endpoint_bench_send(bench, &probe);
    answer =
        endpoint_bench_await(bench, from, endpoint_packet_is_probe_answer, probe.probe.probe_id);
    if (!answer) {
        if (!endpoint_bench_has_ended(bench))
            conform_report_fail(
                bench->report, "a Reliability Probe is not answered with its probe_id");
        return false;
    }
    sack = &answer->frame.packet.sack;
    if (sack->entropy != probe.ev)
        conform_report_fail(bench->report, "a probe on EV 0x%08x is answered with EV 0x%08x",
            probe.ev, sack->entropy);
    if (sack->mark != mark)
        conform_report_fail(
            bench->report, "a probe with ECN %u is answered with m = %u", ecn, sack->mark);
    return (uint16_t)(sack->tx_timestamp - probe.probe.tx_timestamp) < ENDPOINT_STAMP_MORE_MAX;
}

void endpoint_suite_probe_echo(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    uint32_t right = 0;

    for (uint32_t i = 0; bench && i < ECHOES; i++) {
        right += judge_echo(bench, i % 2 ? ECN_CE : ECN_ECT0);
        if (conform_report_has_failed(report))
            return;
    }
    if (bench && right <= ECHOES / 2)
        conform_report_fail(report, "%u of %u timestamps are echoed", right, ECHOES);
}

/* Probes consume no PSN and are no received bytes. */
void endpoint_suite_probe_free(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_packet_message message = { .bytes = 100 };
    const struct endpoint_frame *first = bench ? endpoint_expect_probe_answer(bench) : NULL;
    const struct endpoint_frame *last = NULL;

    for (uint32_t i = 0; first && i < 5; i++) {
        last = endpoint_expect_probe_answer(bench);
        if (!last)
            return;
    }
    if (!first)
        return;
    if (!psn_equal(first->frame.packet.sack.cack_psn, last->frame.packet.sack.cack_psn))
        conform_report_fail(report, "probes advance cack_psn");
    if (first->frame.packet.sack.received_units != last->frame.packet.sack.received_units)
        conform_report_fail(report, "probes count in rcvd_bytes");
    endpoint_packet_take(bench, &message);
    endpoint_expect_taken(bench, &message, 0);
}

/* ---- port status updates --------------------------------------------------------------------- */

void endpoint_suite_port_update(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct packet update;

    if (!bench)
        return;
    update = endpoint_packet_request(bench, ENDPOINT_PORT_STATUS_UPDATE);
    endpoint_bench_send(bench, &update);
    if (!endpoint_bench_await(bench, 0, endpoint_packet_is_response, update.psn.value)) {
        if (!endpoint_bench_has_ended(bench))
            conform_report_fail(report, "a port status update of the peer is not answered");
        return;
    }
    update.psn = psn((update.psn.value - 100) & 0xffff);
    endpoint_bench_send(bench, &update);
    endpoint_bench_settle(bench);
    conform_report_reading(report, ENDPOINT_POINT_STALE, "%s",
        endpoint_bench_find(bench, 0, endpoint_packet_is_response, update.psn.value)
            ? "it is answered"
            : "it is dropped");
    update = endpoint_packet_request(bench, ENDPOINT_PORT_STATUS_UPDATE);
    update.src = somewhere;
    endpoint_bench_send(bench, &update);
    endpoint_bench_settle(bench);
    conform_report_reading(report, ENDPOINT_POINT_STRANGER, "%s",
        endpoint_bench_find(bench, 0, endpoint_packet_is_response, update.psn.value)
            ? "it is answered"
            : "it is dropped");
    conform_report_reading(report, ENDPOINT_POINT_REVERSE, "%s",
        bench->request_count > 0 ? "it probes its ways back" : "none so far");
}
