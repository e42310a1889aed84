/* SPDX-License-Identifier: Apache-2.0 */
/* Talking to a running fabric: one JSON object out, one back, over the Unix socket `control` of its
 * folder. Requests have a member "do": "show", "fault", "clear" or "stop"; mrc-fabric(1) has the
 * rest. An answer with a member "error" says what was wrong. */
#pragma once

/* 0, with the answer to be freed; or a negative errno: -ECONNREFUSED or -ENOENT: nobody runs. */
int control_ask(const char *socket_path, const char *request, char **answer);
