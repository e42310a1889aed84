/* SPDX-License-Identifier: Apache-2.0 */
/* The job model against closed forms. */
#include "study/study.h"

#include <math.h>

#include "spec.h"

enum { TRIALS = 400 };

static struct job job_of(double per_day, bool restarts)
{
    return (struct job){ .gpus = 1000,
        .days = 20,
        .exposed_communication = 1,
        .checkpoint_every_s = 1800,
        .checkpoint_s = 60,
        .restart_s = 600,
        .watchdog_s = 600,
        .class_count = 1,
        .protocol_count = 1,
        .classes = { { .per_day = per_day, .lasts_s = 100, .restarts = restarts } },
        .protocols = { { .give_up_s = 30 } } };
}

static bool is_within(const struct job_figure *figure, double wanted)
{
    return fabs(figure->mean - wanted) <= 1.5 * figure->around;
}

SPEC("the waste of failures that restart the job is that of Daly")
{
    static const double rates_per_day[] = { 1, 8, 24 };

    for (int i = 0; i < 3; i++) {
        struct job job = job_of(rates_per_day[i], true);
        double rate = rates_per_day[i] / 86400; /* per second */
        double cycle = job.checkpoint_every_s + job.checkpoint_s;
        double wanted =
            job.checkpoint_every_s * rate / ((exp(rate * cycle) - 1) * exp(rate * job.restart_s));
        struct job_result result;

        job_model_run(&job, 0, 1, TRIALS, &result);
        EXPECT(is_within(&result.goodput, wanted));
        EXPECT(result.goodput.around < 0.01);
    }
}

SPEC("a stall that QPs survive costs its own time")
{
    struct job job = job_of(10, false);
    struct job_result result;

    job.classes[0].costs[0].stall_s = 20;
    job_model_run(&job, 0, 2, TRIALS, &result);
    /* Of 10 a day, those that find the job standing cost nothing: 20 s of 8640. */
    EXPECT(is_within(&result.classes[0].gpu_hours, 200 * 20 / (1 + 20 / 8640.0) * 1000 / 3600));
    EXPECT(result.classes[0].restarts.mean == 0);
}

SPEC("a stall longer than QPs or the watchdog wait restarts the job")
{
    struct job job = job_of(1, false);
    struct job_result result;

    job.classes[0].costs[0].stall_s = 31;
    job_model_run(&job, 0, 3, 10, &result);
    EXPECT(result.classes[0].restarts.mean > 15);
    job.protocols[0].give_up_s = 1000;
    job_model_run(&job, 0, 3, 10, &result);
    EXPECT(result.classes[0].restarts.mean == 0);
    job.watchdog_s = 20;
    job_model_run(&job, 0, 3, 10, &result);
    EXPECT(result.classes[0].restarts.mean > 15);
}

SPEC("a slower job loses its share while the failure lasts")
{
    struct job job = job_of(2, false);
    struct job_result result;

    job.classes[0].costs[0].slows = 0.1;
    job_model_run(&job, 0, 4, TRIALS, &result);
    EXPECT(is_within(&result.classes[0].gpu_hours, 40 * 10 / (1 + 10 / 43200.0) * 1000 / 3600));
}

SPEC("only exposed communication becomes slower")
{
    struct job job = job_of(2, false);
    struct job_result result;

    job.exposed_communication = 0.2;
    job.classes[0].lasts_s = 1000;
    job.classes[0].costs[0].slows = 0.5; /* a step takes 0.8 + 0.4 times as long: 1/6 is lost */
    job_model_run(&job, 0, 5, TRIALS, &result);
    EXPECT(is_within(
        &result.classes[0].gpu_hours, 40 * (1000 / 6.0) / (1 + 1000 / 6.0 / 43200) * 1000 / 3600));
}

PROPERTY("work, checkpoints and losses are all of the time", 50)
{
    struct job job = job_of(30, true);
    struct job_result result;
    double lost_hours;

    job.class_count = 2;
    job.classes[1] = (struct job_class){ .per_day = 50,
        .lasts_s = 20,
        .costs = { { .stall_s = 5, .slows = 0.5, .stalls_while_down = true } } };
    job_model_run(&job, 0, seed, 2, &result);
    lost_hours = result.checkpoint_gpu_hours.mean + result.classes[0].gpu_hours.mean +
                 result.classes[1].gpu_hours.mean;
    EXPECT(fabs(lost_hours / result.gpu_hours.mean - 1) < 1e-9);
}

SPEC("all protocols see the same failures")
{
    struct job job = job_of(5, true);
    struct job_result first;
    struct job_result second;

    job.protocol_count = 2;
    job.protocols[1].give_up_s = 1;
    job_model_run(&job, 0, 7, 3, &first);
    job_model_run(&job, 1, 7, 3, &second);
    EXPECT(first.classes[0].events.mean == second.classes[0].events.mean);
}

SPEC("a measured stall holds for its failure, and a longer failure adds what is longer")
{
    struct job job = job_of(2, false);
    struct job_result result;

    job.protocols[0].give_up_s = 1e6;
    job.watchdog_s = 1e6;
    job.classes[0].costs[0] =
        (struct job_cost){ .stall_s = 50, .lasts_s = 100, .stalls_while_down = true };
    job_model_run(&job, 0, 8, TRIALS, &result);
    /* Of an exponential time, the mean beyond its mean is the mean / e. */
    EXPECT(is_within(&result.classes[0].gpu_hours,
        40 * (50 + 100 / exp(1)) / (1 + (50 + 100 / exp(1)) / 43200) * 1000 / 3600));
}

SPEC("QP errors restart the job when they come, a job that hangs waits for the watchdog")
{
    struct job job = job_of(1, false);
    struct job_result errors;
    struct job_result hangs;

    job.classes[0].costs[0] = (struct job_cost){ .stall_s = 34.4, .restarts = true };
    job_model_run(&job, 0, 9, TRIALS, &errors);
    job.classes[0].costs[0] = (struct job_cost){ .stall_s = 34.4, .hangs = true };
    job_model_run(&job, 0, 9, TRIALS, &hangs);
    /* All but those that find the job restarting. */
    EXPECT(errors.classes[0].restarts.mean > 0.97 * errors.classes[0].events.mean);
    EXPECT(hangs.classes[0].gpu_hours.mean > errors.classes[0].gpu_hours.mean);
    /* Each of about 20 waits 600 s instead of 34.4 s. */
    EXPECT(fabs((hangs.classes[0].gpu_hours.mean - errors.classes[0].gpu_hours.mean) /
                    (20 * (600 - 34.4) * 1000 / 3600) -
                1) < 0.1);
}

SPEC("the amplification counts the hours of all NICs of a failed component")
{
    struct job_class class = { .lasts_s = 360, .nics = 10 };
    struct job_class_result result = { .events = { .mean = 5 }, .gpu_hours = { .mean = 100 } };

    EXPECT(fabs(job_model_amplification(&class, &result) - 20) < 1e-9);
    result.events.mean = 0;
    EXPECT(job_model_amplification(&class, &result) == 0);
}
