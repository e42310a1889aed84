/* SPDX-License-Identifier: Apache-2.0 */
/* Collects a figure of several runs. */
#include "result/result_spread.h"

#include <math.h>

void result_spread_add(struct result_spread *spread, double value)
{
    double before = value - spread->mean;

    if (spread->count == 0 || value < spread->least)
        spread->least = value;
    if (spread->count == 0 || value > spread->most)
        spread->most = value;
    spread->count++;
    spread->mean += before / spread->count;
    spread->squares += before * (value - spread->mean);
}

double result_spread_deviation(const struct result_spread *spread)
{
    return spread->count > 1 ? sqrt(spread->squares / (spread->count - 1)) : 0;
}

struct result_spread result_spread_of(
    const json_t *runs, const char *workload, const char *object, const char *key)
{
    struct result_spread spread = { 0 };
    size_t index;
    json_t *run;

    json_array_foreach(runs, index, run)
    {
        const json_t *summary = json_object_get(run, "summary");
        const json_t *in = json_object_get(json_object_get(summary, "workloads"), workload);
        const json_t *value;

        in = object ? json_object_get(in, object) : in;
        value = json_object_get(in, key);
        if (json_is_number(value))
            result_spread_add(&spread, json_number_value(value));
    }
    return spread;
}
