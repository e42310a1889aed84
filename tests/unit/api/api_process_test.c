/* SPDX-License-Identifier: Apache-2.0 */
/* Tests api/device.c, devices in two processes: bytes are verified on both sides, a device has one
 * owner at a time, a controller runs beside the program that has the QPs, and a process that is
 * killed leaves nothing behind. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "api/device.h"
#include "api_world.h"
#include "patience.h"

static uint64_t sum(const uint8_t *bytes)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (uint32_t i = 0; i < API_WORLD_MEMORY; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

static void exchange(int socket, const void *out, void *in, size_t bytes)
{
    EXPECT_EQ(write(socket, out, bytes), (ssize_t)bytes);
    EXPECT_EQ(recv(socket, in, bytes, MSG_WAITALL), (ssize_t)bytes);
}

static void meet(struct api_end *end, const char *device, int socket, struct api_address *peer)
{
    struct api_address mine;
    char ready = 1;

    api_end_open(end, device);
    api_end_claim(end);
    api_end_create_qp(end);
    mine = api_end_address(end);
    exchange(socket, &mine, peer, sizeof(mine));
    api_end_connect(end, peer);
    exchange(socket, &ready, &ready, 1);
}

/* Until the test kills it. */
static void become_another_program(void)
{
    execl("/bin/sleep", "sleep", "1000", (char *)NULL);
    _exit(1);
}

/* The other process: writes nothing, polls nothing, tells the sum of its memory when asked. */
_Noreturn static void serve(int socket)
{
    struct api_address peer;
    struct api_end end;
    char word;

    meet(&end, "mrc1", socket, &peer);
    while (read(socket, &word, 1) == 1) {
        uint64_t answer = sum(api_end_received(&end));

        if (word == 'x')
            become_another_program();
        if (write(socket, &answer, sizeof(answer)) < 0)
            break;
    }
    api_end_close(&end);
    _exit(0);
}

struct peers {
    struct api_world world;
    struct api_end *end;
    struct api_address there;
    int socket;
    pid_t child;
};

/* Starts the other process. This one has no NIC and no threads yet. */
static void begin(struct peers *peers, const char *extra)
{
    int sockets[2];

    api_world_start(&peers->world, 2, extra);
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
    peers->child = fork();
    if (peers->child == 0) {
        close(sockets[0]);
        serve(sockets[1]);
    }
    close(sockets[1]);
    peers->socket = sockets[0];
    peers->end = &peers->world.ends[0];
}

static void start(struct peers *peers, const char *extra)
{
    begin(peers, extra);
    meet(peers->end, "mrc0", peers->socket, &peers->there);
}

static int stop(struct peers *peers)
{
    int status;

    close(peers->socket);
    EXPECT_EQ(waitpid(peers->child, &status, 0), peers->child);
    api_end_close(peers->end);
    api_world_stop(&peers->world);
    return status;
}

SPEC("a process writes into another that makes no call, and every byte is correct")
{
    struct peers peers;
    uint64_t there;

    start(&peers, NULL);
    api_fill(peers.end->memory, API_WORLD_MEMORY, 11);
    for (uint64_t at = 0; at < API_WORLD_MEMORY; at += 65536)
        EXPECT_EQ(api_end_write(peers.end, &peers.there, at, 65536, IBV_WR_RDMA_WRITE), 0);
    for (uint64_t at = 0; at < API_WORLD_MEMORY; at += 65536)
        EXPECT_EQ(api_cq_wait(peers.end->cq).status, IBV_WC_SUCCESS);
    EXPECT_EQ(write(peers.socket, "s", 1), 1);
    EXPECT_EQ(recv(peers.socket, &there, sizeof(there), MSG_WAITALL), (ssize_t)sizeof(there));
    EXPECT_EQ(there, sum(peers.end->memory));
    EXPECT_EQ(stop(&peers), 0);
}

/* Runs in a process of its own, which has opened nothing before. */
static int try_to_take_over(void)
{
    struct mrc_ctl_port_attr port = { .port_admin_state = MRC_CTL_PORT_ADMIN_ENABLED };
    struct mrc_ctl_ep_req request = { .ev_fmt_mode = MRC_CTL_EV_FMT_MODE_UDP, .req_ev.port = 1 };
    struct mrc_ctl_ep_rsp answer;
    struct api_end end;
    int count;

    api_end_open(&end, "mrc1");
    EXPECT(mrc_create_cq(end.mrc, 8, NULL, NULL, 0) == NULL);
    EXPECT_EQ(errno, EBUSY);
    end.pd = ibv_alloc_pd(end.verbs);
    EXPECT((ibv_reg_mr)(end.pd, &end, sizeof(end), IBV_ACCESS_LOCAL_WRITE) == NULL);
    EXPECT_EQ(errno, EBUSY);
    EXPECT_EQ(ibv_query_gid(end.verbs, 1, 0, &request.sgid), 0);
    request.dgid = request.sgid;
    EXPECT_EQ(mrc_ctl_ep_batch_send_wait(
                  end.mrc, 0, MRC_CTL_EP_OP_EV_PROBE, &request, 1, 1000, &answer, &count),
        -1);
    EXPECT(errno == EAGAIN || errno == EINVAL); /* 0 may be no class here */
    EXPECT_EQ(mrc_ctl_modify_port(end.mrc, 1, &port, MRC_CTL_PORT_ADMIN_STATE), 0);
    api_end_close(&end);
    return 0;
}

SPEC("while a process has the NIC open, another can control the device but not open it")
{
    struct peers peers;
    pid_t other;
    int status;

    start(&peers, NULL);
    other = fork();
    if (other == 0)
        _exit(try_to_take_over());
    EXPECT_EQ(waitpid(other, &status, 0), other);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(stop(&peers), 0);
}

SPEC("a write to a killed process ends in a completion error, and the device of that process is "
     "free")
{
    struct peers peers;
    struct api_end again;
    int status;

    start(&peers, "  timeout: 8\n  retry_linear: 2\n  retry_exponential: 2\n");
    EXPECT_EQ(kill(peers.child, SIGKILL), 0);
    EXPECT_EQ(waitpid(peers.child, &status, 0), peers.child);
    EXPECT_EQ(api_end_write(peers.end, &peers.there, 0, 10000, IBV_WR_RDMA_WRITE), 0);
    EXPECT_EQ(api_cq_wait(peers.end->cq).status, IBV_WC_RETRY_EXC_ERR);
    api_end_open(&again, "mrc1");
    api_end_close(&again);
    close(peers.socket);
    api_end_close(peers.end);
    api_world_stop(&peers.world);
}

/* exec() closes descriptors one after the other. The ports need a peer that listens. */
static bool becomes_free(struct api_end *end)
{
    int64_t end_s = patience_end_s();
    struct mrc_cq *cq;

    do
        cq = mrc_create_cq(end->mrc, 8, NULL, NULL, 0);
    while (!cq && errno == EBUSY && patience_lasts(end_s));
    return cq ? mrc_destroy_cq(cq) == 0 : errno != EBUSY;
}

SPEC("a process that calls exec leaves its device free, and its peer gets a completion error")
{
    struct peers peers;
    struct api_end again;
    char byte;

    start(&peers, "  timeout: 8\n  retry_linear: 2\n  retry_exponential: 2\n");
    EXPECT_EQ(write(peers.socket, "x", 1), 1);
    EXPECT_EQ(read(peers.socket, &byte, 1), 0); /* closed by exec */
    api_end_open(&again, "mrc1");
    EXPECT(becomes_free(&again));
    EXPECT_EQ(api_end_write(peers.end, &peers.there, 0, 1000, IBV_WR_RDMA_WRITE), 0);
    EXPECT_EQ(api_cq_wait(peers.end->cq).status, IBV_WC_RETRY_EXC_ERR);
    api_end_close(&again);
    EXPECT_EQ(kill(peers.child, SIGKILL), 0);
    EXPECT_EQ(stop(&peers), SIGKILL);
}

SPEC("the child of a fork has no NIC, does not keep that of its parent, and can exit")
{
    struct peers peers;
    struct ibv_wc wc;
    pid_t child;
    int status;

    start(&peers, NULL);
    child = fork();
    if (child == 0) {
        EXPECT_EQ(mrc_poll_cq(peers.end->cq, 1, &wc), -1);
        EXPECT_EQ(errno, ENODEV);
        EXPECT(mrc_create_cq(peers.end->mrc, 8, NULL, NULL, 0) == NULL);
        _exit(0);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(api_end_write(peers.end, &peers.there, 0, 1000, IBV_WR_RDMA_WRITE), 0);
    EXPECT_EQ(api_cq_wait(peers.end->cq).status, IBV_WC_SUCCESS);
    EXPECT_EQ(stop(&peers), 0);
}

enum { FMT = 1, EV = 2 };

/* A controller in its own process denies all of port 1. */
static int deny_from_outside(void)
{
    struct mrc_ctl_ev_op_entry entry = { .ev = { .val = { 0x10, 1 }, .port = 1 },
        .state = MRC_CTL_EV_DENIED };
    struct mrc_ctl_ev_profile_attr attr = {
        .ev_op = { .op = MRC_CTL_EV_OP_MODIFY_EV_STATE, .entries = &entry, .entry_count = 1 }
    };
    struct api_end end;

    api_end_open(&end, "mrc0");
    EXPECT_EQ(mrc_ctl_modify_ev_profile(end.mrc, EV, &attr, MRC_CTL_EV_PROFILE_EV_OP), 0);
    api_end_close(&end);
    return 0;
}

static void make_profile(struct mrc_context *mrc)
{
    struct mrc_ctl_ev_op_entry entries[2] = { { .ev_new = { .val = { 0x10, 1 }, .port = 1 } },
        { .ev_new = { .val = { 0x10, 2 }, .port = 2 } } };
    struct mrc_ctl_ev_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_mode = MRC_CTL_EV_MODE_EXP,
        .ev_fmt_profile_id = FMT,
        .ev_count = 2,
        .ev_op = { .entries = entries, .entry_count = 2 } };

    api_world_udp_format(mrc, FMT);
    EXPECT_EQ(mrc_ctl_modify_ev_profile(mrc, EV, &attr,
                  MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_MODE | MRC_CTL_EV_PROFILE_FMT_ID |
                      MRC_CTL_EV_PROFILE_COUNT | MRC_CTL_EV_PROFILE_EV_OP),
        0);
    attr.profile_state = MRC_CTL_PROFILE_ONLINE;
    EXPECT_EQ(mrc_ctl_modify_ev_profile(mrc, EV, &attr, MRC_CTL_EV_PROFILE_STATE), 0);
}

/* Behind the interface, because that tells what the controller said, not what QPs do. */
static void wait_until_denied(uint32_t index)
{
    int64_t end_s = patience_end_s();
    enum path_ev_state state = EV_GOOD;
    const struct device_ev_profile *profile;
    struct device *device;

    EXPECT_EQ(device_open("mrc0", &device), 0);
    while (state != EV_DENIED && patience_lasts(end_s)) {
        pthread_mutex_lock(&device->mutex);
        profile = (const struct device_ev_profile *)device->ev_profiles;
        state = host_ev_profile_state(profile->host, index);
        pthread_mutex_unlock(&device->mutex);
    }
    EXPECT_EQ(device_close(device), 0);
    EXPECT_EQ(state, EV_DENIED);
}

/* Starts a controller that acts when the descriptor `go` is written to. It is forked before this
 * process has threads, because a child must not wait for a lock that one of them held. */
static pid_t start_controller(int *go)
{
    int ends[2];
    pid_t controller;
    char word;

    EXPECT_EQ(pipe(ends), 0);
    controller = fork();
    if (controller == 0)
        _exit(read(ends[0], &word, 1) == 1 ? deny_from_outside() : 1);
    close(ends[0]);
    *go = ends[1];
    return controller;
}

SPEC("QPs of another process follow the changes of a controller")
{
    struct peers peers;
    struct mrc_qp_attr mrc = { .profile.ev_profile_id = EV };
    struct ibv_qp_attr back = { .qp_state = IBV_QPS_RESET };
    struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT };
    pid_t controller;
    int status;
    int go;

    begin(&peers, NULL);
    controller = start_controller(&go);
    meet(peers.end, "mrc0", peers.socket, &peers.there);
    make_profile(peers.end->mrc);
    EXPECT_EQ(mrc_modify_qp(peers.end->qp, &back, IBV_QP_STATE, NULL, 0), 0);
    EXPECT_EQ(mrc_modify_qp(peers.end->qp, &init, IBV_QP_STATE, &mrc, MRC_QP_EV_PROFILE_ID), 0);
    api_end_connect(peers.end, &peers.there);
    EXPECT_EQ(write(go, "", 1), 1);
    close(go);
    EXPECT_EQ(waitpid(controller, &status, 0), controller);
    EXPECT_EQ(status, 0);
    wait_until_denied(0);
    EXPECT_EQ(api_end_write(peers.end, &peers.there, 0, 100000, IBV_WR_RDMA_WRITE), 0);
    EXPECT_EQ(api_cq_wait(peers.end->cq).status, IBV_WC_SUCCESS);
    EXPECT_EQ(stop(&peers), 0);
}
