/* SPDX-License-Identifier: Apache-2.0 */
/* Progress threads: each drives its engine when no thread polls, and sleeps when there is nothing
 * to do. The thread of engine 0 also serves what the engines share. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/pause.h"
#include "host/engine.h"

enum {
    POLLS_UNTIL_WATCH = 64, /* polls by another thread after which the ports need not ring */
    UNREAD_NS = 3000,
    WATCH_NS = 1000 * 1000, /* interval at which it checks that the other thread still polls */
    FDS_MAX = 3 + 2 * HOST_PORT_COUNT_MAX,
};

void progress_wake(struct engine *engine)
{
    uint32_t asleep = PROGRESS_ASLEEP;
    uint32_t watching = PROGRESS_WATCHING;
    uint64_t one = 1;

    if (!engine->has_thread)
        return;
    if ((atomic_compare_exchange_strong(&engine->progress_state, &asleep, PROGRESS_AWAKE) ||
            atomic_compare_exchange_strong(&engine->progress_state, &watching, PROGRESS_AWAKE)) &&
        write(engine->wake_fd, &one, sizeof(one)) < 0)
        return;
}

/* A port that rings after `calling_ports` was read wakes the thread once more. */
static void disarm_ports(struct engine *engine, uint32_t calling_ports)
{
    for (uint32_t i = 0; i < engine->nic->config.port_count; i++)
        pktio_port_disarm(engine->ports[i], calling_ports >> i & 1);
}

/* A polling thread does not need the doorbells of the ports, and each ring costs the other end a
 * system call: the progress thread changes to watching. */
void progress_note_poll(struct engine *engine)
{
    uint32_t asleep = PROGRESS_ASLEEP;
    uint64_t one = 1;

    atomic_store_explicit(&engine->drive_count,
        atomic_load_explicit(&engine->drive_count, memory_order_relaxed) + 1, memory_order_relaxed);
    if (atomic_load_explicit(&engine->progress_state, memory_order_relaxed) != PROGRESS_ASLEEP)
        return;
    if (++engine->polls_asleep < POLLS_UNTIL_WATCH)
        return;
    engine->polls_asleep = 0;
    if (!atomic_compare_exchange_strong(&engine->progress_state, &asleep, PROGRESS_WATCHING))
        return; /* it is awake already */
    disarm_ports(engine, 0);
    if (write(engine->wake_fd, &one, sizeof(one)) < 0)
        return;
}

/* ---- sleeping ---------------------------------------------------------------------------------
 */

struct sleep_set {
    struct pollfd fds[FDS_MAX];
    uint32_t count;
};

static void add_fd(struct sleep_set *set, int fd, short events)
{
    if (fd >= 0)
        set->fds[set->count++] = (struct pollfd){ .fd = fd, .events = events };
}

static bool is_readable(const struct sleep_set *set, int fd)
{
    for (uint32_t i = 0; fd >= 0 && i < set->count; i++)
        if (set->fds[i].fd == fd)
            return set->fds[i].revents != 0;
    return false;
}

static void sleep_until(struct sleep_set *set, uint64_t until_ns)
{
    uint64_t now_ns = host_now_ns();
    uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    struct timespec timeout = { .tv_sec = (time_t)(left_ns / 1000000000u),
        .tv_nsec = (long)(left_ns % 1000000000u) };

    if (ppoll(set->fds, set->count, until_ns == UINT64_MAX ? NULL : &timeout, NULL) < 0)
        for (uint32_t i = 0; i < set->count; i++)
            set->fds[i].revents = 0;
}

static int watched_fd(struct host_nic *nic)
{
    int fd;

    pthread_mutex_lock(&nic->watch_lock);
    fd = nic->watch_fd;
    pthread_mutex_unlock(&nic->watch_lock);
    return fd;
}

/* The callback may take any time, and may set another watch. */
static void call_watcher(struct host_nic *nic, const struct sleep_set *set)
{
    void (*on_readable)(void *context) = NULL;
    void *context = NULL;

    pthread_mutex_lock(&nic->watch_lock);
    if (is_readable(set, nic->watch_fd)) {
        on_readable = nic->on_watched;
        context = nic->watch_context;
    }
    pthread_mutex_unlock(&nic->watch_lock);
    if (on_readable)
        on_readable(context);
}

/* Serves what must not wait while another thread drives the engine: links, the watched file,
 * requests. */
static void look_after(struct engine *engine, const struct sleep_set *set)
{
    uint64_t count;

    if (is_readable(set, engine->wake_fd) && read(engine->wake_fd, &count, sizeof(count)) < 0)
        return;
    for (uint32_t i = 0; i < engine->nic->config.port_count; i++)
        if (is_readable(set, engine->ports[i]->link_fd)) {
            pktio_port_update_link(engine->ports[i]);
            atomic_store(&engine->link_changed, true);
        }
    if (engine->index > 0)
        return;
    call_watcher(engine->nic, set);
    if (is_readable(set, status_fd(engine->nic)))
        status_serve(engine->nic);
}

static void prepare_set(struct engine *engine, struct sleep_set *set)
{
    set->count = 0;
    add_fd(set, engine->wake_fd, POLLIN);
    if (engine->index == 0) {
        add_fd(set, watched_fd(engine->nic), POLLIN);
        add_fd(set, status_fd(engine->nic), POLLIN);
    }
    for (uint32_t i = 0; i < engine->nic->config.port_count; i++)
        add_fd(set, engine->ports[i]->link_fd, POLLIN);
}

/* Another thread polls. Returns true if it still does so after a short time. */
static bool watch_engine(struct engine *engine)
{
    uint32_t before = atomic_load_explicit(&engine->drive_count, memory_order_relaxed);
    struct sleep_set set;

    prepare_set(engine, &set);
    sleep_until(&set, host_now_ns() + WATCH_NS);
    look_after(engine, &set);
    return atomic_load(&engine->progress_state) == PROGRESS_WATCHING &&
           atomic_load_explicit(&engine->drive_count, memory_order_relaxed) != before;
}

/* Called by the owner. Returns false if there is something to do. */
static bool arm_ports(struct engine *engine)
{
    bool waits = engine_waits_for_room(engine);

    for (uint32_t i = 0; i < engine->nic->config.port_count; i++)
        if (!pktio_port_arm(engine->ports[i], waits && engine->full_ports >> i & 1)) {
            disarm_ports(engine, 0);
            return false;
        }
    return true;
}

/* Returns the ports that have rung. */
static uint32_t sleep_armed(struct engine *engine, uint64_t deadline_ns)
{
    uint32_t asleep = PROGRESS_ASLEEP;
    uint32_t calling_ports = 0;
    struct sleep_set set;

    prepare_set(engine, &set);
    for (uint32_t i = 0; i < engine->nic->config.port_count; i++)
        add_fd(&set, engine->ports[i]->data_fd, engine->ports[i]->events);
    sleep_until(&set, deadline_ns);
    atomic_fetch_add_explicit(&engine->wakeup_count, 1, memory_order_relaxed);
    atomic_compare_exchange_strong(&engine->progress_state, &asleep, PROGRESS_AWAKE);
    for (uint32_t i = 0; i < engine->nic->config.port_count; i++)
        if (is_readable(&set, engine->ports[i]->data_fd))
            calling_ports |= UINT32_C(1) << i;
    look_after(engine, &set);
    return calling_ports;
}

/* ---- the thread -------------------------------------------------------------------------------
 */

/* The state of a progress thread between turns. */
struct course {
    uint64_t busy_ns;       /* when there was last something to do */
    bool slept;             /* since the ports were disarmed */
    uint32_t calling_ports; /* ports that have woken it */
};

/* Called by the owner; gives the engine up. */
static void try_to_sleep(struct engine *engine, struct course *course)
{
    uint64_t deadline_ns = transport_deadline_ns(engine->transport);

    if (!arm_ports(engine)) {
        engine_release(engine);
        return;
    }
    course->slept = true;
    engine->polls_asleep = 0;
    atomic_store(&engine->thread_drives, false);
    atomic_store(&engine->progress_deadline_ns, deadline_ns);
    atomic_store(&engine->progress_state, PROGRESS_ASLEEP);
    atomic_store(&engine->is_owned, false);
    if (status_has_news(engine) && engine->index > 0)
        progress_wake(engine->nic->engines[0]);
    if (atomic_load(&engine->posted_summary) || atomic_load(&engine->mail_from) ||
        atomic_load(&engine->stops) || (status_has_news(engine) && engine->index == 0)) {
        atomic_store(&engine->progress_state, PROGRESS_AWAKE);
        return;
    }
    course->calling_ports = sleep_armed(engine, deadline_ns);
}

/* Returns how long to poll for work. The time is short while the other end of a port has unread
 * frames, because it may need this processor. */
static uint64_t patience_ns(const struct engine *engine)
{
    uint64_t spin_ns = engine->nic->config.spin_us * UINT64_C(1000);

    if (engine_has_siblings(engine))
        return spin_ns;
    for (uint32_t i = 0; i < engine->nic->config.port_count; i++)
        if (pktio_port_unread(engine->ports[i]) > 0)
            return spin_ns < UNREAD_NS ? spin_ns : UNREAD_NS;
    return spin_ns;
}

/* Returns false if another thread polls the engine. A poller that has handed it over gives it up.
 */
static bool take_engine(struct engine *engine)
{
    if (atomic_load_explicit(&engine->is_handed_over, memory_order_relaxed) &&
        atomic_exchange(&engine->is_handed_over, false))
        return engine_own(engine) == 0;
    return engine_try_own(engine);
}

static void take_turn(struct engine *engine, struct course *course)
{
    uint32_t work;

    if (engine->index == 0)
        status_turn(engine->nic);
    if (atomic_load(&engine->progress_state) == PROGRESS_WATCHING) {
        if (watch_engine(engine))
            return;
        atomic_store(&engine->progress_state, PROGRESS_AWAKE);
    }
    if (!take_engine(engine)) {
        atomic_store(&engine->thread_drives, false);
        atomic_store(&engine->progress_state, PROGRESS_WATCHING);
        return;
    }
    if (course->slept)
        disarm_ports(engine, course->calling_ports);
    course->slept = false;
    course->calling_ports = 0;
    if (!atomic_load_explicit(&engine->thread_drives, memory_order_relaxed))
        atomic_store(&engine->thread_drives, true);
    work = engine_pass(engine);
    engine->progress_pass_count++;
    if (work > 0) {
        course->busy_ns = host_now_ns();
        engine_release(engine);
    } else if (host_now_ns() - course->busy_ns < patience_ns(engine)) {
        engine_release(engine);
        pause_briefly();
    } else {
        try_to_sleep(engine, course);
    }
}

static void *run_engine(void *context)
{
    struct engine *engine = context;
    struct course course = { 0 };

    while (!atomic_load(&engine->stops))
        take_turn(engine, &course);
    return NULL;
}

int progress_start(struct engine *engine)
{
    sigset_t all;
    sigset_t before;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the application */
    engine->has_thread = true;
    err = -pthread_create(&engine->thread, NULL, run_engine, engine);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (err)
        engine->has_thread = false;
    else
        pthread_setname_np(engine->thread, "mrc-progress");
    return err;
}

void progress_stop(struct engine *engine)
{
    uint64_t one = 1;

    if (!engine->has_thread)
        return;
    atomic_store(&engine->stops, true);
    if (write(engine->wake_fd, &one, sizeof(one)) < 0)
        return;
    pthread_join(engine->thread, NULL);
    engine->has_thread = false;
}

int host_watch(struct host_nic *nic, int fd, void (*on_readable)(void *context), void *context)
{
    if (host_is_dead(nic))
        return -ENODEV;
    pthread_mutex_lock(&nic->watch_lock);
    nic->on_watched = on_readable;
    nic->watch_context = context;
    nic->watch_fd = fd;
    pthread_mutex_unlock(&nic->watch_lock);
    progress_wake(nic->engines[0]);
    return 0;
}
