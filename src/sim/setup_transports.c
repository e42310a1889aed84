/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up one transport for each NIC. */
#include <assert.h>
#include <stdalign.h>

#include "base/bits.h"
#include "base/power.h"
#include "sim/endpoint_mrc.h"
#include "sim/group.h"
#include "sim/loans.h"
#include "sim/setup.h"

enum {
    LINE = 64,
    CONTROL_SLOTS_LEAST = 32,
    CONTROL_SLOTS_MOST = 8192,
    ENDPOINT_SLOTS = 8,
    ENDPOINT_SLOTS_MOST = 64,
    QPS_MEASURED_MOST = 1 << 20,
};

/* ---- transports ------------------------------------------------------------------------------ */

static uint32_t control_slots(uint32_t qp_count)
{
    if (qp_count >= CONTROL_SLOTS_MOST / 4)
        return CONTROL_SLOTS_MOST;
    return qp_count <= CONTROL_SLOTS_LEAST / 4 ? CONTROL_SLOTS_LEAST
                                               : power_of_two_at_least(4 * qp_count);
}

static void on_trace(void *context, const struct trace_event *event)
{
    const struct engine_tracer *tracer = context;
    const struct sim_observer *observer = &tracer->sim->config.observer;

    observer->on_trace(observer->context, tracer->nic, event);
}

static void setup_tracers(struct sim *sim, struct arena *arena)
{
    if (!sim->config.observer.on_trace)
        return;
    sim->tracers =
        arena_take(arena, sim->nic_count, sizeof(*sim->tracers), alignof(struct engine_tracer));
    for (uint32_t i = 0; sim->tracers && i < sim->nic_count; i++)
        sim->tracers[i] = (struct engine_tracer){
            .sink = { .on_event = on_trace, .context = &sim->tracers[i] }, .sim = sim, .nic = i
        };
}

/* NICs with many peers send more endpoint requests. */
static uint32_t endpoint_slots(uint32_t qp_count)
{
    uint32_t slots = ENDPOINT_SLOTS;

    while (slots < qp_count && slots < ENDPOINT_SLOTS_MOST)
        slots *= 2;
    return slots;
}

static struct transport_config transport_config(struct sim *sim, uint32_t nic, uint32_t qp_count)
{
    struct prng prng = setup_stream(sim, SETUP_STREAM_NICS, nic);

    return (struct transport_config){ .address = plan_nic_address(sim->fabric, nic),
        .port_count = sim->plane_count,
        .ports_cross = sim->topology->ports_cross,
        .qp_count_max = qp_count > 0 ? qp_count : 1,
        .seed = prng_next(&prng),
        .memory = { .place = endpoint_mrc_place, .context = setup_shard_of(sim, nic) },
        .trace = sim->tracers ? &sim->tracers[nic].sink : NULL,
        .control_slots = control_slots(qp_count),
        .endpoint_slots = endpoint_slots(qp_count),
        .ev_event_slots = ENDPOINT_SLOTS,
        .peer_slots = ENDPOINT_SLOTS,
        .shared_parameters = &sim->parameters };
}

static size_t transport_bytes(struct sim *sim, uint32_t qp_count)
{
    struct transport_config config = transport_config(sim, 0, qp_count);
    struct arena measure;

    arena_init(&measure, NULL, 0);
    transport_init(&measure, &config);
    return (measure.used_bytes + LINE - 1) / LINE * LINE;
}

/* The number of QPs of each NIC is not known while measuring, only the total. A transport takes at
 * most `first_bytes` for one QP and `more_bytes` for each further one. */
static size_t transports_bytes_max(struct sim *sim)
{
    size_t first_bytes = transport_bytes(sim, 1);
    size_t more_bytes = 0;

    for (uint32_t count = 2; count <= QPS_MEASURED_MOST; count *= 2) {
        size_t each = (transport_bytes(sim, count) - first_bytes + count - 1) / count;

        if (each > more_bytes)
            more_bytes = each;
    }
    return sim->nic_count * (first_bytes + LINE) + 4 * more_bytes * (size_t)sim->flow_count;
}

/* Returns what of this maximum is not used if all NICs have as many QPs as the others. */
static size_t transports_bytes_spare(struct sim *sim, size_t bytes_max)
{
    uint32_t ends = 2 * (sim->flow_count / sim->nic_count + 1);
    size_t even_bytes = sim->nic_count * (transport_bytes(sim, ends) + LINE);

    return bytes_max > even_bytes ? bytes_max - even_bytes : 0;
}

/* Decides where the transport of each NIC is. Those of other members of the group are not made. */
static void place_transports(struct sim *sim, struct arena *arena)
{
    uint32_t qp_count = UINT32_MAX;
    size_t bytes = 0;

    for (uint32_t i = 0; i < sim->nic_count; i++) {
        struct engine_nic *nic = &sim->nics[i];

        if (!group_has_node(sim, i))
            continue;
        if (nic->qp_count != qp_count) {
            qp_count = nic->qp_count;
            bytes = transport_bytes(sim, qp_count);
        }
        nic->endpoint = arena_take_raw(arena, 1, bytes, LINE);
    }
}

static void tell_port_rates(const struct sim *sim, uint32_t index)
{
    for (uint32_t port = 0; port < sim->plane_count; port++)
        transport_set_port_rate(
            sim->nics[index].endpoint, port, topology_arrival_bps(sim->topology, index, port));
}

static void init_transport(struct sim *sim, uint32_t index)
{
    uint32_t all_ports = (UINT32_C(1) << sim->plane_count) - 1;
    struct engine_nic *nic = &sim->nics[index];
    struct transport_config config = transport_config(sim, index, nic->qp_count);
    struct arena own;
    void *made;

    arena_init(&own, nic->endpoint, transport_bytes(sim, nic->qp_count));
    made = transport_init(&own, &config);
    assert(made == nic->endpoint);
    (void)made;
    nic->address = config.address;
    tell_port_rates(sim, index);
    if (nic->qp_count > 0 || nic->ports_up != all_ports)
        bits_set(setup_shard_of(sim, index)->used_nodes, index);
    if (nic->ports_up != all_ports)
        transport_ports_changed(nic->endpoint, nic->ports_up, 0);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void init_own_transports(void *argument, uint32_t shard)
{
    struct sim *sim = argument;

    for (uint32_t i = 0; i < sim->nic_count; i++)
        if (shard_owns(&sim->shards[shard], i))
            init_transport(sim, i);
}

size_t setup_foreign_part(const struct sim *sim, size_t bytes)
{
    if (!sim->group)
        return 0;
    return bytes / sim->shard_count * (sim->shard_count - sim->group->shard_count);
}

void setup_transports(struct sim *sim, struct arena *arena)
{
    size_t bytes = transports_bytes_max(sim);
    size_t spare;
    size_t start;

    setup_paths(sim, arena);
    setup_tracers(sim, arena);
    arena_take(arena, 0, 1, LINE);
    start = arena->used_bytes;
    if (arena->memory) {
        place_transports(sim, arena);
        assert(arena->used_bytes - start <= bytes);
        shard_each(sim, init_own_transports, sim);
    }
    arena->used_bytes = start + bytes;
    spare = transports_bytes_spare(sim, bytes);
    arena->spare_bytes += spare + setup_foreign_part(sim, bytes - spare);
    loans_init(sim, arena);
    setup_qps(sim, arena);
}
