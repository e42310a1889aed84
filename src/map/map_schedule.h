/* SPDX-License-Identifier: Apache-2.0 */
/* The schedule of probes. Each port of a NIC sends the same number of probes in every period; their
 * ways rotate with the number of the period. All NICs together cross every link in every period.
 * The schedule is computed from the plan: prober, receiver and controller need no list.
 *
 * A probe is a packet of the control class that switches return to its sender or, one way, carry
 * to a neighbour at the same switch. The packet contains the sender, its port, the period and the
 * slot. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "plan/plan.h"

enum map_probe_kind {
    MAP_NEAR,    /* NIC, first switch, back */
    MAP_FAR,     /* NIC, first switch, a switch behind it, back the same way */
    MAP_LOOP,    /* NIC, a, j, b, j', a, back: crosses four links, each in one direction */
    MAP_DEEP,    /* NIC, a, j, a switch behind it that only switches are next to, back */
    MAP_ONE_WAY, /* NIC, first switch, another NIC there, which reports the arrival */
    MAP_PROBE_KIND_COUNT,
};
/* "near", ...; NULL at the end. */
extern const char *const map_probe_kind_words[MAP_PROBE_KIND_COUNT + 1];

#define MAP_SLOTS_MAX 64 /* probes of a port in a period */
#define MAP_STEPS_MAX (PLAN_TRAIL_SWITCHES_MAX + 1)

/* What the schedule stores of a switch. */
struct map_site {
    uint16_t host_count; /* ports [0, host_count) have NICs */
    uint16_t first_port; /* the first that leads to a switch */
    uint16_t port_count;
    uint8_t far_count; /* probes of each of its host ports in a period */
    uint8_t loop_count;
    uint8_t deep_count;
    uint8_t one_way_count;
    uint16_t deep_ports; /* of a switch without NICs: those that lead to others without NICs */
    uint32_t deep_rate;  /* of these: probes over each in a period, in units of 1/256 */
    uint32_t first_peer; /* of its ports */
};

/* The other end of a cable. */
struct map_peer {
    uint32_t node;
    uint16_t port;
    bool has_cable;
    bool is_nic;
};

struct map_schedule {
    const struct plan *plan;
    struct map_site *sites; /* by switch */
    uint32_t uncovered;     /* links that no probe with six uSIDs reaches */
    struct map_peer *peers; /* by port: those of NICs, then those of switches; NULL: asked of the
                               topology each time */
    uint32_t nic_ports;     /* per NIC */
};

/* With an arena without memory, only measures. The plan must outlive the schedule. */
void map_schedule_init(struct map_schedule *, struct arena *, const struct plan *);
/* Notes where all cables lead, 8 bytes each, for users that compute the probes of all NICs. */
void map_schedule_wire(struct map_schedule *, struct arena *);

/* A probe: port of a NIC, period, and number among the probes of the port in the period. */
struct map_slot {
    uint32_t nic;
    uint32_t port;
    uint64_t period;
    uint32_t number;
};

struct map_step {
    uint32_t link; /* topology_link_number() */
    bool goes_up;
};

struct map_probe {
    enum map_probe_kind kind;
    uint32_t to_nic; /* where it arrives: at its sender, unless it is one way */
    uint32_t to_port;
    struct plan_trail trail;
};

/* The links that a probe crosses, in order. */
struct map_steps {
    uint32_t count;
    struct map_step at[MAP_STEPS_MAX];
};

/* Returns how many probes a port sends in a period; 0: it has no cable. */
uint32_t map_schedule_count(const struct map_schedule *, uint32_t nic, uint32_t port);
/* Returns the way of a probe. False: none is sent in this slot, because a cable is missing. */
bool map_schedule_at(const struct map_schedule *, const struct map_slot *, struct map_probe *);
struct map_steps map_schedule_steps(
    const struct map_schedule *, const struct map_slot *, const struct map_probe *);
/* Returns the slot of the one-way probe that arrives at a port in a period. False: none does. */
bool map_schedule_incoming(const struct map_schedule *, uint32_t nic, uint32_t port,
    uint64_t period, struct map_slot *from);
