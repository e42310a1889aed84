/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a search: a file for each run, named after everything that the run is made from, so
 * that a search that continues, or one with more points, finds what it needs. */
#pragma once

#include "study/study_stored.h"

enum { SEARCH_STORE_REASON_BYTES = 4096 };

struct search_store {
    const char *folder; /* NULL: runs are not kept */
    int lock;           /* negative: none */
    struct study_stored_maker maker;
    uint32_t found_count;
    uint32_t kept_count;
    char reason[SEARCH_STORE_REASON_BYTES]; /* the first problem */
};

/* Creates and locks the folder. Returns false with a reason. The caller closes the store in either
 * case. */
bool search_store_open(struct search_store *, const char *folder);
void search_store_close(struct search_store *);

/* Returns the run that the folder has, which the caller releases; NULL: none. */
json_t *search_store_find(struct search_store *, const struct study_run *);
/* Keeps a run, without series and events. Returns false with a reason. */
bool search_store_keep(struct search_store *, const struct study_run *, json_t *run);

/* Writes the path of a file of the folder. */
void search_store_path(
    const struct search_store *, const char *name, char out[static SEARCH_STORE_REASON_BYTES]);
