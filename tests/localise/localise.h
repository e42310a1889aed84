/* SPDX-License-Identifier: Apache-2.0 */
/* Faults at random places, and what probes find. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/sim.h"

enum {
    LOCALISE_FAULTS_MAX = 20, /* of a run */
    LOCALISE_PLACES_MAX = 1000,
    LOCALISE_PERIODS = 2000,
    LOCALISE_ROUND = 10,
};

/* The rows of the table of docs/fabric.md §11: each element dead, and with a share of losses. */
enum localise_class {
    LOCALISE_HOST_LINK,
    LOCALISE_T0,
    LOCALISE_UPLINK,
    LOCALISE_T1,
    LOCALISE_NIC,
    LOCALISE_LOSSY_HOST_LINK,
    LOCALISE_LOSSY_T0,
    LOCALISE_LOSSY_UPLINK,
    LOCALISE_LOSSY_T1,
    LOCALISE_CLASS_COUNT,
};
extern const char *const localise_class_words[LOCALISE_CLASS_COUNT];

struct localise_totals {
    uint32_t places;
    uint32_t named;
    uint32_t wrong; /* verdicts on healthy elements */
    uint32_t directions;
    uint32_t directions_right;
    uint32_t directions_wrong; /* the others were not known when the run ended */
    uint64_t named_after[LOCALISE_PLACES_MAX];
    uint64_t periods;
    uint64_t probes;
};

struct localise {
    struct plan fabric;
    uint64_t seed;
    struct localise_totals totals;
};

/* Draws the faults of a run; a T0 and the links below and above it have one at most. */
struct localise_run {
    struct topology_element places[LOCALISE_FAULTS_MAX];
    struct fault faults[LOCALISE_FAULTS_MAX + 1]; /* the first: the loss of all links */
    uint32_t count;
};
void localise_draw(struct localise_run *, const struct plan *, enum localise_class, struct prng *);

void localise_class(struct localise *, enum localise_class, uint32_t places);
void localise_three(struct localise *, uint32_t runs);
void localise_quiet(struct localise *, uint64_t periods);
