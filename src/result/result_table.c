/* SPDX-License-Identifier: Apache-2.0 */
/* Prints runs with their workloads and phases, and the verdicts on criteria. */
#include "result/result_table.h"

#include <stdio.h>
#include <string.h>

#include "result/result_hardware.h"
#include "result/result_jobs.h"
#include "result/result_map.h"
#include "result/result_sets.h"
#include "result/units_text.h"

enum {
    FAULTS_MAX = 8,
    LIMITS_MAX = 3,
};

static double number(const json_t *json, const char *key)
{
    return json_number_value(json_object_get(json, key));
}

static const char *text(const json_t *json, const char *key)
{
    const char *value = json_string_value(json_object_get(json, key));

    return value ? value : "";
}

static json_int_t sum_counts(const json_t *counts)
{
    json_int_t total = 0;
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)counts, key, value) total += json_integer_value(value);
    return total;
}

static void print_head(FILE *to, const json_t *result)
{
    const json_t *experiment = json_object_get(result, "experiment");
    const json_t *fabric = json_object_get(result, "fabric");
    const char *title = text(experiment, "title");

    fprintf(to, "%s%s%s\n", text(experiment, "name"), *title ? ": " : "", title);
    if (json_object_get(fabric, "switches"))
        fprintf(to, "%.0f NICs with %.0f port%s, %.0f switches", number(fabric, "nics"),
            number(fabric, "planes"), number(fabric, "planes") > 1 ? "s" : "",
            number(fabric, "switches"));
    else
        fprintf(to, "%.0f NICs, %.0f plane%s, %.0f T0 and %.0f T1 each", number(fabric, "nics"),
            number(fabric, "planes"), number(fabric, "planes") > 1 ? "s" : "", number(fabric, "t0"),
            number(fabric, "t1"));
    fprintf(to, ", links of %g Gb/s, base RTT %.2f us\n", number(fabric, "host_link_bps") / 1e9,
        number(fabric, "base_rtt_us"));
    result_hardware_print(to, json_object_get(result, "hardware"));
}

static void print_figure(FILE *to, const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);

    if (json_is_number(value))
        fprintf(to, " %9.2f", json_number_value(value));
    else
        fprintf(to, " %9s", "-");
}

static void print_fraction(FILE *to, const json_t *value)
{
    if (json_is_number(value))
        fprintf(to, " %7.2f%%", json_number_value(value) * 100);
    else
        fprintf(to, " %8s", "-");
}

static void print_workloads(FILE *to, const json_t *summary)
{
    const char *name;
    json_t *workload;

    fprintf(to, "  %-20s %9s %8s %8s %7s %6s %9s %9s %9s\n", "workload", "goodput", "of ideal",
        "of cap.", "Jain", "done", "p50 us", "p99 us", "max us");
    json_object_foreach(json_object_get(summary, "workloads"), name, workload)
    {
        const json_t *done = json_object_get(workload, "completion_us");

        struct units_text rate = units_text(UNITS_RATE, number(workload, "goodput_bps"));

        fprintf(to, "  %-20s %9s", name, rate.at);
        print_fraction(to, json_object_get(workload, "goodput_fraction"));
        print_fraction(to, json_object_get(workload, "capacity_fraction"));
        fprintf(to, " %7.4f %6.0f", number(workload, "jain"), number(done, "count"));
        print_figure(to, done, "p50");
        print_figure(to, done, "p99");
        print_figure(to, done, "max");
        fputc('\n', to);
    }
}

static void print_steps(FILE *to, const json_t *summary)
{
    const char *name;
    json_t *workload;

    json_object_foreach(json_object_get(summary, "workloads"), name, workload)
    {
        const json_t *steps = json_object_get(workload, "step_us");
        struct units_text mean = units_text(UNITS_TIME, number(workload, "step_mean_us") * 1e6);
        struct units_text tail = units_text(UNITS_TIME, number(steps, "p99") * 1e6);
        struct units_text longest = units_text(UNITS_TIME, number(steps, "max") * 1e6);

        if (json_is_object(steps))
            fprintf(to,
                "  %s: %.0f steps of %s, p99 %s, at most %s; %.1f %% of it is exposed "
                "communication\n",
                name, number(steps, "count"), mean.at, tail.at, longest.at,
                100 * number(workload, "exposed_fraction"));
    }
}

/* Says how long a run must be, where a job has ended nothing. */
static void print_estimates(FILE *to, const json_t *summary)
{
    const char *name;
    json_t *workload;

    json_object_foreach(json_object_get(summary, "workloads"), name, workload)
    {
        const json_t *estimate = json_object_get(workload, "estimate_us");
        const json_t *at_goodput = json_object_get(estimate, "at_goodput");
        bool is_training = strstr(text(workload, "kind"), "training") != NULL;
        struct units_text ideal = units_text(UNITS_TIME, number(estimate, "ideal") * 1e6);
        struct units_text likely = units_text(UNITS_TIME, json_number_value(at_goodput) * 1e6);

        if (!estimate)
            continue;
        fprintf(to, "  %s: no %s ended; one takes %s at the ideal rate", name,
            is_training ? "step" : text(workload, "kind"), ideal.at);
        if (json_is_number(at_goodput))
            fprintf(to, ", and about %s at this goodput", likely.at);
        fputs("; give a longer duration\n", to);
    }
}

static void print_phases(FILE *to, const json_t *summary)
{
    const char *phase_name;
    json_t *phase;

    json_object_foreach(json_object_get(summary, "phases"), phase_name, phase)
    {
        const char *name;
        json_t *workload;

        fprintf(to, "  %-20s", phase_name);
        json_object_foreach(json_object_get(phase, "workloads"), name, workload)
        {
            fprintf(to, "  %s", name);
            print_fraction(to, json_object_get(workload, "goodput_fraction"));
            print_fraction(to, json_object_get(workload, "capacity_fraction"));
        }
        fputc('\n', to);
    }
}

/* ---- faults and limits ----------------------------------------------------------------------- */

static void print_recovery(FILE *to, const json_t *recovery)
{
    const json_t *recovered = json_object_get(recovery, "recovered_us");

    if (json_is_null(json_object_get(recovery, "depth"))) {
        fprintf(to, "too close to the end of the run to judge, or the capacity is not known\n");
        return;
    }
    fprintf(to, "down to %.1f%% of capacity, ", number(recovery, "depth") * 100);
    if (json_is_number(recovered))
        fprintf(to, "%.3f us below 95%%, recovered after %.3f us\n", number(recovery, "below_us"),
            json_number_value(recovered));
    else
        fprintf(to, "%.3f us below 95%%, not recovered\n", number(recovery, "below_us"));
}

static void print_faults(FILE *to, const json_t *summary)
{
    const json_t *faults = json_object_get(summary, "faults");
    size_t index;
    json_t *fault;

    json_array_foreach(faults, index, fault)
    {
        const json_t *where = json_object_get(fault, "where");
        const json_t *began = json_object_get(fault, "began");
        const json_t *ended = json_object_get(fault, "ended");

        if (index == FAULTS_MAX) {
            fprintf(to, "  and %zu more faults\n", json_array_size(faults) - index);
            break;
        }
        fprintf(to, "  %s %s%s at %.3f us: ", text(fault, "kind"),
            json_string_value(json_array_get(where, 0)),
            json_array_size(where) > 1 ? " and others" : "", number(began, "at_us"));
        print_recovery(to, began);
        if (json_is_object(ended)) {
            fprintf(to, "    over at %.3f us: ", number(ended, "at_us"));
            print_recovery(to, ended);
        }
    }
}

static void print_faults_not_begun(FILE *to, const json_t *summary)
{
    double count = number(summary, "faults_not_begun");

    if (count > 0)
        fprintf(to, "  %.0f fault%s would have begun after the end of the run\n", count,
            count > 1 ? "s" : "");
}

static void print_limits(FILE *to, const json_t *summary)
{
    const json_t *capacity = json_object_get(summary, "capacity");
    const json_t *limits = json_object_get(capacity, "limits");

    if (strcmp(text(capacity, "method"), "none") == 0)
        fprintf(to, "  capacity unknown: %s\n", text(capacity, "reason"));
    if (number(capacity, "error") > 0)
        fprintf(to, "  capacity is an upper bound, at most %.1f%% too high\n",
            number(capacity, "error") * 100);
    for (size_t i = 0; i < json_array_size(limits) && i < LIMITS_MAX; i++)
        fprintf(to, "  %s%s\n",
            i ? "            " : "limited by: ", json_string_value(json_array_get(limits, i)));
}

static void print_criteria(FILE *to, const json_t *run)
{
    size_t index;
    json_t *criterion;

    json_array_foreach(json_object_get(run, "criteria"), index, criterion)
    {
        const json_t *value = json_object_get(criterion, "value");
        const char *paper = text(criterion, "paper");

        fprintf(to, "  %s  %s", json_is_true(json_object_get(criterion, "pass")) ? "pass" : "FAIL",
            text(criterion, "text"));
        if (json_is_number(value))
            fprintf(to, "  (%.6g)", json_number_value(value));
        else
            fprintf(to, "  (%s)", text(criterion, "problem"));
        if (*paper)
            fprintf(to, "  paper: %s", paper);
        fputc('\n', to);
    }
}

/* A run that lasts as long as its experiment says has not failed. */
static const char *end_of(const json_t *run)
{
    const char *status = text(run, "status");

    return strcmp(status, "out_of_time") == 0 ? "ended as planned" : status;
}

static void print_deadlock(FILE *to, const json_t *deadlock)
{
    const json_t *links = json_object_get(deadlock, "links");
    const json_t *link;
    size_t i;

    if (!deadlock)
        return;
    fprintf(to,
        "  DEADLOCK seen at %.3f us: %.0f links wait for each other: ", number(deadlock, "seen_us"),
        number(deadlock, "link_count"));
    json_array_foreach(links, i, link)
        fprintf(to, "%s%s", i > 0 ? ", " : "", json_string_value(link));
    fprintf(to, "%s\n", number(deadlock, "link_count") > (double)i ? ", ..." : "");
}

/* The result depends on the settings, so they are always printed. */
static void print_roce(FILE *to, const json_t *roce)
{
    const json_t *settings = json_object_get(roce, "settings");
    const json_t *counters = json_object_get(roce, "counters");
    bool has_dcqcn = json_object_get(settings, "dcqcn");

    if (!roce)
        return;
    fprintf(to, "  RoCEv2: %.0f QP%s%s, %s, %s%s%s%s%s, PFC %s; %.0f CNPs, %.0f NAKs",
        number(settings, "qps"), number(settings, "qps") > 1 ? "s" : "",
        json_is_true(json_object_get(settings, "split")) ? " that share messages" : "",
        text(settings, "recovery"), text(settings, "cc"), has_dcqcn ? " " : "",
        text(settings, "dcqcn"), has_dcqcn ? ", marking " : "", text(settings, "marking"),
        json_is_true(json_object_get(settings, "pfc")) ? "on" : "off", number(counters, "cnp_sent"),
        number(counters, "nak_sent"));
    if (json_object_get(roce, "pauses"))
        fprintf(to, ", %.0f pauses", number(roce, "pauses"));
    if (number(roce, "storms") > 0)
        fprintf(to, ", %.0f storms with %.0f packets dropped", number(roce, "storms"),
            number(roce, "watchdog_dropped"));
    fputc('\n', to);
    print_deadlock(to, json_object_get(roce, "deadlock"));
}

static void print_uet(FILE *to, const json_t *uet)
{
    const json_t *settings = json_object_get(uet, "settings");
    const json_t *counters = json_object_get(uet, "counters");

    if (!uet)
        return;
    fprintf(to, "  UET: %s, %.0f entropy values, %s; %.0f NACKs, %.0f credits, %.0f probes\n",
        text(settings, "cc"), number(settings, "paths"), text(settings, "spray"),
        number(counters, "nack_sent"), number(counters, "credit_sent"),
        number(counters, "probe_sent"));
}

static void print_infiniband(FILE *to, const json_t *infiniband)
{
    const json_t *settings = json_object_get(infiniband, "settings");

    if (!infiniband)
        return;
    fprintf(to,
        "  InfiniBand: %s routing, recovery by %s, %.0f lane%s of %.0f bytes, link retry %s; "
        "%.0f link repeats, %.0f waits for credit, buffers up to %.0f bytes\n",
        text(settings, "routing"), text(settings, "recovery"), number(settings, "lanes"),
        number(settings, "lanes") > 1 ? "s" : "", number(infiniband, "lane_bytes"),
        json_is_true(json_object_get(settings, "link_retry")) ? "on" : "off",
        number(infiniband, "link_repeats"), number(infiniband, "waits"),
        number(infiniband, "buffer_peak_bytes"));
}

/* `planes`: the word for what is balanced. */
static void print_run(FILE *to, const json_t *run, const char *planes)
{
    const json_t *summary = json_object_get(run, "summary");
    const json_t *perf = json_object_get(run, "perf");

    fprintf(to, "\n%s%sseed %.0f, %s after %.3f us, %.0f packet-hops in %.2f s (%.1f M/s)\n",
        text(run, "label"), *text(run, "label") ? ": " : "", number(run, "seed"), end_of(run),
        number(run, "simulated_us"), number(perf, "packet_hops"), number(perf, "wall_s"),
        number(perf, "packet_hops_per_s") / 1e6);
    if (json_object_get(run, "violation"))
        fprintf(to, "  VIOLATED: %s\n", text(run, "violation"));
    print_workloads(to, summary);
    print_steps(to, summary);
    result_jobs_print(to, json_object_get(summary, "jobs"));
    print_estimates(to, summary);
    print_phases(to, summary);
    print_faults(to, summary);
    print_faults_not_begun(to, summary);
    print_limits(to, summary);
    print_roce(to, json_object_get(summary, "roce"));
    print_uet(to, json_object_get(summary, "uet"));
    print_infiniband(to, json_object_get(summary, "infiniband"));
    if (json_object_get(summary, "map"))
        result_map_print(to, json_object_get(summary, "map"));
    fprintf(to, "  %lld lost, ", (long long)sum_counts(json_object_get(summary, "lost")));
    if (json_object_get(summary, "trimmed"))
        fprintf(to, "%lld trimmed, ", (long long)number(summary, "trimmed"));
    fprintf(to, "%lld marked, %lld retransmitted, %lld timeouts, %s within %.2f%%\n",
        (long long)number(summary, "marked"),
        (long long)sum_counts(json_object_get(summary, "retransmitted")),
        (long long)number(summary, "timeouts"), planes, number(summary, "plane_imbalance") * 100);
    print_criteria(to, run);
}

void result_table_print(FILE *to, const json_t *result, bool are_all)
{
    bool is_graph = json_object_get(json_object_get(result, "fabric"), "switches");
    const json_t *runs = json_object_get(result, "runs");
    size_t index;
    json_t *run;

    print_head(to, result);
    if (are_all || json_array_size(runs) == 1)
        json_array_foreach(runs, index, run) print_run(to, run, is_graph ? "ports" : "planes");
    if (json_array_size(runs) > 1)
        result_sets_print(to, result);
}
