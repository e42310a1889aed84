/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule while it is read: operations in the order of the file, and what they wait for. */
#pragma once

#include "files/growing.h"
#include "files/text_file.h"
#include "sim/sim.h"

/* A message to another rank, or computing. */
struct schedule_build_operation {
    uint32_t rank;
    uint32_t to;        /* of a message */
    uint32_t processor; /* of computing */
    uint32_t line;      /* of the file */
    uint64_t bytes;     /* 0: computing */
    uint64_t start_ps;
    uint64_t time_ps;
};

/* `waiter` waits for `other`; both are numbers of operations. */
struct schedule_build_wait {
    uint32_t waiter;
    uint32_t other;
    enum sim_after after;
};

struct schedule_build {
    struct text_file *file;    /* has the problem */
    uint32_t rank_max;         /* ranks are below it */
    struct growing operations; /* struct schedule_build_operation */
    struct growing waits;      /* struct schedule_build_wait */
};

static inline struct schedule_build_operation *schedule_build_at(
    const struct schedule_build *build, uint32_t number)
{
    return (struct schedule_build_operation *)build->operations.elements + number;
}

static inline struct schedule_build_wait *schedule_build_wait_at(
    const struct schedule_build *build, uint32_t number)
{
    return (struct schedule_build_wait *)build->waits.elements + number;
}

static inline int schedule_build_compare(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

void schedule_build_init(struct schedule_build *, struct text_file *, uint32_t rank_max);
void schedule_build_fini(struct schedule_build *);

/* Complain if there are too many, or return the number of the operation. */
#define SCHEDULE_BUILD_NONE UINT32_MAX
uint32_t schedule_build_add(struct schedule_build *, const struct schedule_build_operation *);

/* Takes the last word of the file as a rank, or complains. */
bool schedule_build_rank(struct schedule_build *, const char *what, uint32_t *out);

/* Lets operation `waiter` wait for another one: for its end or, of the same rank, its beginning.
 *
 * The rank that waits knows the end of its own operations, and of messages when they arrive. If the
 * other operation concerns other ranks only, its rank, or that to which its message goes, sends a
 * message of SCHEDULE_BUILD_NOTICE_BYTES. */
#define SCHEDULE_BUILD_NOTICE_BYTES 64
void schedule_build_let_wait(
    struct schedule_build *, uint32_t waiter, uint32_t other, enum sim_after after);

/* Adds these messages, and sets what is waited for. */
bool schedule_build_decide(struct schedule_build *);

/* schedule_finish.c: returns the schedule, in the memory of file->yaml, or NULL after a complaint:
 * it has no message, or operations wait for each other. `rank_count` 0: up to the last rank that is
 * named. */
const struct sim_schedule *schedule_build_finish(struct schedule_build *, uint32_t rank_count);
