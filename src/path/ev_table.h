/* SPDX-License-Identifier: Apache-2.0 */
/* The EVs of one QP: state of each, and per plane the rotation of those in use.
 *
 * An EV takes 5 bytes (7 with skip_backoff), everything else is of fixed size. What does not fit
 * into that is kept as closely as it can be:
 *   - the time of a mark counts eighths to sixteenths of a base RTT in 8 bits: a SKIP that nobody
 *     looked at for more than 16 base RTTs may seem fresh again, and is then passed over once;
 *   - "within 10 s of recovery" is within two to three periods of 5 s;
 *   - the most recent success of a bad EV is the one followed by the fewest losses. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "path/ev_state.h"
#include "path/path.h"

#define EV_TABLE_PROBE_COUNT_MAX 20 /* bad EVs probed at a time; more wait their turn */

struct ev_table_ev {
    uint8_t state : 2;     /* enum path_ev_state */
    uint8_t is_active : 1; /* in its plane's rotation */
    uint8_t
        is_tainted : 1; /* ASSUMED_BAD: through loss. GOOD, SKIP: was worse before last_return_ns */
    uint8_t damping : 2;  /* how often the answers it needs to return were doubled */
    uint8_t returned : 2; /* in which period of 5 s probes brought it back; 0: long ago */
    uint8_t losses;       /* of its last 8 packets, bit 0 the last: 1 lost, 0 not */
    uint8_t mark; /* SKIP: when it was marked last, in ticks. ASSUMED_BAD: EV_TABLE_* below */
};

#define EV_TABLE_WAS_SKIP     1u /* before it was demoted */
#define EV_TABLE_MORE_AGAINST 2u /* more than the loss that demoted it speaks against it */
#define EV_TABLE_PROBED       4u /* has a probe record */

struct ev_table_backoff {   /* with skip_backoff */
    uint8_t marks;          /* in a row */
    uint8_t rotations_left; /* that it shall be passed over */
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
    uint16_t usable_planes; /* those with a rotation */
    uint16_t ev_count;
    uint8_t turn;       /* the plane from which path_pick() goes on */
    uint8_t other_turn; /* likewise everything else */
    uint8_t tick_shift; /* a tick is 2^tick_shift ns */
    uint8_t lapse_ticks;
    bool has_backoff;      /* the memory is there, whatever the config may say later */
    uint16_t usable_count; /* in rotation */
    uint16_t bad_count;
    uint16_t lost_count; /* bad through loss */
    uint16_t probe_count;
    uint16_t probe_cursor; /* where to look for the next bad EV that waits to be probed */
    struct ev_table_plane planes[PATH_PLANE_COUNT_MAX];
    uint32_t probe_first_ticks; /* the first interval of probing, in units of ev_recovery.c */
    struct path_listener listener;
    uint64_t last_return_ns; /* of any EV from ASSUMED_BAD or DENIED */
    uint64_t probe_deadline_ns;
    uint32_t period; /* of 5 s, in which `returned` was last brought up to date */
    uint32_t refusals;
    struct ev_table_probe probes[EV_TABLE_PROBE_COUNT_MAX];
    uint16_t order[]; /* [ev_count], then the EVs, then with skip_backoff their backoffs */
};

_Static_assert(sizeof(struct ev_table_ev) + sizeof(uint16_t) == 5, "5 bytes per EV");
_Static_assert(sizeof(struct ev_table_probe) == 8, "8 bytes per probe");
_Static_assert(sizeof(struct path_set) <= PATH_SET_BYTES(0), "what a QP's budget counts on");
_Static_assert(sizeof(struct path_set) + sizeof(struct path_reverse) <= 420, "the rest of a QP");

static inline struct ev_table_ev *ev_table_evs(struct path_set *set)
{
    return (struct ev_table_ev *)(set->order + set->ev_count);
}

static inline const struct ev_table_ev *ev_table_evs_const(const struct path_set *set)
{
    return (const struct ev_table_ev *)(set->order + set->ev_count);
}

/* Only if `has_backoff`. */
static inline struct ev_table_backoff *ev_table_backoffs(struct path_set *set)
{
    return (struct ev_table_backoff *)(ev_table_evs(set) + set->ev_count);
}

/* That an EV with so many marks in a row is passed over: 1, 2, 4 ... */
static inline uint8_t ev_table_rotations(uint8_t marks)
{
    return (uint8_t)(1u << (marks - 1));
}

static inline uint8_t ev_table_ticks(const struct path_set *set, uint64_t now_ns)
{
    return (uint8_t)(now_ns >> set->tick_shift);
}

/* How long ago an EV was marked, as far as 8 bits tell. */
static inline uint8_t ev_table_mark_age(
    const struct path_set *set, const struct ev_table_ev *ev, uint64_t now_ns)
{
    return (uint8_t)(ev_table_ticks(set, now_ns) - ev->mark);
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

/* Whether min_active (§14.3) lets the EV, GOOD or SKIP, be demoted. */
bool ev_table_may_demote(const struct path_set *, uint32_t ev_index);
