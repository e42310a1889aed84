/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a mapping into a struct, by a table of its keys. */
#pragma once

#include "files/yaml.h"

enum yaml_type {   /* the type of the struct member */
    YAML_TEXT,     /* char[most] */
    YAML_FLAG,     /* bool: on, off, yes, no, true, false */
    YAML_COUNT,    /* uint32_t */
    YAML_COUNT16,  /* uint16_t */
    YAML_NUMBER,   /* uint64_t */
    YAML_RATE,     /* uint64_t, bit/s */
    YAML_TIME,     /* uint64_t, ps */
    YAML_SIZE,     /* uint64_t, bytes */
    YAML_SIZE32,   /* uint32_t, bytes */
    YAML_FRACTION, /* uint32_t, of 2^32 */
    YAML_PERMILLE, /* uint32_t */
    YAML_WORD,     /* int or an enum: index in `words` */
    YAML_ANY,      /* const struct yaml_node *, read by the caller */
    YAML_LIST,     /* like YAML_ANY, a list */
    YAML_MAP,      /* like YAML_ANY, a mapping */
};

struct yaml_field {
    const char *key;
    enum yaml_type type;
    size_t offset;
    uint64_t least; /* of numbers; least == most == 0: the range of the type */
    uint64_t most;
    const char *const *words; /* ends with NULL */
};

/* Sets the members whose keys are present; the others are unchanged. Returns false after an error
 * message for an unknown key or a wrong value. The table ends with a key of NULL. */
bool yaml_read(struct yaml *, const struct yaml_node *, const struct yaml_field *, void *out);

/* Like yaml_read(), for a single value. */
bool yaml_read_value(struct yaml *, const struct yaml_node *, const struct yaml_field *, void *out);

/* Appends the fields of one table, without its end, to the `count` fields of another. Returns the
 * new count. */
uint32_t yaml_append(const struct yaml_field *from, struct yaml_field *to, uint32_t count);

/* Checks that the key is present and has a value. */
bool yaml_require(struct yaml *, const struct yaml_node *mapping, const char *key);
