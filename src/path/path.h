/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of one QP: which entropy values it may use, which one the next packet takes, and what each
 * acknowledgement, mark, trim, loss and probe teaches about them (docs/protocol.md §14 to §17).
 *
 * A profile lists the EVs towards a destination and is shared; a path_set holds one QP's knowledge
 * of them. EVs are addressed by their index in the profile. Planes are local ports, from 0. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/prng.h"
#include "path/template.h"

#define PATH_EV_COUNT_MAX    1024 /* an index fits 10 bits */
#define PATH_PLANE_COUNT_MAX 16
#define PATH_NONE            UINT32_MAX

/* ---- profiles ------------------------------------------------------------------------------- */

struct path_entry {
    uint32_t ev;
    uint8_t plane;
    bool denied; /* by the controller */
};

/* Entries of a plane stand together, planes ascending; of those not denied the first
 * `active_per_plane` of a plane start active, the rest are its backups. The functions below fill in
 * all of it; then a caller may set `min_active` or lower `active_per_plane`. */
struct path_profile {
    struct path_entry *entries;
    uint32_t entry_count;
    uint32_t plane_count;
    uint32_t active_per_plane; /* at least 1 */
    uint32_t min_active;       /* ev_min_active; 0: max(1, entry_count / 4) */
};

/* EVs of a two-tier fabric, `plane << uplink_bits | uplink`: the same number on each plane, uplinks
 * drawn at random without repetition. Fewer than asked for where a plane has fewer uplinks or all
 * of them together exceed PATH_EV_COUNT_MAX. */
struct path_generate {
    uint32_t plane_count;
    uint32_t uplink_count;
    uint8_t uplink_bits;
    uint32_t active_count; /* over all planes, rounded to a multiple of plane_count, at least one
                              each */
    uint32_t backup_count; /* likewise, may be 0 */
};
uint32_t path_profile_generated_count(const struct path_generate *);
void path_profile_generate(
    struct path_profile *, const struct path_generate *, struct path_entry *entries, struct prng *);

/* Device-chosen EVs, 16 random bits each, all different, all active, for fabrics that hash (ECMP):
 * AUTO mode. `entries` has room for plane_count * per_plane_count, at most PATH_EV_COUNT_MAX. */
void path_profile_auto(struct path_profile *, uint32_t plane_count, uint32_t per_plane_count,
    struct path_entry *entries, struct prng *);

/* A controller's list, in any order: sorts it by plane, all active. False if a plane is out of
 * range or there are no entries or more than PATH_EV_COUNT_MAX. */
bool path_profile_explicit(
    struct path_profile *, struct path_entry *entries, uint32_t entry_count, uint32_t plane_count);

/* The index of an EV value; PATH_NONE when the profile has no such EV. */
uint32_t path_profile_find(const struct path_profile *, uint32_t ev);

/* ---- one QP's paths ------------------------------------------------------------------------- */

enum path_ev_state { /* MRC 1.0 figure 5 */
    EV_GOOD,
    EV_SKIP,
    EV_ASSUMED_BAD,
    EV_DENIED,
    EV_STATE_COUNT,
};

enum path_loss_to_bad {
    PATH_LOSS_LITERAL,
    PATH_LOSS_3OF8,
    PATH_LOSS_ADAPTIVE,
};

enum path_policy { /* others join here: one row in the table of policy.c */
    PATH_POLICY_MRC,
    PATH_POLICY_COUNT,
};

struct path_config {
    enum path_policy policy;
    enum path_loss_to_bad loss_to_bad;
    bool spares_last_ev;          /* adaptive: a plane's last EV takes three losses in a row */
    bool skip_backoff;            /* what it is at path_set_init() holds for that set */
    bool skip_trial;              /* then an EV marked twice is tried with single packets */
    uint32_t base_rtt_ns;         /* until path_base_rtt_changed() */
    uint64_t probe_first_ns;      /* first probe of a bad EV, at the soonest; then doubling ... */
    uint64_t probe_longest_ns;    /* ... up to this, at most 1,000 s, each +-25 % */
    uint64_t probe_timeout_ns;    /* an unanswered probe has failed */
    uint32_t probe_successes;     /* in a row, for an EV to return: 1 to 255 */
    uint32_t probe_successes_max; /* flap damping doubles up to this, or to 8 times the former */
};

/* Why an EV changed: also the cause in events and traces. */
enum path_signal {
    PATH_MARKED_SKIP_ONCE,
    PATH_MARKED_ALWAYS_SKIP,
    PATH_MARKED_SPARED, /* the same, but min_active says that it shall not demote */
    PATH_TRIMMED,
    PATH_LOST,        /* an inferred loss that shall demote */
    PATH_LOST_SPARED, /* one that shall not: loss_to_bad or min_active says so */
    PATH_SKIP_ELAPSED,
    PATH_PROBE_ANSWERED, /* often enough, unmarked */
    PATH_PROBE_MARKED,   /* often enough, the last answer carried SKIP_ONCE */
    PATH_SPURIOUS,       /* the loss that demoted it had not happened; it was GOOD ... */
    PATH_SPURIOUS_SKIP,  /* ... or SKIP before */
    PATH_ADMIN_DENY,
    PATH_ADMIN_ALLOW,
    PATH_REPLACED, /* the entry has got another EV */
    PATH_TOLD_BAD, /* another QP to the same destination says so (ev_state_scope) ... */
    PATH_TOLD_GOOD,
    PATH_SIGNAL_COUNT,
};

/* "good", "skip", "bad", "denied"; "marked_skip_once" and so on. */
const char *path_state_word(enum path_ev_state);
const char *path_signal_word(enum path_signal);

struct path_change {
    uint32_t ev_index;
    enum path_ev_state from;
    enum path_ev_state to;
    enum path_signal cause;
};

struct path_listener { /* told of every change of state; NULL function: nobody */
    void (*on_change)(void *context, const struct path_change *, uint64_t now_ns);
    void *context;
};

struct path_set; /* path/ev_table.h; its size is path_set_bytes() */

/* Without skip_backoff: at most PATH_SET_BYTES(), known at compile time. */
#define PATH_SET_BYTES(ev_count) (380 + 5 * (size_t)(ev_count))
size_t path_set_bytes(uint32_t ev_count, bool skip_backoff);
/* The set takes its memory from the arena and keeps pointers to profile and config. NULL from an
 * arena that only measures. */
struct path_set *path_set_init(struct arena *, const struct path_profile *,
    const struct path_config *, struct path_listener, struct prng);

/* This QP's base RTT is known better than the config's. */
void path_base_rtt_changed(struct path_set *, uint32_t base_rtt_ns);

/* This QP's timeout T: a bad EV is not probed before it, if that is longer than probe_first_ns. */
void path_timeout_changed(struct path_set *, uint64_t timeout_ns);

/* The EV of the next first transmission: planes of `plane_mask` (usable and with room) in turn, EVs
 * of a plane in random rotation. PATH_NONE: no plane of the mask has a usable EV. Planes stay
 * equal: only this call advances the turn. */
uint32_t path_pick(struct path_set *, uint32_t plane_mask, uint64_t now_ns);

/* For retransmissions and probes: never `avoid_ev` (PATH_NONE: any will do) if there is another
 * GOOD EV; on `plane` if that is in the mask and not PATH_NONE, else on the planes in a turn of
 * their own. */
uint32_t path_pick_other(
    struct path_set *, uint32_t plane_mask, uint32_t plane, uint32_t avoid_ev, uint64_t now_ns);

/* Nothing is usable on any plane of the mask: the ASSUMED_BAD EV with the most recent success,
 * planes in turn (§14.4). PATH_NONE when there is not even one. */
uint32_t path_pick_desperate(struct path_set *, uint32_t plane_mask);

/* Planes of the mask that have at least one GOOD or SKIP EV in rotation. */
uint32_t path_usable_planes(const struct path_set *, uint32_t plane_mask);

uint32_t path_ev_count(const struct path_set *); /* of the profile */
uint32_t path_plane_of(const struct path_set *, uint32_t ev_index);
uint32_t path_ev_of(const struct path_set *, uint32_t ev_index);
enum path_ev_state path_state_of(const struct path_set *, uint32_t ev_index);
bool path_is_active(const struct path_set *, uint32_t ev_index); /* in the rotation, not a backup */
uint32_t path_usable_count(const struct path_set *);             /* GOOD and SKIP in rotation */
uint32_t path_bad_count(const struct path_set *);                /* ASSUMED_BAD */
uint32_t path_refusals(const struct path_set *); /* demotions that min_active did not allow */

/* A packet on this EV was acknowledged. Called for every acknowledged packet: cheap. */
void path_on_delivered(struct path_set *, uint32_t ev_index);
/* Feedback of a SACK (its mark) or a TRIMMED NACK: PATH_MARKED_SKIP_ONCE, PATH_MARKED_ALWAYS_SKIP,
 * PATH_TRIMMED. */
void path_on_mark(struct path_set *, uint32_t ev_index, enum path_signal, uint64_t now_ns);
/* A SACK without a mark for this EV: resets skip_backoff. */
void path_on_unmarked(struct path_set *, uint32_t ev_index);
/* A packet sent on it at `sent_ns` was inferred lost. Losses of packets sent before the last
 * demotion of the EV change nothing more. True if this loss demoted it. */
bool path_on_loss(struct path_set *, uint32_t ev_index, uint64_t sent_ns, uint64_t now_ns);
/* The same for a packet that timed out while other EVs of its plane made progress: under
 * PATH_LOSS_3OF8 that demotes, too (§24). */
bool path_on_timeout(struct path_set *, uint32_t ev_index, uint64_t sent_ns, uint64_t now_ns);
/* A loss that path_on_loss() was told of had not happened: it no longer counts, and if it demoted
 * the EV, that goes back to where it was unless something else has spoken against it since. While
 * the EV is ASSUMED_BAD, to be called for the loss that demoted it only. */
void path_on_spurious(struct path_set *, uint32_t ev_index, uint64_t now_ns);

/* Probing of ASSUMED_BAD EVs (§15). */
uint64_t path_probe_deadline_ns(const struct path_set *); /* UINT64_MAX: none */
/* An EV whose probe is due, now being probed; PATH_NONE: none (left). Also turns overdue answers
 * into failures. Only planes of the mask are probed. */
uint32_t path_probe_next(struct path_set *, uint32_t plane_mask, uint64_t now_ns);
void path_on_probe_answered(struct path_set *, uint32_t ev_index, bool marked_skip_once,
    bool marked_always_skip, uint64_t now_ns);
/* An ASSUMED_BAD EV works while nothing else does: it returns at once. */
void path_bring_back(struct path_set *, uint32_t ev_index, uint64_t now_ns);

/* The controller (§15): DENIED only ever changes here. What a profile's entry says about it is read
 * by path_set_init(), path_replaced() and the functions on the way back. */
void path_deny(struct path_set *, uint32_t ev_index, uint64_t now_ns);
void path_allow(struct path_set *, uint32_t ev_index, uint64_t now_ns);
/* The profile's entry got another EV of its plane: the old history is void, it starts GOOD or
 * denied. */
void path_replaced(struct path_set *, uint32_t ev_index, uint64_t now_ns);

/* What another set to the same destination has found out: an EV (its index in this set) has turned
 * bad or been denied, or come back. min_active holds here as well; SKIP is nobody else's business.
 */
void path_learn(struct path_set *, const struct path_change *, uint64_t now_ns);

/* Invariants in full, for tests and the simulator: aborts by assert. */
void path_check(const struct path_set *);

/* ---- the way back of control packets (§17) ---------------------------------------------------*/

/* Needs a profile only, so that a QP that sends no data has it as well. */
struct path_reverse_plane {
    uint16_t ev_index : 10;
    uint16_t failures : 1;   /* of probes on this EV, since the last answer on the plane */
    uint16_t failed_evs : 2; /* replaced after two failures each, since then; 3: three or more */
    uint16_t is_suspect : 1; /* a probe on another EV of the plane failed since then */
};

struct path_reverse {
    struct path_reverse_plane planes[PATH_PLANE_COUNT_MAX];
    uint16_t plane_mask; /* planes that have an EV */
    uint16_t out_mask;   /* those that left the control rotation */
    uint8_t turn;
};

/* The first EV of each plane that is not denied. */
void path_reverse_init(struct path_reverse *, const struct path_profile *);

/* The plane of the next control packet: `preferred`, where its cause arrived, if that is in the
 * rotation; else (PATH_NONE) the planes in turn. `plane_mask`: up on both ends; a QP that sends
 * data leaves out those without a usable EV as long as others remain. A mask that holds only planes
 * outside the rotation is served all the same. PATH_NONE: the mask holds no plane with an EV. */
uint32_t path_reverse_choose(struct path_reverse *, uint32_t plane_mask, uint32_t preferred);
uint32_t path_reverse_ev(const struct path_reverse *, uint32_t plane); /* an index */

/* A data packet on this EV was acknowledged without a mark: as good as an answered probe. */
void path_reverse_on_unmarked(
    struct path_reverse *, const struct path_profile *, uint32_t ev_index);

/* This EV has been denied, or turned bad in the QP's path_set: if it is a reverse EV, another
 * random one of its plane takes its place. A plane whose EVs are all denied gets no control packets
 * until a probe on it is answered. */
void path_reverse_avoid(
    struct path_reverse *, const struct path_profile *, uint32_t ev_index, struct prng *);

/* The EV to probe next, on planes of the mask: any at random, half of the time the reverse EV of a
 * plane in doubt if there is one. PATH_NONE: no EV on these planes. */
uint32_t path_reverse_probe_target(
    const struct path_reverse *, const struct path_profile *, uint32_t plane_mask, struct prng *);
void path_reverse_on_probe_answered(
    struct path_reverse *, const struct path_profile *, uint32_t ev_index);
/* `failed_evs_out`: EVs failed in a row that put their plane out of the rotation, 1 to 3. */
void path_reverse_on_probe_failed(struct path_reverse *, const struct path_profile *,
    uint32_t ev_index, uint32_t failed_evs_out, struct prng *);
