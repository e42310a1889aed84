/* SPDX-License-Identifier: Apache-2.0 */
/* From plane and uplink to addresses. */
#include "path/template.h"

#include <string.h>

#include "spec.h"
#include "vectors.h"
#include "wire/format.h"
#include "wire/usid.h"

#define CONSTANT(offset, bits, value)                                                              \
    {                                                                                              \
        .bit_offset = (offset), .width = (bits), .source = TEMPLATE_CONSTANT, .constant = (value)  \
    }
#define FIELD(offset, bits, from)                                                                  \
    {                                                                                              \
        .bit_offset = (offset), .width = (bits), .source = (from)                                  \
    }

/* docs/fabric.md §5: from T0 5 by the T1 of the uplink to downlink 7 of T0 0x12. */
static const struct template_field example[] = {
    CONSTANT(0, 32, 0xfc000042),
    CONSTANT(32, 16, 0x0405),
    CONSTANT(48, 16, 0x0800),
    CONSTANT(64, 16, 0x0412),
    CONSTANT(80, 16, 0x0c07),
    FIELD(32, 3, TEMPLATE_PLANE),
    FIELD(48, 3, TEMPLATE_PLANE),
    FIELD(64, 3, TEMPLATE_PLANE),
    FIELD(80, 3, TEMPLATE_PLANE),
    FIELD(54, 10, TEMPLATE_UPLINK),
};

SPEC("the example of the fabric puts the plane into every uSID and the uplink into that of the T1")
{
    const struct vector *x3 = vectors_find("X3");
    struct path_template template;
    struct template_addresses addresses;

    template_init(&template, EV_FORMAT_SRV6, example, 10);
    EXPECT_EQ(
        template_expand(&template, (struct ev_path){ .plane = 5, .uplink = 0x9c }, &addresses), 1);
    EXPECT_EQ(usid_get(&addresses.destination, 0), 0xa405);
    EXPECT_EQ(usid_get(&addresses.destination, 1), 0xa89c);
    EXPECT_EQ(usid_get(&addresses.destination, 2), 0xa412);
    EXPECT_EQ(usid_get(&addresses.destination, 3), 0xac07);
    EXPECT_EQ(usid_get(&addresses.destination, 4), 0);
    EXPECT_MEM_EQ(addresses.destination.octets, x3->bytes + 24, 16);
}

SPEC("a template can be used for any EV: an expansion leaves no bits behind")
{
    struct path_template template;
    struct template_addresses addresses;

    template_init(&template, EV_FORMAT_SRV6, example, 10);
    for (uint32_t plane = 8; plane-- > 0;)
        for (uint32_t uplink = 256; uplink-- > 0;) {
            template_expand(
                &template, (struct ev_path){ .plane = plane, .uplink = uplink }, &addresses);
            EXPECT_EQ(usid_get(&addresses.destination, 0), plane << 13 | 0x405);
            EXPECT_EQ(usid_get(&addresses.destination, 1), plane << 13 | 0x800 | uplink);
        }
}

SPEC("a destination below the same T0 needs only the plane")
{
    static const struct template_field local[] = {
        CONSTANT(0, 32, 0xfc000042),
        CONSTANT(32, 16, 0x0405),
        CONSTANT(48, 16, 0x0c07),
        FIELD(32, 3, TEMPLATE_PLANE),
        FIELD(48, 3, TEMPLATE_PLANE),
    };
    static const uint8_t expected[16] = { 0xfc, 0, 0, 0x42, 0x64, 0x05, 0x6c, 0x07 };
    struct path_template template;
    struct template_addresses addresses;

    template_init(&template, EV_FORMAT_SRV6, local, 5);
    template_expand(&template, (struct ev_path){ .plane = 3, .uplink = 99 }, &addresses);
    EXPECT_MEM_EQ(addresses.destination.octets, expected, 16);
}

SPEC("with an SRH the second half of the string is its segment")
{
    static const struct template_field fields[] = {
        CONSTANT(0, 32, 0xfc000042),
        FIELD(32, 3, TEMPLATE_PLANE),
        CONSTANT(128, 32, 0xfc000043),
        FIELD(160, 3, TEMPLATE_PLANE),
        FIELD(246, 10, TEMPLATE_UPLINK),
    };
    static const uint8_t destination[16] = { 0xfc, 0, 0, 0x42, 0xe0 };
    static const uint8_t segment[16] = { 0xfc, 0, 0, 0x43, 0xe0, [14] = 0x02, [15] = 0x01 };
    struct path_template template;
    struct template_addresses addresses;

    template_init(&template, EV_FORMAT_SRV6_SRH, fields, 5);
    EXPECT_EQ(
        template_expand(&template, (struct ev_path){ .plane = 7, .uplink = 0x201 }, &addresses), 2);
    EXPECT_MEM_EQ(addresses.destination.octets, destination, 16);
    EXPECT_MEM_EQ(addresses.segment.octets, segment, 16);
}

SPEC("a field may cross a boundary of words")
{
    static const struct template_field fields[] = {
        FIELD(60, 8, TEMPLATE_UPLINK),
        CONSTANT(112, 32, 0xdeadbeef),
    };
    static const uint8_t destination[16] = { [7] = 0x0a, [8] = 0xb0, [14] = 0xde, [15] = 0xad };
    static const uint8_t segment[16] = { 0xbe, 0xef };
    struct path_template template;
    struct template_addresses addresses;

    template_init(&template, EV_FORMAT_SRV6_SRH, fields, 2);
    template_expand(&template, (struct ev_path){ .uplink = 0xab }, &addresses);
    EXPECT_MEM_EQ(addresses.destination.octets, destination, 16);
    EXPECT_MEM_EQ(addresses.segment.octets, segment, 16);
}

SPEC("an EV that switches hash or read has no expansion")
{
    struct path_template template;
    struct template_addresses addresses;

    memset(&addresses, 0x5a, sizeof(addresses));
    template_init(&template, EV_FORMAT_UDP, NULL, 0);
    EXPECT_EQ(template_expand(&template, (struct ev_path){ .uplink = 7 }, &addresses), 0);
    template_init(&template, EV_FORMAT_STRUCTURED, NULL, 0);
    EXPECT_EQ(template_expand(&template, (struct ev_path){ .uplink = 7 }, &addresses), 0);
    EXPECT_EQ(addresses.destination.octets[0], 0x5a);
}

SPEC("with a list, the number of a path is an index modulo the number of paths of the plane")
{
    struct ipv6_addr destinations[3] = { { { 1 } }, { { 2 } }, { { 3 } } };
    struct template_list list = { .destinations = destinations, .first = { 0, 2, 2, 3, 3 } };
    struct path_template template;
    struct template_addresses out;

    template_init_list(&template, &list);
    EXPECT_EQ(template_expand(&template, (struct ev_path){ 0, 1 }, &out), 1);
    EXPECT_EQ(out.destination.octets[0], 2);
    EXPECT_EQ(template_expand(&template, (struct ev_path){ 0, 4 }, &out), 1);
    EXPECT_EQ(out.destination.octets[0], 1);
    EXPECT_EQ(template_expand(&template, (struct ev_path){ 2, 0 }, &out), 1);
    EXPECT_EQ(out.destination.octets[0], 3);
    EXPECT_EQ(template_expand(&template, (struct ev_path){ 1, 0 }, &out), 0);
    EXPECT_EQ(template_expand(&template, (struct ev_path){ 8, 0 }, &out), 0);
}

SPEC("with a list, a path whose segment is not 0 has two addresses")
{
    struct ipv6_addr destinations[2] = { { { 1 } }, { { 2 } } };
    struct ipv6_addr segments[2] = { { { 0 } }, { { 9 } } };
    struct template_list list = {
        .destinations = destinations, .segments = segments, .first = { 0, 2, 2, 2, 2, 2, 2, 2, 2 }
    };
    struct template_addresses addresses;
    struct path_template template;

    template_init_list(&template, &list);
    EXPECT_EQ(template_expand(&template, (struct ev_path){ .uplink = 0 }, &addresses), 1);
    EXPECT_EQ(addresses.destination.octets[0], 1);
    EXPECT_EQ(template_expand(&template, (struct ev_path){ .uplink = 1 }, &addresses), 2);
    EXPECT_EQ(addresses.destination.octets[0], 2);
    EXPECT_EQ(addresses.segment.octets[0], 9);
}
