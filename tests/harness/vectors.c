/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the vectors with the C library alone: what they test takes no part in reading them. */
#include "vectors.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void die(const char *what, const char *which)
{
    fprintf(stderr, "%s: %s: %s\n", VECTORS_FOLDER, which, what);
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

/* `name length hex`, and behind it `# verdict: text` in the file of negative vectors. */
static bool read_line(struct vector *vector, const char *line)
{
    char hex[2 * VECTOR_BYTES_MAX + 1];
    size_t length;
    int count =
        sscanf(line, "%23s %zu %512s # %23[^:]", vector->name, &length, hex, vector->verdict);

    if (count < 3)
        return false;
    read_hex(vector, hex, length);
    return true;
}

static void read_file(const char *path, struct vectors *vectors)
{
    FILE *file = fopen(path, "r");
    char line[2 * VECTOR_BYTES_MAX + 256];

    if (!file)
        die("cannot be opened", path);
    while (fgets(line, sizeof(line), file)) {
        if (line[0] == '#')
            continue;
        if (vectors->count == VECTOR_COUNT_MAX || !read_line(&vectors->items[vectors->count], line))
            die("not a line `name length hex`, or one too many", line);
        vectors->count++;
    }
    fclose(file);
}

const struct vectors *vectors_all(void)
{
    static struct vectors vectors;

    if (vectors.count == 0)
        read_file(VECTORS_FOLDER "/mrc-vectors.txt", &vectors);
    return &vectors;
}

const struct vectors *vectors_negative(void)
{
    static struct vectors vectors;

    if (vectors.count == 0)
        read_file(VECTORS_FOLDER "/mrc-negative.txt", &vectors);
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
