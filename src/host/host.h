/* SPDX-License-Identifier: Apache-2.0 */
/* A real endpoint: a NIC with ports, transports, registered memory and queues, driven by a real
 * clock. This is the public header of this folder.
 *
 * A NIC has one engine or several, each with its share of the QPs. The thread that has set the
 * atomic flag of an engine owns it. Polling threads and progress threads only try to take it. Calls
 * that change something (open, register, create, modify, destroy, query) wait until the owner gives
 * it up, which is soon. Posting and polling take no lock: two calls on one QP (post_send,
 * post_recv) or on one queue (poll) must not overlap. A caller with many threads holds one spinlock
 * per QP and queue.
 *
 * All calls return 0 or a negative errno unless their comment says otherwise. In the child of a
 * fork a NIC is dead: every call on it returns -ENODEV, and host_close() only frees memory. */
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
    /* The argument of pktio_open(): "shm:PATH", "shm-listen:PATH", "udp:LOCAL,REMOTE",
     * "raw:INTERFACE" or "xdp:INTERFACE", with options after '?' (pktio/pktio_open.h). */
    const char *address;
    struct pktio_port *port; /* an open port instead of an address; the NIC then owns it */
};

/* The outer headers towards a destination. */
struct host_route {
    bool is_encapsulated; /* false if there is no outer header and EVs are in the UDP source port */
    struct path_template template;
};

/* Finds the route to `peer`, or returns a negative errno if there is none. Called by the engine;
 * must not block. */
typedef int (*host_route_function)(
    void *context, const struct ipv6_addr *peer, struct host_route *out);

struct host_config {
    char name[HOST_NAME_BYTES]; /* "mrc0": in captures, and sent to the other end of a port */
    struct ipv6_addr address;
    uint32_t port_count;
    struct host_port_config ports[HOST_PORT_COUNT_MAX];
    uint32_t qp_count_max;
    uint32_t region_count_max;
    struct wire_format format;
    struct parameters parameters; /* host_config_init() applies the floors for software */
    uint32_t
        uplink_count; /* of the fabric, for EVs chosen by the NIC; 0 if it hashes or has one path */
    host_route_function route; /* NULL if there are no outer headers */
    void *route_context;
    const char *graph_path; /* the file that describes a fabric that is a graph: the NIC plans its
                               paths from it. NULL: `route` is used */
    const char *exceptions_path; /* the file that describes a fabric with missing or slower links,
                                    by which EVs have weights. NULL: all weights are equal */
    const char *capture_path;    /* pcapng of all frames; NULL: the value of MRC_PCAP, if set */
    const char *status_path;     /* status socket (host/status.h); NULL: RUN/mrc/NAME/status */
    uint32_t spin_us;            /* time for which a progress thread polls before it sleeps */
    uint32_t engine_count; /* a power of two, at most HOST_ENGINE_COUNT_MAX; 0: derived from the
                              number of processors. One, if a port cannot separate engines */
    bool without_progress; /* no progress thread: only host_progress() drives the NIC (tests) */
    uint64_t seed;         /* 0: from the system */
};

/* Defaults: one port, the software floors of docs/protocol.md §23 on a real clock, and the defaults
 * of the transport. */
void host_config_init(struct host_config *);

/* Sets one parameter by name, as in a file. Returns PARAMETERS_OK or the error. */
enum parameters_error host_config_set(struct host_config *, const char *name, const char *value);

/* A host_route_function for the plan of the fabric (docs/fabric.md §5); the context is a struct
 * plan_nic. */
int host_route_by_plan(void *context, const struct ipv6_addr *peer, struct host_route *out);

/* Random numbers for keys, QPNs and first PSNs. */
uint32_t host_random(void);

uint64_t host_now_ns(void); /* CLOCK_MONOTONIC: the engine's clock */

int host_open(const struct host_config *, struct host_nic **);
/* Everything that was created from the NIC must be destroyed before; otherwise it returns -EBUSY
 * and the NIC stays open. */
int host_close(struct host_nic *);

bool host_is_dead(const struct host_nic *); /* this is the child of a fork */

/* Drives each engine once that no other thread drives, as host_cq_poll() does. Returns the amount
 * of work, 0 if idle or if other threads drive all engines. */
uint32_t host_progress(struct host_nic *);

/* Sends posted work that can leave now. Called after posting to one QP or several. Never waits. */
void host_kick(struct host_nic *);

/* Makes the progress thread call `on_readable` whenever `fd` is readable, without owning the
 * engine. There is one watch per NIC; fd -1 ends it. Used for the files of a device that other
 * processes may change. */
int host_watch(struct host_nic *, int fd, void (*on_readable)(void *context), void *context);

/* ---- ports ----------------------------------------------------------------------------------- */

struct host_port_state {
    bool link_up;
    bool admin_up;
    bool usable;        /* carries traffic: not held down, probed (§18) */
    uint32_t mtu_bytes; /* largest frame, counted from its first IP header */
    uint64_t rate_bps;
    char kind[8]; /* "shm" */
    uint64_t frames_received;
    uint64_t bytes_received;
    uint64_t frames_sent;
    uint64_t bytes_sent;
    uint64_t send_drops;    /* the port had no room, or the system refused */
    uint64_t receive_drops; /* frames that did not parse or failed their iCRC */
};

/* Ports are numbered from 0. */
int host_port_query(struct host_nic *, uint32_t port_index, struct host_port_state *);
int host_port_set_admin(struct host_nic *, uint32_t port_index, bool up);

/* Returns the largest payload of a packet that all ports carry: 4096, 2048, 1024, 512 or 256. */
uint32_t host_pmtu_max(const struct host_nic *);

/* ---- status and counters --------------------------------------------------------------------- */

struct host_counters {
    uint64_t transport[COUNTER_COUNT];
    uint64_t drops[DROP_REASON_COUNT]; /* including those of parsing and iCRC */
    uint64_t engine_passes;            /* by any thread */
    uint64_t progress_passes;          /* by the progress thread */
    uint64_t progress_wakeups;         /* number of times it slept and woke */
    uint64_t async_events_lost;
};
int host_counters(struct host_nic *, struct host_counters *);

/* ---- endpoint probes --------------------------------------------------------------------------
 */

struct host_probe {
    struct ipv6_addr dst;
    uint32_t ev; /* as carried in the inner headers */
    uint32_t port;
    enum dscp_class class;
    uint32_t address_count; /* 0: the path of `ev` is used; 1, 2: the outer header is given */
    struct template_addresses addresses;
};

struct host_probe_answer {
    uint16_t request_id;
    uint32_t port;
    uint64_t rtt_ns;
};

/* Returns -EAGAIN if too many probes are in flight. */
int host_probe_send(struct host_nic *, const struct host_probe *, uint16_t *request_id);
/* Writes up to `max` answers to the probes of all callers, in order of arrival, and returns their
 * number. */
uint32_t host_probe_answers(struct host_nic *, struct host_probe_answer *, uint32_t max);
