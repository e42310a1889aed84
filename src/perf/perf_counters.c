/* SPDX-License-Identifier: Apache-2.0 */
/* Each rank queries its own NIC, as `mrc stat` does. */
#include "perf/perf_counters.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "control/control.h"

enum {
    SETTLE_NS = 50 * 1000 * 1000, /* no packet waits in a queue for this long */
    ROUNDS_MAX = 40,
};

/* ---- names ----------------------------------------------------------------------------------- */

/* Copies the first name of a list separated by commas to `out`. Returns the rest, or NULL at the
 * end. */
static const char *next_name(const char *list, char out[static PERF_COUNTERS_BYTES])
{
    size_t length = strcspn(list, ",");

    memcpy(out, list, length);
    out[length] = '\0';
    return list[length] ? list + length + 1 : NULL;
}

/* Returns NULL if there is no such counter. */
static const json_t *find_counter(const json_t *answer, const char *counter)
{
    const json_t *found = json_object_get(json_object_get(answer, "counters"), counter);

    return found ? found : json_object_get(json_object_get(answer, "drops"), counter);
}

/* ---- values ---------------------------------------------------------------------------------- */

static int pick_counters(struct perf_end *end, const json_t *answer, struct perf_counters *out)
{
    const char *list = end->settings->counters;
    char counter[PERF_COUNTERS_BYTES];

    for (uint32_t i = 0; list; i++) {
        const json_t *value;

        list = next_name(list, counter);
        value = find_counter(answer, counter);
        if (!value)
            return perf_meet_fail(end->meet,
                "%s: there is no counter '%s'; 'mrc stat' shows all while a test runs", end->device,
                counter);
        out->values[i] = (uint64_t)json_integer_value(value);
    }
    return 0;
}

static int read_own(struct perf_end *end, struct perf_counters *out)
{
    char reason[REQUEST_REASON_BYTES];
    json_t *answer = NULL;
    enum request_result result = request_device(end->device, "stat", &answer, reason);
    int err = -1;

    *out = (struct perf_counters){ 0 };
    if (result == REQUEST_ANSWERED)
        err = pick_counters(end, answer, out);
    else if (result == REQUEST_NOT_RUNNING)
        perf_meet_fail(end->meet, "%s: has no status socket; does its folder exist?", end->device);
    else
        perf_meet_fail(end->meet, "%s: %s", end->device, reason);
    json_decref(answer);
    return err;
}

int perf_counters_check(struct perf_end *end)
{
    struct perf_counters ignored;

    return end->settings->counters[0] ? read_own(end, &ignored) : 0;
}

/* All ranks see the same values, and therefore stop together. */
int perf_counters_gather(struct perf_end *end, struct perf_counters all[static PERF_RANKS_MAX])
{
    const struct timespec pause = { .tv_nsec = SETTLE_NS };
    size_t bytes = end->meet->rank_count * sizeof(*all);
    struct perf_counters before[PERF_RANKS_MAX] = { 0 };
    struct perf_counters mine;

    for (uint32_t round = 0; round < ROUNDS_MAX; round++) {
        nanosleep(&pause, NULL);
        if (read_own(end, &mine) != 0 || perf_meet_gather(end->meet, &mine, sizeof(mine), all) != 0)
            return -1;
        if (round > 0 && memcmp(all, before, bytes) == 0)
            break;
        memcpy(before, all, bytes);
    }
    return 0;
}

/* ---- results --------------------------------------------------------------------------------- */

void perf_counters_print(const struct perf_end *end, const struct perf_counters *all)
{
    char counter[PERF_COUNTERS_BYTES];

    for (uint32_t rank = 0; rank < end->meet->rank_count; rank++) {
        const char *list = end->settings->counters;

        printf("# Counters of rank %-3u :", rank);
        for (uint32_t i = 0; list; i++) {
            list = next_name(list, counter);
            printf(" %s %llu", counter, (unsigned long long)all[rank].values[i]);
        }
        putchar('\n');
    }
}

json_t *perf_counters_json(const struct perf_end *end, const struct perf_counters *all)
{
    json_t *ranks = json_array();
    char counter[PERF_COUNTERS_BYTES];

    for (uint32_t rank = 0; rank < end->meet->rank_count; rank++) {
        const char *list = end->settings->counters;
        json_t *object = json_object();

        for (uint32_t i = 0; list; i++) {
            list = next_name(list, counter);
            json_object_set_new(object, counter, json_integer((json_int_t)all[rank].values[i]));
        }
        json_array_append_new(ranks, object);
    }
    return ranks;
}
