/* SPDX-License-Identifier: Apache-2.0 */
/* A real endpoint: a NIC that is its ports, a transport, registered memory and queues, driven on a
 * real clock. The front door of this folder.
 *
 * A NIC has one engine or several, each with its share of the QPs. The thread that has set its
 * atomic flag owns an engine. Polling threads and progress threads only ever try to take it; calls
 * that change something (open, register, create, modify, destroy, query) wait until the owner lets
 * go, which is soon. Posting and polling take no lock: calls on one QP (post_send, post_recv) and
 * on one queue (poll) must not overlap with themselves; a caller with many threads holds one
 * spinlock per QP and queue.
 *
 * All calls yield 0 or a negative errno unless they say otherwise. In the child of a fork a NIC is
 * dead: every call on it yields -ENODEV, and host_close() only frees memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/host_memory.h"
#include "host/host_profile.h"
#include "host/host_qp.h"
#include "host/host_queue.h"
#include "transport/transport.h"
#include "wire/format.h"

#define HOST_PORT_COUNT_MAX   PATH_PLANE_COUNT_MAX
#define HOST_NAME_BYTES       64
#define HOST_ENGINE_COUNT_MAX TRANSPORT_ENGINES_MAX

struct host_nic;
struct pktio_port;

/* ---- a NIC ----------------------------------------------------------------------------------- */

struct host_port_config {
    /* What pktio_open() takes: "shm:PATH", "shm-listen:PATH", "udp:LOCAL,REMOTE", "raw:INTERFACE",
     * "xdp:INTERFACE", each with options after '?' (pktio/pktio_open.h). */
    const char *address;
    struct pktio_port *port; /* instead of an address: one that is open; becomes the NIC's */
};

/* The way to a destination, as it looks on the wire. */
struct host_route {
    bool is_encapsulated; /* false: no outer header, EVs in the UDP source port */
    struct path_template template;
};

/* Yields the way to `peer`; a negative errno: none. Called by the engine, must not block. */
typedef int (*host_route_function)(
    void *context, const struct ipv6_addr *peer, struct host_route *out);

struct host_config {
    char name[HOST_NAME_BYTES]; /* "mrc0": in captures, and said to the other end of a port */
    struct ipv6_addr address;
    uint32_t port_count;
    struct host_port_config ports[HOST_PORT_COUNT_MAX];
    uint32_t qp_count_max;
    uint32_t region_count_max;
    struct wire_format format;
    struct parameters parameters; /* host_config_init(): with the floors for software */
    uint32_t
        uplink_count; /* of the fabric, for EVs chosen by the NIC; 0: it hashes or has one path */
    host_route_function route; /* NULL: no outer headers */
    void *route_context;
    const char *graph_path;   /* the file that describes a fabric that is a graph; the NIC then
                                 finds the way to each destination in it. NULL: by `route` */
    const char *capture_path; /* pcapng of all frames; NULL: what MRC_PCAP says, if anything */
    const char *status_path;  /* where it can be asked (host/status.h); NULL: RUN/mrc/NAME/status */
    uint32_t spin_us;         /* a progress thread polls so long before it sleeps */
    uint32_t engine_count;    /* a power of two, at most HOST_ENGINE_COUNT_MAX; 0: by the number of
                                 processors. One, if a port cannot tell engines apart */
    bool without_progress;    /* no progress thread: host_progress() alone moves things (tests) */
    uint64_t seed;            /* 0: from the system */
};

/* Defaults: one port, software floors of docs/protocol.md §23 on a real clock, everything else as
 * the transport has it. */
void host_config_init(struct host_config *);

/* One parameter by name, as in a file; PARAMETERS_OK or what is wrong with it. */
enum parameters_error host_config_set(struct host_config *, const char *name, const char *value);

/* By the plan of the fabric (docs/fabric.md §5); the context is a struct plan_nic. */
int host_route_by_plan(void *context, const struct ipv6_addr *peer, struct host_route *out);

/* The random numbers that keys, QPNs and first PSNs are drawn from. */
uint32_t host_random(void);

uint64_t host_now_ns(void); /* CLOCK_MONOTONIC: the engine's clock */

int host_open(const struct host_config *, struct host_nic **);
/* Everything made from it must be gone (-EBUSY otherwise, and the NIC stays). */
int host_close(struct host_nic *);

const struct host_config *host_config_of(const struct host_nic *);
bool host_is_dead(const struct host_nic *); /* we are the child of a fork */

/* Drives each engine once that no other thread drives, as host_cq_poll() does. Returns how much
 * there was to do, 0 when idle or when other threads drive them. */
uint32_t host_progress(struct host_nic *);

/* After posting to one QP or several: lets what can leave now leave. Never waits. */
void host_kick(struct host_nic *);

/* The progress thread calls `on_readable` whenever `fd` is readable, without holding the engine.
 * One watch per NIC; fd -1 ends it. For the files of a device that others may change. */
int host_watch(struct host_nic *, int fd, void (*on_readable)(void *context), void *context);

/* ---- ports ----------------------------------------------------------------------------------- */

struct host_port_state {
    bool link_up;
    bool admin_up;
    bool usable;        /* carries traffic: not held back, probed (§18) */
    uint32_t mtu_bytes; /* largest frame, from its first IP header on */
    uint64_t rate_bps;
    char kind[8]; /* "shm" */
    uint64_t frames_received;
    uint64_t bytes_received;
    uint64_t frames_sent;
    uint64_t bytes_sent;
    uint64_t send_drops;    /* the port had no room, or the system refused */
    uint64_t receive_drops; /* what did not parse, or failed its iCRC */
};

/* Ports count from 0. */
int host_port_query(struct host_nic *, uint32_t port_index, struct host_port_state *);
int host_port_set_admin(struct host_nic *, uint32_t port_index, bool up);

/* The largest payload of a packet that all ports carry: 4096, 2048, 1024, 512 or 256. */
uint32_t host_pmtu_max(const struct host_nic *);

/* ---- looking at it ----------------------------------------------------------------------------
 */

struct host_counters {
    uint64_t transport[COUNTER_COUNT];
    uint64_t drops[DROP_REASON_COUNT]; /* with those found before the transport: parsing, iCRC */
    uint64_t engine_passes;            /* by anybody */
    uint64_t progress_passes;          /* by the progress thread */
    uint64_t progress_wakeups;         /* how often it slept and woke */
    uint64_t async_events_lost;
};
int host_counters(struct host_nic *, struct host_counters *);

/* ---- endpoint probes --------------------------------------------------------------------------
 */

struct host_probe {
    struct ipv6_addr dst;
    uint32_t ev; /* as it travels in the inner headers */
    uint32_t port;
    enum dscp_class class;
    uint32_t address_count; /* 0: the way is that of `ev`; 1, 2: the outer header is given */
    struct template_addresses addresses;
};

struct host_probe_answer {
    uint16_t request_id;
    uint32_t port;
    uint64_t rtt_ns;
};

/* -EAGAIN: too many are under way. */
int host_probe_send(struct host_nic *, const struct host_probe *, uint16_t *request_id);
/* Yields how many answers it wrote, up to `max`: in order of arrival, of all that asked. */
uint32_t host_probe_answers(struct host_nic *, struct host_probe_answer *, uint32_t max);
