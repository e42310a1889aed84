/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts sends and receives by their ranks and tags, and joins those at the same place. */
#include "files/goal_match.h"

#include <stdlib.h>

static int compare_ends(const struct goal_half *a, const struct goal_half *b)
{
    int by_from = schedule_build_compare(a->from, b->from);
    int by_to = by_from ? by_from : schedule_build_compare(a->to, b->to);

    return by_to ? by_to : schedule_build_compare(a->tag, b->tag);
}

static int compare_halves(const void *left, const void *right)
{
    const struct goal_half *a = left;
    const struct goal_half *b = right;
    int by_ends = compare_ends(a, b);

    return by_ends ? by_ends : schedule_build_compare(a->operation, b->operation);
}

static bool complain_half(
    struct schedule_build *build, const struct goal_half *half, const char *other)
{
    return text_file_complain_line(build->file, half->line,
        "rank %u has no %s for the message of rank %u to rank %u with tag %u",
        other[0] == 's' ? half->from : half->to, other, half->from, half->to, half->tag);
}

bool goal_match(struct schedule_build *build, struct growing *sent, struct growing *received)
{
    struct goal_half *sends = sent->elements;
    struct goal_half *receives = received->elements;
    uint32_t i = 0;

    if (sent->count > 0)
        qsort(sends, sent->count, sizeof(*sends), compare_halves);
    if (received->count > 0)
        qsort(receives, received->count, sizeof(*receives), compare_halves);
    for (; i < sent->count && i < received->count; i++) {
        int order = compare_ends(&sends[i], &receives[i]);

        if (order != 0)
            return order < 0 ? complain_half(build, &sends[i], "recv")
                             : complain_half(build, &receives[i], "send");
        schedule_build_let_wait(build, receives[i].operation, sends[i].operation, SIM_AFTER_END);
    }
    if (i < sent->count)
        return complain_half(build, &sends[i], "recv");
    return i == received->count || complain_half(build, &receives[i], "send");
}
