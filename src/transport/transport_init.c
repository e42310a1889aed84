/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a NIC and its parameters. */
#include <assert.h>
#include <stdalign.h>

#include "base/power.h"
#include "transport/nic.h"

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

/* Pointers to QPs. */
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
    deadlines_init(&nic->deadlines, arena, qp_count_max + 1);
}

static void take_queues(
    struct transport *nic, struct arena *arena, const struct transport_config *config)
{
    uint32_t control_slots = slots_or(config->control_slots, CONTROL_SLOTS);

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
    nic->peer_cache =
        arena_take(arena, nic->peer_slots, sizeof(*nic->peer_cache), alignof(uint32_t));
}

static void derive_path_config(struct transport *nic)
{
    const struct parameters *parameters = nic->parameters;

    nic->path_config = (struct path_config){ .policy = (enum path_policy)parameters->path_policy,
        .loss_to_bad = (enum path_loss_to_bad)parameters->loss_to_bad,
        .spares_last_ev = parameters->plane_last_ev,
        .skip_backoff = parameters->skip_backoff,
        .skip_trial = parameters->skip_trial,
        .base_rtt_ns =
            (uint32_t)(parameters->skip_lapse ? parameters->skip_lapse : parameters->base_rtt),
        .probe_first_ns = parameters->ev_probe_first,
        .probe_longest_ns = parameters->ev_probe_longest,
        .probe_timeout_ns = nic_probe_timeout_ns(nic, parameters->base_rtt),
        .probe_successes = (uint32_t)parameters->ev_probe_successes,
        .probe_successes_max = (uint32_t)parameters->ev_probe_successes_max };
    /* Without trimming a loss may be congestion (§24). */
    if (!parameters->network_trims && nic->path_config.loss_to_bad == PATH_LOSS_ADAPTIVE)
        nic->path_config.loss_to_bad = PATH_LOSS_3OF8;
}

static void keep_parameters(struct transport *nic, const struct parameters *parameters)
{
    if (nic->own_parameters)
        *nic->own_parameters = *parameters;
    nic->parameters = nic->own_parameters ? nic->own_parameters : parameters;
    derive_path_config(nic);
}

struct transport *transport_init(struct arena *arena, const struct transport_config *config)
{
    struct transport *nic = arena_take(arena, 1, sizeof(*nic), alignof(struct transport));
    struct transport parts = { .address = config->address,
        .port_count = config->port_count,
        .qp_count_max = config->qp_count_max,
        .seed = config->seed,
        .prng = prng_stream(config->seed, 0),
        .nak_write_imm_limit = config->nak_write_imm_limit,
        .memory = config->memory,
        .trace = config->trace };

    assert(config->port_count >= 1 && config->port_count <= PATH_PLANE_COUNT_MAX);
    take_tables(&parts, arena, config->qp_count_max);
    take_queues(&parts, arena, config);
    if (!config->shared_parameters)
        parts.own_parameters =
            arena_take(arena, 1, sizeof(struct parameters), alignof(struct parameters));
    if (!nic)
        return NULL;
    *nic = parts;
    nic->up_mask = nic->usable_mask = (UINT32_C(1) << config->port_count) - 1;
    for (uint32_t port = 0; port < config->port_count; port++)
        nic->ports[port].due_ns = UINT64_MAX;
    keep_parameters(
        nic, config->shared_parameters ? config->shared_parameters : &config->parameters);
    return nic;
}

void transport_set_parameters(struct transport *nic, const struct parameters *parameters)
{
    bool skip_backoff = nic->path_config.skip_backoff;

    keep_parameters(nic, parameters);
    if (nic->qp_count > 0) /* which were given memory for the former setting */
        nic->path_config.skip_backoff = skip_backoff;
}

const struct parameters *transport_parameters(const struct transport *nic)
{
    return nic->parameters;
}

void transport_cc_settings(const struct parameters *parameters, struct cc_settings *settings)
{
    static const char *const algorithms[] = { "nscc", "none" };
    enum { AUTO = 2 };
    bool fair = parameters->nscc_unmarked_delay == AUTO
                    ? parameters->last_hop_ecn
                    : parameters->nscc_unmarked_delay == CC_UNMARKED_FAIR;

    *settings = (struct cc_settings){ .algorithm = algorithms[parameters->congestion_control],
        .link_bps = parameters->link_bps,
        .base_rtt_ns = (uint32_t)parameters->base_rtt,
        .mtu_bytes = (uint32_t)parameters->pmtu + (parameters->stamp ? 88 : 84),
        .network_trims = parameters->network_trims,
        .unmarked_delay = fair ? CC_UNMARKED_FAIR : CC_UNMARKED_DECREASE,
        .base_rtt_floor_ns = (uint32_t)parameters->base_rtt_floor,
        .target_floor_ns = (uint32_t)parameters->target_delay_floor,
        .about_zero_ns = (uint32_t)parameters->about_zero_delay,
        .sharing = (enum cc_sharing)parameters->nscc_sharing,
        .target_delay_ns = (uint32_t)parameters->target_delay,
        .max_window_bytes = (uint32_t)parameters->max_cwnd };
}
