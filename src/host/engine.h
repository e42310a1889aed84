/* SPDX-License-Identifier: Apache-2.0 */
/* The structure of a NIC, and its rules of ownership.
 *
 * Members of an engine belong to its owner unless they are atomic or their comment says otherwise.
 * Members of the NIC are read by the owners of its engines and changed by an owner of all of them.
 * Memory order: taking an engine is an acquire and giving it up a release, so that an owner sees
 * everything that the previous owner did. `posted_words` and `posted_summary` are set after a
 * ring's tail is stored. An owner that gives the engine up reads the summary afterwards (both
 * sequentially consistent), so that it does not miss work that was posted while it was busy. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/prng.h"
#include "base/ring.h"
#include "host/engine_mail.h"
#include "host/engine_share.h"
#include "host/host.h"
#include "host/map_probe.h"
#include "host/memory_table.h"
#include "host/qp_memory.h"
#include "host/qp_table.h"
#include "host/status.h"
#include "pktio/pktio.h"
#include "wire/frame.h"

enum {
    ENGINE_BATCH = 32, /* frames per call of transport_send(), and per receive of a port */
    ENGINE_PIECES_MAX = 32,
    ENGINE_ROUTES = 64,
    ENGINE_PROBES = 64,
    ENGINE_ASYNC = 256,
    ENGINE_HEADER_BYTES = 256,
};

_Static_assert(ENGINE_HEADER_BYTES >= FRAME_HEADER_BYTES_MAX + 32, "a complete control frame fits");

enum progress_state {
    PROGRESS_AWAKE,    /* the thread drives the engine, or is about to */
    PROGRESS_ASLEEP,   /* the ports are armed; it sleeps until `progress_deadline_ns` at most */
    PROGRESS_WATCHING, /* another thread polls; it checks regularly that this is still so */
};

/* A frame being built. */
struct engine_frame {
    uint8_t header[ENGINE_HEADER_BYTES]; /* contains all of a control frame */
    uint8_t trailer[8];                  /* pad and iCRC of a data frame */
    struct iovec pieces[ENGINE_PIECES_MAX + 2];
};

/* Received bytes that are not copied to memory yet. */
struct engine_write {
    uint8_t *to;
    const uint8_t *from;
    uint32_t length_bytes;
};

struct engine_route {
    struct ipv6_addr peer;
    struct host_route route;
    bool is_known;
};

struct engine_probe { /* a probe with its own outer header */
    uint16_t request_id;
    bool is_set;
    uint32_t address_count;
    struct template_addresses addresses;
};

/* Asynchronous events of one engine. */
struct async_queue {
    struct ring ring;
    struct host_async slots[ENGINE_ASYNC];
    uint64_t lost;
};

/* The part of a NIC that one thread drives: some of its QPs, a transport for them, and a ring on
 * every port. */
struct engine {
    _Alignas(64) _Atomic bool is_owned;
    _Atomic uint32_t waiting; /* calls that wait for the engine: pollers do not take it */
    _Alignas(64) _Atomic uint64_t posted_summary; /* bit w % 64: posted_words[w] may be nonzero */
    _Atomic uint64_t *posted_words;               /* a bit per QP with posted work */
    _Alignas(64) _Atomic uint32_t progress_state;
    _Atomic uint64_t progress_deadline_ns;
    _Atomic bool is_handed_over; /* to the thread, which has not taken it yet */
    _Atomic bool thread_drives;  /* the thread has taken it and polls for work */
    _Atomic bool stops;
    _Atomic bool link_changed;
    _Atomic uint32_t mail_from; /* bit e: engine e has sent a message since the last look */
    /* Stored by every poll; on a cache line that the thread rarely reads. */
    _Alignas(64) _Atomic uint32_t drive_count; /* passes by other threads */
    _Atomic uint32_t skipped_polls; /* passes not made because another thread drove the engine */

    _Alignas(64) struct host_nic *nic; /* the owner's from here on, read for every packet */
    uint32_t index; /* index in the NIC: the low bits of the numbers of its QPs */
    struct transport *transport;
    void *transport_memory;
    size_t transport_bytes;
    struct pktio_port *ports[HOST_PORT_COUNT_MAX];
    struct qp_table qps;
    struct engine_route routes[ENGINE_ROUTES]; /* to destinations without a QP */
    uint32_t full_ports;   /* ports without room when there was something to send */
    uint32_t unsent_ports; /* ports with frames that the system has not taken */
    bool holds_answers;    /* sent answers are visible to the other end only after their release */
    uint32_t idle_polls;
    uint32_t polls_asleep; /* passes by other threads since the progress thread went to sleep */
    uint32_t bulk_passes;  /* consecutive large passes by other threads */
    struct async_queue async;
    struct engine_mail mail[HOST_ENGINE_COUNT_MAX]; /* from each other engine */
    struct engine_share shares[ENGINE_SHARES];
    struct trace_sink trace;
    struct map_probe_log map_probes;

    uint64_t port_receive_drops[HOST_PORT_COUNT_MAX];
    uint64_t pass_count;
    uint64_t progress_pass_count;
    _Atomic uint64_t wakeup_count; /* of the progress thread */

    pthread_t thread; /* the progress thread */
    bool has_thread;
    int wake_fd;

    struct packet packets[ENGINE_BATCH];
    struct engine_frame frames[ENGINE_BATCH];
    struct pktio_frame by_port[HOST_PORT_COUNT_MAX][ENGINE_BATCH];
    struct pktio_received received[PKTIO_BATCH_MAX];
    struct engine_write writes[HOST_PORT_COUNT_MAX * ENGINE_BATCH]; /* not copied yet */
    uint32_t write_count;
};

struct graph_paths;

struct host_nic {
    struct host_config config;
    _Atomic bool is_dead;  /* true in the child of a fork */
    uint32_t engine_count; /* a power of two */
    struct engine *engines[HOST_ENGINE_COUNT_MAX];
    uint32_t last_engine; /* engine that got the last QP */

    struct pktio_tap *tap;
    uint32_t admin_mask;
    uint32_t pmtu_max;
    struct memory_table memory;
    struct qp_memory qp_memory;
    struct host_ev_profile *default_ev;
    struct uneven_paths *uneven; /* profiles for each destination; NULL: default_ev for all */
    struct host_cc_profile *default_cc;
    struct graph_paths *graph; /* NULL if the fabric is not a graph */
    uint32_t listed_count;     /* EV profiles that list addresses */
    uint32_t queue_count;
    uint32_t channel_count;
    uint32_t profile_count;
    uint32_t qp_count;
    struct host_cq *ev_queues; /* a list */
    struct host_cq *cqs;       /* a list */
    uint64_t map_requests;     /* for probes of links, answered so far */
    struct prng prng;
    int async_fd; /* counts the events of all engines */

    /* Of engine 0, which alone sends the probes that callers request. */
    struct engine_probe probes[ENGINE_PROBES];
    struct host_probe_answer answers[ENGINE_PROBES];
    uint32_t answer_head;
    uint32_t answer_tail;

    pthread_mutex_t watch_lock; /* protects the next three members */
    int watch_fd;
    void (*on_watched)(void *context);
    void *watch_context;
    struct status *status; /* NULL if there is no status socket */

    struct host_nic *next; /* next NIC of the process, for fork */
    struct host_nic *previous;
};

/* ---- ownership (engine.c) ---------------------------------------------------------------------
 */

bool engine_try_own(struct engine *);
/* Waits for the engine. Returns 0, or -ENODEV in the child of a fork. */
int engine_own(struct engine *);
/* Also serves work that was posted meanwhile, and wakes the progress thread if necessary. */
void engine_release(struct engine *);
/* Takes all engines of the NIC in order, for calls that change what they share. */
int engine_own_all(struct host_nic *);
void engine_release_all(struct host_nic *);

/* ---- open and close (engine_open.c) ---------------------------------------------------------- */

int engine_make_all(struct host_nic *, uint32_t count);
int engine_open_all(struct host_nic *); /* ports and transports; sets pmtu_max */
int engine_start_all(struct host_nic *);
void engine_stop_all(struct host_nic *);
void engine_close_all(struct host_nic *); /* ports */
void engine_free_all(struct host_nic *);

/* ---- the owner's work -------------------------------------------------------------------------
 */

/* Receives, expires timers and calls engine_pass_out(). Returns the amount of work, 0 if idle. */
uint32_t engine_pass(struct engine *);

/* Takes posted work, answers what was received and places its bytes, reports events, sends. An
 * application may exit as soon as it sees a completion, so the answers that the peer needs are in
 * the ports before the completion is reported. */
uint32_t engine_pass_out(struct engine *, uint64_t now_ns);

uint32_t engine_receive(struct engine *, uint64_t now_ns); /* engine_receive.c */
/* The transport's callback for received bytes: checks their destination and records them for
 * engine_place(). `context` is the engine (engine_place.c). */
enum transport_access engine_keep(
    void *context, void *owner, uint32_t qpn, uint32_t rkey, uint64_t va, const struct payload *);
/* Copies the bytes of the last engine_receive() to memory. */
void engine_place(struct engine *);
/* Sends the answers to received packets, and places their bytes (engine_send.c). */
uint32_t engine_answer(struct engine *, uint64_t now_ns);
uint32_t engine_send(struct engine *, uint64_t now_ns);        /* engine_send.c */
uint32_t engine_take_posted(struct engine *, uint64_t now_ns); /* engine_post.c */
/* Reports the events whose answers have been sent. */
uint32_t engine_report(struct engine *); /* engine_report.c */
/* Reports all events, before the objects that they refer to are freed. */
uint32_t engine_report_all(struct engine *);
/* Returns whether there are processors for the threads of several engines. Large amounts of work
 * are then left to the threads. */
static inline bool engine_has_siblings(const struct engine *engine)
{
    return engine->nic->engine_count > 1;
}

/* Returns whether ports hold frames that the system has not taken, or there is something to send
 * and no room. */
static inline bool engine_waits_for_room(const struct engine *engine)
{
    return engine->unsent_ports ||
           (engine->full_ports && transport_wants_to_send(engine->transport));
}

void engine_update_links(struct engine *, uint64_t now_ns);

/* Finds the route to a peer (engine_route.c). */
void engine_find_route(const struct engine *, const struct ipv6_addr *peer, struct host_route *);
/* Writes the outer addresses of a packet and returns their number, 0 to 2. `qp` is the QP that
 * sends it, NULL if there is none. */
uint32_t engine_route(
    struct engine *, const struct host_qp *, const struct packet *, struct template_addresses *out);

/* Ends a QP whose local memory is not accessible (engine_post.c). */
void engine_fail_local(struct engine *, struct host_qp *, uint32_t position, uint64_t now_ns);

void engine_async(struct engine *, const struct host_async *); /* queue_channel.c */

/* ---- the progress thread (progress.c) ---------------------------------------------------------
 */

int progress_start(struct engine *);
void progress_stop(struct engine *);
void progress_wake(struct engine *);
/* Called by an owner other than the thread after a poll. */
void progress_note_poll(struct engine *);

/* ---- fork (fork_guard.c) ----------------------------------------------------------------------
 */

void fork_guard_add(struct host_nic *);
void fork_guard_remove(struct host_nic *);
