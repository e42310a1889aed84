/* SPDX-License-Identifier: Apache-2.0 */
/* Templates of any shape expand as fields put bit by bit. */
#include "path/path.h"

#include <string.h>

#include "spec.h"

static void put_bits(uint8_t *string, const struct template_field *field, uint32_t value)
{
    for (uint32_t bit = 0; bit < field->width; bit++)
        if (value >> (field->width - 1u - bit) & 1) {
            uint32_t at = field->bit_offset + bit;

            string[at / 8] |= (uint8_t)(0x80u >> at % 8);
        }
}

PROPERTY("an expansion is the OR of its fields, each at its place and with its constant", 2000)
{
    static const enum ev_format formats[] = { EV_FORMAT_SRV6, EV_FORMAT_SRV6_SRH };
    struct prng prng = prng_stream(seed, 0);
    enum ev_format format = formats[prng_below(&prng, 2)];
    struct ev_path path = { .plane = prng_below(&prng, 16), .uplink = prng_below(&prng, 1024) };
    struct template_field fields[TEMPLATE_FIELD_COUNT_MAX];
    uint32_t count = prng_below(&prng, TEMPLATE_FIELD_COUNT_MAX + 1);
    struct path_template template;
    struct template_addresses addresses = { 0 };
    uint8_t string[32] = { 0 };

    for (uint32_t i = 0; i < count; i++) {
        uint32_t source = prng_below(&prng, TEMPLATE_SOURCE_COUNT);
        uint32_t width = source == TEMPLATE_PLANE    ? 4 + prng_below(&prng, 8)
                         : source == TEMPLATE_UPLINK ? 10 + prng_below(&prng, 10)
                                                     : 1 + prng_below(&prng, 32);
        uint32_t value;

        fields[i] = (struct template_field){
            .bit_offset = (uint16_t)prng_below(&prng, ev_format_bits(format) - width + 1),
            .width = (uint8_t)width,
            .source = (uint8_t)source,
            .constant = (uint32_t)(prng_next(&prng) >> 32) >> (32 - width),
        };
        value = source == TEMPLATE_PLANE ? path.plane : source == TEMPLATE_UPLINK ? path.uplink : 0;
        if (((uint64_t)value + fields[i].constant) >> width > 0)
            fields[i].constant = 0;
        put_bits(string, &fields[i], value + fields[i].constant);
    }
    template_init(&template, format, fields, count);
    EXPECT_EQ(template_expand(&template, path, &addresses), format == EV_FORMAT_SRV6 ? 1 : 2);
    EXPECT_MEM_EQ(addresses.destination.octets, string, 16);
    EXPECT_MEM_EQ(addresses.segment.octets, string + 16, 16);
}
