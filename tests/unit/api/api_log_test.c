/* SPDX-License-Identifier: Apache-2.0 */
/* Tests api/log.c: lines on standard error are limited to what people can read. */
#include "api/log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spec.h"

static uint32_t count_lines(int fd)
{
    char bytes[65536];
    ssize_t length = pread(fd, bytes, sizeof(bytes), 0);
    uint32_t count = 0;

    for (ssize_t i = 0; i < length; i++)
        count += bytes[i] == '\n';
    return count;
}

SPEC("the rate of log lines is limited")
{
    char path[] = "/tmp/mrc-test-log-XXXXXX";
    int file = mkstemp(path);
    int before = dup(STDERR_FILENO);

    setenv("MRC_LOG_LEVEL", "WARN", 1);
    dup2(file, STDERR_FILENO);
    for (uint32_t i = 0; i < 1000; i++)
        log_line(LOG_ERROR, "line %u", i);
    dup2(before, STDERR_FILENO);
    EXPECT_GE(count_lines(file), 20);
    EXPECT_LE(count_lines(file), 50); /* a new ten seconds may have begun meanwhile */
    close(before);
    close(file);
    unlink(path);
}
