/* SPDX-License-Identifier: Apache-2.0 */
/* Two devices, mrc0 and mrc1, joined by shared memory, plane by plane, in a run-time folder of
 * their own; and what a program makes of a device. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "mrc.h"
#include "mrc_ctl.h"
#include "spec.h"

#define API_WORLD_MEMORY (1 << 20)

struct api_end {
    struct ibv_context *verbs;
    struct mrc_context *mrc;
    struct ibv_pd *pd;
    struct mrc_cq *cq;
    struct ibv_mr *mr;
    uint8_t *memory;
    struct mrc_qp *qp;
};

struct api_world {
    char folder[64];
    uint32_t plane_count;
    struct api_end ends[2];
};

/* What one side tells the other. */
struct api_address {
    union ibv_gid gid;
    uint32_t qpn;
    uint32_t psn;
    uint32_t rkey;
    uint64_t va;
};

/* Makes the folder and the description; MRC_RUN_DIR and MRC_CONFIG point there. `extra`: further
 * lines of both devices, each indented by two blanks, or NULL. */
void api_world_start(struct api_world *, uint32_t plane_count, const char *extra);
void api_world_stop(struct api_world *);

/* Context and MRC context, nothing that needs the NIC. */
void api_end_open(struct api_end *, const char *device);
/* CQ, PD, MR: waits for the other end to do the same. */
void api_end_claim(struct api_end *);
void api_end_create_qp(struct api_end *);
struct api_address api_end_address(const struct api_end *);
/* From RESET to RTS. */
void api_end_connect(struct api_end *, const struct api_address *peer);
void api_end_close(struct api_end *);

/* All of it: both ends claimed, QPs connected. */
void api_world_open(struct api_world *, uint32_t plane_count, const char *extra);
void api_world_claim(struct api_world *);
void api_world_close(struct api_world *);

/* A write from `offset` to the same offset; 0 or what mrc_post_send() says. */
int api_end_write(struct api_end *, const struct api_address *peer, uint64_t offset,
    uint32_t length, enum ibv_wr_opcode);
/* Polls until there is one completion. */
struct ibv_wc api_cq_wait(struct mrc_cq *);

/* The memory of an end whose QP others write to: what they wrote before their completions. */
const uint8_t *api_end_received(struct api_end *);

void api_fill(uint8_t *, uint64_t length, uint64_t seed);

/* An online format of EVs that are 16 bits of UDP source port. */
void api_world_udp_format(struct mrc_context *, uint64_t id);
