/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and closes engines: their tables, ports, transports and threads. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "host/engine.h"
#include "host/graph_paths.h"

enum { HEADERS_MAX = FRAME_HEADER_BYTES_MAX + FRAME_ICRC_BYTES };

/* ---- transport and ports ----------------------------------------------------------------------
 */

static int open_transport(struct engine *engine)
{
    const struct host_nic *nic = engine->nic;
    struct transport_config config = { .address = nic->config.address,
        .port_count = nic->config.port_count,
        .qp_count_max = nic->config.qp_count_max,
        .seed = nic->config.seed + engine->index,
        .nak_write_imm_limit = nic->config.format.nak_write_imm_limit,
        .memory = { .place = engine_keep, .context = engine },
        .trace = &engine->trace,
        .engine_index = engine->index,
        .engine_count = nic->engine_count,
        .ports_cross = nic->graph && graph_paths_cross(nic->graph),
        .parameters = nic->config.parameters };
    struct arena arena;

    arena_init(&arena, NULL, 0);
    transport_init(&arena, &config);
    engine->transport_bytes = arena.used_bytes;
    engine->transport_memory = qp_memory_map(arena.used_bytes);
    if (!engine->transport_memory)
        return -ENOMEM;
    arena_init_zero(&arena, engine->transport_memory, arena.used_bytes);
    engine->transport = transport_init(&arena, &config);
    return 0;
}

static int open_port(struct engine *engine, uint32_t index)
{
    const struct host_config *config = &engine->nic->config;
    const struct host_port_config *port = &config->ports[index];

    if (port->port) {
        engine->ports[index] = port->port;
        return 0;
    }
    if (!port->address)
        return -EINVAL;
    return pktio_open(port->address,
        &(struct pktio_self){ .device = config->name,
            .index = index,
            .engine = engine->index,
            .engine_count = engine->nic->engine_count },
        &engine->ports[index]);
}

static int open_ports(struct engine *engine)
{
    struct pktio_tap *tap = engine->nic->tap;
    int err = 0;

    for (uint32_t i = 0; !err && i < engine->nic->config.port_count; i++) {
        err = open_port(engine, i);
        if (!err && tap)
            err = pktio_tap_attach(tap, engine->ports[i], i);
    }
    return err;
}

static void find_pmtu(struct host_nic *nic)
{
    nic->pmtu_max = 4096;
    for (uint32_t i = 0; i < nic->config.port_count; i++)
        while (nic->pmtu_max > 256 &&
               nic->pmtu_max + HEADERS_MAX > nic->engines[0]->ports[i]->mtu_bytes)
            nic->pmtu_max /= 2;
    if (nic->config.parameters.pmtu > nic->pmtu_max)
        nic->config.parameters.pmtu = nic->pmtu_max;
}

/* ---- engines ----------------------------------------------------------------------------------
 */

static void free_engine(struct engine *engine)
{
    free(engine->posted_words);
    qp_table_fini(&engine->qps);
    qp_memory_unmap(engine->transport_memory, engine->transport_bytes);
    if (engine->wake_fd >= 0)
        close(engine->wake_fd);
    free(engine);
}

static struct engine *make_engine(struct host_nic *nic, uint32_t index)
{
    struct engine *engine = aligned_alloc(64, (sizeof(*engine) + 63) / 64 * 64);
    uint32_t words = (nic->config.qp_count_max + 63) / 64;

    if (!engine)
        return NULL;
    memset(engine, 0, sizeof(*engine));
    engine->nic = nic;
    engine->index = index;
    engine->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    engine->trace = (struct trace_sink){ .on_event = status_on_trace, .context = engine };
    engine->posted_words = calloc(words, sizeof(*engine->posted_words));
    ring_init(&engine->async.ring, ENGINE_ASYNC);
    for (uint32_t i = 0; i < HOST_ENGINE_COUNT_MAX; i++)
        ring_init(&engine->mail[i].ring, ENGINE_MAIL);
    if (engine->wake_fd >= 0 && engine->posted_words &&
        qp_table_init(&engine->qps, nic->config.qp_count_max) == 0)
        return engine;
    free_engine(engine);
    return NULL;
}

int engine_make_all(struct host_nic *nic, uint32_t count)
{
    for (; nic->engine_count < count; nic->engine_count++) {
        nic->engines[nic->engine_count] = make_engine(nic, nic->engine_count);
        if (!nic->engines[nic->engine_count])
            return -ENOMEM;
    }
    return 0;
}

int engine_open_all(struct host_nic *nic)
{
    int err = 0;

    for (uint32_t i = 0; !err && i < nic->engine_count; i++)
        err = open_ports(nic->engines[i]);
    if (err)
        return err;
    find_pmtu(nic);
    for (uint32_t i = 0; !err && i < nic->engine_count; i++) {
        err = open_transport(nic->engines[i]);
        if (!err)
            engine_update_links(nic->engines[i], host_now_ns());
    }
    return err;
}

int engine_start_all(struct host_nic *nic)
{
    int err = 0;

    for (uint32_t i = 0; !err && i < nic->engine_count; i++)
        err = progress_start(nic->engines[i]);
    return err;
}

void engine_stop_all(struct host_nic *nic)
{
    for (uint32_t i = 0; i < nic->engine_count; i++)
        progress_stop(nic->engines[i]);
}

void engine_free_all(struct host_nic *nic)
{
    for (uint32_t i = 0; i < nic->engine_count; i++)
        free_engine(nic->engines[i]);
}

void engine_close_all(struct host_nic *nic)
{
    for (uint32_t i = 0; i < nic->engine_count; i++)
        for (uint32_t port = 0; port < nic->config.port_count; port++)
            if (nic->engines[i]->ports[port])
                pktio_port_close(nic->engines[i]->ports[port]);
}
