/* SPDX-License-Identifier: Apache-2.0 */
/* mrc report: makes one HTML page of the results of mrc sim. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "files/files.h"
#include "result/result.h"
#include "web/web.h"

static const char name[] = "report";

static void print_help(void)
{
    fputs(
        "usage: mrc report [-o FILE] RESULT...\n"
        "\n"
        "Makes one HTML page of results that mrc sim wrote: what was run and how it went, "
        "throughput\n"
        "over time with the faults, completion times, planes, EVs, queues, losses, and a table to "
        "compare\n"
        "runs. The page needs no network and no other file. A RESULT of - is standard input.\n"
        "\n"
        "  -o, --output FILE   where to write the page; - is standard output [report.html]\n"
        "  -h, --help          this text\n"
        "\n"
        "Exit status: 0; 1 if the page could not be written; 2 if the command line or a RESULT is "
        "wrong;\n"
        "then nothing is written.\n"
        "\n"
        "  mrc report result.json\n"
        "  mrc report -o compare.html with.json without.json\n",
        stdout);
}

static enum cmd_status load(const char *path, json_t *results)
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

static int write_report(FILE *to, void *results)
{
    return web_report_write(to, results) != 0 ? -errno : 0;
}

static enum cmd_status write_page(const char *path, json_t *results)
{
    enum cmd_status status = CMD_DONE;
    int error;

    if (strcmp(path, "-") == 0) {
        web_report_write(stdout, results);
        cmd_output_is_lost(&status, name);
        return status;
    }
    error = whole_file_write(path, write_report, results);
    if (error != 0)
        return cmd_complain(CMD_FAILED, name, "%s: %s", path, strerror(-error));
    return CMD_DONE;
}

static enum cmd_status report(const char *output, char **paths)
{
    json_t *results = json_array();
    enum cmd_status status = CMD_DONE;

    for (; *paths && status == CMD_DONE; paths++)
        status = load(*paths, results);
    if (status == CMD_DONE)
        status = write_page(output, results);
    json_decref(results);
    return status;
}

enum cmd_status cmd_report(int argument_count, char **arguments)
{
    static const struct option long_options[] = {
        { "output", required_argument, NULL, 'o' },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    const char *output = "report.html";
    int option;

    opterr = 0;
    optind = 1;
    while ((option = getopt_long(argument_count, arguments, ":o:h", long_options, NULL)) != -1)
        switch (option) {
        case 'o':
            output = optarg;
            break;
        case 'h':
            print_help();
            return CMD_DONE;
        default:
            return cmd_complain_option(name, option, arguments, long_options);
        }
    if (optind == argument_count)
        return cmd_complain(
            CMD_MISUSED, name, "which results? 'mrc sim -o result.json EXPERIMENT.yaml' makes one");
    return report(output, arguments + optind);
}
