/* SPDX-License-Identifier: Apache-2.0 */
/* Tests api/async.c, api/async_queue.c and api/channel.c, waiting instead of polling: completion
 * channels, port events, EV profiles in use, EV events. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api_world.h"
#include "patience.h"

enum { FMT = 1, EV = 2 };

static bool is_readable(int fd, int timeout_ms)
{
    struct pollfd ready = { .fd = fd, .events = POLLIN };

    return poll(&ready, 1, timeout_ms) == 1;
}

/* World with a channel at the receiver's queue. */
struct waiting {
    struct api_world world;
    struct mrc_comp_channel *channel;
    struct mrc_cq *cq;
    int fd;
    struct mrc_qp *qp;
};

static void open_waiting(struct waiting *waiting)
{
    struct api_end *end = &waiting->world.ends[1];
    struct mrc_qp_init_attr init = { .cap = { .max_send_wr = 4, .max_recv_wr = 16 } };
    struct api_address addresses[2];

    api_world_start(&waiting->world, 2, NULL);
    api_end_open(&waiting->world.ends[0], "mrc0");
    api_end_open(end, "mrc1");
    api_world_claim(&waiting->world);
    EXPECT_EQ(mrc_create_comp_channel(end->mrc, &waiting->channel), 0);
    EXPECT_EQ(mrc_get_comp_channel_fd(waiting->channel, &waiting->fd), 0);
    waiting->cq = mrc_create_cq(end->mrc, 16, waiting, waiting->channel, 0);
    EXPECT(waiting->cq != NULL);
    init.pd = end->pd;
    init.send_cq = waiting->cq;
    init.recv_cq = waiting->cq;
    end->qp = mrc_create_qp(end->mrc, &init);
    EXPECT(end->qp != NULL);
    api_end_create_qp(&waiting->world.ends[0]);
    for (int i = 0; i < 2; i++)
        addresses[i] = api_end_address(&waiting->world.ends[i]);
    api_end_connect(&waiting->world.ends[0], &addresses[1]);
    api_end_connect(end, &addresses[0]);
}

static void close_waiting(struct waiting *waiting)
{
    struct api_end *end = &waiting->world.ends[1];

    EXPECT_EQ(mrc_destroy_qp(end->qp), 0);
    end->qp = NULL;
    EXPECT_EQ(mrc_destroy_cq(waiting->cq), 0);
    EXPECT_EQ(mrc_destroy_comp_channel(waiting->channel), 0);
    api_world_close(&waiting->world);
}

static void send_immediate(struct waiting *waiting)
{
    struct api_address peer = api_end_address(&waiting->world.ends[1]);
    struct ibv_recv_wr recv = { .wr_id = 1 };
    struct ibv_recv_wr *bad;

    EXPECT_EQ(mrc_post_recv(waiting->world.ends[1].qp, &recv, &bad), 0);
    EXPECT_EQ(api_end_write(&waiting->world.ends[0], &peer, 0, 16, IBV_WR_RDMA_WRITE_WITH_IMM), 0);
}

SPEC("an armed queue puts one event into its channel, and is then disarmed")
{
    struct waiting waiting;
    struct mrc_cq *cq;
    struct ibv_wc wc;
    void *context;

    open_waiting(&waiting);
    EXPECT_EQ(mrc_req_notify_cq(waiting.cq, 0), 0);
    EXPECT(!is_readable(waiting.fd, 0));
    send_immediate(&waiting);
    EXPECT_EQ(mrc_get_cq_event(waiting.channel, &cq, &context), 0);
    EXPECT(cq == waiting.cq);
    EXPECT(context == &waiting);
    mrc_ack_cq_events(cq, 1);
    EXPECT_EQ(mrc_poll_cq(cq, 1, &wc), 1);
    EXPECT_EQ(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
    send_immediate(&waiting);
    EXPECT_EQ(api_cq_wait(waiting.cq).status, IBV_WC_SUCCESS);
    EXPECT(!is_readable(waiting.fd, 0));
    close_waiting(&waiting);
}

SPEC("a non-blocking channel without an event returns EAGAIN")
{
    struct waiting waiting;
    struct mrc_cq *cq;
    void *context;

    open_waiting(&waiting);
    EXPECT_EQ(fcntl(waiting.fd, F_SETFL, O_NONBLOCK), 0);
    EXPECT_EQ(mrc_get_cq_event(waiting.channel, &cq, &context), -1);
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_EQ(mrc_req_notify_cq(waiting.cq, 0), 0);
    send_immediate(&waiting);
    EXPECT(is_readable(waiting.fd, PATIENCE_MS));
    EXPECT_EQ(mrc_get_cq_event(waiting.channel, &cq, &context), 0);
    mrc_ack_cq_events(cq, 1);
    close_waiting(&waiting);
}

static void set_port(struct api_end *end, uint8_t port, enum mrc_ctl_port_admin_state state)
{
    struct mrc_ctl_port_attr attr = { .port_admin_state = state };

    EXPECT_EQ(mrc_ctl_modify_port(end->mrc, port, &attr, MRC_CTL_PORT_ADMIN_STATE), 0);
}

static enum ibv_port_state port_state(struct api_end *end, uint8_t port)
{
    struct ibv_port_attr attr;

    EXPECT_EQ(ibv_query_port(end->verbs, port, &attr), 0);
    return attr.state;
}

SPEC("a disabled port is reported as down and carries nothing, and QPs continue on other ports")
{
    struct api_world world;
    struct api_address peer;
    struct mrc_async_event event;

    api_world_open(&world, 2, NULL);
    peer = api_end_address(&world.ends[1]);
    EXPECT_EQ(port_state(&world.ends[0], 2), IBV_PORT_ACTIVE);
    set_port(&world.ends[0], 2, MRC_CTL_PORT_ADMIN_DISABLED);
    EXPECT_EQ(port_state(&world.ends[0], 2), IBV_PORT_DOWN);
    EXPECT_EQ(port_state(&world.ends[0], 1), IBV_PORT_ACTIVE);
    EXPECT_EQ(mrc_get_async_event(world.ends[0].mrc, &event), 0);
    EXPECT_EQ(event.event_type, IBV_EVENT_PORT_ERR);
    EXPECT_EQ(event.element.port_num, 2);
    mrc_ack_async_event(&event);
    api_fill(world.ends[0].memory, 300000, 3);
    EXPECT_EQ(api_end_write(&world.ends[0], &peer, 0, 300000, IBV_WR_RDMA_WRITE), 0);
    EXPECT_EQ(api_cq_wait(world.ends[0].cq).status, IBV_WC_SUCCESS);
    EXPECT_MEM_EQ(api_end_received(&world.ends[1]), world.ends[0].memory, 300000);
    set_port(&world.ends[0], 2, MRC_CTL_PORT_ADMIN_ENABLED);
    EXPECT_EQ(mrc_get_async_event(world.ends[0].mrc, &event), 0);
    EXPECT_EQ(event.event_type, IBV_EVENT_PORT_ACTIVE);
    mrc_ack_async_event(&event);
    EXPECT_EQ(port_state(&world.ends[0], 2), IBV_PORT_ACTIVE);
    set_port(&world.ends[0], 1, MRC_CTL_PORT_ADMIN_DISABLED);
    EXPECT_EQ(port_state(&world.ends[0], 1), IBV_PORT_DOWN);
    api_world_close(&world);
}

/* ---- EV profiles in use ---------------------------------------------------------------------- */

static struct mrc_ctl_ev ev_of(uint8_t value, uint8_t port)
{
    return (struct mrc_ctl_ev){ .val = { 0x10, value }, .port = port };
}

static int change_ev_state(struct mrc_context *mrc, enum mrc_ctl_profile_state state)
{
    struct mrc_ctl_ev_profile_attr attr = { .profile_state = state };

    return mrc_ctl_modify_ev_profile(mrc, EV, &attr, MRC_CTL_EV_PROFILE_STATE);
}

/* UDP source ports 0x1001 to 0x1004, two on each of two ports. */
static void make_profile(struct mrc_context *mrc)
{
    struct mrc_ctl_ev_op_entry entries[4];
    struct mrc_ctl_ev_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_mode = MRC_CTL_EV_MODE_EXP,
        .ev_fmt_profile_id = FMT,
        .ev_count = 4,
        .ev_event_mask = MRC_CTL_EV_GOOD | MRC_CTL_EV_ASSUMED_BAD,
        .ev_min_active = 1,
        .ev_op = { .entries = entries, .entry_count = 4 } };

    for (uint8_t i = 0; i < 4; i++)
        entries[i] =
            (struct mrc_ctl_ev_op_entry){ .ev_new = ev_of((uint8_t)(i + 1), (uint8_t)(1 + i / 2)) };
    api_world_udp_format(mrc, FMT);
    EXPECT_EQ(mrc_ctl_modify_ev_profile(mrc, EV, &attr,
                  MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_MODE | MRC_CTL_EV_PROFILE_FMT_ID |
                      MRC_CTL_EV_PROFILE_COUNT | MRC_CTL_EV_PROFILE_MIN_ACTIVE |
                      MRC_CTL_EV_PROFILE_EVENT_MASK | MRC_CTL_EV_PROFILE_EV_OP),
        0);
    EXPECT_EQ(change_ev_state(mrc, MRC_CTL_PROFILE_ONLINE), 0);
}

/* Another process with the same device. It is forked before this one has threads: the allocator of
 * AddressSanitizer does not survive a fork while another thread uses it. */
struct other_process {
    pid_t child;
    int go; /* it acts after a byte has come, and ends */
};

static void fork_other(struct other_process *other, struct mrc_context *mrc)
{
    int ends[2];
    char byte;

    EXPECT_EQ(pipe(ends), 0);
    other->child = fork();
    other->go = ends[1];
    if (other->child == 0) {
        close(ends[1]);
        if (read(ends[0], &byte, 1) != 1)
            _exit(2);
        _exit(change_ev_state(mrc, MRC_CTL_PROFILE_OFFLINE) == -1 && errno == EBUSY ? 0 : 1);
    }
    close(ends[0]);
}

/* Returns the exit status of the other process. */
static int status_of_other(struct other_process *other)
{
    int status = -1;

    EXPECT_EQ(write(other->go, "", 1), 1);
    EXPECT_EQ(waitpid(other->child, &status, 0), other->child);
    close(other->go);
    return status;
}

/* `other`: another process that tries to take the profile out of use; NULL: none. */
static void open_with_profile(struct api_world *world, struct other_process *other)
{
    struct mrc_qp_attr mrc = { .profile.ev_profile_id = EV };
    struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT };
    struct api_address addresses[2];

    api_world_start(world, 2, "  timeout: 11\n  retry_exponential: 25\n");
    api_end_open(&world->ends[0], "mrc0");
    api_end_open(&world->ends[1], "mrc1");
    if (other)
        fork_other(other, world->ends[0].mrc);
    api_world_claim(world);
    make_profile(world->ends[0].mrc);
    for (int i = 0; i < 2; i++) {
        api_end_create_qp(&world->ends[i]);
        addresses[i] = api_end_address(&world->ends[i]);
    }
    EXPECT_EQ(mrc_modify_qp(world->ends[0].qp, &init, IBV_QP_STATE, &mrc, MRC_QP_EV_PROFILE_ID), 0);
    api_end_connect(&world->ends[0], &addresses[1]);
    api_end_connect(&world->ends[1], &addresses[0]);
}

SPEC("a QP writes over a controller's EVs; a profile in use stays ONLINE, in all processes")
{
    struct api_world world;
    struct other_process other;
    struct api_address peer;

    open_with_profile(&world, &other);
    peer = api_end_address(&world.ends[1]);
    api_fill(world.ends[0].memory, 200000, 4);
    EXPECT_EQ(api_end_write(&world.ends[0], &peer, 0, 200000, IBV_WR_RDMA_WRITE), 0);
    EXPECT_EQ(api_cq_wait(world.ends[0].cq).status, IBV_WC_SUCCESS);
    EXPECT_MEM_EQ(api_end_received(&world.ends[1]), world.ends[0].memory, 200000);
    EXPECT_EQ(change_ev_state(world.ends[0].mrc, MRC_CTL_PROFILE_OFFLINE), -1);
    EXPECT_EQ(errno, EBUSY);
    EXPECT_EQ(status_of_other(&other), 0);
    EXPECT_EQ(mrc_destroy_qp(world.ends[0].qp), 0);
    world.ends[0].qp = NULL;
    EXPECT_EQ(change_ev_state(world.ends[0].mrc, MRC_CTL_PROFILE_OFFLINE), 0);
    api_world_close(&world);
}

SPEC("a denied EV is not used until it is allowed, by this process or another")
{
    struct api_world world;
    struct api_address peer;
    struct mrc_ctl_ev_op_entry entries[2] = { { .ev = ev_of(1, 1), .state = MRC_CTL_EV_DENIED },
        { .ev = ev_of(2, 1), .state = MRC_CTL_EV_DENIED } };
    struct mrc_ctl_ev_profile_attr attr = {
        .ev_op = { .op = MRC_CTL_EV_OP_MODIFY_EV_STATE, .entries = entries, .entry_count = 2 }
    };

    open_with_profile(&world, NULL);
    peer = api_end_address(&world.ends[1]);
    EXPECT_EQ(mrc_ctl_modify_ev_profile(world.ends[0].mrc, EV, &attr, MRC_CTL_EV_PROFILE_EV_OP), 0);
    EXPECT_EQ(api_end_write(&world.ends[0], &peer, 0, 100000, IBV_WR_RDMA_WRITE), 0);
    EXPECT_EQ(api_cq_wait(world.ends[0].cq).status, IBV_WC_SUCCESS);
    attr.ev_op.op = MRC_CTL_EV_OP_QUERY_EV_STATE;
    EXPECT_EQ(mrc_ctl_query_ev_profile(world.ends[0].mrc, EV, &attr, MRC_CTL_EV_PROFILE_EV_OP), 0);
    EXPECT_EQ(entries[0].state, MRC_CTL_EV_DENIED);
    entries[0].state = MRC_CTL_EV_GOOD;
    attr.ev_op.op = MRC_CTL_EV_OP_MODIFY_EV_STATE;
    EXPECT_EQ(mrc_ctl_modify_ev_profile(world.ends[0].mrc, EV, &attr, MRC_CTL_EV_PROFILE_EV_OP), 0);
    EXPECT_EQ(api_end_write(&world.ends[0], &peer, 0, 100000, IBV_WR_RDMA_WRITE), 0);
    EXPECT_EQ(api_cq_wait(world.ends[0].cq).status, IBV_WC_SUCCESS);
    api_world_close(&world);
}
