/* SPDX-License-Identifier: Apache-2.0 */
/* The only description of the contents of a packet: groups of named fields for a visitor. Line,
 * tree and JSON are visitors. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "decode/decode_packet.h"

enum field_form {
    FIELD_NUMBER, /* shown decimal */
    FIELD_HEX,    /* shown with `digits` hex digits */
    FIELD_WIDE,   /* like FIELD_HEX, up to 64 bits: a string in JSON, whose numbers have 53 */
    FIELD_SIGNED,
    FIELD_FLAG,
    FIELD_ADDRESS,
    FIELD_TEXT,
    FIELD_USIDS,
    FIELD_PSNS,
};

#define FIELD_ITEMS_MAX 64

struct field_list {
    uint32_t items[FIELD_ITEMS_MAX];
    uint32_t count;
};

/* Everything that a field points to is valid only during the call. */
struct field {
    const char *key;   /* in JSON and in the tree: the name in docs/wire.md, if any */
    const char *brief; /* NULL: not in the line; "": in the line without a word */
    enum field_form form;
    uint8_t digits;
    union {
        uint64_t number;
        int64_t signed_number;
        bool flag; /* in the line, `brief` alone, if true */
        const struct ipv6_addr *address;
        const char *text;
        const struct field_list *list;
    };
    const char *name;  /* name of the value; in JSON under KEY_name */
    const char *alias; /* usual notation of the number; not in JSON */
    const char *note;  /* an explanation, in the tree only */
};

/* The subject of a group, in the order of the line. */
enum field_subject {
    FIELD_MESSAGE,
    FIELD_WAY,
    FIELD_VERDICT,
    FIELD_SUBJECT_COUNT,
};

struct field_group {
    const char *key;
    const char *title;
    enum field_subject subject;
};

struct field_visitor {
    void *context;
    void (*on_group)(void *context, const struct field_group *); /* ends the previous group */
    void (*on_field)(void *context, const struct field *);
};

void decode_fields_visit(const struct decode_packet *, const struct field_visitor *);
