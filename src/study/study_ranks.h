/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of an MPI program, if mrc was started by mpirun. */
#pragma once

#include <stdbool.h>

#include "carrier/carrier.h"
#include "study/study_group.h"

struct study_ranks {
    struct carrier_mpi *mpi;       /* NULL: this process is alone */
    const struct sim_group *group; /* likewise */
    char reason[256];
};

/* Joins the other ranks and compares their builds. Returns false with a reason, which is empty on
 * ranks that need not say it. */
bool study_ranks_open(struct study_ranks *);

/* Returns true if this process reads the command line and prints: it is rank 0, or alone. */
static inline bool study_ranks_lead(const struct study_ranks *ranks)
{
    return !ranks->group || ranks->group->member == 0;
}

/* Called by all ranks. */
void study_ranks_close(struct study_ranks *);
