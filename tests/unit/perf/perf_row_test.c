/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a row of mrc perf: latencies, bandwidth, bus bandwidth, fairness. */
#include "perf/perf_row.h"

#include "spec.h"

static const struct perf_settings settings = { .qp_count = 1, .depth = 128 };

static struct perf_run run_of(const char *test, uint32_t rank_count)
{
    return (struct perf_run){
        .settings = &settings, .test = perf_test_find(test), .rank_count = rank_count
    };
}

static double figure(const struct perf_run *run, struct perf_row *row, const char *key)
{
    json_t *json = perf_row_json(run, row);
    double value = json_number_value(json_object_get(json, key));

    json_decref(json);
    return value;
}

static int thousandths(double value)
{
    return (int)(value * 1000 + 0.5);
}

SPEC("percentiles are those of the sorted samples")
{
    struct perf_run run = run_of("lat", 2);
    uint64_t samples[1000];
    struct perf_row row = { .size_bytes = 8,
        .iterations = 1000,
        .time_ns = 1,
        .samples_ns = samples,
        .sample_count = 1000 };

    for (uint64_t i = 0; i < 1000; i++)
        samples[i] = 1000 * (1000 - i); /* 1 to 1000 us, the longest first */
    EXPECT_EQ(thousandths(figure(&run, &row, "t_min_us")), 1000);
    EXPECT_EQ(thousandths(figure(&run, &row, "t_typical_us")), 501000);
    EXPECT_EQ(thousandths(figure(&run, &row, "t_p99_us")), 991000);
    EXPECT_EQ(thousandths(figure(&run, &row, "t_p99_9_us")), 1000000);
    EXPECT_EQ(thousandths(figure(&run, &row, "t_max_us")), 1000000);
    EXPECT_EQ(thousandths(figure(&run, &row, "t_avg_us")), 500500);
}

SPEC("the percentiles of a single sample are that sample")
{
    struct perf_run run = run_of("lat", 2);
    uint64_t sample = 7000;
    struct perf_row row = { .iterations = 1, .samples_ns = &sample, .sample_count = 1 };

    EXPECT_EQ(thousandths(figure(&run, &row, "t_min_us")), 7000);
    EXPECT_EQ(thousandths(figure(&run, &row, "t_p99_9_us")), 7000);
    EXPECT_EQ(thousandths(figure(&run, &row, "t_stdev_us")), 0);
}

SPEC("bus bandwidth counts what each collective sends over the busiest link")
{
    struct perf_row row = { .size_bytes = 1000, .iterations = 10, .time_ns = 1000000000 };
    struct perf_run reduce = run_of("allreduce", 4);
    struct perf_run gather = run_of("allgather", 4);
    struct perf_run neighbour = run_of("sendrecv", 4);

    EXPECT_EQ((int)perf_row_bus_bytes_per_s(&reduce, &row), 15000);
    EXPECT_EQ((int)perf_row_bus_bytes_per_s(&gather, &row), 7500);
    EXPECT_EQ((int)perf_row_bus_bytes_per_s(&neighbour, &row), 10000);
}

SPEC("senders of an incast that share equally have a Jain index of 1")
{
    struct perf_run run = run_of("incast", 5);
    struct perf_row row = { .time_ns = 1000 };

    for (uint32_t rank = 1; rank < 5; rank++) {
        row.rank_bytes[rank] = 500;
        row.rank_ns[rank] = 1000;
    }
    EXPECT_EQ(thousandths(perf_row_fairness(&run, &row)), 1000);
}

SPEC("one sender of four that has everything has a Jain index of a quarter")
{
    struct perf_run run = run_of("incast", 5);
    struct perf_row row = { .time_ns = 1000 };

    row.rank_bytes[2] = 500;
    row.rank_ns[2] = 1000;
    EXPECT_EQ(thousandths(perf_row_fairness(&run, &row)), 250);
}

SPEC("a row in which nothing was sent has a Jain index of 1")
{
    struct perf_run run = run_of("incast", 5);
    struct perf_row row = { 0 };

    EXPECT_EQ(thousandths(perf_row_fairness(&run, &row)), 1000);
}

SPEC("a test is found by its whole name only")
{
    EXPECT(perf_test_find("write"));
    EXPECT(!perf_test_find("writ"));
}
