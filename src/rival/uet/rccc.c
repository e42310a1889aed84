/* SPDX-License-Identifier: Apache-2.0 */
/* Credits at both ends. Units wrap, so they are compared by their distance. */
#include "rival/uet/rccc.h"

#include <assert.h>

#include "rival/uet/uet_packet.h"

enum { GRANT_PACKETS = 4 };

static uint32_t units_of(uint64_t bytes)
{
    return (uint32_t)((bytes + UET_CREDIT_BYTES - 1) / UET_CREDIT_BYTES);
}

/* Returns how far `to` is ahead of `from`; negative if it is behind. */
static int32_t ahead(uint32_t from, uint32_t to)
{
    return (int32_t)(to - from);
}

/* ---- the sender ------------------------------------------------------------------------------ */

void rccc_source_init(struct rccc_source *source, uint32_t window_bytes)
{
    *source = (struct rccc_source){ .credit_bytes = window_bytes, .speculates = true };
}

void rccc_source_on_trim(struct rccc_source *source)
{
    if (source->speculates && source->credit_bytes > 0)
        source->credit_bytes = 0;
    source->speculates = false;
}

void rccc_source_on_credit(struct rccc_source *source, uint32_t granted, uint32_t window_bytes)
{
    int32_t more = ahead(source->granted, granted);

    if (more <= 0)
        return;
    rccc_source_on_trim(source); /* ends the speculation, too */
    source->granted = granted;
    source->credit_bytes += (int64_t)more * UET_CREDIT_BYTES;
    if (source->credit_bytes > window_bytes)
        source->credit_bytes = window_bytes;
}

uint32_t rccc_source_target(
    const struct rccc_source *source, uint64_t wanted_bytes, uint32_t sharer_count)
{
    int64_t missing_bytes = (int64_t)wanted_bytes - source->credit_bytes;

    assert(sharer_count > 0);
    if (missing_bytes <= 0)
        return source->granted;
    return source->granted + units_of((uint64_t)missing_bytes / sharer_count);
}

/* ---- lists ----------------------------------------------------------------------------------- */

void rccc_pacer_init(
    struct rccc_pacer *pacer, struct arena *arena, const struct rccc_pacer_config *config)
{
    *pacer = (struct rccc_pacer){ .grantees = arena_take(arena, config->grantee_count,
                                      sizeof(*pacer->grantees), _Alignof(struct rccc_grantee)),
        .ps_per_byte = config->ps_per_byte,
        .packet_bytes = config->packet_bytes,
        .window_bytes = config->window_bytes };
    for (uint32_t i = 0; i < RCCC_LIST_COUNT; i++)
        pacer->lists[i] = (struct rccc_ends){ .first = RCCC_NONE, .last = RCCC_NONE };
    for (uint32_t i = 0; arena->memory && i < config->grantee_count; i++)
        pacer->grantees[i].list = RCCC_UNLISTED;
}

static void unlist_grantee(struct rccc_pacer *pacer, uint32_t index)
{
    struct rccc_grantee *grantee = &pacer->grantees[index];
    struct rccc_ends *ends;

    if (grantee->list == RCCC_UNLISTED)
        return;
    ends = &pacer->lists[grantee->list];
    if (grantee->before == RCCC_NONE)
        ends->first = grantee->next;
    else
        pacer->grantees[grantee->before].next = grantee->next;
    if (grantee->next == RCCC_NONE)
        ends->last = grantee->before;
    else
        pacer->grantees[grantee->next].before = grantee->before;
    grantee->list = RCCC_UNLISTED;
}

static void append_grantee(struct rccc_pacer *pacer, uint32_t index, enum rccc_list list)
{
    struct rccc_grantee *grantee = &pacer->grantees[index];
    struct rccc_ends *ends = &pacer->lists[list];

    grantee->list = (uint8_t)list;
    grantee->next = RCCC_NONE;
    grantee->before = ends->last;
    if (ends->last == RCCC_NONE)
        ends->first = index;
    else
        pacer->grantees[ends->last].next = index;
    ends->last = index;
}

static uint32_t full_grant(const struct rccc_pacer *pacer)
{
    return units_of((uint64_t)GRANT_PACKETS * pacer->packet_bytes);
}

/* Returns the list in which a connection belongs now. */
static enum rccc_list list_of(const struct rccc_pacer *pacer, const struct rccc_grantee *grantee)
{
    int32_t missing = ahead(grantee->granted, grantee->target);
    int64_t in_advance = (int64_t)full_grant(pacer) - missing;

    if (missing > 0)
        return RCCC_ACTIVE;
    return in_advance * UET_CREDIT_BYTES <= pacer->window_bytes ? RCCC_IDLE : RCCC_UNLISTED;
}

/* A connection that stays in its list keeps its turn. */
static void list_again(struct rccc_pacer *pacer, uint32_t index)
{
    enum rccc_list list = list_of(pacer, &pacer->grantees[index]);

    if (list == (enum rccc_list)pacer->grantees[index].list)
        return;
    unlist_grantee(pacer, index);
    if (list != RCCC_UNLISTED)
        append_grantee(pacer, index, list);
}

/* ---- the pacer ------------------------------------------------------------------------------- */

uint64_t rccc_pacer_next_ps(const struct rccc_pacer *pacer)
{
    bool is_due =
        pacer->lists[RCCC_ACTIVE].first != RCCC_NONE || pacer->lists[RCCC_IDLE].first != RCCC_NONE;

    return is_due ? (uint64_t)pacer->next_ps : RCCC_NEVER_PS;
}

/* Time in which no grant was due is not made up for. */
static void raise_target(struct rccc_pacer *pacer, uint32_t index, uint32_t target, uint64_t now_ps)
{
    struct rccc_grantee *grantee = &pacer->grantees[index];

    if (rccc_pacer_next_ps(pacer) == RCCC_NEVER_PS && pacer->next_ps < (double)now_ps)
        pacer->next_ps = (double)now_ps;
    if (ahead(grantee->target, target) > 0)
        grantee->target = target;
    list_again(pacer, index);
}

void rccc_pacer_on_target(
    struct rccc_pacer *pacer, uint32_t grantee, uint32_t target, uint64_t now_ps)
{
    raise_target(pacer, grantee, target, now_ps);
}

void rccc_pacer_on_trim(struct rccc_pacer *pacer, uint32_t grantee, uint32_t bytes, uint64_t now_ps)
{
    raise_target(pacer, grantee, pacer->grantees[grantee].granted + units_of(bytes), now_ps);
}

uint32_t rccc_pacer_grant(struct rccc_pacer *pacer)
{
    bool is_active = pacer->lists[RCCC_ACTIVE].first != RCCC_NONE;
    uint32_t index = pacer->lists[is_active ? RCCC_ACTIVE : RCCC_IDLE].first;
    struct rccc_grantee *grantee = &pacer->grantees[index];
    uint32_t units = full_grant(pacer);
    uint32_t missing = (uint32_t)ahead(grantee->granted, grantee->target);

    if (is_active && missing < units)
        units = missing;
    grantee->granted += units;
    pacer->next_ps += (double)units * UET_CREDIT_BYTES * pacer->ps_per_byte;
    unlist_grantee(pacer, index);
    list_again(pacer, index);
    return index;
}
