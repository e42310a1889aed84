/* SPDX-License-Identifier: Apache-2.0 */
/* Collects operations, and adds notices for ranks that wait for what concerns others only. */
#include "files/schedule_build.h"

#include <stdlib.h>

void schedule_build_init(struct schedule_build *build, struct text_file *file, uint32_t rank_max)
{
    *build = (struct schedule_build){ .file = file, .rank_max = rank_max };
}

void schedule_build_fini(struct schedule_build *build)
{
    growing_fini(&build->operations);
    growing_fini(&build->waits);
}

uint32_t schedule_build_add(
    struct schedule_build *build, const struct schedule_build_operation *operation)
{
    struct schedule_build_operation *added;

    if (build->operations.count == SIM_OPERATIONS_MAX - 1) {
        text_file_complain(build->file, "more than %u operations", SIM_OPERATIONS_MAX - 1);
        return SCHEDULE_BUILD_NONE;
    }
    added = growing_push(&build->operations, sizeof(*added));
    *added = *operation;
    return build->operations.count - 1;
}

bool schedule_build_rank(struct schedule_build *build, const char *what, uint32_t *out)
{
    if (!text_file_count(build->file, what, out))
        return false;
    if (*out >= build->rank_max)
        return text_file_complain(
            build->file, "there is no %s %u; they are 0 to %u", what, *out, build->rank_max - 1);
    return true;
}

void schedule_build_let_wait(
    struct schedule_build *build, uint32_t waiter, uint32_t other, enum sim_after after)
{
    struct schedule_build_wait *wait = growing_push(&build->waits, sizeof(*wait));

    *wait = (struct schedule_build_wait){ .waiter = waiter, .other = other, .after = after };
}

/* ---- notices --------------------------------------------------------------------------------- */

static bool is_foreign(const struct schedule_build *build, const struct schedule_build_wait *wait)
{
    const struct schedule_build_operation *other = schedule_build_at(build, wait->other);
    uint32_t rank = schedule_build_at(build, wait->waiter)->rank;

    return rank != other->rank && (other->bytes == 0 || rank != other->to);
}

struct foreign {
    uint32_t other;
    uint32_t rank; /* that waits */
    uint32_t wait;
};

static int compare_foreign(const void *left, const void *right)
{
    const struct foreign *a = left;
    const struct foreign *b = right;
    int by_other = schedule_build_compare(a->other, b->other);
    int by_rank = by_other ? by_other : schedule_build_compare(a->rank, b->rank);

    return by_rank ? by_rank : schedule_build_compare(a->wait, b->wait);
}

static bool add_notice(struct schedule_build *build, const struct foreign *foreign, uint32_t *out)
{
    const struct schedule_build_operation *other = schedule_build_at(build, foreign->other);
    struct schedule_build_operation notice = { .rank = other->bytes > 0 ? other->to : other->rank,
        .to = foreign->rank,
        .line = other->line,
        .bytes = SCHEDULE_BUILD_NOTICE_BYTES };

    *out = schedule_build_add(build, &notice);
    if (*out == SCHEDULE_BUILD_NONE)
        return false;
    schedule_build_let_wait(build, *out, foreign->other, SIM_AFTER_END);
    return true;
}

/* One notice for each rank that waits for an operation. */
static bool add_all_notices(struct schedule_build *build)
{
    uint32_t wait_count = build->waits.count;
    struct growing list = { 0 };
    uint32_t notice = SCHEDULE_BUILD_NONE;
    const struct foreign *all;
    bool is_good = true;

    for (uint32_t i = 0; i < wait_count; i++) {
        const struct schedule_build_wait *wait = schedule_build_wait_at(build, i);

        if (is_foreign(build, wait)) {
            struct foreign *foreign = growing_push(&list, sizeof(*foreign));

            *foreign = (struct foreign){ .other = wait->other,
                .rank = schedule_build_at(build, wait->waiter)->rank,
                .wait = i };
        }
    }
    all = list.elements;
    if (list.count > 0)
        qsort(list.elements, list.count, sizeof(*all), compare_foreign);
    for (uint32_t i = 0; i < list.count && is_good; i++) {
        if (i == 0 || all[i].other != all[i - 1].other || all[i].rank != all[i - 1].rank)
            is_good = add_notice(build, &all[i], &notice);
        schedule_build_wait_at(build, all[i].wait)->other = notice;
    }
    growing_fini(&list);
    return is_good;
}

static void decide_waits(struct schedule_build *build)
{
    for (uint32_t i = 0; i < build->waits.count; i++) {
        struct schedule_build_wait *wait = schedule_build_wait_at(build, i);

        if (schedule_build_at(build, wait->waiter)->rank !=
            schedule_build_at(build, wait->other)->rank)
            wait->after = SIM_AFTER_ARRIVAL;
    }
}

bool schedule_build_decide(struct schedule_build *build)
{
    if (!add_all_notices(build))
        return false;
    decide_waits(build);
    return true;
}
