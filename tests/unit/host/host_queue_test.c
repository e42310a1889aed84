/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting instead of polling: channels, asynchronous events, EV events, an idle NIC. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "endpoint.h"
#include "host_look.h"

static const struct pair_port_config perfect;

SPEC("a thread that sleeps on a channel is woken by the completion")
{
    struct endpoint_pair pair;
    struct host_channel *channel;
    struct host_cq *cq;
    struct host_cq *woken = NULL;
    struct host_qp *qp;
    struct host_completion completion;
    struct endpoint_address address;

    endpoint_pair_open(&pair, 1, &perfect, 1 << 16);
    EXPECT_EQ(host_channel_create(pair.ends[0].nic, &channel), 0);
    EXPECT_EQ(host_cq_create(pair.ends[0].nic, 16, channel, &pair, &cq), 0);
    EXPECT_EQ(host_qp_create(pair.ends[0].nic,
                  &(struct host_qp_config){ .send_cq = cq,
                      .recv_cq = cq,
                      .domain = ENDPOINT_DOMAIN,
                      .send_depth = 4,
                      .signal_all = true },
                  &qp),
        0);
    address = endpoint_address(&pair.ends[0], qp);
    endpoint_connect(qp, &pair.addresses[1], 0);
    endpoint_connect(pair.qps[1], &address, 0);
    for (uint32_t i = 0; i < 20; i++) {
        EXPECT_EQ(host_cq_arm(cq, false), 0);
        EXPECT_EQ(endpoint_write(&pair.ends[0], qp, &pair.addresses[1], 0, 9000), 0);
        EXPECT_EQ(host_channel_next(channel, &woken), 0);
        EXPECT(woken == cq);
        EXPECT(host_cq_user(woken) == &pair);
        EXPECT_EQ(host_cq_poll(cq, &completion, 1), 1);
    }
    EXPECT_EQ(host_channel_destroy(channel), -EBUSY);
    EXPECT_EQ(host_qp_destroy(qp), 0);
    EXPECT_EQ(host_cq_destroy(cq), 0);
    EXPECT_EQ(host_channel_destroy(channel), 0);
    endpoint_pair_close(&pair);
}

SPEC("a queue armed for solicited completions is not woken by others")
{
    struct endpoint_pair pair;
    struct host_channel *channel;
    struct host_cq *cq;
    struct host_qp *qp;
    struct host_completion completion;
    struct endpoint_address address;
    struct pollfd poll_fd;

    endpoint_pair_open(&pair, 1, &perfect, 1 << 16);
    EXPECT_EQ(host_channel_create(pair.ends[1].nic, &channel), 0);
    EXPECT_EQ(host_cq_create(pair.ends[1].nic, 16, channel, NULL, &cq), 0);
    EXPECT_EQ(host_qp_create(pair.ends[1].nic,
                  &(struct host_qp_config){ .send_cq = cq,
                      .recv_cq = cq,
                      .domain = ENDPOINT_DOMAIN,
                      .send_depth = 4,
                      .recv_depth = 4 },
                  &qp),
        0);
    address = endpoint_address(&pair.ends[1], qp);
    endpoint_connect(pair.qps[0], &address, 0);
    endpoint_connect(qp, &pair.addresses[0], 0);
    EXPECT_EQ(host_cq_arm(cq, true), 0);
    poll_fd = (struct pollfd){ .fd = host_channel_fd(channel), .events = POLLIN };
    for (uint32_t solicited = 0; solicited < 2; solicited++) {
        EXPECT_EQ(host_qp_post_recv(qp, solicited), 0);
        EXPECT_EQ(host_qp_post_send(pair.qps[0],
                      &(struct host_send){ .remote_va = address.va,
                          .rkey = address.key,
                          .flags = WORK_WITH_IMMEDIATE | (solicited ? WORK_SOLICITED : 0u) }),
            0);
        EXPECT_EQ(endpoint_wait(&pair.ends[0], 1, &completion), 1);
        EXPECT_EQ(poll(&poll_fd, 1, solicited ? PATIENCE_MS : 0), solicited);
    }
    EXPECT_EQ(host_qp_destroy(qp), 0);
    EXPECT_EQ(host_cq_destroy(cq), 0);
    EXPECT_EQ(host_channel_destroy(channel), 0);
    endpoint_pair_close(&pair);
}

SPEC("a queue that overflows reports an event")
{
    struct endpoint_pair pair;
    struct host_cq *cq;
    struct host_qp *qp;
    struct host_async event;
    struct host_completion completion;
    struct endpoint_address address;

    endpoint_pair_open(&pair, 1, &perfect, 1 << 16);
    EXPECT_EQ(host_cq_create(pair.ends[0].nic, 2, NULL, &pair, &cq), 0);
    EXPECT_EQ(host_qp_create(pair.ends[0].nic,
                  &(struct host_qp_config){ .send_cq = cq,
                      .recv_cq = cq,
                      .domain = ENDPOINT_DOMAIN,
                      .send_depth = 8,
                      .signal_all = true },
                  &qp),
        0);
    address = endpoint_address(&pair.ends[0], qp);
    endpoint_connect(qp, &pair.addresses[1], 0);
    endpoint_connect(pair.qps[1], &address, 0);
    for (uint32_t i = 0; i < 3; i++)
        EXPECT_EQ(endpoint_write(&pair.ends[0], qp, &pair.addresses[1], 0, 10), 0);
    EXPECT_EQ(host_async_next(pair.ends[0].nic, &event), 0);
    EXPECT_EQ(event.kind, HOST_ASYNC_CQ_ERROR);
    EXPECT(event.user == &pair);
    EXPECT_EQ(host_cq_poll(cq, &completion, 1), 1);
    EXPECT_EQ(host_cq_poll(cq, &completion, 1), 1);
    EXPECT_EQ(host_cq_poll(cq, &completion, 1), -EIO);
    EXPECT_EQ(host_qp_destroy(qp), 0);
    EXPECT_EQ(host_cq_destroy(cq), 0);
    endpoint_pair_close(&pair);
}

SPEC("a port that loses its link causes an event, and QPs continue on the other plane")
{
    struct endpoint_pair pair;
    struct host_async event;
    struct host_completion completion;
    struct host_port_state state;

    endpoint_pair_open(&pair, 2, &perfect, 1 << 20);
    endpoint_pair_connect(&pair, 0);
    endpoint_fill(pair.ends[0].memory, 1 << 20, 2);
    pair_port_set_link(pair.ports[0][1], false);
    EXPECT_EQ(host_async_next(pair.ends[0].nic, &event), 0);
    EXPECT_EQ(event.kind, HOST_ASYNC_PORT_DOWN);
    EXPECT_EQ(event.port, 1);
    EXPECT_EQ(host_port_query(pair.ends[0].nic, 1, &state), 0);
    EXPECT(!state.link_up);
    EXPECT(state.admin_up);
    EXPECT_EQ(endpoint_write(&pair.ends[0], pair.qps[0], &pair.addresses[1], 0, 1 << 20), 0);
    EXPECT_EQ(endpoint_wait(&pair.ends[0], 1, &completion), 1);
    EXPECT_EQ(completion.status, COMPLETION_SUCCESS);
    EXPECT_MEM_EQ(endpoint_received(&pair.ends[1]), pair.ends[0].memory, 1 << 20);
    endpoint_pair_close(&pair);
}

SPEC("a disabled port carries nothing until it is enabled")
{
    struct endpoint_pair pair;
    struct host_async event;
    struct host_port_state state;

    endpoint_pair_open(&pair, 2, &perfect, 4096);
    EXPECT_EQ(host_port_set_admin(pair.ends[0].nic, 0, false), 0);
    EXPECT_EQ(host_async_next(pair.ends[0].nic, &event), 0);
    EXPECT_EQ(event.kind, HOST_ASYNC_PORT_DOWN);
    EXPECT_EQ(host_port_query(pair.ends[0].nic, 0, &state), 0);
    EXPECT(state.link_up);
    EXPECT(!state.admin_up);
    EXPECT_EQ(host_port_set_admin(pair.ends[0].nic, 0, true), 0);
    EXPECT_EQ(host_async_next(pair.ends[0].nic, &event), 0);
    EXPECT_EQ(event.kind, HOST_ASYNC_PORT_UP);
    EXPECT_EQ(host_port_set_admin(pair.ends[0].nic, 2, true), -EINVAL);
    endpoint_pair_close(&pair);
}

SPEC("EVs that a controller denies cause events of their profile")
{
    struct host_ev_entry entries[4] = { { .ev = 0x10000, .plane = 1 }, { .ev = 1 }, { .ev = 2 },
        { .ev = 0x10003, .plane = 1 } };
    struct host_ev_profile *profile;
    struct endpoint_pair pair;
    struct host_cq *queue;
    struct host_ev_event event;

    endpoint_pair_open(&pair, 2, &perfect, 4096);
    EXPECT_EQ(
        host_ev_profile_create(pair.ends[0].nic,
            &(struct host_ev_profile_config){
                .id = 42, .entries = entries, .entry_count = 4, .event_mask = 1u << EV_DENIED },
            &profile),
        0);
    EXPECT_EQ(host_qp_set_profiles(pair.qps[0], profile, NULL), 0);
    EXPECT_EQ(host_ev_profile_destroy(profile), -EBUSY);
    EXPECT_EQ(host_ev_queue_create(pair.ends[0].nic, 8, NULL, NULL, &queue), 0);
    endpoint_pair_connect(&pair, 0);
    EXPECT_EQ(host_ev_profile_deny(profile, 3, true), 0);
    EXPECT_EQ(host_ev_queue_poll(queue, &event, 1), 1);
    EXPECT_EQ(event.profile_id, 42);
    EXPECT_EQ(event.ev, 0x10003);
    EXPECT_EQ(event.index, 3);
    EXPECT_EQ(event.plane, 1);
    EXPECT_EQ(event.to, EV_DENIED);
    EXPECT_EQ(host_ev_profile_state(profile, 3), EV_DENIED);
    EXPECT_EQ(host_ev_profile_state(profile, 0), EV_GOOD);
    EXPECT_EQ(host_look_active_evs(pair.qps[0]), 3);
    EXPECT_EQ(host_cq_destroy(queue), 0);
    EXPECT_EQ(host_qp_set_profiles(pair.qps[0], NULL, NULL), 0);
    EXPECT_EQ(host_ev_profile_destroy(profile), 0);
    endpoint_pair_close(&pair);
}

SPEC("an answered probe returns its round trip")
{
    struct endpoint_pair pair;
    struct host_probe_answer answer;
    int64_t end_s = patience_end_s();
    uint16_t id = 0;
    uint32_t count = 0;

    endpoint_pair_open(&pair, 2, &perfect, 4096);
    EXPECT_EQ(host_probe_send(pair.ends[0].nic,
                  &(struct host_probe){
                      .dst = endpoint_ip(2), .ev = 77, .port = 1, .class = DSCP_CONTROL },
                  &id),
        0);
    while (count == 0 && patience_lasts(end_s))
        count = host_probe_answers(pair.ends[0].nic, &answer, 1);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(answer.request_id, id);
    EXPECT_EQ(answer.port, 1);
    EXPECT_GT(answer.rtt_ns, 0);
    endpoint_pair_close(&pair);
}

SPEC("in the child of a fork a NIC returns errors, and that of the parent continues")
{
    struct endpoint_pair pair;
    struct host_completion completion;
    int status = 0;
    pid_t child;

    endpoint_pair_open(&pair, 1, &perfect, 1 << 16);
    endpoint_pair_connect(&pair, 0);
    EXPECT_EQ(endpoint_write(&pair.ends[0], pair.qps[0], &pair.addresses[1], 0, 1 << 16), 0);
    child = fork();
    if (child == 0) {
        struct host_port_state port;
        bool is_dead = host_is_dead(pair.ends[0].nic) &&
                       host_cq_poll(pair.ends[1].cq, &completion, 1) == -ENODEV &&
                       host_qp_post_recv(pair.qps[0], 1) == -ENODEV &&
                       host_port_query(pair.ends[0].nic, 0, &port) == -ENODEV &&
                       host_close(pair.ends[0].nic) == 0;

        _exit(is_dead ? 0 : 1);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(endpoint_wait(&pair.ends[0], 1, &completion), 1);
    EXPECT_EQ(completion.status, COMPLETION_SUCCESS);
    endpoint_pair_close(&pair);
}

/* With a connected QP that has carried data: nothing may tick on. */
/* Whether the NIC sleeps through half a second. */
static bool is_idle(struct host_nic *nic)
{
    struct host_counters before;
    struct host_counters after;

    EXPECT_EQ(host_counters(nic, &before), 0);
    nanosleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
    EXPECT_EQ(host_counters(nic, &after), 0);
    return after.progress_wakeups - before.progress_wakeups <= 1 &&
           after.engine_passes - before.engine_passes <= 3;
}

SPEC("a NIC that has nothing to do does not wake up")
{
    struct endpoint_pair pair;
    struct host_completion completion;
    int64_t end_s = patience_end_s();

    endpoint_pair_open(&pair, 4, &perfect, 1 << 16);
    endpoint_pair_connect(&pair, 0);
    EXPECT_EQ(endpoint_write(&pair.ends[0], pair.qps[0], &pair.addresses[1], 0, 1 << 16), 0);
    EXPECT_EQ(endpoint_wait(&pair.ends[0], 1, &completion), 1);
    for (uint32_t end = 0; end < 2; end++)
        while (!is_idle(pair.ends[end].nic)) /* the last timers run out */
            EXPECT(patience_lasts(end_s));
    endpoint_pair_close(&pair);
}
