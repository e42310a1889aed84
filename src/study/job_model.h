/* SPDX-License-Identifier: Apache-2.0 */
/* A training job over months, without packets: steps, checkpoints, failures at random, and what
 * each failure costs with a protocol. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    JOB_CLASSES_MAX = 32,
    JOB_PROTOCOLS_MAX = 16,
    JOB_NAME_BYTES = 64,
};

/* What one failure of a class costs with a protocol. */
struct job_cost {
    double stall_s;         /* the whole job stands */
    double slows;           /* share of the network rate that is lost while the failure lasts */
    bool stalls_while_down; /* the job also stands while the failure lasts longer than `lasts_s` */
    double lasts_s;         /* of the failure for which stall_s is known */
    bool restarts;          /* QPs fail after stall_s, and the job restarts */
    bool hangs;             /* nothing fails and nothing ends: the watchdog restarts the job */
    bool is_measured;
};

struct job_class {
    char name[JOB_NAME_BYTES];
    double per_day; /* failures of all components of the class */
    double lasts_s; /* mean of an exponential distribution */
    double nics;    /* of a failed component */
    bool restarts;  /* every protocol restarts the job */
    struct job_cost costs[JOB_PROTOCOLS_MAX];
};

struct job_protocol {
    char name[JOB_NAME_BYTES];
    double give_up_s; /* QPs fail after a stall this long, and the job restarts */
};

struct job {
    char name[JOB_NAME_BYTES];
    double gpus;
    double days;
    double gpu_hour_usd;
    double exposed_communication; /* share of a step in which GPUs wait for the network */
    double checkpoint_every_s;    /* of work */
    double checkpoint_s;
    double restart_s;
    double watchdog_s; /* the collective library ends the job after a stall this long */
    struct job_class classes[JOB_CLASSES_MAX];
    struct job_protocol protocols[JOB_PROTOCOLS_MAX];
    uint32_t class_count;
    uint32_t protocol_count;
};

/* Mean over trials, and half the width of its 95 % confidence interval. */
struct job_figure {
    double mean;
    double around;
};

struct job_class_result {
    struct job_figure events;
    struct job_figure restarts;
    struct job_figure gpu_hours; /* lost */
};

struct job_result {
    struct job_figure goodput; /* useful work, as a share of the time */
    struct job_figure gpu_hours;
    struct job_figure checkpoint_gpu_hours;
    struct job_class_result classes[JOB_CLASSES_MAX];
};

/* Returns the GPU hours that the job loses for each GPU hour that the NICs of a failed component
 * are away; 0: there were no failures. */
double job_model_amplification(const struct job_class *, const struct job_class_result *);

/* Runs `trials` independent jobs. The seed determines the failures, which are the same for all
 * protocols. A failure that finds the job standing costs nothing, unless it restarts the job. */
void job_model_run(
    const struct job *, uint32_t protocol, uint64_t seed, uint32_t trials, struct job_result *);
