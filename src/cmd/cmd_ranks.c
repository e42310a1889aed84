/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on MPI ranks. */
#include "cmd/cmd_ranks.h"

enum cmd_status cmd_ranks_run(const struct cmd_ranks *command, int argument_count, char **arguments)
{
    enum cmd_status status = CMD_DONE;
    struct study_ranks ranks;

    /* Rank 0 says why, and fails: mpirun may kill it before, if another rank does. */
    if (!study_ranks_open(&ranks))
        return ranks.reason[0] ? cmd_complain(CMD_FAILED, command->name, "%s", ranks.reason)
                               : CMD_DONE;
    if (study_ranks_lead(&ranks)) {
        status = command->lead(argument_count, arguments, &ranks);
        if (ranks.group)
            study_group_say(ranks.group, STUDY_GROUP_END);
    } else if (study_group_hear(ranks.group) == STUDY_GROUP_BEGIN) {
        command->follow(argument_count, arguments, &ranks);
    }
    study_ranks_close(&ranks);
    return status;
}

bool cmd_ranks_agree(const char *command, const struct study_ranks *ranks,
    const char text[static STUDY_GROUP_TEXT_BYTES])
{
    char others[STUDY_GROUP_RANKS_BYTES];

    if (!ranks->group)
        return true;
    if (study_ranks_lead(ranks))
        study_group_say(ranks->group, STUDY_GROUP_BEGIN);
    if (study_group_agrees(ranks->group, text, others))
        return true;
    if (study_ranks_lead(ranks))
        cmd_complain(CMD_FAILED, command,
            "%s: another experiment or other options than those of rank 0; give all ranks the same",
            others);
    else
        study_group_hear(ranks->group); /* the end */
    return false;
}

void cmd_ranks_give_up(const char *command, const struct study_ranks *ranks, const char *reason)
{
    if (reason[0])
        cmd_complain(CMD_FAILED, command, "rank %u: %s", ranks->group->member, reason);
    carrier_mpi_abort(ranks->mpi);
}
