/* SPDX-License-Identifier: Apache-2.0 */
/* Records of flows: pools, loans, and the flows that have ended and keep theirs for a while. */
#include "sim/loans.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

#include "sim/group.h"
#include "sim/setup.h"

enum {
    LINE = 64,
    SHARDS_MAX = 256,
    LINGER_RTTS = 2,
    LINGER_QUEUES = 4, /* of a path and, where it has fewer, some more */
};

/* ---- set-up ---------------------------------------------------------------------------------- */

/* A packet that was sent when its flow ended waits in the data queue of each switch, and its answer
 * returns. */
static uint64_t linger_ps(const struct sim *sim)
{
    const struct topology_buffers *buffers = &sim->topology->config.buffers;
    uint64_t queue_bytes = buffers->data_bytes > buffers->host_data_bytes
                               ? buffers->data_bytes
                               : buffers->host_data_bytes;
    uint64_t byte_ps = UINT64_C(8000000000000) / sim->parameters.slowest_bps + 1;

    return LINGER_RTTS * sim->topology->base_rtt_ps + LINGER_QUEUES * queue_bytes * byte_ps;
}

/* Returns the first workload whose records have the same size. */
static uint32_t class_of(const struct sim *sim, uint32_t workload)
{
    const struct sim_workload *workloads = sim->config.workloads;
    uint32_t class = 0;

    while (loans_bytes_of(sim, &workloads[class]) != loans_bytes_of(sim, &workloads[workload]))
        class ++;
    return class;
}

static uint32_t flows_of_class(const struct sim *sim, uint32_t class)
{
    const struct sim_workload *workloads = sim->config.workloads;
    size_t bytes = loans_bytes_of(sim, &workloads[class]);
    uint32_t count = 0;

    for (uint32_t w = class; w < sim->config.workload_count; w++)
        if (loans_bytes_of(sim, &workloads[w]) == bytes)
            count += workload_flow_count(&workloads[w]);
    return count;
}

/* Returns the number of records of the class that are probably not used: those of flows that send
 * when others have ended, which keep theirs for a while. */
static uint32_t spare_of_class(const struct sim *sim, uint32_t class)
{
    enum { TURNS = 3 };
    const struct sim_workload *workloads = sim->config.workloads;
    size_t bytes = loans_bytes_of(sim, &workloads[class]);
    uint32_t count = 0;

    for (uint32_t w = class; w < sim->config.workload_count; w++) {
        uint64_t used = TURNS * (uint64_t)workload_flows_at_once(&workloads[w]);
        uint32_t all = workload_flow_count(&workloads[w]);

        if (loans_bytes_of(sim, &workloads[w]) == bytes && all > used)
            count += all - (uint32_t)used;
    }
    return count;
}

/* Divides the records of a class between shards, by the flows that they send. */
static void divide_class(struct sim *sim, uint32_t class, uint8_t *memory)
{
    uint32_t counts[SHARDS_MAX] = { 0 };
    uint32_t bytes = (uint32_t)loans_bytes_of(sim, &sim->config.workloads[class]);

    assert(sim->shard_count <= SHARDS_MAX);
    for (uint32_t i = 0; i < sim->flow_count; i++)
        if (sim->loan_classes[sim->flows[i].workload] == class)
            counts[setup_shard_of(sim, sim->ranks[sim->flows[i].from].nic)->number]++;
    for (uint32_t i = 0; i < sim->shard_count; i++) {
        if (!group_has(sim->group, i))
            continue;
        sim->shards[i].loans.pools[class] =
            (struct loans_pool){ .next_new = memory, .new_count = counts[i], .bytes = bytes };
        memory += (size_t)counts[i] * bytes;
    }
}

static void take_pools(struct sim *sim, struct arena *arena)
{
    for (uint32_t i = 0; i < sim->shard_count; i++) {
        struct loans_pool *pools = arena_take(
            arena, sim->config.workload_count, sizeof(*pools), alignof(struct loans_pool));

        if (pools)
            sim->shards[i].loans = (struct loans){
                .pools = pools, .first_ending = ENGINE_NONE, .last_ending = ENGINE_NONE
            };
    }
}

void loans_init(struct sim *sim, struct arena *arena)
{
    uint32_t workload_count = sim->config.workload_count;

    sim->linger_ps = linger_ps(sim);
    sim->loan_classes =
        arena_take(arena, workload_count, sizeof(*sim->loan_classes), alignof(uint32_t));
    take_pools(sim, arena);
    for (uint32_t w = 0; sim->loan_classes && w < workload_count; w++)
        sim->loan_classes[w] = class_of(sim, w);
    for (uint32_t w = 0; w < workload_count; w++) {
        size_t bytes = loans_bytes_of(sim, &sim->config.workloads[w]);
        uint8_t *memory;

        if (class_of(sim, w) != w)
            continue;
        memory = arena_take_raw(arena, flows_of_class(sim, w), bytes, LINE);
        arena->spare_bytes += spare_of_class(sim, w) * bytes;
        arena->spare_bytes +=
            setup_foreign_part(sim, (flows_of_class(sim, w) - spare_of_class(sim, w)) * bytes);
        if (memory && sim->loan_classes)
            divide_class(sim, w, memory);
    }
}

/* ---- records --------------------------------------------------------------------------------- */

static void give_back(struct loans_pool *pool, uint8_t *records)
{
    memcpy(records, &pool->returned, sizeof(pool->returned));
    pool->returned = records;
}

static uint8_t *take_records(struct loans_pool *pool)
{
    uint8_t *records = pool->returned;

    if (records) {
        memcpy(&pool->returned, records, sizeof(pool->returned));
        return records;
    }
    assert(pool->new_count > 0);
    records = pool->next_new;
    pool->next_new += pool->bytes;
    pool->new_count--;
    return records;
}

/* ---- flows that have ended ------------------------------------------------------------------- */

static struct engine_nic *nic_of(const struct shard *shard, const struct engine_flow *flow)
{
    return &shard->nics[shard->sim->ranks[flow->from].nic];
}

static void append_ended(struct shard *shard, struct engine_nic *nic, struct engine_flow *flow)
{
    uint32_t index = (uint32_t)(flow - shard->sim->flows);

    flow->next_ended = ENGINE_NONE;
    if (nic->first_ended == ENGINE_NONE) {
        nic->first_ended = index;
        nic->closing_ps = flow->closes_ps;
    } else {
        shard->sim->flows[nic->last_ended].next_ended = index;
    }
    nic->last_ended = index;
}

static void append_ending(struct shard *shard, struct engine_nic *nic)
{
    uint32_t index = (uint32_t)(nic - shard->nics);

    nic->next_ending = ENGINE_NONE;
    if (shard->loans.first_ending == ENGINE_NONE)
        shard->loans.first_ending = index;
    else
        shard->nics[shard->loans.last_ending].next_ending = index;
    shard->loans.last_ending = index;
    nic->is_ending = true;
}

void loans_end(struct shard *shard, struct engine_flow *flow, uint64_t now_ps)
{
    struct engine_nic *nic = nic_of(shard, flow);

    if (!flow->has_records || flow->closes_ps)
        return;
    flow->closes_ps = now_ps + shard->sim->linger_ps;
    append_ended(shard, nic, flow);
    if (!nic->is_ending)
        append_ending(shard, nic);
}

static void close_flow(struct shard *shard, struct engine_nic *nic, struct engine_flow *flow)
{
    uint8_t *records =
        transport_qp_reclaim(nic->endpoint, flow->qpn_out, sim_engine_ns(flow->closes_ps));

    if (!records) {
        flow->closes_ps += shard->sim->linger_ps;
        append_ended(shard, nic, flow);
        return;
    }
    flow->has_records = false;
    give_back(&shard->loans.pools[shard->sim->loan_classes[flow->workload]], records);
}

void loans_close(struct shard *shard, uint32_t nic_index, uint64_t now_ps)
{
    struct engine_nic *nic = &shard->nics[nic_index];

    while (nic->closing_ps <= now_ps) {
        struct engine_flow *flow = &shard->sim->flows[nic->first_ended];

        nic->first_ended = flow->next_ended;
        nic->closing_ps = nic->first_ended == ENGINE_NONE
                              ? SIM_NEVER_PS
                              : shard->sim->flows[nic->first_ended].closes_ps;
        close_flow(shard, nic, flow);
    }
}

/* Closes flows of other NICs. Nodes have been run to the beginning of the window at least, and
 * nothing has happened since at NICs that have not been run. */
static void close_others(struct shard *shard)
{
    uint64_t now_ps = shard->mailbox.open_ps;
    uint32_t index = shard->loans.first_ending;
    struct engine_nic *nic = &shard->nics[index];

    loans_close(shard, index, now_ps);
    shard->loans.first_ending = nic->next_ending;
    nic->is_ending = false;
    if (nic->first_ended != ENGINE_NONE)
        append_ending(shard, nic);
}

static bool may_close_others(const struct shard *shard)
{
    const struct engine_nic *nic = &shard->nics[shard->loans.first_ending];

    return shard->loans.first_ending != ENGINE_NONE &&
           (nic->first_ended == ENGINE_NONE || nic->closing_ps <= shard->mailbox.open_ps);
}

void loans_open(struct shard *shard, struct engine_flow *flow)
{
    struct loans_pool *pool;

    if (flow->has_records)
        return;
    pool = &shard->loans.pools[shard->sim->loan_classes[flow->workload]];
    while (!pool->returned && may_close_others(shard))
        close_others(shard);
    transport_qp_lend(nic_of(shard, flow)->endpoint, flow->qpn_out, take_records(pool));
    flow->has_records = true;
}
