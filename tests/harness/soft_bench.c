/* SPDX-License-Identifier: Apache-2.0 */
/* A soft fabric for tests. */
#include "soft_bench.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/host.h"
#include "spec.h"
#include "wire/frame.h"

enum { PASS_PS = 50000 };

struct caller {
    pthread_t thread;
    char path[64];
    char name[16];
    uint32_t plane;
    uint32_t engine;
    uint32_t engine_count;
    struct pktio_port *port;
    int err;
};

static void *call(void *context)
{
    struct caller *caller = context;

    caller->err = shm_port_connect(&(struct shm_port_config){ .path = caller->path,
                                       .name = caller->name,
                                       .port = caller->plane,
                                       .engine = caller->engine,
                                       .engine_count = caller->engine_count },
        &caller->port);
    return NULL;
}

struct pktio_port *soft_bench_attach_engine(
    struct soft_bench *bench, uint32_t nic, uint32_t plane, uint32_t engine, uint32_t engine_count)
{
    uint32_t first = soft_nic_end(bench->soft, nic, plane);
    const struct soft_end *end = &bench->soft->ends[soft_engine_end(bench->soft, first, engine)];
    struct caller caller = { .plane = plane, .engine = engine, .engine_count = engine_count };

    snprintf(caller.path, sizeof(caller.path), "%s/fabric/attach", bench->root);
    snprintf(caller.name, sizeof(caller.name), "mrc%u", nic);
    EXPECT_EQ(pthread_create(&caller.thread, NULL, call, &caller), 0);
    while (!end->port)
        soft_attach_callers(bench->soft);
    pthread_join(caller.thread, NULL);
    EXPECT_EQ(caller.err, 0);
    return caller.port;
}

void soft_bench_attach(struct soft_bench *bench, uint32_t nic, uint32_t plane)
{
    bench->nics[nic][plane] = soft_bench_attach_engine(bench, nic, plane, 0, 1);
}

void soft_bench_open(struct soft_bench *bench)
{
    struct topology_problem problem;

    snprintf(bench->root, sizeof(bench->root), "/tmp/mrc-test-XXXXXX");
    EXPECT(mkdtemp(bench->root));
    EXPECT(plan_init(&bench->fabric, &bench->config, NULL, &problem));
    EXPECT_LE(bench->fabric.topology.nic_count, SOFT_BENCH_NICS);
    bench->soft_config.fabric = &bench->fabric;
    bench->soft_config.root = bench->root;
    bench->soft_config.name = "fabric";
    bench->soft_config.slower = bench->slower;
    bench->soft_config.seed = 1;
    bench->soft_config.thread_count = 1;
    bench->soft_config.clock_ps = &bench->now_ps;
    EXPECT_EQ(soft_open(&bench->soft, &bench->soft_config), 0);
}

void soft_bench_start(struct soft_bench *bench)
{
    soft_bench_open(bench);
    for (uint32_t nic = 0; nic < bench->fabric.topology.nic_count; nic++)
        for (uint32_t plane = 0; plane < bench->config.plane_count; plane++)
            soft_bench_attach(bench, nic, plane);
}

struct soft_bench soft_bench_small(void)
{
    struct soft_bench bench = { .slower = 1 };

    topology_config_init(&bench.config);
    bench.config.plane_count = SOFT_BENCH_PLANES;
    bench.config.t0_count = 2;
    bench.config.t1_count = 2;
    bench.config.hosts_per_t0 = 1;
    return bench;
}

void soft_bench_stop(struct soft_bench *bench)
{
    char command[64];

    for (uint32_t nic = 0; nic < bench->fabric.topology.nic_count; nic++)
        for (uint32_t plane = 0; plane < bench->config.plane_count; plane++)
            if (bench->nics[nic][plane])
                pktio_port_close(bench->nics[nic][plane]);
    soft_close(bench->soft);
    snprintf(command, sizeof(command), "rm -rf %s", bench->root);
    EXPECT_EQ(system(command), 0);
}

void soft_bench_pass(struct soft_bench *bench)
{
    bench->now_ps += PASS_PS;
    soft_pass(bench->soft);
}

uint32_t soft_bench_build(const struct soft_bench *bench, uint32_t from, uint32_t to,
    uint32_t plane, uint32_t psn_value, uint8_t *bytes)
{
    struct frame frame = { .packet = { .src = plan_nic_address(&bench->fabric, from),
                               .dst = plan_nic_address(&bench->fabric, to),
                               .ev = psn_value & 1,
                               .dest_qpn = 0x222,
                               .psn = psn(psn_value),
                               .opcode = OPCODE_WRITE_MIDDLE,
                               .flags = PACKET_STAMPED,
                               .class = DSCP_TRIMMABLE,
                               .ecn = ECN_ECT0,
                               .write = { .payload.length = SOFT_BENCH_PAYLOAD_BYTES,
                                   .rkey = 1,
                                   .message_bytes = 1 << 20 } } };
    struct plan_nic plan = { .block = bench->fabric.topology.config.usid_block,
        .plane_count = bench->fabric.topology.config.plane_count,
        .self = frame.packet.src };
    struct ev_path path = { .plane = plane, .uplink = psn_value & 1 };
    struct template_addresses addresses;
    struct host_route route;

    EXPECT_EQ(host_route_by_plan(&plan, &frame.packet.dst, &route), 0);
    template_expand(&route.template, path, &addresses);
    frame_address(&format_default, &frame, &addresses.destination, NULL);
    frame_build(&format_default, &frame, bytes, SOFT_FRAME_BYTES);
    for (uint32_t i = 0; i < SOFT_BENCH_PAYLOAD_BYTES; i++)
        bytes[frame.payload_offset + i] = (uint8_t)(psn_value + i);
    frame_seal(&frame, bytes);
    return frame.length;
}

void soft_bench_send_bytes(
    struct soft_bench *bench, uint32_t nic, uint32_t plane, const uint8_t *bytes, uint32_t length)
{
    struct iovec piece = { (void *)(uintptr_t)bytes, length };

    pktio_port_send(bench->nics[nic][plane], &(struct pktio_frame){ &piece, 1, length }, 1);
}

void soft_bench_send(
    struct soft_bench *bench, uint32_t from, uint32_t to, uint32_t plane, uint32_t psn_value)
{
    uint8_t bytes[SOFT_FRAME_BYTES];
    uint32_t length = soft_bench_build(bench, from, to, plane, psn_value, bytes);

    soft_bench_send_bytes(bench, from, plane, bytes, length);
}

bool soft_bench_uses_buffers(const struct soft_bench *bench)
{
    return bench->soft->frames.free_count < bench->soft->frames.count;
}
