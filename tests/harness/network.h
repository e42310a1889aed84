/* SPDX-License-Identifier: Apache-2.0 */
/* A network in memory: hosts with real transports, links with delays, the ports of src/switch as
 * the only queues, and faults. It keeps its own time in picoseconds; the same seed does the same
 * thing.
 *
 *     NIC port --link--> path (plane, uplink) --link--> port to the host --link--> host
 *
 * A path's port marks (RED), the port to the host, shared by all senders on that plane, does not;
 * both trim. A path is chosen by the EV, `plane << 8 | uplink`, or by a hash of it. Each path has
 * its own port towards each host.
 *
 * The network watches while it runs: every byte placed once and right before its write completes,
 * completions and immediates in order, new PSNs in sequence, EVs on the ports they belong to, every
 * packet delivered or lost for a reason. What is wrong it prints and counts: network_violations().
 * Connections and work for them: traffic.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "switch/switch.h"
#include "transport/transport.h"
#include "wire/format.h"

enum {
    NETWORK_HOSTS_MAX = 64,
    NETWORK_PLANES_MAX = 16,
    NETWORK_UPLINKS_MAX = 256,
};

enum network_payload {
    NETWORK_BYTES,   /* payload is made, placed and verified */
    NETWORK_LENGTHS, /* lengths only: placements are counted, for long runs */
    NETWORK_FRAMES,  /* through wire/: packets travel as frames, marked, trimmed and parsed as bytes
                      */
};

/* A packet about to cross the network, or to be delivered. */
struct network_sight {
    uint64_t time_ps;
    uint32_t from;
    uint32_t to;
    struct packet *packet; /* a filter may alter it; of payload it has offset_bytes */
};

struct network_filter {
    /* Every packet as it leaves its NIC, before the faults have their say. */
    void (*on_send)(void *context, const struct network_sight *, struct fault_effect *);
    /* Every packet that reaches a host undamaged, before the transport gets it. */
    void (*on_deliver)(void *context, const struct network_sight *);
    void *context;
};

struct network_config {
    uint64_t seed;
    uint32_t host_count;
    uint32_t plane_count;
    uint32_t uplink_count; /* paths per plane */
    uint64_t port_bps;     /* of every link */
    uint64_t base_rtt_ps;  /* a full packet there and its SACK back, nothing else under way */
    bool knows_rtt;        /* hosts are told what packets to their peers take, as in a plan */
    uint32_t room_packets; /* that may wait in a NIC port before it is not ready */
    bool delays_only;      /* no queues and no rates at all: every packet takes half a base RTT */
    bool hashed;           /* EVs are hashed (ECMP), profiles AUTO */
    bool marks;
    bool marks_last_hop;
    bool trims;
    uint16_t trimmed_bytes;
    uint32_t path_limit_bytes; /* data queues; 0: 1 BDP of a port, 5 without trimming */
    uint32_t host_limit_bytes; /* 0: 1.5 BDP, 5 without trimming */
    enum network_payload payload;
    bool checks; /* transport_check() and port_check() after every event: slow */
    struct network_filter filter;
    const struct wire_format *format; /* NETWORK_FRAMES */
    const struct trace_sink *trace;   /* of all hosts; NULL: none */
    /* For all hosts. link_bps, base_rtt, network_trims and last_hop_ecn are set by network_open().
     */
    struct parameters parameters;
};

/* Two hosts, 8 planes of 32 paths, 8 x 50 Gb/s, 10 us; trims, marks, real bytes, no faults.
 * Settings are literal. */
struct network_config network_config_default(uint64_t seed);
/* The same with the transport's own defaults, and with round trips known. */
struct network_config network_config_usual(uint64_t seed);

struct network;

struct network *network_open(const struct network_config *);
void network_close(struct network *);

/* ---- time ----------------------------------------------------------------------------------- */

uint64_t network_now_ps(const struct network *);
uint64_t network_clock_ns(
    const struct network *, uint32_t host); /* hosts disagree about the time */

void network_run_until(struct network *, uint64_t time_ps);
/* Until every message is done or has failed and no stream goes on; false when `limit_ps` came
 * first. */
bool network_run_until_idle(struct network *, uint64_t limit_ps);
/* Until `count` messages are done or have failed, over all flows. */
bool network_run_until_completed(struct network *, uint64_t count, uint64_t limit_ps);

void network_at(struct network *, uint64_t time_ps, void (*action)(struct network *, void *context),
    void *context);

/* ---- faults --------------------------------------------------------------------------------- */

uint32_t network_fault(
    struct network *, const struct fault_rule *); /* from now on; returns its number */
void network_fault_end(struct network *, uint32_t fault);
void network_fault_between(
    struct network *, const struct fault_rule *, uint64_t from_ps, uint64_t until_ps);

/* The link between a NIC port and its switch; the host notices at once. */
void network_port_set(struct network *, uint32_t host, uint32_t port, bool up);
void network_port_down_between(
    struct network *, uint32_t host, uint32_t port, uint64_t from_ps, uint64_t until_ps);

/* Another rate for the path's ports, towards every host; their queues shrink or grow with it. */
void network_path_rate(struct network *, uint32_t plane, uint32_t uplink, uint64_t bps);

/* ---- packets -------------------------------------------------------------------------------- */

struct network_record {
    uint64_t time_ps;
    uint64_t key; /* of its payload */
    uint32_t from;
    uint32_t to;
    struct packet packet;
};

/* Keeps every packet from now on as it leaves its transport, if `wanted` says so (NULL: all). */
void network_record(struct network *, bool (*wanted)(const struct packet *));
uint32_t network_record_count(const struct network *);
const struct network_record *network_record_at(const struct network *, uint32_t index);

/* To its destination, now, with its payload. */
enum drop_reason network_replay(struct network *, const struct network_record *);
/* Any packet; payload.bytes, if any, is the caller's. */
enum drop_reason network_inject(struct network *, uint32_t host, const struct packet *);

/* ---- looking -------------------------------------------------------------------------------- */

uint32_t network_host_count(const struct network *);
uint32_t network_plane_count(const struct network *);
uint32_t network_uplink_count(const struct network *);
struct transport *network_transport(struct network *, uint32_t host);
/* Call after doing anything to a transport directly: fetches its events, sends, sets its timer. */
void network_touch(struct network *, uint32_t host);

struct network_event {
    uint64_t time_ps;
    uint32_t host;
    struct transport_event event;
};
/* All transport events but successful completions, up to a few thousand. */
uint32_t network_event_count(const struct network *);
const struct network_event *network_event_at(const struct network *, uint32_t index);
uint64_t network_events_of(const struct network *, uint32_t host, enum transport_event_kind);

/* LOST_LINK_DOWN: on a dead path, plane or port; LOST_DATA_QUEUE: dropped by a port. */
uint64_t network_lost(const struct network *, enum loss_reason);
uint64_t network_delivered(const struct network *);
uint64_t network_refused(const struct network *, uint32_t host); /* placements, by key or bounds */

const struct port_counters *network_path_counters(
    const struct network *, uint32_t to, uint32_t plane, uint32_t uplink);
const struct port_counters *network_host_counters(
    const struct network *, uint32_t to, uint32_t plane);

/* Of every delivery: when, where, what. Equal runs have equal hashes, whatever form the payload
 * has. */
uint64_t network_hash(const struct network *);

/* The network's own invariants, red zones and transport_check() of every host. Counts as violations
 * what is wrong. */
void network_check(struct network *);
uint32_t network_violations(const struct network *);
