/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of a soft fabric: makes passes, and sleeps when there is nothing to do. */
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/pause.h"
#include "lab/caller_share.h"
#include "lab/soft_state.h"
#include "pktio/pktio.h"

enum {
    EVENTS = 64,     /* events read at once */
    LOOKS = 8,       /* ports of NICs that are looked at in one millisecond */
    UNREAD_MIN = 32, /* unread frames from which on a NIC counts as lagging */
    DOZE_NS = 50000,
    DOZES_MAX = 20, /* in a row, with nothing to do */
    TIMER_SLACK_NS = 1000,
};

#define PATIENCE_PS    UINT64_C(5000000)    /* for a NIC that has frames to read */
#define READER_PS      UINT64_C(2000000000) /* a NIC that reads takes a frame within this time */
#define LONGEST_NAP_NS INT64_C(1000000000)
/* Sockets only carry requests and the arrival and departure of NICs. Polling all of them costs as
 * much as moving a hundred frames. */
#define LOOK_PS UINT64_C(1000000000)
/* If no frame moved for this time, a slow answer delays no frame. */
#define QUIET_PS UINT64_C(10000000000)

/* ---- sockets --------------------------------------------------------------------------------- */

/* Looks at a few ports at a time, in turn, because each look is a system call. Handles at most one
 * NIC that has left, because its rings may be full. */
static void look_at_nics(struct soft *soft)
{
    for (uint32_t i = 0; i < LOOKS && i < soft->attached_count; i++) {
        soft->looked_at = soft->looked_at + 1 < soft->attached_count ? soft->looked_at + 1 : 0;
        if (soft_attach_check(soft, soft->attached[soft->looked_at]))
            break;
    }
}

/* Returns whether there are no frames, and there were none recently. Lanes know this; the thread
 * that answers for them does not. */
static bool is_quiet(const struct soft *soft, uint64_t now_ps)
{
    return !soft->lanes && now_ps - soft->busy_ps >= QUIET_PS &&
           soft_advance_next_ps(soft) == UINT64_MAX && soft_exchange_next_ps(soft) == UINT64_MAX;
}

/* Returns true after the pause, or if there are no frames to delay. */
static bool may_call(const struct soft *soft, uint64_t pause_ps)
{
    uint64_t now_ps = soft_clock_ps(soft);

    return now_ps >= pause_ps || is_quiet(soft, now_ps);
}

/* While there are frames, clients that attach and clients that send requests get a tenth of the
 * time each, regardless of their number. A lane serves neither. */
static void look_at_callers(struct soft *soft)
{
    if (soft->lobby.listener >= 0 && may_call(soft, soft->attach_ps)) {
        uint64_t begin_ns = caller_share_begin_ns();

        soft_attach_callers(soft);
        soft->attach_ps = soft_clock_ps(soft) + caller_share_pause_ps(begin_ns);
    }
    if (soft->control.listener >= 0 && may_call(soft, soft->answer_ps)) {
        uint64_t begin_ns = caller_share_begin_ns();

        control_server_poll(&soft->control);
        soft->answer_ps = soft_clock_ps(soft) + caller_share_pause_ps(begin_ns);
    }
}

static void look_at_sockets(struct soft *soft)
{
    if (soft->now_ps - soft->looked_ps < LOOK_PS)
        return;
    soft->looked_ps = soft->now_ps;
    if (!soft->config.prefix)
        look_at_nics(soft);
    look_at_callers(soft);
}

/* Returns false if there is something to do, or if frames are waiting to be handed over. */
static bool arm_ports(struct soft *soft)
{
    for (uint32_t i = 0; i < soft->attached_count; i++) {
        struct soft_end *end = &soft->ends[soft->attached[i]];

        if ((!pktio_port_arm(end->port, false) && soft_has_buffers(soft)) ||
            (end->kind == SOFT_END_INTERFACE && pktio_port_room(end->port) == 0))
            return false;
    }
    return true;
}

/* Uses epoll to find the ports that have rung: polling each one costs a system call. */
static void take_calls(struct soft *soft)
{
    struct epoll_event ready[EVENTS];
    int count = epoll_wait(soft->epoll_fd, ready, EVENTS, 0);

    for (int i = 0; i < count; i++)
        if (ready[i].data.u32 != SOFT_NO_END && soft->ends[ready[i].data.u32].port)
            pktio_port_disarm(soft->ends[ready[i].data.u32].port, true);
}

static void disarm_ports(struct soft *soft, bool is_called)
{
    for (uint32_t i = 0; i < soft->attached_count; i++)
        pktio_port_disarm(soft->ends[soft->attached[i]].port, false);
    if (is_called && !soft->config.prefix)
        take_calls(soft);
}

static int64_t nap_ns(const struct soft *soft)
{
    uint64_t next_ps = soft_advance_next_ps(soft);
    uint64_t leaves_ps = soft_exchange_next_ps(soft);
    uint64_t now_ps = soft_clock_ps(soft);

    if (leaves_ps < next_ps)
        next_ps = leaves_ps;
    if (soft->faults_change_ps < next_ps)
        next_ps = soft->faults_change_ps;
    if (next_ps <= now_ps)
        return 0;
    next_ps = (next_ps - now_ps) / 1000;
    return next_ps < (uint64_t)LONGEST_NAP_NS ? (int64_t)next_ps : LONGEST_NAP_NS;
}

/* Clients that must wait do not wake the fabric: the sleep ends when their time comes. */
static int64_t at_most_until(int64_t nap_ns, uint64_t time_ps, uint64_t now_ps)
{
    int64_t left_ns = time_ps > now_ps ? (int64_t)((time_ps - now_ps) / 1000) + 1 : INT64_MAX;

    return nap_ns < left_ns ? nap_ns : left_ns;
}

static void sleep_until_needed(struct soft *soft)
{
    uint64_t now_ps = soft_clock_ps(soft);
    struct pollfd fds[] = { { soft->epoll_fd, POLLIN, 0 },
        { may_call(soft, soft->attach_ps) ? soft->lobby.epoll_fd : -1, POLLIN, 0 },
        { may_call(soft, soft->answer_ps) ? soft->control.epoll_fd : -1, POLLIN, 0 } };
    int64_t longest_ns = arm_ports(soft) ? nap_ns(soft) : 0;

    longest_ns = at_most_until(longest_ns, soft->attach_ps, now_ps);
    longest_ns = at_most_until(longest_ns, soft->answer_ps, now_ps);
    if (now_ps < soft->attach_ps || now_ps < soft->answer_ps)
        longest_ns = at_most_until(longest_ns, soft->busy_ps + QUIET_PS, now_ps);
    if (longest_ns > 0) {
        struct timespec nap = { longest_ns / 1000000000, longest_ns % 1000000000 };

        ppoll(fds, 3, &nap, NULL);
    }
    disarm_ports(soft, fds[0].revents != 0);
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Returns the number of frames in the ring of a NIC that reads. A NIC that has taken no frame for a
 * while is not waiting for this processor. */
static uint32_t unread_by_reader(const struct soft *soft, struct soft_end *end)
{
    uint32_t unread = pktio_port_unread(end->port);
    uint64_t taken = end->port->frames_sent - unread;

    if (taken != end->taken) {
        end->taken = taken;
        end->taken_ps = soft->now_ps;
    }
    return soft->now_ps - end->taken_ps < READER_PS ? unread : 0;
}

static uint32_t count_unread(const struct soft *soft)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < soft->attached_count; i++)
        count += unread_by_reader(soft, &soft->ends[soft->attached[i]]);
    return count;
}

/* A NIC with a backlog may be starved of this processor: yields it for a short time, without
 * doorbells, so that more frames wait afterwards. With few frames, latency matters more, and
 * doorbells are used. Returns false if no NIC needs the processor, or none used it. */
static bool gives_way(struct soft *soft, uint64_t idle_ps)
{
    struct timespec doze = { .tv_nsec = DOZE_NS };

    if (idle_ps < PATIENCE_PS || soft->dozes == DOZES_MAX || nap_ns(soft) < DOZE_NS ||
        count_unread(soft) < UNREAD_MIN)
        return false;
    soft->dozes++;
    nanosleep(&doze, NULL);
    return true;
}

void soft_turn(struct soft *soft)
{
    uint64_t spin_ps = (uint64_t)soft->config.spin_us * 1000000;

    if (soft_pass(soft) > 0) {
        soft->busy_ps = soft->now_ps;
        soft->dozes = 0;
    } else {
        pause_briefly();
    }
    look_at_sockets(soft);
    if (!gives_way(soft, soft->now_ps - soft->busy_ps) && soft->now_ps - soft->busy_ps > spin_ps)
        sleep_until_needed(soft);
}

void soft_begin(void)
{
    prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
}

void soft_serve(struct soft *soft)
{
    sleep_until_needed(soft);
    soft->now_ps = soft_clock_ps(soft);
    if (soft->now_ps >= soft->faults_change_ps)
        soft_links_pass_time(soft);
    look_at_callers(soft);
}

int soft_run(struct soft *soft, const volatile int *stop)
{
    if (soft->lanes)
        return soft_lanes_run(soft, stop);
    soft_begin();
    while (!*stop && !soft->is_over)
        soft_turn(soft);
    return 0;
}
