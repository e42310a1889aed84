/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the tables, the progress and the JSON document of mrc perf. */
#include "perf/perf_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf/perf_row.h"

#define PROGRESS_NS UINT64_C(200000000)
#define QUIET_NS    UINT64_C(1000000000)

static bool prints_table(const struct perf_report *report)
{
    return report->is_on && !report->wish->is_json && !report->wish->is_quiet;
}

static void print_title(const struct perf_report *report)
{
    const struct perf_run *run = report->run;
    const struct perf_settings *settings = run->settings;

    printf("# mrc perf %s: %u ranks, %u QP%s, depth %u", run->test->name, run->rank_count,
        settings->qp_count, settings->qp_count > 1 ? "s each" : "", settings->depth);
    printf("%s%s%s\n", settings->both_ways ? ", both ways" : "",
        settings->random_sizes ? ", random sizes" : "", settings->checks ? ", checked" : "");
    for (uint32_t rank = 0; rank < run->rank_count; rank++)
        printf("#   rank %u: %s\n", rank, run->end->peers[rank].device);
}

void perf_report_begin(
    struct perf_report *report, const struct perf_wish *wish, const struct perf_run *run)
{
    *report = (struct perf_report){ .wish = wish,
        .run = run,
        .is_on = run->rank == 0,
        .fairness_min = 1,
        .rows = json_array(),
        .intervals = json_array() };
    if (!prints_table(report))
        return;
    print_title(report);
    perf_row_print_header(run, wish->reports_gbits);
    fflush(stdout);
}

/* ---- while it runs --------------------------------------------------------------------------- */

static void clear_progress(struct perf_report *report)
{
    if (report->is_progress_shown)
        fputs("\r\033[K", stderr);
    report->is_progress_shown = false;
}

void perf_report_row_begins(struct perf_report *report)
{
    uint64_t now_ns = perf_end_now_ns();

    report->row_began_ns = now_ns;
    report->interval_began_ns = now_ns;
    report->interval_bytes = 0;
    json_array_clear(report->intervals);
}

static void end_interval(struct perf_report *report, uint64_t now_ns)
{
    double took_s = (double)(now_ns - report->interval_began_ns) / 1e9;
    double at_s = (double)(now_ns - report->row_began_ns) / 1e9;
    double gbps = (double)report->interval_bytes * 8 / took_s / 1e9;

    json_array_append_new(report->intervals,
        json_pack("{s:f, s:f, s:f}", "end_s", at_s, "seconds", took_s, "gbps", gbps));
    if (prints_table(report)) {
        clear_progress(report);
        printf("# %7.2f s  %9.3f Gb/s  %llu bytes\n", at_s, gbps,
            (unsigned long long)report->interval_bytes);
        fflush(stdout);
    }
    report->interval_began_ns = now_ns;
    report->interval_bytes = 0;
}

static void show_progress(struct perf_report *report, uint64_t now_ns, uint64_t done_permille)
{
    if (!isatty(STDERR_FILENO) || report->wish->is_quiet ||
        now_ns - report->row_began_ns < QUIET_NS || now_ns - report->progress_ns < PROGRESS_NS)
        return;
    fprintf(stderr, "\r\033[K%llu bytes: %llu %% done, %.3f Gb/s",
        (unsigned long long)report->run->size_bytes, (unsigned long long)done_permille / 10,
        (double)report->interval_bytes * 8 / (double)(now_ns - report->interval_began_ns));
    fflush(stderr);
    report->progress_ns = now_ns;
    report->is_progress_shown = true;
}

void perf_report_batch(struct perf_report *report, uint64_t bytes, uint64_t done_permille)
{
    uint64_t now_ns = perf_end_now_ns();
    uint64_t interval_ns = report->wish->interval_ms * UINT64_C(1000000);

    if (!report->is_on)
        return;
    report->interval_bytes += bytes;
    if (interval_ns > 0 && now_ns - report->interval_began_ns >= interval_ns)
        end_interval(report, now_ns);
    show_progress(report, now_ns, done_permille);
}

/* ---- results --------------------------------------------------------------------------------- */

void perf_report_row(struct perf_report *report, struct perf_row *row)
{
    json_t *object;

    report->wrong += row->wrong;
    if (!report->is_on || row->iterations == 0)
        return;
    report->bus_sum += perf_row_bus_bytes_per_s(report->run, row) / 1e9;
    report->row_count++;
    if (perf_row_fairness(report->run, row) < report->fairness_min)
        report->fairness_min = perf_row_fairness(report->run, row);
    object = perf_row_json(report->run, row);
    if (json_array_size(report->intervals) > 0)
        json_object_set_new(object, "intervals", json_copy(report->intervals));
    json_array_append_new(report->rows, object);
    if (!prints_table(report))
        return;
    clear_progress(report);
    perf_row_print(report->run, row, report->wish->reports_gbits);
    fflush(stdout);
}

void perf_report_counters(struct perf_report *report)
{
    struct perf_end *end = report->run->end;

    if (end->settings->counters[0])
        report->has_counters = perf_counters_gather(end, report->counters) == 0;
}

static double bus_average(const struct perf_report *report)
{
    return report->row_count ? report->bus_sum / report->row_count : 0;
}

static void print_end(const struct perf_report *report, bool was_interrupted)
{
    const struct perf_run *run = report->run;

    if (run->settings->checks)
        printf("# Out of bounds values : %llu %s\n", (unsigned long long)report->wrong,
            report->wrong ? "FAILED" : "OK");
    if (run->test->manner == PERF_BANDWIDTH)
        printf("# Longest pause        : %.1f ms without a completion\n",
            (double)run->end->pause_max_ns / 1e6);
    if (run->test->manner == PERF_GROUP)
        printf("# Avg bus bandwidth    : %.4f GB/s\n", bus_average(report));
    if (perf_row_has_fairness(run))
        printf("# Fairness             : %.4f (Jain's index)\n", report->fairness_min);
    if (report->has_counters)
        perf_counters_print(run->end, report->counters);
    if (was_interrupted)
        puts("# interrupted");
}

static json_t *document(const struct perf_report *report, const char *problem, bool was_interrupted)
{
    const struct perf_run *run = report->run;
    const struct perf_settings *settings = run->settings;
    json_t *devices = json_array();
    json_t *top = json_pack("{s:i, s:s, s:i, s:i, s:i, s:b, s:b, s:o, s:O}", "openmrc_perf", 1,
        "test", run->test->name, "ranks", (int)run->rank_count, "qps", (int)settings->qp_count,
        "tx_depth", (int)settings->depth, "bidirectional", settings->both_ways, "checked",
        settings->checks, "devices", devices, "rows", report->rows);

    for (uint32_t rank = 0; rank < run->rank_count; rank++)
        json_array_append_new(devices, json_string(run->end->peers[rank].device));
    if (run->test->manner == PERF_BANDWIDTH)
        json_object_set_new(
            top, "longest_pause_ms", json_real((double)run->end->pause_max_ns / 1e6));
    if (run->test->manner == PERF_GROUP)
        json_object_set_new(top, "avg_bus_bandwidth_GBps", json_real(bus_average(report)));
    if (report->has_counters)
        json_object_set_new(top, "counters", perf_counters_json(run->end, report->counters));
    if (settings->checks)
        json_object_set_new(top, "wrong", json_integer((json_int_t)report->wrong));
    json_object_set_new(top, "status",
        json_string(problem           ? "failed"
                    : was_interrupted ? "interrupted"
                                      : "finished"));
    if (problem)
        json_object_set_new(top, "problem", json_string(problem));
    return top;
}

static int write_json(const struct perf_report *report, const json_t *top)
{
    enum { FORM = JSON_INDENT(2) | JSON_REAL_PRECISION(9) };

    if (report->wish->json_path && json_dump_file(top, report->wish->json_path, FORM) != 0)
        return perf_meet_fail_here(
            report->run->end->meet, "%s: %s", report->wish->json_path, strerror(errno));
    if (report->wish->is_json) {
        json_dumpf(top, stdout, FORM);
        putchar('\n');
    }
    return 0;
}

int perf_report_end(struct perf_report *report, const char *problem, bool was_interrupted)
{
    int err = 0;

    if (report->is_on) {
        json_t *top = document(report, problem, was_interrupted);

        clear_progress(report);
        if (prints_table(report))
            print_end(report, was_interrupted);
        err = write_json(report, top);
        json_decref(top);
    }
    json_decref(report->rows);
    json_decref(report->intervals);
    return problem || was_interrupted || report->wrong > 0 ? -1 : err;
}
