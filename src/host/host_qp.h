/* SPDX-License-Identifier: Apache-2.0 */
/* Queue pairs of a NIC: creation, work, state. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "transport/transport.h"

struct host_nic;
struct host_cq;
struct host_ev_profile;
struct host_cc_profile;
struct host_qp;

struct host_qp_config {
    struct host_cq *send_cq;
    struct host_cq *recv_cq;
    void *user; /* returned in completions and events */
    uint32_t domain;
    uint32_t send_depth; /* at least 1 */
    uint32_t recv_depth;
    uint32_t pieces_max;       /* per gather list, at least 1 */
    uint32_t inline_bytes_max; /* may be 0 */
    uint32_t mpr_max;          /* limit for MPR, in units of 128 PSNs; 0: that of the NIC */
    uint32_t write_imm_max;    /* as responder; 0: parameter max_wimm */
    bool signal_all;
    struct host_ev_profile *ev_profile; /* NULL: the NIC's default */
    struct host_cc_profile *cc_profile;
};

/* The new QP is in RESET and has a random number. */
int host_qp_create(struct host_nic *, const struct host_qp_config *, struct host_qp **);
int host_qp_destroy(struct host_qp *);

uint32_t host_qp_number(const struct host_qp *);

/* Sets attributes of transport.h; returns -EINVAL as transport.h specifies. */
int host_qp_modify(struct host_qp *, const struct qp_attributes *, uint32_t attribute_mask);
int host_qp_query(struct host_qp *, struct qp_attributes *);

/* Sets whether peers may write; true after creation. */
int host_qp_allow_remote_write(struct host_qp *, bool allowed);
/* Sets other profiles, in any state; NULL selects the default. Posted and sent work continues. */
int host_qp_set_profiles(struct host_qp *, struct host_ev_profile *, struct host_cc_profile *);

/* ---- work ------------------------------------------------------------------------------------ */

struct host_piece {
    uint64_t address;
    uint32_t length_bytes;
    uint32_t lkey;
};

#define HOST_SEND_INLINE (UINT32_C(1) << 16) /* with enum work_flag: bytes are copied, no lkey */

struct host_send {
    uint64_t id;
    uint64_t remote_va;
    uint32_t rkey;
    uint32_t immediate; /* a number, in host order */
    uint32_t flags;     /* enum work_flag, HOST_SEND_INLINE */
    uint32_t piece_count;
    const struct host_piece *pieces; /* copied */
};

/* Posts an RDMA write. It is sent by host_kick() or the next poll. A wrong lkey causes a completion
 * with COMPLETION_LOCAL_PROTECTION. Returns -EINVAL for a wrong state, too many pieces, or too many
 * bytes (also for inline); -ENOMEM if the queue is full. */
int host_qp_post_send(struct host_qp *, const struct host_send *);
int host_qp_post_recv(struct host_qp *, uint64_t id);
