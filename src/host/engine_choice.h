/* SPDX-License-Identifier: Apache-2.0 */
/* Which engine of a NIC gets the next QP: the one with the fewest; of several, the nearest to the
 * one that got the last. QPs therefore go to the engines forth and back: 0, 1, 1, 0 or 0, 1, 2, 3,
 * 3, 2, 1, 0. A program that creates QPs to send and to receive in turns has those that send on all
 * engines; if each round began with engine 0, they would be on every other one. */
#pragma once

#include <stdint.h>

/* Of `count` engines with these numbers of QPs. `last`: the engine that got the last QP, at first
 * 0. */
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
