/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric web: serves the page of a fabric that runs in another process. */
#include <getopt.h>
#include <signal.h>
#include <unistd.h>

#include "cmd/fabric/fabric.h"
#include "cmd/fabric/fabric_web.h"
#include "cmd/options.h"

static const char name[] = "fabric web";

struct options {
    const char *fabric;
};

static const struct option_row rows[] = {
    { OPTION_TEXT, 'n', "name", "NAME", "the fabric (default: fabric)",
        OPTION_AT(struct options, fabric), .values = OPTION_VALUES_FABRICS },
};

static const struct option_table table = {
    .command = name,
    .intro = "usage: mrc fabric web [-n NAME] [[ADDRESS:]PORT]\n"
             "\n"
             "Serves a page that shows a running fabric, and metrics for Prometheus at /metrics,\n"
             "until interrupted. Prints the address of the page. Without a port, any free one.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

/* The signal may come before the pause, so the loop looks again every second. */
static void await_interrupt(const volatile sig_atomic_t *is_interrupted)
{
    while (!*is_interrupted)
        sleep(1);
}

static enum cmd_status serve_page(const struct fabric_web *web, const char *fabric)
{
    const volatile sig_atomic_t *is_interrupted = cmd_catch_interrupts(0);
    struct dashboard_service *service;
    json_t *answer;
    enum cmd_status status = fabric_ask_word(fabric, "ping", &answer);

    if (status != CMD_DONE)
        return status;
    json_decref(answer);
    status = fabric_web_open(web, fabric, &service);
    if (status != CMD_DONE)
        return status;
    fabric_web_print(service);
    await_interrupt(is_interrupted);
    fabric_web_close(service);
    return CMD_DONE;
}

static enum cmd_status fabric_web(int argument_count, char **arguments)
{
    struct options options = { .fabric = "fabric" };
    struct fabric_web web = { .is_wanted = true };
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (optind < argument_count - 1)
        return cmd_complain(CMD_MISUSED, name, "name one [ADDRESS:]PORT");
    if (optind < argument_count && fabric_web_read(&web, arguments[optind]) != CMD_DONE)
        return CMD_MISUSED;
    return serve_page(&web, options.fabric);
}

const struct cmd fabric_web_command = {
    .name = "web",
    .summary = "serve a page that shows a running fabric",
    .run = fabric_web,
    .options = &table,
};
