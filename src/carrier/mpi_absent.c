/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for mpi.c where the machine that built mrc has no MPI. */
#include <errno.h>
#include <stdlib.h>

#include "carrier/carrier.h"

struct carrier_mpi *carrier_mpi_open(int *err)
{
    *err = -ENOSYS;
    return NULL;
}

const struct sim_group *carrier_mpi_group(struct carrier_mpi *mpi)
{
    (void)mpi;
    return NULL;
}

uint32_t carrier_mpi_neighbours(const struct carrier_mpi *mpi)
{
    (void)mpi;
    return 1;
}

void carrier_mpi_abort(struct carrier_mpi *mpi)
{
    (void)mpi;
    abort();
}

void carrier_mpi_close(struct carrier_mpi *mpi)
{
    (void)mpi;
}
