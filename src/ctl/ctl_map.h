/* SPDX-License-Identifier: Apache-2.0 */
/* The map of a controller: gathers what agents report of each round of probes and what NICs report
 * of EVs, and keeps verdicts. Rounds are counted on the controller's clock. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "control/control.h"
#include "ctl/ctl_denylist.h"
#include "ctl/ctl_store.h"

#define CTL_MAP_ROUNDS   16  /* whose reports are kept until they are judged */
#define CTL_MAP_VERDICTS 256 /* open at a time */

struct ctl_map_config {
    uint32_t period_ms; /* 0: no map */
    uint32_t round_periods;
    const char *fabric_text; /* for agents of other machines; NULL: they get none */
};

/* A verdict as the store has it. */
struct ctl_map_verdict {
    char element[TOPOLOGY_NAME_BYTES];
    uint32_t number; /* of the map; 0: of an earlier process */
    uint32_t quiet;  /* rounds in which the map does not confirm one of an earlier process */
    uint64_t put_ms; /* when it was stored */
    char text[MAP_TEXT_BYTES];
    json_t *evidence;
};

struct ctl_map {
    struct ctl_map_config config;
    const struct plan *plan;
    struct ctl_store *store; /* lent */
    int64_t fabric_id;
    void *memory;
    struct map map;
    struct map_evs evs;
    json_t *pending[CTL_MAP_ROUNDS]; /* reports, by round */
    uint64_t *reported;              /* by NIC: the last round, plus 1 */
    struct map_loss *losses;
    uint32_t nics;          /* that have reported the open round */
    uint32_t nics_last;     /* the one before, when it was judged */
    uint32_t nics_expected; /* the same, with those that were late */
    uint32_t nics_usual;    /* the most so far, fading */
    uint64_t late;          /* reports of rounds that were judged already */
    bool is_begun;
    struct ctl_map_verdict verdicts[CTL_MAP_VERDICTS];
    uint32_t verdict_count;
};

/* Returns 0 or a negative errno. Loads the open verdicts of an earlier process. */
int ctl_map_init(
    struct ctl_map *, const struct plan *, struct ctl_store *, const struct ctl_map_config *);
void ctl_map_fini(struct ctl_map *);

/* What an agent says of a round of one of its NICs. Returns false if that cannot be true. */
bool ctl_map_take_nic(
    struct ctl_map *, uint64_t round, uint32_t nic, const json_t *report, uint64_t now_ms);
/* An event of a NIC. */
void ctl_map_take_event(struct ctl_map *, const json_t *event, uint32_t nic, uint64_t now_ms);
/* Whether a process has the NIC open. */
void ctl_map_note_owner(struct ctl_map *, uint32_t nic, bool has_owner);
/* Returns the member `map` of an answer (ctl_prober.h); NULL: there is no map. */
json_t *ctl_map_answer(const struct ctl_map *, int64_t fabric_id, uint64_t now_ms);

/* Judges a round that is complete or overdue. Returns true if it did. `denylist`: for the number
 * of EVs that are denied. */
bool ctl_map_turn(struct ctl_map *, const struct ctl_denylist *, uint64_t now_ms);
/* Returns true if most NICs reported the last round. */
bool ctl_map_is_covered(const struct ctl_map *);

json_t *ctl_map_describe(const struct ctl_map *);
