/* SPDX-License-Identifier: Apache-2.0 */
/* The EVs of one QP: the state of each, and for each plane the rotation of those in use. An EV
 * takes 6 bytes, a plane 9, everything else has a fixed size. Times are kept in ticks of a quarter
 * to an eighth of a base RTT. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "path/ev_state.h"
#include "path/path.h"

#define EV_TABLE_PROBE_COUNT_MAX 14 /* bad EVs probed at a time; others wait */

struct ev_table_ev {
    uint8_t state : 3;        /* enum path_ev_state */
    uint8_t is_active : 1;    /* in the rotation of its plane */
    uint8_t in_a_row : 2;     /* packets lost in succession, up to 3 */
    uint8_t is_tainted : 1;   /* usable, but was not before last_return_ns */
    uint8_t was_skip : 1;     /* it was SKIP before it was taken out of use */
    uint8_t damping : 3;      /* times that it lost packets far sooner than its siblings */
    uint8_t round : 2;        /* in which its weight last changed */
    uint8_t is_late : 1;      /* its packets take longer than those of the other EVs of its plane */
    uint8_t more_against : 1; /* it has failed again since the loss that took it out of use */
    uint8_t is_probed : 1;    /* has a probe record */
    uint8_t run;              /* packets delivered since the last loss, up to 255 */
    uint8_t weight; /* SKIP: turns that it takes of 256; with `literal`: end of SKIP, in ticks;
                       with PATH_SKIP_POLICY: for the policy */
};

/* The entries of a plane are the indexes from `first` up to that of the next plane. That part of
 * `order` lists first the EVs in rotation, of which `position` are already used in the current
 * rotation (policies other than the rotation may give it another meaning), then backups, bad and
 * denied ones. */
struct ev_table_plane {
    uint16_t first;
    uint16_t rotation_count;
    uint16_t position;
    uint16_t good_count; /* GOOD EVs in rotation */
};

struct ev_table_probe {
    uint32_t due_ticks; /* time of the next probe, or of the failure of the one in flight */
    uint16_t ev_index : 10;
    uint16_t is_awaited : 1; /* the probe was sent and is not answered yet */
    uint8_t successes;       /* answers in a row */
    uint8_t doublings;       /* of the interval */
};

struct path_set {
    struct prng prng;
    const struct path_profile *profile;
    const struct path_config *config;
    uint16_t usable_planes; /* planes with a rotation */
    uint16_t ev_count;
    uint8_t probe_count : 7;
    uint8_t holds_shares : 1; /* delays do not change shares */
    uint8_t turn;             /* plane at which path_pick() continues */
    uint8_t other_turn;       /* plane at which other picks continue */
    uint8_t tick_shift : 6;   /* a tick is 2^tick_shift ns */
    uint8_t round : 2;        /* number of the round of weights, about a round trip, modulo 4 */
    uint16_t usable_count;    /* in rotation */
    uint16_t bad_count;
    uint16_t suspect_count;
    uint16_t probe_cursor; /* where the search for the next bad EV to probe begins */
    struct path_timing timing;
    uint32_t refusals;
    void *listener;
    uint64_t last_return_ns; /* of any EV from ASSUMED_BAD or DENIED */
    uint64_t probe_deadline_ns;
    struct ev_table_probe probes[EV_TABLE_PROBE_COUNT_MAX];
    uint32_t policy_time; /* for the policy */
    uint16_t order_at;    /* where the lists behind the planes begin, in bytes */
    uint16_t evs_at;
    struct ev_table_plane planes[]; /* as many as the profile has */
};

_Static_assert(sizeof(struct ev_table_ev) + sizeof(uint16_t) == 6, "6 bytes per EV");
_Static_assert(sizeof(struct ev_table_probe) == 8, "8 bytes per probe");
_Static_assert(sizeof(struct path_set) <= PATH_SET_BYTES(0, 0), "PATH_SET_BYTES() is enough");
_Static_assert(PATH_SET_BYTES(8, 0) <= 288, "budget of a QP");

/* The indexes of the EVs, plane by plane: [ev_count]. Like the next two, it takes a constant set
 * as strchr() does a string. */
static inline uint16_t *ev_table_order(const struct path_set *set)
{
    return (uint16_t *)((uintptr_t)set + set->order_at);
}

static inline struct ev_table_ev *ev_table_evs(const struct path_set *set)
{
    return (struct ev_table_ev *)((uintptr_t)set + set->evs_at);
}

/* The ended rotations of each plane, modulo 256. */
static inline uint8_t *ev_table_rotations(const struct path_set *set)
{
    return (uint8_t *)(ev_table_evs(set) + set->ev_count);
}

#define EV_TABLE_LOSSY_DAMPING 3
#define EV_TABLE_MISSES_TURN   UINT8_MAX /* weight of an EV that misses one turn and is GOOD then */

/* True if the EV has repeatedly lost packets far sooner than its siblings. */
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

/* True if EVs have planned shares. */
static inline bool ev_table_is_weighted(const struct path_set *set)
{
    return set->profile->is_weighted && set->config->ev_weights == PATH_WEIGHTS_PLAN &&
           set->config->ev_skip == PATH_SKIP_DELAY;
}

/* True if the planned share of the EV is less than the full weight. Such an EV is never GOOD. */
static inline bool ev_table_is_thin(const struct path_set *set, uint32_t ev_index)
{
    return ev_table_is_weighted(set) && set->profile->entries[ev_index].turns > 0;
}

/* Begins a literal SKIP, or begins it again. It lasts one base RTT, rounded up by one to two
 * ticks. */
static inline void ev_table_begin_skip(
    const struct path_set *set, struct ev_table_ev *ev, uint64_t now_ns)
{
    uint32_t ticks = (set->timing.base_rtt_ns >> set->tick_shift) + 2;

    ev->weight = (uint8_t)(ev_table_ticks(set, now_ns) + ticks);
}

/* Returns the ticks until a literal SKIP ends; 0 or less: it has ended. */
static inline int32_t ev_table_skip_left(
    const struct path_set *set, const struct ev_table_ev *ev, uint64_t now_ns)
{
    return (int8_t)(ev->weight - ev_table_ticks(set, now_ns));
}

/* Returns the index after the last entry of the plane. */
static inline uint32_t ev_table_plane_end(const struct path_set *set, uint32_t plane)
{
    return plane + 1 < set->profile->plane_count ? set->planes[plane + 1].first : set->ev_count;
}

/* Changes the state of the EV as ev_state.c says. Updates rotations, counts and probing, and calls
 * the listener. */
void ev_table_apply(struct path_set *, uint32_t ev_index, enum path_signal, uint64_t now_ns);

/* True if the EV is the last usable one of its plane. */
bool ev_table_is_last_of_plane(const struct path_set *, uint32_t ev_index);

/* True if a suspect EV lost packets in a row but answers probes. Probes do not wait in the data
 * queue, so that queue may overflow. */
bool ev_table_seems_to_overflow(const struct path_set *, uint32_t ev_index);
/* Makes the EV usable again, with half of its former share. */
void ev_table_halve(struct path_set *, uint32_t ev_index, uint64_t now_ns);

/* True if min_active (§14.3) allows the demotion of the EV, which is GOOD or SKIP. */
bool ev_table_may_demote(const struct path_set *, uint32_t ev_index);
