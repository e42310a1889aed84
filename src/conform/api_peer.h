/* SPDX-License-Identifier: Apache-2.0 */
/* The other end of a check, in a process of its own, with the library under test or with ours. The
 * check tells it what to do through a socket, one request at a time. A request that fails at the
 * peer is reported by the peer, and ends the check. */
#pragma once

#include "conform/api_side.h"

struct api_peer {
    int fd;
    bool is_ours;
    struct api_side_wants wants; /* how api_peer_open() opens it */
    struct api_card card;        /* of api_peer_open() */
};

/* ---- for checks ------------------------------------------------------------------------------ */

/* Opens device, queues and QP. */
void api_peer_open(struct api_run *);
void api_peer_connect(struct api_run *, const struct api_card *);
/* Opens both ends and connects them. `mrc` and its mask: for the end of this process. */
void api_peer_join(struct api_run *, struct api_side *, const struct api_side_wants *mine,
    const struct mrc_qp_attr *mrc, int mrc_mask);
/* Posts `count` receives with ids from `first_id`. */
void api_peer_receive(struct api_run *, uint64_t first_id, uint32_t count);
void api_peer_write(struct api_run *, const struct api_write *);
/* Waits for a completion of a write or of a receive. */
struct ibv_wc api_peer_next_send(struct api_run *);
struct ibv_wc api_peer_next_receive(struct api_run *);
/* Returns the number of completions of writes and receives that wait. */
uint32_t api_peer_extra(struct api_run *);
void api_peer_fill(struct api_run *, uint32_t offset, uint32_t bytes, uint8_t seed);
uint32_t api_peer_differs(struct api_run *, uint32_t offset, uint32_t bytes, uint8_t seed);
enum ibv_qp_state api_peer_state(struct api_run *);
void api_peer_to_state(struct api_run *, enum ibv_qp_state);
/* Changes the access flags of the QP. */
void api_peer_allow(struct api_run *, int access);
/* Deregisters the memory. */
void api_peer_forget_memory(struct api_run *);

/* ---- the process of the peer ----------------------------------------------------------------- */

/* Serves requests until the check ends. */
__attribute__((noreturn)) void api_peer_serve(struct api_run *, int fd);
