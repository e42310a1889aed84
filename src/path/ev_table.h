/* SPDX-License-Identifier: Apache-2.0 */
/* The EVs of one QP: state of each, and per plane the rotation of those in use. An EV takes 6
 * bytes, everything else is of fixed size; times are kept in ticks, a quarter to an eighth of a
 * base RTT. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "path/ev_state.h"
#include "path/path.h"

#define EV_TABLE_PROBE_COUNT_MAX 14 /* bad EVs probed at a time; more wait their turn */

struct ev_table_ev {
    uint8_t state : 3;        /* enum path_ev_state */
    uint8_t is_active : 1;    /* in its plane's rotation */
    uint8_t in_a_row : 2;     /* packets lost one after the other, up to 3 */
    uint8_t is_tainted : 1;   /* usable: was worse before last_return_ns */
    uint8_t was_skip : 1;     /* before it was taken out */
    uint8_t damping : 3;      /* how often it lost again soon after its return */
    uint8_t round : 2;        /* in which its weight was changed last */
    uint8_t is_late : 1;      /* its packets take longer than those of other EVs of its plane */
    uint8_t more_against : 1; /* more than the loss that took it out speaks against it */
    uint8_t is_probed : 1;    /* has a probe record */
    uint8_t run;              /* packets delivered since the last loss, up to 255 */
    uint8_t weight;           /* SKIP: in how many of 256 rotations; literally: its end, in ticks */
};

/* The plane's entries are the indexes from `first` up to the next plane's. In that part of `order`
 * stand first those in rotation, `position` of them already used in the present one, then backups,
 * bad and denied ones. */
struct ev_table_plane {
    uint16_t first;
    uint16_t rotation_count;
    uint16_t position;
    uint16_t good_count; /* GOOD in rotation */
};

struct ev_table_probe {
    uint32_t due_ticks; /* next probe, or the end of waiting for its answer */
    uint16_t ev_index : 10;
    uint16_t is_awaited : 1; /* sent, not answered yet */
    uint8_t successes;       /* in a row */
    uint8_t doublings;       /* of the interval */
};

struct path_set {
    struct prng prng;
    const struct path_profile *profile;
    const struct path_config *config;
    uint8_t usable_planes; /* those with a rotation */
    uint8_t probe_count;
    uint16_t ev_count;
    uint8_t turn;          /* the plane from which path_pick() goes on */
    uint8_t other_turn;    /* likewise everything else */
    uint8_t tick_shift;    /* a tick is 2^tick_shift ns */
    uint8_t round;         /* of weights: about a round trip */
    uint16_t usable_count; /* in rotation */
    uint16_t bad_count;
    uint16_t suspect_count;
    uint16_t probe_cursor; /* where to look for the next bad EV that waits to be probed */
    struct ev_table_plane planes[PATH_PLANE_COUNT_MAX];
    struct path_timing timing;
    uint32_t refusals;
    struct path_listener listener;
    uint64_t last_return_ns; /* of any EV from ASSUMED_BAD or DENIED */
    uint64_t probe_deadline_ns;
    struct ev_table_probe probes[EV_TABLE_PROBE_COUNT_MAX];
    uint8_t rotations[PATH_PLANE_COUNT_MAX]; /* of each plane that have ended, modulo 256 */
    uint16_t order[];                        /* [ev_count], then the EVs */
};

_Static_assert(sizeof(struct ev_table_ev) + sizeof(uint16_t) == 6, "6 bytes per EV");
_Static_assert(sizeof(struct ev_table_probe) == 8, "8 bytes per probe");
_Static_assert(sizeof(struct path_set) <= PATH_SET_BYTES(0), "what a QP's budget counts on");
_Static_assert(sizeof(struct path_set) + sizeof(struct path_reverse) <= 304, "the rest of a QP");

static inline struct ev_table_ev *ev_table_evs(struct path_set *set)
{
    return (struct ev_table_ev *)(set->order + set->ev_count);
}

static inline const struct ev_table_ev *ev_table_evs_const(const struct path_set *set)
{
    return (const struct ev_table_ev *)(set->order + set->ev_count);
}

#define EV_TABLE_LOSSY_DAMPING 3

/* It has lost packets soon after its return again and again. */
static inline bool ev_table_is_lossy(const struct ev_table_ev *ev)
{
    return ev->damping >= EV_TABLE_LOSSY_DAMPING;
}

static inline uint8_t ev_table_ticks(const struct path_set *set, uint64_t now_ns)
{
    return (uint8_t)(now_ns >> set->tick_shift);
}

static inline bool ev_table_is_literal(const struct path_set *set)
{
    return set->config->ev_skip == PATH_SKIP_LITERAL;
}

/* EVs have turns, of which some take only a part. */
static inline bool ev_table_is_weighted(const struct path_set *set)
{
    return set->profile->is_weighted && set->config->ev_weights == PATH_WEIGHTS_PLAN &&
           !ev_table_is_literal(set);
}

/* The EV does not take each of its turns, unless it proves to be better than planned. Such an EV is
 * never GOOD. */
static inline bool ev_table_is_thin(const struct path_set *set, uint32_t ev_index)
{
    return ev_table_is_weighted(set) && set->profile->entries[ev_index].turns > 0;
}

/* A literal SKIP begins anew: it lasts a base RTT, rounded up by one to two ticks. */
static inline void ev_table_begin_skip(
    const struct path_set *set, struct ev_table_ev *ev, uint64_t now_ns)
{
    uint32_t ticks = (set->timing.base_rtt_ns >> set->tick_shift) + 2;

    ev->weight = (uint8_t)(ev_table_ticks(set, now_ns) + ticks);
}

/* Ticks until a literal SKIP ends; 0 or less: it has. */
static inline int32_t ev_table_skip_left(
    const struct path_set *set, const struct ev_table_ev *ev, uint64_t now_ns)
{
    return (int8_t)(ev->weight - ev_table_ticks(set, now_ns));
}

/* The index after the plane's last entry. */
static inline uint32_t ev_table_plane_end(const struct path_set *set, uint32_t plane)
{
    return plane + 1 < set->profile->plane_count ? set->planes[plane + 1].first : set->ev_count;
}

/* The signal moves the EV as ev_state.c says: sets, counts and probing follow, the listener hears
 * of it. */
void ev_table_apply(struct path_set *, uint32_t ev_index, enum path_signal, uint64_t now_ns);

/* Were the EV to go, its plane would have none. */
bool ev_table_is_last_of_plane(const struct path_set *, uint32_t ev_index);

/* A suspect that lost packets in a row and yet answers probes, which do not wait in the queue of
 * data: that queue may overflow. */
bool ev_table_seems_to_overflow(const struct path_set *, uint32_t ev_index);
/* It is usable again, with half the share that it had. */
void ev_table_halve(struct path_set *, uint32_t ev_index, uint64_t now_ns);

/* Whether min_active (§14.3) lets the EV, GOOD or SKIP, be demoted. */
bool ev_table_may_demote(const struct path_set *, uint32_t ev_index);
