/* SPDX-License-Identifier: Apache-2.0 */
/* The invariant CRC (docs/wire.md §12). */
#include "spec.h"

#include <string.h>

#include <libdeflate.h>

#include "icrc_reference.h"
#include "vectors.h"
#include "wire/icrc.h"

static const uint8_t ones[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

SPEC("after eight bytes of ones the register is 0xDEBB20E3, and the CRC its complement")
{
    EXPECT_EQ(icrc_reference_register(UINT32_MAX, ones, sizeof(ones)), 0xdebb20e3);
    EXPECT_EQ(libdeflate_crc32(0, ones, sizeof(ones)), (uint32_t)~UINT32_C(0xdebb20e3));
}

SPEC("the bit-serial reference is CRC-32: the check value of 123456789 is 0xCBF43926")
{
    EXPECT_EQ((uint32_t)~icrc_reference_register(UINT32_MAX, (const uint8_t *)"123456789", 9),
        0xcbf43926);
}

SPEC("the CRC of W1 is stored in its last four bytes, least significant byte first")
{
    const struct vector *w1 = vectors_find("W1");

    EXPECT_EQ(icrc_compute(w1->bytes, w1->length - 4), 0x4c82f8b5);
    EXPECT_MEM_EQ(w1->bytes + w1->length - 4, "\xb5\xf8\x82\x4c", 4);
}

SPEC("IPv4 headers give another CRC over the same transport content")
{
    const struct vector *w7 = vectors_find("W7");

    EXPECT_EQ(icrc_compute(w7->bytes, w7->length - 4), 0x4c36f4e0);
}

SPEC("the outer header and the SRH are not covered: X1 and X2 end like W1")
{
    const struct vector *x1 = vectors_find("X1");
    const struct vector *x2 = vectors_find("X2");

    EXPECT_EQ(icrc_compute(x1->bytes + 40, x1->length - 44), 0x4c82f8b5);
    EXPECT_EQ(icrc_compute(x2->bytes + 64, x2->length - 68), 0x4c82f8b5);
}

SPEC("the flow label is not covered, the source port is")
{
    const struct vector *w1 = vectors_find("W1");
    uint8_t bytes[VECTOR_BYTES_MAX];

    memcpy(bytes, w1->bytes, w1->length);
    memcpy(bytes, vectors_find("W8")->bytes, 4);
    EXPECT_EQ(icrc_compute(bytes, w1->length - 4), 0x4c82f8b5);
    memcpy(bytes + 40, vectors_find("W8")->bytes + 40, 2);
    EXPECT_EQ(icrc_compute(bytes, w1->length - 4), 0xb2248aa2);
}

SPEC("a packet that ends with its BTH has a CRC")
{
    const uint8_t *bytes = vectors_find("A1")->bytes;

    EXPECT_EQ(icrc_compute(bytes, 60), icrc_reference(bytes, 60));
}
