/* SPDX-License-Identifier: Apache-2.0 */
/* Protocols with settings, which mrc compare compares: contenders.def. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/sim.h"

enum {
    STUDY_CONTENDERS_MAX = 32,
    STUDY_CONTENDER_REASON_BYTES = 512,
};

struct study_contender {
    const char *name;
    enum sim_protocol protocol;
    const char *title;
    const char *settings; /* KEY=VALUE, separated by blanks: what defines it */
    const char *usual;    /* likewise: what a search may change */
};
extern const struct study_contender study_contenders[];
extern const uint32_t study_contender_count;

/* What a protocol keeps at NICs and switches. */
struct study_contender_state {
    uint32_t qp_bytes_least; /* 0: those of libmrc, or not known */
    uint32_t qp_bytes_most;
    const char *origin; /* "measured", "published", "assumed" */
    const char *source;
    const char *switch_keeps;
};
extern const struct study_contender_state study_contender_states[SIM_PROTOCOL_COUNT];

/* Returns whether users of the protocol build several planes, and not a fat tree. */
bool study_contender_builds_planes(enum sim_protocol);

/* Contenders in the order in which they are shown. */
struct study_contender_choice {
    const struct study_contender *at[STUDY_CONTENDERS_MAX];
    uint32_t count;
};

void study_contender_choose_all(struct study_contender_choice *);
/* Reads "mrc,roce-8qp": names of contenders, and of protocols, which stand for all contenders that
 * have them. Returns false with a reason. */
bool study_contender_choose(struct study_contender_choice *, const char *text,
    char reason[static STUDY_CONTENDER_REASON_BYTES]);
