/* SPDX-License-Identifier: Apache-2.0 */
/* The progress thread: drives the engine when nobody polls, sleeps when there is nothing to do. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "host/engine.h"

enum {
    POLLS_UNTIL_WATCH = 64, /* passes by a poller after which the ports need not call any more */
    UNREAD_NS = 3000,
    WATCH_NS = 1000 * 1000, /* how often to look whether it still polls */
    FDS_MAX = 3 + 2 * HOST_PORT_COUNT_MAX,
};

void progress_wake(struct host_nic *nic)
{
    uint32_t asleep = PROGRESS_ASLEEP;
    uint32_t watching = PROGRESS_WATCHING;
    uint64_t one = 1;

    if (!nic->has_thread)
        return;
    if ((atomic_compare_exchange_strong(&nic->progress_state, &asleep, PROGRESS_AWAKE) ||
            atomic_compare_exchange_strong(&nic->progress_state, &watching, PROGRESS_AWAKE)) &&
        write(nic->wake_fd, &one, sizeof(one)) < 0)
        return;
}

static void disarm_ports(struct host_nic *nic)
{
    for (uint32_t i = 0; i < nic->config.port_count; i++)
        pktio_port_disarm(nic->ports[i]);
}

/* A thread that polls needs no calls from the ports, and they cost the other end a system call
 * each: the progress thread goes over to watching. */
void progress_note_poll(struct host_nic *nic)
{
    uint64_t one = 1;

    atomic_store_explicit(&nic->drive_count,
        atomic_load_explicit(&nic->drive_count, memory_order_relaxed) + 1, memory_order_relaxed);
    if (atomic_load_explicit(&nic->progress_state, memory_order_relaxed) != PROGRESS_ASLEEP)
        return;
    if (++nic->polls_asleep < POLLS_UNTIL_WATCH)
        return;
    nic->polls_asleep = 0;
    atomic_store(&nic->progress_state, PROGRESS_WATCHING);
    disarm_ports(nic);
    if (write(nic->wake_fd, &one, sizeof(one)) < 0)
        return;
}

/* ---- sleeping ---------------------------------------------------------------------------------
 */

struct sleep_set {
    struct pollfd fds[FDS_MAX];
    uint32_t count;
};

static void add(struct sleep_set *set, int fd, short events)
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

/* The call may take as long as it likes, and set another watch. */
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

/* What must be seen to even if somebody else drives the engine: links, the watched file, questions.
 */
static void look_after(struct host_nic *nic, const struct sleep_set *set)
{
    uint64_t count;

    if (is_readable(set, nic->wake_fd) && read(nic->wake_fd, &count, sizeof(count)) < 0)
        return;
    for (uint32_t i = 0; i < nic->config.port_count; i++)
        if (is_readable(set, nic->ports[i]->link_fd)) {
            pktio_port_update_link(nic->ports[i]);
            atomic_store(&nic->link_changed, true);
        }
    call_watcher(nic, set);
    status_serve(nic);
}

static void prepare(struct host_nic *nic, struct sleep_set *set)
{
    set->count = 0;
    add(set, nic->wake_fd, POLLIN);
    add(set, watched_fd(nic), POLLIN);
    add(set, status_fd(nic), POLLIN);
    for (uint32_t i = 0; i < nic->config.port_count; i++)
        add(set, nic->ports[i]->link_fd, POLLIN);
}

/* Somebody polls. Looks again a little later; true if that is still so. */
static bool watch(struct host_nic *nic)
{
    uint32_t before = atomic_load_explicit(&nic->drive_count, memory_order_relaxed);
    struct sleep_set set;

    prepare(nic, &set);
    sleep_until(&set, host_now_ns() + WATCH_NS);
    look_after(nic, &set);
    return atomic_load(&nic->progress_state) == PROGRESS_WATCHING &&
           atomic_load_explicit(&nic->drive_count, memory_order_relaxed) != before;
}

/* The owner arms its ports; false: there is something to do after all. */
static bool arm_ports(struct host_nic *nic)
{
    bool waits = engine_waits_for_room(nic);

    for (uint32_t i = 0; i < nic->config.port_count; i++)
        if (!pktio_port_arm(nic->ports[i], waits && nic->full_ports >> i & 1)) {
            disarm_ports(nic);
            return false;
        }
    return true;
}

static void sleep_armed(struct host_nic *nic, uint64_t deadline_ns)
{
    uint32_t asleep = PROGRESS_ASLEEP;
    struct sleep_set set;

    prepare(nic, &set);
    for (uint32_t i = 0; i < nic->config.port_count; i++)
        add(&set, nic->ports[i]->data_fd, nic->ports[i]->events);
    sleep_until(&set, deadline_ns);
    atomic_fetch_add_explicit(&nic->wakeup_count, 1, memory_order_relaxed);
    atomic_compare_exchange_strong(&nic->progress_state, &asleep, PROGRESS_AWAKE);
    look_after(nic, &set);
}

/* ---- the thread -------------------------------------------------------------------------------
 */

/* As the owner, who gives the engine away. True: it slept. */
static bool try_to_sleep(struct host_nic *nic)
{
    uint64_t deadline_ns = transport_deadline_ns(nic->transport);

    if (!arm_ports(nic)) {
        engine_release(nic);
        return false;
    }
    nic->polls_asleep = 0;
    atomic_store(&nic->progress_deadline_ns, deadline_ns);
    atomic_store(&nic->progress_state, PROGRESS_ASLEEP);
    atomic_store(&nic->is_owned, false);
    if (atomic_load(&nic->posted_summary) || atomic_load(&nic->stops) || status_has_news(nic)) {
        atomic_store(&nic->progress_state, PROGRESS_AWAKE);
        return true;
    }
    sleep_armed(nic, deadline_ns);
    return true;
}

/* How long to look for work: not long while the other end of a port does not get to what we sent,
 * because it may be waiting for this very processor. */
static uint64_t patience_ns(const struct host_nic *nic)
{
    uint64_t spin_ns = nic->config.spin_us * UINT64_C(1000);

    for (uint32_t i = 0; i < nic->config.port_count; i++)
        if (pktio_port_unread(nic->ports[i]) > 0)
            return spin_ns < UNREAD_NS ? spin_ns : UNREAD_NS;
    return spin_ns;
}

/* One turn of the thread. */
static void turn(struct host_nic *nic, uint64_t *busy_ns, bool *slept)
{
    uint32_t work;

    status_turn(nic);
    if (atomic_load(&nic->progress_state) == PROGRESS_WATCHING) {
        if (watch(nic))
            return;
        atomic_store(&nic->progress_state, PROGRESS_AWAKE);
    }
    if (!engine_try_own(nic)) {
        atomic_store(&nic->progress_state, PROGRESS_WATCHING);
        return;
    }
    if (*slept)
        disarm_ports(nic);
    *slept = false;
    work = engine_pass(nic);
    nic->progress_pass_count++;
    if (work > 0) {
        *busy_ns = host_now_ns();
        engine_release(nic);
    } else if (host_now_ns() - *busy_ns < patience_ns(nic)) {
        engine_release(nic);
    } else {
        *slept = try_to_sleep(nic);
    }
}

static void *run(void *context)
{
    struct host_nic *nic = context;
    uint64_t busy_ns = 0;
    bool slept = false;

    while (!atomic_load(&nic->stops))
        turn(nic, &busy_ns, &slept);
    return NULL;
}

int progress_start(struct host_nic *nic)
{
    sigset_t all;
    sigset_t before;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the application's */
    nic->has_thread = true;
    err = -pthread_create(&nic->thread, NULL, run, nic);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (err)
        nic->has_thread = false;
    else
        pthread_setname_np(nic->thread, "mrc-progress");
    return err;
}

void progress_stop(struct host_nic *nic)
{
    uint64_t one = 1;

    if (!nic->has_thread)
        return;
    atomic_store(&nic->stops, true);
    if (write(nic->wake_fd, &one, sizeof(one)) < 0)
        return;
    pthread_join(nic->thread, NULL);
    nic->has_thread = false;
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
    progress_wake(nic);
    return 0;
}
