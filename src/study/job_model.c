/* SPDX-License-Identifier: Apache-2.0 */
/* Follows a job from failure to failure. */
#include "study/job_model.h"

#include <math.h>
#include <string.h>

#include "base/prng.h"

#define DAY_S  86400.0
#define HOUR_S 3600.0

/* One trial. Times are in seconds. */
struct course {
    const struct job *job;
    uint32_t protocol;
    struct prng prng;
    double now_s;
    double stands_until_s;
    uint32_t stands_for; /* the class of the failure that made it stand */
    double cycle_s;      /* since the last checkpoint: work, then the next checkpoint */
    double useful_s;
    double checkpoints_s;
    double events[JOB_CLASSES_MAX];
    double restarts[JOB_CLASSES_MAX];
    double lost_s[JOB_CLASSES_MAX];
};

/* ---- failures -------------------------------------------------------------------------------- */

struct failure {
    double at_s;
    uint32_t class_index;
    double lasts_s;
};

/* Returns a number in (0, 1]. */
static double uniform(struct prng *prng)
{
    return ((double)(prng_next(prng) >> 11) + 1) * 0x1p-53;
}

static double all_per_day(const struct job *job)
{
    double sum = 0;

    for (uint32_t i = 0; i < job->class_count; i++)
        sum += job->classes[i].per_day;
    return sum;
}

/* Always draws three numbers, so that protocols see the same failures. */
static struct failure next_failure(struct course *course, double after_s)
{
    const struct job *job = course->job;
    double per_day = all_per_day(job);
    double wait = -log(uniform(&course->prng));
    double left = uniform(&course->prng) * per_day;
    double lasts = -log(uniform(&course->prng));
    struct failure failure = { .at_s = per_day > 0 ? after_s + wait / per_day * DAY_S : INFINITY };

    while (failure.class_index + 1 < job->class_count &&
           left > job->classes[failure.class_index].per_day)
        left -= job->classes[failure.class_index++].per_day;
    failure.lasts_s = lasts * job->classes[failure.class_index].lasts_s;
    return failure;
}

/* ---- progress -------------------------------------------------------------------------------- */

/* Lets the job stand, work and write checkpoints. */
static void advance_job(struct course *course, double until_s)
{
    double whole_s = course->job->checkpoint_every_s + course->job->checkpoint_s;

    if (course->stands_until_s > course->now_s)
        course->now_s = fmin(course->stands_until_s, until_s);
    course->cycle_s += until_s - course->now_s;
    course->now_s = until_s;
    while (course->cycle_s >= whole_s) {
        course->cycle_s -= whole_s;
        course->useful_s += course->job->checkpoint_every_s;
        course->checkpoints_s += course->job->checkpoint_s;
    }
}

static void restart_job(struct course *course, uint32_t class_index, double noticed_s)
{
    double until_s = course->now_s + noticed_s + course->job->restart_s;
    double standing_s = fmax(course->stands_until_s - course->now_s, 0);

    course->restarts[class_index]++;
    course->lost_s[class_index] += course->cycle_s + (until_s - course->now_s) - standing_s;
    course->cycle_s = 0;
    course->stands_until_s = until_s;
    course->stands_for = class_index;
}

/* Returns the share of the rate that the job loses: only the exposed part of a step takes longer.
 */
static double slowed_share(const struct job *job, const struct job_cost *cost)
{
    double exposed = job->exposed_communication;

    return 1 - 1 / (1 - exposed + exposed / (1 - cost->slows));
}

/* A slower job is treated as one that stands for a part of the time. */
static void stall_job(struct course *course, const struct failure *failure, double stall_s)
{
    const struct job_cost *cost =
        &course->job->classes[failure->class_index].costs[course->protocol];
    double slowed_s = slowed_share(course->job, cost) * failure->lasts_s;

    course->stands_until_s = course->now_s + stall_s + slowed_s;
    course->stands_for = failure->class_index;
    course->lost_s[failure->class_index] += stall_s + slowed_s;
}

static void suffer(struct course *course, const struct failure *failure)
{
    const struct job *job = course->job;
    const struct job_class *class = &job->classes[failure->class_index];
    const struct job_cost *cost = &class->costs[course->protocol];
    double patience_s = fmin(job->protocols[course->protocol].give_up_s, job->watchdog_s);
    double longer_s = fmax(failure->lasts_s - cost->lasts_s, 0);
    double stall_s = cost->stall_s + (cost->stalls_while_down ? longer_s : 0);

    course->events[failure->class_index]++;
    if (class->restarts)
        restart_job(course, failure->class_index, 0);
    else if (course->stands_until_s > course->now_s)
        return;
    else if (cost->hangs)
        restart_job(course, failure->class_index, job->watchdog_s);
    else if (cost->restarts)
        restart_job(course, failure->class_index, fmin(cost->stall_s, job->watchdog_s));
    else if (stall_s >= patience_s)
        restart_job(course, failure->class_index, patience_s);
    else
        stall_job(course, failure, stall_s);
}

/* What a failure costs after the end of the job does not count. */
static void run_trial(struct course *course)
{
    double end_s = course->job->days * DAY_S;
    struct failure failure = next_failure(course, 0);

    while (failure.at_s < end_s) {
        advance_job(course, failure.at_s);
        suffer(course, &failure);
        failure = next_failure(course, failure.at_s);
    }
    advance_job(course, end_s);
    if (course->stands_until_s > end_s)
        course->lost_s[course->stands_for] -= course->stands_until_s - end_s;
    course->useful_s += fmin(course->cycle_s, course->job->checkpoint_every_s);
    course->checkpoints_s += fmax(course->cycle_s - course->job->checkpoint_every_s, 0);
}

/* ---- figures --------------------------------------------------------------------------------- */

/* Sums of a figure and of its squares take the place of mean and interval until the end. */
static void add_value(struct job_figure *figure, double value)
{
    figure->mean += value;
    figure->around += value * value;
}

static void end_figure(struct job_figure *figure, uint32_t trials)
{
    double mean = figure->mean / trials;
    double variance = fmax(figure->around / trials - mean * mean, 0);

    *figure = (struct job_figure){ mean, trials > 1 ? 1.96 * sqrt(variance / (trials - 1)) : 0 };
}

static void add_trial(struct job_result *result, const struct course *course)
{
    double end_s = course->job->days * DAY_S;
    double hours = course->job->gpus / HOUR_S; /* GPU hours of a second */

    add_value(&result->goodput, course->useful_s / end_s);
    add_value(&result->gpu_hours, (end_s - course->useful_s) * hours);
    add_value(&result->checkpoint_gpu_hours, course->checkpoints_s * hours);
    for (uint32_t i = 0; i < course->job->class_count; i++) {
        add_value(&result->classes[i].events, course->events[i]);
        add_value(&result->classes[i].restarts, course->restarts[i]);
        add_value(&result->classes[i].gpu_hours, course->lost_s[i] * hours);
    }
}

void job_model_run(const struct job *job, uint32_t protocol, uint64_t seed, uint32_t trials,
    struct job_result *result)
{
    memset(result, 0, sizeof(*result));
    for (uint32_t i = 0; i < trials; i++) {
        struct course course = { .job = job, .protocol = protocol, .prng = prng_stream(seed, i) };

        run_trial(&course);
        add_trial(result, &course);
    }
    end_figure(&result->goodput, trials);
    end_figure(&result->gpu_hours, trials);
    end_figure(&result->checkpoint_gpu_hours, trials);
    for (uint32_t i = 0; i < job->class_count; i++) {
        end_figure(&result->classes[i].events, trials);
        end_figure(&result->classes[i].restarts, trials);
        end_figure(&result->classes[i].gpu_hours, trials);
    }
}

double job_model_amplification(const struct job_class *class, const struct job_class_result *result)
{
    double away_hours = result->events.mean * class->lasts_s * class->nics / HOUR_S;

    return away_hours > 0 ? result->gpu_hours.mean / away_hours : 0;
}
