/* SPDX-License-Identifier: Apache-2.0 */
/* Prints one line per packet: source and destination, path, opcode, and the most important
 * fields. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/decode_fields.h"
#include "decode/decode_print.h"
#include "decode/decode_text.h"
#include "decode/decode_words.h"

enum {
    LABEL_WIDTH = 4,
    ADDRESSES_WIDTH = 29,
    PATH_WIDTH = 10,
    OPCODE_WIDTH = 17,
    NS_PER_SECOND = 1000000000,
};

static void put_column(FILE *to, int *width, int width_min, const char *text)
{
    int length = (int)strlen(text);

    if (*width < width_min)
        *width = width_min;
    if (*width < length)
        *width = length;
    fprintf(to, "%-*s  ", *width, text);
}

static void put_label(FILE *to, const struct decode_item *item, struct decode_columns *columns)
{
    char number[24];

    snprintf(number, sizeof(number), "%*" PRIu64, LABEL_WIDTH, item->number);
    put_column(to, &columns->label, LABEL_WIDTH, item->name ? item->name : number);
}

static void put_time(FILE *to, const struct decode_item *item)
{
    bool is_earlier = item->time_ns < item->first_time_ns;
    uint64_t apart_ns =
        is_earlier ? item->first_time_ns - item->time_ns : item->time_ns - item->first_time_ns;

    if (item->has_time)
        fprintf(to, "%s%" PRIu64 ".%09" PRIu64 "  ", is_earlier ? "-" : " ",
            apart_ns / NS_PER_SECOND, apart_ns % NS_PER_SECOND);
}

static void put_addresses(
    FILE *to, const struct decode_packet *packet, struct decode_columns *columns)
{
    char both[2 * DECODE_TEXT_ADDRESS_BYTES + 3] = "-";
    char src[DECODE_TEXT_ADDRESS_BYTES];
    char dst[DECODE_TEXT_ADDRESS_BYTES];

    if (decode_packet_has(packet, DECODE_IP)) {
        decode_text_address(&packet->frame.inner.src, src);
        decode_text_address(&packet->frame.inner.dst, dst);
        snprintf(both, sizeof(both), "%s > %s", src, dst);
    }
    put_column(to, &columns->addresses, ADDRESSES_WIDTH, both);
}

static void put_path_and_opcode(
    FILE *to, const struct decode_packet *packet, struct decode_columns *columns)
{
    const struct packet *decoded = &packet->frame.packet;
    bool is_ours = packet->verdict != DECODE_FOREIGN;
    const char *opcode = is_ours ? decode_packet_opcode_name(packet) : NULL;
    char path[24] = "-";

    if (is_ours && decode_packet_has_ev(packet))
        decode_words_ev(packet->format, decoded->ev, path, sizeof(path));
    put_column(to, &columns->path, PATH_WIDTH, path);
    put_column(to, &columns->opcode, OPCODE_WIDTH, opcode ? opcode : "-");
}

struct line {
    FILE *to;
    enum field_subject subject; /* of this pass */
    bool is_wanted;             /* of the current group */
    const char *separator;
};

static void on_group(void *context, const struct field_group *group)
{
    struct line *line = context;

    line->is_wanted = group->subject == line->subject;
}

static void on_field(void *context, const struct field *field)
{
    struct line *line = context;
    bool is_list = field->form == FIELD_USIDS || field->form == FIELD_PSNS;
    char text[DECODE_TEXT_BYTES];

    if (!line->is_wanted || !field->brief)
        return;
    if ((is_list && field->list->count == 0) || (field->form == FIELD_FLAG && !field->flag))
        return;
    fprintf(line->to, "%s%s", line->separator, field->brief);
    line->separator = " ";
    if (field->form == FIELD_FLAG)
        return;
    decode_text_brief(field, text);
    fprintf(line->to, "%s%s", *field->brief ? " " : "", text);
}

void decode_print_line(FILE *to, const struct decode_item *item, struct decode_columns *columns)
{
    struct line line = { .to = to, .separator = "" };
    struct field_visitor visitor = { &line, on_group, on_field };

    put_label(to, item, columns);
    put_time(to, item);
    put_addresses(to, item->packet, columns);
    put_path_and_opcode(to, item->packet, columns);
    for (line.subject = 0; line.subject < FIELD_SUBJECT_COUNT; line.subject++)
        decode_fields_visit(item->packet, &visitor);
    fputc('\n', to);
}
