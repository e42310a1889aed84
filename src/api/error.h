/* SPDX-License-Identifier: Apache-2.0 */
/* How calls fail: internally with a negative errno, externally as the manual of the function
 * specifies. */
#pragma once

#include <errno.h>
#include <stddef.h>

/* Returns 0, or -1 with errno. */
static inline int error_minus_one(int err)
{
    if (err == 0)
        return 0;
    errno = -err;
    return -1;
}

/* Returns 0 or the errno value, as many verbs do, and also sets errno. */
static inline int error_number(int err)
{
    if (err != 0)
        errno = -err;
    return -err;
}

/* Returns NULL with errno. */
static inline void *error_null(int err)
{
    errno = -err;
    return NULL;
}
