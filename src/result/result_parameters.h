/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters that an experiment may set. */
#pragma once

#include <stdio.h>

/* Prints each with its default, range and meaning. */
void result_parameters_print(FILE *);
