/* SPDX-License-Identifier: Apache-2.0 */
/* A command that runs on all MPI ranks, if mpirun has started it. */
#pragma once

#include "cmd/cmd.h"
#include "study/study.h"

struct cmd_ranks {
    const char *name; /* of the command */
    /* Rank 0, or the only process: runs the command. */
    enum cmd_status (*lead)(int argument_count, char **arguments, const struct study_ranks *);
    /* Other ranks, once rank 0 has called cmd_ranks_agree(): calls it as well, and makes runs until
     * rank 0 ends. */
    void (*follow)(int argument_count, char **arguments, const struct study_ranks *);
};

/* Runs the command. Other ranks than 0 say nothing about the command line and the experiments,
 * unless they read them differently. */
enum cmd_status cmd_ranks_run(const struct cmd_ranks *, int argument_count, char **arguments);

/* Called by all ranks with a text that tells what they have read, which may be different files on
 * different machines. Returns false after an error message of rank 0 if the texts differ. Always
 * true without ranks. */
bool cmd_ranks_agree(const char *command, const struct study_ranks *,
    const char text[static STUDY_GROUP_TEXT_BYTES]);

/* Other ranks: ends all ranks, because this one cannot go on. The reason may be empty. */
_Noreturn void cmd_ranks_give_up(
    const char *command, const struct study_ranks *, const char *reason);
