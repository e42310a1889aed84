/* SPDX-License-Identifier: Apache-2.0 */
/* Runs work in a process that is killed at its first system call: proves that there is none. */
#pragma once

enum sealed {
    SEALED_QUIET, /* no system call */
    SEALED_CALLED,
    SEALED_UNKNOWN, /* this system has no such filter */
};

/* Runs the work in a copy of this process, which exits afterwards. */
enum sealed sealed_run(void (*work)(void *context), void *context);
