/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a run: what its simulation needs, and what the system has. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/allocator.h"
#include "base/arena.h"
#include "sim/sim.h"
#include "study/study_checkpoint.h"

struct study_memory {
    void *mapped;
    size_t mapped_bytes;
    struct arena arena;         /* for the simulation */
    struct allocator allocator; /* for measurements; never fails */
    struct study_image *image;  /* holds both; NULL: no checkpoint is wanted */
    struct study_image own_image;
    struct checkpoint_pointers pointers; /* after the set-up */
};

/* Pools that hold the most packets that can be in flight are used only in part, so that a run needs
 * less than it maps. */
struct study_memory_need {
    uint64_t mapped_bytes;
    uint64_t sparse_bytes; /* the last of these: in small pages */
    uint64_t likely_bytes;
};
struct study_memory_need study_memory_needed(const struct sim_config *);

/* Returns the bytes that this process can use without paging: the least of what the system has
 * available, and what its cgroups and its resource limit leave. UINT64_MAX: not known. */
uint64_t study_memory_available(void);

/* Maps what this configuration needs. `checkpoint`: NULL, or what to write or to continue. Returns
 * 0 or a negative errno. The memory must not be moved. */
int study_memory_open(
    struct study_memory *, const struct study_memory_need *, const struct study_checkpoint *);
void study_memory_close(struct study_memory *);
