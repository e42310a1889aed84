/* SPDX-License-Identifier: Apache-2.0 */
/* A page made from a template, in which each {{NAME}} stands for an embedded file or for data. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

/* Data of a page. */
struct page_slot {
    const char *name; /* in the template */
    void (*put)(FILE *to, void *what);
    void *what;
};

/* Returns 0, or -EIO with the cause in errno. */
int page_write(FILE *to, const char *template_name, const struct page_slot *slots, size_t count);

/* Writes an element with this class and id, which a script can read. */
void page_put_json(FILE *to, const char *kind, const char *id, const json_t *value);
