/* SPDX-License-Identifier: Apache-2.0 */
/* Sends requests to a running fabric or NIC over the Unix socket in its folder: one text out, one
 * text back. control/request_form.h is the grammar of the texts; the request `help` lists them. */
#pragma once

/* Returns 0 and an answer that the caller frees, or a negative errno: -ECONNREFUSED or -ENOENT if
 * no process listens, -ETIMEDOUT if the process does not answer. */
int control_ask(const char *socket_path, const char *request, char **answer);

/* Returns a socket on which texts arrive until one side closes it, or a negative errno. */
int control_follow(const char *socket_path, const char *request);
