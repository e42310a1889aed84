/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines on standard error, selected by MRC_LOG_LEVEL: ERROR, WARN (the default), INFO, DEBUG,
 * or 0 to 3. At most 20 lines are written in ten seconds; a later line gives the number of those
 * that were suppressed. */
#pragma once

enum log_level {
    LOG_ERROR,
    LOG_WARN,
    LOG_INFO,
    LOG_DEBUG,
};

void log_line(enum log_level, const char *format, ...) __attribute__((format(printf, 2, 3)));
