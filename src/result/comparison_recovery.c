/* SPDX-License-Identifier: Apache-2.0 */
/* The goodput after a fault, compared with the goodput before it, so that a protocol that collides
 * on a healthy fabric is not called broken by each fault.
 *
 * Goodput is low below half of the goodput before the fault, if the share of the capacity is below
 * half as well: a fault may leave less than half of the capacity. */
#include "result/comparison_recovery.h"

#include <stdbool.h>
#include <stddef.h>

#define LOW 0.5

/* The samples of a run: their ends, the goodput of each workload, and the share of the capacity. */
struct samples {
    const json_t *times;
    json_t *goodputs;
    const json_t *shares;
    size_t count;
};

struct level {
    double goodput_bps;
    double share;
};

static double end_us(const struct samples *samples, size_t index)
{
    return json_number_value(json_array_get(samples->times, index));
}

static double begin_us(const struct samples *samples, size_t index)
{
    return index ? end_us(samples, index - 1) : 0;
}

/* A sample without capacity counts as zero: nothing was to be sent, because all waited. */
static struct level level_in(const struct samples *samples, size_t index)
{
    struct level level = { .share = json_number_value(json_array_get(samples->shares, index)) };
    const char *name;
    json_t *rates;

    json_object_foreach(samples->goodputs, name, rates) level.goodput_bps +=
        json_number_value(json_array_get(rates, index));
    return level;
}

/* Returns the means in the second half of the time before the fault. */
static struct level level_before(const struct samples *samples, double at_us)
{
    struct level sum = { 0 };
    double count = 0;

    for (size_t i = 0; i < samples->count && end_us(samples, i) <= at_us; i++) {
        struct level level = level_in(samples, i);

        if (begin_us(samples, i) < at_us / 2)
            continue;
        sum.goodput_bps += level.goodput_bps;
        sum.share += level.share;
        count++;
    }
    if (count > 0)
        sum = (struct level){ sum.goodput_bps / count, sum.share / count };
    return sum;
}

/* If the capacity is unknown, goodput alone decides. */
static bool is_low(const struct level *level, const struct level *before)
{
    return level->goodput_bps < LOW * before->goodput_bps &&
           (before->share == 0 || level->share < LOW * before->share);
}

struct cost {
    bool is_low; /* in the last sample */
    double recovered_us;
    double stood_us; /* how long the run would have had to stand still to lose as much */
};

static struct cost cost_after(
    const struct samples *samples, double at_us, const struct level *before)
{
    struct cost cost = { 0 };

    for (size_t i = 0; i < samples->count; i++) {
        struct level level = level_in(samples, i);

        if (begin_us(samples, i) < at_us)
            continue;
        cost.stood_us += (1 - level.goodput_bps / before->goodput_bps) *
                         (end_us(samples, i) - begin_us(samples, i));
        cost.is_low = is_low(&level, before);
        if (cost.is_low)
            cost.recovered_us = end_us(samples, i) - at_us;
    }
    if (cost.stood_us < 0)
        cost.stood_us = 0;
    return cost;
}

static json_t *fault_json(const struct samples *samples, const json_t *fault)
{
    double at_us = json_number_value(json_object_get(json_object_get(fault, "began"), "at_us"));
    struct level before = level_before(samples, at_us);
    json_t *json = json_pack("{s:O,s:O,s:f,s:n,s:n}", "kind", json_object_get(fault, "kind"),
        "where", json_object_get(fault, "where"), "at_us", at_us, "recovered_us", "stood_us");
    struct cost cost;

    if (before.goodput_bps == 0)
        return json;
    cost = cost_after(samples, at_us, &before);
    if (!cost.is_low)
        json_object_set_new(json, "recovered_us", json_real(cost.recovered_us));
    json_object_set_new(json, "stood_us", json_real(cost.stood_us));
    return json;
}

/* What the first fault costs to the end of the run includes the later ones. */
static json_t *sum_up(json_t *faults)
{
    double slowest_us = 0;
    double stood_us = 0;
    int known = 0;
    int recovered = 0;
    size_t index;
    json_t *fault;

    json_array_foreach(faults, index, fault)
    {
        const json_t *after = json_object_get(fault, "recovered_us");
        const json_t *stood = json_object_get(fault, "stood_us");

        if (known == 0)
            stood_us = json_number_value(stood);
        known += json_is_number(stood);
        recovered += json_is_number(after);
        if (json_number_value(after) > slowest_us)
            slowest_us = json_number_value(after);
    }
    return json_pack("{s:i,s:o,s:o,s:o}", "unrecovered", known - recovered, "recovered_us",
        known && known == recovered ? json_real(slowest_us) : json_null(), "stood_us",
        known ? json_real(stood_us) : json_null(), "faults", faults);
}

json_t *comparison_recovery(const json_t *run)
{
    const json_t *series = json_object_get(run, "series");
    struct samples samples = { .times = json_object_get(series, "time_us"),
        .goodputs = json_object_get(series, "goodput_bps"),
        .shares = json_object_get(series, "capacity_fraction") };
    json_t *faults = json_array();
    size_t index;
    json_t *fault;

    samples.count = json_array_size(samples.times);
    json_array_foreach(json_object_get(json_object_get(run, "summary"), "faults"), index, fault)
        json_array_append_new(faults, fault_json(&samples, fault));
    return sum_up(faults);
}
