/* SPDX-License-Identifier: Apache-2.0 */
/* The QPs of a running NIC, which returns some at a time. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "control/request.h"

/* Returns an array: with one QP if `qpn` is not 0, empty if the NIC has none. NULL unless
 * REQUEST_ANSWERED. */
enum request_result qp_list_read(
    const char *device, uint32_t qpn, json_t **qps, char reason[REQUEST_REASON_BYTES]);
