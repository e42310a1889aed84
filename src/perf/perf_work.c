/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a rank: writes and their completions. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "perf/perf_end.h"
#include "perf/perf_interrupt.h"

enum {
    BATCH = 32,
    POLLS_BETWEEN_LOOKS = 256,
    POLLS_BETWEEN_YIELDS = 16,
    SEQUENCE_BITS = 24,
};

#define SEQUENCE_MASK ((1u << SEQUENCE_BITS) - 1)
#define LOOK_NS       UINT64_C(20000000)
#define LAST_WORD_NS  UINT64_C(60000000000)

_Static_assert(PERF_CHANNELS_MAX <= 1 << (32 - SEQUENCE_BITS), "an immediate has 32 bits");

uint64_t perf_end_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- completions ----------------------------------------------------------------------------- */

static const char *status_text(enum ibv_wc_status status)
{
    switch (status) {
    case IBV_WC_RETRY_EXC_ERR:
        return "no answer after all retries (IBV_WC_RETRY_EXC_ERR); the rank may have ended, or "
               "no path leads to it: see 'mrc fabric show'";
    case IBV_WC_WR_FLUSH_ERR:
        return "the QP has failed (IBV_WC_WR_FLUSH_ERR); the other rank may know why";
    case IBV_WC_REM_ACCESS_ERR:
        return "access refused by the other rank (IBV_WC_REM_ACCESS_ERR)";
    case IBV_WC_REM_INV_REQ_ERR:
        return "refused as invalid (IBV_WC_REM_INV_REQ_ERR); is the MTU the same on both sides?";
    case IBV_WC_REM_OP_ERR:
        return "the operation failed at the other rank (IBV_WC_REM_OP_ERR)";
    case IBV_WC_LOC_PROT_ERR:
        return "access to the memory of this rank refused (IBV_WC_LOC_PROT_ERR)";
    default:
        return "completed with an error";
    }
}

static int fail_completion(
    struct perf_end *end, const struct perf_qp *qp, enum ibv_wc_status status)
{
    if (perf_meet_look(end->meet) != 0) /* the loss of a peer is the better explanation */
        return -1;
    return perf_meet_fail(end->meet, "QP to rank %u (%s): status %d, %s", qp->peer,
        end->peers[qp->peer].device, (int)status, status_text(status));
}

static int take_arrival(struct perf_end *end, struct perf_qp *qp, const struct ibv_wc *wc)
{
    struct ibv_recv_wr wr = { .wr_id = wc->wr_id };
    struct ibv_recv_wr *bad;
    uint32_t immediate = ntohl(wc->imm_data);
    uint32_t channel = immediate >> SEQUENCE_BITS;
    uint32_t *arrived = &end->peers[qp->peer].arrived[channel % PERF_CHANNELS_MAX];

    if (channel >= PERF_CHANNELS_MAX || (immediate & SEQUENCE_MASK) != (*arrived & SEQUENCE_MASK))
        return perf_meet_fail(end->meet,
            "from rank %u (%s): immediate %08x, expected number %u: lost, duplicated or out of "
            "order",
            qp->peer, end->peers[qp->peer].device, immediate, *arrived);
    (*arrived)++;
    if (mrc_post_recv(qp->qp, &wr, &bad) != 0)
        return perf_meet_fail(end->meet, "receive: %s", strerror(errno));
    return 0;
}

/* wr_id contains the QP and, for a write, the number of requests that it completes. */
static int take_completion(struct perf_end *end, const struct ibv_wc *wc)
{
    struct perf_qp *qp = &end->qps[(uint32_t)wc->wr_id];
    uint32_t count = (uint32_t)(wc->wr_id >> 32);

    if (wc->status != IBV_WC_SUCCESS)
        return fail_completion(end, qp, wc->status);
    if (count == 0)
        return take_arrival(end, qp, wc);
    qp->completed += count;
    end->in_flight -= count;
    return 0;
}

/* ---- waiting --------------------------------------------------------------------------------- */

static int look_around(struct perf_end *end)
{
    uint64_t now_ns = perf_end_now_ns();

    if (now_ns < end->look_ns)
        return 0;
    end->look_ns = now_ns + LOOK_NS;
    if (perf_interrupt_is_urgent())
        return perf_meet_fail(
            end->meet, "interrupted while %u writes were in flight", end->in_flight);
    return perf_meet_look(end->meet);
}

/* Waits until there may be a completion. */
static int sleep_for_event(struct perf_end *end)
{
    struct pollfd fd = { .events = POLLIN };
    struct mrc_cq *cq;
    void *context;

    mrc_get_comp_channel_fd(end->channel, &fd.fd);
    if (poll(&fd, 1, 20) == 1 && mrc_get_cq_event(end->channel, &cq, &context) == 0)
        mrc_ack_cq_events(end->cq, 1);
    return 0;
}

static int wait_a_little(struct perf_end *end)
{
    if (end->channel) {
        if (end->empty_polls == 1)
            return mrc_req_notify_cq(end->cq, 0); /* then poll once more */
        end->empty_polls = 0;
        sleep_for_event(end);
        return look_around(end);
    }
    if (end->is_crowded && end->empty_polls % POLLS_BETWEEN_YIELDS == 0)
        sched_yield();
    return end->empty_polls % POLLS_BETWEEN_LOOKS == 0 ? look_around(end) : 0;
}

static void note_completions(struct perf_end *end)
{
    uint64_t now_ns = perf_end_now_ns();

    if (now_ns - end->completed_ns > end->pause_max_ns)
        end->pause_max_ns = now_ns - end->completed_ns;
    end->completed_ns = now_ns;
}

int perf_end_poll(struct perf_end *end)
{
    struct ibv_wc wc[BATCH];
    int count = mrc_poll_cq(end->cq, BATCH, wc);

    if (count < 0)
        return perf_meet_fail(end->meet, "completion queue: %s", strerror(errno));
    for (int i = 0; i < count; i++)
        if (take_completion(end, &wc[i]) != 0)
            return -1;
    if (count > 0) {
        note_completions(end);
        end->empty_polls = 0;
        return 0;
    }
    end->empty_polls++;
    return wait_a_little(end);
}

int perf_end_drain(struct perf_end *end)
{
    while (end->in_flight > 0)
        if (perf_end_poll(end) != 0)
            return -1;
    return 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

int perf_end_write(struct perf_end *end, const struct perf_write *write)
{
    uint32_t index = write->peer * end->settings->qp_count + write->qp;
    struct perf_qp *qp = &end->qps[index];
    bool is_signaled = write->is_last || qp->unsignaled + 1 >= end->settings->moderation;
    struct ibv_sge piece = { .addr = (uintptr_t)end->memory + write->from,
        .length = write->length_bytes,
        .lkey = end->mr->lkey };
    struct ibv_send_wr wr = { .wr_id = (uint64_t)(qp->unsignaled + 1) << 32 | index,
        .sg_list = &piece,
        .num_sge = write->length_bytes > 0,
        .opcode = write->has_immediate ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE,
        .send_flags = is_signaled ? IBV_SEND_SIGNALED : 0,
        .imm_data = htonl(write->channel << SEQUENCE_BITS | (write->sequence & SEQUENCE_MASK)),
        .wr.rdma = { .remote_addr = end->peers[write->peer].va + write->to,
            .rkey = end->peers[write->peer].rkey } };
    struct ibv_send_wr *bad;
    int err;

    while (qp->posted - qp->completed >= end->settings->depth)
        if (perf_end_poll(end) != 0)
            return -1;
    err = mrc_post_send(qp->qp, &wr, &bad);
    if (err)
        return perf_meet_fail(end->meet, "write to rank %u (%s): %s", write->peer,
            end->peers[write->peer].device, strerror(err));
    qp->posted++;
    if (end->in_flight++ == 0)
        end->completed_ns = perf_end_now_ns();
    qp->unsignaled = is_signaled ? 0 : qp->unsignaled + 1;
    return 0;
}

/* ---- after a failure ------------------------------------------------------------------------- */

/* If nothing is in flight, posts a write, because otherwise no QP would notice the failure. */
static void post_last(struct perf_end *end)
{
    uint32_t count = end->meet->rank_count * end->settings->qp_count;

    for (uint32_t i = 0; i < count && end->in_flight == 0; i++) {
        struct ibv_sge piece = {
            .addr = (uintptr_t)end->memory, .length = 1, .lkey = end->mr->lkey
        };
        struct ibv_send_wr wr = { .sg_list = &piece,
            .num_sge = 1,
            .opcode = IBV_WR_RDMA_WRITE,
            .send_flags = IBV_SEND_SIGNALED,
            .wr.rdma = { .remote_addr = end->peers[end->qps[i].peer].va,
                .rkey = end->peers[end->qps[i].peer].rkey } };
        struct ibv_send_wr *bad;

        if (end->qps[i].qp && mrc_post_send(end->qps[i].qp, &wr, &bad) == 0)
            end->in_flight++;
    }
}

void perf_end_last_word(struct perf_end *end)
{
    uint64_t began_ns = perf_end_now_ns();
    struct ibv_wc wc = { .status = IBV_WC_SUCCESS };
    size_t used = strlen(end->meet->problem);

    if (!end->cq || !end->mr)
        return;
    post_last(end);
    while (wc.status == IBV_WC_SUCCESS && perf_end_now_ns() - began_ns < LAST_WORD_NS &&
           !perf_interrupt_has_come())
        if (mrc_poll_cq(end->cq, 1, &wc) == 0)
            sched_yield();
    snprintf(end->meet->problem + used, sizeof(end->meet->problem) - used,
        "; after %.2f s a write to it: %s", (double)(perf_end_now_ns() - began_ns) / 1e9,
        wc.status == IBV_WC_SUCCESS ? "nothing" : status_text(wc.status));
}
