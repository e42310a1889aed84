/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated cluster in virtual time, exact to the picosecond: the real transport on every NIC,
 * the real switch core, workloads and faults.
 *
 * The same configuration and seed give the same run, bit for bit. An observer receives the events.
 * Within one call of sim_run() its callbacks are not in order of time, but their order is always
 * the same. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/problem.h"
#include "hardware/hardware.h"
#include "network/network.h"
#include "plan/plan.h"
#include "rival/rival.h"
#include "sim/sim_probing.h"
#include "sim/sim_workload.h"
#include "topology/topology.h"
#include "transport/transport.h"

#define SIM_NEVER_PS UINT64_MAX
#define SIM_PS_PER_S UINT64_C(1000000000000)

/* ---- the run --------------------------------------------------------------------------------- */

enum sim_engine {
    SIM_WINDOWS, /* runs node by node inside a window of the lookahead: fast */
    SIM_HEAP,    /* runs event by event from a heap: slow, the reference */
};

enum sim_event_kind {
    SIM_EVENT_FAULT_BEGAN, /* subject: index of the fault, explicit ones first, then generated */
    SIM_EVENT_FAULT_ENDED,
    SIM_EVENT_EV_CHANGED, /* subject: NIC; values: QPN, EV, new path_ev_state, path_signal, old
                             path_ev_state */
    SIM_EVENT_PORT_CHANGED,
    SIM_EVENT_QP_FAILED,
    SIM_EVENT_TIMEOUT,
    SIM_EVENT_WORKLOAD_DONE,
    SIM_EVENT_STEP, /* training: subject: workload; values: rank, step, duration in ps */
    SIM_EVENT_KIND_COUNT,
};

struct sim_event {
    uint64_t time_ps;
    enum sim_event_kind kind;
    uint32_t subject;
    uint64_t values[5];
};

/* A message of a flow, or a complete collective of a rank. */
struct sim_completion {
    uint32_t workload;
    uint32_t rank;
    uint32_t flow; /* SIM_NO_FLOW: the rank's collective is done */
    uint64_t bytes;
    uint64_t posted_ps;
    uint64_t done_ps;
};
#define SIM_NO_FLOW UINT32_MAX

/* One frame on one wire, for captures. */
struct sim_frame {
    uint64_t time_ps; /* its last bit leaves */
    struct topology_end from;
    const struct packet *packet;
    struct ipv6_addr outer;
    const struct ipv6_addr *segment; /* of its SRH; NULL: it has none */
    uint32_t segments_left;
    uint32_t length_bytes;
};

struct sim_observer {
    void (*on_event)(void *context, const struct sim_event *);
    void (*on_completion)(void *context, const struct sim_completion *);
    void (*on_frame)(void *context, const struct sim_frame *);
    /* Trace events of the NIC's transport. The subject is a QPN, which is unique only on its
     * NIC. */
    void (*on_trace)(void *context, uint32_t nic, const struct trace_event *);
    void *context;
};

/* Runs shards, for example on threads. */
struct sim_carrier {
    /* Calls work(argument, i) for every i below `count`, in any order or at the same time. Returns
     * when all calls have returned. */
    void (*run)(void *context, uint32_t count, void (*work)(void *argument, uint32_t index),
        void *argument);
    void *context;
};

/* Processes that run one simulation together, each some of its shards, for example with MPI. All
 * call sim_init() with the same configuration; then the first calls sim_run(), the others
 * sim_serve(). */
struct sim_group {
    uint32_t member; /* this process */
    uint32_t count;
    /* Appends to what this process sends to another with the next exchange. */
    void (*send)(void *context, uint32_t to, const void *data, size_t bytes);
    /* Sends, and receives what the others send. Called by all members equally often. */
    void (*exchange)(void *context);
    /* Returns what another member has sent with the last exchange; valid until the next. */
    const void *(*received)(void *context, uint32_t from, size_t *bytes);
    void *context;
};

#define SIM_SHARDS_MAX 255

/* The protocol of all NICs and switches. */
enum sim_protocol {
#define PROTOCOL(ID, name, meaning) SIM_##ID,
#include "sim/protocols.def"
    SIM_PROTOCOL_COUNT,
};
/* The names in experiment files and results, then NULL. */
extern const char *const sim_protocol_words[SIM_PROTOCOL_COUNT + 1];

/* Probes of all NICs, of the control class, and verdicts on what is lost of them. MRC only. */
struct sim_map_config {
    uint64_t period_ps;     /* 0: no probes */
    uint32_t round_periods; /* until they are judged */
};

struct sim_config {
    const struct plan *fabric;
    uint64_t seed;
    struct parameters parameters; /* of all NICs; link_bps, base_rtt, network_trims and last_hop_ecn
                                     follow from the fabric */
    const struct sim_workload *workloads;
    uint32_t workload_count;
    const struct sim_job *jobs;
    uint32_t job_count;
    const struct fault *faults;
    uint32_t fault_count;
    const struct fault_generator *generators;
    uint32_t generator_count;
    uint64_t duration_ps; /* end of the run, unless all work is done before */
    uint32_t window_psns; /* of a QP; 0: from mpr, or less if the network holds less */
    enum sim_engine engine;
    enum sim_protocol protocol;
    struct roce_settings roce;           /* SIM_ROCE */
    struct uet_settings uet;             /* SIM_UET */
    struct ib_settings infiniband;       /* SIM_INFINIBAND */
    const struct endpoint_ops *endpoint; /* of all NICs; its network is the struct shard of the NIC,
                                            in setup() the struct sim; NULL: that of the
                                            protocol */
    const struct switch_policy *policy;  /* of all switches; its network is a struct shard; NULL:
                                            that of the protocol */
    struct hardware hardware;            /* of all NICs; the fabric has what concerns switches */
    /* Parts of the cluster that run apart from each other, 0: one. The result is the same with any
     * number. At most one per leaf is used; only one if frames or traces are observed. */
    uint32_t shard_count;
    const struct sim_carrier *carrier; /* NULL: shards run one after the other */
    const struct sim_group *group;     /* needs two shards; NULL: this process runs all shards */
    struct sim_map_config map;
    bool counts_order; /* for sim_order() */
    bool wire;         /* convert packets to bytes on every hop */
    bool checks;       /* check all invariants after every window: slow */
    struct sim_observer observer;
};

struct sim;

/* Checks that the configuration is consistent and refers only to things that exist. */
bool sim_config_check(const struct sim_config *, struct problem *);

/* Returns how many shards sim_init() makes. */
uint32_t sim_shards_of(const struct sim_config *);
/* Returns how many of them this process runs. */
uint32_t sim_own_shards_of(const struct sim_config *);

/* Measures if the arena has no memory. The configuration must have passed sim_config_check(); what
 * it points to must outlive the run. */
struct sim *sim_init(struct arena *, const struct sim_config *);

/* Measures. Returns how many of the bytes, the last ones, are pools of several shards of each of
 * which little is used: large pages would be mostly empty. */
size_t sim_measure(struct arena *, const struct sim_config *);

enum sim_status {
    SIM_RUNNING,
    SIM_FINISHED,      /* all work done */
    SIM_OUT_OF_TIME,   /* duration_ps reached */
    SIM_VIOLATED,      /* a check failed; see sim_violation() */
    SIM_OUT_OF_MEMORY, /* more packets in flight than the pools hold */
};

/* Continues to `until_ps` or the end of the run. */
enum sim_status sim_run(struct sim *, uint64_t until_ps);
/* In a group, called instead of sim_run() and queries by all members but the first, and returns
 * when that one calls sim_dismiss(), after its last query. Without a group, sim_dismiss() does
 * nothing. */
void sim_serve(struct sim *);
void sim_dismiss(struct sim *);
uint64_t sim_now_ps(const struct sim *);
const char *sim_violation(const struct sim *);

/* ---- queries: between calls of sim_run() ----------------------------------------------------- */

/* Totals of the whole cluster since the beginning. */
struct sim_totals {
    uint64_t packet_hops; /* one packet over one link */
    uint64_t packets_sent;
    uint64_t packets_delivered;
    uint64_t packets_lost[LOSS_REASON_COUNT];
    uint64_t packets_in_flight;
    uint64_t trimmed;
    uint64_t marked;
    uint64_t transport[COUNTER_COUNT]; /* of all NICs */
    uint64_t drops[DROP_REASON_COUNT];
};
void sim_totals(const struct sim *, struct sim_totals *);
uint64_t sim_packet_hops(const struct sim *); /* packet_hops only */
uint32_t sim_shard_count(const struct sim *);

/* Figures of RoCEv2 only. */
struct sim_roce {
    uint64_t counters[ROCE_COUNTER_COUNT]; /* of all NICs */
    uint64_t pauses;                       /* that switches sent */
    uint64_t headroom_peak_bytes;          /* the most that a port used of its headroom */
    uint64_t headroom_bytes;               /* the most that a switch reserves for its ports */
    uint64_t storms;                       /* that watchdogs have detected */
    uint64_t watchdog_dropped;             /* packets */
    uint64_t routing_messages;             /* about links that failed and returned */
};
/* Returns false if the NICs are not of RoCEv2. */
bool sim_roce(const struct sim *, struct sim_roce *);

/* Figures of UET only. */
struct sim_uet {
    uint64_t counters[UET_COUNTER_COUNT]; /* of all NICs */
};
/* Returns false if the NICs are not of UET. */
bool sim_uet(const struct sim *, struct sim_uet *);

/* Links under PFC that have been paused for 1 ms or more and wait for each other, by the ports that
 * send into them: each waits for the next one, and the last one for the first. */
#define SIM_DEADLOCK_LINKS_MAX 16
struct sim_deadlock {
    uint32_t link_count; /* those beyond SIM_DEADLOCK_LINKS_MAX are left out of `ports` */
    struct topology_end ports[SIM_DEADLOCK_LINKS_MAX];
};
/* Returns false if there are none. A group does not look for them. */
bool sim_deadlock(const struct sim *, struct sim_deadlock *);

/* Figures of InfiniBand only. */
struct sim_infiniband {
    uint64_t counters[ROCE_COUNTER_COUNT]; /* of all NICs */
    uint64_t link_repeats;                 /* packets that links sent again */
    uint64_t credit_frames;                /* that returned credit */
    uint64_t waits;                        /* packets that found no credit at their port */
    uint64_t buffer_peak_bytes;            /* the most that a lane of an ingress port held */
    uint64_t lane_bytes;                   /* the buffer of a lane */
};
/* Returns false if the NICs are not of InfiniBand. */
bool sim_infiniband(const struct sim *, struct sim_infiniband *);

struct sim_flow {
    uint32_t workload;
    uint32_t from_rank;
    uint32_t to_rank;
    uint32_t from_nic;
    uint32_t to_nic;
    uint32_t qpn; /* at from_nic */
    uint64_t posted_bytes;
    uint64_t placed_bytes; /* at the destination, each byte once */
    uint64_t completed_bytes;
    uint64_t started_ps; /* first message posted */
    uint64_t oldest_ps;  /* time when the first message with bytes not placed was posted; else 0 */
    uint64_t ended_ps;   /* last message completed */
};
uint32_t sim_flow_count(const struct sim *);
void sim_flow_at(const struct sim *, uint32_t flow_index, struct sim_flow *);
/* Returns true if bytes are not placed of a message that was posted at least `delay_ps` ago. Reads
 * less than sim_flow_at(). */
bool sim_flow_waits(const struct sim *, uint32_t flow_index, uint64_t delay_ps);
uint64_t sim_flow_placed_bytes(const struct sim *, uint32_t flow_index);
/* Adds the placed bytes of all flows to bytes[workload]. */
void sim_placed_bytes(const struct sim *, uint64_t *bytes);
/* An EV of a flow's QP. */
struct sim_ev {
    uint32_t ev;
    uint32_t plane;
    enum path_ev_state state;
    bool is_active; /* in the rotation, not a backup */
};
/* Returns the number of EVs of a flow's QP; 0 if the NICs are not of MRC. */
uint32_t sim_flow_evs(
    const struct sim *, uint32_t flow_index, struct sim_ev out[static PATH_EV_COUNT_MAX]);

/* EVs of all flows, by state. */
struct sim_ev_counts {
    uint64_t usable; /* active, and GOOD or SKIP */
    uint64_t bad;    /* ASSUMED_BAD */
};
/* Zero if the NICs are not of MRC. */
struct sim_ev_counts sim_ev_counts(const struct sim *);

/* Returns the EVs that the flow may use. */
const struct path_profile *sim_flow_profile(const struct sim *, uint32_t flow_index);

/* Returns the payload placed, by plane of arrival, of all NICs. */
void sim_plane_bytes(const struct sim *, uint64_t out[static TOPOLOGY_PLANES_MAX]);

/* Packets placed after one that is further in its flow, repairs included. Level k: behind by 2^k
 * packets or more, and less than twice as many; the last level has no end. */
#define SIM_ORDER_LEVELS 20
struct sim_order {
    uint64_t placed; /* packets */
    uint64_t late;
    uint64_t behind_max; /* packets */
    uint64_t by_level[SIM_ORDER_LEVELS];
};
/* All zero unless the configuration counts order. */
void sim_order(const struct sim *, struct sim_order *);

struct sim_queue {
    uint32_t data_bytes;
    uint32_t control_bytes;
    const struct port_counters *counters;
    uint64_t lost;         /* on the link behind it, or because it was down */
    uint64_t lost_control; /* those of the control class, as far as known */
};
/* Returns the egress queue of a switch port or NIC port at sim_now_ps(). */
bool sim_queue_at(struct sim *, struct topology_end, struct sim_queue *);
/* Returns the longest data queue of any switch port since the last call, and its port. */
uint32_t sim_queue_peak(struct sim *, struct topology_end *where);

/* Returns the verdicts so far; NULL: there are no probes. */
const struct map *sim_map(const struct sim *);

/* Faults: explicit ones first, then those generated so far. */
uint32_t sim_fault_count(const struct sim *);
const struct fault *sim_fault_at(const struct sim *, uint32_t index);

/* Returns true if the fault impairs links now: it has begun, has not ended, and is not a flap in
 * its up phase. */
bool sim_fault_is_in_force(const struct sim *, uint32_t index);
/* Returns when a fault begins, ends or flaps next; SIM_NEVER_PS: never. */
uint64_t sim_fault_next_ps(const struct sim *);
/* The share of payload in what a workload sends: payload bytes and wire bytes of a message. */
struct sim_share {
    uint64_t payload_bytes;
    uint64_t wire_bytes;
    uint64_t srh_bytes; /* wire bytes that are added on paths with an SRH */
};
struct sim_share sim_payload_share(const struct sim *, uint32_t workload);
/* Returns the maximum number of packets that a QP has in flight. */
uint32_t sim_window_psns(const struct sim *);

/* Returns the memory that libmrc uses for a QP that sends and receives, with the paths, windows and
 * queues of this workload; 0: the protocol is not MRC. */
uint64_t sim_qp_bytes(const struct sim *, uint32_t workload);

/* Returns the ideal goodput of a workload in bit/s: the payload rate of its slowest link, without
 * headers; 0: not known. */
uint64_t sim_ideal_bps(const struct sim *, uint32_t workload);

/* Returns a hash of all deliveries: time, NIC, PSN, size. Engines, --wire and compilers must
 * agree. */
uint64_t sim_hash(const struct sim *);
