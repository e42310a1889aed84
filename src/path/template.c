/* SPDX-License-Identifier: Apache-2.0 */
/* Expands a path to addresses: constants, OR-ed with the fields of plane and uplink, or an entry of
 * a list. */
#include "path/template.h"

#include <assert.h>

#include "base/bytes.h"

#define WORD_BITS 64u

/* A field of at most 32 bits is in one word or in two adjacent ones. */
static void put_field(uint64_t *words, const struct template_field *field, uint32_t value)
{
    uint64_t *word = &words[field->bit_offset / WORD_BITS];
    uint32_t end = field->bit_offset % WORD_BITS + field->width;

    assert((uint64_t)value >> field->width == 0);
    if (end <= WORD_BITS) {
        word[0] |= (uint64_t)value << (WORD_BITS - end);
    } else {
        word[0] |= (uint64_t)value >> (end - WORD_BITS);
        word[1] |= (uint64_t)value << (2 * WORD_BITS - end);
    }
}

void template_init(struct path_template *template, enum ev_format format,
    const struct template_field *fields, uint32_t field_count)
{
    *template = (struct path_template){ .format = (uint8_t)format };
    for (uint32_t i = 0; i < field_count; i++) {
        assert(fields[i].source < TEMPLATE_SOURCE_COUNT);
        assert(fields[i].width >= 1 && fields[i].width <= 32);
        assert(fields[i].bit_offset + fields[i].width <= ev_format_bits(format));
        if (fields[i].source == TEMPLATE_CONSTANT) {
            put_field(template->constants, &fields[i], fields[i].constant);
        } else {
            assert(template->field_count < TEMPLATE_FIELD_COUNT_MAX);
            template->fields[template->field_count++] = fields[i];
        }
    }
}

void template_init_list(struct path_template *template, const struct template_list *list)
{
    *template = (struct path_template){ .list = list, .format = EV_FORMAT_SRV6 };
}

static uint32_t look_up(
    const struct template_list *list, struct ev_path path, struct template_addresses *out)
{
    uint32_t first = path.plane < PATH_PLANE_COUNT_MAX ? list->first[path.plane] : 0;
    uint32_t count = path.plane < PATH_PLANE_COUNT_MAX ? list->first[path.plane + 1] - first : 0;
    uint32_t index;

    if (count == 0)
        return 0;
    index = first + path.uplink % count;
    out->destination = list->destinations[index];
    if (!list->segments || ip_address_is_zero(&list->segments[index]))
        return 1;
    out->segment = list->segments[index];
    return 2;
}

static void fill_in(const struct path_template *template, struct ev_path path, uint64_t *words)
{
    memcpy(words, template->constants, sizeof(template->constants));
    for (uint32_t i = 0; i < template->field_count; i++) {
        const struct template_field *field = &template->fields[i];

        put_field(words, field,
            field->constant + (field->source == TEMPLATE_PLANE ? path.plane : path.uplink));
    }
}

uint32_t template_expand(
    const struct path_template *template, struct ev_path path, struct template_addresses *out)
{
    uint32_t address_count = ev_format_bits(template->format) / 128;
    uint64_t words[4];

    if (template->list)
        return look_up(template->list, path, out);
    if (address_count == 0)
        return 0;
    fill_in(template, path, words);
    bytes_put_be64(out->destination.octets, words[0]);
    bytes_put_be64(out->destination.octets + 8, words[1]);
    if (address_count == 2) {
        bytes_put_be64(out->segment.octets, words[2]);
        bytes_put_be64(out->segment.octets + 8, words[3]);
    }
    return address_count;
}
