/* SPDX-License-Identifier: Apache-2.0 */
/* Small fabrics, little work and many faults, so that a run takes milliseconds. */
#include "trial.h"

#include <stdio.h>
#include <string.h>

#include "base/prng.h"

#define NS(count)   ((count)*UINT64_C(1000))
#define US(count)   ((count)*UINT64_C(1000000))
#define MS(count)   ((count)*UINT64_C(1000000000))
#define GBPS(count) ((count)*UINT64_C(1000000000))

/* Faults and work happen in the first part of the run; the rest is for getting over it. */
#define BUSY_PS MS(1)

static uint32_t between(struct prng *prng, uint32_t least, uint32_t most)
{
    return least + prng_below(prng, most - least + 1);
}

static bool one_in(struct prng *prng, uint32_t count)
{
    return prng_below(prng, count) == 0;
}

/* ---- the fabric
 * ---------------------------------------------------------------------------------- */

static void draw_wiring(struct topology_config *wiring, struct prng *prng)
{
    static const uint64_t rates_bps[] = { GBPS(50), GBPS(100), GBPS(200) };

    topology_config_init(wiring);
    wiring->plane_count = between(prng, 1, 4);
    wiring->t0_count = between(prng, 1, 4);
    wiring->t1_count = between(prng, wiring->t0_count > 1, 4);
    wiring->hosts_per_t0 = between(prng, 2, 6);
    wiring->nic_count = wiring->t0_count * wiring->hosts_per_t0;
    wiring->nic_count -= wiring->nic_count > 2 && one_in(prng, 2);
    wiring->host_link.rate_bps = rates_bps[prng_below(prng, 3)];
    wiring->uplink.rate_bps = rates_bps[prng_below(prng, 3)];
    wiring->host_link.delay_ps = NS(between(prng, 50, 500));
    wiring->uplink.delay_ps = NS(between(prng, 50, 2000));
    wiring->buffers.trims = !one_in(prng, 3);
    wiring->buffers.marks = !one_in(prng, 4);
    if (one_in(prng, 4))
        wiring->buffers.data_bytes = between(prng, 20, 200) * 1000;
    if (one_in(prng, 8))
        wiring->buffers.control_bytes = between(prng, 4, 40) * 1000;
}

static enum topology_component draw_component(
    const struct topology_config *wiring, struct prng *prng)
{
    for (;;) {
        enum topology_component kind = prng_below(prng, TOPOLOGY_UPLINK + 1);

        if (wiring->t1_count > 0 || (kind != TOPOLOGY_T1 && kind != TOPOLOGY_UPLINK))
            return kind;
    }
}

static void draw_exceptions(struct study_trial *trial, struct prng *prng)
{
    uint32_t count = one_in(prng, 4) ? between(prng, 1, TRIAL_EXCEPTIONS_MAX) : 0;

    for (uint32_t i = 0; i < count; i++) {
        bool is_uplink = trial->wiring.t1_count > 0 && !one_in(prng, 3);
        struct topology_element link =
            topology_draw(&trial->wiring, is_uplink ? TOPOLOGY_UPLINK : TOPOLOGY_HOST_LINK, prng);

        study_add_exception(trial, &link, one_in(prng, 2) ? 0 : GBPS(25));
    }
}

/* ---- parameters
 * ----------------------------------------------------------------------------------- */

static void set(struct study_trial *trial, const char *name, const char *value)
{
    study_set_parameter(trial, name, value);
}

/* Timers short enough that the end of a run is far away. */
static void draw_parameters(struct study_trial *trial, struct prng *prng)
{
    static const char *const pmtus[] = { "512", "1024", "4096" };
    static const char *const literal[][2] = { { "loss_to_bad", "literal" },
        { "ev_skip", "literal" }, { "plane_share", "equal" }, { "sack_gap", "literal" },
        { "congestion_control", "nscc" } };

    set(trial, "timeout", "8");
    set(trial, "retry_exponential", "25");
    set(trial, "ev_probe_first", "50000");
    set(trial, "ev_probe_longest", "1000000");
    set(trial, "port_up_holddown", "20000");
    trial->kept_parameters = trial->parameter_count;
    set(trial, "pmtu", pmtus[prng_below(prng, 3)]);
    for (uint32_t i = 0; i < sizeof(literal) / sizeof(literal[0]); i++)
        if (one_in(prng, 3))
            set(trial, literal[i][0], literal[i][1]);
    if (one_in(prng, 3))
        set(trial, "mpr", "1");
}

/* ---- work
 * ------------------------------------------------------------------------------------------ */

static uint64_t draw_bytes(struct prng *prng)
{
    uint64_t bytes = UINT64_C(1) << between(prng, 9, 18);

    return bytes + prng_below(prng, (uint32_t)bytes);
}

static void draw_placement(struct study_trial *trial, uint32_t index, struct prng *prng)
{
    struct sim_workload *workload = &trial->workloads[index];
    uint32_t nic_count = trial->wiring.nic_count;

    workload->placement = prng_below(prng, 3);
    workload->first_nic = prng_below(prng, nic_count - workload->rank_count + 1);
    for (uint32_t nic = 0; nic < nic_count; nic++) {
        uint32_t place = prng_below(prng, nic + 1);

        trial->nics[index][nic] = trial->nics[index][place];
        trial->nics[index][place] = nic;
    }
}

static void draw_workload(struct study_trial *trial, uint32_t index, struct prng *prng)
{
    static const enum sim_workload_kind collectives[] = { SIM_ALL_REDUCE, SIM_REDUCE_SCATTER,
        SIM_ALL_GATHER, SIM_ALL_TO_ALL, SIM_SEND_RECV };
    struct sim_workload *workload = &trial->workloads[index];

    *workload = (struct sim_workload){ .kind = prng_below(prng, SIM_TRAINING + 1),
        .rank_count = between(prng, 2, trial->wiring.nic_count < 12 ? trial->wiring.nic_count : 12),
        .message_bytes = draw_bytes(prng),
        .iterations = between(prng, 1, 5),
        .outstanding = between(prng, 1, 3),
        .qps = one_in(prng, 3) ? between(prng, 2, 4) : 1,
        .bidirectional = one_in(prng, 2),
        .start_ps = one_in(prng, 2) ? NS(prng_below(prng, 50000)) : 0,
        .jitter_ps = one_in(prng, 3) ? NS(prng_below(prng, 20000)) : 0,
        .stagger_ps = one_in(prng, 4) ? NS(prng_below(prng, 5000)) : 0,
        .compute_ps = NS(prng_below(prng, 30000)),
        .overlap_permille = prng_below(prng, 3) * 500,
        .collective = collectives[prng_below(prng, 5)] };
    snprintf(workload->name, sizeof(workload->name), "w%u", index);
    if (sim_workload_is(workload->kind, SIM_PAIRED))
        workload->rank_count &= ~1u;
    workload->shift = prng_below(prng, workload->rank_count);
    draw_placement(trial, index, prng);
}

/* ---- faults
 * ---------------------------------------------------------------------------------------- */

static void draw_fault_kind(
    struct fault *fault, const struct topology_config *wiring, struct prng *prng)
{
    bool is_down;

    fault->kind = prng_below(prng, FAULT_KIND_COUNT);
    is_down = fault->kind == FAULT_DOWN || fault->kind == FAULT_FLAP || fault->kind == FAULT_REBOOT;
    fault->direction = is_down ? FAULT_BOTH_WAYS : prng_below(prng, 3);
    if (fault->kind == FAULT_LOSS || fault->kind == FAULT_CORRUPT)
        fault->probability = UINT32_MAX >> between(prng, 1, 10);
    if (fault->kind == FAULT_SLOW)
        fault->rate_bps = GBPS(between(prng, 1, 40));
    if (fault->kind == FAULT_FLAP) {
        fault->period_ps = NS(between(prng, 200, 50000));
        fault->duty_permille = between(prng, 1, 1000);
    }
    if (!is_down && fault->kind != FAULT_SLOW && one_in(prng, 3)) {
        struct topology_problem problem;
        struct plan fabric;

        plan_init(&fabric, wiring, NULL, &problem);
        fault->of_ev = true;
        fault->ev = plan_ev(
            &fabric, (struct ev_path){ .plane = prng_below(prng, wiring->plane_count),
                         .uplink = prng_below(prng, wiring->t1_count > 0 ? wiring->t1_count : 1) });
    }
}

static void draw_where(struct study_trial *trial, uint32_t index, struct prng *prng)
{
    struct fault *fault = &trial->faults[index];

    fault->where_count = one_in(prng, 4) ? between(prng, 2, TRIAL_WHERE_MAX) : 1;
    for (uint32_t i = 0; i < fault->where_count; i++) {
        struct topology_element *element = &trial->where[index][i];

        do {
            enum topology_component kind = draw_component(&trial->wiring, prng);

            if (fault->kind == FAULT_REBOOT)
                kind = trial->wiring.t1_count > 0 && one_in(prng, 2) ? TOPOLOGY_T1 : TOPOLOGY_T0;
            *element = topology_draw(&trial->wiring, kind, prng);
        } while (study_is_missing(trial, element));
    }
}

static void draw_fault(struct study_trial *trial, uint32_t index, struct prng *prng)
{
    struct fault *fault = &trial->faults[index];

    *fault = (struct fault){ .from_ps = NS(prng_below(prng, one_in(prng, 3) ? 100000 : 30000)) };
    if (one_in(prng, 8))
        fault->from_ps = 0;
    fault->until_ps = fault->from_ps + NS(1 + prng_below(prng, 300000));
    if (one_in(prng, 10))
        fault->until_ps = SIM_NEVER_PS;
    draw_fault_kind(fault, &trial->wiring, prng);
    draw_where(trial, index, prng);
}

static void draw_generator(struct study_trial *trial, uint32_t index, struct prng *prng)
{
    struct fault_generator *generator = &trial->generators[index];

    *generator = (struct fault_generator){ .component = draw_component(&trial->wiring, prng),
        .mean_between_ps = US(between(prng, 100, 5000)),
        .duration_ps = NS(between(prng, 100, 50000)) };
    draw_fault_kind(&generator->fault, &trial->wiring, prng);
    if (generator->fault.kind == FAULT_REBOOT)
        generator->component = TOPOLOGY_T0;
}

void trial_draw(struct study_trial *trial, uint64_t seed)
{
    struct prng prng = prng_stream(seed, 0x7472);

    memset(trial, 0, sizeof(*trial));
    trial->seed = seed;
    draw_wiring(&trial->wiring, &prng);
    draw_exceptions(trial, &prng);
    draw_parameters(trial, &prng);
    trial->workload_count = between(&prng, 1, TRIAL_WORKLOADS_MAX);
    for (uint32_t i = 0; i < trial->workload_count; i++)
        draw_workload(trial, i, &prng);
    trial->fault_count = one_in(&prng, 6) ? 0 : between(&prng, 1, TRIAL_FAULTS_MAX);
    for (uint32_t i = 0; i < trial->fault_count; i++)
        draw_fault(trial, i, &prng);
    trial->generator_count = one_in(&prng, 4) ? between(&prng, 1, TRIAL_GENERATORS_MAX) : 0;
    for (uint32_t i = 0; i < trial->generator_count; i++)
        draw_generator(trial, i, &prng);
    trial->duration_ps = trial_must_finish(trial) ? 100 * BUSY_PS : 2 * BUSY_PS;
}
