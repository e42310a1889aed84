/* SPDX-License-Identifier: Apache-2.0 */
/* Raises the soft limit to the hard one. */
#include "ctl/ctl_descriptors.h"

#include <sys/resource.h>

#define AT_LEAST 1024

uint32_t ctl_descriptors_raise(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return AT_LEAST;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return AT_LEAST;
    return limit.rlim_cur < UINT32_MAX ? (uint32_t)limit.rlim_cur : UINT32_MAX;
}
