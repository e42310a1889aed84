/* SPDX-License-Identifier: Apache-2.0 */
/* Completion queues and channels. */
#include <errno.h>
#include <stdlib.h>

#include "verbs/objects.h"
#include "verbs/refuse.h"

#define WC_FLAGS ((uint64_t)IBV_WC_STANDARD_FLAGS) /* the members of a completion of libibverbs */

/* ---- channels -------------------------------------------------------------------------------- */

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
    struct channel *channel = calloc(1, sizeof(*channel));

    if (!channel)
        return NULL;
    if (mrc_create_comp_channel(verbs_device_context(context)->mrc, &channel->mrc) != 0) {
        free(channel);
        return NULL;
    }
    channel->ibv.context = context;
    mrc_get_comp_channel_fd(channel->mrc, &channel->ibv.fd);
    return &channel->ibv;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
    int number = mrc_destroy_comp_channel(((struct channel *)channel)->mrc);

    if (number == 0)
        free(channel);
    return number;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
    struct mrc_cq *mrc;
    void *own;

    if (mrc_get_cq_event(((struct channel *)channel)->mrc, &mrc, &own) != 0)
        return -1;
    *cq = objects_ibv_cq(own);
    *cq_context = (*cq)->cq_context;
    return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int nevents)
{
    mrc_ack_cq_events(objects_cq(cq)->mrc, nevents);
}

/* ---- queues ---------------------------------------------------------------------------------- */

struct cq_wish {
    int cqe;
    void *cq_context;
    struct ibv_comp_channel *channel;
    int comp_vector;
};

static struct cq *make_cq(struct ibv_context *context, const struct cq_wish *wish)
{
    struct cq *cq = calloc(1, sizeof(*cq));

    if (!cq)
        return NULL;
    cq->mrc = mrc_create_cq(verbs_device_context(context)->mrc, wish->cqe, cq,
        wish->channel ? ((struct channel *)wish->channel)->mrc : NULL, wish->comp_vector);
    if (!cq->mrc) {
        free(cq);
        return NULL;
    }
    cq->ibv.context = context;
    cq->ibv.channel = wish->channel;
    cq->ibv.cq_context = wish->cq_context;
    cq->ibv.cqe = wish->cqe;
    pthread_mutex_init(&cq->ibv.mutex, NULL);
    pthread_cond_init(&cq->ibv.cond, NULL);
    return cq;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context,
    struct ibv_comp_channel *channel, int comp_vector)
{
    struct cq_wish wish = {
        .cqe = cqe, .cq_context = cq_context, .channel = channel, .comp_vector = comp_vector
    };
    struct cq *cq = make_cq(context, &wish);

    return cq ? objects_ibv_cq(cq) : NULL;
}

/* Any thread may poll any queue, so a queue for a single thread needs no special support. */
static bool is_possible(const struct ibv_cq_init_attr_ex *attr)
{
    if (attr->wc_flags & ~WC_FLAGS || attr->comp_mask & ~(uint32_t)IBV_CQ_INIT_ATTR_MASK_FLAGS)
        return false;
    return !(attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) ||
           !(attr->flags & ~(uint32_t)IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
}

struct ibv_cq_ex *objects_create_cq_ex(
    struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
    struct cq_wish wish = { .cqe = (int)attr->cqe,
        .cq_context = attr->cq_context,
        .channel = attr->channel,
        .comp_vector = (int)attr->comp_vector };
    struct cq *cq;

    if (!is_possible(attr))
        return refuse_null(REFUSE_CQ_FEATURE);
    cq = make_cq(context, &wish);
    if (!cq)
        return NULL;
    objects_fill_cq_ex(cq, attr->wc_flags);
    return &cq->ibv;
}

int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
    return cqe <= cq->cqe ? 0 : refuse(REFUSE_LARGER_CQ);
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
    int number = mrc_destroy_cq(objects_cq(cq)->mrc);

    if (number)
        return number;
    pthread_mutex_destroy(&cq->mutex);
    pthread_cond_destroy(&cq->cond);
    free(cq);
    return 0;
}

int objects_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
    return mrc_poll_cq(objects_cq(cq)->mrc, num_entries, wc);
}

int objects_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
    return mrc_req_notify_cq(objects_cq(cq)->mrc, solicited_only);
}
