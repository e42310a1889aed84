/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the results of mrc conform traffic. */
#pragma once

#include "conform/conform.h"

void conform_traffic_print_table(const struct traffic_config *, const struct traffic_result *);
void conform_traffic_print_json(
    const struct traffic_config *, const char *pattern, const struct traffic_result *);
