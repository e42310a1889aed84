/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one soft fabric on several threads. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "lab/soft_state.h"

/* A thread and its view of the fabric. Switches, wires and ends are those of the whole fabric, and
 * the thread uses those of its planes. State that all planes would share exists once per thread. */
struct soft_lane {
    _Alignas(64) struct soft soft; /* first: its address is that of the lane */
    pthread_t thread;
    pthread_mutex_t lock;    /* protects the lane; the thread releases it between two turns */
    _Atomic uint32_t wanted; /* threads that want the lock: this one waits for them */
    _Atomic bool stops;
    int wake_fd; /* wakes a thread that sleeps */
};

/* ---- creating lanes -------------------------------------------------------------------------- */

static bool open_lane(struct soft_lane *lane, const struct soft *whole, uint32_t number)
{
    struct soft *soft = &lane->soft;

    *soft = *whole;
    soft->lanes = NULL;
    soft->lane = number;
    soft->lobby.listener = soft->lobby.epoll_fd = -1;
    control_server_init(&soft->control);
    soft->prng = prng_stream(whole->config.seed, 1 + number);
    soft->queues = NULL;
    soft->frames = (struct soft_frames){ 0 };
    soft->holds = NULL;
    soft->hold_max = 0;
    soft->record = (struct soft_record){ .is_off = true };
    soft->attached = calloc(whole->end_count + 1, sizeof(*soft->attached));
    soft->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    lane->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&lane->lock, NULL);
    soft_ends_watch(soft, lane->wake_fd, SOFT_NO_END);
    return soft->attached && soft->epoll_fd >= 0 && lane->wake_fd >= 0 &&
           soft_frames_init(&soft->frames, whole->frames.count / whole->lane_count + 1) &&
           soft_advance_open(soft);
}

int soft_lanes_open(struct soft *soft)
{
    bool is_fine = true;

    if (soft->lane_count == 1)
        return 0;
    soft->lanes = soft_lines(soft->lane_count, sizeof(*soft->lanes));
    if (!soft->lanes)
        return -ENOMEM;
    for (uint32_t i = 0; i < soft->lane_count; i++) /* all of them, so that all can be closed */
        is_fine = open_lane(&soft->lanes[i], soft, i) && is_fine;
    return is_fine ? 0 : -ENOMEM;
}

static void close_lane(struct soft_lane *lane)
{
    struct soft *soft = &lane->soft;

    while (soft->attached_count > 0)
        soft_ends_release(soft, soft->attached[0]);
    if (soft->epoll_fd >= 0)
        close(soft->epoll_fd);
    if (lane->wake_fd >= 0)
        close(lane->wake_fd);
    soft_advance_close(soft);
    if (soft->frames.bytes)
        soft_frames_fini(&soft->frames);
    free(soft->attached);
    free(soft->holds);
    pthread_mutex_destroy(&lane->lock);
}

void soft_lanes_close(struct soft *soft)
{
    for (uint32_t i = 0; soft->lanes && i < soft->lane_count; i++)
        close_lane(&soft->lanes[i]);
    free(soft->lanes);
    soft->lanes = NULL;
}

/* ---- running lanes --------------------------------------------------------------------------- */

static void *run_lane(void *context)
{
    struct soft_lane *lane = context;

    soft_begin();
    while (!atomic_load(&lane->stops)) {
        while (atomic_load(&lane->wanted) > 0)
            sched_yield();
        pthread_mutex_lock(&lane->lock);
        soft_turn(&lane->soft);
        pthread_mutex_unlock(&lane->lock);
    }
    return NULL;
}

static void wake_lane(struct soft_lane *lane)
{
    uint64_t one = 1;

    if (write(lane->wake_fd, &one, sizeof(one)) < 0)
        return; /* it is being woken already */
}

static int start_lane(struct soft_lane *lane)
{
    sigset_t all;
    sigset_t before;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the calling thread */
    err = -pthread_create(&lane->thread, NULL, run_lane, lane);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

int soft_lanes_run(struct soft *soft, const volatile int *stop)
{
    uint32_t started = 0;
    int err = 0;

    while (started < soft->lane_count && !err) {
        err = start_lane(&soft->lanes[started]);
        started += !err;
    }
    while (!err && !*stop && !soft->is_over)
        soft_serve(soft);
    for (uint32_t i = 0; i < started; i++) {
        atomic_store(&soft->lanes[i].stops, true);
        wake_lane(&soft->lanes[i]);
        pthread_join(soft->lanes[i].thread, NULL);
    }
    return err;
}

/* ---- access by other threads ----------------------------------------------------------------- */

static void enter_lane(struct soft_lane *lane)
{
    uint64_t count;

    atomic_fetch_add(&lane->wanted, 1);
    wake_lane(lane);
    pthread_mutex_lock(&lane->lock);
    atomic_fetch_sub(&lane->wanted, 1);
    if (read(lane->wake_fd, &count, sizeof(count)) < 0)
        return; /* another thread has read it */
}

struct soft *soft_lanes_enter(struct soft *soft, uint32_t plane)
{
    struct soft_lane *lane = soft->lanes ? &soft->lanes[plane % soft->lane_count] : NULL;

    if (!lane)
        return soft;
    enter_lane(lane);
    return &lane->soft;
}

void soft_lanes_leave(const struct soft *soft, struct soft *entered)
{
    if (soft->lanes)
        pthread_mutex_unlock(&((struct soft_lane *)entered)->lock);
}

void soft_lanes_enter_all(struct soft *soft)
{
    for (uint32_t i = 0; soft->lanes && i < soft->lane_count; i++)
        enter_lane(&soft->lanes[i]);
}

void soft_lanes_leave_all(struct soft *soft)
{
    for (uint32_t i = 0; soft->lanes && i < soft->lane_count; i++)
        pthread_mutex_unlock(&soft->lanes[i].lock);
}

void soft_lanes_update_links(struct soft *soft)
{
    if (!soft->lanes)
        soft_links_update(soft);
    for (uint32_t i = 0; soft->lanes && i < soft->lane_count; i++) {
        struct soft *lane = soft_lanes_enter(soft, i);

        lane->faults = soft->faults;
        lane->now_ps = soft->now_ps;
        soft_links_update(lane);
        soft_lanes_leave(soft, lane);
    }
    if (soft->lanes)
        soft_links_pass_time(soft);
}

uint64_t soft_lanes_lost(const struct soft *soft, enum loss_reason reason)
{
    uint64_t sum = soft->lost[reason];

    for (uint32_t i = 0; soft->lanes && i < soft->lane_count; i++)
        sum += soft->lanes[i].soft.lost[reason];
    return sum;
}

uint64_t soft_lanes_no_buffer(const struct soft *soft)
{
    uint64_t sum = soft->no_buffer;

    for (uint32_t i = 0; soft->lanes && i < soft->lane_count; i++)
        sum += soft->lanes[i].soft.no_buffer;
    return sum;
}
