/* SPDX-License-Identifier: Apache-2.0 */
/* Devices in a folder under /tmp. */
#include "api_world.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/prng.h"
#include "patience.h"

static void write_device(
    FILE *file, const struct api_world *world, uint32_t number, const char *extra)
{
    fprintf(file, "mrc%u:\n  address: 2001:db8:0:%u::1\n  ports:\n", number, number);
    for (uint32_t plane = 0; plane < world->plane_count; plane++)
        fprintf(
            file, "    - %s:%s/p%u\n", number == 0 ? "shm-listen" : "shm", world->folder, plane);
    fprintf(file, "%s", extra ? extra : "");
}

void api_world_start(struct api_world *world, uint32_t plane_count, const char *extra)
{
    char path[128];
    FILE *file;

    *world = (struct api_world){ .plane_count = plane_count };
    strcpy(world->folder, "/tmp/api-test-XXXXXX");
    EXPECT(mkdtemp(world->folder) != NULL);
    snprintf(path, sizeof(path), "%s/devices.yaml", world->folder);
    file = fopen(path, "w");
    EXPECT(file != NULL);
    write_device(file, world, 0, extra);
    write_device(file, world, 1, extra);
    fclose(file);
    setenv("MRC_RUN_DIR", world->folder, 1);
    setenv("MRC_CONFIG", path, 1);
}

void api_world_stop(struct api_world *world)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", world->folder);
    EXPECT_EQ(system(command), 0);
}

static struct ibv_device *find(const char *name, struct ibv_device **list)
{
    while (*list && strcmp(ibv_get_device_name(*list), name) != 0)
        list++;
    return *list;
}

void api_end_open(struct api_end *end, const char *device)
{
    struct ibv_device **list = ibv_get_device_list(NULL);

    EXPECT(list != NULL);
    *end = (struct api_end){ 0 };
    EXPECT(find(device, list) != NULL);
    end->verbs = ibv_open_device(find(device, list));
    ibv_free_device_list(list);
    EXPECT(end->verbs != NULL);
    end->mrc = mrc_create_context(end->verbs, NULL);
    EXPECT(end->mrc != NULL);
}

void api_end_claim(struct api_end *end)
{
    end->cq = mrc_create_cq(end->mrc, 1024, end, NULL, 0);
    EXPECT(end->cq != NULL);
    end->pd = ibv_alloc_pd(end->verbs);
    EXPECT(end->pd != NULL);
    end->memory = calloc(1, API_WORLD_MEMORY);
    end->mr = (ibv_reg_mr)(end->pd, end->memory, API_WORLD_MEMORY,
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    EXPECT(end->mr != NULL);
}

void api_end_create_qp(struct api_end *end)
{
    struct mrc_qp_init_attr init = { .send_cq = end->cq,
        .recv_cq = end->cq,
        .cap = { .max_send_wr = 128,
            .max_recv_wr = 128,
            .max_send_sge = 4,
            .max_recv_sge = 1,
            .max_inline_data = 64 },
        .pd = end->pd };

    end->qp = mrc_create_qp(end->mrc, &init);
    EXPECT(end->qp != NULL);
}

struct api_address api_end_address(const struct api_end *end)
{
    struct api_address address = {
        .psn = 0xfffff0, .rkey = end->mr->rkey, .va = (uintptr_t)end->memory
    };

    EXPECT_EQ(mrc_get_qpn(end->qp, &address.qpn), 0);
    EXPECT_EQ(ibv_query_gid(end->verbs, 1, 3, &address.gid), 0);
    return address;
}

void api_end_connect(struct api_end *end, const struct api_address *peer)
{
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };

    EXPECT_EQ(mrc_modify_qp(end->qp, &attr, IBV_QP_STATE, NULL, 0), 0);
    attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTR,
        .path_mtu = IBV_MTU_4096,
        .dest_qp_num = peer->qpn,
        .rq_psn = peer->psn,
        .ah_attr = { .is_global = 1, .grh = { .dgid = peer->gid, .sgid_index = 3 } } };
    EXPECT_EQ(
        mrc_modify_qp(end->qp, &attr,
            IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN, NULL, 0),
        0);
    attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .sq_psn = 0xfffff0 };
    EXPECT_EQ(mrc_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN, NULL, 0), 0);
}

void api_end_close(struct api_end *end)
{
    if (end->qp)
        EXPECT_EQ(mrc_destroy_qp(end->qp), 0);
    if (end->mr)
        EXPECT_EQ(ibv_dereg_mr(end->mr), 0);
    if (end->pd)
        EXPECT_EQ(ibv_dealloc_pd(end->pd), 0);
    if (end->cq)
        EXPECT_EQ(mrc_destroy_cq(end->cq), 0);
    EXPECT_EQ(mrc_destroy_context(end->mrc), 0);
    EXPECT_EQ(ibv_close_device(end->verbs), 0);
    free(end->memory);
}

/* Neither end of shared memory can be opened before the other. */
static void *claim_other(void *end)
{
    struct api_end *other = end;

    other->cq = mrc_create_cq(other->mrc, 1024, end, NULL, 0);
    return NULL;
}

void api_world_claim(struct api_world *world)
{
    struct api_end *other = &world->ends[1];
    struct mrc_cq *first;
    pthread_t thread;

    EXPECT_EQ(pthread_create(&thread, NULL, claim_other, other), 0);
    api_end_claim(&world->ends[0]);
    pthread_join(thread, NULL);
    EXPECT(other->cq != NULL);
    first = other->cq;
    api_end_claim(other);
    EXPECT_EQ(mrc_destroy_cq(first), 0);
}

void api_world_open(struct api_world *world, uint32_t plane_count, const char *extra)
{
    struct api_address addresses[2];

    api_world_start(world, plane_count, extra);
    api_end_open(&world->ends[0], "mrc0");
    api_end_open(&world->ends[1], "mrc1");
    api_world_claim(world);
    for (int i = 0; i < 2; i++) {
        api_end_create_qp(&world->ends[i]);
        addresses[i] = api_end_address(&world->ends[i]);
    }
    api_end_connect(&world->ends[0], &addresses[1]);
    api_end_connect(&world->ends[1], &addresses[0]);
}

void api_world_close(struct api_world *world)
{
    api_end_close(&world->ends[0]);
    api_end_close(&world->ends[1]);
    api_world_stop(world);
}

int api_end_write(struct api_end *end, const struct api_address *peer, uint64_t offset,
    uint32_t length, enum ibv_wr_opcode opcode)
{
    struct ibv_sge piece = {
        .addr = (uintptr_t)end->memory + offset, .length = length, .lkey = end->mr->lkey
    };
    struct ibv_send_wr wr = { .wr_id = offset,
        .sg_list = &piece,
        .num_sge = length ? 1 : 0,
        .opcode = opcode,
        .send_flags = IBV_SEND_SIGNALED,
        .wr.rdma = { .remote_addr = peer->va + offset, .rkey = peer->rkey } };
    struct ibv_send_wr *bad;

    return mrc_post_send(end->qp, &wr, &bad);
}

struct ibv_wc api_cq_wait(struct mrc_cq *cq)
{
    int64_t end_s = patience_end_s();
    struct ibv_wc wc;
    int count = 0;

    while (count == 0 && patience_lasts(end_s))
        count = mrc_poll_cq(cq, 1, &wc);
    EXPECT_EQ(count, 1);
    return wc;
}

/* Order between two devices comes from the completion. A query, which waits for the engine, says
 * the same in a way that ThreadSanitizer understands. */
const uint8_t *api_end_received(struct api_end *end)
{
    struct ibv_qp_attr attr;

    EXPECT_EQ(mrc_query_qp(end->qp, &attr, IBV_QP_STATE, NULL, 0, NULL), 0);
    return end->memory;
}

void api_fill(uint8_t *bytes, uint64_t length, uint64_t seed)
{
    struct prng prng = { .state = seed };

    for (uint64_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)prng_next(&prng);
}

void api_world_udp_format(struct mrc_context *mrc, uint64_t id)
{
    struct mrc_ctl_ev_fmt_field field = { 16 };
    struct mrc_ctl_ev_fmt_profile_attr fmt = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_fmt_mode = MRC_CTL_EV_FMT_MODE_UDP,
        .ev_fmt_op = { .fmt_fields = &field, .fmt_field_count = 1 } };

    EXPECT_EQ(
        mrc_ctl_modify_ev_fmt_profile(mrc, id, &fmt,
            MRC_CTL_EV_FMT_PROFILE_STATE | MRC_CTL_EV_FMT_PROFILE_MODE | MRC_CTL_EV_FMT_PROFILE_OP),
        0);
    fmt.profile_state = MRC_CTL_PROFILE_ONLINE;
    EXPECT_EQ(mrc_ctl_modify_ev_fmt_profile(mrc, id, &fmt, MRC_CTL_EV_FMT_PROFILE_STATE), 0);
}
