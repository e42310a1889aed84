/* SPDX-License-Identifier: Apache-2.0 */
/* Completion queues, and queues of EV events. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/channel.h"
#include "api/error.h"
#include "mrc_ctl.h"

#define BATCH 16

static int check_arguments(const struct mrc_context *context, int cqe, int cqe_max,
    const struct mrc_comp_channel *channel, int comp_vector)
{
    if (!context || cqe <= 0 || cqe > cqe_max || comp_vector < 0 ||
        comp_vector >= context->verbs->num_comp_vectors)
        return -EINVAL;
    return channel && channel->context != context ? -EINVAL : 0;
}

static struct mrc_cq *make_cq(
    struct mrc_context *context, struct mrc_comp_channel *channel, void *user_context)
{
    struct mrc_cq *cq = calloc(1, sizeof(*cq));

    if (!cq)
        return NULL;
    cq->context = context;
    cq->channel = channel;
    cq->user_context = user_context;
    cq->bell_fd = -1;
    spinlock_init(&cq->lock);
    atomic_fetch_add(&context->child_count, 1);
    if (channel)
        atomic_fetch_add(&channel->cq_count, 1);
    return cq;
}

static void unmake_cq(struct mrc_cq *cq)
{
    if (cq->channel)
        atomic_fetch_sub(&cq->channel->cq_count, 1);
    atomic_fetch_sub(&cq->context->child_count, 1);
    free(cq);
}

static int open_host(struct mrc_cq *cq, uint32_t depth)
{
    struct host_channel *channel = NULL;
    struct host_nic *nic;
    int err = device_claim(cq->context->device, &nic);

    if (!err && cq->channel)
        err = channel_host(cq->channel, nic, &channel);
    return err ? err : host_cq_create(nic, depth, channel, cq, &cq->host);
}

struct mrc_cq *mrc_create_cq(struct mrc_context *mrc_ctx, int cqe, void *cq_context,
    struct mrc_comp_channel *channel, int comp_vector)
{
    int err = check_arguments(mrc_ctx, cqe, DEVICE_CQE_MAX, channel, comp_vector);
    struct mrc_cq *cq = err ? NULL : make_cq(mrc_ctx, channel, cq_context);

    if (!cq)
        return error_null(err ? err : -ENOMEM);
    err = open_host(cq, (uint32_t)cqe);
    if (err) {
        unmake_cq(cq);
        return error_null(err);
    }
    return cq;
}

/* ---- EV events ------------------------------------------------------------------------------- */

static int open_events(struct mrc_cq *cq, uint32_t depth)
{
    const struct folder *folder = &cq->context->device->store.folder;
    int err = folder_check_privilege(folder);

    if (!err)
        err = event_ring_open(&cq->events, folder);
    if (err)
        return err;
    cq->depth = depth;
    cq->position = event_ring_end(&cq->events);
    if (!cq->channel)
        return 0;
    cq->bell_fd = event_ring_watch(folder);
    err = cq->bell_fd < 0 ? cq->bell_fd : channel_add_bell(cq->channel, cq);
    if (err) {
        if (cq->bell_fd >= 0)
            close(cq->bell_fd);
        event_ring_close(&cq->events);
    }
    return err;
}

struct mrc_cq *mrc_ctl_create_ev_event_cq(struct mrc_context *mrc_ctx, int cqe, void *cq_context,
    struct mrc_comp_channel *channel, int comp_vector)
{
    int err = check_arguments(mrc_ctx, cqe, EVENT_RING_SLOTS / 2, channel, comp_vector);
    struct mrc_cq *cq = err ? NULL : make_cq(mrc_ctx, channel, cq_context);

    if (!cq)
        return error_null(err ? err : -ENOMEM);
    err = open_events(cq, (uint32_t)cqe);
    if (err) {
        unmake_cq(cq);
        return error_null(err);
    }
    return cq;
}

static bool next_event(struct mrc_cq *cq, struct mrc_ctl_ev_event *out)
{
    struct event_ring_event event;
    uint64_t lost;
    bool is_there = event_ring_next(&cq->events, &cq->position, cq->depth, &event, &lost);

    cq->lost_count +=
        (uint32_t)(lost < UINT32_MAX - cq->lost_count ? lost : UINT32_MAX - cq->lost_count);
    if (!is_there)
        return false;
    *out = (struct mrc_ctl_ev_event){ .profile_id = event.profile_id,
        .ev = event.ev,
        .drop_count = cq->lost_count,
        .state = (enum mrc_ctl_ev_state)event.state };
    cq->lost_count = 0;
    return true;
}

/* Entries of programs built before 1.0.1 end where `state` begins. */
#define OLD_EVENT_BYTES offsetof(struct mrc_ctl_ev_event, state)
_Static_assert(OLD_EVENT_BYTES == 48, "the size in programs built before 1.0.1");

static int poll_events(struct mrc_cq *cq, int num_entries, void *out, size_t entry_bytes)
{
    struct mrc_ctl_ev_event event;
    int count = 0;

    if (!cq || cq->host || num_entries < 0 || (num_entries > 0 && !out))
        return -error_number(-EINVAL);
    spinlock_lock(&cq->lock);
    for (; count < num_entries && next_event(cq, &event); count++)
        memcpy((char *)out + (size_t)count * entry_bytes, &event, entry_bytes);
    spinlock_unlock(&cq->lock);
    return count;
}

int mrc_ctl_poll_ev_event_1_0_0(
    struct mrc_cq *ev_cq, int num_entries, struct mrc_ctl_ev_event *ev_event);

int mrc_ctl_poll_ev_event_1_0_0(
    struct mrc_cq *ev_cq, int num_entries, struct mrc_ctl_ev_event *ev_event)
{
    return poll_events(ev_cq, num_entries, ev_event, OLD_EVENT_BYTES);
}

/* A program's context gives the version of its headers, and so the size of its entries. */
int mrc_ctl_poll_ev_event(struct mrc_cq *ev_cq, int num_entries, struct mrc_ctl_ev_event *ev_event)
{
    uint32_t version = ev_cq ? ev_cq->context->api_version : 0;
    bool is_old = version >= MRC_API_VER(1, 0, 0) && version < MRC_API_VER(1, 0, 1);

    return poll_events(ev_cq, num_entries, ev_event, is_old ? OLD_EVENT_BYTES : sizeof(*ev_event));
}

/* ---- completions ----------------------------------------------------------------------------- */

static enum ibv_wc_status to_status(enum completion_status status)
{
    static const enum ibv_wc_status table[COMPLETION_STATUS_COUNT] = {
        [COMPLETION_SUCCESS] = IBV_WC_SUCCESS,
        [COMPLETION_LOCAL_PROTECTION] = IBV_WC_LOC_PROT_ERR,
        [COMPLETION_FLUSHED] = IBV_WC_WR_FLUSH_ERR,
        [COMPLETION_REMOTE_INVALID_REQUEST] = IBV_WC_REM_INV_REQ_ERR,
        [COMPLETION_REMOTE_ACCESS] = IBV_WC_REM_ACCESS_ERR,
        [COMPLETION_REMOTE_OPERATION] = IBV_WC_REM_OP_ERR,
        [COMPLETION_RETRY_EXCEEDED] = IBV_WC_RETRY_EXC_ERR,
    };

    return table[status];
}

static void fill_wc(struct ibv_wc *wc, const struct host_completion *from)
{
    *wc = (struct ibv_wc){ .wr_id = from->id,
        .status = to_status(from->status),
        .opcode = from->is_recv ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RDMA_WRITE,
        .byte_len = from->length_bytes,
        .qp_num = from->qpn };
    if (from->is_recv && from->status == COMPLETION_SUCCESS) {
        wc->wc_flags = IBV_WC_WITH_IMM;
        wc->imm_data = htobe32(from->immediate);
    }
}

int mrc_poll_cq(struct mrc_cq *cq, int num_entries, struct ibv_wc *wc)
{
    struct host_completion batch[BATCH];
    int count = 0;
    int got;

    if (!cq || !cq->host || num_entries < 0 || (num_entries > 0 && !wc))
        return error_minus_one(-EINVAL);
    spinlock_lock(&cq->lock);
    do {
        int wanted = num_entries - count < BATCH ? num_entries - count : BATCH;

        got = host_cq_poll(cq->host, batch, (uint32_t)wanted);
        for (int i = 0; i < got; i++)
            fill_wc(&wc[count++], &batch[i]);
    } while (got == BATCH && count < num_entries);
    spinlock_unlock(&cq->lock);
    return got < 0 && count == 0 ? error_minus_one(got) : count;
}

int mrc_req_notify_cq(struct mrc_cq *cq, int solicited_only)
{
    if (!cq)
        return error_number(-EINVAL);
    if (!cq->channel)
        return 0;
    return error_number(
        cq->host ? host_cq_arm(cq->host, solicited_only != 0) : channel_arm_bell(cq->channel, cq));
}

int mrc_destroy_cq(struct mrc_cq *cq)
{
    int err;

    if (!cq)
        return error_number(-EINVAL);
    if (cq->host) {
        err = host_cq_destroy(cq->host);
        if (err)
            return error_number(err);
        pthread_mutex_lock(&cq->context->device->mutex);
        device_hand_out_async(cq->context->device);
        pthread_mutex_unlock(&cq->context->device->mutex);
    } else {
        if (cq->bell_fd >= 0)
            close(cq->bell_fd);
        event_ring_close(&cq->events);
    }
    async_queue_forget(&cq->context->async, cq);
    async_queue_wait_acknowledged(&cq->comp_events);
    async_queue_wait_acknowledged(&cq->async_events);
    unmake_cq(cq);
    return 0;
}
