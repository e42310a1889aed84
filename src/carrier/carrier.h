/* SPDX-License-Identifier: Apache-2.0 */
/* Carriers run the shards of a simulation: threads of this process (struct sim_carrier), and
 * processes that exchange packets with MPI (struct sim_group). */
#pragma once

#include <stdint.h>

#include "sim/sim.h"

/* Returns the number of processors that this process may use. */
uint32_t carrier_processors(void);

/* Threads that run shards: shard i always on thread i modulo their number, so that what it uses
 * stays in the caches and the memory of one processor. The calling thread is the first of them. */
struct carrier_threads;

/* Starts `count` - 1 threads. If there are exactly as many processors, it pins them and the caller
 * to one each, one NUMA node after the other. Returns NULL with a negative errno in *err. */
struct carrier_threads *carrier_threads_open(uint32_t count, int *err);

/* Valid until carrier_threads_close(). */
const struct sim_carrier *carrier_threads_carrier(struct carrier_threads *);

/* Where the time of the threads has gone, in seconds. */
struct carrier_times {
    double windows_s; /* in windows, until the last shard had finished */
    double busy_s;    /* running shards, the mean of all threads */
};
struct carrier_times carrier_threads_times(const struct carrier_threads *);

/* Ends the threads, and lets the caller use all of its processors again. */
void carrier_threads_close(struct carrier_threads *);

/* ---- MPI ------------------------------------------------------------------------------------- */

/* Returns the number of ranks that mpirun or another launcher says it has started; 1: no launcher.
 */
uint32_t carrier_mpi_expected(void);

/* The ranks of an MPI program. Rank i is member i of the group. */
struct carrier_mpi;

/* Joins the other ranks, which call it too. Returns NULL with a negative errno in *err: -ENOSYS if
 * this build has no MPI, -ENOMEM, or -EPROTO if the MPI of the launcher is another one. */
struct carrier_mpi *carrier_mpi_open(int *err);

/* Valid until carrier_mpi_close(). An exchange that fails ends all ranks, with a message. */
const struct sim_group *carrier_mpi_group(struct carrier_mpi *);

/* Returns the number of ranks on this machine. */
uint32_t carrier_mpi_neighbours(const struct carrier_mpi *);

/* Ends all ranks at once; the other ones may be waiting for this one. */
_Noreturn void carrier_mpi_abort(struct carrier_mpi *);

/* Takes leave of the other ranks, which call it too. */
void carrier_mpi_close(struct carrier_mpi *);
