/* SPDX-License-Identifier: Apache-2.0 */
/* The way back to a peer: the EVs on which answers to it are sent, and the probes that keep them
 * fresh (docs/protocol.md §17). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "path/path.h"

struct transport;
struct peer;

enum {
    WAY_BACK_PROBES = 2,
    WAY_BACK_ANSWERS = 8, /* for which a probe is worth its bytes */
    WAY_BACK_NO_EV = UINT16_MAX,
};

#define WAY_BACK_NO_WITNESS      UINT32_MAX
#define WAY_BACK_WITNESS_UNKNOWN (UINT32_MAX - 1)

/* An EV probe of the way back in flight. */
struct way_back_probe {
    uint32_t deadline_ticks; /* time at which it has failed, in units of 1.024 us */
    uint16_t request;        /* id of the Endpoint Request */
    uint16_t ev_index;       /* WAY_BACK_NO_EV: the slot is free */
};

struct way_back {
    const struct path_profile *profile; /* of one of the QPs to the peer; EV indexes refer to it */
    struct path_reverse reverse;
    struct way_back_probe probes[WAY_BACK_PROBES];
    uint64_t probe_ns;    /* time of the next EV probe; UINT64_MAX: none needed */
    uint64_t deadline_ns; /* earliest failure of a probe in flight; UINT64_MAX: none */
    uint64_t asked_ns;    /* arrival of the first tail probe since the last data; 0: none */
    uint32_t witness; /* index of a QP that sends on the profile and therefore knows the bad EVs */
    bool heard;       /* a packet of the peer arrived since the last probe was due */
    bool sent_data;   /* data were sent on the profile since then; their SACKs keep it fresh */
    uint8_t answers;  /* SACKs for data since the last probe, at most WAY_BACK_ANSWERS */
    uint8_t skipped;  /* turns to probe that were not used since then */
};

void way_back_start(struct way_back *, const struct path_profile *, struct prng *);
/* Called when the QP to which the profile belongs is destroyed or gets another profile. NULL: no QP
 * is left. */
void way_back_change_profile(struct transport *, struct peer *, const struct path_profile *);

/* Called when a QP to the peer is added, removed, starts to send or gets another profile. */
static inline void way_back_qps_changed(struct way_back *way_back)
{
    way_back->witness = WAY_BACK_WITNESS_UNKNOWN;
}

/* Returns the value of the EV for answers on this plane, which must be in reverse.plane_mask. */
static inline uint32_t way_back_ev(const struct way_back *way_back, uint32_t plane)
{
    return way_back->profile->entries[path_reverse_ev(&way_back->reverse, plane)].ev;
}

/* Returns the same for SACKs, which are many and share the EVs that were found last. */
static inline uint32_t way_back_sack_ev(struct way_back *way_back, uint32_t plane)
{
    if (way_back->answers < WAY_BACK_ANSWERS)
        way_back->answers++;
    return way_back->profile->entries[path_reverse_next_ev(&way_back->reverse, plane)].ev;
}

/* Resumes probing. Called when data or a probe arrives from the peer for the first time after a
 * pause. */
void way_back_wake(struct transport *, struct peer *, uint64_t now_ns);
/* Called when a tail probe of the peer arrives. `data_ns`: time of the last data on its QP. Returns
 * true if the answers to former ones seem to be lost. */
bool way_back_is_in_doubt(struct peer *, uint64_t data_ns, uint64_t now_ns);
/* Called when a probe of the way back is answered. */
void way_back_on_answer(struct peer *, uint16_t request_id, uint32_t ev_index, uint64_t now_ns);

static inline uint64_t way_back_deadline_ns(const struct way_back *way_back)
{
    return way_back->probe_ns < way_back->deadline_ns ? way_back->probe_ns : way_back->deadline_ns;
}

void way_back_expire(struct transport *, struct peer *, uint64_t now_ns);
