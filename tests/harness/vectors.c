/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the vectors with the C library alone: what they test takes no part in reading them. */
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void die(const char *what, const char *which)
{
    fprintf(stderr, "%s: %s: %s\n", VECTORS_FILE, which, what);
    exit(1);
}

static void read_hex(struct vector *vector, const char *hex, size_t length)
{
    if (length > sizeof(vector->bytes) || strlen(hex) != 2 * length)
        die("the length is wrong", vector->name);
    for (size_t i = 0; i < length; i++) {
        unsigned int byte;

        if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
            die("not hexadecimal", vector->name);
        vector->bytes[i] = (uint8_t)byte;
    }
    vector->length = length;
}

static void read_file(struct vectors *vectors)
{
    FILE *file = fopen(VECTORS_FILE, "r");
    char line[2 * VECTOR_BYTES_MAX + 64];

    if (!file)
        die("cannot be opened", "the vectors");
    while (fgets(line, sizeof(line), file)) {
        struct vector *vector = &vectors->items[vectors->count];
        char hex[2 * VECTOR_BYTES_MAX + 1];
        size_t length;

        if (line[0] == '#')
            continue;
        if (vectors->count == VECTOR_COUNT_MAX ||
            sscanf(line, "%7s %zu %512s", vector->name, &length, hex) != 3)
            die("not a line `name length hex`, or one too many", line);
        read_hex(vector, hex, length);
        vectors->count++;
    }
    fclose(file);
}

const struct vectors *vectors_all(void)
{
    static struct vectors vectors;

    if (vectors.count == 0)
        read_file(&vectors);
    return &vectors;
}

const struct vector *vectors_find(const char *name)
{
    const struct vectors *vectors = vectors_all();

    for (size_t i = 0; i < vectors->count; i++)
        if (strcmp(vectors->items[i].name, name) == 0)
            return &vectors->items[i];
    die("no such vector", name);
}
