/* SPDX-License-Identifier: Apache-2.0 */
/* Expands EVs field by field, and draws random EVs within the limits of the fields. */
#include "api/ev_bits.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define FIELD_WIDTH_MAX 32

uint32_t ev_bits_mode_width(enum mrc_ctl_ev_fmt_mode mode)
{
    switch (mode) {
    case MRC_CTL_EV_FMT_MODE_UDP:
        return 16;
    case MRC_CTL_EV_FMT_MODE_STEV:
        return 32;
    case MRC_CTL_EV_FMT_MODE_SRV6:
        return EV_BITS_MAX;
    }
    return 0;
}

static uint32_t get_bits(const uint8_t *bits, uint32_t offset, uint32_t width)
{
    uint32_t value = 0;

    for (uint32_t i = offset; i < offset + width; i++)
        value = value << 1 | ((uint32_t)bits[i / 8] >> (7 - i % 8) & 1u);
    return value;
}

static void put_bits(uint8_t *bits, uint32_t offset, uint32_t width, uint32_t value)
{
    for (uint32_t i = 0; i < width; i++)
        if (value >> (width - 1 - i) & 1u)
            bits[(offset + i) / 8] |= (uint8_t)(0x80u >> (offset + i) % 8);
}

static uint32_t ones(uint32_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

static uint32_t all_ones(uint32_t width)
{
    return width == 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
}

/* Returns the field of the profile, or else the whole field of the format. */
static struct mrc_ctl_ev_field field_at(
    const struct ev_bits_format *format, const struct ev_bits_fields *fields, uint32_t index)
{
    if (fields->count)
        return fields->fields[index];
    return (struct mrc_ctl_ev_field){ .width = format->widths[index],
        .mask = all_ones(format->widths[index]) };
}

static uint32_t field_count(
    const struct ev_bits_format *format, const struct ev_bits_fields *fields)
{
    return fields->count ? fields->count : format->count;
}

uint32_t ev_bits_expanded_width(const struct ev_bits_format *format)
{
    uint32_t width = 0;

    for (uint32_t i = 0; i < format->count; i++)
        width += format->widths[i];
    return width;
}

uint32_t ev_bits_compressed_width(
    const struct ev_bits_format *format, const struct ev_bits_fields *fields)
{
    uint32_t width = 0;

    for (uint32_t i = 0; i < field_count(format, fields); i++)
        width += ones(field_at(format, fields, i).mask);
    return width;
}

int ev_bits_check_format(const struct ev_bits_format *format, enum mrc_ctl_ev_fmt_mode mode)
{
    if (format->count == 0)
        return -EINVAL;
    for (uint32_t i = 0; i < format->count; i++) {
        if (format->widths[i] == 0)
            return -EINVAL;
        if (format->widths[i] > FIELD_WIDTH_MAX)
            return -E2BIG;
    }
    return ev_bits_expanded_width(format) > ev_bits_mode_width(mode) ? -E2BIG : 0;
}

static int check_field(const struct mrc_ctl_ev_field *field, uint8_t format_width)
{
    if (field->width == 0)
        return -EINVAL;
    if (field->width > format_width)
        return -E2BIG;
    if (field->init_val & ~all_ones(field->width) || field->mask & ~all_ones(field->width))
        return -EINVAL;
    if (field->min_val > field->max_val || field->max_val > all_ones(ones(field->mask)))
        return -EINVAL;
    return 0;
}

int ev_bits_check_fields(const struct ev_bits_format *format, const struct ev_bits_fields *fields)
{
    if (fields->count > format->count)
        return -E2BIG;
    for (uint32_t i = 0; i < fields->count; i++) {
        int err = check_field(&fields->fields[i], format->widths[i]);

        if (err)
            return err;
    }
    return 0;
}

bool ev_bits_fit(const mrc_ctl_ev_t value, uint32_t width)
{
    for (uint32_t i = width; i < EV_BITS_MAX; i++)
        if (get_bits(value, i, 1))
            return false;
    return true;
}

void ev_bits_expand(const struct ev_bits_format *format, const struct ev_bits_fields *fields,
    const mrc_ctl_ev_t compressed, mrc_ctl_ev_t expanded)
{
    uint32_t source = 0;
    uint32_t at = 0;

    memset(expanded, 0, sizeof(mrc_ctl_ev_t));
    for (uint32_t i = 0; i < field_count(format, fields); i++) {
        struct mrc_ctl_ev_field field = field_at(format, fields, i);
        uint32_t value = field.init_val;

        for (uint32_t bit = FIELD_WIDTH_MAX; bit-- > 0;)
            if (field.mask >> bit & 1u) {
                value &= ~(UINT32_C(1) << bit);
                value |= get_bits(compressed, source++, 1) << bit;
            }
        put_bits(expanded, at, format->widths[i], value);
        at += format->widths[i];
    }
}

/* If a field has random bits and no limit, any value is allowed
 * (docs/man/mrc_ctl_modify_ev_profile.3). */
static uint32_t largest(const struct mrc_ctl_ev_field *field)
{
    return field->max_val == 0 ? all_ones(ones(field->mask)) : field->max_val;
}

uint32_t ev_bits_space(const struct ev_bits_format *format, const struct ev_bits_fields *fields)
{
    uint64_t space = 1;

    for (uint32_t i = 0; i < field_count(format, fields); i++) {
        struct mrc_ctl_ev_field field = field_at(format, fields, i);

        if (field.mask)
            space *= (uint64_t)largest(&field) - field.min_val + 1;
        if (space > UINT32_MAX)
            return UINT32_MAX;
    }
    return (uint32_t)space;
}

void ev_bits_draw(const struct ev_bits_format *format, const struct ev_bits_fields *fields,
    struct prng *prng, mrc_ctl_ev_t compressed)
{
    uint32_t at = 0;

    memset(compressed, 0, sizeof(mrc_ctl_ev_t));
    for (uint32_t i = 0; i < field_count(format, fields); i++) {
        struct mrc_ctl_ev_field field = field_at(format, fields, i);
        uint32_t range = field.mask ? largest(&field) - field.min_val : 0;
        uint32_t drawn = range == UINT32_MAX ? (uint32_t)(prng_next(prng) >> 32)
                                             : field.min_val + prng_below(prng, range + 1);

        put_bits(compressed, at, ones(field.mask), drawn);
        at += ones(field.mask);
    }
}
