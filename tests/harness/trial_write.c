/* SPDX-License-Identifier: Apache-2.0 */
/* A trial as an experiment file: mrc-experiment(5). */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "files/files.h"
#include "trial.h"

struct text {
    char *out;
    uint32_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    uint32_t room = TRIAL_TEXT_BYTES - text->length;
    va_list values;
    int length;

    va_start(values, format);
    length = vsnprintf(text->out + text->length, room, format, values);
    va_end(values);
    if (length > 0)
        text->length += (uint32_t)length < room ? (uint32_t)length : room - 1;
}

static void add_name(struct text *text, const struct fabric_element *element)
{
    char name[FABRIC_NAME_BYTES];

    fabric_name(element, name);
    add(text, "%s", name);
}

static void add_permille(struct text *text, const char *key, uint32_t permille)
{
    add(text, "    %s: %u.%03u\n", key, permille / 1000, permille % 1000);
}

/* ---- the fabric
 * ----------------------------------------------------------------------------------- */

static void add_link_kind(struct text *text, const char *key, const struct fabric_link_kind *kind)
{
    add(text, "  %s: {rate: %" PRIu64 "b/s, delay: %" PRIu64 "ps}\n", key, kind->rate_bps,
        kind->delay_ps);
}

static void add_fabric(struct text *text, const struct trial *trial)
{
    const struct fabric_config *wiring = &trial->wiring;

    add(text, "fabric:\n  planes: %u\n  t0s: %u\n  t1s: %u\n  hosts_per_t0: %u\n  nics: %u\n",
        wiring->plane_count, wiring->t0_count, wiring->t1_count, wiring->hosts_per_t0,
        wiring->nic_count);
    add_link_kind(text, "host_link", &wiring->host_link);
    add_link_kind(text, "uplink", &wiring->uplink);
    add(text, "  buffers:\n    trims: %s\n    marks: %s\n", wiring->buffers.trims ? "yes" : "no",
        wiring->buffers.marks ? "yes" : "no");
    if (wiring->buffers.data_bytes)
        add(text, "    data: %u\n", wiring->buffers.data_bytes);
    if (wiring->buffers.control_bytes)
        add(text, "    control: %u\n", wiring->buffers.control_bytes);
    if (trial->exception_count > 0)
        add(text, "  exceptions:\n");
    for (uint32_t i = 0; i < trial->exception_count; i++) {
        add(text, "  - {link: ");
        add_name(text, &trial->exceptions[i].link);
        if (trial->exceptions[i].missing)
            add(text, ", missing: yes}\n");
        else
            add(text, ", rate: %" PRIu64 "b/s}\n", trial->exceptions[i].rate_bps);
    }
}

/* ---- work
 * ------------------------------------------------------------------------------------------ */

static void add_time(struct text *text, const char *key, uint64_t time_ps)
{
    if (time_ps > 0)
        add(text, "    %s: %" PRIu64 "ps\n", key, time_ps);
}

static void add_placement(struct text *text, const struct trial *trial, uint32_t index)
{
    const struct sim_workload *workload = &trial->workloads[index];

    if (workload->placement != SIM_LIST) {
        add(text, "    ranks: %u\n", workload->rank_count);
        if (workload->placement == SIM_RANDOM)
            add(text, "    placement: random\n");
        else
            add(text, "    first_nic: %u\n", workload->first_nic);
        return;
    }
    add(text, "    nics: [");
    for (uint32_t rank = 0; rank < workload->rank_count; rank++)
        add(text, "%s%u", rank > 0 ? ", " : "", trial->nics[index][rank]);
    add(text, "]\n");
}

static void add_workload(struct text *text, const struct trial *trial, uint32_t index)
{
    const struct sim_workload *workload = &trial->workloads[index];

    add(text, "  - name: %s\n    kind: %s\n", workload->name, experiment_kind_name(workload->kind));
    add_placement(text, trial, index);
    add(text,
        "    message_bytes: %" PRIu64 "\n    iterations: %u\n    outstanding: %u\n    qps: %u\n",
        workload->message_bytes, workload->iterations, workload->outstanding, workload->qps);
    if (workload->bidirectional)
        add(text, "    bidirectional: yes\n");
    if (workload->kind == SIM_PERMUTATION)
        add(text, "    shift: %u\n", workload->shift);
    add_time(text, "start", workload->start_ps);
    add_time(text, "jitter", workload->jitter_ps);
    add_time(text, "stagger", workload->stagger_ps);
    if (workload->kind == SIM_TRAINING) {
        add_time(text, "compute", workload->compute_ps);
        add_permille(text, "overlap", workload->overlap_permille);
        add(text, "    collective: %s\n", experiment_kind_name(workload->collective));
    }
}

/* ---- faults
 * ---------------------------------------------------------------------------------------- */

static void add_fault(struct text *text, const struct sim_fault *fault)
{
    static const char *const directions[] = { "both", "up", "down" };

    add(text, "  - kind: %s\n", experiment_fault_name(fault->kind));
    if (fault->direction != SIM_BOTH_WAYS)
        add(text, "    direction: %s\n", directions[fault->direction]);
    if (fault->of_ev)
        add(text, "    ev: %u\n", fault->ev);
    if (fault->probability)
        add(text, "    probability: %.12f\n", fault->probability / 4294967296.0);
    if (fault->rate_bps)
        add(text, "    rate: %" PRIu64 "b/s\n", fault->rate_bps);
    add_time(text, "period", fault->period_ps);
    if (fault->duty_permille)
        add_permille(text, "duty", fault->duty_permille);
}

static void add_listed(struct text *text, const struct trial *trial, uint32_t index)
{
    const struct sim_fault *fault = &trial->faults[index];

    add_fault(text, fault);
    add(text, "    where: [");
    for (uint32_t i = 0; i < fault->where_count; i++) {
        add(text, "%s", i > 0 ? ", " : "");
        add_name(text, &trial->where[index][i]);
    }
    add(text, "]\n");
    add_time(text, "at", fault->from_ps);
    if (fault->until_ps != SIM_NEVER_PS)
        add_time(text, "until", fault->until_ps);
}

static void add_generator(struct text *text, const struct sim_fault_generator *generator)
{
    static const char *const components[] = { "nic", "host_link", "plane", "t0", "t1", "uplink" };

    add_fault(text, &generator->fault);
    add(text, "    component: %s\n", components[generator->component]);
    add_time(text, "mean_between", generator->mean_between_ps);
    add_time(text, "for", generator->duration_ps);
}

/* ---- all of it
 * ------------------------------------------------------------------------------------- */

uint32_t trial_write(const struct trial *trial, char out[static TRIAL_TEXT_BYTES])
{
    struct text text = { .out = out };

    add(&text, "seed: %" PRIu64 "\nduration: %" PRIu64 "ps\n", trial->seed, trial->duration_ps);
    add_fabric(&text, trial);
    if (trial->parameter_count > 0)
        add(&text, "parameters:\n");
    for (uint32_t i = 0; i < trial->parameter_count; i++)
        add(&text, "  %s: %s\n", trial->parameters[i].name, trial->parameters[i].value);
    add(&text, "workloads:\n");
    for (uint32_t i = 0; i < trial->workload_count; i++)
        add_workload(&text, trial, i);
    if (trial->fault_count > 0)
        add(&text, "faults:\n");
    for (uint32_t i = 0; i < trial->fault_count; i++)
        add_listed(&text, trial, i);
    if (trial->generator_count > 0)
        add(&text, "generators:\n");
    for (uint32_t i = 0; i < trial->generator_count; i++)
        add_generator(&text, &trial->generators[i]);
    return text.length;
}

void trial_print(const struct trial *trial, const struct trial_outcome *outcome)
{
    static const char *const verdicts[TRIAL_VERDICT_COUNT] = { "good", "stuck", "violated",
        "out of memory", "crashed", "disagrees" };
    char text[TRIAL_TEXT_BYTES];
    char *line = text;

    trial_write(trial, text);
    printf("# %s: %s\n", verdicts[outcome->verdict], outcome->reason);
    while (*line) {
        size_t length = strcspn(line, "\n");

        printf("#   %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}
