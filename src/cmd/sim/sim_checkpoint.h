/* SPDX-License-Identifier: Apache-2.0 */
/* The options --checkpoint and --resume of mrc sim. */
#pragma once

#include <stdbool.h>

#include <jansson.h>

#include "cmd/sim/sim_options.h"
#include "study/study.h"

struct sim_checkpoint {
    struct study_checkpoint manner;
    struct checkpoint_file file; /* that is continued */
    json_t *words;               /* what the command line of that run was */
    char *text;                  /* what it is now, for the next checkpoint */
    char *path;                  /* of the experiment, if it is not in the current folder */
    bool is_wanted;
};

/* Opens the checkpoint that is continued, if there is one. Unless the command line names an
 * experiment, the options become those of the run that wrote it. Returns CMD_DONE, or another
 * status after an error message; the caller closes it in either case. */
enum cmd_status sim_checkpoint_open(struct sim_checkpoint *, struct sim_options *);
void sim_checkpoint_close(struct sim_checkpoint *);

/* Checks that the run can have checkpoints, and that it is the one to be continued. Says what is
 * continued. */
enum cmd_status sim_checkpoint_check(const struct sim_checkpoint *, const struct sim_options *,
    const struct study_plan *, const struct study_manner *);
