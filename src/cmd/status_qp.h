/* SPDX-License-Identifier: Apache-2.0 */
/* All QPs of a running NIC. */
#pragma once

#include "cmd/status.h"

/* An array to be released, of one QP if the options name it; NULL: nobody has the device. */
enum cmd_status status_qp_list(
    const struct status_command *, const struct status_options *, const char *device, json_t **qps);
