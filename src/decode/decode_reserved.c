/* SPDX-License-Identifier: Apache-2.0 */
/* Reserved fields, which senders set to a known value and receivers ignore. */
#include "base/bits.h"
#include "decode/decode_describe.h"

/* The bits of reserved fields, as in docs/wire.md. */
/* clang-format off */
static const struct {
    enum decode_header header;
    uint8_t at;
    uint8_t byte_count;
    const char *key;
    uint64_t mask;
    uint64_t expected;
} reserved[] = {
    { DECODE_BTH,       4, 1, "var_res",     0xff,           0 },
    { DECODE_BTH,       8, 1, "r",           0x40,           0 },
    { DECODE_BTH,       8, 1, "inv_res",     0x0f,           0 },
    { DECODE_ROCE_BTH,  4, 1, "reserved_4",  0x3f,           0 },
    { DECODE_ROCE_BTH,  8, 1, "reserved_8",  0x7f,           0 },
    { DECODE_TSETH,     2, 2, "reserved_2",  0x7ff0,         0 },
    { DECODE_TSETH,     2, 2, "ftype",       0x000f,         1 },
    { DECODE_SETH,      0, 2, "type",        0xf000,         0 },
    { DECODE_SETH,      0, 2, "nxt",         0x0f80,         0 },
    { DECODE_SETH,      0, 2, "reserved_1",  0x001d,         0 },
    { DECODE_SETH,     12, 1, "reserved_12", 0xff,           0 },
    { DECODE_SETH,     16, 1, "cc_type",     0xf0,           0 },
    { DECODE_SETH,     16, 1, "cc_fl",       0x0f,           0 },
    { DECODE_CC_STATE,  2, 1, "reserved_2",  0x80,           0 },
    { DECODE_NETH,      0, 2, "type",        0xf000,         0 },
    { DECODE_NETH,      0, 2, "nxt",         0x0f80,         0 },
    { DECODE_NETH,      0, 2, "reserved_1",  0x007f,         0 },
    { DECODE_NETH,      3, 1, "vendor_info", 0xff,           0 },
    { DECODE_NETH,     12, 1, "reserved_12", 0xff,           0 },
    { DECODE_NETH,     16, 1, "cc_type",     0xf0,           2 },
    { DECODE_NETH,     16, 1, "cc_fl",       0x0f,           0 },
    { DECODE_NETH,     17, 1, "reserved_17", 0xff,           0 },
    { DECODE_PETH,      0, 2, "type",        0xf000,         0 },
    { DECODE_PETH,      0, 2, "nxt",         0x0f80,         0 },
    { DECODE_PETH,      0, 2, "reserved_1",  0x007f,         0 },
    { DECODE_PETH,      2, 1, "reserved_2",  0xff,           0 },
    { DECODE_PETH,      3, 1, "vendor_info", 0xff,           0 },
    { DECODE_PETH,      6, 2, "reserved_6",  0xffff,         0 },
    { DECODE_PETH,     14, 2, "reserved_14", 0x7ff0,         0 },
    { DECODE_PETH,     14, 2, "ftype",       0x000f,         1 },
    { DECODE_ERTH,      0, 2, "type",        0xf000,         0 },
    { DECODE_ERTH,      0, 2, "nxt",         0x0f80,         0 },
    { DECODE_ERTH,      0, 2, "reserved_1",  0x007c,         0 },
    { DECODE_ERTH,      2, 1, "reserved_2",  0xff,           0 },
    { DECODE_ERTH,      8, 4, "reserved_8",  0xffffffff,     0 },
    { DECODE_ERTH,     14, 2, "reserved_14", 0x7ff0,         0 },
    { DECODE_ERTH,     14, 2, "ftype",       0x000f,         1 },
    { DECODE_EETH,      0, 2, "type",        0xf000,         0 },
    { DECODE_EETH,      0, 2, "nxt",         0x0f80,         0 },
    { DECODE_EETH,      0, 2, "reserved_1",  0x0073,         0 },
    { DECODE_EETH,      2, 8, "reserved_2",  UINT64_MAX,     0 },
    { DECODE_EETH,     10, 8, "reserved_10", UINT64_MAX,     0 },
    { DECODE_EETH,     18, 8, "reserved_18", UINT64_MAX,     0 },
    { DECODE_EETH,     26, 2, "reserved_26", 0xffff,         0 },
    { DECODE_EETH,     30, 6, "reserved_30", 0xffffffffffff, 0 },
    { DECODE_CNP,       0, 8, "reserved_0",  UINT64_MAX,     0 },
    { DECODE_CNP,       8, 8, "reserved_8",  UINT64_MAX,     0 },
};
/* clang-format on */

void decode_describe_reserved(const struct decode_packet *packet, enum decode_header header,
    const struct field_visitor *visitor)
{
    for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
        uint32_t shift = bits_lowest(reserved[i].mask);
        uint64_t value;

        if (reserved[i].header != header)
            continue;
        value = decode_packet_bytes(packet, header, reserved[i].at, reserved[i].byte_count);
        value = (value & reserved[i].mask) >> shift;
        if (value == reserved[i].expected)
            continue;
        decode_describe_field(
            visitor, &(struct field){ .key = reserved[i].key,
                         .form = reserved[i].byte_count > 4 ? FIELD_WIDE : FIELD_HEX,
                         .digits = 1,
                         .number = value,
                         .note = reserved[i].expected ? "unexpected" : "reserved, should be 0" });
    }
}
