/* SPDX-License-Identifier: Apache-2.0 */
/* QPs of a NIC: what one is, and finding it by its number or by its peer. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/host_qp.h"
#include "host/status.h"

struct qp_piece {
    uint64_t address;
    uint32_t length_bytes;
    uint32_t lkey; /* 0: inline */
};

/* A send posted: slot = position modulo the depth, until it completes. */
struct qp_send_slot {
    uint64_t id;
    struct work_request work;
    uint32_t piece_count;
    bool is_faulty; /* its memory was not registered */
};

/* Positions count posts since the QP was reset, and wrap. The poster alone stores `posted`
 * (release), the engine alone stores `completed` (release); `taken` is the engine's own. */
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
    void *memory;                        /* the transport's */
    void *paths_memory;                  /* likewise, since it got another EV profile */
    struct status_ev_change *ev_changes; /* by index in the profile */
    _Atomic bool accepts_sends;          /* for the poster: RTS or ERR */
    _Atomic bool accepts_receives;
    bool remote_write;
    struct ipv6_addr peer; /* once connected */
    uint32_t peer_qpn;
    bool has_peer;
    struct qp_send_ring send;
    struct qp_recv_ring recv;
};

/* Uses the NIC's own EVs towards this peer, unless the QP was given others (qp_profile.c). 0 or a
 * negative errno; -EHOSTUNREACH: no path leads there. */
int qp_follow_peer(struct host_qp *, const struct ipv6_addr *peer);

struct qp_table {
    struct host_qp **qps; /* by index; NULL: free */
    uint32_t *by_number;  /* open addressing: index + 1; 0: empty */
    uint32_t *by_peer;
    uint32_t slot_mask;
    uint32_t count_max;
    uint32_t count;
};

int qp_table_init(struct qp_table *, uint32_t count_max);
void qp_table_fini(struct qp_table *);

/* Takes a free index; false: none. */
bool qp_table_add(struct qp_table *, struct host_qp *);
void qp_table_remove(struct qp_table *, struct host_qp *);
/* A peer became known or was forgotten. */
void qp_table_peers_changed(struct qp_table *);

struct host_qp *qp_table_find(const struct qp_table *, uint32_t qpn);
/* The QP with this peer; any QP to that address if `peer_qpn` is 0. NULL: none. */
struct host_qp *qp_table_find_peer(
    const struct qp_table *, const struct ipv6_addr *, uint32_t peer_qpn);
