/* SPDX-License-Identifier: Apache-2.0 */
/* mrc conform: lists its verbs. */
#include "cmd/conform/conform_verbs.h"

static const struct cmd *const verbs[] = { &conform_api_command, &conform_capture_command,
    &conform_endpoint_command, &conform_switch_command, &conform_traffic_command, NULL };

const struct cmd conform_command = {
    .name = "conform",
    .summary = "check other implementations against the protocol",
    .verbs = verbs,
    .purpose = "Checks other implementations against the protocol.",
};
