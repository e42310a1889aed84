/* SPDX-License-Identifier: Apache-2.0 */
/* Draws up to three faults of every kind, anywhere, short and permanent. */
#include "study/hunt_draw.h"

#define US(count) ((count)*UINT64_C(1000000))
#define MBPS      UINT64_C(1000000)

enum { SLOWEST_MBPS = 500 };

static enum topology_component draw_component(struct prng *prng)
{
    const enum topology_component leaf = topology_switch_kind(0);
    const enum topology_component above = topology_switch_kind(1);
    const enum topology_component uplink = topology_uplink_kind();
    const enum topology_component components[] = { uplink, uplink, uplink, TOPOLOGY_HOST_LINK,
        TOPOLOGY_HOST_LINK, above, above, leaf, TOPOLOGY_PLANE, TOPOLOGY_NIC };

    return components[prng_below(prng, sizeof(components) / sizeof(components[0]))];
}

/* Sometimes draws two links that fail together, as with a transceiver. */
static void draw_where(struct study_trial *trial, uint32_t index, struct prng *prng)
{
    struct fault *fault = &trial->faults[index];

    fault->where_count = hunt_draw_percent(prng, 10) ? 2 : 1;
    for (uint32_t i = 0; i < fault->where_count; i++) {
        struct topology_element *element = &trial->where[index][i];

        do {
            enum topology_component kind = draw_component(prng);

            if (fault_kind_is(fault->kind, FAULT_OF_SWITCH))
                kind = topology_switch_kind(hunt_draw_percent(prng, 60));
            *element = topology_draw(&trial->wiring, kind, prng);
        } while (study_is_missing(trial, element));
    }
}

static uint64_t least_rate_bps(const struct topology_config *wiring)
{
    return wiring->host_link.rate_bps < wiring->uplink.rate_bps ? wiring->host_link.rate_bps
                                                                : wiring->uplink.rate_bps;
}

static void draw_strength(struct fault *fault, const struct study_trial *trial, struct prng *prng)
{
    if (fault_kind_has(fault->kind, FAULT_PROBABILITY)) /* one in a million to one half */
        fault->probability = (uint32_t)hunt_draw_log(prng, 4295, UINT32_MAX / 2);
    if (fault_kind_is(fault->kind, FAULT_ONE_WAY))
        fault->direction = hunt_draw_percent(prng, 50) ? FAULT_BOTH_WAYS : prng_below(prng, 3);
    if (fault_kind_has(fault->kind, FAULT_RATE)) {
        uint64_t rate_mbps =
            least_rate_bps(&trial->wiring) / MBPS * hunt_draw_between(prng, 5, 90) / 100;

        fault->rate_bps = (rate_mbps > SLOWEST_MBPS ? rate_mbps : SLOWEST_MBPS) * MBPS;
    }
    if (fault_kind_is(fault->kind, FAULT_ONE_EV) && hunt_draw_percent(prng, 15)) {
        struct topology_problem problem;
        struct plan fabric;

        plan_init(&fabric, &trial->wiring, NULL, &problem);
        fault->of_ev = true;
        fault->ev =
            plan_ev(&fabric, (struct ev_path){ .plane = prng_below(prng, trial->wiring.plane_count),
                                 .uplink = prng_below(prng, plan_uplink_count(&fabric)) });
    }
}

/* Faults begin in the first half of "1 ms". Some end soon, the others stay. */
static void draw_times(struct fault *fault, uint64_t settle_ps, struct prng *prng)
{
    bool must_end =
        fault_kind_has(fault->kind, FAULT_PERIOD) || fault_kind_is(fault->kind, FAULT_OF_SWITCH);

    fault->from_ps = settle_ps / 100 * hunt_draw_between(prng, 5, 40);
    fault->until_ps = SIM_NEVER_PS;
    if (must_end || hunt_draw_percent(prng, 50))
        fault->until_ps = fault->from_ps + hunt_draw_log(prng, US(20), settle_ps / 2);
    if (fault_kind_has(fault->kind, FAULT_PERIOD)) {
        fault->period_ps = hunt_draw_log(prng, US(10), fault->until_ps - fault->from_ps);
        fault->duty_permille = hunt_draw_between(prng, 100, 900);
    }
}

static uint32_t draw_count(const struct hunt_options *options, struct prng *prng)
{
    for (;;) {
        uint32_t count = prng_below(prng, HUNT_FAULTS_MAX + 1);

        if (options->faults == 0 || options->faults >> count & 1)
            return count;
    }
}

void hunt_draw_faults(
    struct study_trial *trial, const struct hunt_options *options, struct prng *prng)
{
    char reason[STUDY_REASON_BYTES];
    struct sim_config config;
    struct study_room room;

    study_config(trial, &room, &config, reason); /* computes the round trip */
    trial->fault_count = draw_count(options, prng);
    for (uint32_t i = 0; i < trial->fault_count; i++) {
        struct fault *fault = &trial->faults[i];

        *fault = (struct fault){ .kind = prng_below(prng, FAULT_KIND_COUNT) };
        draw_strength(fault, trial, prng);
        draw_where(trial, i, prng);
        draw_times(fault, hunt_settle_ps(trial, &room.fabric.topology), prng);
    }
}
