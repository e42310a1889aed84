/* SPDX-License-Identifier: Apache-2.0 */
/* The tree: memory, copies, changes, and messages. */
#include "files/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)64 * 1024)
#define ALIGNMENT   16

struct yaml_chunk {
    struct yaml_chunk *older;
    size_t size_bytes;
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

void yaml_init(struct yaml *yaml)
{
    *yaml = (struct yaml){ 0 };
}

void yaml_fini(struct yaml *yaml)
{
    while (yaml->chunks) {
        struct yaml_chunk *older = yaml->chunks->older;

        free(yaml->chunks);
        yaml->chunks = older;
    }
}

static void add_chunk(struct yaml *yaml, size_t bytes)
{
    size_t size_bytes = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    struct yaml_chunk *chunk = calloc(1, sizeof(*chunk) + size_bytes);

    if (!chunk) {
        fputs("mrc: out of memory\n", stderr);
        exit(1);
    }
    chunk->older = yaml->chunks;
    chunk->size_bytes = size_bytes;
    yaml->chunks = chunk;
    yaml->used_bytes = 0;
}

void *yaml_take(struct yaml *yaml, size_t count, size_t element_bytes)
{
    size_t bytes = (count * element_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *taken;

    if (!yaml->chunks || bytes > yaml->chunks->size_bytes - yaml->used_bytes)
        add_chunk(yaml, bytes);
    taken = yaml->chunks->bytes + yaml->used_bytes;
    yaml->used_bytes += bytes;
    return taken;
}

const char *yaml_text(struct yaml *yaml, const char *text, size_t length)
{
    char *copy = yaml_take(yaml, length + 1, 1);

    memcpy(copy, text, length);
    return copy;
}

const struct yaml_node *yaml_member(const struct yaml_node *mapping, const char *key)
{
    if (mapping->kind != YAML_MAPPING)
        return NULL;
    for (const struct yaml_node *node = mapping->first; node; node = node->next)
        if (strcmp(node->key, key) == 0)
            return node;
    return NULL;
}

bool yaml_is_empty(const struct yaml_node *node)
{
    if (node->kind != YAML_SCALAR || !node->is_plain)
        return false;
    return !*node->text || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0;
}

const char *yaml_path(struct yaml *yaml, const struct yaml_node *node)
{
    const char *slash = node->place.line ? strrchr(node->place.source, '/') : NULL;
    size_t folder_bytes = slash ? (size_t)(slash + 1 - node->place.source) : 0;
    size_t name_bytes = strlen(node->text);
    char *path;

    if (folder_bytes == 0 || node->text[0] == '/')
        return node->text;
    path = yaml_take(yaml, folder_bytes + name_bytes + 1, 1);
    memcpy(path, node->place.source, folder_bytes);
    memcpy(path + folder_bytes, node->text, name_bytes);
    return path;
}

void yaml_adopt(struct yaml_node *parent, struct yaml_node *child)
{
    child->parent = parent;
    child->next = NULL;
    child->index = parent->child_count++;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
}

struct yaml_node *yaml_copy(struct yaml *yaml, const struct yaml_node *node)
{
    struct yaml_node *copy = yaml_take(yaml, 1, sizeof(*copy));

    *copy = *node;
    copy->parent = copy->first = copy->last = copy->next = NULL;
    copy->child_count = 0;
    for (const struct yaml_node *child = node->first; child; child = child->next)
        yaml_adopt(copy, yaml_copy(yaml, child));
    return copy;
}

/* ---- changes --------------------------------------------------------------------------------- */

void yaml_drop(struct yaml_node *mapping, const char *key)
{
    struct yaml_node *next = mapping->first;

    mapping->first = mapping->last = NULL;
    mapping->child_count = 0;
    while (next) {
        struct yaml_node *child = next;

        next = child->next;
        if (strcmp(child->key, key) != 0)
            yaml_adopt(mapping, child);
    }
}

void yaml_replace(struct yaml_node *node, struct yaml_node *value)
{
    struct yaml_node *child;

    node->kind = value->kind;
    node->is_plain = value->is_plain;
    node->is_root = value->is_root;
    node->text = value->text;
    node->place = value->place;
    node->first = value->first;
    node->last = value->last;
    node->child_count = value->child_count;
    for (child = node->first; child; child = child->next)
        child->parent = node;
}

static struct yaml_node *child_at(const struct yaml_node *sequence, const char *segment)
{
    char *end;
    unsigned long index = strtoul(segment, &end, 10);

    if (*end || !*segment || *segment == '-' || *segment == '+')
        return NULL;
    for (struct yaml_node *child = sequence->first; child; child = child->next)
        if (child->index == index)
            return child;
    return NULL;
}

static struct yaml_node *add_mapping(
    struct yaml *yaml, struct yaml_node *parent, const char *key, const struct yaml_node *because)
{
    struct yaml_node *child = yaml_take(yaml, 1, sizeof(*child));

    child->kind = YAML_MAPPING;
    child->key = key;
    child->place = child->key_place = because->place;
    yaml_adopt(parent, child);
    return child;
}

/* Writes the keys that lead to a node, separated by dots. */
static size_t path_into(const struct yaml_node *node, char *out)
{
    size_t used = 0;
    int wrote;

    if (!node->parent || node->is_root)
        return 0;
    used = path_into(node->parent, out);
    if (used + 2 >= YAML_KEY_BYTES)
        return used;
    if (node->key)
        wrote = snprintf(out + used, YAML_KEY_BYTES - used, "%s%s", used ? "." : "", node->key);
    else
        wrote = snprintf(out + used, YAML_KEY_BYTES - used, "%s%u", used ? "." : "", node->index);
    used += (size_t)wrote;
    return used < YAML_KEY_BYTES ? used : YAML_KEY_BYTES - 1;
}

static void write_path(const struct yaml_node *node, char out[static YAML_KEY_BYTES])
{
    out[0] = '\0';
    path_into(node, out);
}

/* Returns the node that one segment of a path leads to. Creates it if a mapping lacks it. */
static struct yaml_node *step_into(
    struct yaml *yaml, struct yaml_node *node, const char *segment, struct yaml_node *value)
{
    struct yaml_node *child = NULL;
    char path[YAML_KEY_BYTES];

    if (node->kind == YAML_MAPPING) {
        child = (struct yaml_node *)yaml_member(node, segment);
        return child ? child : add_mapping(yaml, node, segment, value);
    }
    write_path(node, path);
    if (node->kind == YAML_SEQUENCE)
        child = child_at(node, segment);
    if (node->kind == YAML_SEQUENCE && !child)
        yaml_complain_at(yaml, value->place, "%s has no entry '%s'; its entries are 0 to %u", path,
            segment, node->child_count - 1);
    else if (!child)
        yaml_complain_at(yaml, value->place, "%s is a single value and has no '%s'", path, segment);
    return child;
}

bool yaml_put(struct yaml *yaml, struct yaml_node *top, const char *path, struct yaml_node *value)
{
    struct yaml_node *node = top;

    while (*path) {
        size_t length = strcspn(path, ".");

        if (length == 0)
            return yaml_complain_at(
                yaml, value->place, "this is not a key; write names with single dots between them");
        node = step_into(yaml, node, yaml_text(yaml, path, length), value);
        if (!node)
            return false;
        path += length + (path[length] == '.');
    }
    yaml_replace(node, value);
    return true;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* A key or value may contain anything. Messages stay one line and contain no control characters. */
static void make_one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = ' ';
}

static void say_problem(struct yaml *yaml, struct yaml_place place, const char *key,
    const char *format, va_list arguments)
{
    char *at = yaml->problem;
    char *end = at + sizeof(yaml->problem);

    if (*at)
        return;
    if (place.line)
        at += snprintf(
            at, YAML_PROBLEM_BYTES / 2, "%s:%u:%u: ", place.source, place.line, place.column);
    else
        at += snprintf(at, YAML_PROBLEM_BYTES / 2, "%s: ", place.source);
    if (at > yaml->problem + YAML_PROBLEM_BYTES / 2 - 1)
        at = yaml->problem + YAML_PROBLEM_BYTES / 2 - 1;
    if (*key)
        at += snprintf(at, (size_t)(end - at), "%s: ", key);
    vsnprintf(at, (size_t)(end - at), format, arguments);
    make_one_line(yaml->problem);
}

bool yaml_complain(struct yaml *yaml, const struct yaml_node *node, const char *format, ...)
{
    char path[YAML_KEY_BYTES];
    va_list arguments;

    write_path(node, path);
    va_start(arguments, format);
    say_problem(yaml, node->place, path, format, arguments);
    va_end(arguments);
    return false;
}

bool yaml_complain_key(struct yaml *yaml, const struct yaml_node *node, const char *format, ...)
{
    char path[YAML_KEY_BYTES];
    va_list arguments;

    write_path(node, path);
    va_start(arguments, format);
    say_problem(yaml, node->key ? node->key_place : node->place, path, format, arguments);
    va_end(arguments);
    return false;
}

bool yaml_complain_at(struct yaml *yaml, struct yaml_place place, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say_problem(yaml, place, "", format, arguments);
    va_end(arguments);
    return false;
}
