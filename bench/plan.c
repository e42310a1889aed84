/* SPDX-License-Identifier: Apache-2.0 */
/* The time of an answer of mrc plan for 131,072 GPUs, and of the configurations of its switches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/resource.h>

#include "config/config.h"
#include "study/study.h"

enum { TAKES = 5, GPUS = 131072 }; /* the fastest take counts */

struct answer {
    struct size_request request;
    struct size_site site;
    struct prices prices;
    struct yaml yaml;
    struct job *job;
    struct size_fabric fabric;
    struct size_bill bill;
    struct size_report *report;
    struct size_failures *failures;
    struct size_candidate *candidates;
};

static double cpu_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); /* the machine may be busy */
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void print_metric(const char *metric, double value, const char *unit)
{
    printf("{\"bench\": \"plan\", \"metric\": \"%s\", \"value\": %.3f, \"unit\": \"%s\"}\n", metric,
        value, unit);
}

static void set_up(struct answer *answer)
{
    json_t *json = json_loads(job_file_default, 0, NULL);
    char reason[JOB_FILE_REASON_BYTES];

    size_request_init(&answer->request);
    answer->request.gpus = GPUS;
    size_site_init(&answer->site);
    yaml_init(&answer->yaml);
    answer->job = grow_take(1, sizeof(*answer->job));
    answer->report = grow_take(1, sizeof(*answer->report));
    answer->failures = grow_take(1, sizeof(*answer->failures));
    answer->candidates = grow_take(SIZE_CANDIDATES_MAX, sizeof(*answer->candidates));
    if (!price_file_read(&answer->yaml, NULL, &answer->prices) ||
        !job_file_read(json, answer->job, reason))
        exit(1);
    json_decref(json);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void size_all(struct answer *answer)
{
    char reason[SIZE_REASON_BYTES];

    if (!size_solve(&answer->request, &answer->fabric, reason))
        exit(1);
    size_bill_make(&answer->fabric, &answer->site, &answer->prices, &answer->bill);
    answer->report->count = 0;
    size_report_fabric(answer->report, &answer->fabric, &answer->site, &answer->bill, 10000);
}

static void find_failures(struct answer *answer)
{
    if (!size_failures_find(&answer->fabric, answer->job, answer->failures))
        exit(1);
}

static void compare_all(struct answer *answer)
{
    struct size_judge judge = { &answer->site, &answer->prices, answer->job };

    size_candidates_compare(&answer->request, &judge, answer->candidates);
}

static void search_all(struct answer *answer)
{
    struct size_judge judge = { &answer->site, &answer->prices, answer->job };
    struct size_freedom freedom = { true, true, true, 4 * SIZE_EVEN };

    size_candidates_search(&answer->request, &freedom, SIZE_CHEAPEST, &judge, answer->candidates);
}

static void measure(struct answer *answer, const char *metric, void (*make)(struct answer *))
{
    double best_ms = 1e12;

    for (int take = 0; take < TAKES; take++) {
        double began_ms = cpu_ms();
        double took_ms;

        make(answer);
        took_ms = cpu_ms() - began_ms;
        best_ms = took_ms < best_ms ? took_ms : best_ms;
    }
    print_metric(metric, best_ms, "ms");
}

/* ---- configurations -------------------------------------------------------------------------- */

static const char fabric_text[] = "planes: 8\nt0s: 512\nt1s: 256\nhosts_per_t0: 256\n";

/* Writes the files of every switch to a sink, one after another, as mrc plan config does. */
static void write_switches(const struct config_format *format, const struct config_source *source)
{
    FILE *sink = fopen("/dev/null", "w");
    double began_ms = cpu_ms();
    char metric[64];

    if (!sink)
        exit(1);
    for (uint32_t node = 0; node < config_format_count(format, source->plan); node++)
        for (const struct config_file *file = format->files; file->name; file++)
            file->write(source, node, sink);
    (void)fclose(sink);
    snprintf(metric, sizeof(metric), "configurations of 6,144 switches, %s", format->word);
    print_metric(metric, (cpu_ms() - began_ms) / 1e3, "s");
}

static void measure_configurations(void)
{
    struct config_source source;
    const struct yaml_node *top;
    struct rusage usage;
    struct yaml yaml;
    struct plan plan;

    yaml_init(&yaml);
    top = yaml_parse(&yaml, "fabric", fabric_text, strlen(fabric_text), false);
    if (!top || !fabric_file_read(&yaml, top, &plan) ||
        !config_source_init(&source, &plan, fabric_text))
        exit(1);
    write_switches(config_format_find("linux"), &source);
    write_switches(config_format_find("mrc-switch"), &source);
    getrusage(RUSAGE_SELF, &usage);
    print_metric("most memory of this process", (double)usage.ru_maxrss / 1024, "MiB");
    config_source_fini(&source);
    yaml_fini(&yaml);
}

int main(void)
{
    static struct answer answer;

    set_up(&answer);
    measure(&answer, "size of 131,072 GPUs, with bill and figures", size_all);
    measure(&answer, "failures", find_failures);
    measure(&answer, "comparison with ten other fabrics", compare_all);
    measure(&answer, "search for the cheapest", search_all);
    measure_configurations();
    free(answer.job);
    free(answer.report);
    free(answer.failures);
    free(answer.candidates);
    yaml_fini(&answer.yaml);
    return 0;
}
