/* SPDX-License-Identifier: Apache-2.0 */
/* Draws faults. */
#include "localise.h"

#include <math.h>
#include <string.h>

#include "base/prng.h"

const char *const localise_class_words[LOCALISE_CLASS_COUNT] = {
    [LOCALISE_HOST_LINK] = "host_link",
    [LOCALISE_T0] = "t0",
    [LOCALISE_UPLINK] = "uplink",
    [LOCALISE_T1] = "t1",
    [LOCALISE_NIC] = "nic",
    [LOCALISE_LOSSY_HOST_LINK] = "lossy_host_link",
    [LOCALISE_LOSSY_T0] = "lossy_t0",
    [LOCALISE_LOSSY_UPLINK] = "lossy_uplink",
    [LOCALISE_LOSSY_T1] = "lossy_t1",
};

static enum topology_component component_of(enum localise_class class)
{
    static const enum topology_component components[LOCALISE_CLASS_COUNT] = {
        [LOCALISE_HOST_LINK] = TOPOLOGY_HOST_LINK,
        [LOCALISE_T0] = TOPOLOGY_T0,
        [LOCALISE_UPLINK] = TOPOLOGY_UPLINK,
        [LOCALISE_T1] = TOPOLOGY_T1,
        [LOCALISE_NIC] = TOPOLOGY_NIC,
        [LOCALISE_LOSSY_HOST_LINK] = TOPOLOGY_HOST_LINK,
        [LOCALISE_LOSSY_T0] = TOPOLOGY_T0,
        [LOCALISE_LOSSY_UPLINK] = TOPOLOGY_UPLINK,
        [LOCALISE_LOSSY_T1] = TOPOLOGY_T1,
    };

    return components[class];
}

/* Returns the T0 whose group the element belongs to; for a T1, its number beyond all of them. */
static uint32_t group_of(const struct topology *topology, const struct topology_element *element)
{
    switch (element->kind) {
    case TOPOLOGY_NIC:
    case TOPOLOGY_HOST_LINK:
        return topology_leaf_of(topology, element->nic);
    case TOPOLOGY_T1:
        return topology->config.t0_count + element->t1 + element->plane * topology->config.t1_count;
    default:
        return element->t0;
    }
}

/* Few T1s of a plane fail at a time: with half of them, the links of a T0 could not be told from
 * the T0. */
static bool is_free(const struct localise_run *run, const struct topology *topology,
    const struct topology_element *element)
{
    uint32_t of_plane = 0;

    for (uint32_t i = 0; i < run->count; i++) {
        if (group_of(topology, &run->places[i]) == group_of(topology, element))
            return false;
        of_plane += run->places[i].kind == TOPOLOGY_T1 && run->places[i].plane == element->plane;
    }
    return element->kind != TOPOLOGY_T1 || of_plane <= topology->config.t1_count / 16;
}

static bool is_link(enum topology_component kind)
{
    return kind == TOPOLOGY_HOST_LINK || kind == TOPOLOGY_UPLINK;
}

/* 1.5 % to 50 %, evenly on a logarithmic scale. */
static uint32_t draw_share(struct prng *prng)
{
    double share = 0.015 * exp(log(0.5 / 0.015) * prng_below(prng, 1000) / 1000);

    return (uint32_t)(share * 4294967295.0);
}

static struct fault draw_fault(
    const struct topology_element *place, enum localise_class class, struct prng *prng)
{
    static const enum fault_kind dead[] = { FAULT_DOWN, FAULT_BLACKHOLE };
    static const enum fault_kind lossy[] = { FAULT_LOSS, FAULT_CORRUPT };
    bool is_lossy = class >= LOCALISE_LOSSY_HOST_LINK;
    struct fault fault = { .kind =
                               is_lossy ? lossy[prng_below(prng, 2)] : dead[prng_below(prng, 2)],
        .where = place,
        .where_count = 1,
        .until_ps = FAULT_NEVER_PS };

    if (is_lossy)
        fault.probability = draw_share(prng);
    if (is_link(place->kind) && fault.kind != FAULT_DOWN)
        fault.direction = (enum fault_direction)prng_below(prng, FAULT_DIRECTION_COUNT);
    return fault;
}

void localise_draw(struct localise_run *run, const struct plan *fabric, enum localise_class class,
    struct prng *prng)
{
    struct topology_element place;

    do
        place = topology_draw(&fabric->topology.config, component_of(class), prng);
    while (!is_free(run, &fabric->topology, &place));
    run->places[run->count] = place;
    run->faults[run->count + 1] = draw_fault(&run->places[run->count], class, prng);
    run->count++;
}
