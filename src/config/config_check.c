/* SPDX-License-Identifier: Apache-2.0 */
/* Compares files with what would be written now. */
#include "config/config_check.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config_linux.h"

enum { PATH_BYTES = 4096, LINE_SHOWN = 120 };

void config_check_tell(struct config_tally *tally, const char *place, const char *format, ...)
{
    va_list arguments;

    tally->differences++;
    fprintf(tally->to, "%s: ", place);
    va_start(arguments, format);
    vfprintf(tally->to, format, arguments);
    va_end(arguments);
    fputc('\n', tally->to);
}

/* ---- folders --------------------------------------------------------------------------------- */

/* Returns the number of files of the format in the folder; 0 unless all are there. */
static uint32_t files_in(const struct config_format *format, const char *folder)
{
    char path[PATH_BYTES];
    uint32_t count = 0;

    for (; format->files[count].name; count++) {
        snprintf(path, sizeof(path), "%s/%s", folder, format->files[count].name);
        if (access(path, F_OK) != 0)
            return 0;
    }
    return count;
}

/* SONiC has a file of FRR, too: the format with most files is meant. */
static void find_format(const char *folder, bool is_top, const struct config_format **best)
{
    for (uint32_t i = 0; config_formats[i]; i++)
        if ((config_formats[i]->scope == CONFIG_OF_FABRIC) == is_top &&
            files_in(config_formats[i], folder) > (*best ? files_in(*best, folder) : 0))
            *best = config_formats[i];
}

const struct config_format *config_check_format(const char *path)
{
    const struct config_format *best = NULL;
    const struct dirent *entry;
    char folder[PATH_BYTES];
    DIR *all = opendir(path);

    find_format(path, true, &best);
    while (!best && all && (entry = readdir(all)) != NULL) {
        snprintf(folder, sizeof(folder), "%s/%s", path, entry->d_name);
        find_format(folder, false, &best);
    }
    if (all)
        closedir(all);
    return best;
}

void config_check_strangers(
    const struct config_job *job, const char *path, struct config_tally *tally)
{
    const struct dirent *entry;
    DIR *folder = opendir(path);
    uint32_t node;

    while (folder && job->format->scope != CONFIG_OF_FABRIC && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.' &&
            !config_format_find_node(job->format, job->source.plan, entry->d_name, &node))
            config_check_tell(tally, entry->d_name, "not in the plan");
    if (folder)
        closedir(folder);
}

/* ---- the first line that differs ------------------------------------------------------------- */

struct meaning {
    const char *part; /* of a line */
    const char *meaning;
};

/* The first part that a line contains decides. */
static const struct meaning meanings[] = {
    { "trim", "trimming" },
    { "TRIM", "trimming" },
    { "from-tc", "trimming" },
    { "threshold", "marking (ECN)" },
    { "wred", "marking (ECN)" },
    { "ecn", "marking (ECN)" },
    { "congestion-control", "marking (ECN)" },
    { "dscp", "classes of packets" },
    { "buffer", "queues" },
    { "scheduler", "queues" },
    { "queue", "queues" },
    { "uN", "the uSID of the switch" },
    { "locator", "the uSID of the switch" },
    { "usid", "the uSID of the switch" },
    { "route", "a route" },
    { "router static", "a route" },
    { "peer=", "the MAC address of a neighbour" },
    { "address", "the address of a link or NIC" },
    { "/127", "the address of a link" },
    { "endpoints", "a cable" },
    { "speed", "a port" },
    { "mtu", "a port" },
    { "interface", "a port" },
    { "{", "a path of a profile, or a table" },
};

static const char *meaning_of(const char *line, size_t length)
{
    for (uint32_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
        if (memmem(line, length, meanings[i].part, strlen(meanings[i].part)))
            return meanings[i].meaning;
    return "the frame of the file";
}

static void tell_first(
    const char *wanted, const char *text, const char *place, struct config_tally *tally)
{
    char at[PATH_BYTES + 16];
    uint32_t line = 1;
    size_t wanted_length = strcspn(wanted, "\n");
    size_t length = strcspn(text, "\n");

    while (wanted_length == length && memcmp(wanted, text, length) == 0 && wanted[length] &&
           text[length]) {
        wanted += length + 1;
        text += length + 1;
        wanted_length = strcspn(wanted, "\n");
        length = strcspn(text, "\n");
        line++;
    }
    snprintf(at, sizeof(at), "%s:%u", place, line);
    config_check_tell(tally, at, "%s: '%.*s' is there, the plan says '%.*s'",
        wanted_length ? meaning_of(wanted, wanted_length) : meaning_of(text, length),
        (int)(length < LINE_SHOWN ? length : LINE_SHOWN), text,
        (int)(wanted_length < LINE_SHOWN ? wanted_length : LINE_SHOWN), wanted);
}

void config_check_text(const struct config_job *job, uint32_t node, const struct config_file *file,
    const char *place, const char *text, struct config_tally *tally)
{
    char *wanted = NULL;
    size_t length;
    FILE *memory = open_memstream(&wanted, &length);

    if (!memory) {
        config_check_tell(tally, place, "not compared: out of memory");
        return;
    }
    file->write(&job->source, node, memory);
    (void)fclose(memory);
    tally->files++;
    if (file->write == config_linux_write)
        config_check_linux(wanted, text, place, tally);
    else if (strcmp(wanted, text) != 0)
        tell_first(wanted, text, place, tally);
    free(wanted);
}
