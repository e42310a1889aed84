/* SPDX-License-Identifier: Apache-2.0 */
/* Engines, QP cache and receive buffer of a NIC. */
#include "sim/nic_model.h"

#include <assert.h>

#include "base/power.h"

enum {
    LEAST_SLOTS = 1024,
    BYTES_PER_SLOT = 1024,
};

static uint64_t later(uint64_t a_ps, uint64_t b_ps)
{
    return a_ps > b_ps ? a_ps : b_ps;
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static uint32_t slot_count(const struct sim *sim)
{
    uint32_t slots = sim->nic_cost.buffer_bytes / BYTES_PER_SLOT;

    return power_of_two_at_least(slots > LEAST_SLOTS ? slots : LEAST_SLOTS);
}

void nic_model_init(struct sim *sim, struct arena *arena)
{
    uint32_t room = hardware_qps_on_chip(&sim->config.hardware);
    struct nic_model_arrival *arrivals;
    struct qp_cache_link *links;

    sim->nic_cost = hardware_nic_cost(&sim->config.hardware);
    if (sim->nic_cost.is_ideal)
        return;
    sim->nic_slots = slot_count(sim);
    sim->nic_models =
        arena_take(arena, sim->nic_count, sizeof(*sim->nic_models), _Alignof(struct nic_model));
    links = packets_take_memory(arena, sim->flow_count, 2 * sizeof(*links));
    arrivals = packets_take_memory(arena, sim->nic_count, sim->nic_slots * sizeof(*arrivals));
    for (uint32_t i = 0; arena->memory && i < sim->nic_count; i++) {
        sim->nic_models[i] = (struct nic_model){ .arrivals = arrivals };
        qp_cache_init(&sim->nic_models[i].qps, links, sim->nics[i].qp_count, room);
        links += sim->nics[i].qp_count;
        arrivals += sim->nic_slots;
    }
}

/* ---- receiving ------------------------------------------------------------------------------- */

/* Numbers of QPs of a NIC are consecutive. Packets that concern no QP always hit. */
static bool is_miss(struct nic_model *model, uint32_t qpn)
{
    if (qpn < ENGINE_FIRST_QPN || qpn - ENGINE_FIRST_QPN >= model->qps.qp_count)
        return false;
    return !qp_cache_use(&model->qps, qpn - ENGINE_FIRST_QPN);
}

static uint32_t payload_of(const struct packets_record *record, const struct port_entry *entry)
{
    bool has_payload = opcode_has_payload(record->opcode) && !dscp_is_trimmed(entry->class);

    return has_payload ? record->write.length : 0;
}

static void announce_penalty(struct shard *shard, uint32_t nic)
{
    struct nic_model *model = &shard->sim->nic_models[nic];
    uint8_t penalty = nic_cost_penalty(&shard->sim->nic_cost, model->waiting_bytes);

    if (penalty == model->penalty || !shard->endpoint->penalize)
        return;
    model->penalty = penalty;
    shard->endpoint->penalize(shard->nics[nic].endpoint, penalty);
}

void nic_model_arrive(
    struct shard *shard, uint32_t nic, const struct mailbox_entry *entry, uint64_t now_ps)
{
    const struct packets_record *record = &shard->packets.all[entry->packet.handle];
    struct nic_model *model = &shard->sim->nic_models[nic];
    uint64_t buffer_bytes = shard->sim->nic_cost.buffer_bytes;
    struct nic_cost_packet packet = { .payload_bytes = payload_of(record, &entry->packet) };
    struct nic_model_arrival *arrival;

    if (model->count == shard->sim->nic_slots ||
        (buffer_bytes > 0 && model->waiting_bytes + entry->packet.length_bytes > buffer_bytes)) {
        shard_lose(shard, entry->packet.handle, LOST_BUFFER);
        return;
    }
    packet.is_miss = is_miss(model, record->dest_qpn);
    model->receive_ps =
        later(model->receive_ps, now_ps) + nic_cost_receive_ps(&shard->sim->nic_cost, &packet);
    arrival = &model->arrivals[(model->first + model->count++) % shard->sim->nic_slots];
    *arrival = (struct nic_model_arrival){ .due_ps = model->receive_ps, .entry = *entry };
    model->waiting_bytes += entry->packet.length_bytes;
    announce_penalty(shard, nic);
}

uint64_t nic_model_next_ps(const struct nic_model *model)
{
    return model->count > 0 ? model->arrivals[model->first].due_ps : SIM_NEVER_PS;
}

bool nic_model_receive(
    struct shard *shard, uint32_t nic, struct mailbox_entry *out, uint64_t now_ps)
{
    struct nic_model *model = &shard->sim->nic_models[nic];

    if (nic_model_next_ps(model) > now_ps)
        return false;
    *out = model->arrivals[model->first].entry;
    model->first = (model->first + 1) % shard->sim->nic_slots;
    model->count--;
    assert(model->waiting_bytes >= out->packet.length_bytes);
    model->waiting_bytes -= out->packet.length_bytes;
    announce_penalty(shard, nic);
    return true;
}

uint64_t nic_model_waiting(const struct sim *sim)
{
    uint64_t count = 0;

    for (uint32_t i = 0; sim->nic_models && i < sim->nic_count; i++)
        count += sim->nic_models[i].count;
    return count;
}

/* ---- sending and time ------------------------------------------------------------------------ */

uint64_t nic_model_send(
    struct shard *shard, uint32_t nic, const struct endpoint_departure *leaving, uint64_t now_ps)
{
    struct nic_model *model = &shard->sim->nic_models[nic];
    const struct packets_record *record = &shard->packets.all[leaving->packet.handle];
    struct nic_cost_packet packet = { .payload_bytes = payload_of(record, &leaving->packet),
        .begins_message =
            opcode_has_payload(record->opcode) && opcode_starts_message(record->opcode) };

    if (leaving->sender < model->qps.qp_count)
        packet.is_miss = !qp_cache_use(&model->qps, leaving->sender);
    model->send_ps =
        later(model->send_ps, now_ps) + nic_cost_send_ps(&shard->sim->nic_cost, &packet);
    return model->send_ps;
}

uint64_t nic_model_timer_ps(const struct shard *shard, uint32_t nic, uint64_t timer_ps)
{
    if (timer_ps == SIM_NEVER_PS)
        return timer_ps;
    return timer_ps +
           nic_cost_late_ps(&shard->sim->nic_cost, shard->sim->config.seed, nic, timer_ps);
}
