/* SPDX-License-Identifier: Apache-2.0 */
/* One line a packet: who to whom, by which path, what, and the fields that matter. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/decode_fields.h"
#include "cmd/decode_print.h"
#include "cmd/decode_text.h"
#include "cmd/decode_words.h"

enum {
    LABEL_WIDTH = 4,
    ADDRESSES_WIDTH = 29,
    PATH_WIDTH = 10,
    OPCODE_WIDTH = 17,
    NS_PER_SECOND = 1000000000,
};

static void put_column(int *width, int width_min, const char *text)
{
    int length = (int)strlen(text);

    if (*width < width_min)
        *width = width_min;
    if (*width < length)
        *width = length;
    printf("%-*s  ", *width, text);
}

static void put_label(const struct decode_item *item, struct decode_columns *columns)
{
    char number[24];

    snprintf(number, sizeof(number), "%*" PRIu64, LABEL_WIDTH, item->number);
    put_column(&columns->label, LABEL_WIDTH, item->name ? item->name : number);
}

static void put_time(const struct decode_item *item)
{
    bool is_earlier = item->time_ns < item->first_time_ns;
    uint64_t apart_ns =
        is_earlier ? item->first_time_ns - item->time_ns : item->time_ns - item->first_time_ns;

    if (item->has_time)
        printf("%s%" PRIu64 ".%09" PRIu64 "  ", is_earlier ? "-" : " ", apart_ns / NS_PER_SECOND,
            apart_ns % NS_PER_SECOND);
}

static void put_addresses(const struct decode_packet *packet, struct decode_columns *columns)
{
    char both[2 * DECODE_TEXT_ADDRESS_BYTES + 3] = "-";
    char src[DECODE_TEXT_ADDRESS_BYTES];
    char dst[DECODE_TEXT_ADDRESS_BYTES];

    if (decode_packet_has(packet, DECODE_IP)) {
        decode_text_address(&packet->frame.inner.src, src);
        decode_text_address(&packet->frame.inner.dst, dst);
        snprintf(both, sizeof(both), "%s > %s", src, dst);
    }
    put_column(&columns->addresses, ADDRESSES_WIDTH, both);
}

static void put_path_and_opcode(const struct decode_packet *packet, struct decode_columns *columns)
{
    const struct packet *decoded = &packet->frame.packet;
    bool is_ours = packet->verdict != DECODE_FOREIGN;
    const char *opcode = is_ours ? decode_packet_opcode_name(packet) : NULL;
    char path[24] = "-";

    if (is_ours && decode_packet_has_ev(packet))
        decode_words_ev(packet->format, decoded->ev, path, sizeof(path));
    put_column(&columns->path, PATH_WIDTH, path);
    put_column(&columns->opcode, OPCODE_WIDTH, opcode ? opcode : "-");
}

struct line {
    enum field_subject subject; /* of this pass */
    bool is_wanted;             /* the group at hand */
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
    printf("%s%s", line->separator, field->brief);
    line->separator = " ";
    if (field->form == FIELD_FLAG)
        return;
    decode_text_brief(field, text);
    printf("%s%s", *field->brief ? " " : "", text);
}

void decode_print_line(const struct decode_item *item, struct decode_columns *columns)
{
    struct line line = { .separator = "" };
    struct field_visitor visitor = { &line, on_group, on_field };

    put_label(item, columns);
    put_time(item);
    put_addresses(item->packet, columns);
    put_path_and_opcode(item->packet, columns);
    for (line.subject = 0; line.subject < FIELD_SUBJECT_COUNT; line.subject++)
        decode_fields_visit(item->packet, &visitor);
    putchar('\n');
}
