/* SPDX-License-Identifier: Apache-2.0 */
/* A result as people read it on a terminal, made from its JSON. */
#pragma once

#include <jansson.h>

void sim_table_print(const json_t *result);
