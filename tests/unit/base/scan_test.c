/* SPDX-License-Identifier: Apache-2.0 */
/* Words and numbers at the front of a text. */
#include "spec.h"

#include <string.h>

#include "base/scan.h"

SPEC("a word is consumed if the text begins with it")
{
    const char *at = "mrc12";

    EXPECT(!scan_word(&at, "mrd"));
    EXPECT(!scan_word(&at, "mrc123"));
    EXPECT(strcmp(at, "mrc12") == 0);
    EXPECT(scan_word(&at, "mrc"));
    EXPECT(strcmp(at, "12") == 0);
}

SPEC("a number ends where its digits end")
{
    const char *at = "4294967295.t0";
    uint32_t number = 0;

    EXPECT(scan_u32(&at, &number));
    EXPECT_EQ(number, UINT32_MAX);
    EXPECT(strcmp(at, ".t0") == 0);
}

SPEC("signs, blanks, letters and the empty string are not numbers")
{
    const char *const texts[] = { "-1", "+1", " 1", "x", "" };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const char *at = texts[i];
        uint64_t number = 7;

        EXPECT(!scan_u64(&at, &number));
        EXPECT(at == texts[i]);
        EXPECT_EQ(number, 7);
    }
}

SPEC("a number that does not fit is refused")
{
    const char *at = "4294967296";
    uint32_t small = 7;
    uint64_t large = 7;

    EXPECT(!scan_u32(&at, &small));
    EXPECT_EQ(small, 7);
    at = "18446744073709551615";
    EXPECT(scan_u64(&at, &large));
    EXPECT(large == UINT64_MAX);
    at = "18446744073709551616";
    EXPECT(!scan_u64(&at, &large));
    at = "99999999999999999999";
    EXPECT(!scan_u64(&at, &large));
}

SPEC("an octet has one or two hexadecimal digits of either case")
{
    const char *at = "0aF:g";
    uint8_t octet = 0;

    EXPECT(scan_hex_octet(&at, &octet));
    EXPECT_EQ(octet, 0x0a);
    EXPECT(scan_hex_octet(&at, &octet));
    EXPECT_EQ(octet, 0xf);
    EXPECT(!scan_hex_octet(&at, &octet));
    EXPECT(scan_word(&at, ":"));
    EXPECT(!scan_hex_octet(&at, &octet));
    EXPECT_EQ(octet, 0xf);
}

SPEC("text up to a delimiter is copied if it fits and is not empty")
{
    char out[4] = "";
    const char *at = "abc:abcd:";

    EXPECT(scan_until(&at, ':', out, sizeof(out)));
    EXPECT(strcmp(out, "abc") == 0);
    EXPECT(!scan_until(&at, ':', out, sizeof(out)));
    EXPECT(strcmp(at, "abcd:") == 0);
    at = "ab";
    EXPECT(!scan_until(&at, ':', out, sizeof(out)));
    at = ":";
    EXPECT(!scan_until(&at, ':', out, sizeof(out)));
    EXPECT(strcmp(out, "abc") == 0);
}

SPEC("blanks and tabs are skipped")
{
    const char *at = " \t x";

    scan_blanks(&at);
    EXPECT(strcmp(at, "x") == 0);
    scan_blanks(&at);
    EXPECT(strcmp(at, "x") == 0);
}
