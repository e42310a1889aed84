/* SPDX-License-Identifier: Apache-2.0 */
/* Results: figures as JSON, criteria, the table, and what a report accepts. */
#include "result/result.h"

#include <stdlib.h>
#include <string.h>

#include "spec.h"

#define US(count) ((count)*UINT64_C(1000000))

/* ---- figures --------------------------------------------------------------------------------- */

static int thousandths(const json_t *json, const char *key)
{
    return (int)(json_number_value(json_object_get(json, key)) * 1000 + 0.5);
}

SPEC("a distribution is in microseconds, with the percentiles of the record")
{
    struct measure_numbers durations = { 0 };
    json_t *json;

    for (uint64_t i = 1; i <= 1000; i++)
        measure_push(&grow_memory, &durations, US(i));
    json = result_distribution(&durations);
    EXPECT_EQ(json_integer_value(json_object_get(json, "count")), 1000);
    EXPECT_EQ(thousandths(json, "p50"), 500000);
    EXPECT_EQ(thousandths(json, "p99"), 990000);
    EXPECT_EQ(thousandths(json, "p999"), 999000);
    json_decref(json);
    measure_free(&grow_memory, &durations);
}

SPEC("an empty distribution has null figures, not zeros")
{
    struct measure_numbers durations = { 0 };
    json_t *json = result_distribution(&durations);

    EXPECT_EQ(json_integer_value(json_object_get(json, "count")), 0);
    EXPECT(json_is_null(json_object_get(json, "p99")));
    json_decref(json);
}

SPEC("fairness is relative to equal shares of the ideal rate")
{
    struct measure_fairness fairness;
    json_t *json = json_object();

    measure_fairness_init(&fairness);
    measure_fairness_add(&fairness, UINT64_C(50000000000));
    measure_fairness_add(&fairness, UINT64_C(150000000000));
    result_summary_set_fairness(json, &fairness, UINT64_C(200000000000));
    EXPECT_EQ(thousandths(json, "jain"), 800);
    EXPECT_EQ(thousandths(json, "flow_fraction_min"), 500);
    EXPECT_EQ(thousandths(json, "flow_fraction_max"), 1500);
    json_decref(json);
}

SPEC("flows that never existed have no fairness")
{
    struct measure_fairness fairness;
    json_t *json = json_object();

    measure_fairness_init(&fairness);
    result_summary_set_fairness(json, &fairness, UINT64_C(200000000000));
    EXPECT(json_is_null(json_object_get(json, "jain")));
    json_decref(json);
}

SPEC("a share of no capacity is null")
{
    json_t *none = result_summary_share(&(struct measure_share){ .bits = 5 });
    json_t *half = result_summary_share(&(struct measure_share){ .bits = 5, .capacity_bits = 10 });

    EXPECT(json_is_null(none));
    EXPECT_EQ((int)(json_number_value(half) * 1000), 500);
    json_decref(none);
    json_decref(half);
}

/* ---- criteria -------------------------------------------------------------------------------- */

static json_t *two_runs(void)
{
    return json_loads(
        "[{\"label\":\"a\",\"simulated_us\":10,\"summary\":{\"goodput_fraction\":0.97,"
        "\"phases\":{\"end\":{\"lost\":3,\"workloads\":{\"w\":{\"jain\":0.9}}}}}},"
        "{\"label\":\"b seed 2\",\"simulated_us\":20,\"summary\":{\"goodput_fraction\":0.5}}]",
        0, NULL);
}

static json_t *verdict(const json_t *runs, size_t run, size_t index)
{
    return json_array_get(json_object_get(json_array_get(runs, run), "criteria"), index);
}

/* Of one criterion, in the given run: 1 pass, 0 fail, -1 not judged there. */
static int judged(struct experiment_criterion criterion, size_t run)
{
    struct experiment experiment = { .criteria = &criterion, .criterion_count = 1 };
    json_t *runs = two_runs();
    const json_t *its;
    int result = -1;

    result_criteria_judge(&experiment, runs);
    its = verdict(runs, run, 0);
    if (its)
        result = json_is_true(json_object_get(its, "pass"));
    json_decref(runs);
    return result;
}

SPEC("a criterion is judged in every run, each with its own figures")
{
    struct experiment_criterion criterion = { .text = "goodput_fraction >= 0.95" };

    EXPECT_EQ(judged(criterion, 0), 1);
    EXPECT_EQ(judged(criterion, 1), 0);
}

SPEC("a criterion of one set is judged only in its runs, with any seed")
{
    struct experiment_criterion criterion = { .text = "goodput_fraction >= 0.95", .run = "b" };

    EXPECT_EQ(judged(criterion, 0), -1);
    EXPECT_EQ(judged(criterion, 1), 0);
}

SPEC("a criterion that compares runs is judged once, in the last")
{
    struct experiment_criterion criterion = { .text = "runs.a.goodput_fraction > "
                                                      "runs.b.goodput_fraction" };

    EXPECT_EQ(judged(criterion, 0), -1);
    EXPECT_EQ(judged(criterion, 1), 1);
}

SPEC("a phase has its own figures and those of its workloads")
{
    EXPECT_EQ(judged((struct experiment_criterion){ .text = "phases.end.lost == 3" }, 0), 1);
    EXPECT_EQ(judged((struct experiment_criterion){ .text = "phases.end.w.jain > 0.95" }, 0), 0);
}

SPEC("a criterion about an unknown figure fails and names the figure")
{
    struct experiment_criterion criterion = { .text = "goodput_fracton >= 0.95" };
    struct experiment experiment = { .criteria = &criterion, .criterion_count = 1 };
    json_t *runs = two_runs();

    EXPECT(!result_criteria_judge(&experiment, runs));
    EXPECT(strstr(
        json_string_value(json_object_get(verdict(runs, 0, 0), "problem")), "goodput_fracton"));
    EXPECT(json_is_null(json_object_get(verdict(runs, 0, 0), "value")));
    json_decref(runs);
}

/* ---- the table ------------------------------------------------------------------------------- */

SPEC("the table has a line for each workload and each criterion")
{
    json_t *result = json_loads(
        "{\"experiment\":{\"name\":\"x\",\"title\":\"two\"},\"fabric\":{\"nics\":4,\"planes\":1,"
        "\"t0\":2,\"t1\":2,\"host_link_bps\":100000000000,\"base_rtt_us\":2.5},\"runs\":[{"
        "\"label\":\"\",\"seed\":1,\"status\":\"out_of_time\",\"simulated_us\":300,\"perf\":{},"
        "\"criteria\":[{\"text\":\"jain > 2\",\"pass\":false,\"value\":0.5}],"
        "\"summary\":{\"workloads\":{\"w\":{\"goodput_bps\":97000000000,"
        "\"goodput_fraction\":0.97,\"jain\":1,\"completion_us\":{\"count\":0,\"p50\":null}}}}}]}",
        0, NULL);
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);

    result_table_print(to, result, false);
    fclose(to);
    EXPECT(strstr(text, "x: two\n4 NICs, 1 plane, 2 T0 and 2 T1 each, links of 100 Gb/s"));
    EXPECT(strstr(text, "seed 1, ended as planned after 300.000 us"));
    EXPECT(strstr(
        text, "  w                    97.0 Gb/s   97.00%        -  1.0000      0         -"));
    EXPECT(strstr(text, "  FAIL  jain > 2  (0.5)\n"));
    free(text);
    json_decref(result);
}

SPEC("a document that is not a result is refused with the wrong member")
{
    json_t *document = json_loads("{\"openmrc_result\":1,\"runs\":5}", 0, NULL);
    struct result_problem problem = { "" };

    EXPECT(!result_check(document, &problem));
    EXPECT(problem.text[0]);
    json_decref(document);
}
