/* SPDX-License-Identifier: Apache-2.0 */
/* What faults do to the frames of a soft fabric: those that requests make, on a clock of the
 * test's. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "soft_bench.h"
#include "spec.h"
#include "wire/frame.h"

enum { FRAMES = 20, PASSES = 400 };

static void ask(struct soft_bench *bench, const char *request)
{
    char *answer = soft_control_answer(bench->soft, request);
    json_t *json = json_loads(answer, 0, NULL);

    EXPECT(json != NULL);
    EXPECT(json_object_get(json, "error") == NULL);
    json_decref(json);
    free(answer);
}

struct seen {
    uint32_t whole;
    uint32_t damaged;
};

/* From NIC to NIC over plane 0; what arrives. */
static struct seen exchange(struct soft_bench *bench, uint32_t from, uint32_t to)
{
    struct pktio_received received[PKTIO_BATCH_MAX];
    struct seen seen = { 0 };

    for (uint32_t i = 0; i < FRAMES; i++)
        soft_bench_send(bench, from, to, 0, i);
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        uint32_t count;

        soft_bench_pass(bench);
        count = pktio_port_receive(bench->nics[to][0], received, PKTIO_BATCH_MAX);
        for (uint32_t i = 0; i < count; i++) {
            struct frame frame;

            EXPECT_EQ(
                frame_parse(&format_default, received[i].bytes, received[i].length_bytes, &frame),
                DROP_NONE);
            if (frame_icrc_ok(&frame, received[i].bytes))
                seen.whole++;
            else
                seen.damaged++;
        }
    }
    return seen;
}

static void pass_time(struct soft_bench *bench, uint64_t time_ps)
{
    bench->now_ps += time_ps;
    soft_bench_pass(bench);
}

SPEC("a fault with a direction does not affect the other direction")
{
    struct soft_bench bench = soft_bench_small();

    soft_bench_start(&bench);
    ask(&bench, "fault kind=blackhole where=h0.p0 direction=up");
    EXPECT_EQ(exchange(&bench, 0, 1).whole, 0);
    EXPECT_EQ(exchange(&bench, 1, 0).whole, FRAMES);
    EXPECT_EQ(bench.soft->lost[LOST_BLACKHOLE], FRAMES);
    ask(&bench, "clear all");
    EXPECT_EQ(exchange(&bench, 0, 1).whole, FRAMES);
    soft_bench_stop(&bench);
}

SPEC("with a direction, frames are damaged only on the links of that direction")
{
    struct soft_bench bench = soft_bench_small();

    soft_bench_start(&bench);
    ask(&bench, "fault kind=corrupt where=h1.p0 direction=down probability=4294967295");
    EXPECT_EQ(exchange(&bench, 0, 1).damaged, FRAMES);
    EXPECT_EQ(exchange(&bench, 1, 0).whole, FRAMES);
    EXPECT_EQ(bench.soft->lost[LOST_CORRUPT], FRAMES);
    soft_bench_stop(&bench);
}

SPEC("a slow direction has its own rate, and the other keeps that of the link")
{
    struct soft_bench bench = soft_bench_small();
    struct soft_wire *up;
    struct soft_wire *down;

    soft_bench_start(&bench);
    up = &bench.soft->wires[soft_nic_wire(bench.soft, 0, 0)];
    down = &bench.soft->wires[soft_wire_of(bench.soft, soft_peer(bench.soft, up))];
    ask(&bench, "fault kind=slow where=h0 direction=down rate_bps=1000000000");
    EXPECT_EQ(up->rate_bps, bench.config.host_link.rate_bps);
    EXPECT_EQ(down->rate_bps, 1000000000);
    ask(&bench, "clear where=h0");
    EXPECT_EQ(down->rate_bps, bench.config.host_link.rate_bps);
    soft_bench_stop(&bench);
}

static uint32_t received_at(struct soft_bench *bench, uint32_t nic, uint64_t now_ps)
{
    struct pktio_received received[PKTIO_BATCH_MAX];

    bench->now_ps = now_ps;
    soft_pass(bench->soft);
    return pktio_port_receive(bench->nics[nic][0], received, PKTIO_BATCH_MAX);
}

SPEC("a frame takes as long as the plan of the fabric says, to the picosecond")
{
    struct soft_bench bench = soft_bench_small();
    uint8_t bytes[SOFT_FRAME_BYTES];
    uint32_t length;
    uint64_t byte_ps = 80; /* at 100 Gb/s */
    uint64_t way_ps;

    soft_bench_start(&bench);
    length = soft_bench_build(&bench, 0, 1, 0, 0, bytes);
    way_ps = topology_one_way_ps(&bench.fabric.topology, 0, 1, TOPOLOGY_PACKET_BYTES) -
             4 * (TOPOLOGY_PACKET_BYTES - length) * byte_ps;
    soft_bench_send_bytes(&bench, 0, 0, bytes, length);
    EXPECT_EQ(received_at(&bench, 1, 1000), 0);
    EXPECT_EQ(received_at(&bench, 1, 1000 + way_ps - 1), 0);
    EXPECT_EQ(received_at(&bench, 1, 1000 + way_ps), 1);
    soft_bench_stop(&bench);
}

SPEC("frames on a cable that goes down are lost, even if it is up again when they would arrive")
{
    static const char *const cables[] = { "h0.p0", "p0.t0.0-t1.0", "h1.p0" };
    static const uint64_t times_ps[] = { 300000, 1700000, 4200000 };

    for (uint32_t i = 0; i < 3; i++) {
        struct soft_bench bench = soft_bench_small();
        char request[128];

        soft_bench_start(&bench);
        soft_bench_send(&bench, 0, 1, 0, 0);
        EXPECT_EQ(received_at(&bench, 1, 1000), 0);
        EXPECT_EQ(received_at(&bench, 1, times_ps[i]), 0);
        snprintf(request, sizeof(request), "fault kind=down where=%s for_ps=1000", cables[i]);
        ask(&bench, request);
        EXPECT_EQ(received_at(&bench, 1, times_ps[i] + 1000), 0);
        EXPECT_EQ(received_at(&bench, 1, 20000000), 0);
        EXPECT_EQ(bench.soft->lost[LOST_LINK_DOWN], 1);
        EXPECT(!soft_bench_uses_buffers(&bench));
        EXPECT_EQ(exchange(&bench, 0, 1).whole, FRAMES);
        soft_bench_stop(&bench);
    }
}

SPEC("a switch that reboots loses its queues and is up again at the end")
{
    struct soft_bench bench = soft_bench_small();
    uint32_t passes = 0;

    bench.slower = 1000;
    bench.config.uplink.rate_bps = bench.config.host_link.rate_bps / 10;
    soft_bench_start(&bench);
    for (uint32_t i = 0; i < FRAMES; i++)
        soft_bench_send(&bench, 0, 1, 0, 2 * i);
    while (bench.soft->switches[0].ports[1].queues[PORT_DATA].count < 2 && passes++ < 100000)
        soft_bench_pass(&bench);
    EXPECT_GE(bench.soft->switches[0].ports[1].queues[PORT_DATA].count, 2);
    ask(&bench, "fault kind=reboot where=p0.t0.0 for_ps=1000000000");
    EXPECT_GE(bench.soft->lost[LOST_REBOOT], 2);
    EXPECT(bench.soft->wires[soft_nic_wire(bench.soft, 0, 0)].is_down);
    pass_time(&bench, 1000000000);
    EXPECT(!bench.soft->wires[soft_nic_wire(bench.soft, 0, 0)].is_down);
    soft_bench_stop(&bench);
}

SPEC("components of a group fail and return together")
{
    struct soft_bench bench = soft_bench_small();
    const struct soft_wire *wires;

    soft_bench_start(&bench);
    wires = bench.soft->wires;
    ask(&bench, "fault kind=down where=h0.p0,h1.p1");
    EXPECT(wires[soft_nic_wire(bench.soft, 0, 0)].is_down);
    EXPECT(wires[soft_nic_wire(bench.soft, 1, 1)].is_down);
    EXPECT(!wires[soft_nic_wire(bench.soft, 0, 1)].is_down);
    ask(&bench, "clear where=h0.p0");
    EXPECT(wires[soft_nic_wire(bench.soft, 0, 0)].is_down);
    ask(&bench, "clear where=h0.p0,h1.p1");
    EXPECT(!wires[soft_nic_wire(bench.soft, 0, 0)].is_down);
    EXPECT(!wires[soft_nic_wire(bench.soft, 1, 1)].is_down);
    soft_bench_stop(&bench);
}

SPEC("a fault of one EV affects only packets of that EV")
{
    struct soft_bench bench = soft_bench_small();

    soft_bench_start(&bench);
    ask(&bench, "fault kind=loss ev=p0/u1 probability=4294967295");
    EXPECT_EQ(exchange(&bench, 0, 1).whole, FRAMES / 2);
    EXPECT_EQ(bench.soft->lost[LOST_FAULT], FRAMES / 2);
    soft_bench_stop(&bench);
}

SPEC("faults of a script wait for its beginning, and then for their times")
{
    struct soft_bench bench = soft_bench_small();
    const struct soft_wire *wire;

    soft_bench_start(&bench);
    wire = &bench.soft->wires[soft_nic_wire(bench.soft, 0, 0)];
    ask(&bench, "script");
    ask(&bench, "fault kind=down where=h0.p0 at_ps=2000000 for_ps=3000000");
    pass_time(&bench, 9000000);
    EXPECT(!wire->is_down);
    ask(&bench, "begin");
    pass_time(&bench, 1900000);
    EXPECT(!wire->is_down);
    pass_time(&bench, 200000);
    EXPECT(wire->is_down);
    pass_time(&bench, 3000000);
    EXPECT(!wire->is_down);
    EXPECT_EQ(bench.soft->faults.count, 0);
    EXPECT_EQ(bench.soft->record.event_count, 2);
    EXPECT_EQ(bench.soft->record.events[1].time_ps - bench.soft->record.origin_ps, 5000000);
    soft_bench_stop(&bench);
}
