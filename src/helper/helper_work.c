/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, work requests and completions. */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "helper/helper.h"

/* ---- memory ---------------------------------------------------------------------------------- */

/* Returns the bytes that the request names; NULL after an answer. */
static uint8_t *find_bytes(const struct helper_qp *qp, const char *request, uint64_t bytes)
{
    uint64_t offset = helper_number(request, "offset", 0);

    if (offset <= qp->memory_bytes && bytes <= qp->memory_bytes - offset)
        return qp->memory + offset;
    helper_refuse("offset and bytes exceed the %u bytes of the memory", qp->memory_bytes);
    return NULL;
}

void helper_read(struct helper *helper, const char *request)
{
    const struct helper_qp *qp = helper_find(helper, request);
    uint64_t bytes = helper_number(request, "bytes", 0);
    const uint8_t *from = qp ? find_bytes(qp, request, bytes) : NULL;

    if (!from)
        return;
    fputs("ok data=", stdout);
    for (uint64_t i = 0; i < bytes; i++)
        printf("%02x", from[i]);
    fputc('\n', stdout);
}

void helper_fill(struct helper *helper, const char *request)
{
    const struct helper_qp *qp = helper_find(helper, request);
    uint64_t bytes = helper_number(request, "bytes", 0);
    uint8_t *to = qp ? find_bytes(qp, request, bytes) : NULL;

    if (!to)
        return;
    memset(to, (int)helper_number(request, "value", 0), bytes);
    puts("ok");
}

void helper_put(struct helper *helper, const char *request)
{
    const struct helper_qp *qp = helper_find(helper, request);
    const char *hex = helper_value(request, "data");
    size_t bytes = hex ? strcspn(hex, " ") / 2 : 0;
    uint8_t *to = qp ? find_bytes(qp, request, bytes) : NULL;

    if (!to)
        return;
    for (size_t i = 0; i < bytes; i++) {
        char digits[3] = { hex[2 * i], hex[2 * i + 1] };
        char *end;

        to[i] = (uint8_t)strtoul(digits, &end, 16);
        if (end != digits + 2) {
            helper_refuse("put: data is not hexadecimal");
            return;
        }
    }
    puts("ok");
}

/* ---- work ------------------------------------------------------------------------------------ */

void helper_post_receives(struct helper *helper, const char *request)
{
    struct helper_qp *qp = helper_find(helper, request);
    uint64_t count = helper_number(request, "count", 1);

    for (uint64_t i = 0; qp && i < count; i++) {
        struct ibv_recv_wr work = { .wr_id = i };
        struct ibv_recv_wr *bad;

        if (helper->calls.mrc_post_recv(qp->qp, &work, &bad) != 0) {
            helper_refuse("receive: %s", strerror(errno));
            return;
        }
    }
    if (qp)
        puts("ok");
}

static int post_write(
    struct helper *helper, const struct helper_qp *qp, const char *request, uint64_t index)
{
    struct ibv_sge piece = { .addr = (uintptr_t)qp->memory + helper_number(request, "offset", 0),
        .length = (uint32_t)helper_number(request, "bytes", 0),
        .lkey = qp->mr->lkey };
    bool has_immediate = helper_value(request, "imm");
    struct ibv_send_wr work = { .wr_id = helper_number(request, "id", 0) + index,
        .sg_list = &piece,
        .num_sge = piece.length > 0,
        .opcode = has_immediate ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE,
        .send_flags = IBV_SEND_SIGNALED,
        .imm_data = htonl((uint32_t)helper_number(request, "imm", 0)),
        .wr.rdma = { .remote_addr = helper_number(request, "va", 0),
            .rkey = (uint32_t)helper_number(request, "rkey", 0) } };
    struct ibv_send_wr *bad;

    return helper->calls.mrc_post_send(qp->qp, &work, &bad);
}

void helper_post_writes(struct helper *helper, const char *request)
{
    const struct helper_qp *qp = helper_find(helper, request);
    uint64_t count = helper_number(request, "count", 1);

    if (!qp || !find_bytes(qp, request, helper_number(request, "bytes", 0)))
        return;
    for (uint64_t i = 0; i < count; i++) {
        int err = post_write(helper, qp, request, i);

        if (err) {
            helper_refuse("write: %s", strerror(err));
            return;
        }
    }
    puts("ok");
}

/* ---- completions ----------------------------------------------------------------------------- */

static const char *status_word(enum ibv_wc_status status)
{
    switch (status) {
    case IBV_WC_SUCCESS:
        return "success";
    case IBV_WC_LOC_PROT_ERR:
        return "loc-prot-err";
    case IBV_WC_WR_FLUSH_ERR:
        return "wr-flush-err";
    case IBV_WC_REM_INV_REQ_ERR:
        return "rem-inv-req-err";
    case IBV_WC_REM_ACCESS_ERR:
        return "rem-access-err";
    case IBV_WC_REM_OP_ERR:
        return "rem-op-err";
    case IBV_WC_RETRY_EXC_ERR:
        return "retry-exc-err";
    default:
        return "other";
    }
}

static void answer_completion(const struct ibv_wc *wc)
{
    bool is_receive = wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM || wc->opcode == IBV_WC_RECV;

    printf("ok kind=%s id=%" PRIu64 " status=%s", is_receive ? "receive" : "send", wc->wr_id,
        status_word(wc->status));
    if (is_receive && wc->status == IBV_WC_SUCCESS)
        printf(" bytes=%u imm=%u", wc->byte_len, ntohl(wc->imm_data));
    fputc('\n', stdout);
}

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void helper_complete(struct helper *helper, const char *request)
{
    struct helper_qp *qp = helper_find(helper, request);
    uint64_t until_ms = now_ms() + helper_number(request, "wait", 0);
    struct timespec nap = { .tv_nsec = 200000 };
    struct ibv_wc wc;
    int count;

    if (!qp)
        return;
    while ((count = helper->calls.mrc_poll_cq(qp->cq, 1, &wc)) == 0 && now_ms() < until_ms)
        nanosleep(&nap, NULL);
    if (count < 0)
        helper_refuse("completion: %s", strerror(errno));
    else if (count == 0)
        puts("ok kind=none");
    else
        answer_completion(&wc);
}
