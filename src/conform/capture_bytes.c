/* SPDX-License-Identifier: Apache-2.0 */
/* Checks ooo_count and rcvd_bytes of SACKs against the packets that were captured. */
#include "base/bits.h"
#include "conform/capture_state.h"
#include "wire/psn.h"

enum { OOO_MOST = 32767, UNIT_BYTES = 256, UNITS_MODULUS = 1 << 24 };

/* Sizes of the packets that can have arrived above cack_psn. */
struct ahead {
    uint32_t count;
    uint64_t bytes;
    uint32_t least_bytes;
    uint32_t most_bytes;
};

static struct ahead look_ahead(const struct flow *flow, struct psn cack)
{
    struct ahead ahead = { .least_bytes = UINT32_MAX };

    for (struct psn at = psn_add(cack, 1); psn_distance(at, flow->highest) >= 0;
         at = psn_add(at, 1)) {
        const struct sent *sent = flow_find(flow, at);

        if (!sent || (flow->is_at_responder && !sent->has_arrived))
            continue;
        ahead.count++;
        ahead.bytes += sent->nominal_bytes;
        if (sent->nominal_bytes < ahead.least_bytes)
            ahead.least_bytes = sent->nominal_bytes;
        if (sent->nominal_bytes > ahead.most_bytes)
            ahead.most_bytes = sent->nominal_bytes;
    }
    return ahead;
}

static uint32_t units(uint64_t bytes)
{
    return (uint32_t)((bytes + UNIT_BYTES - 1) / UNIT_BYTES % UNITS_MODULUS);
}

/* Returns the bits of the bitmap that are above cack_psn, in their places. */
static uint64_t bits_above(const struct packet_sack *sack)
{
    int32_t first = 1 - sack->sack_offset;

    if (first >= 64)
        return 0;
    return first <= 0 ? sack->bitmap : sack->bitmap >> first << first;
}

/* The packets above cack_psn that the bitmap names. */
struct named {
    uint32_t count;
    uint64_t bytes;
};

static struct named sum_named(const struct flow *flow, const struct packet_sack *sack)
{
    struct named named = { .count = 0 };

    for (uint64_t left = bits_above(sack); left; left &= left - 1) {
        struct psn at = psn_add(sack->cack_psn, sack->sack_offset + (int32_t)bits_lowest(left));
        const struct sent *sent = flow_find(flow, at);

        if (!sent)
            continue;
        named.count++;
        named.bytes += sent->nominal_bytes;
    }
    return named;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

struct limits {
    uint64_t least_bytes;
    uint64_t most_bytes;
};

/* Returns the limits of the size of `count` packets out of these. Few that are left out limit it
 * better than the many that are counted. */
static struct limits limit_sum(const struct ahead *from, uint32_t count)
{
    uint64_t left_out = from->count - count;
    uint64_t most_left_out = left_out * from->most_bytes;
    uint64_t least_left_out = left_out * from->least_bytes;
    struct limits limits = { 0 };

    if (count == 0)
        return limits;
    limits.least_bytes = larger((uint64_t)count * from->least_bytes,
        from->bytes > most_left_out ? from->bytes - most_left_out : 0);
    limits.most_bytes = (uint64_t)count * from->most_bytes;
    if (from->bytes - least_left_out < limits.most_bytes)
        limits.most_bytes = from->bytes - least_left_out;
    return limits;
}

/* Of the packets above cack_psn, the size of those that the bitmap names is known; of the others
 * there are limits. */
static void check_bytes(const struct subject *subject, const struct flow *flow, struct ahead ahead)
{
    const struct packet_sack *sack = &subject->packet->sack;
    const struct sent *sent = flow_find(flow, sack->cack_psn);
    bool is_before = psn_equal(psn_add(sack->cack_psn, 1), flow->first);
    struct named named = sum_named(flow, sack);
    struct limits limits;
    uint64_t sum;
    uint32_t least;
    uint32_t span;

    if (!flow->has_bytes || (!is_before && !(sent && sent->has_sum)) ||
        sack->ooo_count == OOO_MOST || named.count > sack->ooo_count ||
        ahead.count < sack->ooo_count || ahead.bytes < named.bytes)
        return;
    ahead.count -= named.count;
    ahead.bytes -= named.bytes;
    limits = limit_sum(&ahead, sack->ooo_count - named.count);
    sum = (is_before ? 0 : sent->sum_bytes) + named.bytes;
    least = units(sum + limits.least_bytes);
    span = units(sum + limits.most_bytes) - least;
    if ((sack->received_units - least) % UNITS_MODULUS > span % UNITS_MODULUS)
        capture_report(subject->capture, CONFORM_SACK_BYTES, subject->number,
            "rcvd_bytes is %u units, not %u", sack->received_units, least);
}

void capture_check_ahead(const struct subject *subject, const struct flow *flow)
{
    const struct packet_sack *sack = &subject->packet->sack;
    struct ahead ahead = look_ahead(flow, sack->cack_psn);
    int32_t unknown = psn_distance(sack->cack_psn, flow->first) - 1; /* before the capture */

    if (unknown > OOO_MOST)
        return;
    if (unknown > 0)
        ahead.count += (uint32_t)unknown;
    if (sack->ooo_count > ahead.count || bits_count(bits_above(sack)) > sack->ooo_count)
        capture_report(subject->capture, CONFORM_SACK_AHEAD, subject->number,
            "ooo_count is %u, but %u were sent and %u are reported above cack_psn", sack->ooo_count,
            ahead.count, bits_count(bits_above(sack)));
    else
        check_bytes(subject, flow, ahead);
}
