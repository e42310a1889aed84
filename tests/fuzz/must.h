/* SPDX-License-Identifier: Apache-2.0 */
/* What a fuzz entry demands: a fault becomes an abort, which every fuzzer reports. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#define MUST(condition) ((condition) ? (void)0 : must_fail(__FILE__, __LINE__, #condition))

/* `fault` is NULL or words. */
#define MUST_BE_NULL(fault) must_be_null(__FILE__, __LINE__, (fault))

static _Noreturn inline void must_fail(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

static inline void must_be_null(const char *file, int line, const char *fault)
{
    if (fault)
        must_fail(file, line, fault);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes);
