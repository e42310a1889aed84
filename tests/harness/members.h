/* SPDX-License-Identifier: Apache-2.0 */
/* A group of threads that run one simulation together, as processes do with MPI: each has its own
 * struct sim, and they exchange bytes through memory. */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/sim.h"

#define MEMBERS_MAX 8

struct members_buffer {
    uint8_t *bytes;
    size_t count;
    size_t room;
};

struct members;

struct members_one {
    struct sim_group group; /* for struct sim_config */
    struct members *all;
    struct members_buffer out[MEMBERS_MAX];
    struct members_buffer in[MEMBERS_MAX];
};

struct members {
    struct members_one at[MEMBERS_MAX];
    pthread_barrier_t barrier;
    uint32_t count;
    uint64_t exchanges; /* so far */
};

void members_init(struct members *, uint32_t count);
void members_fini(struct members *);
