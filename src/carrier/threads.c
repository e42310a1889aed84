/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that wait for the next window, run their shards and report back. A window may take a few
 * microseconds, so a thread looks for it for a while before it sleeps. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "carrier/carrier.h"
#include "carrier/threads_place.h"

enum {
    LINE = 64,
    LOOKS_BEFORE_SLEEP = 4000, /* some ten microseconds */
};

/* A number that threads wait for. */
struct signal_count {
    _Alignas(LINE) atomic_uint value;
    atomic_uint sleepers;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

struct worker {
    _Alignas(LINE) pthread_t thread;
    struct carrier_threads *team;
    uint32_t index;
    double busy_s;
};

struct carrier_threads {
    struct signal_count windows; /* begun */
    struct signal_count done;    /* threads that have finished this window */
    struct sim_carrier carrier;
    struct threads_place place;
    uint32_t count;   /* threads, with the caller */
    uint32_t started; /* of workers */
    bool is_closing;
    /* the window */
    void (*work)(void *argument, uint32_t index);
    void *argument;
    uint32_t shard_count;
    double windows_s;
    struct worker *workers; /* the first stands for the caller */
};

static double wall_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- waiting --------------------------------------------------------------------------------- */

static void signal_init(struct signal_count *count)
{
    atomic_init(&count->value, 0);
    atomic_init(&count->sleepers, 0);
    pthread_mutex_init(&count->mutex, NULL);
    pthread_cond_init(&count->changed, NULL);
}

static void signal_fini(struct signal_count *count)
{
    pthread_cond_destroy(&count->changed);
    pthread_mutex_destroy(&count->mutex);
}

/* A sleeper counts itself before it looks for the last time, and the signaller looks for sleepers
 * after the change: one of them sees the other. */
static void signal_add(struct signal_count *count)
{
    atomic_fetch_add(&count->value, 1);
    if (atomic_load(&count->sleepers) == 0)
        return;
    pthread_mutex_lock(&count->mutex);
    pthread_cond_broadcast(&count->changed);
    pthread_mutex_unlock(&count->mutex);
}

static void signal_sleep(struct signal_count *count, uint32_t wanted)
{
    pthread_mutex_lock(&count->mutex);
    atomic_fetch_add(&count->sleepers, 1);
    while (atomic_load(&count->value) != wanted)
        pthread_cond_wait(&count->changed, &count->mutex);
    atomic_fetch_sub(&count->sleepers, 1);
    pthread_mutex_unlock(&count->mutex);
}

/* Waits until the count is `wanted`, which it does not exceed meanwhile. */
static void signal_wait(struct signal_count *count, uint32_t wanted)
{
    for (uint32_t i = 0; i < LOOKS_BEFORE_SLEEP; i++) {
        if (atomic_load_explicit(&count->value, memory_order_acquire) == wanted)
            return;
#ifdef __x86_64__
        __builtin_ia32_pause();
#endif
    }
    signal_sleep(count, wanted);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void run_own_shards(struct carrier_threads *team, uint32_t thread)
{
    double began_s = wall_s();

    for (uint32_t i = thread; i < team->shard_count; i += team->count)
        team->work(team->argument, i);
    team->workers[thread].busy_s += wall_s() - began_s;
}

static void *worker_main(void *context)
{
    struct worker *worker = context;
    struct carrier_threads *team = worker->team;

    threads_place_pin(&team->place, worker->index, team->count);
    for (uint32_t window = 1;; window++) {
        signal_wait(&team->windows, window);
        if (team->is_closing)
            return NULL;
        run_own_shards(team, worker->index);
        signal_add(&team->done);
    }
}

static void run_window(void *context, uint32_t shard_count,
    void (*work)(void *argument, uint32_t index), void *argument)
{
    struct carrier_threads *team = context;
    double began_s = wall_s();

    team->work = work;
    team->argument = argument;
    team->shard_count = shard_count;
    atomic_store(&team->done.value, 0);
    signal_add(&team->windows);
    run_own_shards(team, 0);
    signal_wait(&team->done, team->count - 1);
    team->windows_s += wall_s() - began_s;
}

static int start_workers(struct carrier_threads *team)
{
    int err = 0;

    for (uint32_t i = 1; i < team->count && !err; i++) {
        team->workers[i].team = team;
        team->workers[i].index = i;
        err = pthread_create(&team->workers[i].thread, NULL, worker_main, &team->workers[i]);
        team->started += err == 0;
    }
    return -err;
}

struct carrier_threads *carrier_threads_open(uint32_t count, int *err)
{
    struct carrier_threads *team = aligned_alloc(LINE, sizeof(*team));

    *err = -ENOMEM;
    if (!team)
        return NULL;
    *team = (struct carrier_threads){ .count = count,
        .carrier = { .run = run_window, .context = team },
        .workers = aligned_alloc(LINE, count * sizeof(struct worker)) };
    if (!team->workers) {
        free(team);
        return NULL;
    }
    memset(team->workers, 0, count * sizeof(struct worker));
    signal_init(&team->windows);
    signal_init(&team->done);
    threads_place_init(&team->place, NULL);
    *err = start_workers(team);
    if (*err) {
        carrier_threads_close(team);
        return NULL;
    }
    threads_place_pin(&team->place, 0, count);
    return team;
}

const struct sim_carrier *carrier_threads_carrier(struct carrier_threads *team)
{
    return &team->carrier;
}

struct carrier_times carrier_threads_times(const struct carrier_threads *team)
{
    struct carrier_times times = { .windows_s = team->windows_s };

    for (uint32_t i = 0; i < team->count; i++)
        times.busy_s += team->workers[i].busy_s / team->count;
    return times;
}

void carrier_threads_close(struct carrier_threads *team)
{
    team->is_closing = true;
    signal_add(&team->windows);
    for (uint32_t i = 1; i <= team->started; i++)
        pthread_join(team->workers[i].thread, NULL);
    sched_setaffinity(0, sizeof(team->place.allowed), &team->place.allowed);
    signal_fini(&team->windows);
    signal_fini(&team->done);
    free(team->workers);
    free(team);
}
