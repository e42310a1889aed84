/* SPDX-License-Identifier: Apache-2.0 */
/* Targets of requests: paths in normal form, queries, and tricks with both. */
#include "http/http_target.h"

#include <string.h>

#include "spec.h"

static struct http_target target_of(const char *text)
{
    struct http_target target;

    EXPECT(http_target_read(text, &target));
    return target;
}

static bool is_refused(const char *text)
{
    struct http_target target;

    return !http_target_read(text, &target);
}

SPEC("a path is split into its parts")
{
    struct http_target target = target_of("/v1/nics/h0");

    EXPECT_EQ(target.part_count, 3);
    EXPECT_STR_EQ(target.path, "/v1/nics/h0");
    EXPECT_EQ(target_of("/").part_count, 0);
}

SPEC("a pattern matches whole parts, and a star any one part")
{
    struct http_target target;

    EXPECT(http_target_read("/v1/nics/h0", &target));
    EXPECT(http_target_matches(&target, "/v1/nics/*"));
    EXPECT(http_target_matches(&target, "/v1/nics/h0"));
    EXPECT(!http_target_matches(&target, "/v1/nics"));
    EXPECT(!http_target_matches(&target, "/v1/nics/*/qps"));
    EXPECT(!http_target_matches(&target, "/v1/nic/h0"));
    EXPECT(!http_target_matches(&target, "/v1/nicss/h0"));
    EXPECT(http_target_read("/", &target));
    EXPECT(http_target_matches(&target, "/"));
    EXPECT(!http_target_matches(&target, "/*"));
}

SPEC("parameters are decoded, and one without a value is empty")
{
    struct http_target target;

    EXPECT(http_target_read("/x?from=12&what=a%20b&all", &target));
    EXPECT_STR_EQ(http_target_parameter(&target, "from"), "12");
    EXPECT_STR_EQ(http_target_parameter(&target, "what"), "a b");
    EXPECT_STR_EQ(http_target_parameter(&target, "all"), "");
    EXPECT(http_target_parameter(&target, "other") == NULL);
}

SPEC("a second spelling of a path is refused")
{
    static const char *const tricks[] = { "", "x", "//", "/a//b", "/a/", "/../etc", "/a/../b",
        "/a/..", "/./a", "/%2e%2e/a", "/a%2fb", "/a%2Fb", "/a%5cb", "/a\\b", "/a%00", "/a%0a",
        "/a%2500", "/a%", "/a%4", "/a%zz", "/a b", "/a\tb", "/a\x80", "/a%80", "/a#b",
        "http://other/a", "*", "/?", "/?a&" };

    for (size_t i = 0; i < sizeof(tricks) / sizeof(tricks[0]) - 2; i++)
        EXPECT(is_refused(tricks[i]));
    EXPECT(!is_refused("/?"));
    EXPECT(is_refused("/?a&"));
    EXPECT(is_refused("/?=a"));
}

SPEC("a target of any length is read or refused within its bounds")
{
    char text[2 * HTTP_TARGET_BYTES];

    for (size_t length = 1; length < sizeof(text); length++) {
        memset(text, 'a', length);
        text[0] = '/';
        text[length] = '\0';
        EXPECT(is_refused(text) == (length >= HTTP_TARGET_BYTES - HTTP_PARAMETERS_MAX - 1));
    }
    EXPECT(is_refused("/1/2/3/4/5/6/7/8/9"));
    EXPECT(is_refused("/?1&2&3&4&5&6&7&8&9"));
}
