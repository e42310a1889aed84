/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the capacity of a simulation from stop to stop. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/byte_time.h"
#include "capacity/capacity_apart.h"
#include "capacity/capacity_ring.h"
#include "capacity/capacity_share.h"

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* Returns into how many parts a message is divided at most, each with packets of its own. */
static uint32_t message_parts(const struct sim_config *config)
{
    uint32_t ports = config->fabric->topology.config.plane_count;

    if (config->protocol == SIM_ROCE)
        return config->roce.split ? ports * config->roce.qps : ports;
    return config->protocol == SIM_INFINIBAND ? ports : 1;
}

/* Returns how long after its post the first bit of a message can arrive. A flow that pauses after
 * every few packets would otherwise deliver the first of them at no time at all. */
static uint64_t first_bit_ps(
    const struct sim_config *config, const struct sim_flow *flow, const struct sim_share *share)
{
    const struct topology *topology = &config->fabric->topology;
    uint64_t pmtu = (uint64_t)config->parameters.pmtu;
    uint64_t packets = (share->payload_bytes + pmtu - 1) / pmtu;
    uint64_t wire_bytes = smaller(share->payload_bytes / message_parts(config), pmtu) +
                          (share->wire_bytes - share->payload_bytes) / packets;
    uint64_t bytes = wire_bytes - smaller(wire_bytes, topology->config.framing_bytes);

    return topology_one_way_ps(topology, flow->from_nic, flow->to_nic, bytes) -
           byte_time_ps(byte_time_at(topology->config.host_link.rate_bps),
               bytes + topology->config.framing_bytes);
}

static struct capacity_pair pair_of(const struct capacity_track *track, uint32_t flow_index)
{
    const struct sim_config *config = track->config;
    struct sim_flow flow;
    struct sim_share share;

    sim_flow_at(track->sim, flow_index, &flow);
    share = sim_payload_share(track->sim, flow.workload);
    return (struct capacity_pair){ .workload = flow.workload,
        .from_nic = flow.from_nic,
        .to_nic = flow.to_nic,
        .first_flow = flow_index,
        .flow_count = config->workloads[flow.workload].qps,
        .first_bit_ps = first_bit_ps(config, &flow, &share),
        .payload_share = (double)share.payload_bytes / (double)share.wire_bytes,
        .srh_payload_share =
            (double)share.payload_bytes / (double)(share.wire_bytes + share.srh_bytes) };
}

/* The QPs of a pair are adjacent. */
static uint32_t list_pairs(struct capacity_track *track)
{
    uint32_t flow_count = sim_flow_count(track->sim);
    uint32_t count = 0;

    for (uint32_t flow = 0; flow < flow_count; count++) {
        struct capacity_pair pair = pair_of(track, flow);

        if (track->pairs)
            track->pairs[count] = pair;
        flow += pair.flow_count;
    }
    return count;
}

/* ---- pairs of the same NICs ------------------------------------------------------------------ */

struct between {
    const uint32_t *evs; /* the EVs that they may use */
    uint32_t from_nic;
    uint32_t to_nic;
    uint32_t pair;
};

static int by_nics(const void *left, const void *right)
{
    const struct between *a = left;
    const struct between *b = right;

    if (a->from_nic != b->from_nic)
        return a->from_nic < b->from_nic ? -1 : 1;
    if (a->to_nic != b->to_nic)
        return a->to_nic < b->to_nic ? -1 : 1;
    if (a->evs != b->evs)
        return (uintptr_t)a->evs < (uintptr_t)b->evs ? -1 : 1;
    return a->pair < b->pair ? -1 : 1;
}

static bool are_together(const struct between *a, const struct between *b)
{
    return a->from_nic == b->from_nic && a->to_nic == b->to_nic && a->evs == b->evs;
}

static int group_pairs(struct capacity_track *track)
{
    struct between *all = calloc(track->pair_count + 1, sizeof(*all));
    uint32_t first = 0;

    if (!all)
        return -ENOMEM;
    for (uint32_t i = 0; i < track->pair_count; i++)
        all[i] = (struct between){ .evs = track->config->workloads[track->pairs[i].workload].evs,
            .from_nic = track->pairs[i].from_nic,
            .to_nic = track->pairs[i].to_nic,
            .pair = i };
    qsort(all, track->pair_count, sizeof(*all), by_nics);
    for (uint32_t i = 0; i < track->pair_count; i++) {
        if (!are_together(&all[i], &all[first]))
            first = i;
        track->pairs[all[i].pair].group = all[first].pair;
        track->pairs[all[i].pair].next = all[first].pair;
        if (i > first)
            track->pairs[all[i - 1].pair].next = all[i].pair;
    }
    free(all);
    return 0;
}

static bool is_outstanding(const struct capacity_track *track, const struct capacity_pair *pair)
{
    for (uint32_t i = 0; i < pair->flow_count; i++)
        if (sim_flow_waits(track->sim, pair->first_flow + i, pair->first_bit_ps))
            return true;
    return false;
}

/* ---- looking --------------------------------------------------------------------------------- */

static void look_at_faults(struct capacity_track *track)
{
    struct capacity_cache *cache = track->cache;

    cache->in_force_count = 0;
    for (uint32_t i = 0; i < sim_fault_count(track->sim); i++)
        if (sim_fault_is_in_force(track->sim, i)) {
            cache->in_force_index[cache->in_force_count] = i;
            cache->in_force[cache->in_force_count++] = sim_fault_at(track->sim, i);
        }
}

static void look_at_pairs(struct capacity_track *track)
{
    for (uint32_t i = 0; i < track->pair_count; i++)
        track->cache->is_outstanding[i] = is_outstanding(track, &track->pairs[i]);
    if (track->forwards)
        capacity_ring_look(track);
}

static void note_method(struct capacity_track *track, const struct capacity_entry *entry)
{
    track->limits = entry->limits;
    if (entry->method > track->method)
        track->method = entry->method;
    if (entry->error > track->error)
        track->error = entry->error;
}

static bool may_solve(const struct capacity_track *track)
{
    enum { CREDIT = 20000000, SHARE = 10 };

    return track->effort < CREDIT + sim_packet_hops(track->sim) / SHARE;
}

/* Uses the rates of each pair's last solution. */
static void take_known(struct capacity_track *track)
{
    track->stale_count++;
    for (uint32_t i = 0; i < track->pair_count; i++)
        track->found_bps[i] = track->cache->is_outstanding[i] ? track->known_bps[i] : 0;
    if (track->forwards)
        capacity_ring_limit(track->forwards, track->pair_count, track->found_bps);
}

/* Sets found_bps for the faults and pairs of the last look. */
static int find_rates(struct capacity_track *track)
{
    const struct capacity_entry *entry;
    int err = capacity_cache_find(track->cache, track, may_solve(track), &entry);

    if (err)
        return err;
    if (!entry) {
        take_known(track);
        return 0;
    }
    note_method(track, entry);
    for (uint32_t i = 0; i < track->pair_count; i++) {
        track->found_bps[i] = entry->rate_bps[i];
        if (track->cache->is_outstanding[i] && !track->cache->is_tied[i])
            track->known_bps[i] = entry->rate_bps[i];
    }
    return 0;
}

/* The same, with the QPs of the last look. */
static int find_shares(struct capacity_track *track)
{
    int err = find_rates(track);

    if (!err)
        capacity_share_by_qps(track);
    return err;
}

static void add_time(struct capacity_track *track, const double *rate_bps, double time_s)
{
    for (uint32_t i = 0; i < track->pair_count; i++)
        track->bits[i] += rate_bps[i] * time_s;
}

int capacity_track_look(struct capacity_track *track)
{
    uint64_t now_ps = sim_now_ps(track->sim);
    double half_s = (double)(now_ps - track->now_ps) / 2 / (double)SIM_PS_PER_S;
    int err;

    track->look_count++;
    add_time(track, track->rate_bps, half_s);
    look_at_pairs(track);
    err = find_shares(track); /* with the faults before the stop */
    if (err)
        return err;
    add_time(track, track->found_bps, half_s);
    look_at_faults(track);
    err = find_shares(track);
    if (err)
        return err;
    memcpy(track->rate_bps, track->found_bps, track->pair_count * sizeof(*track->rate_bps));
    track->now_ps = now_ps;
    return 0;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Nothing is outstanding before, whatever fails. */
static uint64_t first_start_ps(const struct sim_config *config)
{
    uint64_t start_ps = UINT64_MAX;

    for (uint32_t i = 0; i < config->workload_count; i++)
        start_ps = smaller(start_ps, config->workloads[i].start_ps);
    return start_ps;
}

/* Links may flap faster than capacities can be solved, so stops have a minimum distance. */
uint64_t capacity_track_stop_ps(const struct capacity_track *track)
{
    enum { FAULTS_PER_STEP = 16 };
    uint64_t now_ps = sim_now_ps(track->sim);
    uint64_t start_ps = first_start_ps(track->config);
    uint64_t step_ps = capacity_step_ps(track->config);
    uint64_t fault_ps = larger(sim_fault_next_ps(track->sim), now_ps + step_ps / FAULTS_PER_STEP);

    if (now_ps < start_ps)
        return start_ps;
    return smaller((now_ps / step_ps + 1) * step_ps, fault_ps);
}

/* ---- life ------------------------------------------------------------------------------------ */

int capacity_track_init_in(struct capacity_track *track, const struct allocator *memory,
    struct sim *sim, const struct sim_config *config)
{
    int err;

    *track = (struct capacity_track){ .memory = *memory, .sim = sim, .config = config };
    track->pair_count = list_pairs(track);
    track->pairs = allocator_take(memory, track->pair_count, sizeof(*track->pairs));
    track->rate_bps = allocator_take(memory, track->pair_count, sizeof(*track->rate_bps));
    track->bits = allocator_take(memory, track->pair_count, sizeof(*track->bits));
    track->found_bps = allocator_take(memory, track->pair_count, sizeof(*track->found_bps));
    track->known_bps = allocator_take(memory, track->pair_count, sizeof(*track->known_bps));
    track->cache = capacity_cache_new(memory, track->pair_count, sim_fault_count(sim));
    if (!track->pairs || !track->rate_bps || !track->bits || !track->found_bps ||
        !track->known_bps || !track->cache) {
        capacity_track_fini(track);
        return -ENOMEM;
    }
    list_pairs(track);
    err = group_pairs(track);
    if (!err)
        err = capacity_ring_init(track);
    look_at_faults(track);
    if (!err)
        err = capacity_apart_init(track);
    if (err)
        capacity_track_fini(track);
    return err;
}

static void *resize_memory(void *context, void *memory, size_t bytes)
{
    (void)context;
    if (bytes > 0)
        return realloc(memory, bytes);
    free(memory);
    return NULL;
}

int capacity_track_init(
    struct capacity_track *track, struct sim *sim, const struct sim_config *config)
{
    static const struct allocator memory = { .resize = resize_memory };

    return capacity_track_init_in(track, &memory, sim, config);
}

void capacity_track_fini(struct capacity_track *track)
{
    const struct allocator *memory = &track->memory;

    if (!memory->resize) /* not set up, or already released */
        return;
    allocator_free(memory, track->pairs);
    allocator_free(memory, track->rate_bps);
    allocator_free(memory, track->bits);
    allocator_free(memory, track->found_bps);
    allocator_free(memory, track->known_bps);
    capacity_cache_delete(track->cache);
    allocator_free(memory, track->forwards);
    *track = (struct capacity_track){ 0 };
}
