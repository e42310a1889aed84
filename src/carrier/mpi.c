/* SPDX-License-Identifier: Apache-2.0 */
/* Exchanges bytes between MPI ranks: first the numbers of bytes, then the bytes, between those
 * ranks that have any for each other. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "carrier/carrier.h"

enum { TAG = 1 };

struct buffer {
    uint8_t *bytes;
    size_t count;
    size_t room;
};

struct carrier_mpi {
    struct sim_group group;
    struct buffer *out; /* by rank */
    struct buffer *in;
    uint64_t *out_counts;
    uint64_t *in_counts;
    MPI_Request *requests; /* two for each rank */
    uint32_t neighbours;
};

/* ---- buffers --------------------------------------------------------------------------------- */

static _Noreturn void end_all(const struct carrier_mpi *mpi, const char *why)
{
    fprintf(stderr, "mrc: MPI rank %u: %s\n", mpi->group.member, why);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    abort();
}

static void make_room(const struct carrier_mpi *mpi, struct buffer *buffer, size_t count)
{
    uint8_t *larger;

    if (count <= buffer->room)
        return;
    larger = realloc(buffer->bytes, 2 * count);
    if (!larger)
        end_all(mpi, "no memory for messages to other ranks");
    buffer->bytes = larger;
    buffer->room = 2 * count;
}

/* ---- the group ------------------------------------------------------------------------------- */

static void send_bytes(void *context, uint32_t to, const void *data, size_t bytes)
{
    const struct carrier_mpi *mpi = context;
    struct buffer *buffer = &mpi->out[to];

    if (bytes == 0)
        return;
    make_room(mpi, buffer, buffer->count + bytes);
    memcpy(buffer->bytes + buffer->count, data, bytes);
    buffer->count += bytes;
}

static void tell_counts(struct carrier_mpi *mpi)
{
    for (uint32_t i = 0; i < mpi->group.count; i++) {
        if (mpi->out[i].count > INT_MAX)
            end_all(mpi, "more than 2 GiB for another rank at a time; use more ranks");
        mpi->out_counts[i] = mpi->out[i].count;
    }
    MPI_Alltoall(mpi->out_counts, 1, MPI_UINT64_T, mpi->in_counts, 1, MPI_UINT64_T, MPI_COMM_WORLD);
}

/* Returns the number of requests. */
static int begin_transfers(struct carrier_mpi *mpi)
{
    int count = 0;

    for (uint32_t i = 0; i < mpi->group.count; i++) {
        make_room(mpi, &mpi->in[i], mpi->in_counts[i]);
        mpi->in[i].count = mpi->in_counts[i];
        if (mpi->in[i].count > 0)
            MPI_Irecv(mpi->in[i].bytes, (int)mpi->in[i].count, MPI_BYTE, (int)i, TAG,
                MPI_COMM_WORLD, &mpi->requests[count++]);
    }
    for (uint32_t i = 0; i < mpi->group.count; i++)
        if (mpi->out[i].count > 0)
            MPI_Isend(mpi->out[i].bytes, (int)mpi->out[i].count, MPI_BYTE, (int)i, TAG,
                MPI_COMM_WORLD, &mpi->requests[count++]);
    return count;
}

static void exchange_bytes(void *context)
{
    struct carrier_mpi *mpi = context;
    int count;

    tell_counts(mpi);
    count = begin_transfers(mpi);
    MPI_Waitall(count, mpi->requests, MPI_STATUSES_IGNORE);
    for (uint32_t i = 0; i < mpi->group.count; i++)
        mpi->out[i].count = 0;
}

static const void *received_bytes(void *context, uint32_t from, size_t *bytes)
{
    const struct carrier_mpi *mpi = context;

    *bytes = mpi->in[from].count;
    return mpi->in[from].bytes;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

static void free_all(struct carrier_mpi *mpi)
{
    for (uint32_t i = 0; i < mpi->group.count && mpi->out && mpi->in; i++) {
        free(mpi->out[i].bytes);
        free(mpi->in[i].bytes);
    }
    free(mpi->out);
    free(mpi->in);
    free(mpi->out_counts);
    free(mpi->in_counts);
    free(mpi->requests);
    free(mpi);
}

static struct carrier_mpi *make_group(uint32_t member, uint32_t count)
{
    struct carrier_mpi *mpi = calloc(1, sizeof(*mpi));

    if (!mpi)
        return NULL;
    mpi->group = (struct sim_group){ .member = member,
        .count = count,
        .send = send_bytes,
        .exchange = exchange_bytes,
        .received = received_bytes,
        .context = mpi };
    mpi->out = calloc(count, sizeof(*mpi->out));
    mpi->in = calloc(count, sizeof(*mpi->in));
    mpi->out_counts = calloc(count, sizeof(*mpi->out_counts));
    mpi->in_counts = calloc(count, sizeof(*mpi->in_counts));
    mpi->requests = calloc(2 * (size_t)count, sizeof(MPI_Request));
    if (mpi->out && mpi->in && mpi->out_counts && mpi->in_counts && mpi->requests)
        return mpi;
    free_all(mpi);
    return NULL;
}

static uint32_t count_neighbours(void)
{
    MPI_Comm machine;
    int count;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &count);
    MPI_Comm_free(&machine);
    return (uint32_t)count;
}

/* Only the thread that runs the simulation calls MPI. Errors of MPI end all ranks. */
struct carrier_mpi *carrier_mpi_open(int *err)
{
    struct carrier_mpi *mpi;
    int provided;
    int member;
    int count;

    *err = -EPROTO;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &member);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    if (provided < MPI_THREAD_FUNNELED || (uint32_t)count != carrier_mpi_expected()) {
        MPI_Finalize();
        return NULL;
    }
    *err = -ENOMEM;
    mpi = make_group((uint32_t)member, (uint32_t)count);
    if (!mpi) {
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        return NULL;
    }
    mpi->neighbours = count_neighbours();
    return mpi;
}

const struct sim_group *carrier_mpi_group(struct carrier_mpi *mpi)
{
    return &mpi->group;
}

uint32_t carrier_mpi_neighbours(const struct carrier_mpi *mpi)
{
    return mpi->neighbours;
}

void carrier_mpi_abort(struct carrier_mpi *mpi)
{
    (void)mpi;
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    abort();
}

void carrier_mpi_close(struct carrier_mpi *mpi)
{
    free_all(mpi);
    MPI_Finalize();
}
