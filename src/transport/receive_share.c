/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the senders of a NIC, once in some round trips. */
#include "transport/receive_share.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "transport/nic.h"

#define FULL_PART       0.97  /* of the rate of the ports, from which on they are full */
#define FULL_PORTS_PART 0.8   /* of the ports in use, by their rates, that are full if the NIC is */
#define IN_USE_PART     0.125 /* of the rate of a port, from which on it is in use */
#define APART_PART      0.9   /* of the rate of a port, below which others are not limited by it */
#define USED_PART       0.95 /* of that which arrives; the rest lets queues drain and senders grow */
#define NEAR_PART       0.85 /* of a share, from which on a sender does not grow */
#define LOW_PART        0.5  /* of a share, from which on a sender has enough for usual targets */

enum {
    ROUND_TRIPS = 3,
    ROUND_PACKETS = 4, /* of each sender that has its share */
    ROUNDS_AFTER = 16, /* in which senders that have enough keep to usual targets */
    PENALTY_MAX = 127,
    PENALTY_UNIT = 128,
    PENALTY_HOLD = CC_PENALTY_GROWS + 1, /* the sender does not grow, and hardly shrinks */
    FULL_PACKET_BYTES = 4262,
    CONTROL_PACKET_BYTES = 178,
};

static struct peer *source_at(const struct transport *nic, uint32_t place)
{
    return place == RECEIVE_SHARE_END ? NULL : &nic->peers[place - 1];
}

static struct peer *first_source(const struct transport *nic)
{
    return source_at(nic, nic->share.first);
}

static struct peer *next_source(const struct transport *nic, const struct peer *source)
{
    return source_at(nic, source->next_source);
}

static uint32_t control_packets(const struct transport *nic)
{
    return (uint32_t)(nic->counters[COUNTER_SACK_RECEIVED] + nic->counters[COUNTER_NACK_RECEIVED] +
                      nic->counters[COUNTER_ACK_RECEIVED]);
}

/* ---- the share ------------------------------------------------------------------------------- */

/* What the sources of a round have sent. */
struct arrivals {
    uint64_t bytes;
    uint32_t source_count;
};

/* Takes out what has arrived at ports that do not count. */
static struct arrivals arrivals_of(const struct transport *nic)
{
    struct arrivals sum = { 0 };

    for (struct peer *source = first_source(nic); source; source = next_source(nic, source)) {
        uint32_t apart_bytes = source->apart_bytes < source->arrived_bytes ? source->apart_bytes
                                                                           : source->arrived_bytes;

        source->arrived_bytes -= apart_bytes;
        source->apart_bytes = 0;
        sum.bytes += source->arrived_bytes;
        sum.source_count++;
    }
    return sum;
}

/* Returns the share of those that have more than `share_bytes`, if the others keep what they
 * have. There always is one: all together have more than what is shared. */
static double share_beyond(const struct transport *nic, double share_bytes, double all_bytes)
{
    uint32_t more_count = 0;

    for (const struct peer *source = first_source(nic); source; source = next_source(nic, source)) {
        if (source->arrived_bytes < share_bytes)
            all_bytes -= source->arrived_bytes;
        else
            more_count++;
    }
    assert(more_count > 0);
    return all_bytes / more_count;
}

/* Returns the largest number of bytes that a source may have: if none has more, all together have
 * USED_PART of what has arrived. Begins with equal shares; those that use less leave more to the
 * others. Each step is smaller than the last by the number of sources that still have more, so that
 * a dozen suffice. 0: not known, because a source of trimmed packets has left. */
static double largest_share(const struct transport *nic, struct arrivals all)
{
    double share_bytes = 0;
    double larger_bytes;
    double used_bytes;

    if (all.bytes <= nic->share.trimmed_bytes)
        return 0;
    used_bytes = USED_PART * (double)(all.bytes - nic->share.trimmed_bytes);
    larger_bytes = used_bytes / all.source_count;
    while (larger_bytes > share_bytes) {
        share_bytes = larger_bytes;
        larger_bytes = share_beyond(nic, share_bytes, used_bytes);
    }
    return share_bytes;
}

/* ---- penalties ------------------------------------------------------------------------------- */

struct verdict {
    double share_bytes; /* 0: none has a penalty */
    double trips;       /* round trips of a round */
    bool is_full;       /* false: the ports were full some rounds ago */
};

/* Returns the penalty that brings the sender to its share in a round. */
static uint8_t penalty_of(double arrived_bytes, const struct verdict *verdict)
{
    double penalty;

    if (arrived_bytes <= LOW_PART * verdict->share_bytes)
        return CC_PENALTY_LOW;
    if (arrived_bytes <= NEAR_PART * verdict->share_bytes || !verdict->is_full)
        return CC_PENALTY_GROWS;
    penalty = PENALTY_UNIT * (1 - verdict->share_bytes / arrived_bytes) / verdict->trips;
    if (penalty < PENALTY_HOLD)
        penalty = PENALTY_HOLD;
    return penalty < PENALTY_MAX ? (uint8_t)penalty : PENALTY_MAX;
}

/* Takes the sources of the round out of their list. */
static void judge_sources(struct transport *nic, const struct verdict *verdict)
{
    nic->env.share_round++;
    for (struct peer *source = first_source(nic); source;) {
        struct peer *next = next_source(nic, source);

        source->share_penalty =
            verdict->share_bytes > 0 ? penalty_of(source->arrived_bytes, verdict) : 0;
        source->share_round = nic->env.share_round;
        source->arrived_bytes = 0;
        source->next_source = 0;
        source = next;
    }
    nic->share.first = RECEIVE_SHARE_END;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void begin_round(struct transport *nic, uint32_t source_count, uint64_t now_ns)
{
    struct receive_share *share = &nic->share;
    uint64_t trips_ns = ROUND_TRIPS * nic->env.parameters->base_rtt;
    uint64_t packets_ns =
        (uint64_t)((double)ROUND_PACKETS * source_count * FULL_PACKET_BYTES / share->bytes_per_ns);

    share->begin_ns = now_ns;
    share->end_ns = now_ns + (trips_ns > packets_ns ? trips_ns : packets_ns);
    share->control_packets = control_packets(nic);
    share->trimmed_bytes = 0;
    memset(share->port_bytes, 0, sizeof(share->port_bytes));
}

static double port_bytes_per_ns(const struct transport *nic, uint32_t port)
{
    uint64_t usual_mbps = nic->env.parameters->link_bps / nic->env.port_count / 1000000;
    uint32_t rate_mbps = nic->ports[port].rate_mbps;

    return (double)(rate_mbps ? rate_mbps : usual_mbps) / 8000;
}

/* True if most of the ports in use are full, by their rates. Planes may be dead, and links slower
 * than planned, without a change of our ports. */
static bool ports_are_full(const struct transport *nic, double elapsed_ns)
{
    const struct receive_share *share = &nic->share;
    uint32_t control_count = control_packets(nic) - share->control_packets;
    double control_bytes = (double)CONTROL_PACKET_BYTES * control_count / nic->env.port_count;
    double used_bytes = 0;
    double full_bytes = 0;

    for (uint32_t port = 0; port < nic->env.port_count; port++) {
        double most_bytes = port_bytes_per_ns(nic, port) * elapsed_ns;

        if (share->port_bytes[port] < IN_USE_PART * most_bytes)
            continue;
        used_bytes += most_bytes;
        if (share->port_bytes[port] + control_bytes >= FULL_PART * most_bytes)
            full_bytes += most_bytes;
    }
    return used_bytes > 0 && full_bytes >= FULL_PORTS_PART * used_bytes;
}

/* Returns the usable ports that have room. */
static uint32_t ports_with_room(const struct transport *nic, double elapsed_ns)
{
    uint32_t with_room = 0;

    for (uint32_t ports = nic->env.usable_mask; ports; ports &= ports - 1) {
        uint32_t port = bits_lowest(ports);

        if (nic->share.port_bytes[port] < APART_PART * port_bytes_per_ns(nic, port) * elapsed_ns)
            with_room |= UINT32_C(1) << port;
    }
    return with_room;
}

/* Some senders may reach a port that others cannot, because their paths to it have failed. What
 * they send there takes nothing from the others. */
static void set_apart(struct transport *nic, bool is_full, double elapsed_ns)
{
    struct receive_share *share = &nic->share;
    uint32_t with_room = is_full ? ports_with_room(nic, elapsed_ns) : 0;

    if (with_room) {
        share->apart_mask = (uint16_t)with_room;
        share->apart_rounds_left = ROUNDS_AFTER;
    } else if (share->apart_rounds_left > 0 && --share->apart_rounds_left == 0) {
        share->apart_mask = 0;
    }
}

void receive_share_end_round(struct transport *nic, uint64_t now_ns)
{
    double elapsed_ns = (double)(now_ns - nic->share.begin_ns);
    struct arrivals all = arrivals_of(nic);
    struct verdict verdict = { .trips = elapsed_ns / (double)nic->env.parameters->base_rtt };

    verdict.is_full = all.source_count > 1 && ports_are_full(nic, elapsed_ns);
    if (verdict.is_full)
        nic->share.rounds_left = ROUNDS_AFTER;
    else if (nic->share.rounds_left > 0)
        nic->share.rounds_left--;
    if (all.source_count > 1 && nic->share.rounds_left > 0)
        verdict.share_bytes = largest_share(nic, all);
    judge_sources(nic, &verdict);
    set_apart(nic, verdict.is_full, elapsed_ns);
    begin_round(nic, all.source_count, now_ns);
}

static double usable_bytes_per_ns(const struct transport *nic)
{
    double sum = 0;

    for (uint32_t ports = nic->env.usable_mask; ports; ports &= ports - 1)
        sum += port_bytes_per_ns(nic, bits_lowest(ports));
    return sum;
}

/* Other algorithms follow UET, where such penalties are not known. */
static bool is_wanted(const struct parameters *parameters)
{
    return parameters->receiver_penalty == RECEIVER_PENALTY_SHARE &&
           parameters->congestion_control == CONGESTION_CONTROL_FAIR;
}

void receive_share_update(struct transport *nic)
{
    nic->share.bytes_per_ns = usable_bytes_per_ns(nic);
    if (!is_wanted(nic->env.parameters) || nic->share.bytes_per_ns <= 0)
        nic->share.end_ns = UINT64_MAX;
    else if (nic->share.end_ns == UINT64_MAX)
        nic->share.end_ns = 0;
}
