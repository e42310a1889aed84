/* SPDX-License-Identifier: Apache-2.0 */
/* Runs each job in a child process, which writes its JSON to a memory file of the parent. */
#include "study/study_jobs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "result/result.h"
#include "study/study_memory.h"

#define PAUSE_NS 2000000 /* between two looks at the children */

struct job {
    pid_t pid;      /* 0: not started, or ended */
    int fd;         /* valid while it runs */
    uint64_t bytes; /* of memory that it needs */
};

struct queue {
    struct study_run **plans;
    struct job *jobs;
    uint32_t count;
    uint32_t started;
    uint32_t running;
    uint64_t running_bytes;
    uint64_t room_bytes; /* for all runs together */
    const struct study_manner *manner;
    const struct study_sink *sink;
    bool must_stop;
    bool has_passed_on; /* an interrupt */
};

/* ---- children -------------------------------------------------------------------------------- */

/* A run must not outlive a parent that was killed: nothing would take its result. */
static void die_with_parent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
}

/* Runs in the child. */
static _Noreturn void run_and_exit(
    struct study_run *plan, const struct study_manner *manner, int fd)
{
    json_t *run = study_run(plan, manner);
    FILE *file = run ? fdopen(fd, "w") : NULL;
    bool is_written;

    if (run && manner->points)
        result_thin(run, manner->points);
    is_written = file && json_dumpf(run, file, JSON_FORM) == 0 && fclose(file) == 0;
    fflush(stderr);
    _exit(is_written ? 0 : 1);
}

static int start_job(struct queue *queue, uint32_t index)
{
    struct job *job = &queue->jobs[index];
    pid_t parent = getpid();
    int err;

    job->fd = memfd_create("run", MFD_CLOEXEC);
    if (job->fd < 0)
        return -errno;
    fflush(stdout);
    job->pid = fork();
    if (job->pid < 0) {
        err = -errno;
        job->pid = 0;
        close(job->fd);
        return err;
    }
    if (job->pid == 0) {
        die_with_parent(parent);
        run_and_exit(queue->plans[index], queue->manner, job->fd);
    }
    queue->running++;
    queue->running_bytes += job->bytes;
    return 0;
}

/* ---- the queue ------------------------------------------------------------------------------- */

static void hand_over(struct queue *queue, uint32_t index, json_t *run)
{
    if (!queue->sink->take(queue->sink->context, index, run))
        queue->must_stop = true;
}

/* Ctrl-C on a terminal also reaches the children; a signal sent to the parent does not. The
 * children get another signal, because a second one of the same kind ends a program at once. */
static void pass_on_interrupt(struct queue *queue)
{
    queue->has_passed_on = true;
    for (uint32_t i = 0; i < queue->started; i++)
        if (queue->jobs[i].pid > 0)
            kill(queue->jobs[i].pid, SIGTERM);
}

static json_t *end_job(struct queue *queue, struct job *job, int status)
{
    json_t *run = NULL;

    job->pid = 0;
    queue->running--;
    queue->running_bytes -= job->bytes;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && lseek(job->fd, 0, SEEK_SET) == 0)
        run = json_loadfd(job->fd, 0, NULL);
    close(job->fd);
    if (WIFSIGNALED(status) && !*queue->manner->is_interrupted)
        study_complain(queue->manner, "a run ended with signal %d", WTERMSIG(status));
    return run;
}

/* Waits for one of the children, or for an interrupt. wait() alone could miss the interrupt: it may
 * come just before the call, or to a thread of MPI. */
static void collect_job(struct queue *queue)
{
    const struct timespec pause = { .tv_nsec = PAUSE_NS };
    int status;
    pid_t pid = waitpid(-1, &status, WNOHANG);

    while (pid == 0 && (queue->has_passed_on || !*queue->manner->is_interrupted)) {
        nanosleep(&pause, NULL);
        pid = waitpid(-1, &status, WNOHANG);
    }
    if (pid <= 0) {
        pass_on_interrupt(queue);
        return;
    }
    for (uint32_t i = 0; i < queue->started; i++)
        if (queue->jobs[i].pid == pid) {
            hand_over(queue, i, end_job(queue, &queue->jobs[i], status));
            return;
        }
}

static bool may_begin(const struct queue *queue, const struct job *job)
{
    if (queue->running == 0)
        return true;
    return queue->running < queue->manner->jobs &&
           queue->running_bytes + job->bytes <= queue->room_bytes;
}

static bool is_over(const struct queue *queue)
{
    return queue->must_stop || *queue->manner->is_interrupted;
}

static void start_next(struct queue *queue)
{
    uint32_t index = queue->started;
    struct job *job = &queue->jobs[index];
    int err;

    job->bytes = study_memory_needed(&queue->plans[index]->experiment.sim).likely_bytes;
    while (!is_over(queue) && !may_begin(queue, job))
        collect_job(queue);
    if (is_over(queue))
        return;
    queue->started++;
    err = start_job(queue, index);
    if (err) {
        study_complain(queue->manner, "cannot start a process for a run: %s", strerror(-err));
        hand_over(queue, index, NULL);
    }
}

void study_jobs_run(struct study_run **plans, uint32_t run_count, const struct study_manner *manner,
    const struct study_sink *sink)
{
    struct queue queue = { .plans = plans,
        .jobs = grow_take(run_count, sizeof(struct job)),
        .count = run_count,
        .room_bytes = study_available_bytes(manner),
        .manner = manner,
        .sink = sink };

    while (queue.started < queue.count && !is_over(&queue))
        start_next(&queue);
    while (queue.running > 0)
        collect_job(&queue);
    free(queue.jobs);
}

/* ---- all results in memory ------------------------------------------------------------------- */

struct gathered {
    json_t **runs;
    bool is_complete;
};

static bool gather_run(void *context, uint32_t index, json_t *run)
{
    struct gathered *gathered = context;

    gathered->runs[index] = run;
    gathered->is_complete = gathered->is_complete && run;
    return run != NULL;
}

/* MPI ranks cannot run in child processes. */
static void run_in_turn(struct study_run **plans, uint32_t run_count,
    const struct study_manner *manner, struct gathered *gathered)
{
    bool goes_on = true;

    for (uint32_t i = 0; goes_on && i < run_count && !*manner->is_interrupted; i++)
        goes_on = gather_run(gathered, i, study_run(plans[i], manner));
}

json_t *study_jobs_gather(
    struct study_run **plans, uint32_t run_count, const struct study_manner *manner)
{
    struct gathered gathered = { .runs = grow_take(run_count, sizeof(json_t *)),
        .is_complete = true };
    struct study_sink sink = { gather_run, &gathered };
    json_t *runs = json_array();

    if (run_count == 1 || manner->group)
        run_in_turn(plans, run_count, manner, &gathered);
    else
        study_jobs_run(plans, run_count, manner, &sink);
    for (uint32_t i = 0; i < run_count; i++)
        if (gathered.runs[i])
            json_array_append_new(runs, gathered.runs[i]);
    free(gathered.runs);
    if (gathered.is_complete && json_array_size(runs) > 0)
        return runs;
    json_decref(runs);
    return NULL;
}
