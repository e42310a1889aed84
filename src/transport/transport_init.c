/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates and initialises a NIC. */
#include <assert.h>
#include <stdalign.h>

#include "base/power.h"
#include "transport/nic.h"
#include "transport/prefetch.h"

enum {
    CONTROL_SLOTS = 256,
    ENDPOINT_SLOTS = 64,
    EV_EVENT_SLOTS = 64,
    PEER_SLOTS = 64,
    CONTROL_SLOTS_PER_ADDRESS = 4,
};

static struct nic_ring take_ring(struct arena *arena, uint32_t qp_count_max)
{
    uint32_t slot_count = power_of_two_at_least(qp_count_max);

    return (struct nic_ring){ .slots = arena_take(
                                  arena, slot_count, sizeof(uint32_t), alignof(uint32_t)),
        .slot_count = slot_count };
}

static uint32_t slots_or(uint32_t configured, uint32_t otherwise)
{
    assert((configured & (configured - 1)) == 0);
    return configured ? configured : otherwise;
}

/* Takes an array of pointers to QPs. */
static void *take_pointers(struct arena *arena, uint32_t count)
{
    return arena_take(arena, count, sizeof(void *), alignof(void *));
}

static void take_tables(struct transport *nic, struct arena *arena, uint32_t qp_count_max)
{
    nic->qpn_table_count = 2 * power_of_two_at_least(qp_count_max);
    nic->qps = take_pointers(arena, qp_count_max + 1);
    nic->qpn_table = take_pointers(arena, nic->qpn_table_count);
    nic->ready = take_ring(arena, qp_count_max);
    nic->eventful = take_ring(arena, qp_count_max);
    deadlines_init(&nic->deadlines, arena, 2 * qp_count_max + 1);
}

static void take_queues(
    struct transport *nic, struct arena *arena, const struct transport_config *config)
{
    uint32_t control_slots = slots_or(config->control_slots, CONTROL_SLOTS);

    nic->ports_cross = config->ports_cross;
    nic->endpoint_slots = slots_or(config->endpoint_slots, ENDPOINT_SLOTS);
    nic->note_slots = slots_or(config->ev_event_slots, EV_EVENT_SLOTS);
    nic->peer_slots = slots_or(config->peer_slots, PEER_SLOTS);
    control_queue_init(&nic->control, arena, control_slots,
        control_slots > CONTROL_SLOTS_PER_ADDRESS ? control_slots / CONTROL_SLOTS_PER_ADDRESS : 1);
    nic->ports =
        arena_take(arena, config->port_count, sizeof(*nic->ports), alignof(struct nic_port));
    nic->endpoints = arena_take(
        arena, nic->endpoint_slots, sizeof(*nic->endpoints), alignof(struct nic_endpoint));
    nic->notes = arena_take(arena, nic->note_slots, sizeof(*nic->notes), alignof(struct nic_note));
    nic->peers = arena_take(arena, config->qp_count_max, sizeof(*nic->peers), alignof(struct peer));
    peer_index_init(&nic->peer_index, arena, config->qp_count_max);
    nic->peer_cache =
        arena_take(arena, nic->peer_slots, sizeof(*nic->peer_cache), alignof(uint32_t));
}

/* Returns an incarnation other than 0, which means unknown. Engines of one NIC differ in the low
 * bits, by which peers distinguish their updates. */
static uint8_t incarnation_of(const struct transport_config *config)
{
    struct prng prng = prng_stream(config->seed, 1);
    uint32_t lives = UINT8_MAX / TRANSPORT_ENGINES_MAX;

    if (config->engine_count <= 1)
        return (uint8_t)(1 + prng_below(&prng, UINT8_MAX));
    return (uint8_t)((1 + prng_below(&prng, lives)) * TRANSPORT_ENGINES_MAX + config->engine_index);
}

struct transport *transport_init(struct arena *arena, const struct transport_config *config)
{
    struct transport *nic = arena_take(arena, 1, sizeof(*nic), alignof(struct transport));
    struct transport parts = { .env = { .address = config->address,
                                   .port_count = config->port_count,
                                   .nak_write_imm_limit = config->nak_write_imm_limit,
                                   .memory = config->memory,
                                   .trace = config->trace },
        .qp_count_max = config->qp_count_max,
        .has_many_qps = config->qp_count_max >= PREFETCH_QPS_LEAST,
        .early_index = NIC_NO_PEER,
        .share = { .first = RECEIVE_SHARE_END, .end_ns = UINT64_MAX },
        .seed = config->seed,
        .prng = prng_stream(config->seed, 0),
        .endpoint_id = (uint16_t)config->engine_index,
        .update_id = (uint16_t)config->engine_index,
        .id_step = (uint16_t)(config->engine_count ? config->engine_count : 1),
        .incarnation = incarnation_of(config) };

    assert(config->engine_count <= TRANSPORT_ENGINES_MAX);
    assert(config->port_count >= 1 && config->port_count <= PATH_PLANE_COUNT_MAX);
    take_tables(&parts, arena, config->qp_count_max);
    take_queues(&parts, arena, config);
    if (!config->shared_parameters)
        parts.own_parameters =
            arena_take(arena, 1, sizeof(struct parameters), alignof(struct parameters));
    if (!nic)
        return NULL;
    *nic = parts;
    peer_index_start(&nic->peer_index);
    nic->env.counters = nic->counters;
    nic->env.ev_probes = &nic->ev_probes;
    nic->up_mask = nic->env.usable_mask = (UINT32_C(1) << config->port_count) - 1;
    transport_set_parameters(
        nic, config->shared_parameters ? config->shared_parameters : &config->parameters);
    return nic;
}
