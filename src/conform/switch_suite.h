/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of mrc conform switch. Their kit is a struct switch_bench. */
#pragma once

#include "conform/conform_suite.h"

extern const struct conform_suite switch_suite;

#define CHECK(function, word, section, needs, sentence)                                            \
    void switch_suite_##function(void *kit, struct conform_report *);
#include "conform/switch_checks.def"
#undef CHECK
