/* SPDX-License-Identifier: Apache-2.0 */
/* mrc doctor: what this machine can and cannot do, and why. */
#include "cmd/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/nic_status.h"

static const struct doctor_check checks[] = {
    { "kernel", "everything", doctor_look_at_kernel },
    { "processors", "speed", doctor_look_at_processors },
    { "clock", "round trips", doctor_look_at_clock },
    { "scheduling", "timers", doctor_look_at_scheduling },
    { "run folder", "devices and fabrics", doctor_look_at_run_folder },
    { "shm", "ports to a fabric on this machine", doctor_look_at_shared_memory },
    { "udp", "ports without privileges", doctor_look_at_udp },
    { "AF_PACKET", "ports on interfaces", doctor_look_at_packet_sockets },
    { "AF_XDP", "fast ports on interfaces", doctor_look_at_xdp },
    { "namespaces", "mrc fabric up", doctor_look_at_namespaces },
    { "seg6 next-csid", "mrc fabric up --kernel", doctor_look_at_segment_routing },
    { "huge pages", "speed", doctor_look_at_huge_pages },
    { "locked memory", "AF_XDP", doctor_look_at_locked_memory },
    { "open files", "many devices", doctor_look_at_open_files },
    { "fabrics", "soft fabrics that run", doctor_look_at_fabrics },
    { "devices", "what programs can open", doctor_look_at_devices },
};

static const char *const levels[] = { "ok", "limited", "no" };

static const struct option_row rows[] = {
    NIC_JSON_ROW,
};

static const struct option_table table = {
    .command = "doctor",
    .intro = "usage: mrc doctor [-j]\n"
             "\n"
             "Says what this machine can do for MRC, what it cannot, why, and what to do about it.",
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

void doctor_find(struct doctor_finding *finding, enum doctor_level level, const char *advice,
    const char *reason, ...)
{
    va_list arguments;

    finding->level = level;
    snprintf(finding->advice, sizeof(finding->advice), "%s", advice);
    va_start(arguments, reason);
    vsnprintf(finding->reason, sizeof(finding->reason), reason, arguments);
    va_end(arguments);
}

bool doctor_read(const char *path, char *line, int room_bytes)
{
    FILE *file = fopen(path, "re");
    bool is_read = file && fgets(line, room_bytes, file);

    if (file)
        (void)fclose(file);
    if (is_read)
        line[strcspn(line, "\n")] = '\0';
    return is_read;
}

static void print(const struct doctor_check *check, const struct doctor_finding *finding)
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
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        struct doctor_finding finding = { .level = DOCTOR_NO };

        checks[i].look(&finding);
        if (!options.as_json)
            print(&checks[i], &finding);
        json_array_append_new(all, json_pack("{s:s,s:s,s:s,s:s,s:s}", "check", checks[i].name,
                                       "purpose", checks[i].purpose, "level", levels[finding.level],
                                       "reason", finding.reason, "advice", finding.advice));
    }
    if (options.as_json)
        nic_status_print_json(all);
    else
        json_decref(all);
    return CMD_DONE;
}

const struct cmd doctor_command = {
    .name = "doctor",
    .summary = "say what this machine can and cannot do, and why",
    .run = run_doctor,
    .options = &table,
};
