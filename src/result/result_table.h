/* SPDX-License-Identifier: Apache-2.0 */
/* A result as people read it on a terminal, made from its JSON. */
#pragma once

#include <stdio.h>

#include <jansson.h>

void result_table_print(FILE *, const json_t *result);
