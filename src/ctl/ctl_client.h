/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a controller: one request, one answer. */
#pragma once

#include <jansson.h>

#include "ctl/ctl_folder.h"

struct ctl_client {
    char url[CTL_PATH_BYTES]; /* http://127.0.0.1:4790 */
    char token[CTL_TOKEN_BYTES + 64];
};

/* Finds the controller that runs on the folder: its address and, if it can be read, its token.
 * Returns false, with a reason, if none does. */
bool ctl_client_find(
    struct ctl_client *, const struct ctl_folder *, char reason[static CTL_REASON_BYTES]);

/* Sends a request; a body makes it a POST. Returns the status of HTTP and the answer, which the
 * caller releases; 0 and a reason if there is no answer. */
unsigned ctl_client_ask(const struct ctl_client *, const char *path, const json_t *body,
    json_t **answer, char reason[static CTL_REASON_BYTES]);
