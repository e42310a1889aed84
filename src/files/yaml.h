/* SPDX-License-Identifier: Apache-2.0 */
/* A YAML file as a tree. Every node has its position, so that messages can give file, line, column
 * and key.
 *
 * Everything read through a `struct yaml` belongs to it until yaml_fini(). A function that fails
 * returns false or NULL and writes one line to `problem`, unless there is one already. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define YAML_PROBLEM_BYTES 512
#define YAML_KEY_BYTES     128 /* path of keys in messages */

enum yaml_kind {
    YAML_SCALAR,
    YAML_SEQUENCE,
    YAML_MAPPING,
};

struct yaml_place {
    const char *source; /* a file, or "--set KEY=VALUE" */
    uint32_t line;      /* from 1; 0: the source has no lines */
    uint32_t column;
};

struct yaml_node {
    enum yaml_kind kind;
    bool is_plain;    /* a scalar without quotes */
    bool is_root;     /* the top of a file: paths of keys begin here */
    const char *key;  /* in its mapping; NULL elsewhere */
    const char *text; /* of a scalar */
    struct yaml_place key_place;
    struct yaml_place place;
    struct yaml_node *parent;
    struct yaml_node *first;
    struct yaml_node *last;
    struct yaml_node *next;
    uint32_t index; /* in its parent */
    uint32_t child_count;
};

struct yaml {
    struct yaml_chunk *chunks;
    size_t used_bytes; /* of the newest chunk */
    uint32_t node_count;
    char problem[YAML_PROBLEM_BYTES]; /* "": none so far */
};

void yaml_init(struct yaml *);
void yaml_fini(struct yaml *);

/* Zeroed, aligned for any type. */
void *yaml_take(struct yaml *, size_t count, size_t element_bytes);
const char *yaml_text(struct yaml *, const char *text, size_t length);

/* Loads one document whose top is a mapping. */
struct yaml_node *yaml_load(struct yaml *, const char *path);
/* Parses any single value. `source` is kept. Lines are counted if `has_lines`. */
struct yaml_node *yaml_parse(
    struct yaml *, const char *source, const char *text, size_t length, bool has_lines);

struct yaml_node *yaml_copy(struct yaml *, const struct yaml_node *);
const struct yaml_node *yaml_member(const struct yaml_node *mapping, const char *key);
/* Returns true if the key has no value: empty, ~ or null. */
bool yaml_is_empty(const struct yaml_node *);
/* Returns the path of the file that a scalar names, relative to the folder of the file that the
 * scalar is in. */
const char *yaml_path(struct yaml *, const struct yaml_node *);

/* Puts `value` at `path` (keys and list indexes separated by dots), replacing the current value.
 * Creates mappings on the way; lists do not grow. */
bool yaml_put(struct yaml *, struct yaml_node *top, const char *path, struct yaml_node *value);
/* Makes a node that has no parent the last one of `parent`. */
void yaml_adopt(struct yaml_node *parent, struct yaml_node *child);
/* Removes a member, if the mapping has it. */
void yaml_drop(struct yaml_node *mapping, const char *key);
/* Replaces `node` by `value`, under the same key. */
void yaml_replace(struct yaml_node *node, struct yaml_node *value);

/* Writes "FILE:LINE:COLUMN: key: what is wrong; what to do", at the value or at the key. The key is
 * the path to the node, separated by dots. Returns false. */
__attribute__((format(printf, 3, 4))) bool yaml_complain(
    struct yaml *, const struct yaml_node *, const char *format, ...);
__attribute__((format(printf, 3, 4))) bool yaml_complain_key(
    struct yaml *, const struct yaml_node *, const char *format, ...);
/* Reports a problem of a whole source. */
__attribute__((format(printf, 3, 4))) bool yaml_complain_at(
    struct yaml *, struct yaml_place, const char *format, ...);
