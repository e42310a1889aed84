/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a case as an experiment file: mrc-experiment(5). */
#include <inttypes.h>

#include "files/files.h"
#include "study/study.h"

static void add_name(FILE *file, const struct topology_element *element)
{
    char name[TOPOLOGY_NAME_BYTES];

    topology_name(element, name);
    fprintf(file, "%s", name);
}

static void add_permille(FILE *file, const char *key, uint32_t permille)
{
    fprintf(file, "    %s: %u.%03u\n", key, permille / 1000, permille % 1000);
}

/* ---- the fabric ------------------------------------------------------------------------------ */

static void add_link_kind(FILE *file, const char *key, const struct topology_link_kind *kind)
{
    fprintf(file, "  %s: {rate: %" PRIu64 "b/s, delay: %" PRIu64 "ps}\n", key, kind->rate_bps,
        kind->delay_ps);
}

static void add_fabric(FILE *file, const struct study_trial *trial)
{
    const struct topology_config *wiring = &trial->wiring;

    fprintf(file, "fabric:\n");
    for (const struct topology_count *count = topology_counts; count->key; count++) {
        uint32_t value = topology_count_get(wiring, count);

        if (value >= count->least)
            fprintf(file, "  %s: %u\n", count->key, value);
    }
    add_link_kind(file, "host_link", &wiring->host_link);
    add_link_kind(file, "uplink", &wiring->uplink);
    fprintf(file, "  switch_latency: %" PRIu64 "ps\n  nic_latency: %" PRIu64 "ps\n",
        wiring->switch_latency_ps, wiring->nic_latency_ps);
    fprintf(file, "  buffers:\n    trims: %s\n    marks: %s\n",
        wiring->buffers.trims ? "yes" : "no", wiring->buffers.marks ? "yes" : "no");
    if (wiring->buffers.data_bytes)
        fprintf(file, "    data: %u\n", wiring->buffers.data_bytes);
    if (wiring->buffers.host_data_bytes)
        fprintf(file, "    host_data: %u\n", wiring->buffers.host_data_bytes);
    if (wiring->buffers.control_bytes)
        fprintf(file, "    control: %u\n", wiring->buffers.control_bytes);
    if (trial->exception_count > 0)
        fprintf(file, "  exceptions:\n");
    for (uint32_t i = 0; i < trial->exception_count; i++) {
        fprintf(file, "  - {link: ");
        add_name(file, &trial->exceptions[i].link);
        if (trial->exceptions[i].missing)
            fprintf(file, ", missing: yes}\n");
        else
            fprintf(file, ", rate: %" PRIu64 "b/s}\n", trial->exceptions[i].rate_bps);
    }
}

/* ---- work ------------------------------------------------------------------------------------ */

static void add_time(FILE *file, const char *key, uint64_t time_ps)
{
    if (time_ps > 0)
        fprintf(file, "    %s: %" PRIu64 "ps\n", key, time_ps);
}

static void add_placement(FILE *file, const struct study_trial *trial, uint32_t index)
{
    const struct sim_workload *workload = &trial->workloads[index];

    if (workload->placement != SIM_LIST) {
        fprintf(file, "    ranks: %u\n", workload->rank_count);
        if (workload->placement == SIM_RANDOM)
            fprintf(file, "    placement: random\n");
        else
            fprintf(file, "    first_nic: %u\n", workload->first_nic);
        return;
    }
    fprintf(file, "    nics: [");
    for (uint32_t rank = 0; rank < workload->rank_count; rank++)
        fprintf(file, "%s%u", rank > 0 ? ", " : "", trial->nics[index][rank]);
    fprintf(file, "]\n");
}

static void add_workload(FILE *file, const struct study_trial *trial, uint32_t index)
{
    const struct sim_workload *workload = &trial->workloads[index];

    fprintf(
        file, "  - name: %s\n    kind: %s\n", workload->name, sim_workload_words[workload->kind]);
    add_placement(file, trial, index);
    fprintf(file,
        "    message_bytes: %" PRIu64 "\n    iterations: %u\n    outstanding: %u\n    qps: %u\n",
        workload->message_bytes, workload->iterations, workload->outstanding, workload->qps);
    if (workload->bidirectional)
        fprintf(file, "    bidirectional: yes\n");
    if (workload->shift > 0)
        fprintf(file, "    shift: %u\n", workload->shift);
    add_time(file, "start", workload->start_ps);
    add_time(file, "jitter", workload->jitter_ps);
    add_time(file, "stagger", workload->stagger_ps);
    if (workload->kind == SIM_TRAINING) {
        add_time(file, "compute", workload->compute_ps);
        add_permille(file, "overlap", workload->overlap_permille);
        fprintf(file, "    collective: %s\n", sim_workload_words[workload->collective]);
    }
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void add_fault(FILE *file, const struct fault *fault)
{
    fault_write_kind(file, fault);
    if (fault->of_ev)
        fprintf(file, "    ev: %u\n", fault->ev);
}

static void add_listed(FILE *file, const struct study_trial *trial, uint32_t index)
{
    const struct fault *fault = &trial->faults[index];

    add_fault(file, fault);
    fprintf(file, "    where: [");
    for (uint32_t i = 0; i < fault->where_count; i++) {
        fprintf(file, "%s", i > 0 ? ", " : "");
        add_name(file, &trial->where[index][i]);
    }
    fprintf(file, "]\n");
    fault_write_times(file, fault);
}

static void add_generator(FILE *file, const struct fault_generator *generator)
{
    add_fault(file, &generator->fault);
    fprintf(file, "    component: %s\n", topology_component_words[generator->component]);
    add_time(file, "mean_between", generator->mean_between_ps);
    add_time(file, "for", generator->duration_ps);
}

/* ---- all of it ------------------------------------------------------------------------------- */

void study_write(const struct study_trial *trial, FILE *file)
{
    fprintf(file, "seed: %" PRIu64 "\nduration: %" PRIu64 "ps\n", trial->seed, trial->duration_ps);
    if (trial->sample_ps)
        fprintf(file, "sample: %" PRIu64 "ps\n", trial->sample_ps);
    add_fabric(file, trial);
    if (trial->parameter_count > 0)
        fprintf(file, "parameters:\n");
    for (uint32_t i = 0; i < trial->parameter_count; i++)
        fprintf(file, "  %s: %s\n", trial->parameters[i].name, trial->parameters[i].value);
    fprintf(file, "workloads:\n");
    for (uint32_t i = 0; i < trial->workload_count; i++)
        add_workload(file, trial, i);
    if (trial->fault_count > 0)
        fprintf(file, "faults:\n");
    for (uint32_t i = 0; i < trial->fault_count; i++)
        add_listed(file, trial, i);
    if (trial->generator_count > 0)
        fprintf(file, "generators:\n");
    for (uint32_t i = 0; i < trial->generator_count; i++)
        add_generator(file, &trial->generators[i]);
    if (trial->settled_ps)
        fprintf(file, "phases:\n  - {name: settled, from: %" PRIu64 "ps}\n", trial->settled_ps);
}
