/* SPDX-License-Identifier: Apache-2.0 */
/* Reads mappings by a table, with a message for every wrong value. */
#include "files/yaml_fields.h"

#include <string.h>

#include "files/quantity.h"
#include "files/word.h"

#define KEYS_MAX 64 /* of a table */

static const enum quantity_kind quantity_of[] = {
    [YAML_COUNT] = QUANTITY_COUNT,
    [YAML_COUNT16] = QUANTITY_COUNT,
    [YAML_NUMBER] = QUANTITY_COUNT,
    [YAML_RATE] = QUANTITY_RATE,
    [YAML_TIME] = QUANTITY_TIME,
    [YAML_SIZE] = QUANTITY_SIZE,
    [YAML_SIZE32] = QUANTITY_SIZE,
    [YAML_FRACTION] = QUANTITY_FRACTION,
    [YAML_PERMILLE] = QUANTITY_PERMILLE,
};

static const char *const flags[] = { "off", "on", "no", "yes", "false", "true", NULL };

static bool is_number_wide(enum yaml_type type)
{
    return type == YAML_NUMBER || type == YAML_RATE || type == YAML_TIME || type == YAML_SIZE;
}

static uint64_t most_of(const struct yaml_field *field)
{
    if (field->most)
        return field->most;
    if (field->type == YAML_COUNT16)
        return UINT16_MAX;
    return is_number_wide(field->type) ? UINT64_MAX / 2 : UINT32_MAX;
}

static bool complain_quantity(struct yaml *yaml, const struct yaml_node *node,
    enum quantity_kind kind, enum quantity_error error)
{
    const char *example = quantity_example(kind);

    switch (error) {
    case QUANTITY_NO_UNIT:
        return yaml_complain(yaml, node, "'%s' has no unit; write %s", node->text, example);
    case QUANTITY_UNKNOWN_UNIT:
        return yaml_complain(yaml, node, "'%s' has an unknown unit; write %s", node->text, example);
    case QUANTITY_NOT_WHOLE:
        return yaml_complain(yaml, node, "'%s' is not a multiple of the smallest unit; write %s",
            node->text, example);
    case QUANTITY_TOO_LARGE:
        return yaml_complain(yaml, node, "'%s' is too large; write %s", node->text, example);
    default:
        return yaml_complain(yaml, node, "'%s' is not a number; write %s", node->text, example);
    }
}

static bool complain_range(
    struct yaml *yaml, const struct yaml_node *node, const struct yaml_field *field)
{
    enum quantity_kind kind = quantity_of[field->type];
    char least[QUANTITY_BYTES];
    char most[QUANTITY_BYTES];

    quantity_format(kind, field->least, least);
    quantity_format(kind, most_of(field), most);
    return yaml_complain(yaml, node, "%s is out of range; give %s to %s", node->text, least, most);
}

static bool read_quantity(
    struct yaml *yaml, const struct yaml_node *node, const struct yaml_field *field, void *member)
{
    enum quantity_kind kind = quantity_of[field->type];
    enum quantity_error error;
    uint64_t value = 0;
    uint32_t narrow;

    error = quantity_parse(kind, node->text, &value);
    if (error != QUANTITY_OK)
        return complain_quantity(yaml, node, kind, error);
    if (value < field->least || value > most_of(field))
        return complain_range(yaml, node, field);
    narrow = (uint32_t)value;
    if (is_number_wide(field->type))
        memcpy(member, &value, sizeof(value));
    else if (field->type == YAML_COUNT16)
        memcpy(member, &(uint16_t){ (uint16_t)value }, sizeof(uint16_t));
    else
        memcpy(member, &narrow, sizeof(narrow));
    return true;
}

static bool read_text(
    struct yaml *yaml, const struct yaml_node *node, const struct yaml_field *field, char *member)
{
    size_t length = strlen(node->text);

    if (length >= field->most)
        return yaml_complain(yaml, node, "is %zu characters long; at most %u fit", length,
            (unsigned)field->most - 1);
    memset(member, 0, field->most);
    memcpy(member, node->text, length);
    return true;
}

static bool read_word(
    struct yaml *yaml, const struct yaml_node *node, const char *const *words, int *index)
{
    const char *meant;
    char known[200];

    *index = word_find(words, node->text);
    if (*index >= 0)
        return true;
    meant = word_nearest(words, node->text);
    word_list(words, known, sizeof(known));
    if (meant)
        return yaml_complain(
            yaml, node, "there is no '%s'; did you mean '%s'? Known: %s", node->text, meant, known);
    return yaml_complain(yaml, node, "there is no '%s'; write %s", node->text, known);
}

static bool read_scalar(
    struct yaml *yaml, const struct yaml_node *node, const struct yaml_field *field, void *member)
{
    int index = 0;

    if (node->kind != YAML_SCALAR)
        return yaml_complain(yaml, node, "a single value is expected here, not a %s",
            node->kind == YAML_SEQUENCE ? "list" : "mapping");
    switch (field->type) {
    case YAML_TEXT:
        return read_text(yaml, node, field, member);
    case YAML_FLAG:
        if (!read_word(yaml, node, flags, &index))
            return false;
        *(bool *)member = index % 2 == 1;
        return true;
    case YAML_WORD:
        if (!read_word(yaml, node, field->words, &index))
            return false;
        memcpy(member, &index, sizeof(index));
        return true;
    default:
        return read_quantity(yaml, node, field, member);
    }
}

bool yaml_read_value(
    struct yaml *yaml, const struct yaml_node *node, const struct yaml_field *field, void *out)
{
    void *member = (char *)out + field->offset;

    if (yaml_is_empty(node))
        return yaml_complain_key(yaml, node, "has no value; give it one or remove the key");
    if (field->type == YAML_LIST && node->kind != YAML_SEQUENCE)
        return yaml_complain(yaml, node, "a list is expected here; begin each entry with '- '");
    if (field->type == YAML_MAP && node->kind != YAML_MAPPING)
        return yaml_complain(yaml, node, "keys with values are expected here");
    if (field->type == YAML_ANY || field->type == YAML_LIST || field->type == YAML_MAP) {
        memcpy(member, &node, sizeof(const struct yaml_node *));
        return true;
    }
    return read_scalar(yaml, node, field, member);
}

static bool complain_unknown(
    struct yaml *yaml, const struct yaml_node *node, const struct yaml_field *fields)
{
    const char *keys[KEYS_MAX + 1] = { NULL };
    const char *meant;
    char known[300];

    for (size_t i = 0; i < KEYS_MAX && fields[i].key; i++)
        keys[i] = fields[i].key;
    meant = word_nearest(keys, node->key);
    if (meant)
        return yaml_complain_key(
            yaml, node, "there is no such key here; did you mean '%s'?", meant);
    word_list(keys, known, sizeof(known));
    return yaml_complain_key(yaml, node, "there is no such key here; keys are %s", known);
}

bool yaml_read(
    struct yaml *yaml, const struct yaml_node *mapping, const struct yaml_field *fields, void *out)
{
    if (mapping->kind != YAML_MAPPING)
        return yaml_complain(yaml, mapping, "keys with values are expected here");
    for (const struct yaml_node *node = mapping->first; node; node = node->next) {
        const struct yaml_field *field = fields;

        while (field->key && strcmp(field->key, node->key) != 0)
            field++;
        if (!field->key)
            return complain_unknown(yaml, node, fields);
        if (!yaml_read_value(yaml, node, field, out))
            return false;
    }
    return true;
}

uint32_t yaml_append(const struct yaml_field *from, struct yaml_field *to, uint32_t count)
{
    for (; from->key; from++)
        to[count++] = *from;
    return count;
}

bool yaml_require(struct yaml *yaml, const struct yaml_node *mapping, const char *key)
{
    return yaml_member(mapping, key) ||
           yaml_complain(yaml, mapping, "the key '%s' is missing", key);
}
