/* SPDX-License-Identifier: Apache-2.0 */
/* The status of a NIC for other processes: the progress thread answers on a Unix socket, between
 * passes of the engine, and never waits for a client. Answers are JSON objects. The table of
 * requests is in status.c; the request `help` lists them.
 *
 * The owner of an engine pushes changes to report into a ring, which the progress thread of engine
 * 0 empties. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/ring.h"
#include "base/trace.h"
#include "host/host.h"
#include "pktio/pktio.h"
#include "wire/ip_address.h"

struct engine;
struct host_nic;
struct host_qp;

enum {
    STATUS_EVENTS = 256,
    STATUS_LEVEL_CHANGES = 1,
    STATUS_LEVEL_ALL = 2,
    STATUS_QPS_AT_ONCE = 64,
};

enum status_event_kind {
    STATUS_EV,      /* values: EV, plane << 16 | from << 8 | to, cause */
    STATUS_PORT,    /* port, enum status_port_change */
    STATUS_QP,      /* from, to, completion status */
    STATUS_TIMEOUT, /* PSN, timeouts so far, interval in ns */
};

enum status_port_change { STATUS_LINK_DOWN, STATUS_LINK_UP, STATUS_UNUSABLE, STATUS_USABLE };

struct status_event {
    uint64_t time_ns;
    enum status_event_kind kind;
    uint32_t qpn;
    bool has_peer;
    struct ipv6_addr peer; /* of the QP */
    uint64_t values[3];
};

/* The last change of an EV, kept in its QP. */
struct status_ev_change {
    uint32_t at_ms; /* on the engine's clock, never 0; 0 if it never changed */
    uint8_t cause;  /* enum path_signal */
};

/* From one engine to the progress thread that reports. */
struct status_ring {
    struct ring ring;
    struct status_event events[STATUS_EVENTS];
};

struct status {
    struct control_server server;
    char path[128];
    uint32_t turns; /* turns of the progress thread since it last served clients */
    uint64_t lost_count;
    /* Shared by engines and the progress thread. */
    _Atomic uint32_t level; /* the highest level that a client follows; 0 if there is none */
    _Atomic uint32_t lost;  /* events for which the ring had no room */
    struct status_ring rings[HOST_ENGINE_COUNT_MAX];
};

/* Opens the socket at the configured path, or in the folder of the device. If there is no such
 * folder, or another process serves it, the NIC works without a socket. */
void status_open(struct host_nic *);
void status_close(struct host_nic *);
/* Closes the sockets in the child of a fork. */
void status_abandon(struct host_nic *);

/* ---- for the progress thread, which does not own the engine ---------------------------------- */

void status_serve(struct host_nic *);
/* Serves clients at intervals, even if the thread is busy. */
void status_turn(struct host_nic *);
/* Readable when status_serve() has something to do; -1 if there is no socket. */
int status_fd(const struct host_nic *);

/* The caller frees the answer; NULL if there is no memory. */
char *status_answer_device(struct host_nic *);
char *status_answer_ports(struct host_nic *);
char *status_answer_counters(struct host_nic *);
char *status_answer_qps(struct host_nic *, uint32_t from);
char *status_answer_qp(struct host_nic *, uint32_t qpn);
char *status_answer_evs(struct host_nic *, uint32_t qpn);
void status_write_event(
    const struct host_nic *, const struct status_event *, char *line, size_t room_bytes);

/* ---- for the owner of the engine ------------------------------------------------------------- */

/* The context is the struct engine. */
void status_on_trace(void *context, const struct trace_event *);
void status_on_port(struct engine *, uint32_t port, enum status_port_change, uint64_t now_ns);
/* Returns whether this engine, or for engine 0 any engine, has changes to report. */
bool status_has_news(const struct engine *);
