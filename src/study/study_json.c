/* SPDX-License-Identifier: Apache-2.0 */
/* The "runs" entry of a result. */
#include "study/study_json.h"

#include <stdlib.h>

#include <sys/resource.h>

static const char *status_word(enum sim_status status)
{
    switch (status) {
    case SIM_FINISHED:
        return "finished";
    case SIM_OUT_OF_TIME:
        return "out_of_time";
    case SIM_VIOLATED:
        return "violated";
    case SIM_OUT_OF_MEMORY:
        return "out_of_memory";
    default:
        return "partial";
    }
}

static json_t *perf(const struct study_outcome *outcome)
{
    const struct study_manner *manner = outcome->manner;
    uint64_t hops = outcome->record->last.totals.packet_hops;
    double took_s = outcome->took_s;
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return json_pack("{s:I,s:f,s:f,s:f,s:f,s:f,s:I,s:{s:s,s:b,s:b,s:I,s:I}}", "packet_hops",
        (json_int_t)hops, "wall_s", took_s, "setup_s", outcome->setup_s, "windows_s",
        outcome->times.windows_s, "busy_s", outcome->times.busy_s, "packet_hops_per_s",
        took_s > 0 ? (double)hops / took_s : 0.0, "peak_rss_bytes",
        (json_int_t)usage.ru_maxrss * 1024, "options", "engine",
        manner->uses_heap ? "heap" : "windows", "wire", manner->wire, "checks", manner->checks,
        "threads", (json_int_t)sim_shard_count(outcome->record->sim), "ranks",
        (json_int_t)(manner->group ? manner->group->count : 1));
}

static json_t *summary_json(const struct study_outcome *outcome)
{
    const struct measure_plan *plan = outcome->record->plan;
    json_t *json = result_summary(outcome->record, outcome->plan->experiment.victim);
    json_t *phases = json_object_get(json, "phases");

    json_object_set_new(json, "capacity", result_capacity_json(outcome->capacity));
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        json_t *phase = json_object_get(phases, plan->phases[i].name);

        if (phase)
            json_object_set_new(phase, "limits", result_capacity_phase_json(outcome->capacity, i));
    }
    return json;
}

/* ---- state ----------------------------------------------------------------------------------- */

/* Returns the most connections that a NIC has, of all workloads. */
static uint64_t connections_of(const struct sim *sim, uint32_t nic_count)
{
    uint32_t *by_nic = grow_take(nic_count, sizeof(*by_nic));
    uint32_t flow_count = sim_flow_count(sim);
    uint64_t most = 0;

    for (uint32_t i = 0; i < flow_count; i++) {
        struct sim_flow flow;

        sim_flow_at(sim, i, &flow);
        by_nic[flow.from_nic]++;
        by_nic[flow.to_nic]++;
    }
    for (uint32_t i = 0; i < nic_count; i++)
        most = by_nic[i] > most ? by_nic[i] : most;
    free(by_nic);
    return most;
}

/* RoCEv2 has QPs of its own on each port. */
static uint32_t qps_of_connection(const struct sim_config *config)
{
    return config->protocol == SIM_ROCE
               ? config->roce.qps * config->fabric->topology.config.plane_count
               : 1;
}

/* Returns the entries in the largest table of a switch: MRC has a uSID for each port, InfiniBand a
 * port for each LID of the subnet, and the others have a route to each leaf. */
static uint32_t switch_routes(const struct sim_config *config)
{
    const struct topology *topology = &config->fabric->topology;
    uint32_t subnets = topology->graph ? 1 : topology->config.plane_count;
    uint32_t ports = 0;

    if (config->protocol == SIM_INFINIBAND)
        return topology->nic_count + topology->switch_count / subnets;
    if (config->protocol != SIM_MRC)
        return topology->has_leaves ? topology_leaf_count(topology) : topology->nic_count;
    for (uint32_t i = 0; i < topology->switch_count; i++)
        if (topology_port_count(topology, i) > ports)
            ports = topology_port_count(topology, i);
    return ports;
}

static json_t *state_json(const struct measure_record *record)
{
    const struct sim_config *config = record->plan->sim;
    uint64_t connections = connections_of(record->sim, config->fabric->topology.nic_count);
    uint64_t qp_bytes = 0;
    struct sim_roce roce;

    for (uint32_t i = 0; i < config->workload_count; i++)
        if (sim_qp_bytes(record->sim, i) > qp_bytes)
            qp_bytes = sim_qp_bytes(record->sim, i);
    sim_roce(record->sim, &roce);
    return json_pack("{s:I,s:I,s:o,s:I,s:I}", "connections_per_nic", (json_int_t)connections,
        "qps_per_nic", (json_int_t)connections * (json_int_t)qps_of_connection(config), "qp_bytes",
        qp_bytes ? json_integer((json_int_t)qp_bytes) : json_null(), "switch_headroom_bytes",
        (json_int_t)roce.headroom_bytes, "switch_routes", (json_int_t)switch_routes(config));
}

json_t *study_json(const struct study_outcome *outcome)
{
    const struct study_run *plan = outcome->plan;
    struct measure_record *record = outcome->record;
    json_t *measured = json_pack("{s:o,s:o,s:o}", "summary", summary_json(outcome), "series",
        result_series(record), "events", result_events(record));
    json_t *json = json_pack("{s:s,s:I,s:O,s:s}", "label", plan->label, "seed",
        (json_int_t)plan->experiment.sim.seed, "settings", plan->settings, "status",
        status_word(outcome->status));
    char hash[JSON_HASH_BYTES];

    json_hash(measured, hash);
    if (json_object_size(plan->settings) > 0)
        json_object_set_new(json, "hardware", result_hardware(&plan->experiment.sim.hardware));
    if (outcome->status == SIM_VIOLATED)
        json_object_set_new(json, "violation", json_string(sim_violation(record->sim)));
    json_object_set_new(json, "hash", json_string(hash));
    json_object_set_new(json, "simulated_us", json_millionths(sim_now_ps(record->sim)));
    json_object_update(json, measured);
    json_object_set_new(json, "events_left_out", json_integer((json_int_t)record->left_out));
    json_object_set_new(json, "state", state_json(record));
    json_object_set_new(json, "criteria", json_array());
    json_object_set_new(json, "perf", perf(outcome));
    json_decref(measured);
    return json;
}
