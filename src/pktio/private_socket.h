/* SPDX-License-Identifier: Apache-2.0 */
/* Unix sockets that only their user, and root, can connect to. */
#pragma once

#include <stdbool.h>

/* A socket of this type (SOCK_STREAM, ...) that listens at `path`, where it replaces what is there,
 * and never waits. Returns it, or a negative errno. */
int private_socket_listen(const char *path, int type, int backlog);

/* A process listens at `path`. */
bool private_socket_is_served(const char *path);

/* Closes what is open, once. */
void private_socket_close(int *fd);
