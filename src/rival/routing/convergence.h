/* SPDX-License-Identifier: Apache-2.0 */
/* How routing reacts to links that fail and return: which ports of a switch lead to a destination
 * at a given time, as far as the switch knows. Until a switch knows of a failure, it sends into the
 * dead link.
 *
 * A switch detects that its own link is down, removes the port from its groups and, if it has no
 * other port for some destinations, tells its neighbours, which do the same. A subnet manager does
 * this for all switches instead. Links that return are used after a hold-down.
 *
 * The answer is a function of topology, failures so far and time: nothing happens between calls. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "rival/routing/ecmp.h"

#define CONVERGENCE_NEVER_PS UINT64_MAX

enum convergence_set {
#define CONVERGENCE_SET(ID, name, least, most, silence, repair, repair_spread, notice,             \
    notice_spread, table, hold, late, late_least, late_most, meaning)                              \
    CONVERGENCE_##ID,
#include "rival/routing/convergence_sets.def"
    CONVERGENCE_SET_COUNT,
};
/* "none", "frr", ...; NULL at the end. */
extern const char *const convergence_set_words[CONVERGENCE_SET_COUNT + 1];

/* ---- times ----------------------------------------------------------------------------------- */

/* The random times of one failure at one switch. */
uint64_t convergence_detection_ps(enum convergence_set, struct prng *);
/* Time until a link that is up but carries nothing counts as down; CONVERGENCE_NEVER_PS. */
uint64_t convergence_silence_ps(enum convergence_set);
/* From the detection until the switch has changed its own groups. */
uint64_t convergence_repair_ps(enum convergence_set, struct prng *);
/* From then until a neighbour has changed its groups for `prefix_count` destinations. */
uint64_t convergence_notice_ps(enum convergence_set, uint32_t prefix_count, struct prng *);
uint64_t convergence_hold_down_ps(enum convergence_set);

/* The numbers on which the work of a subnet manager depends. */
struct convergence_size {
    uint32_t switch_count;
    uint32_t lid_count;
    uint64_t port_count; /* of switches and NICs */
};
/* Each plane of a computed fabric is a subnet, with a LID for each port of a NIC and each switch. A
 * graph is one. */
struct convergence_size convergence_size_of(const struct topology *);

/* What a subnet manager does after each change. */
struct convergence_sweep {
    uint64_t discovery_smps;
    uint64_t table_smps; /* of linear forwarding tables */
    uint64_t before_ps;  /* discovery and computing: until the first table is written */
    uint64_t tables_ps;  /* until the last one is written */
};
struct convergence_sweep convergence_sweep_of(const struct convergence_size *);

/* ---- the state of a fabric ------------------------------------------------------------------- */

struct convergence_gap {
    uint64_t from_ps;  /* the port is not used from here on ... */
    uint64_t until_ps; /* ... until here */
};

struct convergence_port {
    struct convergence_gap last;
    struct convergence_gap before; /* neighbours may still heed it */
    uint64_t detected_ps;          /* the end of the detection of the last failure */
    uint32_t down_count;
    uint32_t failures; /* so far */
    uint64_t messages; /* about the last failure */
};

struct convergence {
    enum convergence_set set;
    uint64_t seed;
    const struct ecmp *ecmp;
    struct convergence_port *ports; /* of all switches */
    uint32_t *first_ports;          /* of each switch */
    struct convergence_sweep sweep; /* with a subnet manager */
    bool is_touched;                /* a link has failed */
    uint64_t messages;              /* between switches, or from and to the manager */
};

/* With an arena without memory, only measures. `ecmp` must outlive it; its tables may be filled in
 * later. */
void convergence_init(
    struct convergence *, struct arena *, const struct ecmp *, enum convergence_set, uint64_t seed);

enum convergence_event {
    CONVERGENCE_LINK_DOWN,   /* its ends can see it */
    CONVERGENCE_LINK_SILENT, /* all packets are lost, and its ends cannot see it */
    CONVERGENCE_LINK_UP,     /* one of these has ended */
};
/* Called, in order of time, for the port of a switch that sends into the link. Has no effect on
 * what convergence_uses() returns for times before `at_ps`. */
void convergence_on_link(struct convergence *, uint32_t switch_index, uint32_t port,
    enum convergence_event, uint64_t at_ps);

/* True if the switch uses the port for packets to a switch with NICs. The port must be in the group
 * of the destination. */
bool convergence_uses(const struct convergence *, uint32_t switch_index, uint32_t port,
    uint32_t to_switch, uint64_t now_ps);
