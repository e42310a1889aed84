/* SPDX-License-Identifier: Apache-2.0 */
/* Localisation of bad links and switches by probes: the public header of this folder.
 *
 * An agent sends the probes of its NICs (map_schedule_at()) and, at the end of each round of some
 * periods, reports which of them were lost. A controller passes the reports of a round to one
 * struct map, in any order, and closes the round. Then it reads the verdicts.
 *
 *     map_init(&map, &arena, &config);
 *     for (;;) {
 *         map_report(&map, &report);           one for each port of each NIC that has an agent
 *         map_ev_changed(&map, from, to, ev, is_bad);      as the data path tells
 *         map_close_round(&map);
 *         map_verdict_at(&map, i);             for all i below map_verdict_count()
 *     }
 *
 * Clocks: a probe contains its period, as counted by its sender. The receiver of a one-way probe
 * reports it under this number. Agents begin to count periods when the controller says, so their
 * counts differ by little; an agent reports a round when no probe of it is still under way, as its
 * own clock has it. Nothing else depends on clocks, and one-way probes alone cannot bring about a
 * verdict. */
#pragma once

#include "map/map_evs.h"
#include "map/map_link.h"
#include "map/map_packet.h"
#include "map/map_schedule.h"
#include "map/map_text.h"
#include "map/map_verdict.h"

#define MAP_ROUND_PERIODS_MAX 4096

struct map_config {
    const struct plan *fabric;
    uint32_t round_periods; /* 1 to MAP_ROUND_PERIODS_MAX */
    uint32_t verdict_max;   /* verdicts that are kept */
    uint32_t lost_max;      /* lost loops and one-way probes of a round that are kept */
};

/* What a map has counted since its beginning. */
struct map_counts {
    uint64_t rounds;
    uint64_t reports;
    uint64_t refused; /* reports that name no port, slot or period, or repeat another */
    uint64_t lost;    /* probes */
    uint64_t excused; /* of these: another fault on their way explains them */
    uint64_t dropped; /* of these: beyond lost_max */
    uint64_t unnamed; /* verdicts beyond verdict_max */
};

/* Of a switch, in the round that is open. */
struct map_round_site {
    uint32_t periods;       /* sum over the ports of NICs that were reported */
    uint16_t suspect_hosts; /* links to NICs that are suspect */
    bool is_named;          /* an open verdict names the switch */
};

struct map {
    struct map_config config;
    struct map_schedule schedule;
    struct map_counts counts;
    struct map_link *links; /* by topology_link_number() */
    uint32_t link_count;
    uint32_t nic_links;    /* of these: to NICs */
    struct map_slot *lost; /* of the round */
    uint32_t lost_count;
    uint32_t *active; /* links with MAP_LINK_ACTIVE */
    uint32_t active_count;
    uint32_t suspect_count; /* links between switches that were suspect when the round closed */
    struct map_round_site *sites;
    uint32_t *evs_of_nics; /* by NIC: its entries in map_evs.h */
    uint64_t periods;      /* of all reports of the round */
    uint64_t round;        /* that is open */
    struct map_verdict *verdicts;
    uint32_t verdict_count;
    uint32_t next_verdict; /* number */
};

/* With an arena without memory, only measures. */
void map_init(struct map *, struct arena *, const struct map_config *);

/* A lost probe, by period within the round and slot. A one-way probe is reported by the port that
 * it should have arrived at, under the slot that this port uses to send its own. */
struct map_loss {
    uint16_t period;
    uint8_t slot;
};

/* The probes that a port sent and received in the round that is open. */
struct map_report {
    uint32_t nic;
    uint32_t port;
    uint32_t periods;            /* in which it sent its probes: the first ones of the round */
    const struct map_loss *lost; /* by period, then by slot */
    uint32_t lost_count;
};

/* Returns false, and ignores the report, if it cannot be true. */
bool map_report(struct map *, const struct map_report *);

/* A sender begins or ceases to avoid an EV towards another NIC. Two tiers only. */
void map_ev_changed(struct map *, uint32_t from, uint32_t to, uint32_t ev, bool is_bad);

/* Ends the round and judges. */
void map_close_round(struct map *);

/* Returns the first period of the round that is open. */
static inline uint64_t map_period(const struct map *map)
{
    return map->round * map->config.round_periods;
}

/* Leaves out rounds: the open one becomes this one, which is later, without evidence so far. */
void map_skip_to(struct map *, uint64_t round);

/* Verdicts in the order of their numbers; those that were cleared are replaced when there are too
 * many. */
static inline uint32_t map_verdict_count(const struct map *map)
{
    return map->verdict_count;
}

static inline const struct map_verdict *map_verdict_at(const struct map *map, uint32_t index)
{
    return &map->verdicts[index];
}
