/* SPDX-License-Identifier: Apache-2.0 */
/* What a search found, judged by runs that had no part in choosing it. */
#pragma once

#include "study/search.h"

struct search_verdict {
    bool is_found;                 /* on the front by the seeds of the search */
    bool fronts[SEARCH_SET_COUNT]; /* on the front of a set, by the check seeds */
    bool is_beyond_alone;    /* on the front of all, and no point of a search over topologies or
                                parameters alone is as good */
    bool is_beyond_separate; /* and neither is a combination of what they found */
    uint32_t dominated; /* points of the search that it dominates, by the seeds of the search */
};

struct search_judgement {
    struct pareto_scale scale;       /* of the check */
    struct search_verdict *verdicts; /* by trial */
    uint32_t found_count;
    uint32_t stayed_count; /* of them on the front by the check seeds, too */
    uint32_t front_counts[SEARCH_SET_COUNT];
    uint32_t beyond_alone_count;
    uint32_t beyond_separate_count;
};

void search_judge(const struct search *, struct search_judgement *);
void search_judge_fini(struct search_judgement *);
