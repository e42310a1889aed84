/* SPDX-License-Identifier: Apache-2.0 */
/* Matches the sends and receives of a schedule in GOAL. */
#pragma once

#include "files/schedule_build.h"

/* A send or a receive, to be matched. */
struct goal_half {
    uint32_t from;
    uint32_t to;
    uint32_t tag;
    uint32_t operation;
    uint32_t line;
};

/* Lets each receive wait for its message: those of two ranks with one tag match in the order of the
 * file. Sorts both lists. Returns false, after a complaint, if one is left over. */
bool goal_match(struct schedule_build *, struct growing *sent, struct growing *received);
