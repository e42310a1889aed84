/* SPDX-License-Identifier: Apache-2.0 */
/* The share of the capacity that each window after a change carried. */
#include "measure/measure.h"

enum {
    GOOD_PERCENT = 95,
    GOOD_IN_A_ROW = 3,
};

/* Returns the value at a time, interpolated between two looks; 0 before the first look. */
static uint64_t value_at(
    const struct measure_numbers *times, const struct measure_numbers *values, uint64_t time_ps)
{
    size_t first = 0;
    size_t end = times->count;
    uint64_t before_ps;
    uint64_t before;

    while (first < end) {
        size_t middle = first + (end - first) / 2;

        if (times->at[middle] < time_ps)
            first = middle + 1;
        else
            end = middle;
    }
    if (first == times->count)
        return measure_last(values);
    before_ps = first ? times->at[first - 1] : 0;
    before = first ? values->at[first - 1] : 0;
    if (times->at[first] == before_ps)
        return values->at[first];
    return before + (uint64_t)((measure_wide)(values->at[first] - before) * (time_ps - before_ps) /
                               (times->at[first] - before_ps));
}

static struct measure_share share_of(
    const struct measure_record *record, uint64_t from_ps, uint64_t until_ps)
{
    uint64_t bytes = value_at(&record->look_ps, &record->look_bytes, until_ps) -
                     value_at(&record->look_ps, &record->look_bytes, from_ps);
    uint64_t bits = value_at(&record->look_ps, &record->look_bits, until_ps) -
                    value_at(&record->look_ps, &record->look_bits, from_ps);

    return (struct measure_share){ .bits = 8 * bytes, .capacity_bits = bits };
}

static bool is_good(const struct measure_share *share)
{
    return (measure_wide)share->bits * 100 >= (measure_wide)share->capacity_bits * GOOD_PERCENT;
}

static bool is_lower(const struct measure_share *share, const struct measure_share *than)
{
    return (measure_wide)share->bits * than->capacity_bits <
           (measure_wide)than->bits * share->capacity_bits;
}

static void add_window(
    struct measure_recovery *recovery, const struct measure_share *share, uint64_t window_ps)
{
    if (recovery->window_count++ == 0 || is_lower(share, &recovery->lowest))
        recovery->lowest = *share;
    if (!is_good(share))
        recovery->below_ps += window_ps;
}

/* Windows of the row count too, because the lowest may be among them. */
struct measure_recovery measure_recovery(const struct measure_record *record, uint64_t change_ps)
{
    uint64_t window_ps = record->capacity->window_ps;
    uint64_t end_ps = measure_last(&record->look_ps);
    struct measure_recovery recovery = { 0 };
    uint64_t since_ps = change_ps; /* beginning of the current row of good windows */
    uint32_t in_a_row = 0;

    for (uint64_t at_ps = change_ps; at_ps + window_ps <= end_ps; at_ps += window_ps) {
        struct measure_share share = share_of(record, at_ps, at_ps + window_ps);

        if (share.capacity_bits == 0)
            continue;
        add_window(&recovery, &share, window_ps);
        if (!is_good(&share)) {
            in_a_row = 0;
            since_ps = at_ps + window_ps;
        } else if (++in_a_row == GOOD_IN_A_ROW) {
            recovery.has_recovered = true;
            recovery.after_ps = since_ps - change_ps;
            break;
        }
    }
    return recovery;
}
