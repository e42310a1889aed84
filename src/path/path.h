/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of one QP: the EVs that it may use, the choice of the EV for the next packet, and the
 * effects of acknowledgements, marks, trims, losses and probes on EVs (docs/protocol.md §14 to
 * §17).
 *
 * A profile lists the EVs toward a destination and is shared. A path_set holds the state of these
 * EVs for one QP. EVs are addressed by their index in the profile. Planes are local ports, from
 * 0. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/prng.h"
#include "path/planes.h"
#include "path/planes_choose.h"
#include "path/template.h"

#define PATH_EV_COUNT_MAX 1024 /* an index fits 10 bits */
#define PATH_NONE         UINT32_MAX

/* ---- profiles ------------------------------------------------------------------------------- */

#define PATH_WEIGHT_USUAL 240 /* divisible by 2, 3, 4, 5, 6 and 8 */

struct path_entry {
    uint32_t ev;
    uint8_t plane;
    bool denied;    /* by the controller */
    uint8_t weight; /* its capacity relative to the other EVs; 0: PATH_WEIGHT_USUAL */
    uint8_t turns;  /* turns that it takes of 256 rotations of its plane; 0: all */
    int16_t extra;  /* its round trip in an empty network less the base RTT of its destination, in
                       PATH_EXTRA_NS */
};
#define PATH_EXTRA_NS 64

/* The entries of a plane are adjacent, and planes ascend. Of the entries of a plane that are not
 * denied, `active_per_plane` start active; the others are backups. The functions below fill in all
 * members. A caller may then set `min_active` or lower `active_per_plane`. */
struct path_profile {
    struct path_entry *entries;
    uint32_t entry_count;
    uint32_t plane_count;
    uint32_t active_per_plane; /* at least 1 */
    uint32_t min_active;       /* ev_min_active; 0: max(1, entry_count / 4) */
    bool is_ordered;  /* the first of each plane start active; otherwise each QP draws at random */
    bool is_weighted; /* not all paths, or not all planes, have the same weight */
    bool is_rough; /* one of several paths of a plane has over two thirds of its capacity; whether
                      other senders use the same path is random and not known to the plan */
    uint16_t plane_weights[PATH_PLANE_COUNT_MAX]; /* if weighted: initial, mean PLANES_EQUAL */
    int16_t plane_extras[PATH_PLANE_COUNT_MAX];   /* if weighted: `extra`, weighted mean */
};

/* Fills in a profile of EVs chosen by the device (AUTO mode, for fabrics with ECMP): 16 random bits
 * each, all different, all active. `entries` has room for plane_count * per_plane_count, at most
 * PATH_EV_COUNT_MAX. */
void path_profile_auto(struct path_profile *, uint32_t plane_count, uint32_t per_plane_count,
    struct path_entry *entries, struct prng *);

/* Fills in a profile from the list of a controller, in any order. Sorts the list by plane; all EVs
 * are active. False if a plane is out of range, or if there are no entries or more than
 * PATH_EV_COUNT_MAX. */
bool path_profile_explicit(
    struct path_profile *, struct path_entry *entries, uint32_t entry_count, uint32_t plane_count);

/* Puts entries into random order. */
void path_entries_shuffle(struct path_entry *, uint32_t count, struct prng *);

/* Sets `turns`, `plane_weights`, `is_weighted` and `is_rough` from the weights of the entries. The
 * share of an EV is relative to the best EV of its plane. The weight of a plane is the sum of its
 * EVs. */
void path_profile_weigh(struct path_profile *);

/* Returns the number of EVs in rotation in a new set. */
uint32_t path_profile_usable_count(const struct path_profile *);

/* Returns the index of an EV value; PATH_NONE if the profile has no such EV. */
uint32_t path_profile_find(const struct path_profile *, uint32_t ev);

/* ---- the paths of one QP -------------------------------------------------------------------- */

enum path_ev_state { /* MRC 1.0 figure 5 */
    EV_GOOD,
    EV_SKIP,
    EV_SUSPECT, /* ours: lost a packet; out of use until a probe is answered */
    EV_ASSUMED_BAD,
    EV_DENIED,
    EV_STATE_COUNT,
};

enum path_loss_to_bad {
    PATH_LOSS_LITERAL,  /* every loss makes the EV bad */
    PATH_LOSS_COMPARED, /* a loss makes it suspect; failed probes, or more losses than others, bad
                         */
};

enum path_ev_skip {
    PATH_SKIP_LITERAL, /* after an ECN mark: for one rotation or base RTT */
    PATH_SKIP_DELAY,   /* while its packets take longer than others of its plane, in proportion */
    PATH_SKIP_POLICY,  /* never: the policy has a memory of its own */
};

enum path_ev_weights {
    PATH_WEIGHTS_EQUAL, /* weights of profiles are ignored */
    PATH_WEIGHTS_PLAN,  /* with PATH_SKIP_DELAY, an EV starts with the share in its profile, and
                           returns to it while its packets take as long as others */
};

/* The cause of an EV change, also in events and traces. */
enum path_signal {
    PATH_MARKED_SKIP_ONCE,
    PATH_MARKED_ALWAYS_SKIP,
    PATH_MARKED_SPARED, /* the same, but min_active forbids the demotion */
    PATH_TRIMMED,
    PATH_DELAYED,     /* its packets took longer than those of its siblings */
    PATH_LOST,        /* an inferred loss that demotes */
    PATH_LOST_SPARED, /* an inferred loss that loss_to_bad or min_active ignores */
    PATH_SUSPECTED,   /* an inferred loss that makes the EV suspect */
    PATH_SILENT,      /* suspect, and probes were not answered */
    PATH_SKIP_ELAPSED,
    PATH_PROBE_ANSWERED,      /* as often as needed, without a mark */
    PATH_PROBE_ANSWERED_SKIP, /* the same; the EV was SKIP before it was suspect */
    PATH_PROBE_MARKED,        /* as often as needed; the last answer had SKIP_ONCE */
    PATH_SPURIOUS,            /* the loss that demoted it was spurious; the EV was GOOD ... */
    PATH_SPURIOUS_SKIP,       /* ... or SKIP before */
    PATH_ADMIN_DENY,
    PATH_ADMIN_ALLOW,
    PATH_REPLACED, /* the entry now has another EV */
    PATH_SIGNAL_COUNT,
};

struct path_set; /* path/ev_table.h; its size is path_set_bytes() */

/* Chooses an EV of a plane that has at least one usable EV: GOOD or SKIP, in the rotation. */
struct path_policy {
    /* Returns the EV of the next first transmission. */
    uint32_t (*pick)(struct path_set *, uint32_t plane, uint64_t now_ns);
    /* Returns the EV of a retransmission or probe: another than `avoid_ev` (PATH_NONE: any) if
     * there is one. */
    uint32_t (*pick_other)(struct path_set *, uint32_t plane, uint32_t avoid_ev, uint64_t now_ns);
    /* If not NULL, the policy remembers by itself what happens to EVs, and ev_skip must be
     * PATH_SKIP_POLICY. Marks and losses then call this and do not change the states of EVs.
     * `signal`: PATH_MARKED_SKIP_ONCE, PATH_MARKED_ALWAYS_SKIP, PATH_TRIMMED, PATH_LOST,
     * PATH_LOST_SPARED. */
    void (*on_trouble)(
        struct path_set *, uint32_t ev_index, enum path_signal signal, uint64_t now_ns);
    /* Called, if not NULL, when a packet on this EV is acknowledged without a mark. */
    void (*on_unmarked)(struct path_set *, uint32_t ev_index);
    bool retires; /* a bad EV is denied, and only the controller allows it again */
};

enum path_policy_kind {
#define PATH_POLICY(ID, name, meaning) PATH_POLICY_##ID,
#include "path/policies.def"
    PATH_POLICY_COUNT,
};

extern const struct path_policy *const path_policies[PATH_POLICY_COUNT];

struct path_change;

struct path_config {
    const struct path_policy *policy; /* one of path_policies */
    /* Called for every change of state, with the listener of the set; NULL: not wanted. */
    void (*on_change)(void *listener, const struct path_change *, uint64_t now_ns);
    enum path_loss_to_bad loss_to_bad : 8;
    enum path_ev_skip ev_skip : 8;
    enum path_ev_weights ev_weights : 8;
    uint8_t probe_successes;     /* answers in a row that restore an EV, at least 1 */
    uint8_t probe_successes_max; /* upper bound for lossy EVs */
    uint32_t flowlet_gap_ns;     /* pause that ends a flowlet; 0: one base RTT */
};

/* Times for one destination. */
struct path_timing {
    uint32_t base_rtt_ns;
    uint32_t probe_timeout_ns; /* after which an unanswered probe has failed */
    uint32_t probe_first_ns;   /* until the first probe of a bad EV; later intervals double ... */
    uint32_t probe_longest_ns; /* ... up to this, with a jitter of 25 % */
    uint32_t lossy_longest_ns; /* longest interval for lossy EVs */
};

/* Return words such as "good", "skip", "suspect", "bad", "denied"; "marked_skip_once". */
const char *path_state_word(enum path_ev_state);
const char *path_signal_word(enum path_signal);

struct path_change {
    uint32_t ev_index;
    enum path_ev_state from;
    enum path_ev_state to;
    enum path_signal cause;
};

#define PATH_SET_BYTES(plane_count, ev_count)                                                      \
    (208 + 9 * (size_t)(plane_count) + 6 * (size_t)(ev_count))
size_t path_set_bytes(const struct path_profile *);
/* Creates a set. It takes its memory from the arena and keeps pointers to profile and config.
 * Returns NULL with an arena that only measures. */
struct path_set *path_set_init(struct arena *, const struct path_profile *,
    const struct path_config *, void *listener, struct prng);

/* Moves the set to other memory of path_set_bytes(), with another listener. */
void path_set_move(struct path_set *to, const struct path_set *from, void *listener);

/* Sets the timers from the base RTT of the destination. The set must not be used before. */
void path_timing_changed(struct path_set *, const struct path_timing *);

/* Returns the EV of the next first transmission: planes of `plane_mask` (usable and with room) in
 * turn, EVs of a plane in random rotation. PATH_NONE: no plane of the mask has a usable EV. */
uint32_t path_pick(struct path_set *, uint32_t plane_mask, uint64_t now_ns);

/* As path_pick(), on this plane, which must have a usable EV. */
uint32_t path_pick_on(struct path_set *, uint32_t plane, uint64_t now_ns);

/* Returns the EV of a retransmission or probe. Avoids `avoid_ev` (PATH_NONE: none) if there is
 * another GOOD EV. Uses `plane` if it is in the mask and not PATH_NONE, otherwise the planes in
 * turn, separately from path_pick(). */
uint32_t path_pick_other(
    struct path_set *, uint32_t plane_mask, uint32_t plane, uint32_t avoid_ev, uint64_t now_ns);

/* Returns an EV when none is usable on any plane of the mask: a SUSPECT EV, otherwise the
 * ASSUMED_BAD one that has lost packets least often, planes in turn (§14.4). PATH_NONE: there is
 * none. */
uint32_t path_pick_desperate(struct path_set *, uint32_t plane_mask);

/* Returns the planes of the mask that have at least one GOOD or SKIP EV in rotation. */
uint32_t path_usable_planes(const struct path_set *, uint32_t plane_mask);

/* Returns the planes of the mask on which the shortest paths of the full planned share begin. Paths
 * that are not in use do not count. One that is longer by at most `tolerance_ns` counts as equally
 * short. */
uint32_t path_near_planes(const struct path_set *, uint32_t plane_mask, uint32_t tolerance_ns);

uint32_t path_ev_count(const struct path_set *); /* of the profile */
uint32_t path_plane_of(const struct path_set *, uint32_t ev_index);
uint32_t path_ev_of(const struct path_set *, uint32_t ev_index);
enum path_ev_state path_state_of(const struct path_set *, uint32_t ev_index);
bool path_is_active(const struct path_set *, uint32_t ev_index); /* in the rotation, not a backup */
uint32_t path_usable_count(const struct path_set *);             /* GOOD and SKIP in rotation */
uint32_t path_bad_count(const struct path_set *);                /* ASSUMED_BAD */
/* True if as many EVs are in rotation as in a new set. None is then probed. */
bool path_is_whole(const struct path_set *);
uint32_t path_refusals(const struct path_set *); /* demotions that min_active did not allow */

/* Called for every acknowledged packet on this EV, so it must be fast. */
void path_on_delivered(struct path_set *, uint32_t ev_index);
/* Applies the mark of a SACK or a TRIMMED NACK: PATH_MARKED_SKIP_ONCE, PATH_MARKED_ALWAYS_SKIP,
 * PATH_TRIMMED. SKIP_ONCE has an effect only with PATH_SKIP_LITERAL. */
void path_on_mark(struct path_set *, uint32_t ev_index, enum path_signal, uint64_t now_ns);
/* Called when a SACK without a mark acknowledges a packet on this EV. */
void path_on_unmarked(struct path_set *, uint32_t ev_index);
/* Called when a packet on this EV took longer than those on other EVs of its plane, by `excess`
 * 256ths; negative: shorter. True if this is the first sample of the EV in this round. */
bool path_on_delay(struct path_set *, uint32_t ev_index, int32_t excess, uint64_t now_ns);
/* Returns the turns that a usable EV takes of 255. */
uint32_t path_turns_of(const struct path_set *, uint32_t ev_index);
/* Tells whether too few packets are sent to learn shares from their delays. From then on EVs with
 * the full planned share have that, and others are used only in their place. Afterwards, all begin
 * with the planned shares. */
void path_hold_shares(struct path_set *, bool holds, uint64_t now_ns);
/* Called when about one round trip is over. path_on_delay() changes the share of an EV once in each
 * round. */
void path_next_round(struct path_set *);
/* Called when a packet sent on the EV at `sent_ns` is declared lost. `congested`: a queue may have
 * overflowed. Losses of packets sent before the EV last returned are ignored. True if this loss
 * took the EV out of use. */
bool path_on_loss(
    struct path_set *, uint32_t ev_index, bool congested, uint64_t sent_ns, uint64_t now_ns);
/* Called when a loss reported to path_on_loss() was spurious. The loss no longer counts. If it
 * demoted the EV, the former state returns, unless the EV has failed again since. While the EV is
 * ASSUMED_BAD, call it only for the loss that demoted the EV. */
void path_on_spurious(struct path_set *, uint32_t ev_index, uint64_t now_ns);
/* As path_on_spurious(), for a loss that did not demote the EV: its packets are late. Until one is
 * on time, its losses count as congestion. Its share shrinks, once in each round. */
void path_on_late(struct path_set *, uint32_t ev_index, uint64_t now_ns);

/* Probes of EVs that are SUSPECT or ASSUMED_BAD (§15). */
uint64_t path_probe_deadline_ns(const struct path_set *); /* UINT64_MAX: none */
/* Returns an EV whose probe is due and marks it as being probed; PATH_NONE: none is left. Turns
 * overdue answers into failures. Only planes of the mask are probed. */
uint32_t path_probe_next(struct path_set *, uint32_t plane_mask, uint64_t now_ns);
/* The probe waits for its port and cannot fail meanwhile; the probe is sent, and the time for its
 * answer begins. */
void path_probe_waits(struct path_set *, uint32_t ev_index, uint64_t now_ns);
void path_probe_left(struct path_set *, uint32_t ev_index, uint64_t now_ns);
void path_on_probe_answered(struct path_set *, uint32_t ev_index, bool marked_skip_once,
    bool marked_always_skip, uint64_t now_ns);
/* Restores a SUSPECT or ASSUMED_BAD EV immediately. Called when it works and no other EV does. */
void path_bring_back(struct path_set *, uint32_t ev_index, uint64_t now_ns);

/* Operations of the controller (§15). Only these change DENIED. path_set_init(), path_replaced()
 * and the functions of the way back read `denied` of a profile entry. */
void path_deny(struct path_set *, uint32_t ev_index, uint64_t now_ns);
void path_allow(struct path_set *, uint32_t ev_index, uint64_t now_ns);
/* Called when a profile entry has got another EV of its plane. Its history is discarded; it starts
 * GOOD or denied. */
void path_replaced(struct path_set *, uint32_t ev_index, uint64_t now_ns);

/* Asserts all invariants, for tests and the simulator. */
void path_check(const struct path_set *);

/* ---- the way back of control packets (§17) ---------------------------------------------------*/

/* The reverse EVs need only a profile, so that a QP that sends no data has them, too. */
struct path_reverse_plane {
    uint16_t ev_index : 10;
    uint16_t failures : 1;   /* failed probes on this EV since the last answer on the plane */
    uint16_t failed_evs : 2; /* EVs that failed and were replaced since then; 3: or more */
    uint16_t is_suspect : 1; /* a probe on another EV of the plane failed since then */
    uint16_t was_probed : 1; /* a probe on this EV was answered; only then are there older ones */
};

#define PATH_REVERSE_OLDER_MAX 24 /* older reverse EVs of all planes */
#define PATH_REVERSE_PLANE_MAX 7  /* ... of a plane */

struct path_reverse {
    struct path_reverse_plane planes[PATH_PLANE_COUNT_MAX];
    uint16_t older[PATH_REVERSE_OLDER_MAX]; /* the EVs before these, plane by plane */
    uint16_t plane_mask;                    /* planes with an EV */
    uint16_t out_mask;                      /* planes removed from the control rotation */
    uint8_t turn;
    uint8_t older_per_plane;
    uint8_t ev_turn;    /* packets in the current turns of the newest and the older EVs */
    uint8_t older_turn; /* which of the older EVs is replaced next */
};

/* Starts with the first EV of each plane that is not denied. */
void path_reverse_init(struct path_reverse *, const struct path_profile *);
/* Called before the first control packet. Replaces the first EVs by random ones, unless the list is
 * ordered or has weights. NICs that share a list would otherwise send all their control packets to
 * one uplink at first. */
void path_reverse_scatter(struct path_reverse *, const struct path_profile *, struct prng *);

/* Returns the plane of the next control packet: `preferred`, where its trigger arrived, if that is
 * in the rotation; otherwise (PATH_NONE) the planes in turn. `plane_mask`: planes up at both ends;
 * a QP that sends data excludes those without a usable EV as long as others remain. If the mask
 * holds only planes outside the rotation, one of these is chosen. PATH_NONE: no plane of the mask
 * has an EV. */
uint32_t path_reverse_choose(struct path_reverse *, uint32_t plane_mask, uint32_t preferred);
uint32_t path_reverse_ev(const struct path_reverse *, uint32_t plane); /* an index: the newest */
/* Returns the newest and the older ones in turns of several packets, for packets that are many: on
 * one path they would take much of a slow link. Where data find the EVs, the newest changes often
 * enough. */
uint32_t path_reverse_next_ev(struct path_reverse *, uint32_t plane);

/* Called when a data packet on this EV is acknowledged without a mark. This counts as an answered
 * probe. */
void path_reverse_on_unmarked(
    struct path_reverse *, const struct path_profile *, uint32_t ev_index);

/* Returns a random EV of this plane of plane_mask other than the reverse EV, if there is one. In
 * every second case it has the full planned share: of many detours, most may be dead. */
uint32_t path_reverse_other(
    const struct path_reverse *, const struct path_profile *, uint32_t plane, struct prng *);
/* Called when this EV is denied or turns bad in the path_set of the QP. If it is a reverse EV,
 * another random one of its plane replaces it. A plane whose EVs are all denied carries no control
 * packets until a probe on it is answered. */
void path_reverse_avoid(
    struct path_reverse *, const struct path_profile *, uint32_t ev_index, struct prng *);

/* True if a plane is out of the rotation, a probe on it has failed since the last answer, or none
 * has been answered yet. */
bool path_reverse_is_in_doubt(const struct path_reverse *);
/* Returns the EV to probe next on planes of the mask: a random one or, half of the time, the
 * reverse EV of a plane in doubt if there is one. PATH_NONE: there is no EV on these planes. */
uint32_t path_reverse_probe_target(
    const struct path_reverse *, const struct path_profile *, uint32_t plane_mask, struct prng *);
void path_reverse_on_probe_answered(
    struct path_reverse *, const struct path_profile *, uint32_t ev_index);
/* `failed_evs_out`: number of EVs failed in a row that removes their plane from the rotation, 1 to
 * 3. */
void path_reverse_on_probe_failed(struct path_reverse *, const struct path_profile *,
    uint32_t ev_index, uint32_t failed_evs_out, struct prng *);
