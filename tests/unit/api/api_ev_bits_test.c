/* SPDX-License-Identifier: Apache-2.0 */
/* Tests api/ev_bits.c, the expansion of EVs: the worked examples of the interface, limits, and
 * laws. */
#include "api/ev_bits.h"

#include <errno.h>
#include <string.h>

#include "spec.h"

static const struct ev_bits_format srv6 = { .count = 5, .widths = { 32, 16, 16, 16, 16 } };
static const struct ev_bits_fields planes_and_uplink = { .count = 5,
    .fields = {
        { .width = 32, .init_val = 0xfc000042 },
        { .width = 16, .init_val = 0x0405, .mask = 0xe000 },
        { .width = 16, .init_val = 0x0800, .mask = 0xe0ff },
        { .width = 16, .init_val = 0x0412, .mask = 0xe000 },
        { .width = 16, .init_val = 0x0c07, .mask = 0xe000 },
    } };

SPEC("plane and uplink bits go to their places in a list of uSIDs")
{
    static const mrc_ctl_ev_t compressed = { 0xb6, 0x72, 0xd0 };
    static const mrc_ctl_ev_t address = { 0xfc, 0x00, 0x00, 0x42, 0xa4, 0x05, 0xa8, 0x9c, 0xa4,
        0x12, 0xac, 0x07 };
    mrc_ctl_ev_t expanded;

    EXPECT_EQ(ev_bits_check_format(&srv6, MRC_CTL_EV_FMT_MODE_SRV6), 0);
    EXPECT_EQ(ev_bits_check_fields(&srv6, &planes_and_uplink), 0);
    EXPECT_EQ(ev_bits_compressed_width(&srv6, &planes_and_uplink), 20);
    EXPECT_EQ(ev_bits_expanded_width(&srv6), 96);
    ev_bits_expand(&srv6, &planes_and_uplink, compressed, expanded);
    EXPECT_MEM_EQ(expanded, address, sizeof(address));
}

SPEC("a structured EV without fields of its own is its own expansion")
{
    static const struct ev_bits_format format = { .count = 4, .widths = { 10, 8, 4, 10 } };
    static const struct ev_bits_fields none;
    static const mrc_ctl_ev_t compressed = { 0x55, 0x4f, 0x24, 0x00 };
    mrc_ctl_ev_t expanded;

    EXPECT_EQ(ev_bits_check_format(&format, MRC_CTL_EV_FMT_MODE_STEV), 0);
    EXPECT_EQ(ev_bits_compressed_width(&format, &none), 32);
    ev_bits_expand(&format, &none, compressed, expanded);
    EXPECT_MEM_EQ(expanded, compressed, sizeof(compressed));
}

SPEC("bits are dealt to a scattered mask from the highest down")
{
    static const struct ev_bits_format format = { .count = 2, .widths = { 16, 16 } };
    static const struct ev_bits_fields fields = { .count = 2,
        .fields = { { .width = 16, .init_val = 0x1000, .mask = 0x0f0f },
            { .width = 16, .init_val = 0x2000, .mask = 0x0f0f } } };
    static const mrc_ctl_ev_t compressed = { 0xab, 0x5c };
    static const mrc_ctl_ev_t wanted = { 0x1a, 0x0b, 0x25, 0x0c };
    mrc_ctl_ev_t expanded;

    ev_bits_expand(&format, &fields, compressed, expanded);
    EXPECT_MEM_EQ(expanded, wanted, sizeof(wanted));
}

SPEC("a field narrower than that of the format is right-aligned, and missing fields are zero")
{
    static const struct ev_bits_format format = { .count = 3, .widths = { 8, 8, 8 } };
    static const struct ev_bits_fields fields = { .count = 1,
        .fields = { { .width = 4, .mask = 0xf } } };
    static const mrc_ctl_ev_t compressed = { 0xd0 };
    static const mrc_ctl_ev_t wanted = { 0x0d, 0, 0 };
    mrc_ctl_ev_t expanded;

    ev_bits_expand(&format, &fields, compressed, expanded);
    EXPECT_MEM_EQ(expanded, wanted, sizeof(wanted));
}

SPEC("formats must fit their mode")
{
    static const struct {
        struct ev_bits_format format;
        enum mrc_ctl_ev_fmt_mode mode;
        int result;
    } cases[] = {
        { { 2, { 8, 8 } }, MRC_CTL_EV_FMT_MODE_UDP, 0 },
        { { 2, { 8, 9 } }, MRC_CTL_EV_FMT_MODE_UDP, -E2BIG },
        { { 1, { 32 } }, MRC_CTL_EV_FMT_MODE_STEV, 0 },
        { { 2, { 32, 1 } }, MRC_CTL_EV_FMT_MODE_STEV, -E2BIG },
        { { 8, { 32, 32, 32, 32, 32, 32, 32, 32 } }, MRC_CTL_EV_FMT_MODE_SRV6, 0 },
        { { 9, { 32, 32, 32, 32, 32, 32, 32, 32, 1 } }, MRC_CTL_EV_FMT_MODE_SRV6, -E2BIG },
        { { 1, { 33 } }, MRC_CTL_EV_FMT_MODE_SRV6, -E2BIG },
        { { 2, { 16, 0 } }, MRC_CTL_EV_FMT_MODE_SRV6, -EINVAL },
        { { 0, { 0 } }, MRC_CTL_EV_FMT_MODE_SRV6, -EINVAL },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        EXPECT_EQ(ev_bits_check_format(&cases[i].format, cases[i].mode), cases[i].result);
}

SPEC("fields must fit their format and themselves")
{
    static const struct ev_bits_format format = { .count = 1, .widths = { 16 } };
    static const struct {
        struct mrc_ctl_ev_field field;
        int result;
    } cases[] = {
        { { .width = 16, .init_val = 0xffff, .mask = 0xffff, .max_val = 0xffff }, 0 },
        { { .width = 8, .init_val = 0xff, .mask = 0x3, .min_val = 1, .max_val = 3 }, 0 },
        { { .width = 8, .init_val = 1 }, 0 },
        { { .width = 17 }, -E2BIG },
        { { .width = 0 }, -EINVAL },
        { { .width = 8, .init_val = 0x100 }, -EINVAL },
        { { .width = 8, .mask = 0x100 }, -EINVAL },
        { { .width = 8, .mask = 0x3, .max_val = 4 }, -EINVAL },
        { { .width = 8, .mask = 0x3, .min_val = 3, .max_val = 2 }, -EINVAL },
        { { .width = 8, .max_val = 1 }, -EINVAL },
    };
    struct ev_bits_fields fields = { .count = 1 };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fields.fields[0] = cases[i].field;
        EXPECT_EQ(ev_bits_check_fields(&format, &fields), cases[i].result);
    }
    fields = (struct ev_bits_fields){ .count = 2, .fields = { { .width = 1 }, { .width = 1 } } };
    EXPECT_EQ(ev_bits_check_fields(&format, &fields), -E2BIG);
}

SPEC("a value fits if no bit above its width is set")
{
    mrc_ctl_ev_t value = { 0xff, 0xf0 };

    EXPECT(ev_bits_fit(value, 12));
    EXPECT(!ev_bits_fit(value, 11));
    EXPECT(ev_bits_fit(value, 256));
    value[31] = 1;
    EXPECT(!ev_bits_fit(value, 255));
    EXPECT(ev_bits_fit(value, 256));
}

SPEC("the space of EVs is the product of the fields' ranges")
{
    static const struct ev_bits_format format = { .count = 3, .widths = { 32, 32, 8 } };
    struct ev_bits_fields fields = { .count = 3,
        .fields = { { .width = 8, .mask = 0xf, .min_val = 2, .max_val = 11 },
            { .width = 8, .mask = 0x7 }, { .width = 8, .init_val = 3 } } };

    EXPECT_EQ(ev_bits_space(&format, &fields), 10 * 8);
    fields.fields[0] = (struct mrc_ctl_ev_field){ .width = 32, .mask = UINT32_MAX };
    EXPECT_EQ(ev_bits_space(&format, &fields), UINT32_MAX);
}

PROPERTY("generated EVs keep to their limits, and so do the fields into which they expand", 300)
{
    struct prng prng = { .state = seed };
    struct ev_bits_format format = { .count = 3, .widths = { 16, 16, 16 } };
    struct ev_bits_fields fields = { .count = 3 };
    mrc_ctl_ev_t compressed;
    mrc_ctl_ev_t expanded;

    for (uint32_t i = 0; i < 3; i++) {
        struct mrc_ctl_ev_field *field = &fields.fields[i];

        field->width = 16;
        field->mask = 0x3ff; /* at the low end: the drawn value is the field's */
        field->init_val = 0xf000;
        field->max_val = 1 + prng_below(&prng, 0x3ff);
        field->min_val = prng_below(&prng, field->max_val + 1);
    }
    EXPECT_EQ(ev_bits_check_fields(&format, &fields), 0);
    ev_bits_draw(&format, &fields, &prng, compressed);
    EXPECT(ev_bits_fit(compressed, ev_bits_compressed_width(&format, &fields)));
    ev_bits_expand(&format, &fields, compressed, expanded);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t value = (uint32_t)expanded[2 * i] << 8 | expanded[2 * i + 1];

        EXPECT_EQ(value & 0xfc00, 0xf000);
        EXPECT_GE(value & 0x3ff, fields.fields[i].min_val);
        EXPECT_LE(value & 0x3ff, fields.fields[i].max_val);
    }
}

PROPERTY("different compressed EVs expand differently", 300)
{
    struct prng prng = { .state = seed };
    mrc_ctl_ev_t a = { 0 };
    mrc_ctl_ev_t b;
    mrc_ctl_ev_t expanded_a;
    mrc_ctl_ev_t expanded_b;
    uint32_t bit = prng_below(&prng, 20);

    ev_bits_draw(&srv6, &planes_and_uplink, &prng, a);
    memcpy(b, a, sizeof(b));
    b[bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
    ev_bits_expand(&srv6, &planes_and_uplink, a, expanded_a);
    ev_bits_expand(&srv6, &planes_and_uplink, b, expanded_b);
    EXPECT_NE(memcmp(expanded_a, expanded_b, sizeof(expanded_a)), 0);
}
