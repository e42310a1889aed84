/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what descriptions of devices have in common. */
#include "conform/conform_spec.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"

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

/* Returns the list of ports, which is created if there is none. */
static struct yaml_node *port_list(struct yaml *yaml, struct yaml_node *top)
{
    struct yaml_node *list;

    if (!yaml_member(top, "ports")) {
        list = yaml_parse(yaml, "ports", "[]", 2, false);
        if (!list || !yaml_put(yaml, top, "ports", list))
            return NULL;
    }
    for (list = top->first; strcmp(list->key, "ports") != 0; list = list->next)
        ;
    return list;
}

bool conform_spec_add_port(struct yaml *yaml, struct yaml_node *top, const char *option,
    const char *text, const char *flag)
{
    struct yaml_node *list = port_list(yaml, top);
    struct yaml_node *node = list ? conform_spec_parse(yaml, option, text, flag) : NULL;

    if (node)
        yaml_adopt(list, node);
    return node;
}

bool conform_spec_classes(struct yaml *yaml, const struct yaml_node *mapping, uint8_t *dscp)
{
    for (const struct yaml_node *node = mapping->first; node; node = node->next) {
        static const struct yaml_field number = { .type = YAML_COUNT, .most = 63 };
        uint32_t value = 0;
        int class = 0;

        while (class < DSCP_OTHER &&
               strcmp(decode_words_class((enum dscp_class) class), node->key) != 0)
            class ++;
        if (class == DSCP_OTHER)
            return yaml_complain_key(yaml, node,
                "classes are no_trim, trimmable, trimmable_retx, trimmed, trimmed_lasthop, "
                "control");
        if (!yaml_read_value(yaml, node, &number, &value))
            return false;
        dscp[class] = (uint8_t)value;
    }
    return true;
}

static bool read_feature(struct yaml *yaml, const struct yaml_node *node,
    const struct conform_suite *suite, uint64_t *absent)
{
    char reason[CONFORM_SUITE_REASON_BYTES];

    if (node->kind != YAML_SCALAR)
        return yaml_complain(yaml, node, "the word of a feature is expected here");
    return conform_suite_declare(suite, node->text, absent, reason) ||
           yaml_complain(yaml, node, "%s", reason);
}

bool conform_spec_features(struct yaml *yaml, const struct yaml_node *node,
    const struct conform_suite *suite, uint64_t *absent)
{
    if (node->kind != YAML_SEQUENCE)
        return read_feature(yaml, node, suite, absent);
    for (const struct yaml_node *entry = node->first; entry; entry = entry->next)
        if (!read_feature(yaml, entry, suite, absent))
            return false;
    return true;
}
