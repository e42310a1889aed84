/* SPDX-License-Identifier: Apache-2.0 */
/* Reads configurations back and compares them with the plan. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config_write.h"

/* Where differences are printed, and their number. */
struct config_tally {
    FILE *to;
    uint32_t files; /* that were read */
    uint32_t differences;
};

/* Prints "PLACE: ..." and counts. */
__attribute__((format(printf, 3, 4))) void config_check_tell(
    struct config_tally *, const char *place, const char *format, ...);

/* Returns the format whose files a folder from config_write_folder() has; NULL: none. */
const struct config_format *config_check_format(const char *path);

/* Compares the text of a file with the file that would be written now. A script of the format linux
 * may have its lines in any order. Of other files the first difference and its meaning are
 * printed. */
void config_check_text(const struct config_job *, uint32_t node, const struct config_file *,
    const char *place, const char *text, struct config_tally *);

/* Tells what a script for Linux has more, less, or in another way than the plan. */
void config_check_linux(
    const char *wanted, const char *text, const char *place, struct config_tally *);

/* Tells about entries of the folder that are not switches or NICs of the plan. */
void config_check_strangers(const struct config_job *, const char *path, struct config_tally *);
