/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, trees and hashes in JSON. */
#include "files/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MILLION UINT64_C(1000000)

__extension__ typedef unsigned __int128 wide;

json_t *json_millionths(uint64_t millionths)
{
    if (millionths % MILLION == 0)
        return json_integer((json_int_t)(millionths / MILLION));
    return json_real((double)millionths / 1e6);
}

static uint64_t json_ratio_millionths(uint64_t numerator, uint64_t denominator)
{
    return (uint64_t)((wide)numerator * MILLION / denominator);
}

json_t *json_ratio(uint64_t numerator, uint64_t denominator)
{
    if (!denominator)
        return json_null();
    return json_millionths(json_ratio_millionths(numerator, denominator));
}

json_t *json_text(const char *text)
{
    json_t *json = json_string(text);
    char *copy;

    if (json)
        return json;
    copy = strdup(text);
    for (char *at = copy; at && *at; at++)
        if (*at & 0x80)
            *at = '?';
    json = copy ? json_string(copy) : NULL;
    free(copy);
    return json ? json : json_string("?");
}

static json_t *of_scalar(const struct yaml_node *node)
{
    size_t length = strlen(node->text);

    if (!node->is_plain)
        return json_text(node->text);
    if (yaml_is_empty(node))
        return json_null();
    if (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0)
        return json_boolean(node->text[0] == 't');
    if (length < 19 && strspn(node->text, "0123456789") == length &&
        (node->text[0] != '0' || length == 1))
        return json_integer((json_int_t)strtoull(node->text, NULL, 10));
    return json_text(node->text);
}

json_t *json_of_yaml(const struct yaml_node *node)
{
    json_t *json;

    if (node->kind == YAML_SCALAR)
        return of_scalar(node);
    json = node->kind == YAML_MAPPING ? json_object() : json_array();
    for (const struct yaml_node *child = node->first; child; child = child->next)
        if (node->kind == YAML_MAPPING)
            json_object_set_new(json, child->key, json_of_yaml(child));
        else
            json_array_append_new(json, json_of_yaml(child));
    return json;
}

static int hash_on(const char *text, size_t length, void *context)
{
    uint64_t *hash = context;

    for (size_t i = 0; i < length; i++)
        *hash = (*hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return 0;
}

void json_hash(const json_t *json, char out[static JSON_HASH_BYTES])
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    json_dump_callback(json, hash_on, &hash, JSON_FORM | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    snprintf(out, JSON_HASH_BYTES, "%016" PRIx64, hash);
}
