/* SPDX-License-Identifier: Apache-2.0 */
/* Opens, connects and closes an end. */
#include "conform/api_side.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening --------------------------------------------------------------------------------- */

static struct ibv_context *open_device(struct api_run *run, const char *device)
{
    struct ibv_device **list = VERB(run, get_device_list)(NULL);
    struct ibv_context *verbs = NULL;

    if (!list)
        api_run_end(run, "the verbs library has no list of devices: %s", strerror(errno));
    for (struct ibv_device **at = list; *at && !verbs; at++)
        if (strcmp(VERB(run, get_device_name)(*at), device) == 0) {
            verbs = VERB(run, open_device)(*at);
            api_run_must(run, verbs, "%s cannot be opened: %s", device, strerror(errno));
        }
    if (!verbs)
        api_run_end(run, "there is no device %s", device);
    VERB(run, free_device_list)(list);
    return verbs;
}

void api_side_open(struct api_side *side, struct api_run *run, const char *device)
{
    *side = (struct api_side){ .run = run, .verbs = open_device(run, device) };
    side->mrc = API(run, create_context)(side->verbs, NULL);
    api_run_must(run, side->mrc, "mrc_create_context: %s", strerror(errno));
}

static void register_memory(struct api_side *side, int access)
{
    struct api_run *run = side->run;

    side->pd = VERB(run, alloc_pd)(side->verbs);
    api_run_must(run, side->pd, "ibv_alloc_pd: %s", strerror(errno));
    side->memory = aligned_alloc(4096, API_SIDE_MEMORY_BYTES);
    api_run_must(run, side->memory, "not enough memory");
    memset(side->memory, 0, API_SIDE_MEMORY_BYTES);
    side->mr = VERB(run, reg_mr)(side->pd, side->memory, API_SIDE_MEMORY_BYTES, access);
    api_run_must(run, side->mr, "ibv_reg_mr: %s", strerror(errno));
}

void api_side_make(struct api_side *side, const struct api_side_wants *wants)
{
    struct api_run *run = side->run;
    int cqe = wants->cqe ? (int)wants->cqe : 256;
    uint32_t depth = wants->depth ? wants->depth : 64;
    struct mrc_qp_init_attr init = { .qp_context = side,
        .sq_sig_all = !wants->no_signal,
        .cap = { .max_send_wr = depth,
            .max_recv_wr = depth,
            .max_send_sge = 2,
            .max_inline_data = 32 } };

    register_memory(
        side, wants->access ? wants->access : IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    side->send_cq = API(run, create_cq)(side->mrc, cqe, side, NULL, 0);
    side->recv_cq = API(run, create_cq)(side->mrc, cqe, side, wants->channel, 0);
    api_run_must(run, side->send_cq && side->recv_cq, "mrc_create_cq: %s", strerror(errno));
    init.pd = side->pd;
    init.send_cq = side->send_cq;
    init.recv_cq = side->recv_cq;
    side->qp = API(run, create_qp)(side->mrc, &init);
    api_run_must(run, side->qp, "mrc_create_qp: %s", strerror(errno));
    side->cap = init.cap;
}

struct api_card api_side_card(struct api_side *side)
{
    struct api_run *run = side->run;
    struct api_card card = { .address = (uintptr_t)side->memory, .rkey = side->mr->rkey };

    if (VERB(run, query_gid)(side->verbs, 1, run->gid_index, &card.gid) != 0)
        api_run_end(run, "the device has no GID %d (--gid-index)", run->gid_index);
    api_run_must(run, API(run, get_qpn)(side->qp, &card.qpn) == 0, "mrc_get_qpn fails");
    return card;
}

/* ---- connecting ------------------------------------------------------------------------------ */

static int change_qp(struct api_side *side, struct ibv_qp_attr *attr, int mask)
{
    return api_run_error_number(API(side->run, modify_qp)(side->qp, attr, mask, NULL, 0));
}

int api_side_to_state(struct api_side *side, enum ibv_qp_state state)
{
    struct ibv_qp_attr attr = { .qp_state = state };

    return change_qp(side, &attr, IBV_QP_STATE);
}

int api_side_to_init(struct api_side *side)
{
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT,
        .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };

    return change_qp(side, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS);
}

int api_side_to_rtr(struct api_side *side, const struct api_card *peer, int without)
{
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR,
        .path_mtu = IBV_MTU_1024,
        .dest_qp_num = peer->qpn,
        .rq_psn = API_SIDE_FIRST_PSN,
        .ah_attr = { .is_global = 1,
            .port_num = 1,
            .grh = { .dgid = peer->gid, .sgid_index = (uint8_t)side->run->gid_index } } };
    int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

    return change_qp(side, &attr, mask & ~without);
}

int api_side_to_rts(struct api_side *side, int without)
{
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS, .sq_psn = API_SIDE_FIRST_PSN };

    return change_qp(side, &attr, (IBV_QP_STATE | IBV_QP_SQ_PSN) & ~without);
}

/* Without an end to its retries: the machine may be busy. */
static int to_rts_with(struct api_side *side, const struct mrc_qp_attr *mrc, int mrc_mask)
{
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS, .sq_psn = API_SIDE_FIRST_PSN };
    struct mrc_qp_attr all = mrc ? *mrc : (struct mrc_qp_attr){ .timeout = 0 };

    if (!(mrc_mask & MRC_QP_RETRY_CNT)) {
        all.retry.linear_cnt = 7;
        all.retry.exp_cnt = 25;
    }
    return api_run_error_number(API(side->run, modify_qp)(
        side->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN, &all, mrc_mask | MRC_QP_RETRY_CNT));
}

void api_side_connect(
    struct api_side *side, const struct api_card *peer, const struct mrc_qp_attr *mrc, int mrc_mask)
{
    struct api_run *run = side->run;
    int err = api_side_to_init(side);

    api_run_must(run, err == 0, "mrc_modify_qp to INIT: %s", api_run_error_text(err));
    err = api_side_to_rtr(side, peer, 0);
    api_run_must(run, err == 0, "mrc_modify_qp to RTR: %s", api_run_error_text(err));
    err = to_rts_with(side, mrc, mrc_mask);
    api_run_must(run, err == 0, "mrc_modify_qp to RTS: %s", api_run_error_text(err));
}

enum ibv_qp_state api_side_state(struct api_side *side)
{
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_UNKNOWN };
    int err = API(side->run, query_qp)(side->qp, &attr, IBV_QP_STATE, NULL, 0, NULL);

    api_run_must(side->run, err == 0, "mrc_query_qp: %s", api_run_error_text(err));
    return attr.qp_state;
}

/* ---- closing --------------------------------------------------------------------------------- */

static void must_succeed(struct api_side *side, int err, const char *call)
{
    api_run_must(side->run, err == 0, "%s: %s", call, api_run_error_text(err));
}

void api_side_close(struct api_side *side)
{
    struct api_run *run = side->run;

    if (side->qp)
        must_succeed(side, api_run_error_number(API(run, destroy_qp)(side->qp)), "mrc_destroy_qp");
    if (side->send_cq)
        must_succeed(
            side, api_run_error_number(API(run, destroy_cq)(side->send_cq)), "mrc_destroy_cq");
    if (side->recv_cq)
        must_succeed(
            side, api_run_error_number(API(run, destroy_cq)(side->recv_cq)), "mrc_destroy_cq");
    must_succeed(side, api_run_error_minus(API(run, destroy_context)(side->mrc)),
        "mrc_destroy_context of a context without children");
    if (side->mr)
        must_succeed(side, VERB(run, dereg_mr)(side->mr), "ibv_dereg_mr");
    if (side->pd)
        must_succeed(side, VERB(run, dealloc_pd)(side->pd), "ibv_dealloc_pd");
    must_succeed(side, VERB(run, close_device)(side->verbs), "ibv_close_device");
    free(side->memory);
}
