/* SPDX-License-Identifier: Apache-2.0 */
/* The document of mrc-search(1), and what is printed from it. */
#pragma once

#include <stdio.h>

#include "study/search_judge.h"

/* Returns the document. The caller releases it. */
json_t *search_json(const struct search *, const struct search_judgement *);
/* Returns what the search may choose from: "topologies", "refused", "parameters" and "points". */
json_t *search_json_space(const struct search *);
