/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of mrc conform endpoint. Their kit is a struct endpoint_bench. */
#pragma once

#include "conform/conform_suite.h"

extern const struct conform_suite endpoint_suite;

#define CHECK(function, word, section, needs, sentence)                                            \
    void endpoint_suite_##function(void *kit, struct conform_report *);
#include "conform/endpoint_checks.def"
#undef CHECK
