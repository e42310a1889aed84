/* SPDX-License-Identifier: Apache-2.0 */
/* One of two processes that write to each other through mrc.h, as programs for tests need it. What
 * goes wrong ends the process. */
#pragma once

#include <mrc.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { END_FIRST_PSN = 1000, END_BYTES = 1 << 16, END_DEPTH = 32 };

/* What the peer must know of us. */
struct end_card {
    union ibv_gid gid;
    uint64_t address;
    uint32_t rkey;
    uint32_t qpn;
};

struct end_more {
    struct ibv_qp_attr verbs;
    int verbs_mask;
    struct mrc_qp_attr mrc;
    int mrc_mask;
};

struct end {
    struct ibv_context *verbs;
    struct ibv_pd *pd;
    struct ibv_mr *mr;
    struct mrc_context *mrc;
    struct mrc_cq *cq;
    struct mrc_qp *qp;
    uint8_t memory[END_BYTES];
};

static inline void end_must(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    _exit(1);
}

static inline struct ibv_context *end_open_device(const char *name)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *verbs = NULL;

    end_must(list != NULL, "devices");
    for (int i = 0; list[i] && !verbs; i++)
        if (strcmp(ibv_get_device_name(list[i]), name) == 0)
            verbs = ibv_open_device(list[i]);
    end_must(verbs != NULL, name);
    ibv_free_device_list(list);
    return verbs;
}

static inline struct end_card end_open(struct end *end, const char *device)
{
    struct mrc_qp_init_attr init = {
        .cap = { .max_send_wr = END_DEPTH, .max_recv_wr = 1, .max_send_sge = 1 }
    };
    struct end_card card = { .address = (uintptr_t)end->memory };

    end->verbs = end_open_device(device);
    end->pd = ibv_alloc_pd(end->verbs);
    end_must(end->pd != NULL, "protection domain");
    end->mr = (ibv_reg_mr)(end->pd, end->memory, END_BYTES,
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    end_must(end->mr != NULL, "memory region");
    end->mrc = mrc_create_context(end->verbs, NULL);
    end_must(end->mrc != NULL, "context");
    end->cq = mrc_create_cq(end->mrc, 2 * END_DEPTH, NULL, NULL, 0);
    end_must(end->cq != NULL, "completion queue");
    init.pd = end->pd;
    init.send_cq = init.recv_cq = end->cq;
    end->qp = mrc_create_qp(end->mrc, &init);
    end_must(end->qp != NULL, "queue pair");
    end_must(ibv_query_gid(end->verbs, 1, 0, &card.gid) == 0, "GID");
    end_must(mrc_get_qpn(end->qp, &card.qpn) == 0, "QP number");
    card.rkey = end->mr->rkey;
    return card;
}

/* RESET to RTS; `more`: further attributes of the last step. */
static inline void end_connect(
    struct end *end, const struct end_card *peer, const struct end_more *more)
{
    struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT };
    struct ibv_qp_attr receive = { .qp_state = IBV_QPS_RTR,
        .path_mtu = IBV_MTU_1024,
        .dest_qp_num = peer->qpn,
        .rq_psn = END_FIRST_PSN,
        .ah_attr = { .is_global = 1, .port_num = 1, .grh = { .dgid = peer->gid } } };
    struct ibv_qp_attr send = more->verbs;
    struct mrc_qp_attr mrc = more->mrc;
    int receive_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

    end_must(mrc_modify_qp(end->qp, &init, IBV_QP_STATE, NULL, 0) == 0, "INIT");
    end_must(mrc_modify_qp(end->qp, &receive, receive_mask, NULL, 0) == 0, "RTR");
    send.qp_state = IBV_QPS_RTS;
    send.sq_psn = END_FIRST_PSN;
    end_must(mrc_modify_qp(end->qp, &send, IBV_QP_STATE | IBV_QP_SQ_PSN | more->verbs_mask, &mrc,
                 more->mrc_mask) == 0,
        "RTS");
}

static inline enum ibv_wc_status end_next_status(struct end *end)
{
    struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR };
    int count = 0;

    while (count == 0)
        count = mrc_poll_cq(end->cq, 1, &wc);
    end_must(count == 1, "completion queue");
    return wc.status;
}

static inline void end_must_be(
    enum ibv_wc_status status, enum ibv_wc_status wanted, const char *who)
{
    if (status == wanted)
        return;
    fprintf(stderr, "%s: %s\n", who, ibv_wc_status_str(status));
    _exit(1);
}

/* Tells the peer this, and returns what it tells. */
static inline struct end_card end_swap(int peer, struct end_card mine)
{
    struct end_card theirs;

    end_must(write(peer, &mine, sizeof(mine)) == sizeof(mine), "peer");
    end_must(read(peer, &theirs, sizeof(theirs)) == sizeof(theirs), "peer");
    return theirs;
}

/* Signaled, from and to the start of the memory. */
static inline void end_post(
    struct end *end, const struct end_card *peer, uint32_t length_bytes, enum ibv_wr_opcode opcode)
{
    struct ibv_sge sge = {
        .addr = (uintptr_t)end->memory, .length = length_bytes, .lkey = end->mr->lkey
    };
    struct ibv_send_wr wr = { .sg_list = &sge,
        .num_sge = 1,
        .opcode = opcode,
        .send_flags = IBV_SEND_SIGNALED,
        .wr.rdma = { .remote_addr = peer->address, .rkey = peer->rkey } };
    struct ibv_send_wr *bad;

    errno = mrc_post_send(end->qp, &wr, &bad);
    end_must(errno == 0, "write");
}
