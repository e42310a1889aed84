/* SPDX-License-Identifier: Apache-2.0 */
/* Work done where the first system call is the last: proof that there was none. */
#pragma once

enum sealed {
    SEALED_QUIET, /* not one system call */
    SEALED_CALLED,
    SEALED_UNKNOWN, /* this system cannot tell */
};

/* In a copy of this process, which ends with it. */
enum sealed sealed_run(void (*work)(void *context), void *context);
