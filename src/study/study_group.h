/* SPDX-License-Identifier: Apache-2.0 */
/* What the ranks of an MPI program tell each other between simulations. Rank 0 leads: it reads the
 * command line, decides which run is next, and has the results. The others follow. */
#pragma once

#include "study/study_run.h"

enum study_group_word {
    STUDY_GROUP_BEGIN, /* read the experiment */
    STUDY_GROUP_NEXT,  /* make the next run */
    STUDY_GROUP_END,
};

/* Rank 0 says a word to all others, which hear it. */
void study_group_say(const struct sim_group *, enum study_group_word);
enum study_group_word study_group_hear(const struct sim_group *);

/* All ranks compare their texts. Returns true if they are the same. If not, `ranks` lists those
 * whose text differs from that of rank 0: "rank 2", or "ranks 1, 3". */
#define STUDY_GROUP_TEXT_BYTES  64
#define STUDY_GROUP_RANKS_BYTES 64
bool study_group_agrees(const struct sim_group *, const char text[static STUDY_GROUP_TEXT_BYTES],
    char ranks[static STUDY_GROUP_RANKS_BYTES]);

/* Other ranks: make runs with rank 0 until it ends. Returns false after an error message if this
 * rank cannot go on; the others wait for it then. */
bool study_group_follow(struct study_run **, uint32_t run_count, const struct study_manner *);
