/* SPDX-License-Identifier: Apache-2.0 */
/* make map: how well probes localise faults at random places. Prints one JSON object.
 *
 *     localise NICS CLASS PLACES SEED      faults of a class of the table, up to 20 at a time
 *     localise NICS three RUNS SEED        three faults of any class, open for 2,000 periods
 *     localise NICS quiet PERIODS SEED     no fault
 *
 * Every link loses 0.01 % of the packets besides. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "localise.h"

static int misuse(void)
{
    fprintf(stderr, "usage: localise 64|1024|16384 CLASS|three|quiet COUNT SEED\nclasses:");
    for (uint32_t i = 0; i < LOCALISE_CLASS_COUNT; i++)
        fprintf(stderr, " %s", localise_class_words[i]);
    fputc('\n', stderr);
    return 2;
}

/* A square Clos of four planes. */
static bool open_fabric(struct localise *all, unsigned long nics)
{
    struct topology_config config;
    struct topology_problem problem;
    uint32_t side = 1;

    while ((unsigned long)side * side < nics)
        side++;
    topology_config_init(&config);
    config.plane_count = 4;
    config.t0_count = config.t1_count = config.hosts_per_t0 = side;
    return (unsigned long)side * side == nics && side >= 4 &&
           plan_init(&all->fabric, &config, NULL, &problem);
}

static int compare_numbers(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

static void print_totals(const struct localise *all, const char *what)
{
    struct localise_totals totals = all->totals;

    qsort(totals.named_after, totals.named, sizeof(totals.named_after[0]), compare_numbers);
    printf("{\"nics\": %u, \"class\": \"%s\", \"places\": %u, \"named\": %u, \"false\": %u, "
           "\"periods_median\": %llu, \"periods_max\": %llu, \"directions\": %u, "
           "\"direction_right\": %u, \"direction_wrong\": %u, \"periods\": %llu, "
           "\"probes\": %llu}\n",
        all->fabric.topology.nic_count, what, totals.places, totals.named, totals.wrong,
        totals.named ? (unsigned long long)totals.named_after[totals.named / 2] : 0,
        totals.named ? (unsigned long long)totals.named_after[totals.named - 1] : 0,
        totals.directions, totals.directions_right, totals.directions_wrong,
        (unsigned long long)totals.periods, (unsigned long long)totals.probes);
}

static bool find_class(const char *word, enum localise_class *class)
{
    for (uint32_t i = 0; i < LOCALISE_CLASS_COUNT; i++)
        if (strcmp(localise_class_words[i], word) == 0) {
            *class = (enum localise_class)i;
            return true;
        }
    return false;
}

int main(int count, char **words)
{
    static struct localise all;
    enum localise_class class;
    unsigned long amount;

    if (count != 5 || !open_fabric(&all, strtoul(words[1], NULL, 10)))
        return misuse();
    amount = strtoul(words[3], NULL, 10);
    all.seed = strtoull(words[4], NULL, 10);
    if (strcmp(words[2], "quiet") == 0)
        localise_quiet(&all, amount);
    else if (strcmp(words[2], "three") == 0)
        localise_three(&all, (uint32_t)amount);
    else if (find_class(words[2], &class) && amount <= LOCALISE_PLACES_MAX)
        localise_class(&all, class, (uint32_t)amount);
    else
        return misuse();
    print_totals(&all, words[2]);
    return all.totals.wrong > 0 || all.totals.named < all.totals.places;
}
