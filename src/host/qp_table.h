/* SPDX-License-Identifier: Apache-2.0 */
/* The structure of a QP, and the QPs of an engine. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/host.h"
#include "host/status.h"

struct qp_piece {
    uint64_t address;
    uint32_t length_bytes;
    uint32_t lkey; /* 0: inline */
};

/* A posted send: slot = position modulo the depth, until it completes. */
struct qp_send_slot {
    uint64_t id;
    struct work_request work;
    uint32_t piece_count;
    bool is_faulty; /* its memory was not registered */
};

/* Positions count posts since the QP was reset, and wrap. Only the poster stores `posted`
 * (release); only the engine stores `completed` (release) and uses `taken`. */
struct qp_send_ring {
    struct qp_send_slot *slots;
    struct qp_piece *pieces; /* pieces_max per slot */
    uint8_t *inline_bytes;   /* inline_bytes_max per slot */
    uint32_t mask;
    uint32_t depth;
    uint32_t taken;
    _Alignas(64) _Atomic uint32_t posted;
    _Alignas(64) _Atomic uint32_t completed;
};

struct qp_recv_ring {
    uint64_t *ids;
    uint32_t mask;
    uint32_t depth;
    uint32_t taken;
    _Alignas(64) _Atomic uint32_t posted;
    _Alignas(64) _Atomic uint32_t completed;
};

struct host_qp {
    struct host_nic *nic;
    struct engine *engine; /* one of the NIC's */
    uint32_t qpn;
    uint32_t index;
    struct host_qp_config config;        /* profiles filled in */
    void *memory;                        /* for the transport */
    void *paths_memory;                  /* for the transport, after a change of the EV profile */
    struct status_ev_change *ev_changes; /* by index in the profile */
    _Atomic bool accepts_sends;          /* for the poster: RTS or ERR */
    _Atomic bool accepts_receives;
    bool remote_write;
    uint32_t last_lkey; /* entry of the memory table with the key that a packet used last ... */
    uint32_t last_rkey; /* ... and with the key that a received packet used last */
    struct host_route route; /* to its peer, after it is connected */
    struct qp_send_ring send;
    struct qp_recv_ring recv;
};

/* Uses the NIC's own EVs to this peer, unless the QP was given others (host_qp_profile.c). Returns
 * 0 or a negative errno: -EHOSTUNREACH if there is no path. */
int qp_follow_peer(struct host_qp *, const struct ipv6_addr *peer);

struct qp_table {
    struct host_qp **qps; /* by index; NULL if free */
    uint32_t count_max;
    uint32_t count;
};

int qp_table_init(struct qp_table *, uint32_t count_max);
void qp_table_fini(struct qp_table *);

/* Takes a free index. Returns false if there is none. */
bool qp_table_add(struct qp_table *, struct host_qp *);
void qp_table_remove(struct qp_table *, struct host_qp *);
