/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a schedule of what a file says: sorts operations by rank, numbers pairs, and looks for
 * operations that wait for each other. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "files/schedule_build.h"

/* ---- operations ------------------------------------------------------------------------------ */

/* The schedule as it is made. */
struct making {
    struct schedule_build *build;
    struct sim_schedule schedule;
    struct sim_operation *operations;
    struct sim_waiter *waiters;
    struct sim_pair *pairs;
    uint32_t *numbers; /* in the schedule, of each operation of the file */
};

static uint32_t count_ranks(const struct schedule_build *build)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < build->operations.count; i++) {
        const struct schedule_build_operation *operation = schedule_build_at(build, i);

        if (operation->rank >= count)
            count = operation->rank + 1;
        if (operation->bytes > 0 && operation->to >= count)
            count = operation->to + 1;
    }
    return count;
}

/* Turns numbers of elements into the positions of the first ones; the last is that of the end. */
static void sum_up(uint32_t *first, uint32_t count)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i <= count; i++) {
        uint32_t number = first[i];

        first[i] = sum;
        sum += number;
    }
}

static void sort_operations(struct making *making)
{
    struct schedule_build *build = making->build;
    struct yaml *yaml = build->file->yaml;
    uint32_t count = build->operations.count;
    uint32_t *first = yaml_take(yaml, making->schedule.rank_count + 1, sizeof(*first));
    uint32_t *next = calloc(making->schedule.rank_count + 1, sizeof(*next));

    making->operations = yaml_take(yaml, count + 1, sizeof(*making->operations));
    making->schedule.first_operation = first;
    for (uint32_t i = 0; i < count; i++)
        first[schedule_build_at(build, i)->rank]++;
    sum_up(first, making->schedule.rank_count);
    assert(next);
    memcpy(next, first, making->schedule.rank_count * sizeof(*next));
    for (uint32_t i = 0; i < count; i++) {
        const struct schedule_build_operation *from = schedule_build_at(build, i);

        making->numbers[i] = next[from->rank]++;
        making->operations[making->numbers[i]] = (struct sim_operation){ .bytes = from->bytes,
            .start_ps = from->start_ps,
            .time_ps = from->time_ps,
            .rank = from->rank,
            .where = from->processor };
        if (from->bytes == 0 && from->processor >= making->schedule.processor_count)
            making->schedule.processor_count = from->processor + 1;
    }
    free(next);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static uint64_t pair_key(const struct schedule_build_operation *operation)
{
    return (uint64_t)operation->rank << 32 | operation->to;
}

static int compare_keys(const void *left, const void *right)
{
    return schedule_build_compare(*(const uint64_t *)left, *(const uint64_t *)right);
}

static uint32_t find_key(const uint64_t *keys, uint32_t count, uint64_t key)
{
    const uint64_t *found = bsearch(&key, keys, count, sizeof(*keys), compare_keys);

    assert(found);
    return (uint32_t)(found - keys);
}

/* Returns the number of different keys; makes them adjacent. */
static uint32_t list_keys(const struct schedule_build *build, uint64_t *keys)
{
    uint32_t count = 0;
    uint32_t unique = 0;

    for (uint32_t i = 0; i < build->operations.count; i++)
        if (schedule_build_at(build, i)->bytes > 0)
            keys[count++] = pair_key(schedule_build_at(build, i));
    qsort(keys, count, sizeof(*keys), compare_keys);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || keys[i] != keys[i - 1])
            keys[unique++] = keys[i];
    return unique;
}

/* The most of several counts. */
static uint32_t most_of(const uint32_t *counts, uint32_t count)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < count; i++)
        most = counts[i] > most ? counts[i] : most;
    return most;
}

static void fill_pairs(struct making *making, const uint64_t *keys)
{
    struct sim_schedule *schedule = &making->schedule;
    uint32_t *first =
        yaml_take(making->build->file->yaml, schedule->rank_count + 1, sizeof(*first));
    uint32_t *senders = calloc(schedule->rank_count + 1, sizeof(*senders));

    assert(senders);
    for (uint32_t i = 0; i < schedule->pair_count; i++) {
        making->pairs[i] = (struct sim_pair){ .from_rank = (uint32_t)(keys[i] >> 32),
            .to_rank = (uint32_t)keys[i] };
        first[making->pairs[i].from_rank]++;
        senders[making->pairs[i].to_rank]++;
    }
    schedule->peers_out = most_of(first, schedule->rank_count);
    schedule->peers_in = most_of(senders, schedule->rank_count);
    free(senders);
    sum_up(first, schedule->rank_count);
    schedule->first_pair = first;
}

static void number_pairs(struct making *making)
{
    struct schedule_build *build = making->build;
    struct sim_schedule *schedule = &making->schedule;
    uint64_t *keys = calloc((size_t)build->operations.count + 1, sizeof(*keys));

    assert(keys);
    schedule->pair_count = list_keys(build, keys);
    making->pairs = yaml_take(build->file->yaml, schedule->pair_count, sizeof(*making->pairs));
    schedule->pairs = making->pairs;
    fill_pairs(making, keys);
    for (uint32_t i = 0; i < build->operations.count; i++) {
        const struct schedule_build_operation *operation = schedule_build_at(build, i);
        uint32_t *pair = &making->operations[making->numbers[i]].where;

        if (operation->bytes == 0)
            continue;
        *pair = find_key(keys, schedule->pair_count, pair_key(operation));
        making->pairs[*pair].message_count++;
    }
    for (uint32_t i = 0; i < schedule->pair_count; i++)
        if (making->pairs[i].message_count > schedule->pair_messages)
            schedule->pair_messages = making->pairs[i].message_count;
    free(keys);
}

/* ---- what waits ------------------------------------------------------------------------------ */

static void list_waiters(struct making *making)
{
    struct schedule_build *build = making->build;
    struct sim_operation *operations = making->operations;
    uint32_t count = build->operations.count;

    making->waiters = yaml_take(build->file->yaml, build->waits.count, sizeof(*making->waiters));
    for (uint32_t i = 0; i < build->waits.count; i++)
        operations[making->numbers[schedule_build_wait_at(build, i)->other] + 1].first_waiter++;
    for (uint32_t i = 0; i < count; i++)
        operations[i + 1].first_waiter += operations[i].first_waiter;
    /* Each operation's own count begins where the list of the one before it ends: fill it from
     * there, then move the beginnings back. */
    for (uint32_t i = 0; i < build->waits.count; i++) {
        const struct schedule_build_wait *wait = schedule_build_wait_at(build, i);
        struct sim_operation *other = &operations[making->numbers[wait->other]];
        uint32_t waiter = making->numbers[wait->waiter];

        making->waiters[other->first_waiter++] =
            (struct sim_waiter){ .operation = waiter & (SIM_OPERATIONS_MAX - 1),
                .after = (unsigned)wait->after & 3 };
        operations[waiter].waits++;
        if (wait->after == SIM_AFTER_ARRIVAL)
            making->pairs[other->where].tells = true;
    }
    for (uint32_t i = count; i > 0; i--)
        operations[i].first_waiter = operations[i - 1].first_waiter;
    operations[0].first_waiter = 0;
}

/* Returns how many operations can take place. `waits` counts what each of them still waits for,
 * and `order` has room for all. */
static uint32_t play_through(const struct making *making, uint32_t *waits, uint32_t *order)
{
    const struct sim_operation *operations = making->operations;
    uint32_t count = making->build->operations.count;
    uint32_t end = 0;
    uint32_t done = 0;

    for (uint32_t i = 0; i < count; i++) {
        waits[i] = operations[i].waits;
        if (waits[i] == 0)
            order[end++] = i;
    }
    for (; done < end; done++) {
        const struct sim_operation *operation = &operations[order[done]];

        for (uint32_t i = operation[0].first_waiter; i < operation[1].first_waiter; i++)
            if (--waits[making->waiters[i].operation] == 0)
                order[end++] = making->waiters[i].operation;
    }
    return done;
}

/* Goes back from an operation that cannot take place, through others, until it is in a circle. */
static bool complain_circle(const struct making *making, const uint32_t *waits, uint32_t *before)
{
    struct schedule_build *build = making->build;
    uint32_t at = SCHEDULE_BUILD_NONE;
    uint32_t lines[2];

    for (uint32_t i = 0; i < build->waits.count; i++) {
        uint32_t other = schedule_build_wait_at(build, i)->other;
        uint32_t waiter = schedule_build_wait_at(build, i)->waiter;

        if (waits[making->numbers[waiter]] == 0 || waits[making->numbers[other]] == 0)
            continue;
        before[waiter] = other;
        at = waiter;
    }
    assert(at != SCHEDULE_BUILD_NONE);
    for (uint32_t i = 0; i < build->operations.count; i++)
        at = before[at];
    lines[0] = lines[1] = schedule_build_at(build, at)->line;
    /* A line may have several operations, such as a message and the notice of its end. */
    for (uint32_t i = 0; i < build->operations.count && lines[1] == lines[0]; i++) {
        at = before[at];
        lines[1] = schedule_build_at(build, at)->line;
    }
    if (lines[1] == lines[0])
        return text_file_complain_line(build->file, lines[0], "this waits for itself");
    return text_file_complain_line(build->file, lines[0],
        "this waits for line %u, which waits for this, directly or through others", lines[1]);
}

static bool check_circles(const struct making *making)
{
    uint32_t count = making->build->operations.count;
    uint32_t *waits = calloc((size_t)count + 1, sizeof(*waits));
    uint32_t *order = calloc((size_t)count + 1, sizeof(*order));
    bool is_good;

    assert(waits && order);
    is_good = play_through(making, waits, order) == count || complain_circle(making, waits, order);
    free(waits);
    free(order);
    return is_good;
}

/* ---- all of it ------------------------------------------------------------------------------- */

const struct sim_schedule *schedule_build_finish(struct schedule_build *build, uint32_t rank_count)
{
    struct making making = { .build = build };
    struct sim_schedule *schedule;
    bool is_good;

    if (!schedule_build_decide(build))
        return NULL;
    making.schedule.rank_count = rank_count ? rank_count : count_ranks(build);
    making.schedule.operation_count = build->operations.count;
    making.numbers = calloc((size_t)build->operations.count + 1, sizeof(*making.numbers));
    assert(making.numbers);
    sort_operations(&making);
    number_pairs(&making);
    list_waiters(&making);
    is_good = check_circles(&making);
    free(making.numbers);
    if (!is_good)
        return NULL;
    if (making.schedule.pair_count == 0) {
        text_file_complain_line(build->file, 1, "there is no message; add one");
        return NULL;
    }
    making.schedule.operations = making.operations;
    making.schedule.waiters = making.waiters;
    schedule = yaml_take(build->file->yaml, 1, sizeof(*schedule));
    *schedule = making.schedule;
    return schedule;
}
