/* SPDX-License-Identifier: Apache-2.0 */
/* The evidence against a link: a score that rises with each lost probe and falls with each probe
 * that arrives, never below 0 (CUSUM). It is the logarithm of a likelihood ratio: a link that loses
 * 1 % against one that loses at most 0.01 %. docs/map.md derives the bounds that follow from it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "map/map_schedule.h"

/* Scores are in units of 2^-16 nat. */
#define MAP_NAT INT32_C(65536)

enum {
    MAP_SCORE_SUSPECT = 6 * MAP_NAT,     /* two lost bounces: others are not blamed meanwhile */
    MAP_SCORE_RAISED = 23 * MAP_NAT / 2, /* counts when a switch is judged */
    MAP_SCORE_BOUNCED = 15 * MAP_NAT,    /* that bounces alone must reach */
    MAP_SCORE_CERTAIN = 46 * MAP_NAT,    /* a verdict */
    MAP_SCORE_MAX = 60 * MAP_NAT,        /* so that a repaired link recovers */
    MAP_SCORE_EV = 2 * MAP_NAT,          /* an EV that the data path found bad */
    MAP_SCORE_EV_MAX = 8 * MAP_NAT,
};

enum map_link_flag {
    MAP_LINK_ACTIVE = 1, /* in the list of links with a score or losses */
    MAP_LINK_NAMED = 2,  /* an open verdict explains it */
    MAP_LINK_SUSPECT = 4,
};

struct map_link {
    int32_t score;
    uint32_t since;   /* period in which the score left 0 */
    uint32_t certain; /* when the evidence first sufficed; 0: not yet */
    uint32_t bounces; /* since then: near, far and deep probes over it */
    uint32_t bounces_lost;
    uint32_t crossings; /* probes over it in one direction, in each of the two */
    uint32_t up_lost;
    uint32_t down_lost;
    uint16_t round_bounces_lost; /* in the round that is open */
    uint16_t round_up_lost;
    uint16_t round_down_lost;
    uint16_t round_periods; /* host link: periods that its NIC reports */
    uint16_t evs_bad;       /* EVs over it that senders avoid */
    uint8_t flags;
};

/* The number of probes over a link in a round. */
struct map_link_samples {
    enum map_probe_kind bounce; /* of which kind bounces are */
    uint32_t bounces;
    uint32_t crossings; /* both directions together */
};

/* Returns the weight of a lost probe, and of one that arrives. */
int32_t map_link_gain(enum map_probe_kind);
int32_t map_link_drain(enum map_probe_kind);

/* Returns the score after the round so far. */
int64_t map_link_outlook(const struct map_link *, const struct map_link_samples *);
/* Adds the round to the evidence. `period`: its first. */
void map_link_close_round(struct map_link *, const struct map_link_samples *, uint64_t period);

/* Returns the score with the evidence of the data path. */
static inline int32_t map_link_weight(const struct map_link *link)
{
    int32_t evs = link->evs_bad * MAP_SCORE_EV;

    return link->score + (evs < MAP_SCORE_EV_MAX ? evs : MAP_SCORE_EV_MAX);
}

/* Returns true if the evidence suffices for a verdict. */
bool map_link_is_certain(const struct map_link *, enum map_probe_kind bounce);

enum map_direction {
    MAP_DIRECTION_UNKNOWN, /* no probe crosses the link in one direction only, or too few did */
    MAP_DIRECTION_UP,
    MAP_DIRECTION_DOWN,
    MAP_DIRECTION_BOTH,
    MAP_DIRECTION_COUNT,
};
/* "unknown", "up", "down", "both"; NULL at the end. */
extern const char *const map_direction_words[MAP_DIRECTION_COUNT + 1];

enum map_direction map_link_direction(const struct map_link *);
/* Returns the loss of the direction, or the mean of both, in millionths. */
uint32_t map_link_loss_ppm(const struct map_link *, enum map_direction);
