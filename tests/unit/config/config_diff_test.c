/* SPDX-License-Identifier: Apache-2.0 */
/* What a change of the fabric touches, and in which order. */
#include "config/config_diff.h"

#include "config_bench.h"

__attribute__((noinline)) static char *diff_of(
    const struct config_bench *before, const struct config_bench *after, int64_t *count)
{
    char *text = NULL;
    size_t length;
    FILE *memory = open_memstream(&text, &length);

    *count = config_diff_print(&before->job.source, &after->job.source, memory);
    fclose(memory);
    return text;
}

SPEC("two equal fabrics do not differ")
{
    struct config_bench bench;
    int64_t count;
    char *text;

    config_bench_start(&bench, 2, NULL);
    text = diff_of(&bench, &bench, &count);
    EXPECT_EQ(count, 0);
    EXPECT(strstr(text, "0 of 8 switches change\n"));
    free(text);
    config_bench_stop(&bench);
}

SPEC("a removed link: NICs deny it first, then the switches, the one nearest to NICs first")
{
    struct config_bench before;
    struct config_bench after;
    const char *near;
    const char *far;
    int64_t count;
    char *text;

    config_bench_start(&before, 2, NULL);
    config_bench_start(&after, 2, "p1.t0.0-t1.1");
    text = diff_of(&before, &after, &count);
    EXPECT(count > 0);
    EXPECT(strstr(text, "2 of 8 switches change\n"));
    EXPECT(strstr(text, "links that go: p1.t0.0-t1.1\n"));
    near = strstr(text, "\n   p1.t0.0: port 3: no cable to p1.t1.1, and 1 more\n");
    far = strstr(text, "\n   p1.t1.1: port 0: no cable to p1.t0.0, and 1 more\n");
    EXPECT(near && far && near < far);
    EXPECT(near > strstr(text, "\n4. "));
    free(text);
    config_bench_stop(&before);
    config_bench_stop(&after);
}

SPEC("an added link: the switch farthest from NICs first, then NICs allow it")
{
    struct config_bench before;
    struct config_bench after;
    const char *near;
    const char *far;
    int64_t count;
    char *text;

    config_bench_start(&before, 2, "p1.t0.0-t1.1");
    config_bench_start(&after, 2, NULL);
    text = diff_of(&before, &after, &count);
    near = strstr(text, "\n   p1.t0.0: port 3: cable to p1.t1.1, and 1 more\n");
    far = strstr(text, "\n   p1.t1.1: port 0: cable to p1.t0.0, and 1 more\n");
    EXPECT(near && far && far < near);
    EXPECT(near < strstr(text, "\n3. "));
    EXPECT(strstr(text, "new links: p1.t0.0-t1.1\n"));
    free(text);
    config_bench_stop(&before);
    config_bench_stop(&after);
}

SPEC("a new plane adds switches and changes all NICs")
{
    struct config_bench before;
    struct config_bench after;
    int64_t count;
    char *text;

    config_bench_start(&before, 2, NULL);
    config_bench_start(&after, 3, NULL);
    text = diff_of(&before, &after, &count);
    EXPECT(strstr(text, "4 of 12 switches change\n"));
    EXPECT(strstr(text, "   p2.t1.1: the whole switch, 2 ports\n"));
    EXPECT(strstr(text, "   new mrc.conf: 4 NICs\n"));
    free(text);
    config_bench_stop(&before);
    config_bench_stop(&after);
}

SPEC("another rate or queue is a change of the switches that have it")
{
    struct config_bench before;
    struct config_bench after;
    int64_t count;
    char *text;

    config_bench_start(&before, 2, NULL);
    config_bench_start(&after, 2, NULL);
    after.plan.topology.config.buffers.trimmed_bytes = 256;
    text = diff_of(&before, &after, &count);
    EXPECT(strstr(text, "8 of 8 switches change\n"));
    EXPECT(strstr(text, "   p0.t1.0: trimmed: 128 becomes 256\n"));
    free(text);
    config_bench_stop(&before);
    config_bench_stop(&after);
}
