/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a file with the reader of its format. */
#include "files/schedule_file.h"

#include "files/schedule_format.h"

const char *const schedule_format_words[] = {
    [SCHEDULE_CSV] = "csv",
    [SCHEDULE_GOAL] = "goal",
    [SCHEDULE_MATRIX] = "cm",
    [SCHEDULE_FORMAT_COUNT] = NULL,
};

static bool (*const readers[SCHEDULE_FORMAT_COUNT])(
    struct schedule_build *, const struct schedule_options *, uint32_t *) = {
    [SCHEDULE_CSV] = schedule_csv_read,
    [SCHEDULE_GOAL] = schedule_goal_read,
    [SCHEDULE_MATRIX] = schedule_matrix_read,
};

/* Returns how many ranks there are; 0 after a complaint. */
static uint32_t decide_ranks(
    struct text_file *file, const struct schedule_options *options, uint32_t stated)
{
    uint32_t wanted = options->rank_count;

    if (stated > options->rank_max) {
        text_file_complain_line(
            file, 1, "this file has %u ranks, but there are %u NICs", stated, options->rank_max);
        return 0;
    }
    if (wanted > 0 && stated > wanted) {
        text_file_complain_line(
            file, 1, "this file has %u ranks; set 'ranks' to %u, or omit it", stated, stated);
        return 0;
    }
    return wanted > 0 ? wanted : stated;
}

const struct sim_schedule *schedule_file_read(
    struct yaml *yaml, const char *source, const char *text, const struct schedule_options *options)
{
    const struct sim_schedule *schedule = NULL;
    uint32_t ranks = options->rank_count ? options->rank_count : options->rank_max;
    uint32_t stated = 0;
    struct text_file file;
    struct schedule_build build;

    text_file_init(&file, yaml, source, text);
    schedule_build_init(&build, &file, ranks);
    if (readers[options->format](&build, options, &stated)) {
        ranks = decide_ranks(&file, options, stated);
        if (ranks > 0 || stated == 0)
            schedule = schedule_build_finish(&build, ranks);
    }
    schedule_build_fini(&build);
    return schedule;
}
