/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of requesters have in common. */
#include "conform/endpoint_requester.h"

#include "conform/endpoint_expect.h"

enum { TIMEOUT_LONGEST = 24, RETRIES = 7, SMALL = 8 };

struct endpoint_terms endpoint_requester_terms(struct endpoint_bench *bench)
{
    struct endpoint_terms terms = endpoint_session_terms(bench);

    terms.timeout = TIMEOUT_LONGEST;
    terms.linear = RETRIES;
    return terms;
}

struct endpoint_bench *endpoint_requester_begin(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_bench_begin(kit, report);
    struct endpoint_terms terms = endpoint_requester_terms(bench);

    return endpoint_session_open(bench, &terms) ? bench : NULL;
}

bool endpoint_requester_post_small(struct endpoint_bench *bench, uint32_t count)
{
    struct endpoint_work work = { .count = count, .bytes = SMALL };

    return endpoint_session_post(bench, &work);
}

bool endpoint_requester_expect_done(struct endpoint_bench *bench, uint64_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!endpoint_expect_sent(bench, first + i, "success"))
            return false;
    return true;
}

const struct endpoint_frame *endpoint_requester_expect_again(
    struct endpoint_bench *bench, uint32_t from, uint32_t index, const char *why)
{
    uint32_t psn = psn_add(bench->peer.first, (int32_t)index).value;
    const struct endpoint_frame *found =
        endpoint_bench_await(bench, from, endpoint_packet_is_write, psn);

    if (!found && !endpoint_bench_has_ended(bench))
        conform_report_fail(bench->report, "packet %u is not sent again %s", index, why);
    return found;
}
