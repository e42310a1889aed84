/* SPDX-License-Identifier: Apache-2.0 */
/* The one description of what a packet says: groups of named fields, handed to a visitor. Line,
 * tree and JSON are visitors. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "decode/decode_packet.h"

enum field_form {
    FIELD_NUMBER, /* shown decimal */
    FIELD_HEX,    /* shown with `digits` hex digits */
    FIELD_WIDE,   /* the same, up to 64 bits: a string in JSON, where numbers have 53 */
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

/* Everything a field points at is lent for the call. */
struct field {
    const char *key;   /* in JSON and in the tree: docs/wire.md's name where it has one */
    const char *brief; /* NULL: not in the line. "": there without a word in front. */
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
    const char *name;  /* what the number is called; in JSON under KEY_name */
    const char *alias; /* how people write the number; not in JSON */
    const char *note;  /* an explanation, in the tree only */
};

/* What a group is about, in the order of the line. */
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
    void (*on_group)(void *context, const struct field_group *); /* the one before has ended */
    void (*on_field)(void *context, const struct field *);
};

void decode_fields_visit(const struct decode_packet *, const struct field_visitor *);
