/* SPDX-License-Identifier: Apache-2.0 */
/* A distribution of durations as JSON. */
#include "result/result_distribution.h"

#include "files/files.h"

json_t *result_distribution(struct measure_numbers *durations_ps)
{
    struct measure_distribution of = measure_distribution(durations_ps);
    const struct {
        const char *name;
        uint64_t value_ps;
    } points[] = { { "min", of.min }, { "p50", of.p50 }, { "p99", of.p99 }, { "p999", of.p999 },
        { "max", of.max } };
    json_t *json = json_object();

    json_object_set_new(json, "count", json_integer((json_int_t)of.count));
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
        json_object_set_new(
            json, points[i].name, of.count ? json_millionths(points[i].value_ps) : json_null());
    return json;
}
