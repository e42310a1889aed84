/* SPDX-License-Identifier: Apache-2.0 */
/* Compares frames and words the differences. */
#include "conform/switch_expect.h"

#include <arpa/inet.h>
#include <string.h>

#include "wire/usid.h"

bool switch_expect_out(struct switch_bench *bench, const struct switch_shot *shot, const char *what)
{
    if (shot->copies == 0)
        conform_report_fail(bench->report, "%s from %s to %s did not come out", what,
            switch_bench_name(bench, shot->in), switch_bench_name(bench, shot->out));
    else if (shot->port != shot->out)
        conform_report_fail(bench->report, "%s came out of %s instead of %s", what,
            switch_bench_name(bench, shot->port), switch_bench_name(bench, shot->out));
    return shot->copies > 0 && shot->port == shot->out;
}

void switch_expect_drop(
    struct switch_bench *bench, const struct switch_shot *shot, const char *what)
{
    if (shot->copies > 0)
        conform_report_fail(bench->report, "%s was sent into %s and came out of %s", what,
            switch_bench_name(bench, shot->in), switch_bench_name(bench, shot->port));
}

struct ipv6_addr switch_expect_sent(const struct switch_shot *shot)
{
    struct ipv6_addr destination;

    memcpy(destination.octets, shot->bytes + 24, sizeof(destination.octets));
    return destination;
}

struct ipv6_addr switch_expect_shifted(const struct switch_shot *shot)
{
    struct ipv6_addr destination = switch_expect_sent(shot);

    memmove(destination.octets + USID_BLOCK_BYTES,
        destination.octets + USID_BLOCK_BYTES + USID_BYTES,
        sizeof(destination.octets) - USID_BLOCK_BYTES - USID_BYTES);
    memset(destination.octets + sizeof(destination.octets) - USID_BYTES, 0, USID_BYTES);
    return destination;
}

void switch_expect_destination(
    struct switch_bench *bench, const struct switch_shot *shot, const struct ipv6_addr *wanted)
{
    struct ipv6_addr got = switch_shot_destination(shot);
    char sent[INET6_ADDRSTRLEN];
    char came[INET6_ADDRSTRLEN];
    char should[INET6_ADDRSTRLEN];

    if (ip_address_equal(&got, wanted))
        return;
    inet_ntop(AF_INET6, shot->bytes + 24, sent, sizeof(sent));
    inet_ntop(AF_INET6, got.octets, came, sizeof(came));
    inet_ntop(AF_INET6, wanted->octets, should, sizeof(should));
    conform_report_fail(
        bench->report, "destination %s came out as %s instead of %s", sent, came, should);
}

void switch_expect_hop_limit(struct switch_bench *bench, const struct switch_shot *shot)
{
    if (shot->head[7] + 1 != shot->bytes[7])
        conform_report_fail(bench->report, "hop limit %u came out as %u instead of %u",
            shot->bytes[7], shot->head[7], shot->bytes[7] - 1);
}

void switch_expect_unchanged(struct switch_bench *bench, const struct switch_shot *shot)
{
    if (shot->difference != SWITCH_NO_DIFFERENCE)
        conform_report_fail(bench->report,
            "byte %u of a frame of %u bytes was changed (from %s to %s)", shot->difference,
            shot->length, switch_bench_name(bench, shot->in), switch_bench_name(bench, shot->port));
}

/* ---- whole checks ---------------------------------------------------------------------------- */

void switch_expect_load(
    struct switch_bench *bench, void (*change)(const struct switch_bench *, struct switch_aim *))
{
    struct switch_pair pair = SWITCH_FIRST_PAIR;

    while (switch_bench_next_pair(bench, &pair)) {
        struct switch_aim aim = switch_bench_aim(bench, pair.in, pair.out);

        if (change)
            change(bench, &aim);
        switch_bench_load(bench, &aim);
    }
}

void switch_expect_each(
    struct switch_bench *bench, void (*judge)(struct switch_bench *, const struct switch_shot *))
{
    uint32_t count = bench->shot_count;

    if (!switch_bench_fire(bench))
        return;
    for (uint32_t i = 0; i < count; i++)
        judge(bench, &bench->shots[i]);
}

void switch_expect_drops(struct switch_bench *bench, const char *what)
{
    uint32_t count = bench->shot_count;

    if (!switch_bench_fire(bench))
        return;
    for (uint32_t i = 0; i < count; i++)
        switch_expect_drop(bench, &bench->shots[i], what);
}
