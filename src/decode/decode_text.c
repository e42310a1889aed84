/* SPDX-License-Identifier: Apache-2.0 */
/* Formats the values of fields as text. */
#include "decode/decode_text.h"

#include <inttypes.h>
#include <stdio.h>

#include <arpa/inet.h>
#include <sys/socket.h>

#include "wire/psn.h"

#define BRIEF_RANGES_MAX 6

void decode_text_address(const struct ipv6_addr *address, char text[DECODE_TEXT_ADDRESS_BYTES])
{
    if (ip_address_is_v4(address))
        inet_ntop(AF_INET, address->octets + 12, text, DECODE_TEXT_ADDRESS_BYTES);
    else
        inet_ntop(AF_INET6, address->octets, text, DECODE_TEXT_ADDRESS_BYTES);
}

static void write_usids(const struct field_list *list, char *text)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < list->count; i++)
        used += (size_t)snprintf(
            text + used, DECODE_TEXT_BYTES - used, "%s%04x", i ? " " : "", list->items[i]);
}

/* Returns the number of consecutive items from `first` on. */
static uint32_t run_length(const struct field_list *list, uint32_t first)
{
    uint32_t count = 1;

    while (first + count < list->count &&
           psn_distance(psn(list->items[first + count - 1]), psn(list->items[first + count])) == 1)
        count++;
    return count;
}

static void write_psns(const struct field_list *list, uint32_t range_count_max, char *text)
{
    uint32_t range_count = 0;
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < list->count && range_count <= range_count_max; range_count++) {
        uint32_t count = run_length(list, i);
        const char *separator = range_count ? "," : "";

        if (range_count == range_count_max)
            snprintf(text + used, DECODE_TEXT_BYTES - used, ",..");
        else if (count == 1)
            used += (size_t)snprintf(
                text + used, DECODE_TEXT_BYTES - used, "%s0x%x", separator, list->items[i]);
        else
            used += (size_t)snprintf(text + used, DECODE_TEXT_BYTES - used, "%s0x%x-0x%x",
                separator, list->items[i], list->items[i + count - 1]);
        i += count;
    }
}

static void write_other(const struct field *field, char *text)
{
    switch (field->form) {
    case FIELD_SIGNED:
        snprintf(text, DECODE_TEXT_BYTES, "%" PRId64, field->signed_number);
        break;
    case FIELD_FLAG:
        snprintf(text, DECODE_TEXT_BYTES, "%s", field->flag ? "yes" : "no");
        break;
    case FIELD_ADDRESS:
        decode_text_address(field->address, text);
        break;
    case FIELD_TEXT:
        snprintf(text, DECODE_TEXT_BYTES, "%s", field->text);
        break;
    case FIELD_USIDS:
        write_usids(field->list, text);
        break;
    default:
        snprintf(text, DECODE_TEXT_BYTES, "%" PRIu64, field->number);
        break;
    }
}

void decode_text_value(const struct field *field, char text[DECODE_TEXT_BYTES])
{
    if (field->form == FIELD_HEX || field->form == FIELD_WIDE)
        snprintf(text, DECODE_TEXT_BYTES, "0x%0*" PRIx64, field->digits, field->number);
    else if (field->form == FIELD_PSNS)
        write_psns(field->list, FIELD_ITEMS_MAX, text);
    else
        write_other(field, text);
}

void decode_text_brief(const struct field *field, char text[DECODE_TEXT_BYTES])
{
    const char *words = field->name ? field->name : field->alias;

    if (words)
        snprintf(text, DECODE_TEXT_BYTES, "%s", words);
    else if (field->form == FIELD_HEX || field->form == FIELD_WIDE)
        snprintf(text, DECODE_TEXT_BYTES, "0x%" PRIx64, field->number);
    else if (field->form == FIELD_PSNS)
        write_psns(field->list, BRIEF_RANGES_MAX, text);
    else
        write_other(field, text);
}
