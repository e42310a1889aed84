/* SPDX-License-Identifier: Apache-2.0 */
/* The phases of a run: the same figures, between two moments. */
#include "cmd/sim_summary.h"
#include "files/files.h"

/* The part of a phase during which the workload was at work. */
static json_t *fraction_of(const struct sim_record *record, uint32_t workload,
    const struct sim_moment *from, const struct sim_moment *until)
{
    uint64_t bytes = until->workload_bytes[workload] - from->workload_bytes[workload];
    uint64_t begun_ps;
    uint64_t ended_ps;

    if (!sim_record_span_of(record, workload, &begun_ps, &ended_ps))
        return json_null();
    begun_ps = begun_ps > from->time_ps ? begun_ps : from->time_ps;
    ended_ps = ended_ps < until->time_ps ? ended_ps : until->time_ps;
    if (ended_ps <= begun_ps)
        return json_null();
    return json_ratio(
        sim_summary_bps(bytes, ended_ps - begun_ps), sim_ideal_bps(record->sim, workload));
}

static uint64_t lost(const struct sim_totals *totals)
{
    uint64_t sum = 0;

    for (int i = 0; i < SIM_LOSS_COUNT; i++)
        sum += totals->packets_lost[i];
    return sum;
}

static void set_counts(json_t *json, const struct sim_moment *from, const struct sim_moment *until)
{
    const struct sim_totals *a = &from->totals;
    const struct sim_totals *b = &until->totals;
    uint64_t retransmitted =
        b->transport[COUNTER_DATA_RETRANSMITTED] - a->transport[COUNTER_DATA_RETRANSMITTED];
    uint64_t timeouts = b->transport[COUNTER_TIMEOUT_FIRED] - a->transport[COUNTER_TIMEOUT_FIRED];

    json_object_set_new(json, "lost", json_integer((json_int_t)(lost(b) - lost(a))));
    json_object_set_new(
        json, "packets_sent", json_integer((json_int_t)(b->packets_sent - a->packets_sent)));
    json_object_set_new(json, "retransmitted", json_integer((json_int_t)retransmitted));
    json_object_set_new(json, "trimmed", json_integer((json_int_t)(b->trimmed - a->trimmed)));
    json_object_set_new(json, "marked", json_integer((json_int_t)(b->marked - a->marked)));
    json_object_set_new(json, "timeouts", json_integer((json_int_t)timeouts));
    json_object_set_new(json, "bad_evs", json_integer((json_int_t)until->bad_evs));
}

static json_t *phase_json(const struct sim_record *record, uint32_t index)
{
    const struct experiment *experiment = record->experiment;
    const struct sim_moment *from = &record->spans[index].from;
    const struct sim_moment *until = &record->spans[index].until;
    json_t *json = json_object();
    json_t *workloads = json_object();

    if (!until->workload_bytes)
        until = &record->last;
    json_object_set_new(json, "from_us", json_millionths(from->time_ps));
    json_object_set_new(json, "until_us", json_millionths(until->time_ps));
    for (uint32_t i = 0; i < experiment->sim.workload_count; i++)
        json_object_set_new(workloads, experiment->sim.workloads[i].name,
            json_pack("{s:o}", "goodput_fraction", fraction_of(record, i, from, until)));
    json_object_set_new(json, "workloads", workloads);
    set_counts(json, from, until);
    return json;
}

json_t *sim_summary_phases(const struct sim_record *record)
{
    json_t *phases = json_object();

    for (uint32_t i = 0; i < record->experiment->phase_count; i++)
        if (record->spans[i].from.workload_bytes && record->last.workload_bytes)
            json_object_set_new(phases, record->experiment->phases[i].name, phase_json(record, i));
    return phases;
}
