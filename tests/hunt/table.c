/* SPDX-License-Identifier: Apache-2.0 */
/* The distribution of the figures, by class of case. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/files.h"
#include "program.h"

#define GBPS UINT64_C(1000000000)

/* ---- classes --------------------------------------------------------------------------------- */

enum group {
    GROUP_ALL,
    GROUP_INTACT,
    GROUP_FAULTS,
    GROUP_TRIMS,
    GROUP_KIND,
    GROUP_RATE,
    GROUP_SMALL_BUFFERS,
    GROUP_COUNT,
};

enum { MEMBERS_MAX = 16 };

static const char *const group_words[GROUP_COUNT] = { "all", "intact_plane", "faults", "trimming",
    "workload", "link", "small_buffers" };

static uint32_t rate_class(uint64_t link_bps)
{
    if (link_bps < 10 * GBPS)
        return 0;
    return link_bps < 100 * GBPS ? 1 : 2;
}

/* MEMBERS_MAX: in none. Cases with small buffers are in no other group. */
static uint32_t member_of(const struct hunt_figures *figures, enum group group)
{
    const struct hunt_class *class = &figures->class;

    if (figures->outcome != HUNT_RAN || class->has_small_buffers != (group == GROUP_SMALL_BUFFERS))
        return MEMBERS_MAX;
    switch (group) {
    case GROUP_INTACT:
        return class->has_intact_plane;
    case GROUP_FAULTS:
        return class->fault_count;
    case GROUP_TRIMS:
        return class->trims;
    case GROUP_KIND:
        return class->kind;
    case GROUP_RATE:
        return rate_class(class->link_bps);
    default:
        return 0;
    }
}

static const char *member_word(enum group group, uint32_t member)
{
    static const char *const no_yes[] = { "no", "yes" };
    static const char *const counts[] = { "0", "1", "2", "3" };
    static const char *const rates[] = { "below 10 Gb/s", "10 to 50 Gb/s", "100 Gb/s and more" };

    switch (group) {
    case GROUP_INTACT:
    case GROUP_TRIMS:
        return no_yes[member];
    case GROUP_FAULTS:
        return counts[member];
    case GROUP_KIND:
        return sim_workload_words[member];
    case GROUP_RATE:
        return rates[member];
    default:
        return "";
    }
}

/* ---- figures of a class ---------------------------------------------------------------------- */

struct summary {
    uint32_t count;
    double least;
    double quantiles[4]; /* 1, 5, 25, 50 % of total goodput over capacity */
    double good;         /* share at 0.95 or more */
    double low;          /* share below 0.85 */
    double flow_p5;
    uint32_t broken[HUNT_FAULT_COUNT]; /* promises */
};

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;

    return (a > b) - (a < b);
}

static double quantile(const double *sorted, uint32_t count, double share)
{
    uint32_t rank = (uint32_t)(share * (count - 1) + 0.5);

    return sorted[rank];
}

static void sum_totals(struct summary *summary, double *totals)
{
    static const double points[] = { 0.01, 0.05, 0.25, 0.5 };
    uint32_t good = 0;
    uint32_t low = 0;

    qsort(totals, summary->count, sizeof(*totals), ascending);
    for (uint32_t i = 0; i < summary->count; i++) {
        good += totals[i] >= 0.95;
        low += totals[i] < 0.85;
    }
    summary->least = totals[0];
    summary->good = (double)good / summary->count;
    summary->low = (double)low / summary->count;
    for (uint32_t i = 0; i < 4; i++)
        summary->quantiles[i] = quantile(totals, summary->count, points[i]);
}

static struct summary sum_up(
    const struct hunt_figures *figures, uint32_t count, enum group group, uint32_t member)
{
    struct summary summary = { 0 };
    double *totals = calloc(count + 1, sizeof(*totals));
    double *flows = calloc(count + 1, sizeof(*flows));
    uint32_t flow_count = 0;

    for (uint32_t i = 0; totals && flows && i < count; i++) {
        if (member_of(&figures[i], group) != member)
            continue;
        totals[summary.count++] = figures[i].capacity_fraction;
        if (figures[i].flow_fraction >= 0)
            flows[flow_count++] = figures[i].flow_fraction;
        for (uint32_t fault = 0; fault < HUNT_FAULT_COUNT; fault++)
            summary.broken[fault] += hunt_badness(&figures[i], (enum hunt_fault)fault) > 1;
    }
    if (summary.count > 0)
        sum_totals(&summary, totals);
    if (flow_count > 0) {
        qsort(flows, flow_count, sizeof(*flows), ascending);
        summary.flow_p5 = quantile(flows, flow_count, 0.05);
    }
    free(totals);
    free(flows);
    return summary;
}

/* ---- telling --------------------------------------------------------------------------------- */

static void print_summary(enum group group, uint32_t member, const struct summary *summary)
{
    printf("%-13s %-17s %6u %6.3f %6.3f %6.3f %6.3f %6.3f %6.1f%% %6.1f%% %6.3f %7u %7u %5u %5u\n",
        group_words[group], member_word(group, member), summary->count, summary->least,
        summary->quantiles[0], summary->quantiles[1], summary->quantiles[2], summary->quantiles[3],
        summary->good * 100, summary->low * 100, summary->flow_p5, summary->broken[HUNT_STARVED],
        summary->broken[HUNT_FAILED_PATH], summary->broken[HUNT_QP_ERROR],
        summary->broken[HUNT_TIMEOUT]);
}

void table_print(const struct hunt_figures *figures, uint32_t count)
{
    uint32_t broken = 0;

    printf("Goodput once settled, of the max-min capacity:\n%-31s %6s %6s %6s %6s %6s %6s %7s %7s "
           "%6s %7s %7s %5s %5s\n",
        "", "cases", "least", "1%", "5%", "25%", "50%", ">=0.95", "<0.85", "flow5%", "starved",
        "failed", "QPerr", "tmout");
    for (enum group group = 0; group < GROUP_COUNT; group++)
        for (uint32_t member = 0; member < MEMBERS_MAX; member++) {
            struct summary summary = sum_up(figures, count, group, member);

            if (summary.count > 0)
                print_summary(group, member, &summary);
        }
    for (uint32_t i = 0; i < count; i++)
        broken += figures[i].outcome != HUNT_RAN;
    if (broken > 0)
        printf("%u cases did not come to their end\n", broken);
}

/* As mrc sim writes it: rounded down. */
static double millionths(double value)
{
    return floor(value * 1e6) / 1e6;
}

void table_case_json(FILE *file, uint32_t number, const struct hunt_figures *figures)
{
    static const char *const outcomes[HUNT_OUTCOME_COUNT] = { "ran", "refused", "crashed",
        "stopped" };
    const struct hunt_class *class = &figures->class;

    fprintf(file,
        "{\"case\":%u,\"outcome\":\"%s\",\"faults\":%u,\"workload\":\"%s\",\"trimming\":%s,"
        "\"small_buffers\":%s,\"intact_plane\":%s,\"link_bps\":%llu,"
        "\"capacity_fraction\":%.6f,\"flow_fraction\":%.6f,\"flow\":\"h%u-h%u\","
        "\"starved_us\":%.3f,\"settle_us\":%.3f,\"failed_rtts\":%.1f,\"qp_errors\":%llu,"
        "\"timeouts\":%llu,\"timeouts_forbidden\":%s,\"packet_hops\":%llu,\"hash\":\"%016llx\","
        "\"reason\":\"%s\"}\n",
        number, outcomes[figures->outcome], class->fault_count, sim_workload_words[class->kind],
        class->trims ? "true" : "false", class->has_small_buffers ? "true" : "false",
        class->has_intact_plane ? "true" : "false", (unsigned long long)class->link_bps,
        millionths(figures->capacity_fraction), millionths(figures->flow_fraction),
        figures->flow_from, figures->flow_to, figures->starved_us, figures->settle_us,
        figures->failed_rtts, (unsigned long long)figures->qp_errors,
        (unsigned long long)figures->timeouts, class->forbids_timeouts ? "true" : "false",
        (unsigned long long)figures->packet_hops, (unsigned long long)figures->hash,
        figures->reason);
}

static void write_summary(
    FILE *file, enum group group, uint32_t member, const struct summary *summary)
{
    fprintf(file,
        "{\"group\":\"%s\",\"member\":\"%s\",\"cases\":%u,\"min\":%.6f,\"p1\":%.6f,\"p5\":%.6f,"
        "\"p25\":%.6f,\"p50\":%.6f,\"good\":%.6f,\"low\":%.6f,\"flow_p5\":%.6f",
        group_words[group], member_word(group, member), summary->count, summary->least,
        summary->quantiles[0], summary->quantiles[1], summary->quantiles[2], summary->quantiles[3],
        summary->good, summary->low, summary->flow_p5);
    for (uint32_t fault = 0; fault < HUNT_FAULT_COUNT; fault++)
        fprintf(
            file, ",\"%s\":%u", hunt_fault_word((enum hunt_fault)fault), summary->broken[fault]);
    fprintf(file, "}\n");
}

int table_write_json(
    const struct program *program, const struct hunt_figures *figures, uint32_t count)
{
    FILE *file = fopen(program->json_path, "w");

    if (!file)
        return -errno;
    for (uint32_t i = 0; i < count; i++)
        table_case_json(file, program->first_case + i, &figures[i]);
    for (enum group group = 0; group < GROUP_COUNT; group++)
        for (uint32_t member = 0; member < MEMBERS_MAX; member++) {
            struct summary summary = sum_up(figures, count, group, member);

            if (summary.count > 0)
                write_summary(file, group, member, &summary);
        }
    return fclose(file) == 0 ? 0 : -errno;
}
