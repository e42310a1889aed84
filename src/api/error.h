/* SPDX-License-Identifier: Apache-2.0 */
/* How calls fail: inside, a negative errno; outside, as the called function's manual says. */
#pragma once

#include <errno.h>
#include <stddef.h>

/* 0, or -1 with errno. */
static inline int error_minus_one(int err)
{
    if (err == 0)
        return 0;
    errno = -err;
    return -1;
}

/* 0, or the errno value, as many verbs return it; errno is set as well. */
static inline int error_number(int err)
{
    if (err != 0)
        errno = -err;
    return -err;
}

/* NULL with errno. */
static inline void *error_null(int err)
{
    errno = -err;
    return NULL;
}
