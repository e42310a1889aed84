/* SPDX-License-Identifier: Apache-2.0 */
/* QPs of the device. */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper/helper.h"

enum { CQ_ENTRIES = 2048, SENDS = 600, RECEIVES = 256, ADDRESS_BYTES = 64 };

struct helper_qp *helper_find(struct helper *helper, const char *request)
{
    uint64_t number = helper_number(request, "qp", 0);

    if (number < HELPER_QPS_MAX && helper->qps[number].is_used)
        return &helper->qps[number];
    helper_refuse("there is no qp %" PRIu64, number);
    return NULL;
}

/* ---- making ---------------------------------------------------------------------------------- */

static void free_qp(struct helper *helper, struct helper_qp *qp)
{
    if (qp->qp)
        helper->calls.mrc_destroy_qp(qp->qp);
    if (qp->cq)
        helper->calls.mrc_destroy_cq(qp->cq);
    if (qp->mr)
        helper->calls.ibv_dereg_mr(qp->mr);
    free(qp->memory);
    *qp = (struct helper_qp){ .is_used = false };
}

static bool make_parts(struct helper *helper, struct helper_qp *qp)
{
    struct mrc_qp_init_attr init = { .cap = { .max_send_wr = SENDS,
                                         .max_recv_wr = RECEIVES,
                                         .max_send_sge = 1,
                                         .max_recv_sge = 1 },
        .pd = helper->pd };

    qp->memory = aligned_alloc(4096, qp->memory_bytes);
    if (!qp->memory)
        return false;
    memset(qp->memory, 0, qp->memory_bytes);
    qp->mr = helper->calls.reg_mr(
        helper->pd, qp->memory, qp->memory_bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    qp->cq =
        qp->mr ? helper->calls.mrc_create_cq(helper->context, CQ_ENTRIES, NULL, NULL, 0) : NULL;
    init.send_cq = init.recv_cq = qp->cq;
    qp->qp = qp->cq ? helper->calls.mrc_create_qp(helper->context, &init) : NULL;
    return qp->qp;
}

static bool set_state(struct helper *helper, struct helper_qp *qp, enum ibv_qp_state state)
{
    struct ibv_qp_attr attributes = { .qp_state = state };

    return helper->calls.mrc_modify_qp(qp->qp, &attributes, IBV_QP_STATE, NULL, 0) == 0;
}

static bool answer_qp(struct helper *helper, struct helper_qp *qp)
{
    char address[ADDRESS_BYTES];
    union ibv_gid gid;
    uint32_t qpn;

    if (helper->calls.ibv_query_gid(helper->verbs, 1, helper->gid_index, &gid) != 0 ||
        helper->calls.mrc_get_qpn(qp->qp, &qpn) != 0)
        return false;
    inet_ntop(AF_INET6, gid.raw, address, sizeof(address));
    printf("ok qp=%ld qpn=%u address=%s va=0x%" PRIxPTR " rkey=0x%x\n", (long)(qp - helper->qps),
        qpn, address, (uintptr_t)qp->memory, qp->mr->rkey);
    return true;
}

void helper_make_qp(struct helper *helper, const char *request)
{
    struct helper_qp *qp = helper->qps + 1;
    uint64_t bytes = helper_number(request, "memory", 1 << 18);

    while (qp < helper->qps + HELPER_QPS_MAX && qp->is_used)
        qp++;
    if (qp == helper->qps + HELPER_QPS_MAX || bytes == 0 || bytes > 1 << 30) {
        helper_refuse("no more QPs, or a wrong size of memory");
        return;
    }
    *qp = (struct helper_qp){ .is_used = true, .memory_bytes = (uint32_t)(bytes + 4095) & ~4095u };
    if (make_parts(helper, qp) && set_state(helper, qp, IBV_QPS_INIT) && answer_qp(helper, qp))
        return;
    helper_refuse("qp: %s", strerror(errno));
    free_qp(helper, qp);
}

void helper_destroy(struct helper *helper, const char *request)
{
    struct helper_qp *qp = helper_find(helper, request);

    if (!qp)
        return;
    free_qp(helper, qp);
    puts("ok");
}

/* ---- connecting ------------------------------------------------------------------------------ */

static enum ibv_mtu mtu_of(uint64_t bytes)
{
    enum ibv_mtu mtu = IBV_MTU_256;

    for (uint64_t size = 256; size < bytes && mtu < IBV_MTU_4096; size *= 2)
        mtu++;
    return mtu;
}

static bool read_peer(const char *request, union ibv_gid *gid)
{
    const char *text = helper_value(request, "address");
    char address[ADDRESS_BYTES];

    if (!text || strcspn(text, " ") >= sizeof(address))
        return false;
    snprintf(address, sizeof(address), "%.*s", (int)strcspn(text, " "), text);
    return inet_pton(AF_INET6, address, gid->raw) == 1;
}

static int start_receiving(struct helper *helper, struct helper_qp *qp, const char *request)
{
    struct ibv_qp_attr verbs = { .qp_state = IBV_QPS_RTR,
        .path_mtu = mtu_of(helper_number(request, "pmtu", 1024)),
        .dest_qp_num = (uint32_t)helper_number(request, "qpn", 0),
        .rq_psn = (uint32_t)helper_number(request, "rq_psn", 0),
        .ah_attr = {
            .is_global = 1, .port_num = 1, .grh = { .sgid_index = (uint8_t)helper->gid_index } } };
    struct mrc_qp_attr attributes = { .mpr = { .mpr_dest =
                                                   (uint8_t)helper_number(request, "mpr_dest", 8) },
        .wimm = { .max_wimm_dest = (uint16_t)helper_number(request, "wimm_dest", 32) },
        .cap = helper_number(request, "dynamic_mpr", 0) ? MRC_QP_CAP_DYNAMIC_MPR : 0 };

    if (!read_peer(request, &verbs.ah_attr.grh.dgid))
        return EINVAL;
    return helper->calls.mrc_modify_qp(qp->qp, &verbs,
        IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN, &attributes,
        MRC_QP_MPR_DEST | MRC_QP_MAX_WIMM_DEST | MRC_QP_CAP);
}

static int start_sending(struct helper *helper, struct helper_qp *qp, const char *request)
{
    struct ibv_qp_attr verbs = { .qp_state = IBV_QPS_RTS,
        .sq_psn = (uint32_t)helper_number(request, "sq_psn", 0) };
    struct mrc_qp_attr attributes = { .mpr = { .mpr = (uint8_t)helper_number(request, "mpr", 8) },
        .wimm = { .max_wimm = (uint16_t)helper_number(request, "wimm", 32) },
        .timeout = (uint8_t)helper_number(request, "timeout", 14),
        .retry = { .linear_cnt = (uint8_t)helper_number(request, "linear", 3),
            .exp_cnt = (uint8_t)helper_number(request, "exponential", 4) } };

    return helper->calls.mrc_modify_qp(qp->qp, &verbs, IBV_QP_STATE | IBV_QP_SQ_PSN, &attributes,
        MRC_QP_MPR | MRC_QP_MAX_WIMM | MRC_QP_TIMEOUT | MRC_QP_RETRY_CNT);
}

void helper_connect(struct helper *helper, const char *request)
{
    struct helper_qp *qp = helper_find(helper, request);
    int err;

    if (!qp)
        return;
    err = start_receiving(helper, qp, request);
    if (!err)
        err = start_sending(helper, qp, request);
    if (err)
        helper_refuse("connect: %s", strerror(err > 0 ? err : errno));
    else
        puts("ok");
}

void helper_state(struct helper *helper, const char *request)
{
    static const char *const words[] = { "reset", "init", "rtr", "rts", "sqd", "sqe", "err" };
    struct helper_qp *qp = helper_find(helper, request);
    struct ibv_qp_attr verbs = { .qp_state = IBV_QPS_UNKNOWN };
    struct mrc_qp_init_attr init;

    if (!qp)
        return;
    if (helper->calls.mrc_query_qp(qp->qp, &verbs, IBV_QP_STATE, NULL, 0, &init) != 0)
        helper_refuse("state: %s", strerror(errno));
    else
        printf("ok state=%s\n", verbs.qp_state <= IBV_QPS_ERR ? words[verbs.qp_state] : "unknown");
}

/* ---- ports ----------------------------------------------------------------------------------- */

void helper_set_port(struct helper *helper, const char *request)
{
    const char *state = helper_value(request, "state");
    struct mrc_ctl_port_attr attributes = {
        .port_admin_state = state && strncmp(state, "up", 2) == 0 ? MRC_CTL_PORT_ADMIN_ENABLED
                                                                  : MRC_CTL_PORT_ADMIN_DISABLED
    };

    if (!helper->calls.mrc_ctl_modify_port)
        helper_refuse("unsupported: the library has no mrc_ctl_modify_port()");
    else if (helper->calls.mrc_ctl_modify_port(helper->context,
                 (uint8_t)helper_number(request, "port", 1), &attributes,
                 MRC_CTL_PORT_ADMIN_STATE) != 0)
        helper_refuse("unsupported: port: %s", strerror(errno));
    else
        puts("ok");
}
