/* SPDX-License-Identifier: Apache-2.0 */
/* mrc doctor: reports what this machine supports and what is missing. */
#include <stdio.h>
#include <unistd.h>

#include "cmd/nic_status.h"
#include "doctor/doctor.h"

static const char *const levels[DOCTOR_LEVEL_COUNT] = { "ok", "limited", "no" };

static const struct option_row rows[] = {
    NIC_JSON_ROW,
};

static const struct option_table table = {
    .command = "doctor",
    .intro =
        "usage: mrc doctor [-j]\n"
        "\n"
        "Reports which features of MRC this machine supports, what is missing, and the remedy.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static const char *const verbs[] = { "", NULL };
static const struct nic_command command = {
    .name = "doctor",
    .options = &table,
    .verbs = verbs,
    .arguments = NIC_WITHOUT_VERB,
};

static void print_finding(const struct doctor_check *check, const struct doctor_finding *finding)
{
    static const char *const colours[] = { "\033[32m", "\033[33m", "\033[31m" };
    bool is_terminal = isatty(STDOUT_FILENO);

    printf("%s%-8s%s %-15s %s\n", is_terminal ? colours[finding->level] : "",
        levels[finding->level], is_terminal ? "\033[0m" : "", check->name, finding->reason);
    if (finding->advice[0])
        printf("%25s %s (for %s)\n", "->", finding->advice, check->purpose);
}

static enum cmd_status run_doctor(int argument_count, char **arguments)
{
    struct nic_options options;
    enum cmd_status status;
    json_t *all;

    if (!nic_status_parse(&command, argument_count, arguments, &options, &status))
        return status;
    all = json_array();
    for (size_t i = 0; i < doctor_check_count; i++) {
        struct doctor_finding finding = { .level = DOCTOR_NO };

        doctor_checks[i].look(&finding);
        if (!options.as_json)
            print_finding(&doctor_checks[i], &finding);
        json_array_append_new(
            all, json_pack("{s:s,s:s,s:s,s:s,s:s}", "check", doctor_checks[i].name, "purpose",
                     doctor_checks[i].purpose, "level", levels[finding.level], "reason",
                     finding.reason, "advice", finding.advice));
    }
    if (options.as_json)
        nic_status_print_json(all);
    else
        json_decref(all);
    return CMD_DONE;
}

const struct cmd doctor_command = {
    .name = "doctor",
    .summary = "report what this machine supports and what is missing",
    .run = run_doctor,
    .options = &table,
};
