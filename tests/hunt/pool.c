/* SPDX-License-Identifier: Apache-2.0 */
/* Workers take cases from a common counter. One that crashes is replaced; its case is known. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

enum {
    JOBS_MAX = 64,
    GUARD_SECONDS = 300, /* a case that takes so long hangs */
};

struct shared {
    atomic_uint next;
    atomic_uint done;
    uint32_t current[JOBS_MAX]; /* case of each worker, plus 1; 0: none */
};

struct pool {
    const struct program *program;
    struct hunt_figures *figures;
    struct shared *shared;
    pid_t workers[JOBS_MAX];
    double began_s;
};

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *share(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        perror("hunt: memory");
        exit(1);
    }
    return memory;
}

struct hunt_figures *pool_memory(uint32_t case_count)
{
    return share(case_count * sizeof(struct hunt_figures));
}

static bool is_time_over(const struct pool *pool)
{
    return pool->program->seconds && now_s() - pool->began_s > pool->program->seconds;
}

static _Noreturn void work(struct pool *pool, uint32_t worker)
{
    const struct program *program = pool->program;
    struct study_trial *trial = malloc(sizeof(*trial));

    while (trial && !is_time_over(pool)) {
        uint32_t index = atomic_fetch_add(&pool->shared->next, 1);

        if (index >= program->case_count)
            break;
        pool->shared->current[worker] = index + 1;
        alarm(GUARD_SECONDS);
        hunt_draw(trial, &program->options, program->first_case + index);
        hunt_run(trial, &pool->figures[index]);
        pool->shared->current[worker] = 0;
        atomic_fetch_add(&pool->shared->done, 1);
    }
    _exit(0);
}

static void start_worker(struct pool *pool, uint32_t worker)
{
    fflush(NULL);
    pool->shared->current[worker] = 0;
    pool->workers[worker] = fork();
    if (pool->workers[worker] == 0)
        work(pool, worker);
}

/* The case that it died of is noted, and another worker goes on. */
static void bury(struct pool *pool, uint32_t worker, int status)
{
    uint32_t current = pool->shared->current[worker];

    pool->workers[worker] = 0;
    if (current == 0)
        return;
    hunt_note_end(&pool->figures[current - 1], status);
    atomic_fetch_add(&pool->shared->done, 1);
    start_worker(pool, worker);
}

static void show_progress(const struct pool *pool)
{
    if (!pool->program->is_quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%u of %u cases, %.0f s ", atomic_load(&pool->shared->done),
            pool->program->case_count, now_s() - pool->began_s);
}

static bool wait_for_one(struct pool *pool)
{
    struct timespec pause = { .tv_nsec = 50000000 };
    bool is_working = false;

    for (uint32_t i = 0; i < pool->program->jobs; i++) {
        int status;

        if (pool->workers[i] <= 0)
            continue;
        is_working = true;
        if (waitpid(pool->workers[i], &status, WNOHANG) == pool->workers[i])
            bury(pool, i, status);
    }
    show_progress(pool);
    nanosleep(&pause, NULL);
    return is_working;
}

uint32_t pool_run(const struct program *program, struct hunt_figures *figures)
{
    struct pool pool = { .program = program, .figures = figures, .began_s = now_s() };
    uint32_t taken;

    pool.shared = share(sizeof(*pool.shared));
    for (uint32_t i = 0; i < program->jobs; i++)
        start_worker(&pool, i);
    while (wait_for_one(&pool))
        ;
    if (!program->is_quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
    taken = atomic_load(&pool.shared->next);
    return taken < program->case_count ? taken : program->case_count;
}
