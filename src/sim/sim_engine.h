/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a simulation that all shards share. The public interface is sim.h; what a shard has
 * for itself is in shard.h.
 *
 * NICs are nodes 0 to nic_count - 1, switches follow. A node uses only its own state and what
 * arrives on its links, so it can be run alone up to the end of a window. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/deadline_heap.h"
#include "hardware/hardware.h"
#include "network/network.h"
#include "plan/plan.h"
#include "sim/lists.h"
#include "sim/sim.h"
#include "sim/workload.h"
#include "switch/switch.h"
#include "topology/topology.h"
#include "transport/transport.h"

enum {
    ENGINE_PS_PER_NS = 1000,
    ENGINE_FIRST_QPN = 16,
    ENGINE_NIC_ROOM = 2,     /* packets that may wait at a port of a NIC */
    ENGINE_OUTER_BYTES = 40, /* IPv6 */
    ENGINE_VIOLATION_BYTES = 256,
};

/* ---- links ----------------------------------------------------------------------------------- */

/* The rarely used part of a port and its link: zero, and not touched, until it is needed. */
struct engine_port {
    struct fault_link fault;  /* of the outgoing direction */
    uint64_t came_down_ps;    /* last time the incoming direction went down; 0: never */
    uint64_t paused_until_ps; /* by a pause frame */
    uint64_t free_ps;         /* of a paused port: its wire is free from this time on */
    uint64_t pause_end_ps;    /* end of the last pause frame that it sent */
    uint64_t lost;
    uint64_t lost_control; /* those of the control class, as far as known */
};

/* ---- nodes ----------------------------------------------------------------------------------- */

struct engine_switch {
    struct switch_table table;
    uint32_t first_port; /* in the arrays of struct sim */
    uint32_t port_count;
    uint32_t first_word; /* of `waiting`; bit p: packets wait at port p; also of `used` */
    bool was_cut;        /* an incoming link has been down */
};

/* Where a node is run. */
struct engine_seat {
    uint32_t shard : 8;
    uint32_t number : 24; /* among the nodes of the shard, in the order of nodes */
};

struct engine_nic {
    void *endpoint;      /* of the protocol: for MRC, the struct transport */
    uint64_t turn_ps;    /* when it acts next, by itself or because of an arrival */
    uint64_t timer_ps;   /* the deadline of the endpoint */
    uint64_t work_ps;    /* when the first of its ranks is to be woken */
    uint64_t room_ps;    /* no port has room before this time */
    uint64_t closing_ps; /* loans.h: when a flow that has ended returns its records */
    uint32_t first_port;
    uint32_t ports_up;
    uint32_t first_rank; /* a list: see engine_rank.next_on_nic */
    uint32_t qp_count;
    uint32_t first_ended; /* flows that have ended, by closing time: a list; ENGINE_NONE */
    uint32_t last_ended;
    uint32_t next_ending; /* the next NIC of the shard with such flows; ENGINE_NONE */
    bool was_cut;
    bool is_ending; /* in the list of its shard */
    struct ipv6_addr address;
};

/* The trace sink of a NIC's transport: adds the NIC to events for the observer. */
struct engine_tracer {
    struct trace_sink sink;
    const struct sim *sim;
    uint32_t nic;
};

struct agents;     /* agents.h */
struct nic_model;  /* nic_model.h */
struct group;      /* group.h */
struct protocol;   /* protocol.h */
struct roce_world; /* roce_world.h */
struct uet_world;  /* uet_world.h */
struct ib_world;   /* ib_world.h */

struct engine_action {
    struct fault_action what;
    uint32_t sender;
    uint32_t next_of_sender; /* next action of the same node; ENGINE_NONE */
    uint32_t next_of_receiver;
};

/* ---- work ------------------------------------------------------------------------------------ */

struct engine_rank {
    struct workload_rank state;
    uint64_t wake_ps;
    uint32_t workload;
    uint32_t nic;
    uint32_t next_on_nic; /* ENGINE_NONE: the last */
    uint32_t first_out;   /* in flow_out */
    uint32_t first_in;    /* in flow_in */
    bool has_started;
};
#define ENGINE_NONE UINT32_MAX

struct engine_message {
    uint64_t posted_ps;
    uint64_t bytes;
};

/* The half of a flow at its sender, and what does not change. */
struct engine_flow {
    uint32_t workload;
    uint32_t from; /* indexes of ranks in struct sim */
    uint32_t to;
    uint32_t number_out; /* as the ranks number them */
    uint32_t number_in;
    uint32_t qpn_out;
    uint32_t qpn_in;
    uint32_t posted; /* messages */
    uint32_t completed;
    uint64_t posted_bytes;
    uint64_t completed_bytes;
    uint64_t started_ps;
    uint64_t ended_ps;
    struct engine_message *messages; /* by number modulo `depth` */
    uint32_t depth;
    bool tells;
    bool has_records;    /* of its QP: loans.h */
    uint32_t next_ended; /* of its NIC */
    uint64_t closes_ps;  /* it has ended, and returns its records at this time; 0: it has not */
    struct plane_check *planes; /* checks: planes used; NULL */
};

/* The half of a flow at its receiver. */
struct engine_flow_end {
    uint64_t placed_bytes;
    uint64_t furthest_bytes; /* end of the furthest packet, if order is counted */
    struct account *account; /* checks: placed bytes; NULL */
};

/* ---- all of it ------------------------------------------------------------------------------- */

/* What all shards share. While shards run, it does not change, except that a shard changes the
 * elements of arrays that belong to its own nodes, their ports, ranks and flows. */
struct sim {
    struct sim_config config;
    const struct protocol *protocol;
    const struct endpoint_ops *endpoint;
    const struct switch_policy *policy; /* NULL: MRC */
    const struct plan *fabric;
    const struct topology *topology; /* the topology of `fabric` */
    struct parameters parameters;
    struct cc_profile cc;
    uint32_t window_psns;
    uint32_t nic_count;
    uint32_t node_count;
    uint32_t plane_count;

    struct group *group; /* group.h; NULL: this process runs all shards */
    struct shard *shards;
    struct engine_seat *seats; /* of each node; NULL: there is one shard, and seats are nodes */
    uint32_t seat_max;         /* nodes of the largest shard */
    uint32_t shard_count;
    uint32_t outbox; /* the one that is filled in this window */

    struct engine_nic *nics;
    struct engine_switch *switches;
    struct shared_buffer *buffers; /* of each switch; NULL: only limits of ports */
    struct nic_model *nic_models;  /* of each NIC; NULL: ideal */
    struct nic_cost nic_cost;
    struct roce_world *roce;          /* RoCEv2 and InfiniBand; NULL: another protocol */
    struct uet_world *uet;            /* NULL: another protocol */
    struct ib_world *ib;              /* InfiniBand; NULL: another protocol */
    const struct ecmp *ecmp;          /* routes of switches that hash; NULL: by uSIDs */
    struct routing *routing;          /* these, as they change after failures; NULL: never */
    struct deadline_heap *departures; /* of each switch with a policy: when its ports send */
    uint32_t nic_slots;               /* packets that wait to be received by a NIC */
    bool has_slow_arrivals;           /* arrivals at NICs may be pauses, or wait */
    uint64_t fastest_bps;             /* cut-through: see topology_head_bytes() */
    struct port *ports;
    struct link *links;
    struct engine_port *port_details;
    uint32_t *healthy; /* the profile of each port without faults, by its number in its shard; NULL:
                          there are no faults */
    struct port_counters *port_counters;
    uint64_t *port_losses; /* the counters that change seldom */
    uint64_t *waiting;     /* bitmaps of switch ports */
    uint64_t *used;        /* those that had a packet since sim_queue_peak() looked at them, or have
                              one: the longest queue of others is 0 */
    uint32_t port_count;
    uint32_t word_count;
    uint32_t profile_max; /* of each shard */

    uint32_t *loan_classes; /* of each workload */
    uint64_t linger_ps;     /* after the end of a flow, until it returns its records */
    struct agents *agents;  /* NULL: no probes */
    struct fault_plan faults;
    struct engine_action *actions; /* of the current window */
    uint32_t *first_action;        /* of each node; ENGINE_NONE */
    uint32_t action_count;
    uint32_t action_max;

    struct engine_tracer *tracers;   /* of each NIC; NULL: no trace */
    struct workload_layout *layouts; /* of each workload */
    struct path_profile *paths; /* within a leaf, between leaves, then of workloads with given EVs;
                                   in a graph, of each flow and direction */
    struct lists lists;         /* graphs only */
    uint32_t cross_profile_count;
    struct engine_rank *ranks;
    struct workload_lane *lanes; /* of all ranks */
    struct engine_flow *flows;
    struct engine_flow_end *flow_ends; /* by flow */
    uint32_t *flow_out;
    uint32_t *flow_in;
    uint32_t *ranks_left;  /* of each workload */
    uint64_t *finished_ps; /* of each workload: the last end of a rank so far */
    uint32_t rank_count;
    uint32_t flow_count;
    uint32_t workloads_left;

    uint64_t now_ps;
    enum sim_status status;
    char violation[ENGINE_VIOLATION_BYTES];
};

/* The ports of a node, in the arrays of struct sim. */
struct engine_ports {
    uint32_t first;
    uint32_t count;
};

static inline struct engine_ports sim_engine_ports(const struct sim *sim, uint32_t node)
{
    const struct engine_switch *here;

    if (node < sim->nic_count)
        return (struct engine_ports){ sim->nics[node].first_port, sim->plane_count };
    here = &sim->switches[node - sim->nic_count];
    return (struct engine_ports){ here->first_port, here->port_count };
}

static inline uint64_t sim_engine_ns(uint64_t time_ps)
{
    return time_ps / ENGINE_PS_PER_NS;
}

/* UINT64_MAX is never, in both units. */
static inline uint64_t sim_engine_ps(uint64_t time_ns)
{
    return time_ns >= UINT64_MAX / ENGINE_PS_PER_NS ? SIM_NEVER_PS : time_ns * ENGINE_PS_PER_NS;
}

/* A timer that is exact to the picosecond expires in the nanosecond after it. */
static inline uint64_t sim_engine_deadline_ns(uint64_t deadline_ps)
{
    return deadline_ps == UINT64_MAX ? UINT64_MAX
                                     : (deadline_ps + ENGINE_PS_PER_NS - 1) / ENGINE_PS_PER_NS;
}

static inline uint64_t sim_engine_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}
