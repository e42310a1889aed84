/* SPDX-License-Identifier: Apache-2.0 */
/* From a mapping into a struct, by a table of the keys it may have. */
#pragma once

#include "files/yaml.h"

enum yaml_type {   /* what the member of the struct is */
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
    YAML_ANY,      /* const struct yaml_node *, to be read by somebody else */
    YAML_LIST,     /* the same, a list */
    YAML_MAP,      /* the same, a mapping */
};

struct yaml_field {
    const char *key;
    enum yaml_type type;
    size_t offset;
    uint64_t least; /* of numbers; least == most == 0: as the type allows */
    uint64_t most;
    const char *const *words; /* ends with NULL */
};

/* Fills the members whose keys are there, leaves the others. False after a complaint: a key that
 * the table does not have, a value that does not fit. The table ends with a key of NULL. */
bool yaml_read(struct yaml *, const struct yaml_node *, const struct yaml_field *, void *out);

/* The same for a single value. */
bool yaml_read_value(struct yaml *, const struct yaml_node *, const struct yaml_field *, void *out);

/* Copies the fields of one table to the `count` that another has; returns how many it has then. The
 * end is not copied. */
uint32_t yaml_append(const struct yaml_field *from, struct yaml_field *to, uint32_t count);

/* The key is there and has a value. */
bool yaml_require(struct yaml *, const struct yaml_node *mapping, const char *key);
