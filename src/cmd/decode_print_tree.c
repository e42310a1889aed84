/* SPDX-License-Identifier: Apache-2.0 */
/* Every field of a packet, header by header. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/decode_fields.h"
#include "cmd/decode_print.h"
#include "cmd/decode_text.h"

enum {
    KEY_WIDTH = 17,
    VALUE_WIDTH = 12,
    NS_PER_SECOND = 1000000000,
};

static void on_group(void *context, const struct field_group *group)
{
    (void)context;
    printf("  %s\n", group->title);
}

/* Words stand behind the value, the note in brackets behind them. */
static void on_field(void *context, const struct field *field)
{
    char text[DECODE_TEXT_BYTES];
    const char *words = field->name ? field->name : field->alias;

    (void)context;
    decode_text_value(field, text);
    printf("    %-*s  ", KEY_WIDTH, field->key);
    if (words || field->note)
        printf("%-*s  ", VALUE_WIDTH, text);
    else
        fputs(*text ? text : "-", stdout);
    if (words)
        fputs(words, stdout);
    if (field->note)
        printf("%s(%s)", words ? " " : "", field->note);
    putchar('\n');
}

static void print_heading(const struct decode_item *item)
{
    const struct decode_packet *packet = item->packet;
    const char *opcode = decode_packet_opcode_name(packet);

    printf("packet %" PRIu64, item->number);
    if (item->name)
        printf(" %s", item->name);
    if (packet->verdict != DECODE_FOREIGN && opcode)
        printf(": %s", opcode);
    printf(", %u bytes", packet->length);
    if (item->has_time)
        printf(", at %" PRIu64 ".%09" PRIu64 " s", item->time_ns / NS_PER_SECOND,
            item->time_ns % NS_PER_SECOND);
    putchar('\n');
}

void decode_print_tree(const struct decode_item *item)
{
    struct field_visitor visitor = { NULL, on_group, on_field };

    print_heading(item);
    decode_fields_visit(item->packet, &visitor);
    putchar('\n');
}
