/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the in-memory network share. Tests use network.h and traffic.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "carried.h"
#include "event_queue.h"
#include "fault.h"
#include "network.h"
#include "ports.h"
#include "region.h"
#include "traffic.h"

#define NETWORK_NONE UINT32_MAX

enum {
    NETWORK_UPLINK_BITS = 8,
};

enum network_event_kind {
    NETWORK_AT_PATH, /* subject: a packet */
    NETWORK_AT_HOST_PORT,
    NETWORK_AT_HOST,
    NETWORK_NIC_FREE, /* host * planes + port */
    NETWORK_TIMER,    /* host */
    NETWORK_FAULT_BEGINS,
    NETWORK_FAULT_ENDS,
    NETWORK_PORT_UP, /* host * planes + port */
    NETWORK_PORT_DOWN,
    NETWORK_ACTION,
};

struct host {
    struct network *network;
    struct transport *transport;
    void *memory;
    uint64_t clock_ns; /* its clock when the network's was 0 */
    uint64_t timer_ps; /* of the timer event that counts; UINT64_MAX: none */
    uint32_t index;
    uint32_t ports_up;
    uint32_t waking; /* bit p: a NETWORK_NIC_FREE event is announced */
    uint64_t refused;
    uint64_t events[TRANSPORT_ENDPOINT_ANSWER + 1];
};

struct message {
    struct traffic_message seen;
    uint64_t key;
    uint64_t offset_bytes; /* in the region */
    uint32_t next;         /* of the flow */
    bool is_verified;
};

struct flow_state {
    struct traffic_flow seen;
    struct region region;
    struct traffic_stream stream;
    uint64_t stream_offset_bytes; /* where its slots begin */
    uint64_t cursor_bytes;        /* the region is in use up to here */
    uint32_t stream_left;
    uint32_t stream_posted;
    uint32_t oldest; /* open message; NETWORK_NONE: none */
    uint32_t newest;
    uint32_t awaited; /* the next message with an immediate may be this one or a later one */
    uint32_t receives_posted;
    uint32_t receives_done;
    struct psn newest_psn;
    bool posts_receives;
};

/* What a QP keeps pointers to. */
struct side_memory {
    void *qp;
    struct path_entry *entries;
    struct path_profile paths;
    uint32_t host;
    struct parameters
        parameters; /* of which `cc` was made; algorithm NULL: another side's is used */
    struct cc_profile cc;
};

struct traffic {
    struct flow_state *flows; /* 2 per connection */
    struct side_memory **sides;
    struct message *messages;
    uint32_t flow_count;
    uint32_t message_count;
    uint32_t message_capacity;
    uint32_t streams_active;
    uint64_t finished;
    struct prng prng;
};

struct recording {
    bool is_on;
    bool (*wanted)(const struct packet *); /* NULL: all */
    struct network_record *all;
    uint32_t count;
    uint32_t capacity;
};

struct network_scheduled {
    void (*action)(struct network *, void *context);
    void *context;
};

struct network {
    struct network_config config;
    uint64_t now_ps;
    struct event_queue events;
    struct fault_list faults;
    struct ports ports;
    struct carried_pool carried;
    struct host hosts[NETWORK_HOSTS_MAX];
    struct traffic traffic;
    struct recording recording;
    uint8_t scratch[4096]; /* payload of the packet being delivered */

    struct network_event *log;
    uint32_t log_count;
    struct network_scheduled *scheduled;
    uint32_t scheduled_count;

    uint64_t sent;
    uint64_t duplicated;
    uint64_t delivered;
    uint64_t lost[LOSS_REASON_COUNT];
    uint64_t hash;
    uint32_t violations;
};

static inline struct ipv6_addr network_address(uint32_t host)
{
    return (struct ipv6_addr){ { [0] = 0xfd, [15] = (uint8_t)(host + 1) } };
}

/* network.c: says what is wrong, on a line of its own, and counts it. */
__attribute__((format(printf, 2, 3))) void network_violation(
    struct network *, const char *format, ...);

/* carry.c */
void carry_packet(struct network *, uint32_t from, const struct packet *, uint64_t key);
void carry_on_path(struct network *, uint32_t packet);
void carry_on_host_port(struct network *, uint32_t packet);
void carry_on_host(struct network *, uint32_t packet);
void carry_on_nic_free(struct network *, uint32_t port);

/* host.c: drives the transports. */
void host_init(struct network *, uint32_t index);
void host_fini(struct host *);
enum drop_reason host_receive(
    struct network *, uint32_t from, uint32_t host, uint64_t key, struct packet *);
void host_touch(struct network *, uint32_t host);
void host_on_timer(struct network *, uint32_t host);
void host_set_port(struct network *, uint32_t host, uint32_t port, bool up);

/* traffic_connect.c, traffic.c, traffic_verify.c */
void traffic_init(struct network *);
void traffic_fini(struct network *);
void traffic_on_event(struct network *, uint32_t host, const struct transport_event *);
void traffic_on_sent(struct network *, const struct packet *);
enum transport_access traffic_place(struct network *, uint32_t host, uint32_t qpn, uint32_t rkey,
    uint64_t va, const struct payload *);
uint32_t traffic_flow_to(const struct network *, uint32_t qpn); /* whose receiver it is */
uint64_t traffic_key(const struct network *, uint32_t host, const struct packet *);
void traffic_continue(struct network *, uint32_t flow); /* its stream, after a completion */
void traffic_check(struct network *);
