/* SPDX-License-Identifier: Apache-2.0 */
/* A part of the simulation: some nodes, their packets and their future arrivals. Within a window,
 * shards share nothing that changes, so they can be run at the same time. A packet for a node of
 * another shard goes into an outbox, and arrives in a later window. */
#pragma once

#include "sim/heap.h"
#include "sim/loans_pool.h"
#include "sim/mailbox.h"
#include "sim/outbox.h"
#include "sim/packets.h"
#include "sim/reports.h"
#include "sim/sim_engine.h"

enum { SHARD_OUTBOXES = 2 };

struct shard {
    /* used with every packet; the arrays are those of struct sim */
    const struct endpoint_ops *endpoint;
    struct port *ports;
    struct link *links;
    struct packets packets;
    struct mailbox mailbox;
    struct engine_nic *nics;
    struct engine_switch *switches;
    uint64_t *waiting;
    uint64_t *used;
    struct mailbox_entry *batch;
    struct mailbox_entry *spare;
    uint32_t *active;     /* seats */
    uint64_t *used_nodes; /* bitmap of those that were ever run or have QPs; others count nothing */
    struct heap *heap;    /* NULL: windows */
    const struct engine_seat *seats; /* of each node; NULL: this shard has all */
    const uint32_t *nodes;           /* by seat; NULL: the same */
    struct nic_model *nic_models;
    bool has_slow_arrivals;
    bool counts_order;
    struct outbox *outbox; /* of this window */
    uint64_t hash;
    uint64_t packet_hops;
    uint64_t packets_sent;
    uint64_t packets_delivered;
    uint64_t plane_bytes[TOPOLOGY_PLANES_MAX];
    uint32_t arriving_plane; /* of the packet being received */
    uint32_t nic_count;
    uint32_t plane_count;
    uint32_t number;

    /* rarely used */
    struct sim *sim;
    const struct plan *fabric;
    const struct topology *topology;
    const struct switch_policy *policy;
    struct engine_port *port_details;
    struct outbox outboxes[SHARD_OUTBOXES];
    struct outbox_pool chunks; /* of them */
    struct reports reports;
    struct port_pool slots;
    struct loans loans;
    struct port_profile *profiles;
    uint32_t profile_count;
    uint32_t acting_rank;
    struct workload_world world;
    uint64_t pauses_under_way; /* sent minus received */
    uint64_t packets_lost[LOSS_REASON_COUNT];

    struct sim_order order;
    /* of its own nodes, the results of the last call of sim_totals(), sim_ev_counts() and
     * sim_queue_peak() */
    struct sim_totals totals;
    struct sim_ev_counts ev_counts;
    uint64_t peak_bytes;
    struct topology_end peak_at;

    enum sim_status status; /* SIM_RUNNING, or why the run must end */
    uint64_t violated_ps;
    char violation[ENGINE_VIOLATION_BYTES];
};

static inline bool shard_owns(const struct shard *shard, uint32_t node)
{
    return !shard->seats || shard->seats[node].shard == shard->number;
}

/* Seats number the nodes of a shard. Its lists of arrivals are by seat, so that they take no memory
 * for the nodes of other shards. */
static inline uint32_t shard_seat(const struct shard *shard, uint32_t node)
{
    return shard->seats ? shard->seats[node].number : node;
}

static inline uint32_t shard_node(const struct shard *shard, uint32_t seat)
{
    return shard->nodes ? shard->nodes[seat] : seat;
}

/* Sends an arrival to another shard. Not inlined: in the loops that send packets it takes registers
 * from what a single shard needs. */
__attribute__((noinline)) void shard_mail(struct shard *, uint32_t node, uint32_t port,
    uint64_t time_ps, const struct port_entry *packet);

static inline void shard_post(struct shard *shard, uint32_t node, uint32_t port, uint64_t time_ps,
    const struct port_entry *packet)
{
    if (__builtin_expect(shard->heap != NULL, false))
        heap_post(shard->heap, node, port, time_ps, *packet);
    else if (!shard_owns(shard, node))
        shard_mail(shard, node, port, time_ps, packet);
    else
        mailbox_post(&shard->mailbox, shard_seat(shard, node), port, time_ps, packet);
}

/* Requests that a node of this shard be run at `time_ps`. */
static inline void shard_wake(struct shard *shard, uint32_t node, uint64_t time_ps)
{
    if (shard->heap)
        heap_wake(shard->heap, node, time_ps);
    else
        mailbox_wake(&shard->mailbox, shard_seat(shard, node), time_ps);
}

/* Returns its share of the packets in flight; modulo 2^64, because a packet may end elsewhere. */
uint64_t shard_in_flight(const struct shard *);

void shard_lose(struct shard *, uint32_t packet, enum loss_reason);
void shard_report(struct shard *, const struct report *);
void shard_report_event(struct shard *, const struct sim_event *);
/* Stops the run. The message is `what`, followed by the subject, the time and the seed. */
void shard_violated(struct shard *, const char *what, uint64_t subject, uint64_t time_ps);

/* Calls work(argument, i) for every shard i of this process, at the same time if there is a
 * carrier. */
void shard_each(const struct sim *, void (*work)(void *argument, uint32_t index), void *argument);

/* Update the results of queries of the shards of this process: totals, and longest queues. */
void shard_sum(const struct sim *);
void shard_find_peaks(struct sim *);
/* Returns the EVs of flows that shards of this process send. */
struct sim_ev_counts shard_ev_counts(const struct sim *);

/* Takes what other shards have sent in the window before. */
void shard_collect(struct shard *);
