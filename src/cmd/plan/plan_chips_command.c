/* SPDX-License-Identifier: Apache-2.0 */
/* mrc plan chips: what the NICs and switches of a fabric keep. */
#include <stdlib.h>

#include "cmd/plan/plan_request.h"
#include "cmd/plan/plan_rows.h"
#include "cmd/plan/plan_verbs.h"

static const char name[] = "plan chips";

static const struct option_row rows[] = { PLAN_REQUEST_ROWS };

static const struct option_table table = {
    .command = name,
    .intro = "usage: mrc plan chips [OPTIONS]\n"
             "\n"
             "Prints what the chips of a fabric keep: state of QPs beside the memory of a NIC, the "
             "blocks that\n"
             "MRC adds to a NIC, tables of switches and of routers, buffers with PFC and with "
             "trimming.",
    .closing = "Exit status: 0; 2 for a wrong command line, or a fabric that cannot be built.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static enum cmd_status plan_chips(int argument_count, char **arguments)
{
    struct size_report *report;
    struct plan_options options;
    struct size_fabric fabric;
    enum cmd_status status;

    if (!plan_request_read(&table, &options, argument_count, arguments, &status))
        return status;
    status = plan_request_solve(name, &options, &fabric);
    if (status != CMD_DONE)
        return status;
    report = grow_take(1, sizeof(*report));
    size_report_chips(report, &fabric);
    if (options.as_json)
        plan_rows_dump(json_pack("{s:o}", "rows", size_json_rows(report)));
    else
        plan_rows_print(report, options.explains);
    free(report);
    return CMD_DONE;
}

const struct cmd plan_chips_command = {
    .name = "chips",
    .summary = "show what the NICs and switches of a fabric keep",
    .run = plan_chips,
    .options = &table,
};
