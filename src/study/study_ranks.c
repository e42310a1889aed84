/* SPDX-License-Identifier: Apache-2.0 */
/* Starts MPI, if there are ranks. */
#include "study/study_ranks.h"

#include <errno.h>
#include <stdio.h>

#include "study/study_stored.h"

static const char *reason_of(int err)
{
    switch (-err) {
    case ENOSYS:
        return "this build has no MPI; install libopenmpi-dev and build again, or start mrc "
               "without mpirun";
    case EPROTO:
        return "the launcher and the MPI of this build do not understand each other; use the "
               "mpirun of the MPI that mrc was built with";
    default:
        return "no memory for MPI";
    }
}

/* Ranks must be one program: they exchange structs as they are in memory. */
static bool is_one_build(struct study_ranks *ranks)
{
    struct study_stored_maker maker = study_stored_maker(0);
    char text[STUDY_GROUP_TEXT_BYTES] = "";
    char others[STUDY_GROUP_RANKS_BYTES];

    snprintf(text, sizeof(text), "%s %s", OPENMRC_VERSION, maker.program);
    if (study_group_agrees(ranks->group, text, others))
        return true;
    if (study_ranks_lead(ranks))
        snprintf(ranks->reason, sizeof(ranks->reason),
            "%s: another build of mrc than that of rank 0 (%s); start the same file on all "
            "machines",
            others, text);
    return false;
}

bool study_ranks_open(struct study_ranks *ranks)
{
    int err;

    *ranks = (struct study_ranks){ 0 };
    if (carrier_mpi_expected() == 1)
        return true;
    ranks->mpi = carrier_mpi_open(&err);
    if (!ranks->mpi) {
        snprintf(ranks->reason, sizeof(ranks->reason), "%u MPI ranks: %s", carrier_mpi_expected(),
            reason_of(err));
        return false;
    }
    ranks->group = carrier_mpi_group(ranks->mpi);
    if (is_one_build(ranks))
        return true;
    study_ranks_close(ranks);
    return false;
}

void study_ranks_close(struct study_ranks *ranks)
{
    if (ranks->mpi)
        carrier_mpi_close(ranks->mpi);
    ranks->mpi = NULL;
    ranks->group = NULL;
}
