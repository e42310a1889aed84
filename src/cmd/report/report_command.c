/* SPDX-License-Identifier: Apache-2.0 */
/* mrc report: makes an HTML page from results of mrc sim. */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/options.h"
#include "control/control.h"
#include "files/files.h"
#include "result/result.h"
#include "web/web.h"

static const char name[] = "report";

struct report_options {
    const char *output;
    bool as_dashboard;
};

/* What the page is made of. */
struct page_content {
    json_t *results;
    bool as_dashboard;
};

static const struct option_row rows[] = {
    { OPTION_TEXT, 'o', "output", "FILE",
        "write the page to FILE; - is standard output [report.html]",
        OPTION_AT(struct report_options, output) },
    { OPTION_FLAG, 0, "dashboard", NULL,
        "make a page that plays back one result, or two side by side",
        OPTION_AT(struct report_options, as_dashboard) },
};

static const struct option_table table = {
    .command = "report",
    .intro = "usage: mrc report [-o FILE] [--dashboard] RESULT...\n"
             "\n"
             "Makes one HTML page from results of mrc sim: settings and outcome of the runs, "
             "throughput\n"
             "over time with the faults, completion times, planes, EVs, queues, losses, and a "
             "table that compares\n"
             "runs. The page needs no network and no other file. RESULT - is standard input.",
    .closing = "Exit status: 0; 1 if the page could not be written; 2 if the command line or a "
               "RESULT is wrong\n"
               "(nothing is written).\n"
               "\n"
               "  mrc report result.json\n"
               "  mrc report -o compare.html with.json without.json\n"
               "  mrc report --dashboard -o playback.html with.json without.json",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static enum cmd_status load_result(const char *path, json_t *results)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *shown = is_stdin ? "standard input" : path;
    FILE *from = is_stdin ? stdin : fopen(path, "r");
    struct result_problem problem;
    json_error_t error;
    json_t *document;
    int err;

    if (!from)
        return cmd_complain(CMD_MISUSED, name, "%s: %s", shown, strerror(errno));
    document = json_loadf(from, 0, &error);
    err = ferror(from) ? errno : 0;
    if (!is_stdin)
        (void)fclose(from);
    if (err)
        return cmd_complain(CMD_MISUSED, name, "%s: %s", shown, strerror(err));
    if (!document)
        return cmd_complain(CMD_MISUSED, name,
            "%s:%d:%d: not JSON: %s; 'mrc sim -o FILE' writes results", shown, error.line,
            error.column, error.text);
    json_array_append_new(results, document);
    if (!result_check(document, &problem))
        return cmd_complain(CMD_MISUSED, name, "%s: %s", shown, problem.text);
    return CMD_DONE;
}

static int write_report(FILE *to, void *context)
{
    const struct page_content *content = context;
    json_t *metrics = metric_json();
    int error = (content->as_dashboard ? web_dashboard_write : web_report_write)(
                    to, content->results, metrics) != 0
                    ? -errno
                    : 0;

    json_decref(metrics);
    return error;
}

static enum cmd_status write_page(const char *path, struct page_content *content)
{
    enum cmd_status status = CMD_DONE;
    int error;

    if (strcmp(path, "-") == 0) {
        write_report(stdout, content);
        cmd_output_is_lost(&status, name);
        return status;
    }
    error = whole_file_write(path, write_report, content);
    if (error != 0)
        return cmd_complain(CMD_FAILED, name, "%s: %s", path, strerror(-error));
    return CMD_DONE;
}

static enum cmd_status make_page(const struct report_options *options, char **paths)
{
    json_t *results = json_array();
    struct page_content content = { results, options->as_dashboard };
    enum cmd_status status = CMD_DONE;

    for (; *paths && status == CMD_DONE; paths++)
        status = load_result(*paths, results);
    if (status == CMD_DONE)
        status = write_page(options->output, &content);
    json_decref(results);
    return status;
}

static enum cmd_status run_report(int argument_count, char **arguments)
{
    struct report_options options = { .output = "report.html" };
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (optind == argument_count)
        return cmd_complain(
            CMD_MISUSED, name, "name a RESULT; 'mrc sim -o result.json EXPERIMENT.yaml' makes one");
    return make_page(&options, arguments + optind);
}

const struct cmd report_command = {
    .name = "report",
    .summary = "make an HTML page from results of simulations",
    .run = run_report,
    .options = &table,
};
