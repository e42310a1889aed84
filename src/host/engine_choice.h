/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the engine of the next QP: the one with the fewest QPs and, among several, the nearest to
 * the one that got the last QP. QPs are therefore assigned back and forth: 0, 1, 1, 0 or 0, 1, 2,
 * 3, 3, 2, 1, 0. If a program alternately creates QPs that send and QPs that receive, its sending
 * QPs are on all engines. If each round began with engine 0, they would be on every second engine.
 */
#pragma once

#include <stdint.h>

/* `qp_counts` has the number of QPs of each of `count` engines. `last` is the engine that got the
 * last QP, initially 0. */
static inline uint32_t engine_choice_next(const uint32_t *qp_counts, uint32_t count, uint32_t last)
{
    uint32_t chosen = last;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t way = i > last ? i - last : last - i;
        uint32_t chosen_way = chosen > last ? chosen - last : last - chosen;

        if (qp_counts[i] < qp_counts[chosen] ||
            (qp_counts[i] == qp_counts[chosen] && way < chosen_way))
            chosen = i;
    }
    return chosen;
}
