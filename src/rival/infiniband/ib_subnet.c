/* SPDX-License-Identifier: Apache-2.0 */
/* Delays after which routes change, and groups without the links that are down. */
#include "rival/infiniband/ib_subnet.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "base/prng.h"

enum {
    TRAP_LEAST_US = 1000,
    TRAP_MOST_US = 50000,
};

enum {
    SHIELD_DETECTION_US = 100,
    SHIELD_NOTICE_US = 1000, /* for each hop */
    HOPS_MAX = 4,            /* between a switch and a failed link that it avoids */
};

/* ---- memory ---------------------------------------------------------------------------------- */

static uint32_t destinations_of(const struct ecmp *ecmp, uint32_t switch_index)
{
    return ecmp->destination_counts[ecmp->switches[switch_index].plane];
}

/* Without tables, an upper bound of the number of destinations. */
static void init_view(struct ib_subnet_view *view, struct arena *arena, const struct ecmp *ecmp,
    const struct topology *topology, uint32_t switch_index)
{
    uint32_t count_max = topology->graph ? topology->switch_count : topology_leaf_count(topology);
    uint32_t count = arena->memory ? destinations_of(ecmp, switch_index) : count_max;
    uint32_t words = BITS_WORDS(topology_port_count(topology, switch_index));
    uint32_t *numbers = arena_take(arena, count, sizeof(*numbers), sizeof(*numbers));
    uint64_t *groups = arena_take(arena, (size_t)count * words, sizeof(*groups), sizeof(*groups));

    if (view)
        *view = (struct ib_subnet_view){
            .until_ps = UINT64_MAX, .number = 1, .numbers = numbers, .groups = groups
        };
}

void ib_subnet_init(struct ib_subnet *subnet, struct arena *arena, const struct ecmp *ecmp,
    const struct topology *topology, const struct ib_subnet_config *config)
{
    uint32_t count = topology->switch_count;

    *subnet = (struct ib_subnet){ .ecmp = ecmp,
        .recovery = config->recovery,
        .seed = config->seed,
        .size = config->size,
        .view_count = count,
        .outage_max = config->link_count };
    if (config->link_count == 0)
        return;
    subnet->views = arena_take(arena, count, sizeof(*subnet->views), _Alignof(uint64_t));
    subnet->outages =
        arena_take(arena, config->link_count, sizeof(*subnet->outages), _Alignof(struct ib_outage));
    for (uint32_t i = 0; i < count; i++)
        init_view(subnet->views ? &subnet->views[i] : NULL, arena, ecmp, topology, i);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static struct ib_outage *outage_of(struct ib_subnet *subnet, uint32_t switch_index, uint32_t port)
{
    struct ib_outage *end = &subnet->outages[subnet->outage_count];

    for (struct ib_outage *outage = subnet->outages; outage < end; outage++)
        if (outage->switch_index == switch_index && outage->port == port)
            return outage;
    assert(subnet->outage_count < subnet->outage_max);
    subnet->outage_count++;
    *end = (struct ib_outage){ .switch_index = switch_index, .port = port };
    return end;
}

static uint64_t draw_trap_ps(const struct ib_subnet *subnet, const struct ib_outage *outage)
{
    struct prng prng = prng_stream(
        subnet->seed ^ outage->down_ps, (uint64_t)outage->switch_index << 32 | outage->port);

    return (TRAP_LEAST_US + prng_below(&prng, TRAP_MOST_US - TRAP_LEAST_US)) * IB_SUBNET_US_PS;
}

void ib_subnet_on_fault(
    struct ib_subnet *subnet, uint32_t switch_index, uint32_t port, bool begins, uint64_t now_ps)
{
    struct ib_outage *outage = outage_of(subnet, switch_index, port);

    if (begins && outage->down_count++ == 0) {
        outage->down_ps = now_ps;
        outage->up_ps = UINT64_MAX;
        outage->trap_ps = draw_trap_ps(subnet, outage);
    } else if (!begins && --outage->down_count == 0) {
        outage->up_ps = now_ps;
    }
    /* all views are computed again, with the new times of changes */
    for (uint32_t i = 0; i < subnet->view_count; i++)
        if (subnet->views[i].until_ps > now_ps)
            subnet->views[i].until_ps = now_ps;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Returns how long after a change of a link a switch acts on it. */
static uint64_t delay_ps(
    const struct ib_subnet *subnet, const struct ib_outage *outage, uint32_t here, uint32_t hops)
{
    struct prng prng = prng_stream(subnet->seed ^ outage->down_ps, here);
    uint64_t writing_ps = ib_subnet_writing_ps(&subnet->size);
    uint64_t turn = 1 + prng_below(&prng, subnet->size.switch_count);
    uint64_t sweep_ps = outage->trap_ps + ib_subnet_discovery_ps(&subnet->size) +
                        writing_ps / subnet->size.switch_count * turn;
    uint64_t shield_ps =
        (SHIELD_DETECTION_US + (uint64_t)SHIELD_NOTICE_US * hops) * IB_SUBNET_US_PS;

    return subnet->recovery == IB_SHIELD && shield_ps < sweep_ps ? shield_ps : sweep_ps;
}

static bool is_avoided(const struct ib_subnet *subnet, const struct ib_outage *outage,
    uint32_t here, uint32_t hops, uint64_t now_ps)
{
    uint64_t late_ps = delay_ps(subnet, outage, here, hops);

    return now_ps >= outage->down_ps + late_ps &&
           (outage->up_ps == UINT64_MAX || now_ps < outage->up_ps + late_ps);
}

static uint64_t next_after(uint64_t next_ps, uint64_t change_ps, uint64_t now_ps)
{
    return change_ps > now_ps && change_ps < next_ps ? change_ps : next_ps;
}

/* Returns when the next change takes effect at a switch. */
static uint64_t next_change_ps(const struct ib_subnet *subnet, uint32_t here, uint64_t now_ps)
{
    uint64_t next_ps = UINT64_MAX;

    for (uint32_t i = 0; i < subnet->outage_count; i++)
        for (uint32_t hops = 0; hops <= HOPS_MAX; hops++) {
            const struct ib_outage *outage = &subnet->outages[i];
            uint64_t late_ps = delay_ps(subnet, outage, here, hops);

            next_ps = next_after(next_ps, outage->down_ps + late_ps, now_ps);
            if (outage->up_ps != UINT64_MAX)
                next_ps = next_after(next_ps, outage->up_ps + late_ps, now_ps);
        }
    return next_ps;
}

/* ---- ports ----------------------------------------------------------------------------------- */

/* A switch that looks for ways to another one. */
struct search {
    const struct ib_subnet *subnet;
    uint32_t here;
    uint32_t to;
    uint64_t now_ps;
};

static bool has_way(const struct search *search, uint32_t from, uint32_t hops);

static bool leads_on(const struct search *search, uint32_t from, uint32_t port, uint32_t hops)
{
    const struct ib_subnet *subnet = search->subnet;
    struct topology_end peer = { 0 };

    for (uint32_t i = 0; i < subnet->outage_count; i++)
        if (subnet->outages[i].switch_index == from && subnet->outages[i].port == port &&
            is_avoided(subnet, &subnet->outages[i], search->here, hops, search->now_ps))
            return false;
    topology_peer(
        subnet->ecmp->topology, (struct topology_end){ .node = from, .port = port }, &peer);
    return peer.node == search->to || has_way(search, peer.node, hops + 1);
}

/* Farther failures are not known. */
static bool has_way(const struct search *search, uint32_t from, uint32_t hops)
{
    const uint64_t *group = ecmp_group(search->subnet->ecmp, from, search->to);
    uint32_t bit_count = search->subnet->ecmp->switches[from].word_count * 64;

    if (hops > HOPS_MAX)
        return true;
    for (uint32_t port = bits_next_set(group, bit_count, 0); port < bit_count;
         port = bits_next_set(group, bit_count, port + 1))
        if (leads_on(search, from, port, hops))
            return true;
    return false;
}

/* Removes the ports that lead nowhere; if none is left, it keeps all: packets are lost there. */
static void filter_group(const struct search *search, const uint64_t *all, uint64_t *kept)
{
    uint32_t word_count = search->subnet->ecmp->switches[search->here].word_count;
    uint32_t bit_count = word_count * 64;

    memcpy(kept, all, word_count * sizeof(*kept));
    for (uint32_t port = bits_next_set(all, bit_count, 0); port < bit_count;
         port = bits_next_set(all, bit_count, port + 1))
        if (!leads_on(search, search->here, port, 0))
            bits_clear(kept, port);
    if (ecmp_group_size(kept, word_count) == 0)
        memcpy(kept, all, word_count * sizeof(*kept));
}

struct ib_ports ib_subnet_ports(
    struct ib_subnet *subnet, uint32_t from, uint32_t to, uint64_t now_ps)
{
    const uint64_t *all = ecmp_group(subnet->ecmp, from, to);
    struct ib_ports ports = { .words = all, .word_count = subnet->ecmp->switches[from].word_count };
    uint32_t destination = subnet->ecmp->switches[to].destination;
    struct ib_subnet_view *view;
    uint64_t *kept;

    if (!all || subnet->outage_count == 0)
        return ports;
    view = &subnet->views[from];
    if (now_ps >= view->until_ps) {
        view->until_ps = next_change_ps(subnet, from, now_ps);
        view->number++;
    }
    kept = &view->groups[(size_t)destination * ports.word_count];
    if (view->numbers[destination] != view->number) {
        view->numbers[destination] = view->number;
        filter_group(&(struct search){ .subnet = subnet, .here = from, .to = to, .now_ps = now_ps },
            all, kept);
    }
    ports.words = kept;
    return ports;
}
