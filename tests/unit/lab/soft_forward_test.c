/* SPDX-License-Identifier: Apache-2.0 */
/* Frames through a soft fabric, from the ports of one NIC to those of another, pass by pass. */
#include "soft_bench.h"
#include "spec.h"
#include "wire/frame.h"

enum { PLANES = SOFT_BENCH_PLANES, PASSES_MAX = SOFT_BENCH_PASSES_MAX };

struct seen {
    uint32_t whole;
    uint32_t trimmed;
    uint32_t marked;
    uint32_t out_of_order; /* of one plane and uplink */
    uint32_t last_psn[TOPOLOGY_PLANES_MAX][2];
    uint32_t of_plane[TOPOLOGY_PLANES_MAX]; /* whole frames */
};

static void look_at(struct seen *seen, uint32_t plane, const struct pktio_received *received)
{
    struct frame frame;
    uint32_t *last_psn;

    EXPECT_EQ(
        frame_parse(&format_default, received->bytes, received->length_bytes, &frame), DROP_NONE);
    if (dscp_is_trimmed(frame.packet.class)) {
        seen->trimmed++;
        return;
    }
    EXPECT(frame_icrc_ok(&frame, received->bytes));
    last_psn = &seen->last_psn[plane][frame.packet.psn.value & 1];
    seen->out_of_order += frame.packet.psn.value < *last_psn;
    *last_psn = frame.packet.psn.value;
    seen->whole++;
    seen->of_plane[plane]++;
    seen->marked += frame.packet.ecn == ECN_CE;
}

static void receive(struct soft_bench *bench, struct seen *seen)
{
    struct pktio_received received[PKTIO_BATCH_MAX];

    for (uint32_t plane = 0; plane < bench->config.plane_count; plane++) {
        uint32_t count = pktio_port_receive(bench->nics[1][plane], received, PKTIO_BATCH_MAX);

        for (uint32_t i = 0; i < count; i++)
            look_at(seen, plane, &received[i]);
    }
}

/* Until that many frames are there, whole or trimmed. */
static void run_until(struct soft_bench *bench, struct seen *seen, uint32_t count)
{
    for (uint32_t i = 0; i < PASSES_MAX && seen->whole + seen->trimmed < count; i++) {
        soft_bench_pass(bench);
        receive(bench, seen);
    }
    EXPECT_EQ(seen->whole + seen->trimmed, count);
}

static uint64_t counted(const struct soft_bench *bench, enum port_counter counter)
{
    const struct soft *soft = bench->soft;
    uint64_t total = 0;

    for (uint32_t node = 0; node < soft->fabric.topology.switch_count; node++)
        for (uint32_t port = 0; port < topology_port_count(&soft->fabric.topology, node); port++)
            total += port_counter(soft->switches[node].ports[port].counters, counter);
    return total;
}

static void expect_parts_in_order(const struct soft *soft)
{
    for (uint32_t i = 1; i < soft->attached_count; i++)
        EXPECT_LE(
            soft_end_part(soft, soft->attached[i - 1]), soft_end_part(soft, soft->attached[i]));
}

SPEC("NICs attach and detach in any order, and frames pass on every plane")
{
    struct soft_bench bench = soft_bench_small();
    struct seen seen = { 0 };

    soft_bench_open(&bench);
    soft_bench_attach(&bench, 1, 1);
    soft_bench_attach(&bench, 0, 0);
    soft_bench_attach(&bench, 1, 0);
    soft_bench_attach(&bench, 0, 1);
    expect_parts_in_order(bench.soft);
    pktio_port_close(bench.nics[0][0]);
    EXPECT(soft_attach_check(bench.soft, soft_nic_end(bench.soft, 0, 0)));
    soft_bench_attach(&bench, 0, 0);
    EXPECT_EQ(bench.soft->attached_count, 4);
    expect_parts_in_order(bench.soft);
    for (uint32_t psn_value = 0; psn_value < 40; psn_value++)
        soft_bench_send(&bench, 0, 1, psn_value % PLANES, psn_value);
    run_until(&bench, &seen, 40);
    EXPECT_EQ(seen.out_of_order, 0);
    soft_bench_stop(&bench);
}

SPEC("every frame arrives once, unchanged but for its outer header, in order on its path")
{
    struct soft_bench bench = soft_bench_small();
    struct seen seen = { 0 };

    soft_bench_start(&bench);
    for (uint32_t i = 0; i < 400; i++) {
        soft_bench_send(&bench, 0, 1, i / 2 % PLANES, i);
        if (i % 50 == 49)
            soft_bench_pass(&bench);
    }
    run_until(&bench, &seen, 400);
    EXPECT_EQ(seen.whole, 400);
    EXPECT_EQ(seen.out_of_order, 0);
    EXPECT_EQ(counted(&bench, PORT_COUNTER_DATA_PACKETS), 3 * 400);
    EXPECT(!soft_bench_uses_buffers(&bench));
    soft_bench_stop(&bench);
}

SPEC("frames that do not fit a queue are trimmed, frames in a long queue are marked, and all are "
     "counted")
{
    struct soft_bench bench = soft_bench_small();
    struct seen seen = { 0 };

    bench.config.uplink.rate_bps = bench.config.host_link.rate_bps / 50;
    bench.config.buffers.data_bytes = 20000;
    bench.config.buffers.red_min_bytes = 2000;
    bench.config.buffers.red_max_bytes = 8000;
    bench.slower = 100; /* so that a frame comes sooner than the one before has left */
    soft_bench_start(&bench);
    for (uint32_t i = 0; i < 100; i++)
        soft_bench_send(&bench, 0, 1, 0, i);
    run_until(&bench, &seen, 100);
    EXPECT_GT(seen.trimmed, 0);
    EXPECT_GT(seen.marked, 0);
    EXPECT_EQ(
        counted(&bench, PORT_COUNTER_TRIMMED_ARRIVING) + counted(&bench, PORT_COUNTER_TRIMMED_TAIL),
        seen.trimmed);
    EXPECT_EQ(counted(&bench, PORT_COUNTER_MARKED), seen.marked);
    EXPECT(!soft_bench_uses_buffers(&bench));
    soft_bench_stop(&bench);
}

SPEC("frames to a NIC that does not read wait in the switch, and arrive when it reads again")
{
    struct soft_bench bench = soft_bench_small();
    struct seen seen = { 0 };

    soft_bench_start(&bench);
    for (uint32_t i = 0; i < 600; i++) {
        soft_bench_send(&bench, 0, 1, 0, i);
        if (i % 100 == 99)
            for (uint32_t j = 0; j < 2000; j++)
                soft_bench_pass(&bench);
    }
    EXPECT(soft_bench_uses_buffers(&bench));
    run_until(&bench, &seen, 600);
    EXPECT_EQ(seen.out_of_order, 0);
    EXPECT(!soft_bench_uses_buffers(&bench));
    soft_bench_stop(&bench);
}

SPEC("a NIC that does not read is polled ever less often, until it reads")
{
    struct soft_bench bench = soft_bench_small();
    struct seen seen = { 0 };
    const struct soft_end *end;

    soft_bench_start(&bench);
    end = &bench.soft->ends[soft_nic_end(bench.soft, 1, 0)];
    for (uint32_t i = 0; i < 600; i++) {
        soft_bench_send(&bench, 0, 1, 0, i);
        if (i % 100 == 99)
            for (uint32_t j = 0; j < 2000; j++)
                soft_bench_pass(&bench);
    }
    for (uint32_t i = 0; i < PASSES_MAX && end->hold_ps < 1000000000; i++)
        soft_bench_pass(&bench);
    EXPECT_GE(end->hold_ps, 1000000000);
    run_until(&bench, &seen, 600);
    EXPECT_EQ(end->hold_ps, 0);
    soft_bench_stop(&bench);
}

/* Slots that the first NIC's port has back. */
static uint32_t free_slots(const struct soft_bench *bench)
{
    return shm_port_slot_count(bench->nics[0][0]) - pktio_port_unread(bench->nics[0][0]);
}

SPEC("frames that wait long are copied, so that the sender gets its slots back")
{
    struct soft_bench bench = soft_bench_small();
    struct seen seen = { 0 };

    soft_bench_start(&bench);
    for (uint32_t i = 0; i < 1000; i++) {
        soft_bench_send(&bench, 0, 1, 0, i);
        for (uint32_t j = 0; j < PASSES_MAX && free_slots(&bench) < 100; j++)
            soft_bench_pass(&bench);
    }
    EXPECT_GE(free_slots(&bench), 100);
    EXPECT(soft_bench_uses_buffers(&bench));
    run_until(&bench, &seen, 1000);
    EXPECT_EQ(seen.out_of_order, 0);
    soft_bench_stop(&bench);
}

SPEC("frames that a NIC lent before it left arrive undamaged")
{
    struct soft_bench bench = soft_bench_small();
    struct seen seen = { 0 };
    uint32_t end;

    bench.slower = 1000;
    soft_bench_start(&bench);
    end = soft_nic_end(bench.soft, 0, 0);
    for (uint32_t i = 0; i < 30; i++)
        soft_bench_send(&bench, 0, 1, 0, i);
    soft_bench_pass(&bench);
    EXPECT(soft_bench_uses_buffers(&bench));
    soft_ends_release(bench.soft, end);
    run_until(&bench, &seen, 30);
    EXPECT_EQ(seen.whole, 30);
    soft_bench_stop(&bench);
}

SPEC("frames on their way to a NIC that leaves are lost and counted, and their buffers are freed")
{
    struct soft_bench bench = soft_bench_small();
    uint32_t end;
    uint64_t lost;

    bench.slower = 1000;
    soft_bench_start(&bench);
    end = soft_nic_end(bench.soft, 1, 0);
    for (uint32_t i = 0; i < 100; i++)
        soft_bench_send(&bench, 0, 1, 0, i);
    for (uint32_t i = 0; i < PASSES_MAX && bench.soft->ends[end].under_way == 0; i++)
        soft_bench_pass(&bench);
    soft_ends_release(bench.soft, end);
    for (uint32_t i = 0; i < PASSES_MAX && soft_bench_uses_buffers(&bench); i++)
        soft_bench_pass(&bench);
    EXPECT(!soft_bench_uses_buffers(&bench));
    lost = bench.soft->wires[bench.soft->ends[end].at].lost;
    EXPECT_GT(lost, 0);
    EXPECT_LE(lost, 100);
    soft_bench_stop(&bench);
}

SPEC("frames that a NIC sent before it left are forwarded")
{
    struct soft_bench bench = soft_bench_small();
    struct seen seen = { 0 };

    soft_bench_start(&bench);
    for (uint32_t i = 0; i < 100; i++)
        soft_bench_send(&bench, 0, 1, 0, i);
    pktio_port_close(bench.nics[0][0]);
    bench.nics[0][0] = NULL;
    soft_attach_check(bench.soft, soft_nic_end(bench.soft, 0, 0));
    EXPECT(!bench.soft->ends[soft_nic_end(bench.soft, 0, 0)].port);
    run_until(&bench, &seen, 100);
    soft_bench_stop(&bench);
}

enum { ENGINES = 4, QPN_AT = 2 * 40 + 8 + 4 }; /* behind two IPv6 headers and UDP, in the BTH */

/* Frames for the QPs 0x100, 0x101, ..., of NIC 1. */
static void send_to_qps(struct soft_bench *bench, uint32_t count)
{
    uint8_t bytes[SOFT_FRAME_BYTES];

    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = soft_bench_build(bench, 0, 1, 0, i, bytes);

        bytes[QPN_AT + 2] = 1;
        bytes[QPN_AT + 3] = (uint8_t)i;
        soft_bench_send_bytes(bench, 0, 0, bytes, length);
    }
}

/* How many came; each for a QP of this engine. */
static uint32_t count_for(struct pktio_port *port, uint32_t engine)
{
    struct pktio_received received[PKTIO_BATCH_MAX];
    uint32_t count = pktio_port_receive(port, received, PKTIO_BATCH_MAX);

    for (uint32_t i = 0; i < count; i++)
        EXPECT_EQ(received[i].bytes[QPN_AT + 3] % ENGINES, engine);
    return count;
}

SPEC("a frame is put into the ring of the engine that its QP number selects")
{
    struct soft_bench bench = soft_bench_small();
    struct pktio_port *ports[ENGINES];
    uint32_t counts[ENGINES] = { 0 };

    soft_bench_open(&bench);
    soft_bench_attach(&bench, 0, 0);
    for (uint32_t i = ENGINES; i > 0; i--) /* in any order */
        ports[i - 1] = soft_bench_attach_engine(&bench, 1, 0, i - 1, ENGINES);
    send_to_qps(&bench, 40);
    for (uint32_t i = 0; i < PASSES_MAX && counts[3] < 10; i++) {
        soft_bench_pass(&bench);
        for (uint32_t engine = 0; engine < ENGINES; engine++)
            counts[engine] += count_for(ports[engine], engine);
    }
    for (uint32_t i = 0; i < ENGINES; i++) {
        EXPECT_EQ(counts[i], 10);
        pktio_port_close(ports[i]);
    }
    soft_bench_stop(&bench);
}

SPEC("frames for an engine that has left are lost and counted, and other engines receive theirs")
{
    struct soft_bench bench = soft_bench_small();
    struct pktio_port *ports[2];
    uint32_t count = 0;
    uint32_t end;

    soft_bench_open(&bench);
    soft_bench_attach(&bench, 0, 0);
    for (uint32_t i = 0; i < 2; i++)
        ports[i] = soft_bench_attach_engine(&bench, 1, 0, i, 2);
    end = soft_nic_end(bench.soft, 1, 0);
    pktio_port_close(ports[0]);
    soft_attach_check(bench.soft, end);
    EXPECT_EQ(bench.soft->ends[end].port_count, 1);
    send_to_qps(&bench, 20);
    for (uint32_t i = 0; i < PASSES_MAX && (i == 0 || soft_bench_uses_buffers(&bench)); i++) {
        struct pktio_received received[PKTIO_BATCH_MAX];

        soft_bench_pass(&bench);
        count += pktio_port_receive(ports[1], received, PKTIO_BATCH_MAX);
    }
    EXPECT_EQ(count, 10);
    EXPECT_EQ(bench.soft->wires[bench.soft->ends[end].at].lost, 10);
    pktio_port_close(ports[1]);
    soft_bench_stop(&bench);
}

SPEC("of 16 planes, each carries what is sent on it, in its own block")
{
    struct soft_bench bench = soft_bench_small();
    struct seen seen = { 0 };

    bench.config.plane_count = 16;
    soft_bench_start(&bench);
    for (uint32_t i = 0; i < 32; i++)
        soft_bench_send(&bench, 0, 1, i / 2, i);
    run_until(&bench, &seen, 32);
    for (uint32_t plane = 0; plane < 16; plane++)
        EXPECT_EQ(seen.of_plane[plane], 2);
    soft_bench_stop(&bench);
}
