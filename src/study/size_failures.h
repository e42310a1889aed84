/* SPDX-License-Identifier: Apache-2.0 */
/* What fails in a fabric, how often, and what it costs a job on all GPUs. */
#pragma once

#include "study/job_model.h"
#include "study/size.h"
#include "study/size_bill.h"

enum { SIZE_FAILURES_MAX = 24, SIZE_PAIRS_MAX = 4 };

enum size_element {
    SIZE_HOST_LINK,
    SIZE_UPLINK,
    SIZE_LEAF,
    SIZE_UPPER_SWITCH,
    SIZE_NIC_MODULE,
    SIZE_SWITCH_MODULE,
    SIZE_POWER_GROUP,
    SIZE_NIC,
    SIZE_GPU,
};

struct size_failure {
    char name[SIZE_PART_BYTES];
    enum size_element element;
    uint32_t tier; /* of a switch, or of the lower end of an uplink */
    uint64_t elements;
    struct price_range per_year; /* of all elements */
    double lasts_s;
    uint64_t nics;      /* that one failure affects */
    double plane_share; /* of the rate in its plane that these lose */
    double nic_share;   /* of their whole rate */
    bool is_network;
    bool restarts;
    struct price_range gpu_hours[JOB_PROTOCOLS_MAX]; /* lost in a year, with each protocol */
    const char *source;
};

/* Two failures at a time that cut a NIC off. */
struct size_pair {
    const char *name;
    uint64_t count;              /* pairs of elements */
    struct price_range per_year; /* how often both are down */
};

struct size_failures {
    struct size_failure list[SIZE_FAILURES_MAX];
    uint32_t count;
    struct size_pair pairs[SIZE_PAIRS_MAX];
    uint32_t pair_count;
    struct price_range per_year;                     /* of the network */
    struct price_range gpu_hours[JOB_PROTOCOLS_MAX]; /* of the network */
    /* The share of time in which a job works, at the least and the most rates. */
    struct price_range working[JOB_PROTOCOLS_MAX];
    char reason[128]; /* if the job lacks a class */
};

/* `job` has the costs of each class for its protocols; its number of GPUs is ignored. Returns false
 * with a reason if it lacks a class. */
bool size_failures_find(const struct size_fabric *, const struct job *, struct size_failures *);

/* How many spares suffice for `days` in 99 of 100 cases, at the least and the most rates of
 * failures. */
struct size_spares_count {
    uint64_t least;
    uint64_t most;
};
struct size_spares_count size_module_spares(const struct size_fabric *, double days);
struct size_spares_count size_switch_spares(const struct size_fabric *, double days);
