/* SPDX-License-Identifier: Apache-2.0 */
/* RCCC: credits that a receiver grants to its senders, so that together they send as fast as its
 * link carries. Credits are counted in units since the start of a connection; a lost message about
 * them is repaired by the next one.
 *
 * A new sender has credits for a whole window, before it knows of any: it speculates. The first
 * explicit credit, or the first trimmed packet, ends that. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

#define RCCC_NONE     UINT32_MAX
#define RCCC_NEVER_PS UINT64_MAX

/* ---- the sender of a connection -------------------------------------------------------------- */

struct rccc_source {
    int64_t credit_bytes; /* may be negative by one packet */
    uint32_t granted;     /* units, as far as known */
    bool speculates;
};

void rccc_source_init(struct rccc_source *, uint32_t window_bytes);

static inline bool rccc_source_may_send(const struct rccc_source *source)
{
    return source->credit_bytes > 0;
}

static inline void rccc_source_spend(struct rccc_source *source, uint32_t bytes)
{
    source->credit_bytes -= bytes;
}

/* A packet was trimmed. */
void rccc_source_on_trim(struct rccc_source *);

/* The receiver has granted this many units since the start. */
void rccc_source_on_credit(struct rccc_source *, uint32_t granted, uint32_t window_bytes);

/* Returns what the sender asks for, in units since the start: credits for `wanted_bytes`, less what
 * it has, divided by the number of connections of its NIC that have something to send. */
uint32_t rccc_source_target(
    const struct rccc_source *, uint64_t wanted_bytes, uint32_t sharer_count);

/* ---- the receiving NIC ----------------------------------------------------------------------- */

/* A connection in one of the lists of its pacer. */
struct rccc_grantee {
    uint32_t target;  /* units that its sender has asked for */
    uint32_t granted; /* units */
    uint32_t next;
    uint32_t before;
    uint8_t list; /* enum rccc_list */
};

enum rccc_list {
    RCCC_ACTIVE, /* wants more than it has been granted */
    RCCC_IDLE,   /* may be granted more, in advance */
    RCCC_LIST_COUNT,
    RCCC_UNLISTED = RCCC_LIST_COUNT,
};

struct rccc_ends {
    uint32_t first;
    uint32_t last;
};

struct rccc_pacer {
    struct rccc_grantee *grantees;
    struct rccc_ends lists[RCCC_LIST_COUNT];
    double ps_per_byte;
    uint32_t packet_bytes; /* of a full packet */
    uint32_t window_bytes;
    double next_ps; /* the next grant is not before this time */
};

struct rccc_pacer_config {
    uint32_t grantee_count;
    double ps_per_byte;
    uint32_t packet_bytes;
    uint32_t window_bytes;
};

/* With an arena without memory, only measures. */
void rccc_pacer_init(struct rccc_pacer *, struct arena *, const struct rccc_pacer_config *);

/* A packet of a connection asks for `target` units. */
void rccc_pacer_on_target(struct rccc_pacer *, uint32_t grantee, uint32_t target, uint64_t now_ps);
/* A packet of a connection was trimmed, and must be sent again. */
void rccc_pacer_on_trim(struct rccc_pacer *, uint32_t grantee, uint32_t bytes, uint64_t now_ps);

/* Returns the time of the next grant; RCCC_NEVER_PS: none is due. */
uint64_t rccc_pacer_next_ps(const struct rccc_pacer *);

/* Grants credits to the next connection in turn, and returns it. One must be due. */
uint32_t rccc_pacer_grant(struct rccc_pacer *);
