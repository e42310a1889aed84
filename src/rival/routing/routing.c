/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of a port at a switch that routes by destination. */
#include "rival/routing/routing.h"

#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "base/prng.h"

enum {
    FLOWLETS = 1024, /* entries of a switch */
    ALIGNMENT = 64,
};

const char *const routing_words[ROUTING_KIND_COUNT + 1] = { "ecmp", "flowlet", "adaptive", NULL };

void routing_init(struct routing *routing, struct arena *arena, const struct topology *topology,
    const struct routing_config *config)
{
    size_t flowlets =
        config->kind == ROUTING_FLOWLET ? (size_t)topology->switch_count * FLOWLETS : 0;

    routing->kind = config->kind;
    routing->flowlet_gap_ps = config->flowlet_gap_ps;
    ecmp_init(&routing->ecmp, arena, topology, &config->ecmp);
    convergence_init(
        &routing->convergence, arena, &routing->ecmp, config->convergence, config->ecmp.seed);
    routing->flowlets = arena_take(arena, flowlets, sizeof(*routing->flowlets), ALIGNMENT);
    for (size_t i = 0; routing->flowlets && i < flowlets; i++)
        routing->flowlets[i] = (struct routing_flowlet){ .port = ECMP_NO_PORT };
}

/* A packet at a switch, and the ports to choose from. */
struct choice {
    uint32_t switch_index;
    uint32_t word_count;
    const struct ecmp_label *label;
    const uint64_t *group;
    uint64_t now_ps;
};

/* Different for every packet. */
static uint64_t random_of(const struct routing *routing, const struct choice *choice)
{
    struct prng prng = prng_stream(
        ecmp_hash(&routing->ecmp, choice->switch_index, choice->label->flow), choice->now_ps);

    return prng_next(&prng);
}

/* Only the flows of ports that the switch does not use any more move. */
static uint32_t choose_by_hash(const struct routing *routing, const struct choice *choice)
{
    uint64_t hash = ecmp_hash(&routing->ecmp, choice->switch_index, choice->label->flow);
    uint32_t port = ecmp_forward(&routing->ecmp, choice->switch_index, choice->label);

    if (port == ECMP_NO_PORT || bits_test(choice->group, port))
        return port;
    return ecmp_member(
        choice->group, choice->word_count, prng_next(&(struct prng){ .state = hash }));
}

static uint32_t choose_for_flowlet(struct routing *routing, const struct choice *choice)
{
    uint64_t hash = ecmp_hash(&routing->ecmp, choice->switch_index, choice->label->flow);
    struct routing_flowlet *entry =
        &routing->flowlets[(size_t)choice->switch_index * FLOWLETS + hash % FLOWLETS];

    if (entry->port == ECMP_NO_PORT || choice->now_ps - entry->last_ps > routing->flowlet_gap_ps ||
        !bits_test(choice->group, entry->port))
        entry->port = ecmp_member(choice->group, choice->word_count, random_of(routing, choice));
    entry->last_ps = choice->now_ps;
    return entry->port;
}

/* Of several shortest queues, takes the first from a random port of the group on. */
static uint32_t choose_shortest_queue(
    const struct routing *routing, const struct choice *choice, const struct routing_queues *queues)
{
    uint32_t bits = choice->word_count * 64;
    uint32_t first = ecmp_member(choice->group, choice->word_count, random_of(routing, choice));
    uint32_t best = ECMP_NO_PORT;
    uint64_t best_bytes = UINT64_MAX;

    for (uint32_t i = 0; i < 2; i++) {
        uint32_t end = i == 0 ? bits : first;

        for (uint32_t port = bits_next_set(choice->group, end, i == 0 ? first : 0);
             port < end && best_bytes > 0; port = bits_next_set(choice->group, end, port + 1)) {
            uint64_t bytes = queues->bytes(queues->context, port);

            if (bytes < best_bytes) {
                best = port;
                best_bytes = bytes;
            }
        }
    }
    return best;
}

const uint64_t *routing_group(const struct routing *routing, uint32_t switch_index, uint32_t to,
    uint64_t now_ps, uint64_t room[static ROUTING_WORDS_MAX])
{
    const uint64_t *group = ecmp_group(&routing->ecmp, switch_index, to);

    if (!group || !routing->convergence.is_touched)
        return group;
    for (uint32_t w = 0; w < routing->ecmp.switches[switch_index].word_count; w++) {
        room[w] = group[w];
        for (uint64_t word = group[w]; word; word &= word - 1) {
            uint32_t port = w * 64 + bits_lowest(word);

            if (!convergence_uses(&routing->convergence, switch_index, port, to, now_ps))
                room[w] &= ~(UINT64_C(1) << port % 64);
        }
    }
    return room;
}

uint32_t routing_forward(struct routing *routing, uint32_t switch_index,
    const struct ecmp_label *label, const struct routing_queues *queues, uint64_t now_ps)
{
    uint64_t used[ROUTING_WORDS_MAX];
    struct choice choice = { .switch_index = switch_index,
        .word_count = routing->ecmp.switches[switch_index].word_count,
        .label = label,
        .now_ps = now_ps };

    if (switch_index == label->at)
        return label->port;
    choice.group = routing_group(routing, switch_index, label->at, now_ps, used);
    if (!choice.group)
        return ECMP_NO_PORT;
    switch (routing->kind) {
    case ROUTING_FLOWLET:
        return choose_for_flowlet(routing, &choice);
    case ROUTING_ADAPTIVE:
        return choose_shortest_queue(routing, &choice, queues);
    default:
        return choose_by_hash(routing, &choice);
    }
}
