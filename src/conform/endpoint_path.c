/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of endpoints: EVs, planes and probes of a requester. */
#include "conform/endpoint_expect.h"
#include "conform/endpoint_requester.h"
#include "conform/endpoint_suite.h"

enum { BATCH = 256, BATCHES = 4, HEADER_OFFSET = 60, PORTS_WRITES = 64, STAMP_TYPE = 1 };

/* ---- EVs ------------------------------------------------------------------------------------- */

static bool is_on_ev(const struct endpoint_frame *from, uint32_t ev)
{
    return opcode_is_write(from->frame.packet.opcode) && from->frame.packet.ev == ev;
}

static bool uses_several(const struct endpoint_bench *bench, uint32_t ev)
{
    return endpoint_bench_count(bench, 0, endpoint_packet_is_any_write, 0) >
           endpoint_bench_count(bench, 0, is_on_ev, ev);
}

/* Reports a mark for the EV of the first packet; then many packets follow. */
static struct endpoint_bench *begin_marked(
    void *kit, struct conform_report *report, uint8_t mark, uint32_t *ev)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    const struct endpoint_frame *data;

    if (!bench)
        return NULL;
    bench->peer.mark = mark;
    bench->peer.ignores_probes = true;
    if (!endpoint_requester_post_small(bench, 1) || !(data = endpoint_expect_write(bench, 0, 1)) ||
        !endpoint_requester_expect_done(bench, 0, 1))
        return NULL;
    bench->peer.mark = SACK_MARK_NONE;
    *ev = data->frame.packet.ev;
    return bench;
}

void endpoint_suite_always_skip(void *kit, struct conform_report *report)
{
    uint32_t ev = 0;
    struct endpoint_bench *bench = begin_marked(kit, report, SACK_MARK_ALWAYS_SKIP, &ev);
    uint32_t used;

    for (uint32_t i = 0; bench && i < BATCHES; i++)
        if (!endpoint_requester_post_small(bench, BATCH) ||
            !endpoint_requester_expect_done(bench, 0, BATCH))
            return;
    if (!bench)
        return;
    used = endpoint_bench_count(bench, 1, is_on_ev, ev);
    if (!uses_several(bench, ev))
        conform_report_skip(report, "the device uses one EV only");
    else if (used > 0)
        conform_report_fail(report, "after ALWAYS_SKIP for EV 0x%08x, %u of %u packets use it", ev,
            used, BATCH * BATCHES);
}

void endpoint_suite_skip_once(void *kit, struct conform_report *report)
{
    uint32_t ev = 0;
    struct endpoint_bench *bench = begin_marked(kit, report, SACK_MARK_SKIP_ONCE, &ev);
    uint32_t evs = 0;

    if (!bench)
        return;
    for (uint32_t i = 0; i < BATCHES; i++)
        if (!endpoint_requester_post_small(bench, BATCH) ||
            !endpoint_requester_expect_done(bench, 0, BATCH))
            return;
    for (uint32_t i = 1; i < bench->frame_count && bench->frames[i].frame.packet.ev != ev; i++)
        evs += opcode_is_write(bench->frames[i].frame.packet.opcode);
    conform_report_reading(report, ENDPOINT_POINT_SKIP, "after %u packets on others", evs);
}

/* ---- Reliability Probes ---------------------------------------------------------------------- */

/* Silence makes a requester probe, if it has probes of the tail. */
void endpoint_suite_tail_probe(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    const struct endpoint_frame *probe;
    const uint8_t *peth;

    if (!bench)
        return;
    bench->peer.is_mute = true;
    if (!endpoint_requester_post_small(bench, 1) || !endpoint_expect_write(bench, 0, 1))
        return;
    for (uint32_t i = 0; i < 100 && bench->peer.probe_count == 0; i++)
        endpoint_bench_linger(bench, 10000000);
    probe = endpoint_bench_find(bench, 0, endpoint_packet_is_opcode, OPCODE_PROBE);
    if (!probe) {
        conform_report_skip(report, "the device sends no Reliability Probe");
        return;
    }
    peth = probe->bytes + probe->frame.inner_offset + HEADER_OFFSET;
    if (probe->frame.packet.psn.value)
        conform_report_fail(
            report, "the PSN of a Reliability Probe is %u", probe->frame.packet.psn.value);
    if (probe->frame.packet.dest_qpn != bench->session.peer_qpn)
        conform_report_fail(
            report, "a Reliability Probe goes to QP 0x%x", probe->frame.packet.dest_qpn);
    if (peth[0] || peth[1] || peth[2] || peth[6] || peth[7])
        conform_report_fail(report, "type or reserved bytes of PETH are set");
    if ((peth[14] & 0x7f) || peth[15] != STAMP_TYPE)
        conform_report_fail(
            report, "bytes 14 and 15 of PETH are %02x %02x: ftype is 1", peth[14], peth[15]);
    conform_report_reading(report, ENDPOINT_POINT_PROBE_CLASS, "%s",
        probe->frame.packet.class == DSCP_CONTROL ? "control" : "data");
}

/* ---- ports ----------------------------------------------------------------------------------- */

static bool tell_ports(struct endpoint_bench *bench, uint32_t mask)
{
    struct packet update = endpoint_packet_request(bench, ENDPOINT_PORT_STATUS_UPDATE);

    update.endpoint.port_status_mask = mask;
    endpoint_bench_send(bench, &update);
    if (endpoint_bench_await(bench, 0, endpoint_packet_is_response, update.psn.value))
        return true;
    if (!endpoint_bench_has_ended(bench))
        conform_report_fail(bench->report, "a port status update is not answered");
    return false;
}

/* Only the first port of the kit is up. */
void endpoint_suite_port_status(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    uint64_t before;

    if (!bench)
        return;
    if (bench->port_count < 2) {
        conform_report_skip(report, "planes need two ports");
        return;
    }
    if (!endpoint_requester_post_small(bench, PORTS_WRITES) ||
        !endpoint_requester_expect_done(bench, 0, PORTS_WRITES))
        return;
    if (bench->port_data[1] == 0)
        conform_report_fail(report, "the device sends nothing on its second port");
    if (!tell_ports(bench, 0x2))
        return;
    endpoint_bench_settle(bench);
    before = bench->port_data[1];
    if (!endpoint_requester_post_small(bench, PORTS_WRITES) ||
        !endpoint_requester_expect_done(bench, 0, PORTS_WRITES))
        return;
    if (bench->port_data[1] > before)
        conform_report_fail(report,
            "the second port of the peer is down, and the device sends %u packets to it",
            (unsigned)(bench->port_data[1] - before));
    tell_ports(bench, (((uint32_t)1 << bench->port_count) - 1) << 1);
}

static bool is_update(const struct endpoint_frame *from, uint32_t key)
{
    return from->frame.packet.opcode == OPCODE_ENDPOINT_REQUEST &&
           from->frame.packet.endpoint.op == ENDPOINT_PORT_STATUS_UPDATE &&
           !(from->frame.packet.endpoint.port_status_mask >> key & 1);
}

/* The driver disables the second port. */
void endpoint_suite_port_down(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    const struct endpoint_frame *update;

    if (!bench)
        return;
    if (bench->port_count < 2) {
        conform_report_skip(report, "planes need two ports");
        return;
    }
    if (!endpoint_requester_post_small(bench, 4) || !endpoint_requester_expect_done(bench, 0, 4) ||
        !endpoint_session_set_port(bench, 2, false))
        return;
    update = endpoint_bench_await(bench, 0, is_update, 2);
    if (!update && !endpoint_bench_has_ended(bench))
        conform_report_fail(report, "the device does not tell its peer that its port 2 is down");
    if (update && !(update->frame.packet.endpoint.port_status_mask & 2))
        conform_report_fail(report, "the update shows port 1 as down, too: 0x%x",
            update->frame.packet.endpoint.port_status_mask);
    if (update && endpoint_requester_post_small(bench, 4))
        endpoint_requester_expect_done(bench, 0, 4);
    endpoint_session_set_port(bench, 2, true);
}
