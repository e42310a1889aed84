/* SPDX-License-Identifier: Apache-2.0 */
/* The address of a Unix socket in the file system. */
#pragma once

#include <sys/un.h>

/* Returns 0 or -ENAMETOOLONG. */
int unix_address_set(struct sockaddr_un *, const char *path);
