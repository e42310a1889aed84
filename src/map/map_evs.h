/* SPDX-License-Identifier: Apache-2.0 */
/* The EVs that senders avoid, as NICs report them: evidence of the data path for a map. A change
 * that is reported twice counts once, and one that is never taken back expires. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "map/map_verdict.h"

struct map;

/* A QP of the NIC `from` avoids an EV towards the NIC `to`. */
struct map_avoided {
    uint32_t from;
    uint32_t to;
    uint32_t qpn;
    uint32_t ev;
    uint64_t time_ms; /* of the last report; the clock is the owner's */
};

struct map_evs_place {
    struct map_avoided avoided;
    bool is_used;
};

struct map_evs {
    struct map_evs_place *places; /* a hash table without holes */
    uint32_t place_count;         /* a power of two */
    uint32_t count;
    uint64_t dropped; /* reports for which there was no room, or which were too many of a NIC */
};

/* Holds three quarters of `place_count`, which is a power of two, and of one NIC a 64th of it. With
 * an arena without memory, only measures. The NICs that callers name below are those of the map,
 * which has one such table at most. */
void map_evs_init(struct map_evs *, struct arena *, uint32_t place_count);

/* The QP begins or ceases to avoid the EV. Tells the map if that is new. */
void map_evs_change(struct map_evs *, struct map *, const struct map_avoided *, bool is_bad);
/* The QP is gone or has failed. */
void map_evs_forget_qp(struct map_evs *, struct map *, uint32_t from, uint32_t qpn);
/* No process has the NIC open. */
void map_evs_forget_nic(struct map_evs *, struct map *, uint32_t from);
/* Forgets what was last reported before this time. */
void map_evs_expire(struct map_evs *, struct map *, uint64_t before_ms);

/* Returns the entry of a place below place_count; NULL: it has none. */
static inline const struct map_avoided *map_evs_at(const struct map_evs *evs, uint32_t place)
{
    return evs->places[place].is_used ? &evs->places[place].avoided : NULL;
}

/* Returns true if the way of the EV crosses the element of the verdict. */
bool map_evs_implicates(const struct map *, const struct map_avoided *, const struct map_verdict *);
