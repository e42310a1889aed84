/* SPDX-License-Identifier: Apache-2.0 */
/* A NIC seen from outside its process: the progress thread answers on a Unix socket, between passes
 * of the engine, never waiting for whoever asks. Answers are JSON objects.
 *
 *     dev             what the NIC is, and its parameters
 *     port            its ports
 *     stat            counters, drops by reason
 *     qp FROM         QPs, some at a time; "next": where to go on, 0 at the end
 *     qpn QPN         one QP
 *     ev QPN          the EVs of a QP
 *     monitor [all]   a line per event from now on; all: with EVs that are skipped and return
 *
 * The owner of an engine pushes a change that is to be told into a ring, which the progress thread
 * of engine 0 empties. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/ring.h"
#include "base/trace.h"
#include "host/host.h"
#include "pktio/pktio.h"

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
    uint64_t values[3];
};

/* The last change of an EV, kept in its QP. */
struct status_ev_change {
    uint32_t at_ms; /* on the engine's clock, and never 0; 0: it never changed */
    uint8_t cause;  /* enum path_signal */
};

/* From one engine to the progress thread that tells. */
struct status_ring {
    struct ring ring;
    struct status_event events[STATUS_EVENTS];
};

struct status {
    struct control_server server;
    char path[128];
    uint32_t turns; /* of the progress thread since it last served */
    uint64_t lost_count;
    /* Between engines and progress thread. */
    _Atomic uint32_t level; /* the highest that somebody follows; 0: nobody does */
    _Atomic uint32_t lost;  /* events for which the ring had no room */
    struct status_ring rings[HOST_ENGINE_COUNT_MAX];
};

/* Where the config says, or in the folder of the device. Nothing happens where there is no such
 * folder, or somebody answers there: the NIC works all the same. */
void status_open(struct host_nic *);
void status_close(struct host_nic *);
/* The child of a fork lets go of the sockets. */
void status_abandon(struct host_nic *);

/* ---- by the progress thread, which does not own the engine ------------------------------------
 */

void status_serve(struct host_nic *);
/* Serves now and then, however busy the thread is. */
void status_turn(struct host_nic *);
/* Readable when status_serve() has something to do; -1: there is no socket. */
int status_fd(const struct host_nic *);

/* To be freed; NULL: no memory. */
char *status_answer_device(struct host_nic *);
char *status_answer_ports(struct host_nic *);
char *status_answer_counters(struct host_nic *);
char *status_answer_qps(struct host_nic *, uint32_t from);
char *status_answer_qp(struct host_nic *, uint32_t qpn);
char *status_answer_evs(struct host_nic *, uint32_t qpn);
void status_write_event(
    const struct host_nic *, const struct status_event *, char *line, size_t room_bytes);

/* ---- by the owner of the engine ---------------------------------------------------------------
 */

/* The context is the struct engine. */
void status_on_trace(void *context, const struct trace_event *);
void status_on_port(struct engine *, uint32_t port, enum status_port_change, uint64_t now_ns);
/* Something of this engine waits to be told; of any engine, if it is engine 0, which tells. */
bool status_has_news(const struct engine *);
