/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of a failure, from steps whose times are known. */
#include "study/job_cost.h"

#include <math.h>
#include <stdio.h>

#include "spec.h"
#include "study/study.h"

/* A run with steps of these lengths in seconds, one after the other, and a fault; 0: none. */
static json_t *run_of(const double *steps, uint32_t count, double began_s, double ended_s)
{
    json_t *events = json_array();
    double now_s = 0;

    if (began_s > 0)
        json_array_append_new(
            events, json_pack("{s:s,s:f}", "kind", "fault_began", "time_us", began_s * 1e6));
    if (ended_s > 0)
        json_array_append_new(
            events, json_pack("{s:s,s:f}", "kind", "fault_ended", "time_us", ended_s * 1e6));
    for (uint32_t i = 0; i < count; i++) {
        now_s += steps[i];
        json_array_append_new(
            events, json_pack("{s:s,s:f}", "kind", "step", "time_us", now_s * 1e6));
    }
    return json_pack("{s:o,s:f,s:{s:{s:{s:f}},s:i,s:i}}", "events", events, "simulated_us", 100e6,
        "summary", "workloads", "job", "exposed_fraction", 0.2, "qp_errors", 0, "timeouts", 3);
}

static const double even[] = { 1.5, 1, 1, 1, 1, 1, 1, 1 };

static double number(const json_t *cost, const char *key)
{
    return json_number_value(json_object_get(cost, key));
}

static bool is_near(double left, double right)
{
    return fabs(left - right) < 1e-6;
}

static json_t *cost_of(json_t *run, uint32_t steps)
{
    json_t *quiet = run_of(even, 8, 0, 0);
    json_t *cost = job_cost_of(run, quiet, steps);

    EXPECT(is_near(job_cost_step_s(quiet), 1)); /* without the first, which begins cold */
    json_decref(quiet);
    json_decref(run);
    return cost;
}

SPEC("a stall is the time that one step lost")
{
    static const double steps[] = { 1, 1, 5.5, 1, 1, 1 };
    json_t *cost = cost_of(run_of(steps, 6, 2.5, 2.6), 6);

    EXPECT(is_near(number(cost, "stall_s"), 4.5));
    EXPECT(is_near(number(cost, "outage_s"), 4.5));
    EXPECT(is_near(number(cost, "slows"), 0));
    EXPECT(is_near(number(cost, "lasts_s"), 0.1));
    EXPECT(json_is_false(json_object_get(cost, "stalls_while_down")));
    EXPECT_EQ(json_integer_value(json_object_get(cost, "timeouts")), 3);
    json_decref(cost);
}

SPEC("steps that are slower while a fault lasts are no stall")
{
    /* A step takes 1.2 instead of 1, of which 0.2 is exposed: the network has half of its rate. */
    static const double steps[] = { 1, 1, 1.2, 1.2, 1.2, 1.2, 1, 1 };
    json_t *cost = cost_of(run_of(steps, 8, 2, 6.8), 8);

    EXPECT(is_near(number(cost, "slows"), 0.5));
    EXPECT(is_near(number(cost, "stall_s"), 0));
    EXPECT(is_near(number(cost, "lost_s"), 0.8));
    json_decref(cost);
}

SPEC("a job that ends no step during a long fault stands while it lasts")
{
    static const double steps[] = { 1, 1, 8, 1 };
    json_t *cost = cost_of(run_of(steps, 4, 2.5, 7.5), 4);

    EXPECT(json_is_true(json_object_get(cost, "stalls_while_down")));
    EXPECT(is_near(number(cost, "stall_s"), 7));
    EXPECT(is_near(number(cost, "lasts_s"), 5));
    json_decref(cost);
}

SPEC("a job that does not end its steps restarts after a QP error, or hangs")
{
    static const double steps[] = { 1, 1 };
    json_t *run = run_of(steps, 2, 2, 0);
    json_t *cost;

    json_array_append_new(json_object_get(run, "events"),
        json_pack("{s:s,s:f}", "kind", "qp_failed", "time_us", 36.4e6));
    cost = cost_of(run, 4);
    EXPECT(json_is_true(json_object_get(cost, "restarts")));
    EXPECT(is_near(number(cost, "stall_s"), 34.4));
    json_decref(cost);
    cost = cost_of(run_of(steps, 2, 2, 0), 4);
    EXPECT(json_is_true(json_object_get(cost, "hangs")));
    EXPECT(json_is_false(json_object_get(cost, "restarts")));
    json_decref(cost);
}
