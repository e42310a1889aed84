/* SPDX-License-Identifier: Apache-2.0 */
/* mrc search: searches topologies and parameters of MRC together. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "carrier/carrier.h"
#include "cmd/options.h"
#include "files/files.h"
#include "result/result.h"
#include "study/study.h"
#include "web/web.h"

static const char name[] = "search";

/* ---- options --------------------------------------------------------------------------------- */

struct options {
    const char *file; /* NULL: the built-in search */
    struct search_changes changes;
    struct option_list sets;
    const char *folder; /* NULL: runs are not kept */
    const char *csv_path;
    const char *report_path;
    uint32_t jobs; /* 0: one per processor */
    bool only_lists;
    bool is_json;
    bool is_quiet;
};

static enum cmd_status take_quantity(
    enum quantity_kind kind, const char *option, const char *value, uint64_t *out)
{
    if (quantity_parse(kind, value, out) == QUANTITY_OK && *out > 0)
        return CMD_DONE;
    return cmd_complain(
        CMD_MISUSED, name, "%s: write %s, not '%s'", option, quantity_example(kind), value);
}

static enum cmd_status take_nic(void *options, char *value)
{
    return take_quantity(
        QUANTITY_RATE, "--nic", value, &((struct options *)options)->changes.nic_bps);
}

static enum cmd_status take_switch(void *options, char *value)
{
    return take_quantity(
        QUANTITY_RATE, "--switch", value, &((struct options *)options)->changes.switch_bps);
}

static enum cmd_status take_time(void *options, char *value)
{
    return take_quantity(
        QUANTITY_TIME, "--time", value, &((struct options *)options)->changes.time_ps);
}

static enum cmd_status take_seed(void *options, char *value)
{
    struct search_changes *changes = &((struct options *)options)->changes;

    changes->has_seed = true;
    return options_number(
        name, "--seed", value, (struct option_range){ .most = UINT32_MAX }, &changes->seed);
}

#define AT(member) OPTION_AT(struct options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_NUMBER, 0, "gpus", "N", "NICs of every topology [16]", AT(changes.gpus), .least = 4, .most = 1000000 },
    { OPTION_CALL, 0, "nic", "RATE", "rate of a NIC, all ports together [400G]", .read = take_nic, .values = OPTION_VALUES_NONE },
    { OPTION_CALL, 0, "switch", "RATE", "rate of a switch [what a ZCube of two levels fills]", .read = take_switch, .values = OPTION_VALUES_NONE },
    { OPTION_NUMBER, 0, "points", "N", "the searches over parameters and over both try N points each [48]", AT(changes.points), .least = 1, .most = 100000 },
    { OPTION_CALL, 0, "time", "TIME", "try no further points after this time, such as 600s; then check", .read = take_time, .values = OPTION_VALUES_NONE },
    { OPTION_NUMBER, 0, "seeds", "N", "choose by N runs of each case [2]", AT(changes.seeds), .least = 1, .most = 100 },
    { OPTION_NUMBER, 0, "check-seeds", "N", "report N runs of each case, with other seeds [5]", AT(changes.check_seeds), .least = 2, .most = 100 },
    { OPTION_CALL, 0, "seed", "N", "seed of the draws and first seed of the runs [1]", .read = take_seed, .values = OPTION_VALUES_NONE },
    { OPTION_LIST, 0, "set", "KEY=VALUE", "change a key of the experiment; may be repeated", AT(sets), .values = OPTION_VALUES_PARAMETERS },
    { OPTION_TEXT, 0, "prices", "FILE", "price file [the built-in one]", AT(changes.prices_path) },
    { OPTION_NUMBER, 0, "jobs", "N", "N runs at a time [the number of processors]", AT(jobs), .least = 1, .most = 1024 },
    { OPTION_TEXT, 'o', "output", "FOLDER", "keep runs and results in FOLDER, and continue a search that FOLDER has", AT(folder) },
    { OPTION_TEXT, 0, "csv", "FILE", "write a line for each point to FILE", AT(csv_path) },
    { OPTION_TEXT, 0, "report", "FILE", "write an HTML page to FILE", AT(report_path) },
    { OPTION_FLAG, 'l', "list", NULL, "list what can be chosen, and run nothing", AT(only_lists) },
    { OPTION_FLAG, 'j', "json", NULL, "print JSON instead of tables", AT(is_json) },
    { OPTION_FLAG, 'q', "quiet", NULL, "print only errors, and no progress", AT(is_quiet) },
};
/* clang-format on */

static const struct option_table table = {
    .command = "search",
    .intro = "usage: mrc search [OPTIONS] [SEARCH.yaml]\n"
             "\n"
             "Searches topologies and parameters of MRC together. Every topology connects the same "
             "number of\n"
             "GPUs; its cost is that of mrc plan. Shows the points that are the best in goodput, "
             "tail,\n"
             "recovery and cost, and which of them a search over topologies or parameters alone "
             "does not\n"
             "find. What is shown was measured with seeds that had no part in choosing it.",
    .closing = "Exit status: 0; 1 if the search fails or is interrupted; 2 for a wrong command "
               "line or\n"
               "search file.\n"
               "\n"
               "  mrc search --list --gpus 64\n"
               "  mrc search --gpus 16 -o out\n"
               "  mrc search -o out --points 200 my-search.yaml",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static bool read_options(
    struct options *options, int argument_count, char **arguments, enum cmd_status *status)
{
    *options = (struct options){ 0 };
    if (!options_read(&table, options, argument_count, arguments, status))
        return false;
    if (optind + 1 < argument_count)
        *status = cmd_complain(CMD_MISUSED, name, "name one search file; unexpected argument '%s'",
            arguments[optind + 1]);
    else if (optind < argument_count)
        options->file = arguments[optind];
    options->changes.sets = options->sets.at;
    options->changes.set_count = options->sets.count;
    return *status == CMD_DONE;
}

/* ---- results --------------------------------------------------------------------------------- */

static bool is_written(const char *path, int err)
{
    if (err)
        cmd_complain(CMD_FAILED, name, "%s: %s", path, strerror(-err));
    return err == 0;
}

/* Called before the runs, which may take long. */
static bool can_write(const char *path)
{
    return !path || is_written(path, whole_file_try(path));
}

static int write_page(FILE *to, void *document)
{
    return web_search_write(to, document);
}

static bool write_files(json_t *document, const char *json, const char *csv, const char *report)
{
    return (!json || is_written(json, result_document_write(document, json))) &&
           (!csv || is_written(csv, search_table_write_csv(document, csv))) &&
           (!report || is_written(report, whole_file_write(report, write_page, document)));
}

static bool write_folder(json_t *document, const struct search_store *store)
{
    static const char *const names[] = { "search.json", "points.csv", "search.html" };
    char paths[3][SEARCH_STORE_REASON_BYTES];

    if (!store->folder)
        return true;
    for (int i = 0; i < 3; i++)
        search_store_path(store, names[i], paths[i]);
    return write_files(document, paths[0], paths[1], paths[2]);
}

static void print_json(const json_t *document)
{
    json_dumpf(document, stdout, JSON_FORM);
    putchar('\n');
}

static enum cmd_status tell_result(const struct search *search, const struct options *options)
{
    struct search_judgement judgement;
    json_t *document;
    bool is_told;

    search_judge(search, &judgement);
    document = search_json(search, &judgement);
    search_judge_fini(&judgement);
    is_told = write_folder(document, &search->store) &&
              write_files(document, NULL, options->csv_path, options->report_path);
    if (is_told && options->is_json)
        print_json(document);
    else if (is_told && !options->is_quiet)
        search_table_print(stdout, document);
    json_decref(document);
    return is_told ? CMD_DONE : CMD_FAILED;
}

static enum cmd_status list_space(const struct search *search, const struct options *options)
{
    json_t *space = search_json_space(search);

    if (options->is_json)
        print_json(space);
    else
        search_table_print_space(stdout, space, (int64_t)search->request->size.gpus);
    json_decref(space);
    return CMD_DONE;
}

/* ---- running --------------------------------------------------------------------------------- */

static void complain_problem(const char *problem)
{
    cmd_complain(CMD_FAILED, name, "%s", problem);
}

static bool shows_progress(const struct options *options)
{
    return !options->is_quiet && isatty(STDERR_FILENO);
}

static void show_progress(void *context, const struct search *search)
{
    if (!shows_progress(context))
        return;
    fprintf(stderr, "\r\033[K%s: %u points, %u runs", search_stage_words[search->stage],
        search->count, search->run_count);
    fflush(stderr);
}

static enum cmd_status make_search(struct search *search, struct options *options)
{
    struct study_manner manner = { .jobs = options->jobs ? options->jobs : carrier_processors(),
        .threads = 1,
        .is_interrupted = cmd_catch_interrupts((int)SA_RESETHAND),
        .complain = complain_problem };
    bool is_made;

    if (!can_write(options->csv_path) || !can_write(options->report_path))
        return CMD_FAILED;
    search->on_run = show_progress;
    search->context = options;
    is_made = search_run(search, &manner);
    if (shows_progress(options))
        fputs("\r\033[K", stderr);
    if (is_made)
        return tell_result(search, options);
    if (!*manner.is_interrupted)
        return CMD_FAILED;
    return cmd_complain(CMD_FAILED, name, "interrupted after %u runs%s", search->run_count,
        options->folder ? "; the same command continues" : "; with -o FOLDER it could continue");
}

static enum cmd_status read_and_run(struct search_request *request, struct options *options)
{
    struct search search;
    enum cmd_status status;

    if (!search_open(&search, request, options->only_lists ? NULL : options->folder))
        status = *search.store.reason
                     ? cmd_complain(CMD_FAILED, name, "%s", search.store.reason)
                     : cmd_complain(CMD_MISUSED, name, "%s", request->yaml.problem);
    else if (options->only_lists)
        status = list_space(&search, options);
    else
        status = make_search(&search, options);
    search_close(&search);
    return status;
}

static enum cmd_status run_search(int argument_count, char **arguments)
{
    struct search_request *request;
    struct options options;
    enum cmd_status status;

    if (carrier_mpi_expected() > 1)
        return cmd_complain(
            CMD_MISUSED, name, "this command uses one process; start mrc without mpirun");
    if (!read_options(&options, argument_count, arguments, &status))
        return status;
    request = grow_take(1, sizeof(*request));
    if (search_file_read(request, options.file, &options.changes))
        status = read_and_run(request, &options);
    else
        status = cmd_complain(CMD_MISUSED, name, "%s", request->yaml.problem);
    search_file_fini(request);
    free(request);
    return status;
}

const struct cmd search_command = {
    .name = "search",
    .summary = "search topologies and parameters of MRC together",
    .run = run_search,
    .options = &table,
};
