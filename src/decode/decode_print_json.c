/* SPDX-License-Identifier: Apache-2.0 */
/* Prints every field of a packet as a JSON object: one member per header, keys as in
 * mrc-decode(1). */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "decode/decode_fields.h"
#include "decode/decode_print.h"
#include "decode/decode_text.h"

enum {
    NS_PER_SECOND = 1000000000,
};

struct json {
    json_t *packet;
    json_t *group; /* borrowed from `packet` */
};

static void on_group(void *context, const struct field_group *group)
{
    struct json *json = context;

    json->group = json_object();
    json_object_set_new(json->packet, group->key, json->group);
}

static json_t *list_value(const struct field_list *list)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < list->count; i++)
        json_array_append_new(array, json_integer(list->items[i]));
    return array;
}

static json_t *field_value(const struct field *field)
{
    char text[DECODE_TEXT_BYTES];

    switch (field->form) {
    case FIELD_NUMBER:
    case FIELD_HEX:
        return json_integer((json_int_t)field->number);
    case FIELD_SIGNED:
        return json_integer(field->signed_number);
    case FIELD_FLAG:
        return json_boolean(field->flag);
    case FIELD_USIDS:
    case FIELD_PSNS:
        return list_value(field->list);
    case FIELD_WIDE:
    case FIELD_ADDRESS:
    case FIELD_TEXT:
        break;
    }
    decode_text_value(field, text);
    return json_string(text);
}

static void on_field(void *context, const struct field *field)
{
    struct json *json = context;
    char key[64];

    json_object_set_new(json->group, field->key, field_value(field));
    if (!field->name)
        return;
    snprintf(key, sizeof(key), "%s_name", field->key);
    json_object_set_new(json->group, key, json_string(field->name));
}

static void add_origin(const struct decode_item *item, json_t *packet)
{
    char time[40];

    /* The name of a file need not be UTF-8, but JSON must be. */
    json_object_set_new(packet, "file", json_string(item->file));
    json_object_set_new(packet, "number", json_integer((json_int_t)item->number));
    if (item->name)
        json_object_set_new(packet, "name", json_string(item->name));
    if (item->has_time) {
        snprintf(time, sizeof(time), "%" PRIu64 ".%09" PRIu64, item->time_ns / NS_PER_SECOND,
            item->time_ns % NS_PER_SECOND);
        json_object_set_new(packet, "time", json_string(time));
    }
    json_object_set_new(packet, "length", json_integer(item->packet->length));
}

void decode_print_json(FILE *to, const struct decode_item *item)
{
    struct json json = { .packet = json_object() };
    struct field_visitor visitor = { &json, on_group, on_field };

    add_origin(item, json.packet);
    decode_fields_visit(item->packet, &visitor);
    json_dumpf(json.packet, to, JSON_COMPACT);
    fputc('\n', to);
    json_decref(json.packet);
}
