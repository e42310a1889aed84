/* SPDX-License-Identifier: Apache-2.0 */
/* Unix sockets that only their user, and root, can connect to. */
#pragma once

#include <stdbool.h>

/* Returns a non-blocking socket of this type (SOCK_STREAM, ...) that listens at `path`, or a
 * negative errno. Replaces a file at `path`. */
int private_socket_listen(const char *path, int type, int backlog);

/* Returns whether a process listens at `path`. */
bool private_socket_is_served(const char *path);

/* Closes the descriptor if it is open, and sets it to -1. */
void private_socket_close(int *fd);
