/* SPDX-License-Identifier: Apache-2.0 */
/* A format of configurations: one of the rows of config_formats.def. */
#pragma once

#include <stdio.h>

#include "config/config_source.h"

/* What has a folder of its own. */
enum config_scope {
    CONFIG_OF_SWITCH,
    CONFIG_OF_NIC,
    CONFIG_OF_FABRIC, /* none: the files are for the whole fabric */
    CONFIG_SCOPE_COUNT,
};

enum { CONFIG_FILES_MAX = 3 };

struct config_format;
/* `node`: the switch or NIC. */
typedef void config_write_file(const struct config_source *, uint32_t node, FILE *);

struct config_file {
    const char *name;
    config_write_file *write;
};

struct config_format {
    const char *word;    /* of --format */
    const char *help;    /* one line */
    const char *checked; /* how this format was tested; lines without a comment sign */
    enum config_scope scope;
    bool needs_levels;                              /* not for fabrics with a shape */
    struct config_file files[CONFIG_FILES_MAX + 1]; /* ends with a name of NULL */
};

/* All formats; ends with NULL. */
extern const struct config_format *const config_formats[];
const struct config_format *config_format_find(const char *word); /* NULL: none */

/* Returns the number of folders. */
uint32_t config_format_count(const struct config_format *, const struct plan *);
/* Writes the name of a folder; empty for the whole fabric. */
void config_format_name(const struct config_format *, const struct plan *, uint32_t node,
    char out[static TOPOLOGY_NAME_BYTES]);
/* Returns false if there is no such folder. */
bool config_format_find_node(
    const struct config_format *, const struct plan *, const char *name, uint32_t *node);

/* Writes lines that begin with `sign`: what the file is, and how its format was checked. */
void config_format_title(
    const struct config_format *, const struct plan *, const char *name, const char *sign, FILE *);
/* Like config_format_title(), and a warning if uSIDs are in the range that routers reserve. */
void config_format_router_title(
    const struct config_format *, const struct config_switch *, const char *sign, FILE *);
