/* SPDX-License-Identifier: Apache-2.0 */
/* One line on standard error for people, as far as MRC_LOG_LEVEL asks for it: ERROR, WARN (unless
 * said otherwise), INFO, DEBUG, or 0 to 3. At most 20 in ten seconds; how many were left out is
 * said later. */
#pragma once

enum log_level {
    LOG_ERROR,
    LOG_WARN,
    LOG_INFO,
    LOG_DEBUG,
};

void log_line(enum log_level, const char *format, ...) __attribute__((format(printf, 2, 3)));
