/* SPDX-License-Identifier: Apache-2.0 */
/* Tests api/spinlock.h and api/api_objects.h: many threads post, poll, change and query the same
 * objects at the same time. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api_world.h"
#include "patience.h"

enum { POSTERS = 3, WRITES = 400, BYTES = 512 };

struct shared {
    struct api_world world;
    struct api_address peer;
    _Atomic uint32_t done;
    _Atomic(const char *) failed; /* the call that failed first; NULL: none */
    _Atomic int error;            /* of that call: an errno, or the status of a completion */
    _Atomic int stop;
};

/* The first failure ends all threads: without completions, posters would wait for ever. */
static void note_failure(struct shared *shared, const char *call, int error)
{
    const char *none = NULL;

    if (atomic_compare_exchange_strong(&shared->failed, &none, call))
        atomic_store(&shared->error, error);
}

struct poster {
    struct shared *shared;
    uint32_t number;
};

/* Each thread has its own part of the memory. */
static void *post_writes(void *context)
{
    struct poster *poster = context;
    struct shared *shared = poster->shared;
    uint64_t base = (uint64_t)poster->number * WRITES * BYTES / 4;

    for (uint32_t i = 0; i < WRITES && !atomic_load(&shared->failed); i++) {
        uint64_t offset = base + i % (WRITES / 4) * BYTES;
        int err;

        do {
            err = api_end_write(
                &shared->world.ends[0], &shared->peer, offset, BYTES, IBV_WR_RDMA_WRITE);
            if (err == ENOMEM)
                sched_yield();
        } while (err == ENOMEM && !atomic_load(&shared->failed));
        if (err)
            note_failure(shared, "mrc_post_send", err);
    }
    return NULL;
}

static void *poll_completions(void *context)
{
    struct shared *shared = context;
    int64_t end_s = patience_end_s();

    while (atomic_load(&shared->done) < POSTERS * WRITES && !atomic_load(&shared->failed)) {
        struct ibv_wc wc[8];
        int count = mrc_poll_cq(shared->world.ends[0].cq, 8, wc);

        for (int i = 0; i < count; i++)
            if (wc[i].status != IBV_WC_SUCCESS)
                note_failure(shared, "a write", (int)wc[i].status);
        if (count > 0)
            atomic_fetch_add(&shared->done, (uint32_t)count);
        else
            sched_yield();
        if (!patience_lasts(end_s))
            note_failure(shared, "writes do not complete: mrc_poll_cq", ETIMEDOUT);
    }
    return NULL;
}

static void *ask_around(void *context)
{
    struct shared *shared = context;
    struct api_end *end = &shared->world.ends[0];

    while (!atomic_load(&shared->stop)) {
        struct mrc_qp_attr mrc = { .timeout = 15 };
        struct mrc_ctl_port_attr port;
        struct ibv_qp_attr attr;
        struct ibv_mr *mr;

        if (mrc_query_qp(end->qp, &attr, IBV_QP_STATE, &mrc, MRC_QP_MPR, NULL) != 0)
            note_failure(shared, "mrc_query_qp", errno);
        if (mrc_modify_qp(end->qp, NULL, 0, &mrc, MRC_QP_TIMEOUT) != 0)
            note_failure(shared, "mrc_modify_qp", errno);
        if (mrc_ctl_query_port(end->mrc, 1, &port, MRC_CTL_PORT_ADMIN_STATE) != 0)
            note_failure(shared, "mrc_ctl_query_port", errno);
        mr = (ibv_reg_mr)(end->pd, &attr, sizeof(attr), IBV_ACCESS_LOCAL_WRITE);
        if (!mr || ibv_dereg_mr(mr) != 0)
            note_failure(shared, "ibv_reg_mr or ibv_dereg_mr", errno);
    }
    return NULL;
}

SPEC("threads share a QP and a queue: every write arrives and completes once")
{
    static struct shared shared;
    struct poster posters[POSTERS];
    pthread_t threads[POSTERS + 3];
    uint32_t used = POSTERS * WRITES / 4 * BYTES;
    struct ibv_wc wc;

    api_world_open(&shared.world, 2, NULL);
    shared.peer = api_end_address(&shared.world.ends[1]);
    api_fill(shared.world.ends[0].memory, used, 5);
    for (uint32_t i = 0; i < POSTERS; i++) {
        posters[i] = (struct poster){ .shared = &shared, .number = i };
        EXPECT_EQ(pthread_create(&threads[i], NULL, post_writes, &posters[i]), 0);
    }
    EXPECT_EQ(pthread_create(&threads[POSTERS], NULL, poll_completions, &shared), 0);
    EXPECT_EQ(pthread_create(&threads[POSTERS + 1], NULL, poll_completions, &shared), 0);
    EXPECT_EQ(pthread_create(&threads[POSTERS + 2], NULL, ask_around, &shared), 0);
    for (int i = 0; i < POSTERS + 2; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&shared.stop, 1);
    pthread_join(threads[POSTERS + 2], NULL);
    if (atomic_load(&shared.failed))
        printf("# %s: error %d\n", atomic_load(&shared.failed), atomic_load(&shared.error));
    EXPECT(!atomic_load(&shared.failed));
    EXPECT_EQ(atomic_load(&shared.done), POSTERS * WRITES);
    EXPECT_EQ(mrc_poll_cq(shared.world.ends[0].cq, 1, &wc), 0);
    EXPECT_MEM_EQ(api_end_received(&shared.world.ends[1]), shared.world.ends[0].memory, used);
    api_world_close(&shared.world);
}

static void *open_and_close(void *context)
{
    _Atomic uint32_t *failed = context;

    for (int i = 0; i < 50; i++) {
        struct ibv_device **list = ibv_get_device_list(NULL);
        struct ibv_context *verbs = list && list[0] ? ibv_open_device(list[0]) : NULL;
        struct mrc_context *mrc = verbs ? mrc_create_context(verbs, NULL) : NULL;
        struct mrc_ctl_device_attr attr;

        if (!mrc || mrc_ctl_query_device(verbs, &attr) != 0 || mrc_destroy_context(mrc) != 0 ||
            ibv_close_device(verbs) != 0)
            atomic_fetch_add(failed, 1);
        if (list)
            ibv_free_device_list(list);
    }
    return NULL;
}

SPEC("threads open and close the same device without disturbing each other")
{
    _Atomic uint32_t failed = 0;
    struct api_world world;
    pthread_t threads[4];

    api_world_start(&world, 1, NULL);
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(pthread_create(&threads[i], NULL, open_and_close, &failed), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    EXPECT_EQ(atomic_load(&failed), 0);
    api_world_stop(&world);
}
