/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the counters of a running simulation. */
#include "measure/measure_moment.h"

#include "measure/measure_list.h"
#include "network/network.h"
#include "switch/switch.h"

/* ---- moments --------------------------------------------------------------------------------- */

void measure_moment_evs(const struct measure_record *record, struct measure_moment *moment)
{
    struct sim_ev_counts counts = sim_ev_counts(record->sim);

    moment->active_evs = counts.usable;
    moment->bad_evs = counts.bad;
}

/* Sets the capacity of each workload so far. The sum is rounded once, not for each pair: short runs
 * with many pairs would lose a part of it. */
static void sum_capacity(const struct measure_record *record, uint64_t *workload_bits)
{
    uint32_t workload_count = record->plan->sim->workload_count;
    double *sums = allocator_take_surely(&record->memory, workload_count, sizeof(*sums));

    for (uint32_t i = 0; i < record->capacity->pair_count; i++)
        sums[record->capacity->pairs[i].workload] += record->capacity->bits[i];
    for (uint32_t i = 0; i < workload_count; i++)
        workload_bits[i] = (uint64_t)sums[i];
    allocator_free(&record->memory, sums);
}

struct measure_moment measure_moment_of(const struct measure_record *record)
{
    struct measure_moment moment = { .time_ps = sim_now_ps(record->sim) };
    uint32_t workload_count = record->plan->sim->workload_count;

    sim_totals(record->sim, &moment.totals);
    sim_plane_bytes(record->sim, moment.plane_bytes);
    moment.workload_bytes =
        allocator_take_surely(&record->memory, workload_count, sizeof(*moment.workload_bytes));
    moment.workload_bits =
        allocator_take_surely(&record->memory, workload_count, sizeof(*moment.workload_bits));
    sim_placed_bytes(record->sim, moment.workload_bytes);
    if (record->capacity)
        sum_capacity(record, moment.workload_bits);
    return moment;
}

void measure_moment_fini(const struct measure_record *record, struct measure_moment *moment)
{
    allocator_free(&record->memory, moment->workload_bytes);
    allocator_free(&record->memory, moment->workload_bits);
}

/* ---- details --------------------------------------------------------------------------------- */

/* Returns the number of data packets that left by one end of a link. */
static uint64_t packets_from(struct sim *sim, struct topology_end end)
{
    struct sim_queue queue;

    return sim_queue_at(sim, end, &queue) ? port_counter(queue.counters, PORT_COUNTER_DATA_PACKETS)
                                          : 0;
}

static void count_link(
    const struct measure_record *record, const struct topology_element *link, uint64_t packets[2])
{
    const struct topology *topology = &record->plan->sim->fabric->topology;
    const struct fault any = { .kind = FAULT_DOWN };
    struct topology_end lower;
    struct topology_end upper;

    if (!fault_cover_at(topology, &any, link, 0, &lower) ||
        !fault_cover_at(topology, &any, link, 1, &upper))
        return;
    packets[0] = packets_from(record->sim, lower);
    packets[1] = packets_from(record->sim, upper);
}

struct measure_detail measure_detail(const struct measure_record *record)
{
    const struct measure_plan *plan = record->plan;
    const struct allocator *memory = &record->memory;
    uint32_t pair_count = record->capacity ? record->capacity->pair_count : 0;
    struct measure_detail detail = {
        .flow_bytes = allocator_take_surely(memory, record->flow_count, sizeof(uint64_t)),
        .pair_bits = allocator_take_surely(memory, pair_count, sizeof(uint64_t)),
        .link_packets =
            allocator_take_surely(memory, 2 * (size_t)plan->watch_count, sizeof(uint64_t)),
    };

    for (uint32_t i = 0; i < record->flow_count; i++) {
        struct sim_flow flow;

        sim_flow_at(record->sim, i, &flow);
        detail.flow_bytes[i] = flow.placed_bytes;
    }
    for (uint32_t i = 0; i < pair_count; i++)
        detail.pair_bits[i] = (uint64_t)record->capacity->bits[i];
    for (uint32_t i = 0; i < plan->watch_count; i++)
        count_link(record, &plan->watches[i].link, &detail.link_packets[2 * (size_t)i]);
    return detail;
}

void measure_detail_fini(const struct measure_record *record, struct measure_detail *detail)
{
    allocator_free(&record->memory, detail->flow_bytes);
    allocator_free(&record->memory, detail->pair_bits);
    allocator_free(&record->memory, detail->link_packets);
    *detail = (struct measure_detail){ 0 };
}

void measure_phases(struct measure_record *record)
{
    uint64_t now_ps = sim_now_ps(record->sim);

    for (uint32_t i = 0; i < record->plan->phase_count; i++) {
        const struct measure_phase *phase = &record->plan->phases[i];
        struct measure_span *span = &record->spans[i];

        if (!span->from.workload_bytes && now_ps >= phase->from_ps) {
            span->from = measure_moment_of(record);
            span->from_detail = measure_detail(record);
        }
        if (span->from.workload_bytes && !span->until.workload_bytes && now_ps >= phase->until_ps) {
            span->until = measure_moment_of(record);
            span->until_detail = measure_detail(record);
            measure_moment_evs(record, &span->until);
        }
    }
}

void measure_look(struct measure_record *record)
{
    uint64_t plane_bytes[TOPOLOGY_PLANES_MAX];
    uint64_t bytes = 0;
    double bits = 0;

    sim_plane_bytes(record->sim, plane_bytes);
    for (uint32_t plane = 0; plane < TOPOLOGY_PLANES_MAX; plane++)
        bytes += plane_bytes[plane];
    for (uint32_t i = 0; i < record->capacity->pair_count; i++)
        bits += record->capacity->bits[i];
    measure_push(&record->memory, &record->look_ps, sim_now_ps(record->sim));
    measure_push(&record->memory, &record->look_bytes, bytes);
    measure_push(&record->memory, &record->look_bits, (uint64_t)bits);
}
