/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that took longer than without the fault are its cost. Steps that begin and end during the
 * fault show how much slower the job is meanwhile; what is left of the lost time is the stall. */
#include "study/job_cost.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "files/files.h"
#include "result/result.h"
#include "study/search_chance.h"

#define US_PER_S   1e6
#define SLOWS_MOST 0.99 /* a job that is slower than this stands */

/* A fault is long if several steps would have ended while it lasted. */
enum { LONG_STEPS = 3 };

struct course {
    double step_s;  /* without the fault */
    double began_s; /* of the fault */
    double ended_s; /* likewise, or of the work */
    double now_s;   /* the end of the last step */
    double lost_s;
    double outage_s;
    double slower_s; /* the median of the steps during the fault */
    uint32_t during; /* their number */
    uint32_t ended;  /* steps */
};

static double member_s(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key)) / US_PER_S;
}

static bool is_event(const json_t *event, const char *kind)
{
    const char *its = json_string_value(json_object_get(event, "kind"));

    return its && strcmp(its, kind) == 0;
}

/* Steps are in the order of their numbers. Ranks that are not neighbours may be in different steps,
 * so a step is the time from the end of the one before to its own end. */
double job_cost_step_s(const json_t *run)
{
    double first_end_s = 0;
    double last_end_s = 0;
    uint32_t count = 0;
    size_t index;
    json_t *event;

    json_array_foreach(json_object_get(run, "events"), index, event)
    {
        if (!is_event(event, "step"))
            continue;
        last_end_s = member_s(event, "time_us");
        if (count++ == 0)
            first_end_s = last_end_s;
    }
    return count > 1 ? (last_end_s - first_end_s) / (count - 1) : 0;
}

/* Returns the time of the first event of a kind; INFINITY: there is none. */
static double first_s(const json_t *run, const char *kind)
{
    size_t index;
    json_t *event;

    json_array_foreach(json_object_get(run, "events"), index, event)
    {
        if (is_event(event, kind))
            return member_s(event, "time_us");
    }
    return INFINITY;
}

static double last_step_s(const json_t *run)
{
    double last_s = 0;
    size_t index;
    json_t *event;

    json_array_foreach(json_object_get(run, "events"), index, event)
    {
        if (is_event(event, "step"))
            last_s = fmax(last_s, member_s(event, "time_us"));
    }
    return last_s;
}

static int compare_times(const void *left, const void *right)
{
    const double *a = left;
    const double *b = right;

    return (*a > *b) - (*a < *b);
}

static void add_step(struct course *course, const json_t *event, double *during)
{
    double from_s = course->now_s;
    double takes_s;

    course->now_s = member_s(event, "time_us");
    takes_s = course->now_s - from_s;
    course->ended++;
    if (course->now_s <= course->began_s)
        return;
    course->lost_s += takes_s - course->step_s;
    course->outage_s = fmax(course->outage_s, takes_s - course->step_s);
    if (from_s >= course->began_s && course->now_s <= course->ended_s)
        during[course->during++] = takes_s;
}

static struct course follow_steps(const json_t *run, double step_s)
{
    const json_t *events = json_object_get(run, "events");
    double *during = grow_take(json_array_size(events) + 1, sizeof(*during));
    struct course course = { .step_s = step_s,
        .began_s = first_s(run, "fault_began"),
        .ended_s = fmin(first_s(run, "fault_ended"), last_step_s(run)) };
    size_t index;
    json_t *event;

    json_array_foreach(events, index, event)
    {
        if (is_event(event, "step"))
            add_step(&course, event, during);
    }
    qsort(during, course.during, sizeof(*during), compare_times);
    if (course.during > 0)
        course.slower_s = during[course.during / 2];
    free(during);
    return course;
}

/* Returns the share of the network rate that makes a step take `times` as long if this share of it
 * is exposed. */
static double slows_by(double times, double exposed)
{
    double longer = times - 1 + exposed;

    return times > 1 && exposed > 0 ? fmin(1 - exposed / longer, SLOWS_MOST) : 0;
}

static double exposed_of(const json_t *run)
{
    json_t *workloads = json_object_get(json_object_get(run, "summary"), "workloads");
    void *first = json_object_iter(workloads);

    return json_number_value(json_object_get(json_object_iter_value(first), "exposed_fraction"));
}

static json_t *survived(const struct course *course, const json_t *quiet)
{
    double lasts_s = fmax(course->ended_s - course->began_s, 0);
    double times = course->during > 0 ? course->slower_s / course->step_s : 1;
    double slow_s = times > 1 ? (1 - 1 / times) * lasts_s : 0;
    bool stands = course->during == 0 && lasts_s > LONG_STEPS * course->step_s;

    return json_pack("{s:f,s:f,s:b,s:f,s:b,s:b}", "stall_s", fmax(course->lost_s - slow_s, 0),
        "slows", slows_by(times, exposed_of(quiet)), "stalls_while_down", stands, "lasts_s",
        lasts_s, "restarts", false, "hangs", false);
}

/* The stall of a job that hangs is what the run shows of it. */
static json_t *failed(const json_t *run, const struct course *course)
{
    double error_s = first_s(run, "qp_failed");
    double end_s = member_s(run, "simulated_us");
    bool hangs = isinf(error_s);

    return json_pack("{s:f,s:f,s:b,s:f,s:b,s:b}", "stall_s",
        fmax((hangs ? end_s : error_s) - course->began_s, 0), "slows", 0.0, "stalls_while_down",
        false, "lasts_s", end_s - course->began_s, "restarts", !hangs, "hangs", hangs);
}

json_t *job_cost_of(const json_t *run, const json_t *quiet, uint32_t steps)
{
    const json_t *summary = json_object_get(run, "summary");
    struct course course = follow_steps(run, job_cost_step_s(quiet));
    json_t *cost = course.ended >= steps ? survived(&course, quiet) : failed(run, &course);

    json_object_set_new(cost, "lost_s", json_real(fmax(course.lost_s, 0)));
    json_object_set_new(cost, "outage_s", json_real(course.outage_s));
    json_object_set_new(cost, "steps", json_integer(course.ended));
    json_object_set(cost, "qp_errors", json_object_get(summary, "qp_errors"));
    json_object_set(cost, "timeouts", json_object_get(summary, "timeouts"));
    return cost;
}

/* ---- several seeds --------------------------------------------------------------------------- */

static double mean_of(json_t *const *costs, uint32_t count, const char *key)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += json_number_value(json_object_get(costs[i], key));
    return sum / count;
}

static uint32_t count_true(json_t *const *costs, uint32_t count, const char *key)
{
    uint32_t trues = 0;

    for (uint32_t i = 0; i < count; i++)
        trues += json_is_true(json_object_get(costs[i], key));
    return trues;
}

static double stall_around_s(json_t *const *costs, uint32_t count)
{
    double *stalls = grow_take(count, sizeof(*stalls));
    double around_s;

    for (uint32_t i = 0; i < count; i++)
        stalls[i] = json_number_value(json_object_get(costs[i], "stall_s"));
    around_s = search_chance_half_width(stalls, count, 95);
    free(stalls);
    return around_s;
}

json_t *job_cost_mean(json_t **costs, uint32_t count)
{
    json_t *mean = json_object();
    const char *key;
    json_t *value;

    if (count == 1) {
        json_decref(mean);
        return costs[0];
    }
    json_object_foreach(costs[0], key, value)
    {
        json_object_set_new(mean, key,
            json_is_boolean(value) ? json_boolean(2 * count_true(costs, count, key) > count)
                                   : json_real(mean_of(costs, count, key)));
    }
    json_object_set_new(mean, "stall_around_s", json_real(stall_around_s(costs, count)));
    json_object_set_new(mean, "failed_seeds",
        json_integer(count_true(costs, count, "restarts") + count_true(costs, count, "hangs")));
    for (uint32_t i = 0; i < count; i++)
        json_decref(costs[i]);
    return mean;
}
