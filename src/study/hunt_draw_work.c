/* SPDX-License-Identifier: Apache-2.0 */
/* Draws workloads of every kind, with messages large enough that the network is the limit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/hunt_draw.h"

enum {
    BDPS_POSTED_MIN = 4,
    BDPS_POSTED_MAX = 32,
    FLOWS_MAX = 2048,
    PEERS_MAX = 11, /* of an all-to-all, whose capacity changes with every message */
    OUTSTANDING_MAX = 16,
};

#define US(count) ((count)*UINT64_C(1000000))

_Static_assert(SIM_WORKLOAD_COUNT <= 32, "hunt_options.kinds has a bit for each");

/* Returns the kind at this point of the sum of all weights. The largest weights come first. */
static enum sim_workload_kind kind_at(uint32_t point)
{
    for (uint32_t weight = UINT8_MAX; weight > 0; weight--)
        for (uint32_t kind = 0; kind < SIM_WORKLOAD_COUNT; kind++) {
            if (sim_workload_weights[kind] != weight)
                continue;
            if (point < weight)
                return (enum sim_workload_kind)kind;
            point -= weight;
        }
    return SIM_WORKLOAD_COUNT;
}

static enum sim_workload_kind draw_kind(const struct hunt_options *options, struct prng *prng)
{
    uint32_t sum = 0;
    enum sim_workload_kind kind;

    for (uint32_t i = 0; i < SIM_WORKLOAD_COUNT; i++)
        sum += sim_workload_weights[i];
    do
        kind = kind_at(prng_below(prng, sum));
    while (options->kinds != 0 && !(options->kinds >> kind & 1));
    return kind;
}

static uint32_t draw_ranks(const struct study_trial *trial, struct prng *prng)
{
    uint32_t most = trial->wiring.nic_count;

    return hunt_draw_percent(prng, 40) ? most : hunt_draw_between(prng, 2, most);
}

/* Draws the order of NICs: those of one T0 first, or random. */
static void draw_nics(struct study_trial *trial, uint32_t index, struct prng *prng)
{
    uint32_t *nics = trial->nics[index];
    uint32_t count = trial->wiring.nic_count;

    for (uint32_t nic = 0; nic < count; nic++) {
        uint32_t place = prng_below(prng, nic + 1);

        nics[nic] = nics[place];
        nics[place] = nic;
    }
}

static uint32_t draw_qps(struct prng *prng)
{
    static const uint8_t few[] = { 2, 3, 4, 8 };
    static const uint8_t many[] = { 16, 32, 64 };

    if (hunt_draw_percent(prng, 60))
        return 1;
    return hunt_draw_percent(prng, 75) ? few[prng_below(prng, sizeof(few))]
                                       : many[prng_below(prng, sizeof(many))];
}

static bool is_ring(const struct sim_workload *workload)
{
    return sim_workload_is(sim_workload_pattern(workload), SIM_DIVIDED) &&
           sim_workload_peers(workload) == 1;
}

/* If ranks wait for each other between messages, the round trip must be a small part of the
 * time. */
static uint64_t draw_posted(const struct sim_workload *workload, uint64_t bdp, struct prng *prng)
{
    uint32_t bdps = hunt_draw_between(prng, BDPS_POSTED_MIN, BDPS_POSTED_MAX);

    if (!sim_workload_is(workload->kind, SIM_STEADY) && !is_ring(workload))
        bdps *= 2;
    return bdp * bdps + HUNT_MESSAGE_BYTES_MIN;
}

/* Draws the size of messages. */
static void draw_messages(struct sim_workload *workload, uint64_t bdp, struct prng *prng)
{
    uint64_t posted = draw_posted(workload, bdp, prng);

    workload->outstanding = hunt_draw_between(prng, 1, OUTSTANDING_MAX);
    if (sim_workload_is(workload->kind, SIM_STEADY)) {
        workload->message_bytes = posted / workload->outstanding / workload->qps;
        if (hunt_draw_percent(prng, 50))
            workload->message_bytes *= hunt_draw_between(prng, 2, 16);
    } else {
        workload->message_bytes = posted;
        if (is_ring(workload))
            workload->message_bytes *= workload->rank_count;
    }
    workload->message_bytes += 4 * bdp / workload->outstanding / workload->qps; /* rounding */
    while (sim_message_bytes(workload) < HUNT_MESSAGE_BYTES_MIN)
        workload->message_bytes *= 2;
}

static enum sim_workload_kind draw_collective(struct prng *prng)
{
    enum sim_workload_kind collectives[SIM_WORKLOAD_COUNT];
    uint32_t count = 0;

    for (uint32_t kind = 0; kind < SIM_WORKLOAD_COUNT; kind++)
        if (sim_workload_is((enum sim_workload_kind)kind, SIM_COLLECTIVE) &&
            sim_workload_weights[kind] > 0)
            collectives[count++] = (enum sim_workload_kind)kind;
    return collectives[prng_below(prng, count)];
}

static void draw_workload(struct study_trial *trial, uint32_t index,
    const struct hunt_options *options, uint64_t bdp, struct prng *prng)
{
    struct sim_workload *workload = &trial->workloads[index];

    *workload = (struct sim_workload){ .kind = draw_kind(options, prng),
        .placement = SIM_LIST,
        .rank_count = draw_ranks(trial, prng),
        .qps = draw_qps(prng),
        .bidirectional = hunt_draw_percent(prng, 50),
        .jitter_ps = hunt_draw_percent(prng, 30) ? US(hunt_draw_between(prng, 1, 50)) : 0,
        .compute_ps = US(hunt_draw_between(prng, 1, 100)),
        .overlap_permille = prng_below(prng, 3) * 500,
        .collective = draw_collective(prng) };
    snprintf(workload->name, sizeof(workload->name), "w%u", index);
    if (sim_workload_is(workload->kind, SIM_PAIRED))
        workload->rank_count &= ~1u;
    if (sim_workload_peers(workload) > PEERS_MAX)
        workload->rank_count = PEERS_MAX + 1;
    if (workload->kind == SIM_PERMUTATION && hunt_draw_percent(prng, 30))
        workload->shift = hunt_draw_between(prng, 1, workload->rank_count - 1);
    while (workload->rank_count * sim_workload_peers(workload) * workload->qps > FLOWS_MAX &&
           workload->qps > 1)
        workload->qps /= 2;
    if (hunt_draw_percent(prng, 40)) {
        workload->placement = SIM_PACKED;
        workload->first_nic = prng_below(prng, trial->wiring.nic_count - workload->rank_count + 1);
    }
    draw_nics(trial, index, prng);
    draw_messages(workload, bdp, prng);
}

static void draw_pmtu(struct study_trial *trial, struct prng *prng)
{
    static const char *const pmtus[] = { "1024", "2048" };
    const char *pmtu = pmtus[prng_below(prng, 2)];

    if (hunt_draw_percent(prng, 10))
        study_set_parameter(trial, "pmtu", pmtu);
}

void hunt_draw_work(
    struct study_trial *trial, const struct hunt_options *options, struct prng *prng)
{
    char reason[STUDY_REASON_BYTES];
    struct sim_config config;
    struct study_room room;
    uint64_t bdp;

    draw_pmtu(trial, prng);
    study_config(trial, &room, &config, reason); /* computes the round trip, without workloads */
    bdp = hunt_bdp_bytes(trial, &room.fabric.topology);
    trial->workload_count = hunt_draw_percent(prng, 75) ? 1 : 2;
    for (uint32_t i = 0; i < trial->workload_count; i++)
        draw_workload(trial, i, options, bdp, prng);
}
