/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out from the environment whether a launcher of MPI programs has started this process. A
 * plain run must not start MPI, which takes a tenth of a second. */
#include <stdlib.h>

#include "carrier/carrier.h"

uint32_t carrier_mpi_expected(void)
{
    /* Open MPI; MPICH and others; Slurm */
    static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
        "SLURM_STEP_NUM_TASKS" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);
        unsigned long count = value ? strtoul(value, NULL, 10) : 0;

        if (count > 1)
            return (uint32_t)count;
    }
    return 1;
}
