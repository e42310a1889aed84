/* SPDX-License-Identifier: Apache-2.0 */
/* Files with traffic, the first octet says which format: what is read makes sense and can be run,
 * or what is wrong is said with its place. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/files.h"
#include "must.h"

enum { RANKS = 32 };

static void expect_sense(const struct sim_schedule *schedule)
{
    uint32_t waits = 0;

    MUST(schedule->rank_count <= RANKS && schedule->pair_count > 0);
    MUST(schedule->first_operation[schedule->rank_count] == schedule->operation_count);
    MUST(schedule->first_pair[schedule->rank_count] == schedule->pair_count);
    for (uint32_t i = 0; i < schedule->operation_count; i++) {
        const struct sim_operation *operation = &schedule->operations[i];

        MUST(operation->rank < schedule->rank_count);
        MUST(operation->first_waiter <= operation[1].first_waiter);
        MUST(operation->where <
             (operation->bytes > 0 ? schedule->pair_count : schedule->processor_count));
        MUST(operation->bytes == 0 ||
             schedule->pairs[operation->where].from_rank == operation->rank);
        waits += operation->waits;
    }
    MUST(waits == schedule->operations[schedule->operation_count].first_waiter);
    for (uint32_t i = 0; i < schedule->pair_count; i++)
        MUST(schedule->pairs[i].to_rank < schedule->rank_count &&
             schedule->pairs[i].to_rank != schedule->pairs[i].from_rank);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    struct schedule_options options = { .rank_max = RANKS, .matrix_start = 1000 };
    const struct sim_schedule *schedule;
    struct yaml yaml;
    char *text;

    if (length_bytes == 0)
        return 0;
    options.format = (enum schedule_format)(data[0] % SCHEDULE_FORMAT_COUNT);
    text = calloc(1, length_bytes);
    MUST(text != NULL);
    memcpy(text, data + 1, length_bytes - 1);
    yaml_init(&yaml);
    schedule = schedule_file_read(&yaml, "traffic", text, &options);
    MUST(!schedule == (yaml.problem[0] != 0));
    if (schedule)
        expect_sense(schedule);
    yaml_fini(&yaml);
    free(text);
    return 0;
}
