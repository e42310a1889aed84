/* SPDX-License-Identifier: Apache-2.0 */
/* One end of a connection, through the calls of a library: device, memory, queues and a QP. Both
 * the process of a check and its peer have one. What must succeed for a check to mean anything ends
 * the process if it fails. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conform/api_run.h"

#define API_SIDE_MEMORY_BYTES (1u << 20)
#define API_SIDE_FIRST_PSN    0xfffff0u /* so that PSNs wrap */

struct api_side {
    struct api_run *run;
    struct ibv_context *verbs;
    struct mrc_context *mrc;
    struct ibv_pd *pd;
    struct ibv_mr *mr;
    uint8_t *memory;
    struct mrc_cq *send_cq;
    struct mrc_cq *recv_cq;
    struct mrc_qp *qp;
    struct ibv_qp_cap cap; /* granted */
};

/* What a peer must know of an end. */
struct api_card {
    union ibv_gid gid;
    uint64_t address;
    uint32_t rkey;
    uint32_t qpn;
};

/* Opens a device: verbs context and MRC context. */
void api_side_open(struct api_side *, struct api_run *, const char *device);

/* How an end is to be; members that are 0 have defaults. */
struct api_side_wants {
    uint32_t depth;                   /* of both work queues [64] */
    uint32_t cqe;                     /* of both completion queues [256] */
    int no_signal;                    /* sq_sig_all is 0 */
    int access;                       /* of the region [local and remote writes] */
    struct mrc_comp_channel *channel; /* of the receive queue [none] */
    const char *device;               /* of a peer, a literal [that of the run] */
};

/* Makes memory, queues and a QP in state RESET. */
void api_side_make(struct api_side *, const struct api_side_wants *);

struct api_card api_side_card(struct api_side *);

/* The steps to RTS, each an errno value or 0. `mrc_mask` adds attributes of MRC; _rtr and _rts
 * leave out the attributes of verbs in `without`. */
int api_side_to_init(struct api_side *);
int api_side_to_rtr(struct api_side *, const struct api_card *, int without);
int api_side_to_rts(struct api_side *, int without);
/* Changes only the state. */
int api_side_to_state(struct api_side *, enum ibv_qp_state);
/* All three steps, with attributes of MRC in the last one if the mask is not 0. */
void api_side_connect(
    struct api_side *, const struct api_card *, const struct mrc_qp_attr *, int mrc_mask);

/* Returns the state that the library reports. */
enum ibv_qp_state api_side_state(struct api_side *);

/* A write from the memory of this end. */
struct api_write {
    uint64_t id;
    uint32_t offset; /* in the memory of this end */
    uint32_t bytes;
    uint64_t remote;
    uint32_t rkey;
    uint32_t immediate;
    bool with_immediate;
    unsigned int flags; /* enum ibv_send_flags */
    uint32_t lkey;      /* 0: that of the memory */
};
/* Returns the result of mrc_post_send() as errno value. */
int api_side_write(struct api_side *, const struct api_write *);
/* Posts receives with consecutive ids. */
int api_side_receive(struct api_side *, uint64_t first_id, uint32_t count);

/* Waits for the next completion. Reports silence if there is none. */
struct ibv_wc api_side_next(struct api_side *, struct mrc_cq *);
/* The same; must succeed. */
struct ibv_wc api_side_succeed(struct api_side *, struct mrc_cq *);
/* Polls for a while without a completion. Returns the number of completions. */
int api_side_extra(struct api_side *, struct mrc_cq *);

/* A pattern of bytes that depends on offset and seed. _differs returns the offset of the first byte
 * that is not as filled; `bytes` if all are. */
void api_side_fill(struct api_side *, uint32_t offset, uint32_t bytes, uint8_t seed);
uint32_t api_side_differs(const struct api_side *, uint32_t offset, uint32_t bytes, uint8_t seed);

/* Destroys QP, queues, memory and contexts; each must succeed. */
void api_side_close(struct api_side *);
