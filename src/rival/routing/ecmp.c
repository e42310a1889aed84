/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest paths by breadth-first search from every switch with NICs, and the hash. */
#include "rival/routing/ecmp.h"

#include <assert.h>

#include "base/bits.h"
#include "base/prng.h"

enum { WORD_ALIGNMENT = 64 };

/* Planes of a computed fabric are separate. In a graph, links may lead from one to another. */
static uint32_t plane_of(const struct topology *topology, uint32_t switch_index)
{
    return topology->graph ? 0 : topology_switch_at(topology, switch_index).plane;
}

static bool has_nics(const struct topology *topology, uint32_t switch_index)
{
    for (uint32_t port = 0; port < topology_port_count(topology, switch_index); port++)
        if (topology_port_faces_host(topology, switch_index, port))
            return true;
    return false;
}

/* ---- paths ----------------------------------------------------------------------------------- */

bool ecmp_neighbour(
    const struct ecmp *ecmp, uint32_t switch_index, uint32_t port, uint32_t *neighbour)
{
    struct topology_end peer;

    if (!topology_peer(
            ecmp->topology, (struct topology_end){ .node = switch_index, .port = port }, &peer) ||
        peer.is_nic)
        return false;
    *neighbour = peer.node;
    return true;
}

/* Fills in the number of links from each switch to `to`; the queue has room for all switches. */
static void measure_distances(
    const struct ecmp *ecmp, uint32_t to, uint8_t *distances, uint32_t *queue)
{
    uint32_t first = 0;
    uint32_t last = 0;

    for (uint32_t i = 0; i < ecmp->topology->switch_count; i++)
        distances[i] = ECMP_UNREACHED;
    distances[to] = 0;
    queue[last++] = to;
    while (first < last) {
        uint32_t here = queue[first++];

        for (uint32_t port = 0; port < topology_port_count(ecmp->topology, here); port++) {
            uint32_t next;

            if (!ecmp_neighbour(ecmp, here, port, &next) || distances[next] != ECMP_UNREACHED)
                continue;
            assert(distances[here] + 1 < ECMP_UNREACHED);
            distances[next] = (uint8_t)(distances[here] + 1);
            queue[last++] = next;
        }
    }
}

static uint64_t *group_of(const struct ecmp_switch *here, uint32_t destination)
{
    return &here->groups[(uint64_t)destination * here->word_count];
}

static void fill_groups(struct ecmp *ecmp, uint32_t to, uint8_t *distances, uint32_t *queue)
{
    uint32_t destination = ecmp->switches[to].destination;

    measure_distances(ecmp, to, distances, queue);
    for (uint32_t i = 0; i < ecmp->topology->switch_count; i++) {
        if (ecmp->switches[i].plane == ecmp->switches[to].plane)
            ecmp->switches[i].distances[destination] = distances[i];
        if (distances[i] == ECMP_UNREACHED || i == to)
            continue;
        for (uint32_t port = 0; port < topology_port_count(ecmp->topology, i); port++) {
            uint32_t next;

            if (ecmp_neighbour(ecmp, i, port, &next) && distances[next] + 1 == distances[i])
                bits_set(group_of(&ecmp->switches[i], destination), port);
        }
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void number_destinations(struct ecmp *ecmp, const struct ecmp_config *config)
{
    for (uint32_t i = 0; i < ecmp->topology->switch_count; i++) {
        struct ecmp_switch *here = &ecmp->switches[i];
        struct prng prng = prng_stream(config->seed, config->is_polarised ? 0 : i);

        here->seed = prng_next(&prng);
        here->plane = plane_of(ecmp->topology, i);
        here->word_count = BITS_WORDS(topology_port_count(ecmp->topology, i));
        here->destination =
            has_nics(ecmp->topology, i) ? ecmp->destination_counts[here->plane]++ : ECMP_NO_PORT;
    }
}

/* Works without tables, to measure. */
static uint32_t count_destinations(const struct topology *topology, uint32_t plane)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < topology->switch_count; i++)
        count += plane_of(topology, i) == plane && has_nics(topology, i);
    return count;
}

static void take_groups(struct ecmp *ecmp, struct arena *arena)
{
    uint32_t counts[TOPOLOGY_PLANES_MAX];

    for (uint32_t plane = 0; plane < TOPOLOGY_PLANES_MAX; plane++)
        counts[plane] = count_destinations(ecmp->topology, plane);
    for (uint32_t i = 0; i < ecmp->topology->switch_count; i++) {
        uint32_t words = BITS_WORDS(topology_port_count(ecmp->topology, i));
        size_t count = counts[plane_of(ecmp->topology, i)];
        uint64_t *groups = arena_take(arena, count * words, sizeof(*groups), sizeof(*groups));
        uint8_t *distances = arena_take(arena, count, sizeof(*distances), 1);

        if (!arena->memory)
            continue;
        ecmp->switches[i].groups = groups;
        ecmp->switches[i].distances = distances;
    }
}

void ecmp_init(struct ecmp *ecmp, struct arena *arena, const struct topology *topology,
    const struct ecmp_config *config)
{
    uint32_t count = topology->switch_count;
    uint8_t *distances = arena_take(arena, count, sizeof(*distances), WORD_ALIGNMENT);
    uint32_t *queue = arena_take(arena, count, sizeof(*queue), WORD_ALIGNMENT);

    *ecmp = (struct ecmp){ .topology = topology,
        .switches = arena_take(arena, count, sizeof(*ecmp->switches), WORD_ALIGNMENT),
        .destination_counts =
            arena_take(arena, TOPOLOGY_PLANES_MAX, sizeof(uint32_t), sizeof(uint32_t)) };
    take_groups(ecmp, arena);
    if (!arena->memory)
        return;
    number_destinations(ecmp, config);
    for (uint32_t i = 0; i < count; i++)
        if (ecmp->switches[i].destination != ECMP_NO_PORT)
            fill_groups(ecmp, i, distances, queue);
}

/* ---- packets --------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t value)
{
    return prng_next(&(struct prng){ .state = value });
}

uint32_t ecmp_flow(uint32_t from_nic, uint32_t to_nic, uint16_t source_port)
{
    return (uint32_t)(mix(mix((uint64_t)from_nic << 32 | to_nic) ^ source_port) >> 32);
}

/* The ports of a group are mostly one run of bits, whose size and members need no counting. */
static bool is_run(uint64_t word)
{
    return word != 0 && bits_run(word, bits_lowest(word)) == word;
}

static uint32_t word_size(uint64_t word)
{
    return is_run(word) ? bits_highest(word) - bits_lowest(word) + 1 : bits_count(word);
}

uint32_t ecmp_group_size(const uint64_t *group, uint32_t word_count)
{
    uint32_t count = 0;

    for (uint32_t w = 0; w < word_count; w++)
        count += word_size(group[w]);
    return count;
}

uint32_t ecmp_group_member(const uint64_t *group, uint32_t before)
{
    uint32_t w = 0;
    uint64_t word;

    while (word_size(group[w]) <= before)
        before -= word_size(group[w++]);
    if (is_run(group[w]))
        return w * 64 + bits_lowest(group[w]) + before;
    for (word = group[w]; before > 0; before--)
        word &= word - 1;
    return w * 64 + bits_lowest(word);
}

const uint64_t *ecmp_group(const struct ecmp *ecmp, uint32_t from, uint32_t to)
{
    const struct ecmp_switch *target = &ecmp->switches[to];

    assert(target->destination != ECMP_NO_PORT);
    if (ecmp->switches[from].plane != target->plane)
        return NULL;
    return group_of(&ecmp->switches[from], target->destination);
}

uint8_t ecmp_distance(const struct ecmp *ecmp, uint32_t from_switch, uint32_t to_switch)
{
    const struct ecmp_switch *from = &ecmp->switches[from_switch];
    const struct ecmp_switch *to = &ecmp->switches[to_switch];

    return from->plane == to->plane ? from->distances[to->destination] : ECMP_UNREACHED;
}

uint64_t ecmp_hash(const struct ecmp *ecmp, uint32_t switch_index, uint32_t flow)
{
    return mix(ecmp->switches[switch_index].seed ^ flow);
}

uint32_t ecmp_member(const uint64_t *group, uint32_t word_count, uint64_t hash)
{
    uint32_t count = ecmp_group_size(group, word_count);

    return count == 0 ? ECMP_NO_PORT : ecmp_group_member(group, (uint32_t)(hash % count));
}

uint32_t ecmp_forward(
    const struct ecmp *ecmp, uint32_t switch_index, const struct ecmp_label *label)
{
    const struct ecmp_switch *here = &ecmp->switches[switch_index];
    const uint64_t *group;

    if (switch_index == label->at)
        return label->port;
    group = ecmp_group(ecmp, switch_index, label->at);
    return group ? ecmp_member(group, here->word_count, ecmp_hash(ecmp, switch_index, label->flow))
                 : ECMP_NO_PORT;
}
