/* SPDX-License-Identifier: Apache-2.0 */
/* Runs this program again under callgrind. */
#include "callgrind.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scan.h"

enum { ARGUMENTS_MAX = 40 };

extern char **environ;

struct command {
    char *arguments[ARGUMENTS_MAX + 1]; /* owned; ends with NULL */
    uint32_t count;
};

__attribute__((format(printf, 2, 3))) static void add(
    struct command *command, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    if (command->count < ARGUMENTS_MAX &&
        vasprintf(&command->arguments[command->count], format, values) > 0)
        command->count++;
    va_end(values);
}

static bool add_self(struct command *command)
{
    char self[4096] = "";

    if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
        return false;
    add(command, "%s", self);
    return true;
}

static bool run(const struct callgrind_run *run, const char *file)
{
    struct command command = { 0 };
    int status = 1;
    pid_t child;

    add(&command, "valgrind");
    add(&command, "-q");
    add(&command, "--tool=callgrind");
    add(&command, "--callgrind-out-file=%s", file);
    for (const char *const *name = run->counted; *name; name++)
        add(&command, "--toggle-collect=%s", *name);
    if (run->cache_bytes) {
        add(&command, "--cache-sim=yes");
        add(&command, "--LL=%" PRIu32 ",8,64", run->cache_bytes);
    }
    if (run->zero_before)
        add(&command, "--zero-before=%s", run->zero_before);
    if (add_self(&command)) {
        for (const char *const *argument = run->arguments; *argument; argument++)
            add(&command, "%s", *argument);
        setenv("LD_BIND_NOW", "1", 1); /* the work of the dynamic linker does not count */
        if (posix_spawnp(&child, "valgrind", NULL, NULL, command.arguments, environ) == 0)
            waitpid(child, &status, 0);
    }
    while (command.count > 0)
        free(command.arguments[--command.count]);
    return status == 0;
}

/* In the order of callgrind's events; without a cache only the first is present. */
static bool read_totals(const char *text, struct callgrind_counts *out)
{
    enum event { IR, DR, DW, I1MR, D1MR, D1MW, ILMR, DLMR, DLMW, EVENT_COUNT };
    uint64_t totals[EVENT_COUNT] = { 0 };
    uint32_t count = 0;

    do
        scan_blanks(&text);
    while (count < EVENT_COUNT && scan_u64(&text, &totals[count]) && ++count);
    out->instructions = totals[IR];
    out->cache_misses = totals[DLMR] + totals[DLMW];
    return count > 0;
}

static struct callgrind_counts read_summary(const char *file)
{
    FILE *stream = fopen(file, "r");
    struct callgrind_counts counts = { 0 };
    char line[512];
    bool found = false;

    if (!stream)
        return counts;
    while (!found && fgets(line, sizeof(line), stream)) {
        const char *values = strchr(line, ':');

        if (!values || (strncmp(line, "summary", 7) != 0 && strncmp(line, "totals", 6) != 0))
            continue;
        found = read_totals(values + 1, &counts);
    }
    (void)fclose(stream);
    return counts;
}

struct callgrind_counts callgrind_count(const struct callgrind_run *what)
{
    char file[] = "/tmp/openmrc-callgrind-XXXXXX";
    int descriptor = mkstemp(file);
    struct callgrind_counts counts = { 0 };

    if (descriptor < 0)
        return counts;
    if (run(what, file))
        counts = read_summary(file);
    close(descriptor);
    unlink(file);
    return counts;
}

uint64_t callgrind_instructions(const struct callgrind_run *what)
{
    return callgrind_count(what).instructions;
}
