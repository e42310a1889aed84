/* SPDX-License-Identifier: Apache-2.0 */
/* Prints every field of a packet, header by header. */
#include <inttypes.h>
#include <stdio.h>

#include "decode/decode_fields.h"
#include "decode/decode_print.h"
#include "decode/decode_text.h"

enum {
    KEY_WIDTH = 17,
    VALUE_WIDTH = 12,
    NS_PER_SECOND = 1000000000,
};

static void on_group(void *context, const struct field_group *group)
{
    fprintf(context, "  %s\n", group->title);
}

/* Words follow the value, and the note follows them in brackets. */
static void on_field(void *context, const struct field *field)
{
    char text[DECODE_TEXT_BYTES];
    const char *words = field->name ? field->name : field->alias;
    FILE *to = context;

    decode_text_value(field, text);
    fprintf(to, "    %-*s  ", KEY_WIDTH, field->key);
    if (words || field->note)
        fprintf(to, "%-*s  ", VALUE_WIDTH, text);
    else
        fputs(*text ? text : "-", to);
    if (words)
        fputs(words, to);
    if (field->note)
        fprintf(to, "%s(%s)", words ? " " : "", field->note);
    fputc('\n', to);
}

static void print_heading(FILE *to, const struct decode_item *item)
{
    const struct decode_packet *packet = item->packet;
    const char *opcode = decode_packet_opcode_name(packet);

    fprintf(to, "packet %" PRIu64, item->number);
    if (item->name)
        fprintf(to, " %s", item->name);
    if (packet->verdict != DECODE_FOREIGN && opcode)
        fprintf(to, ": %s", opcode);
    fprintf(to, ", %u bytes", packet->length);
    if (item->has_time)
        fprintf(to, ", at %" PRIu64 ".%09" PRIu64 " s", item->time_ns / NS_PER_SECOND,
            item->time_ns % NS_PER_SECOND);
    fputc('\n', to);
}

void decode_print_tree(FILE *to, const struct decode_item *item)
{
    struct field_visitor visitor = { to, on_group, on_field };

    print_heading(to, item);
    decode_fields_visit(item->packet, &visitor);
    fputc('\n', to);
}
