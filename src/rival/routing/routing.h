/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the equal-cost ports a packet takes at a switch that routes by destination: by a hash,
 * by a hash that changes with pauses of the flow (flowlets), or the one with the shortest queue;
 * and only ports that the switch still uses after failures (convergence.h). For any protocol whose
 * packets have a struct ecmp_label. */
#pragma once

#include "base/bits.h"
#include "rival/routing/convergence.h"
#include "rival/routing/ecmp.h"

enum routing_kind {
    ROUTING_ECMP,
    ROUTING_FLOWLET,
    ROUTING_ADAPTIVE,
    ROUTING_KIND_COUNT,
};
/* "ecmp", ...; NULL at the end. */
extern const char *const routing_words[ROUTING_KIND_COUNT + 1];

#define ROUTING_FLOWLET_GAP_PS UINT64_C(50000000)

struct routing_config {
    enum routing_kind kind;
    uint64_t flowlet_gap_ps; /* ROUTING_FLOWLET: a longer pause begins a flowlet */
    enum convergence_set convergence;
    struct ecmp_config ecmp;
};

/* The last packet of the flows that share an entry. */
struct routing_flowlet {
    uint64_t last_ps;
    uint32_t port;
};

struct routing {
    enum routing_kind kind;
    uint64_t flowlet_gap_ps;
    struct ecmp ecmp;
    struct convergence convergence;
    struct routing_flowlet *flowlets; /* ROUTING_FLOWLET: a table for each switch */
};

/* With an arena without memory, only measures. The topology must outlive it. */
void routing_init(
    struct routing *, struct arena *, const struct topology *, const struct routing_config *);

#define ROUTING_WORDS_MAX BITS_WORDS(TOPOLOGY_RADIX_MAX)

/* Returns the ports that a switch uses for packets to switch `to`, as bits; in `room` if links have
 * failed. NULL: the switches are on different planes. */
const uint64_t *routing_group(const struct routing *, uint32_t switch_index, uint32_t to,
    uint64_t now_ps, uint64_t room[static ROUTING_WORDS_MAX]);

/* The queues of a switch, for ROUTING_ADAPTIVE. */
struct routing_queues {
    uint64_t (*bytes)(const void *context, uint32_t port);
    const void *context;
};

/* Returns the port by which a packet leaves a switch; ECMP_NO_PORT: the switch knows none. Calls
 * for one switch come in order of time; those for several switches may run at the same time. */
uint32_t routing_forward(struct routing *, uint32_t switch_index, const struct ecmp_label *,
    const struct routing_queues *, uint64_t now_ps);
