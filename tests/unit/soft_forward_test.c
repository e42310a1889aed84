/* SPDX-License-Identifier: Apache-2.0 */
/* Frames through a soft fabric, from the ports of one NIC to those of another, pass by pass. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/host.h"
#include "lab/soft_state.h"
#include "pktio/pktio.h"
#include "spec.h"
#include "wire/frame.h"

enum { PLANES = 2, PASSES_MAX = 10000000, PASS_PS = 50000, PAYLOAD_BYTES = 1024 };

struct bench {
    char root[32];
    uint64_t now_ps;
    uint32_t slower; /* 1000: frames are inside for milliseconds, which are many passes */
    struct fabric_config config;
    struct fabric fabric;
    struct soft *soft;
    struct pktio_port *nics[2][PLANES];
};

struct caller {
    pthread_t thread;
    char path[64];
    char name[16];
    uint32_t plane;
    struct pktio_port *port;
    int err;
};

static void *call(void *context)
{
    struct caller *caller = context;

    caller->err = shm_port_connect(
        &(struct shm_port_config){
            .path = caller->path, .name = caller->name, .port = caller->plane },
        &caller->port);
    return NULL;
}

static void attach(struct bench *bench, uint32_t nic, uint32_t plane)
{
    const struct soft_end *end = &bench->soft->ends[soft_nic_end(bench->soft, nic, plane)];
    struct caller caller = { .plane = plane };

    snprintf(caller.path, sizeof(caller.path), "%s/fabric/attach", bench->root);
    snprintf(caller.name, sizeof(caller.name), "mrc%u", nic);
    EXPECT_EQ(pthread_create(&caller.thread, NULL, call, &caller), 0);
    while (!end->port)
        soft_attach_one(bench->soft);
    pthread_join(caller.thread, NULL);
    EXPECT_EQ(caller.err, 0);
    bench->nics[nic][plane] = caller.port;
}

static void start(struct bench *bench)
{
    struct soft_config config = { .fabric = &bench->fabric,
        .root = bench->root,
        .name = "fabric",
        .slower = bench->slower,
        .seed = 1,
        .thread_count = 1,
        .clock_ps = &bench->now_ps };
    struct fabric_problem problem;

    snprintf(bench->root, sizeof(bench->root), "/tmp/mrc-test-XXXXXX");
    EXPECT(mkdtemp(bench->root));
    EXPECT(fabric_init(&bench->fabric, &bench->config, NULL, &problem));
    EXPECT_EQ(soft_open(&bench->soft, &config), 0);
    for (uint32_t nic = 0; nic < 2; nic++)
        for (uint32_t plane = 0; plane < PLANES; plane++)
            attach(bench, nic, plane);
}

static struct bench small_fabric(void)
{
    struct bench bench = { .slower = 1 };

    fabric_config_init(&bench.config);
    bench.config.plane_count = PLANES;
    bench.config.t0_count = 2;
    bench.config.t1_count = 2;
    bench.config.hosts_per_t0 = 1;
    return bench;
}

static void stop(struct bench *bench)
{
    char command[64];

    for (uint32_t nic = 0; nic < 2; nic++)
        for (uint32_t plane = 0; plane < PLANES; plane++)
            pktio_port_close(bench->nics[nic][plane]);
    soft_close(bench->soft);
    snprintf(command, sizeof(command), "rm -rf %s", bench->root);
    EXPECT_EQ(system(command), 0);
}

/* A data packet from NIC 0 to NIC 1 with this PSN. */
static uint32_t build(const struct bench *bench, uint32_t plane, uint32_t psn_value, uint8_t *bytes)
{
    struct frame frame = {
        .packet = { .src.octets = { 0x20, 1, 0xd, 0xb8, [15] = 1 },
            .dst.octets = { 0x20, 1, 0xd, 0xb8, 0, 1, [15] = 1 },
            .ev = psn_value & 1,
            .dest_qpn = 0x222,
            .psn = psn(psn_value),
            .opcode = OPCODE_WRITE_MIDDLE,
            .flags = PACKET_STAMPED,
            .class = DSCP_TRIMMABLE,
            .ecn = ECN_ECT0,
            .write = { .payload.length = PAYLOAD_BYTES, .rkey = 1, .message_bytes = 1 << 20 } }
    };
    struct host_plan plan = { .block = bench->fabric.config.usid_block, .self = frame.packet.src };
    struct ev_path path = { .plane = plane, .uplink = psn_value & 1 };
    struct template_addresses addresses;
    struct host_route route;

    EXPECT_EQ(host_route_by_plan(&plan, &frame.packet.dst, &route), 0);
    template_expand(&route.template, path, &addresses);
    frame_address(&format_default, &frame, &addresses.destination, NULL);
    frame_build(&format_default, &frame, bytes, SOFT_FRAME_BYTES);
    for (uint32_t i = 0; i < PAYLOAD_BYTES; i++)
        bytes[frame.payload_offset + i] = (uint8_t)(psn_value + i);
    frame_seal(&frame, bytes);
    return frame.length;
}

static void send(struct bench *bench, uint32_t plane, uint32_t psn_value)
{
    static uint8_t bytes[SOFT_FRAME_BYTES];
    uint32_t length = build(bench, plane, psn_value, bytes);
    struct iovec piece = { bytes, length };

    pktio_port_send(bench->nics[0][plane], &(struct pktio_frame){ &piece, 1, length }, 1);
}

struct seen {
    uint32_t whole;
    uint32_t trimmed;
    uint32_t marked;
    uint32_t out_of_order; /* of one plane and uplink */
    uint32_t last_psn[PLANES][2];
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
    seen->marked += frame.packet.ecn == ECN_CE;
}

static void receive(struct bench *bench, struct seen *seen)
{
    struct pktio_received received[PKTIO_BATCH_MAX];

    for (uint32_t plane = 0; plane < PLANES; plane++) {
        uint32_t count = pktio_port_receive(bench->nics[1][plane], received, PKTIO_BATCH_MAX);

        for (uint32_t i = 0; i < count; i++)
            look_at(seen, plane, &received[i]);
    }
}

static void pass(struct bench *bench)
{
    bench->now_ps += PASS_PS;
    soft_pass(bench->soft);
}

/* Until that many frames are there, whole or trimmed. */
static void run_until(struct bench *bench, struct seen *seen, uint32_t count)
{
    for (uint32_t i = 0; i < PASSES_MAX && seen->whole + seen->trimmed < count; i++) {
        pass(bench);
        receive(bench, seen);
    }
    EXPECT_EQ(seen->whole + seen->trimmed, count);
}

static uint64_t counted(const struct bench *bench, enum port_counter counter)
{
    const struct soft *soft = bench->soft;
    uint64_t total = 0;

    for (uint32_t node = 0; node < soft->fabric.switch_count; node++)
        for (uint32_t port = 0; port < fabric_port_count(&soft->fabric, node); port++)
            total += soft->switches[node].ports[port].counters->value[counter];
    return total;
}

static bool uses_buffers(const struct bench *bench)
{
    return bench->soft->frames.free_count < bench->soft->frames.count;
}

SPEC("every frame arrives once, unchanged but for its outer header, in order on its path")
{
    struct bench bench = small_fabric();
    struct seen seen = { 0 };

    start(&bench);
    for (uint32_t i = 0; i < 400; i++) {
        send(&bench, i / 2 % PLANES, i);
        if (i % 50 == 49)
            pass(&bench);
    }
    run_until(&bench, &seen, 400);
    EXPECT_EQ(seen.whole, 400);
    EXPECT_EQ(seen.out_of_order, 0);
    EXPECT_EQ(counted(&bench, PORT_COUNTER_DATA_PACKETS), 3 * 400);
    EXPECT(!uses_buffers(&bench));
    stop(&bench);
}

SPEC("what does not fit a small queue is trimmed, what waits in a long one is marked; all counted")
{
    struct bench bench = small_fabric();
    struct seen seen = { 0 };

    bench.config.uplink.rate_bps = bench.config.host_link.rate_bps / 50;
    bench.config.buffers.data_bytes = 20000;
    bench.config.buffers.red_min_bytes = 2000;
    bench.config.buffers.red_max_bytes = 8000;
    bench.slower = 100; /* so that a frame comes sooner than the one before has left */
    start(&bench);
    for (uint32_t i = 0; i < 100; i++)
        send(&bench, 0, i);
    run_until(&bench, &seen, 100);
    EXPECT_GT(seen.trimmed, 0);
    EXPECT_GT(seen.marked, 0);
    EXPECT_EQ(
        counted(&bench, PORT_COUNTER_TRIMMED_ARRIVING) + counted(&bench, PORT_COUNTER_TRIMMED_TAIL),
        seen.trimmed);
    EXPECT_EQ(counted(&bench, PORT_COUNTER_MARKED), seen.marked);
    EXPECT(!uses_buffers(&bench));
    stop(&bench);
}

SPEC("frames to a NIC that reads nothing wait in the switch, and come when it reads again")
{
    struct bench bench = small_fabric();
    struct seen seen = { 0 };

    start(&bench);
    for (uint32_t i = 0; i < 600; i++) {
        send(&bench, 0, i);
        if (i % 100 == 99)
            for (uint32_t j = 0; j < 2000; j++)
                pass(&bench);
    }
    EXPECT(uses_buffers(&bench));
    run_until(&bench, &seen, 600);
    EXPECT_EQ(seen.out_of_order, 0);
    EXPECT(!uses_buffers(&bench));
    stop(&bench);
}

SPEC("a NIC that reads nothing is asked ever more seldom, until it reads")
{
    struct bench bench = small_fabric();
    struct seen seen = { 0 };
    const struct soft_end *end;

    start(&bench);
    end = &bench.soft->ends[soft_nic_end(bench.soft, 1, 0)];
    for (uint32_t i = 0; i < 600; i++) {
        send(&bench, 0, i);
        if (i % 100 == 99)
            for (uint32_t j = 0; j < 2000; j++)
                pass(&bench);
    }
    for (uint32_t i = 0; i < PASSES_MAX && end->hold_ps < 1000000000; i++)
        pass(&bench);
    EXPECT_GE(end->hold_ps, 1000000000);
    run_until(&bench, &seen, 600);
    EXPECT_EQ(end->hold_ps, 0);
    stop(&bench);
}

/* Slots that the first NIC's port has back. */
static uint32_t free_slots(const struct bench *bench)
{
    return shm_port_slot_count(bench->nics[0][0]) - pktio_port_unread(bench->nics[0][0]);
}

SPEC("what waits long is copied, so that a NIC gets its slots back; what it sends next arrives")
{
    struct bench bench = small_fabric();
    struct seen seen = { 0 };

    start(&bench);
    for (uint32_t i = 0; i < 1000; i++) {
        send(&bench, 0, i);
        for (uint32_t j = 0; j < PASSES_MAX && free_slots(&bench) < 100; j++)
            pass(&bench);
    }
    EXPECT_GE(free_slots(&bench), 100);
    EXPECT(uses_buffers(&bench));
    run_until(&bench, &seen, 1000);
    EXPECT_EQ(seen.out_of_order, 0);
    stop(&bench);
}

SPEC("frames of a NIC that leaves, lent by it, arrive unharmed")
{
    struct bench bench = small_fabric();
    struct seen seen = { 0 };
    uint32_t end;

    bench.slower = 1000;
    start(&bench);
    end = soft_nic_end(bench.soft, 0, 0);
    for (uint32_t i = 0; i < 30; i++)
        send(&bench, 0, i);
    pass(&bench);
    EXPECT(uses_buffers(&bench));
    soft_ends_release(bench.soft, end);
    run_until(&bench, &seen, 30);
    EXPECT_EQ(seen.whole, 30);
    stop(&bench);
}

SPEC("frames on their way to a NIC that leaves are lost, counted, and their buffers free again")
{
    struct bench bench = small_fabric();
    uint32_t end;
    uint64_t lost;

    bench.slower = 1000;
    start(&bench);
    end = soft_nic_end(bench.soft, 1, 0);
    for (uint32_t i = 0; i < 100; i++)
        send(&bench, 0, i);
    for (uint32_t i = 0; i < PASSES_MAX && bench.soft->ends[end].under_way == 0; i++)
        pass(&bench);
    soft_ends_release(bench.soft, end);
    for (uint32_t i = 0; i < PASSES_MAX && uses_buffers(&bench); i++)
        pass(&bench);
    EXPECT(!uses_buffers(&bench));
    lost = bench.soft->wires[bench.soft->ends[end].at].lost;
    EXPECT_GT(lost, 0);
    EXPECT_LE(lost, 100);
    stop(&bench);
}
