/* SPDX-License-Identifier: Apache-2.0 */
/* What a network does to packets besides carrying them: rules that say where, and how often. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "network/network.h"

/* Probabilities are shares of 2^32. */
#define FAULT_ALWAYS          UINT32_MAX
#define FAULT_PERMILLE(share) ((uint32_t)((uint64_t)(share)*UINT32_MAX / 1000))
#define FAULT_PERCENT(share)  FAULT_PERMILLE(10 * (share))

#define FAULT_ANY UINT32_MAX

enum fault_traffic {
    FAULT_ALL_TRAFFIC,
    FAULT_DATA,    /* the data class: WRITE, probes */
    FAULT_CONTROL, /* SACK, NACK, ACK, Endpoint Responses, what was trimmed */
};

/* Between which hosts and on which paths; FAULT_ANY where it does not matter. */
struct fault_where {
    uint32_t from;
    uint32_t to;
    uint32_t plane;
    uint32_t uplink;
    enum fault_traffic traffic;
};

static inline struct fault_where fault_everywhere(void)
{
    return (struct fault_where){ FAULT_ANY, FAULT_ANY, FAULT_ANY, FAULT_ANY, FAULT_ALL_TRAFFIC };
}

static inline struct fault_where fault_on_plane(uint32_t plane)
{
    struct fault_where where = fault_everywhere();

    where.plane = plane;
    return where;
}

static inline struct fault_where fault_on_path(uint32_t plane, uint32_t uplink)
{
    struct fault_where where = fault_on_plane(plane);

    where.uplink = uplink;
    return where;
}

static inline struct fault_where fault_from(struct fault_where where, uint32_t host)
{
    where.from = host;
    return where;
}

static inline struct fault_where fault_to(struct fault_where where, uint32_t host)
{
    where.to = host;
    return where;
}

struct fault_rule {
    struct fault_where where;
    /* Of each kind of fault.def. FAULT_DOWN, always: nothing passes, what is under way included.
     * FAULT_LOSS and the kinds after it: of each packet. */
    uint32_t chance[FAULT_TEST_KIND_COUNT];
    uint64_t delay_max_ps; /* a delayed packet waits up to this longer */
};

/* What happens to one packet. */
struct fault_effect {
    bool lost;
    bool corrupted;
    bool marked;
    bool trimmed;
    bool trimmed_last_hop; /* only a filter asks for it */
    uint32_t duplicates;
    uint64_t delay_ps;
};

#define FAULT_COUNT_MAX 64

struct fault_list {
    struct fault_rule faults[FAULT_COUNT_MAX];
    uint32_t count;
    uint64_t active; /* bit i: rule i applies now */
    uint64_t deadly; /* bit i: rule i kills */
    struct prng prng;
};

/* A rule that does not apply yet; returns its number. */
uint32_t fault_list_add(struct fault_list *, const struct fault_rule *);
void fault_list_begin(struct fault_list *, uint32_t rule);
void fault_list_end(struct fault_list *, uint32_t rule);

/* `here`: exactly where a packet is, and its class. */
bool fault_list_is_dead(const struct fault_list *, const struct fault_where *here);
struct fault_effect fault_list_roll(struct fault_list *, const struct fault_where *here);
