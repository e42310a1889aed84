/* SPDX-License-Identifier: Apache-2.0 */
/* Tests api/ctl_endpoint.c and api/device_watch.c: EV events and endpoint probes, over a network in
 * the middle that loses packets on request. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "api_world.h"
#include "patience.h"
#include "pktio/pktio.h"
#include "pktio/shm_port.h"

enum { PLANES = 2, FMT = 1, EV = 2, EVS = 4, BAD = 0x1002 };

/* Two planes of two cables each; frames from mrc0 with one UDP source port may get lost. */
struct middle {
    struct api_world world;
    struct shm_lobby lobbies[PLANES][2];
    struct pktio_port *cables[PLANES][2];
    _Atomic uint32_t lost_port; /* 0: none */
    _Atomic bool stop;
    pthread_t thread;
};

static uint32_t source_port(const struct pktio_received *frame)
{
    return frame->length_bytes >= 42 ? (uint32_t)frame->bytes[40] << 8 | frame->bytes[41] : 0;
}

static void carry(struct middle *middle, uint32_t plane, int from)
{
    struct pktio_received frames[PKTIO_BATCH_MAX];
    struct pktio_port *to = middle->cables[plane][!from];
    uint32_t room = pktio_port_room(to);
    uint32_t count = pktio_port_receive(
        middle->cables[plane][from], frames, room < PKTIO_BATCH_MAX ? room : PKTIO_BATCH_MAX);

    for (uint32_t i = 0; i < count; i++) {
        struct iovec piece = { (void *)(uintptr_t)frames[i].bytes, frames[i].length_bytes };
        struct pktio_frame frame = { &piece, 1, frames[i].length_bytes };

        if (from == 1 || source_port(&frames[i]) != atomic_load(&middle->lost_port))
            pktio_port_send(to, &frame, 1);
    }
}

/* mrc0 opens first, all of its ports. */
static void accept_all(struct middle *middle)
{
    for (uint32_t i = 0; i < 2 * PLANES; i++) {
        uint32_t plane = i % PLANES;
        uint32_t side = i / PLANES;
        struct shm_port_config config = { 0 };
        struct shm_lobby_call call;

        while (!shm_lobby_next(&middle->lobbies[plane][side], 0, &call))
            sched_yield();
        shm_lobby_admit(&call, &config, &middle->cables[plane][side]);
    }
}

static void *run_middle(void *context)
{
    struct middle *middle = context;

    accept_all(middle);
    while (!atomic_load(&middle->stop)) {
        for (uint32_t plane = 0; plane < PLANES; plane++) {
            carry(middle, plane, 0);
            carry(middle, plane, 1);
        }
        sched_yield();
    }
    return NULL;
}

static void describe(struct middle *middle)
{
    char path[128];
    FILE *file;

    snprintf(path, sizeof(path), "%s/devices.yaml", middle->world.folder);
    file = fopen(path, "w");
    for (int side = 0; side < 2; side++) {
        fprintf(file,
            "mrc%d:\n  address: 2001:db8:0:%d::1\n  timeout: 12\n"
            "  retry_exponential: 25\n  ports:\n",
            side, side);
        for (uint32_t plane = 0; plane < PLANES; plane++) {
            snprintf(path, sizeof(path), "%s/%d.%u", middle->world.folder, side, plane);
            fprintf(file, "    - shm:%s\n", path);
            EXPECT_EQ(shm_lobby_open(&middle->lobbies[plane][side], path), 0);
        }
    }
    fclose(file);
}

static struct mrc_ctl_ev ev_of(uint32_t value, uint8_t port)
{
    return (struct mrc_ctl_ev){ .val = { (uint8_t)(value >> 8), (uint8_t)value }, .port = port };
}

/* UDP source ports 0x1001 to 0x1004, two on each plane. */
static void make_profile(struct mrc_context *mrc)
{
    struct mrc_ctl_ev_op_entry entries[EVS];
    struct mrc_ctl_ev_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_mode = MRC_CTL_EV_MODE_EXP,
        .ev_fmt_profile_id = FMT,
        .ev_count = EVS,
        .ev_event_mask = MRC_CTL_EV_GOOD | MRC_CTL_EV_ASSUMED_BAD,
        .ev_min_active = 1,
        .ev_op = { .entries = entries, .entry_count = EVS } };

    for (uint32_t i = 0; i < EVS; i++)
        entries[i] =
            (struct mrc_ctl_ev_op_entry){ .ev_new = ev_of(0x1001 + i, (uint8_t)(1 + i / 2)) };
    api_world_udp_format(mrc, FMT);
    EXPECT_EQ(mrc_ctl_modify_ev_profile(mrc, EV, &attr,
                  MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_MODE | MRC_CTL_EV_PROFILE_FMT_ID |
                      MRC_CTL_EV_PROFILE_COUNT | MRC_CTL_EV_PROFILE_MIN_ACTIVE |
                      MRC_CTL_EV_PROFILE_EVENT_MASK | MRC_CTL_EV_PROFILE_EV_OP),
        0);
    attr.profile_state = MRC_CTL_PROFILE_ONLINE;
    EXPECT_EQ(mrc_ctl_modify_ev_profile(mrc, EV, &attr, MRC_CTL_EV_PROFILE_STATE), 0);
}

static void start(struct middle *middle)
{
    struct mrc_qp_attr mrc = { .profile.ev_profile_id = EV };
    struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT };
    struct api_address addresses[2];

    memset(middle, 0, sizeof(*middle));
    api_world_start(&middle->world, PLANES, NULL);
    describe(middle);
    EXPECT_EQ(pthread_create(&middle->thread, NULL, run_middle, middle), 0);
    for (int i = 0; i < 2; i++) {
        struct api_end *end = &middle->world.ends[i];

        api_end_open(end, i == 0 ? "mrc0" : "mrc1");
        api_end_claim(end);
        api_end_create_qp(end);
        addresses[i] = api_end_address(end);
    }
    make_profile(middle->world.ends[0].mrc);
    EXPECT_EQ(
        mrc_modify_qp(middle->world.ends[0].qp, &init, IBV_QP_STATE, &mrc, MRC_QP_EV_PROFILE_ID),
        0);
    api_end_connect(&middle->world.ends[0], &addresses[1]);
    api_end_connect(&middle->world.ends[1], &addresses[0]);
}

static void stop(struct middle *middle)
{
    api_end_close(&middle->world.ends[0]);
    api_end_close(&middle->world.ends[1]);
    atomic_store(&middle->stop, true);
    pthread_join(middle->thread, NULL);
    for (uint32_t i = 0; i < 2 * PLANES; i++) {
        pktio_port_close(middle->cables[i / 2][i % 2]);
        shm_lobby_close(&middle->lobbies[i / 2][i % 2]);
    }
    api_world_stop(&middle->world);
}

static void write_once(struct middle *middle)
{
    struct api_address peer = api_end_address(&middle->world.ends[1]);

    EXPECT_EQ(api_end_write(&middle->world.ends[0], &peer, 0, 200000, IBV_WR_RDMA_WRITE), 0);
    EXPECT_EQ(api_cq_wait(middle->world.ends[0].cq).status, IBV_WC_SUCCESS);
}

/* Traffic until the event is there. On a busy machine other EVs may turn bad for a while, too. */
static struct mrc_ctl_ev_event wait_for_event(
    struct middle *middle, struct mrc_cq *events, struct mrc_ctl_ev ev, enum mrc_ctl_ev_state state)
{
    int64_t end_s = patience_end_s();
    struct mrc_ctl_ev_event event = { 0 };

    while (patience_lasts(end_s)) {
        write_once(middle);
        while (mrc_ctl_poll_ev_event(events, 1, &event) == 1)
            if (memcmp(&event.ev, &ev, sizeof(ev)) == 0 && event.state == state)
                return event;
    }
    EXPECT_STR_EQ("no event", "an event in time");
    return event;
}

static int state_of(struct mrc_context *mrc, struct mrc_ctl_ev ev)
{
    struct mrc_ctl_ev_op_entry entry = { .ev = ev };
    struct mrc_ctl_ev_profile_attr attr = {
        .ev_op = { .op = MRC_CTL_EV_OP_QUERY_EV_STATE, .entries = &entry, .entry_count = 1 }
    };

    EXPECT_EQ(mrc_ctl_query_ev_profile(mrc, EV, &attr, MRC_CTL_EV_PROFILE_EV_OP), 0);
    return (int)entry.state;
}

SPEC("an EV that loses packets turns bad and back: events, and states for every process")
{
    static struct middle middle;
    struct mrc_ctl_ev_event event;
    struct mrc_cq *events;
    struct mrc_ctl_ev bad = ev_of(BAD, 1);
    int status;
    pid_t child;

    start(&middle);
    events = mrc_ctl_create_ev_event_cq(middle.world.ends[0].mrc, 16, NULL, NULL, 0);
    EXPECT(events != NULL);
    atomic_store(&middle.lost_port, BAD);
    event = wait_for_event(&middle, events, bad, MRC_CTL_EV_ASSUMED_BAD);
    EXPECT_EQ(event.profile_id, EV);
    EXPECT_EQ(event.drop_count, 0);
    EXPECT_EQ(state_of(middle.world.ends[0].mrc, bad), MRC_CTL_EV_ASSUMED_BAD);
    child = fork();
    if (child == 0)
        _exit(state_of(middle.world.ends[0].mrc, bad) == MRC_CTL_EV_ASSUMED_BAD ? 0 : 1);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    atomic_store(&middle.lost_port, 0);
    wait_for_event(&middle, events, bad, MRC_CTL_EV_GOOD);
    EXPECT_EQ(mrc_destroy_cq(events), 0);
    stop(&middle);
}

SPEC("a channel wakes for EV events that were asked for, and entries have the program's size")
{
    static struct middle middle;
    struct mrc_comp_channel *channel;
    struct mrc_context *old;
    struct mrc_context_attr version = { .mrc_api_version_used = MRC_API_VER(1, 0, 0) };
    struct mrc_cq *events;
    struct mrc_cq *of_old;
    struct mrc_cq *cq;
    struct mrc_ctl_ev_event untouched;
    struct pollfd ready = { .events = POLLIN };
    void *context;

    start(&middle);
    old = mrc_create_context(middle.world.ends[0].verbs, &version);
    EXPECT(old != NULL);
    of_old = mrc_ctl_create_ev_event_cq(old, 16, NULL, NULL, 0);
    EXPECT_EQ(mrc_create_comp_channel(middle.world.ends[0].mrc, &channel), 0);
    EXPECT_EQ(mrc_get_comp_channel_fd(channel, &ready.fd), 0);
    events = mrc_ctl_create_ev_event_cq(middle.world.ends[0].mrc, 16, &middle, channel, 0);
    EXPECT(events != NULL && of_old != NULL);
    EXPECT_EQ(mrc_req_notify_cq(events, 0), 0);
    EXPECT_EQ(poll(&ready, 1, 0), 0);
    atomic_store(&middle.lost_port, BAD);
    wait_for_event(&middle, events, ev_of(BAD, 1), MRC_CTL_EV_ASSUMED_BAD);
    EXPECT_EQ(poll(&ready, 1, PATIENCE_MS), 1);
    EXPECT_EQ(mrc_get_cq_event(channel, &cq, &context), 0);
    EXPECT(cq == events);
    EXPECT(context == &middle);
    mrc_ack_cq_events(cq, 1);
    EXPECT_EQ(poll(&ready, 1, 0), 0);
    memset(&untouched, 0x5a, sizeof(untouched));
    EXPECT_EQ(mrc_ctl_poll_ev_event(of_old, 1, &untouched), 1);
    EXPECT_EQ(untouched.profile_id, EV);
    EXPECT_EQ((uint32_t)untouched.state, 0x5a5a5a5a);
    EXPECT_EQ(mrc_destroy_cq(of_old), 0);
    EXPECT_EQ(mrc_destroy_context(old), 0);
    EXPECT_EQ(mrc_destroy_cq(events), 0);
    EXPECT_EQ(mrc_destroy_comp_channel(channel), 0);
    stop(&middle);
}

/* Probes all EVs, waiting longer each time, until `wanted` of them have answered in time. */
static int probe(struct mrc_context *mrc, struct mrc_ctl_ep_req requests[EVS], int wanted,
    struct mrc_ctl_ep_rsp answers[EVS])
{
    int64_t end_s = patience_end_s();
    uint32_t wait_ns = 250000000;
    int count = -1;

    while (count != wanted && patience_lasts(end_s)) {
        int err = mrc_ctl_ep_batch_send_wait(
            mrc, 0, MRC_CTL_EP_OP_EV_PROBE, requests, EVS, wait_ns, answers, &count);

        if (count == EVS)
            EXPECT_EQ(err, 0);
        else
            EXPECT(err == -1 && errno == ETIMEDOUT);
        wait_ns = wait_ns < UINT32_MAX / 2 ? 2 * wait_ns : UINT32_MAX;
    }
    return count;
}

SPEC("a probe is answered on a path that works, and times out on another")
{
    static struct middle middle;
    struct mrc_ctl_ep_req requests[EVS];
    struct mrc_ctl_ep_rsp answers[EVS];
    struct mrc_context *mrc;
    uint32_t seen = 0;
    int count = -1;

    start(&middle);
    mrc = middle.world.ends[0].mrc;
    for (uint32_t i = 0; i < EVS; i++) {
        requests[i] = (struct mrc_ctl_ep_req){ .req_id = (uint16_t)(100 + i),
            .ev_fmt_mode = MRC_CTL_EV_FMT_MODE_UDP,
            .req_ev = ev_of(0x1001 + i, (uint8_t)(1 + i / 2)) };
        EXPECT_EQ(ibv_query_gid(middle.world.ends[0].verbs, 1, 0, &requests[i].sgid), 0);
        EXPECT_EQ(ibv_query_gid(middle.world.ends[1].verbs, 1, 0, &requests[i].dgid), 0);
    }
    EXPECT_EQ(probe(mrc, requests, EVS, answers), EVS);
    for (int i = 0; i < EVS; i++) {
        seen |= 1u << (answers[i].req_id - 100);
        EXPECT_EQ(answers[i].port, 1 + (answers[i].req_id - 100) / 2);
        EXPECT_GT(answers[i].rtt, 0);
    }
    EXPECT_EQ(seen, 0xf);
    atomic_store(&middle.lost_port, BAD);
    EXPECT_EQ(probe(mrc, requests, EVS - 1, answers), EVS - 1);
    requests[1].req_id = requests[0].req_id;
    EXPECT_EQ(mrc_ctl_ep_batch_send_wait(
                  mrc, 0, MRC_CTL_EP_OP_EV_PROBE, requests, EVS, 1000, answers, &count),
        -1);
    EXPECT_EQ(errno, EINVAL);
    requests[1].req_id = 7;
    requests[0].sgid.raw[0] ^= 1;
    EXPECT_EQ(mrc_ctl_ep_batch_send_wait(
                  mrc, 0, MRC_CTL_EP_OP_EV_PROBE, requests, EVS, 1000, answers, &count),
        -1);
    EXPECT_EQ(errno, EINVAL);
    stop(&middle);
}
