/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the columns that users of perftest and nccl-tests know. */
#include "perf/perf_row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MIB 1048576.0

/* ---- figures --------------------------------------------------------------------------------- */

static double seconds_of(const struct perf_row *row)
{
    return row->time_ns ? (double)row->time_ns / 1e9 : 1e-9;
}

static double bytes_per_s(const struct perf_row *row)
{
    return (double)row->bytes / seconds_of(row);
}

static uint32_t senders_of(const struct perf_run *run)
{
    uint32_t count = 0;

    for (uint32_t rank = 0; rank < run->rank_count; rank++)
        count += run->test->is_active(run, rank);
    return count;
}

static double messages_of(const struct perf_run *run, const struct perf_row *row)
{
    return (double)row->iterations * run->settings->qp_count * senders_of(run);
}

/* The algorithm bandwidth of nccl-tests: size divided by time. A stream sends its size on every QP.
 */
static double algorithm_bytes_per_s(const struct perf_run *run, const struct perf_row *row)
{
    if (run->test->iterate == perf_stream_iterate)
        return bytes_per_s(row) / senders_of(run);
    return (double)row->size_bytes * (double)row->iterations / seconds_of(row);
}

double perf_row_bus_bytes_per_s(const struct perf_run *run, const struct perf_row *row)
{
    return algorithm_bytes_per_s(run, row) * run->test->bus_permille(run->rank_count) / 1000;
}

bool perf_row_has_fairness(const struct perf_run *run)
{
    return run->test->manner == PERF_GROUP && run->test->iterate == perf_stream_iterate;
}

static double rank_bytes_per_s(const struct perf_row *row, uint32_t rank)
{
    return row->rank_ns[rank] ? (double)row->rank_bytes[rank] / ((double)row->rank_ns[rank] / 1e9)
                              : 0;
}

double perf_row_fairness(const struct perf_run *run, const struct perf_row *row)
{
    double sum = 0;
    double squares = 0;

    for (uint32_t rank = 0; rank < run->rank_count; rank++) {
        double rate = rank_bytes_per_s(row, rank);

        sum += rate;
        squares += rate * rate;
    }
    return squares > 0 ? sum * sum / squares / senders_of(run) : 1;
}

struct latency {
    double min_us;
    double max_us;
    double median_us;
    double average_us;
    double deviation_us;
    double p99_us;
    double p999_us;
};

static int compare_times(const void *left, const void *right)
{
    uint64_t one = *(const uint64_t *)left;
    uint64_t other = *(const uint64_t *)right;

    return (one > other) - (one < other);
}

static double at_permille(const struct perf_row *row, uint64_t permille)
{
    uint64_t index = row->sample_count * permille / 1000;

    return (double)row->samples_ns[index < row->sample_count ? index : row->sample_count - 1] / 1e3;
}

static struct latency latency_of(struct perf_row *row)
{
    struct latency latency;
    double sum = 0;
    double squares = 0;

    qsort(row->samples_ns, row->sample_count, sizeof(*row->samples_ns), compare_times);
    for (uint64_t i = 0; i < row->sample_count; i++)
        sum += (double)row->samples_ns[i] / 1e3;
    latency.average_us = sum / (double)row->sample_count;
    for (uint64_t i = 0; i < row->sample_count; i++) {
        double off = (double)row->samples_ns[i] / 1e3 - latency.average_us;

        squares += off * off;
    }
    latency.deviation_us = sqrt(squares / (double)row->sample_count);
    latency.min_us = at_permille(row, 0);
    latency.max_us = at_permille(row, 1000);
    latency.median_us = at_permille(row, 500);
    latency.p99_us = at_permille(row, 990);
    latency.p999_us = at_permille(row, 999);
    return latency;
}

/* ---- tables ---------------------------------------------------------------------------------- */

void perf_row_print_header(const struct perf_run *run, bool in_gbits)
{
    const char *unit = in_gbits ? "Gb/sec" : "MiB/sec";

    switch (run->test->manner) {
    case PERF_BANDWIDTH:
        printf(" #bytes     #iterations    BW peak[%s]    BW average[%s]    MsgRate[Mpps]%s\n",
            unit, unit, run->settings->checks ? "    #wrong" : "");
        break;
    case PERF_LATENCY:
        printf(" #bytes     #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    "
               "t_avg[usec]    t_stdev[usec]   99%% percentile[usec]   99.9%% percentile[usec]%s\n",
            run->settings->checks ? "    #wrong" : "");
        break;
    case PERF_GROUP:
        printf("# %11s %13s %9s %7s %10s %8s %8s %7s\n# %11s %13s %9s %7s %10s %8s %8s\n", "size",
            "count", "type", "redop", "time", "algbw", "busbw", "#wrong", "(B)", "(elements)", "",
            "", "(us)", "(GB/s)", "(GB/s)");
        break;
    }
}

static void print_wrong(const struct perf_run *run, const struct perf_row *row)
{
    if (run->settings->checks)
        printf("    %6llu", (unsigned long long)row->wrong);
    putchar('\n');
}

static void print_bandwidth(const struct perf_run *run, const struct perf_row *row, bool in_gbits)
{
    double unit = in_gbits ? 1e9 / 8 : MIB;

    printf(" %-10llu %-14.0f %-*.2f %-*.2f %-13.6f", (unsigned long long)row->size_bytes,
        messages_of(run, row), in_gbits ? 18 : 19, (double)row->peak_bps / 8 / unit,
        in_gbits ? 21 : 22, bytes_per_s(row) / unit, messages_of(run, row) / seconds_of(row) / 1e6);
    print_wrong(run, row);
}

static void print_latency(const struct perf_run *run, struct perf_row *row)
{
    struct latency latency = latency_of(row);

    printf(" %-10llu %-14llu %-14.2f %-12.2f %-18.2f %-14.2f %-15.2f %-22.2f %-24.2f",
        (unsigned long long)row->size_bytes, (unsigned long long)row->iterations, latency.min_us,
        latency.max_us, latency.median_us, latency.average_us, latency.deviation_us, latency.p99_us,
        latency.p999_us);
    print_wrong(run, row);
}

static void print_group(const struct perf_run *run, const struct perf_row *row)
{
    char wrong[24] = "N/A";

    if (run->settings->checks)
        snprintf(wrong, sizeof(wrong), "%llu", (unsigned long long)row->wrong);
    printf("  %11llu %13llu %9s %7s %10.2f %8.3f %8.3f %7s\n", (unsigned long long)row->size_bytes,
        (unsigned long long)row->size_bytes / 4,
        run->settings->type == PERF_FLOAT ? "float" : "uint32", run->test->adds ? "sum" : "none",
        (double)row->time_ns / 1e3 / (double)row->iterations, algorithm_bytes_per_s(run, row) / 1e9,
        perf_row_bus_bytes_per_s(run, row) / 1e9, wrong);
}

void perf_row_print(const struct perf_run *run, struct perf_row *row, bool in_gbits)
{
    switch (run->test->manner) {
    case PERF_BANDWIDTH:
        print_bandwidth(run, row, in_gbits);
        break;
    case PERF_LATENCY:
        print_latency(run, row);
        break;
    case PERF_GROUP:
        print_group(run, row);
        break;
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_latency(json_t *object, struct perf_row *row)
{
    struct latency latency = latency_of(row);

    json_object_update_new(
        object, json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "t_min_us", latency.min_us,
                    "t_max_us", latency.max_us, "t_typical_us", latency.median_us, "t_avg_us",
                    latency.average_us, "t_stdev_us", latency.deviation_us, "t_p99_us",
                    latency.p99_us, "t_p99_9_us", latency.p999_us));
}

static void add_fairness(json_t *object, const struct perf_run *run, const struct perf_row *row)
{
    json_t *rates = json_array();

    for (uint32_t rank = 0; rank < run->rank_count; rank++)
        json_array_append_new(rates, json_real(rank_bytes_per_s(row, rank) * 8 / 1e9));
    json_object_set_new(object, "rank_gbps", rates);
    json_object_set_new(object, "fairness", json_real(perf_row_fairness(run, row)));
}

static void add_group(json_t *object, const struct perf_run *run, const struct perf_row *row)
{
    json_object_update_new(
        object, json_pack("{s:s, s:f, s:f, s:f}", "type",
                    run->settings->type == PERF_FLOAT ? "float" : "uint32", "time_us",
                    (double)row->time_ns / 1e3 / (double)row->iterations, "algbw_GBps",
                    algorithm_bytes_per_s(run, row) / 1e9, "busbw_GBps",
                    perf_row_bus_bytes_per_s(run, row) / 1e9));
    if (perf_row_has_fairness(run))
        add_fairness(object, run, row);
}

static void add_bandwidth(json_t *object, const struct perf_run *run, const struct perf_row *row)
{
    json_object_update_new(
        object, json_pack("{s:f, s:f, s:f}", "bw_peak_gbps", (double)row->peak_bps / 1e9,
                    "bw_average_gbps", bytes_per_s(row) * 8 / 1e9, "message_rate_mpps",
                    messages_of(run, row) / seconds_of(row) / 1e6));
}

json_t *perf_row_json(const struct perf_run *run, struct perf_row *row)
{
    json_t *object = json_pack("{s:I, s:I, s:I, s:f}", "size_bytes", (json_int_t)row->size_bytes,
        "iterations", (json_int_t)row->iterations, "bytes", (json_int_t)row->bytes, "seconds",
        seconds_of(row));

    if (run->settings->checks)
        json_object_set_new(object, "wrong", json_integer((json_int_t)row->wrong));
    switch (run->test->manner) {
    case PERF_BANDWIDTH:
        add_bandwidth(object, run, row);
        break;
    case PERF_LATENCY:
        add_latency(object, row);
        break;
    case PERF_GROUP:
        add_group(object, run, row);
        break;
    }
    return object;
}
