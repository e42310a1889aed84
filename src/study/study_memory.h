/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a simulation. */
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "sim/sim.h"

struct study_memory {
    void *mapped;
    size_t mapped_bytes;
    struct arena arena;
};

/* Allocates what this configuration needs. Returns 0 or a negative errno; mapped_bytes is set in
 * either case. */
int study_memory_open(struct study_memory *, const struct sim_config *);
void study_memory_close(struct study_memory *);
