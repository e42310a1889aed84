/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the pages, embedded at build time by tools/embed. */
#pragma once

#include <stddef.h>

struct files_entry {
    const char *name; /* without folder */
    const unsigned char *bytes;
    size_t size;
};

extern const struct files_entry files_entries[];
extern const size_t files_count;
