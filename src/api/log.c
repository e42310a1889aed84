/* SPDX-License-Identifier: Apache-2.0 */
/* Lines on standard error. */
#include "api/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

static const char *const names[] = { "ERROR", "WARN", "INFO", "DEBUG" };

static enum log_level wanted(void)
{
    const char *text = getenv("MRC_LOG_LEVEL");

    for (unsigned int i = 0; text && i < sizeof(names) / sizeof(names[0]); i++)
        if (strcasecmp(text, names[i]) == 0 || (text[0] == (char)('0' + i) && !text[1]))
            return (enum log_level)i;
    return LOG_WARN;
}

void log_line(enum log_level level, const char *format, ...)
{
    int number = errno;
    char text[512];
    va_list arguments;

    if (level > wanted())
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fprintf(stderr, "libmrc: %s: %s\n", names[level], text);
    errno = number;
}
