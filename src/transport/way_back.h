/* SPDX-License-Identifier: Apache-2.0 */
/* The way back to a peer: the EVs by which answers to it travel, and how they are kept fresh
 * (docs/protocol.md §17). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "path/path.h"

struct transport;
struct peer;

enum {
    WAY_BACK_PROBES = 2,
    WAY_BACK_NO_EV = UINT16_MAX,
};

#define WAY_BACK_NO_WITNESS      UINT32_MAX
#define WAY_BACK_WITNESS_UNKNOWN (UINT32_MAX - 1)

/* An EV probe of the way back, under way. */
struct way_back_probe {
    uint32_t deadline_ticks; /* of 1.024 us: it has failed */
    uint16_t request;        /* its id */
    uint16_t ev_index;       /* WAY_BACK_NO_EV: there is none */
};

struct way_back {
    const struct path_profile *profile; /* of one of the QPs to the peer; its indexes are meant */
    struct path_reverse reverse;
    struct way_back_probe probes[WAY_BACK_PROBES];
    uint64_t probe_ns;    /* the next EV probe; UINT64_MAX: none needed */
    uint64_t deadline_ns; /* the next of those under way; UINT64_MAX: none is */
    uint32_t witness; /* index of a QP that sends by the profile, and so knows which EVs are bad */
    bool heard;       /* from the peer, since the last turn of probing */
    bool sent_data;   /* to the peer, likewise: its SACKs tell as much */
};

void way_back_start(struct way_back *, const struct path_profile *);
/* The QP whose profile it was has gone or has another one; NULL: no QP is left. */
void way_back_change_profile(struct transport *, struct peer *, const struct path_profile *);

/* A QP to the peer has come, has gone, has begun to send or has another profile. */
static inline void way_back_qps_changed(struct way_back *way_back)
{
    way_back->witness = WAY_BACK_WITNESS_UNKNOWN;
}

/* The EV, as a value, of answers on this plane, which must be in reverse.plane_mask. */
static inline uint32_t way_back_ev(const struct way_back *way_back, uint32_t plane)
{
    return way_back->profile->entries[path_reverse_ev(&way_back->reverse, plane)].ev;
}

/* Data or a probe has come from the peer, the first after a silence: probing begins again. */
void way_back_wake(struct transport *, struct peer *, uint64_t now_ns);
/* A probe of the way back was answered. */
void way_back_on_answer(struct peer *, uint16_t request_id, uint32_t ev_index, uint64_t now_ns);

static inline uint64_t way_back_deadline_ns(const struct way_back *way_back)
{
    return way_back->probe_ns < way_back->deadline_ns ? way_back->probe_ns : way_back->deadline_ns;
}

void way_back_expire(struct transport *, struct peer *, uint64_t now_ns);
