/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a running fabric or NIC over the Unix socket in its folder: a text out, a text back. What
 * may be asked, mrc-fabric(1) and host/status.h say. */
#pragma once

/* 0, with the answer to be freed; or a negative errno: -ECONNREFUSED or -ENOENT: nobody runs,
 * -ETIMEDOUT: it does not answer. */
int control_ask(const char *socket_path, const char *request, char **answer);

/* Yields a socket on which texts come until one side closes it, or a negative errno. */
int control_follow(const char *socket_path, const char *request);
