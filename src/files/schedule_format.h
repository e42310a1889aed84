/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of the formats of schedules. */
#pragma once

#include "files/schedule_build.h"
#include "files/schedule_file.h"

#define SCHEDULE_FORMAT_BYTES_MAX ((UINT64_C(1) << 31) - 1) /* of a message */
#define SCHEDULE_FORMAT_TIME_MAX  (UINT64_C(86400) * SIM_PS_PER_S)

/* Each reads all of build->file. Returns false after a complaint. `rank_count` is set if the file
 * says how many there are. */
bool schedule_csv_read(
    struct schedule_build *, const struct schedule_options *, uint32_t *rank_count);
bool schedule_goal_read(
    struct schedule_build *, const struct schedule_options *, uint32_t *rank_count);
bool schedule_matrix_read(
    struct schedule_build *, const struct schedule_options *, uint32_t *rank_count);
