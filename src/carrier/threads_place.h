/* SPDX-License-Identifier: Apache-2.0 */
/* Which thread runs on which processor. */
#pragma once

#include <sched.h>
#include <stdint.h>

#define THREADS_PLACE_MAX CPU_SETSIZE

struct threads_place {
    uint32_t processors[THREADS_PLACE_MAX]; /* by NUMA node, then by number */
    uint32_t count;
    cpu_set_t allowed; /* of the caller, before */
};

/* Lists the processors that the caller may use. `nodes`: the folder of NUMA nodes, NULL: that of
 * the system. */
void threads_place_init(struct threads_place *, const char *nodes);

/* Pins the calling thread to the processor of thread `index`, if `count` threads fill the machine.
 * Fewer threads leave room for other runs, which would be pinned to the same processors. */
void threads_place_pin(const struct threads_place *, uint32_t index, uint32_t count);
