/* SPDX-License-Identifier: Apache-2.0 */
/* Two devices whose ends are used through verbs: a queue on a channel and a QP each, connected. */
#pragma once

#include "api_world.h"

struct verbs_end {
    struct api_end *end; /* its context, domain and memory */
    struct ibv_comp_channel *channel;
    struct ibv_cq *cq;
    struct ibv_qp *qp;
};

struct verbs_world {
    struct api_world api;
    struct verbs_end ends[2];
};

void verbs_world_open(struct verbs_world *);
void verbs_world_close(struct verbs_world *);

/* Without QPs: for tests that make their own. */
void verbs_world_open_queues(struct verbs_world *);
struct ibv_qp_init_attr verbs_end_qp_attr(const struct verbs_end *);
struct api_address verbs_end_address(const struct verbs_end *);
/* From RESET to RTS. */
void verbs_end_connect(struct verbs_end *, const struct api_address *peer);

/* A signalled write of `length` bytes from `offset` to the same offset of the other end. */
struct ibv_send_wr verbs_end_request(
    struct verbs_world *, struct ibv_sge *, uint64_t offset, uint32_t length, enum ibv_wr_opcode);
/* Polls until there is one completion; fails after 20 s. */
struct ibv_wc verbs_cq_wait(struct ibv_cq *);
