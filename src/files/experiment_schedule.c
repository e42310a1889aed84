/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file with the traffic of a workload. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>

#include "files/experiment_part.h"
#include "files/schedule_file.h"
#include "files/whole_file.h"
#include "files/word.h"

/* Returns the format that the name of a file ends with, or -1. */
static int format_of(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot ? word_find(schedule_format_words, dot + 1) : -1;
}

static const struct sim_schedule *read_text(struct yaml *yaml, const struct yaml_node *node,
    const char *path, const struct schedule_options *options)
{
    const struct sim_schedule *schedule;
    struct stat found;
    char *text;

    if (stat(path, &found) != 0) {
        yaml_complain(yaml, node, "%s: %s; name a file with traffic", path, strerror(errno));
        return NULL;
    }
    if (!S_ISREG(found.st_mode)) {
        yaml_complain(yaml, node, "%s: it is not an ordinary file", path);
        return NULL;
    }
    text = whole_file_text(path);
    if (!text && found.st_size > 0) {
        yaml_complain(yaml, node, "%s: %s", path, strerror(errno));
        return NULL;
    }
    schedule = schedule_file_read(yaml, path, text ? text : "", options);
    free(text);
    return schedule;
}

static uint64_t largest_message(const struct sim_schedule *schedule)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < schedule->operation_count; i++)
        if (schedule->operations[i].bytes > bytes)
            bytes = schedule->operations[i].bytes;
    return bytes;
}

bool experiment_read_schedule(struct yaml *yaml, const struct yaml_node *node,
    const struct experiment_traffic *traffic, struct sim_workload *workload)
{
    struct schedule_options options = { .rank_count = workload->rank_count,
        .rank_max = traffic->rank_max,
        .matrix_start = traffic->start_unit_ps };
    const char *path;
    int format;

    if (traffic->file->kind != YAML_SCALAR)
        return yaml_complain(yaml, traffic->file, "the name of a file is expected here");
    path = yaml_path(yaml, traffic->file);
    format = traffic->format >= 0 ? traffic->format : format_of(path);
    if (format < 0)
        return yaml_complain(
            yaml, traffic->file, "the name ends with none of .csv, .goal and .cm; add a 'format'");
    if (options.rank_count > options.rank_max)
        return yaml_complain(
            yaml, node, "%u ranks, but there are %u NICs", options.rank_count, options.rank_max);
    options.format = (enum schedule_format)format;
    workload->schedule = read_text(yaml, traffic->file, path, &options);
    if (!workload->schedule)
        return false;
    workload->rank_count = workload->schedule->rank_count;
    workload->message_bytes = largest_message(workload->schedule);
    workload->iterations = 1;
    return true;
}
