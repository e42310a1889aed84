/* SPDX-License-Identifier: Apache-2.0 */
/* Parses ports on the command line. */
#include "conform/conform_spec.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns where the first ",KEY=" begins: addresses may contain commas. */
static size_t address_length(const char *text)
{
    size_t length = strcspn(text, ",");

    while (text[length]) {
        size_t word = strspn(text + length + 1, "abcdefghijklmnopqrstuvwxyz_");

        if (word > 0 && text[length + 1 + word] == '=')
            break;
        length += 1 + strcspn(text + length + 1, ",");
    }
    return length;
}

static void write_quoted(const char *text, size_t length, FILE *to)
{
    fputc('\'', to);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'')
            fputc('\'', to);
        fputc(text[i], to);
    }
    fputc('\'', to);
}

static void write_mapping(const char *text, const char *flag, FILE *to)
{
    size_t length = address_length(text);

    fputs("{interface: ", to);
    write_quoted(text, length, to);
    if (flag)
        fprintf(to, ", %s: yes", flag);
    for (text += length; *text; text += strcspn(text, ",")) {
        size_t key = strcspn(++text, "=,");

        fprintf(to, ", %.*s: ", (int)key, text);
        text += key + (text[key] == '=');
        write_quoted(text, strcspn(text, ","), to);
    }
    fputc('}', to);
}

struct yaml_node *conform_spec_parse(
    struct yaml *yaml, const char *option, const char *text, const char *flag)
{
    struct yaml_node *node = NULL;
    char source[192];
    char *mapping = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&mapping, &length);

    if (!to)
        return NULL;
    write_mapping(text, flag, to);
    (void)fclose(to);
    snprintf(source, sizeof(source), "%s %s", option, text);
    node = yaml_parse(yaml, yaml_text(yaml, source, strlen(source)), mapping, length, false);
    free(mapping);
    return node;
}

bool conform_spec_address(
    struct yaml *yaml, const struct yaml_node *node, struct ipv6_addr *address)
{
    if (node->kind == YAML_SCALAR && inet_pton(AF_INET6, node->text, address->octets) == 1)
        return true;
    return yaml_complain(yaml, node, "an IPv6 address is expected here");
}
