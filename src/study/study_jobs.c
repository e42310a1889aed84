/* SPDX-License-Identifier: Apache-2.0 */
/* Runs each job in a child process, which writes its JSON to a memory file of the parent. */
#include "study/study_jobs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "result/result.h"

struct job {
    pid_t pid; /* 0: not started, or ended */
    int fd;    /* -1: none */
    json_t *run;
};

/* Runs in the child. */
static _Noreturn void run_and_exit(
    struct study_run *plan, const struct study_manner *manner, int fd)
{
    json_t *run = study_run(plan, manner);
    FILE *file = run ? fdopen(fd, "w") : NULL;
    bool is_written = file && json_dumpf(run, file, JSON_FORM) == 0 && fclose(file) == 0;

    fflush(stderr);
    _exit(is_written ? 0 : 1);
}

static int start_job(struct job *job, struct study_run *plan, const struct study_manner *manner)
{
    job->fd = memfd_create("run", MFD_CLOEXEC);
    if (job->fd < 0)
        return -errno;
    fflush(stdout);
    job->pid = fork();
    if (job->pid < 0) {
        job->pid = 0;
        return -errno;
    }
    if (job->pid == 0)
        run_and_exit(plan, manner, job->fd);
    return 0;
}

static struct job *job_of(struct job *jobs, uint32_t count, pid_t pid)
{
    for (uint32_t i = 0; i < count; i++)
        if (jobs[i].pid == pid)
            return &jobs[i];
    return NULL;
}

/* Ctrl-C on a terminal also reaches the children; a signal sent to the parent does not. The
 * children get another signal, because a second one of the same kind ends a program at once. */
static void pass_on_interrupt(const struct job *jobs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (jobs[i].pid > 0)
            kill(jobs[i].pid, SIGTERM);
}

/* Waits for one of the children. Returns false if it failed. */
static bool collect_job(struct job *jobs, uint32_t count, const struct study_manner *manner)
{
    int status;
    pid_t pid = wait(&status);
    struct job *job;

    if (pid < 0 && errno == EINTR) {
        pass_on_interrupt(jobs, count);
        return true;
    }
    if (pid < 0)
        return false;
    job = job_of(jobs, count, pid);
    if (!job)
        return true;
    job->pid = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && lseek(job->fd, 0, SEEK_SET) == 0)
        job->run = json_loadfd(job->fd, 0, NULL);
    close(job->fd);
    job->fd = -1;
    if (WIFSIGNALED(status))
        study_complain(manner, "a run ended with signal %d", WTERMSIG(status));
    return job->run != NULL;
}

static uint32_t running_count(const struct job *jobs, uint32_t count)
{
    uint32_t running = 0;

    for (uint32_t i = 0; i < count; i++)
        running += jobs[i].pid > 0;
    return running;
}

static json_t *gather_runs(struct job *jobs, uint32_t count, bool all_went_well)
{
    json_t *runs = json_array();

    for (uint32_t i = 0; i < count; i++)
        if (jobs[i].run)
            json_array_append_new(runs, jobs[i].run);
    free(jobs);
    if (all_went_well && json_array_size(runs) > 0)
        return runs;
    json_decref(runs);
    return NULL;
}

/* Starts as many as may run at a time, and another when one has ended. Returns false if one
 * failed. */
static bool start_all(struct job *jobs, struct study_run **plans, uint32_t run_count,
    const struct study_manner *manner, uint32_t *started)
{
    for (*started = 0; *started < run_count && !*manner->is_interrupted; ++*started) {
        int err;

        while (running_count(jobs, *started) >= manner->jobs)
            if (!collect_job(jobs, *started, manner))
                return false;
        if (*manner->is_interrupted)
            break;
        err = start_job(&jobs[*started], plans[*started], manner);
        if (err) {
            study_complain(manner, "cannot start a process for a run: %s", strerror(-err));
            ++*started;
            return false;
        }
    }
    return true;
}

json_t *study_jobs_run(
    struct study_run **plans, uint32_t run_count, const struct study_manner *manner)
{
    struct job *jobs = grow_take(run_count, sizeof(*jobs));
    uint32_t started;
    bool is_well = start_all(jobs, plans, run_count, manner, &started);

    while (running_count(jobs, started) > 0)
        is_well = collect_job(jobs, started, manner) && is_well;
    return gather_runs(jobs, run_count, is_well);
}
