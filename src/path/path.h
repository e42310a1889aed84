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
#include "path/planes.h"
#include "path/template.h"

#define PATH_EV_COUNT_MAX 1024 /* an index fits 10 bits */
#define PATH_NONE         UINT32_MAX

/* ---- profiles ------------------------------------------------------------------------------- */

#define PATH_WEIGHT_USUAL 240 /* divides by 2, 3, 4, 5, 6 and 8 */

struct path_entry {
    uint32_t ev;
    uint8_t plane;
    bool denied;    /* by the controller */
    uint8_t weight; /* how much it carries, compared with the others; 0: PATH_WEIGHT_USUAL */
    uint8_t turns;  /* how many it takes of 256 rotations of its plane; 0: each */
    int16_t extra;  /* by how much, empty, it takes longer than the base RTT of its destination, in
                       PATH_EXTRA_NS */
};
#define PATH_EXTRA_NS 64

/* Entries of a plane stand together, planes ascending; of those not denied `active_per_plane` of a
 * plane start active, the rest are its backups. The functions below fill in all of it; then
 * a caller may set `min_active` or lower `active_per_plane`. */
struct path_profile {
    struct path_entry *entries;
    uint32_t entry_count;
    uint32_t plane_count;
    uint32_t active_per_plane; /* at least 1 */
    uint32_t min_active;       /* ev_min_active; 0: max(1, entry_count / 4) */
    bool is_ordered;           /* the first of a plane start active; else each QP draws its own */
    bool is_weighted;          /* not all paths, or not all planes, are equal */
    bool is_rough; /* one of several paths of a plane has most of it, over two thirds: whether
                      others take the same one is chance, and no plan knows */
    uint16_t plane_weights[PATH_PLANE_COUNT_MAX]; /* then: to begin with, of mean PLANES_EQUAL */
    int16_t plane_extras[PATH_PLANE_COUNT_MAX];   /* then: `extra`, the mean by weights */
};

/* Device-chosen EVs, 16 random bits each, all different, all active, for fabrics that hash (ECMP):
 * AUTO mode. `entries` has room for plane_count * per_plane_count, at most PATH_EV_COUNT_MAX. */
void path_profile_auto(struct path_profile *, uint32_t plane_count, uint32_t per_plane_count,
    struct path_entry *entries, struct prng *);

/* A controller's list, in any order: sorts it by plane, all active. False if a plane is out of
 * range or there are no entries or more than PATH_EV_COUNT_MAX. */
bool path_profile_explicit(
    struct path_profile *, struct path_entry *entries, uint32_t entry_count, uint32_t plane_count);

/* Puts entries into random order. */
void path_entries_shuffle(struct path_entry *, uint32_t count, struct prng *);

/* Sets `turns`, `plane_weights`, `is_weighted` and `is_rough` by the weights of the entries. An EV
 * gets its part of what the best of its plane gets, a plane what its EVs get together. */
void path_profile_weigh(struct path_profile *);

/* The index of an EV value; PATH_NONE when the profile has no such EV. */
uint32_t path_profile_find(const struct path_profile *, uint32_t ev);

/* ---- one QP's paths ------------------------------------------------------------------------- */

enum path_ev_state { /* MRC 1.0 figure 5 */
    EV_GOOD,
    EV_SKIP,
    EV_SUSPECT, /* ours: a packet on it was lost; out of use until a probe is answered */
    EV_ASSUMED_BAD,
    EV_DENIED,
    EV_STATE_COUNT,
};

enum path_loss_to_bad {
    PATH_LOSS_LITERAL,  /* every loss makes its EV bad */
    PATH_LOSS_COMPARED, /* a loss makes it suspect; silence, or more losses than others have, bad */
};

enum path_ev_skip {
    PATH_SKIP_LITERAL, /* a mark: for a rotation or a base RTT */
    PATH_SKIP_DELAY,   /* a packet that took longer than others of its plane: for as much longer */
};

enum path_ev_weights {
    PATH_WEIGHTS_EQUAL, /* weights of profiles do not count */
    PATH_WEIGHTS_PLAN,  /* with PATH_SKIP_DELAY, an EV begins with the share that its profile says,
                         * and goes back to it while its packets take as long as others */
};

struct path_config {
    enum path_loss_to_bad loss_to_bad;
    enum path_ev_skip ev_skip;
    enum path_ev_weights ev_weights;
    uint8_t probe_successes;     /* in a row, for an EV to return: at least 1 */
    uint8_t probe_successes_max; /* for EVs that lose again and again */
};

/* Times towards one destination. */
struct path_timing {
    uint32_t base_rtt_ns;
    uint32_t probe_timeout_ns; /* an unanswered probe has failed */
    uint32_t probe_first_ns;   /* first probe of a bad EV; then at intervals that double ... */
    uint32_t probe_longest_ns; /* ... up to this, each +-25 % */
    uint32_t lossy_longest_ns; /* the same for EVs that are bad because they lose packets */
};

/* Why an EV changed: also the cause in events and traces. */
enum path_signal {
    PATH_MARKED_SKIP_ONCE,
    PATH_MARKED_ALWAYS_SKIP,
    PATH_MARKED_SPARED, /* the same, but min_active says that it shall not demote */
    PATH_TRIMMED,
    PATH_DELAYED,     /* took longer than its siblings */
    PATH_LOST,        /* an inferred loss that shall demote */
    PATH_LOST_SPARED, /* one that shall not: loss_to_bad or min_active says so */
    PATH_SUSPECTED,   /* one that makes suspect */
    PATH_SILENT,      /* suspect, and probes are not answered */
    PATH_SKIP_ELAPSED,
    PATH_PROBE_ANSWERED, /* often enough, unmarked */
    PATH_PROBE_MARKED,   /* often enough, the last answer carried SKIP_ONCE */
    PATH_SPURIOUS,       /* the loss that demoted it had not happened; it was GOOD ... */
    PATH_SPURIOUS_SKIP,  /* ... or SKIP before */
    PATH_ADMIN_DENY,
    PATH_ADMIN_ALLOW,
    PATH_REPLACED, /* the entry has got another EV */
    PATH_SIGNAL_COUNT,
};

/* "good", "skip", "suspect", "bad", "denied"; "marked_skip_once" and so on. */
const char *path_state_word(enum path_ev_state);
const char *path_signal_word(enum path_signal);

struct path_change {
    uint32_t ev_index;
    enum path_ev_state from;
    enum path_ev_state to;
    enum path_signal cause;
};

struct path_listener { /* told of every change of state; a NULL function is not called */
    void (*on_change)(void *context, const struct path_change *, uint64_t now_ns);
    void *context;
};

struct path_set; /* path/ev_table.h; its size is path_set_bytes() */

#define PATH_SET_BYTES(ev_count) (280 + 6 * (size_t)(ev_count))
size_t path_set_bytes(uint32_t ev_count);
/* The set takes its memory from the arena and keeps pointers to profile and config. NULL from an
 * arena that only measures. */
struct path_set *path_set_init(struct arena *, const struct path_profile *,
    const struct path_config *, struct path_listener, struct prng);

/* To other memory of path_set_bytes(), for another context of its listener. */
void path_set_move(struct path_set *to, const struct path_set *from, void *context);

/* What the destination's base RTT makes of the timers. Until then the set must not be used. */
void path_timing_changed(struct path_set *, const struct path_timing *);

/* The EV of the next first transmission: planes of `plane_mask` (usable and with room) in turn, EVs
 * of a plane in random rotation. PATH_NONE: no plane of the mask has a usable EV. */
uint32_t path_pick(struct path_set *, uint32_t plane_mask, uint64_t now_ns);

/* The same on this plane, which must have a usable EV. */
uint32_t path_pick_on(struct path_set *, uint32_t plane, uint64_t now_ns);

/* For retransmissions and probes: never `avoid_ev` (PATH_NONE: any will do) if there is another
 * GOOD EV; on `plane` if that is in the mask and not PATH_NONE, else on the planes in a turn of
 * their own. */
uint32_t path_pick_other(
    struct path_set *, uint32_t plane_mask, uint32_t plane, uint32_t avoid_ev, uint64_t now_ns);

/* Nothing is usable on any plane of the mask: a SUSPECT EV, else the ASSUMED_BAD one that has lost
 * least often, planes in turn (§14.4). PATH_NONE when there is not even one. */
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
 * PATH_TRIMMED. Marks that say SKIP_ONCE count with PATH_SKIP_LITERAL only. */
void path_on_mark(struct path_set *, uint32_t ev_index, enum path_signal, uint64_t now_ns);
/* A packet on this EV took longer than those of other EVs of its plane do, by `excess` 256ths;
 * negative: shorter. True if this is the first to tell in this round. */
bool path_on_delay(struct path_set *, uint32_t ev_index, int32_t excess, uint64_t now_ns);
/* About a round trip is over: path_on_delay() changes the share of an EV once in each. */
void path_next_round(struct path_set *);
/* A packet sent on it at `sent_ns` was inferred lost; `congested`: a queue may have overflowed.
 * Losses of packets sent before the EV last returned change nothing. True if this one took the EV
 * out of use. */
bool path_on_loss(
    struct path_set *, uint32_t ev_index, bool congested, uint64_t sent_ns, uint64_t now_ns);
/* A loss that path_on_loss() was told of had not happened: it no longer counts, and if it demoted
 * the EV, that goes back to where it was unless something else has spoken against it since. While
 * the EV is ASSUMED_BAD, to be called for the loss that demoted it only. */
void path_on_spurious(struct path_set *, uint32_t ev_index, uint64_t now_ns);
/* The same of a loss that did not demote it: its packets are late. Until one is not, its losses
 * count as if a queue had overflowed. */
void path_on_late(struct path_set *, uint32_t ev_index);

/* Probing of EVs that are SUSPECT or ASSUMED_BAD (§15). */
uint64_t path_probe_deadline_ns(const struct path_set *); /* UINT64_MAX: none */
/* An EV whose probe is due, now being probed; PATH_NONE: none (left). Also turns overdue answers
 * into failures. Only planes of the mask are probed. */
uint32_t path_probe_next(struct path_set *, uint32_t plane_mask, uint64_t now_ns);
/* The probe has to wait for its port, and does not fail meanwhile; or it leaves after all, and the
 * time for its answer begins. */
void path_probe_waits(struct path_set *, uint32_t ev_index, uint64_t now_ns);
void path_probe_left(struct path_set *, uint32_t ev_index, uint64_t now_ns);
void path_on_probe_answered(struct path_set *, uint32_t ev_index, bool marked_skip_once,
    bool marked_always_skip, uint64_t now_ns);
/* A SUSPECT or ASSUMED_BAD EV works while nothing else does: it returns at once. */
void path_bring_back(struct path_set *, uint32_t ev_index, uint64_t now_ns);

/* The controller (§15): DENIED only ever changes here. What a profile's entry says about it is read
 * by path_set_init(), path_replaced() and the functions on the way back. */
void path_deny(struct path_set *, uint32_t ev_index, uint64_t now_ns);
void path_allow(struct path_set *, uint32_t ev_index, uint64_t now_ns);
/* The profile's entry got another EV of its plane: the old history is void, it starts GOOD or
 * denied. */
void path_replaced(struct path_set *, uint32_t ev_index, uint64_t now_ns);

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
