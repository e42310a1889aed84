/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of endpoints: the limits of a requester, and what completes its work. */
#include "conform/endpoint_expect.h"
#include "conform/endpoint_requester.h"
#include "conform/endpoint_suite.h"

enum { UNIT_PSNS = 128, POSTED = 300, MOVED = 10, WIMM = 4, WIMMS_POSTED = 10 };

#define QUIET_NS UINT64_C(60000000)

/* Waits until no more new packets come: 60 ms of silence, and an answered EV probe. */
static void await_quiet(struct endpoint_bench *bench)
{
    uint32_t seen;

    do {
        seen = bench->peer.seen;
        endpoint_bench_linger(bench, QUIET_NS);
        endpoint_bench_settle(bench);
    } while (bench->peer.seen != seen && !endpoint_bench_has_ended(bench));
}

/* Takes the next packets and answers for the last of them. */
static void take_next(struct endpoint_bench *bench, uint32_t count)
{
    const struct endpoint_frame *from = NULL;
    struct packet sack;

    for (uint32_t i = 0; i < count; i++) {
        from = endpoint_expect_write(bench, bench->peer.taken, 1);
        if (!from)
            return;
        endpoint_peer_take(bench, from);
    }
    if (!from)
        return;
    sack = endpoint_peer_sack(bench, from);
    endpoint_bench_send(bench, &sack);
}

/* ---- the PSN window -------------------------------------------------------------------------- */

static struct endpoint_bench *begin_window(
    void *kit, struct conform_report *report, uint32_t mpr, bool is_dynamic)
{
    struct endpoint_bench *bench = endpoint_bench_begin(kit, report);
    struct endpoint_terms terms = endpoint_requester_terms(bench);

    terms.mpr = mpr;
    terms.has_dynamic_mpr = is_dynamic;
    return endpoint_session_open(bench, &terms) ? bench : NULL;
}

void endpoint_suite_window(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_window(kit, report, 1, false);

    if (!bench)
        return;
    bench->peer.is_mute = true;
    if (!endpoint_requester_post_small(bench, POSTED) || !endpoint_expect_write(bench, 0, 1))
        return;
    for (uint32_t i = 0; i < 3; i++) {
        await_quiet(bench);
        if (bench->peer.seen > bench->peer.taken + UNIT_PSNS)
            conform_report_fail(report,
                "with an MPR of 128 and cack_psn %u, it sends %u PSNs beyond", bench->peer.taken,
                bench->peer.seen - bench->peer.taken);
        take_next(bench, MOVED);
    }
}

/* A SACK that moves the window lets the next packets go. */
void endpoint_suite_window_moves(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_window(kit, report, 1, false);

    if (bench && endpoint_requester_post_small(bench, POSTED))
        endpoint_requester_expect_done(bench, 0, POSTED);
}

/* ---- Dynamic MPR ----------------------------------------------------------------------------- */

/* 8 -> 1 -> 8 */
void endpoint_suite_mpr_dynamic(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_window(kit, report, 8, true);

    if (!bench)
        return;
    bench->peer.mpr = 1;
    if (!endpoint_requester_post_small(bench, 1) || !endpoint_requester_expect_done(bench, 0, 1))
        return;
    bench->peer.is_mute = true;
    if (!endpoint_requester_post_small(bench, POSTED) || !endpoint_expect_write(bench, 1, 1))
        return;
    await_quiet(bench);
    if (bench->peer.seen > bench->peer.taken + UNIT_PSNS)
        conform_report_fail(report,
            "the peer announces an MPR of 128, and the device sends %u PSNs",
            bench->peer.seen - bench->peer.taken);
    bench->peer.is_mute = false;
    bench->peer.mpr = 8;
    take_next(bench, bench->peer.seen - bench->peer.taken);
    for (uint32_t i = 0; i < POSTED; i++) {
        const struct endpoint_frame *from = endpoint_expect_write(bench, i + 1, 1);

        if (!from)
            return;
        endpoint_peer_take(bench, from);
        endpoint_peer_answer(bench, from);
    }
    endpoint_requester_expect_done(bench, 0, POSTED);
}

void endpoint_suite_mpr_static(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = begin_window(kit, report, 8, false);

    if (!bench)
        return;
    bench->peer.mpr = 1;
    if (!endpoint_requester_post_small(bench, 1) || !endpoint_requester_expect_done(bench, 0, 1))
        return;
    bench->peer.is_mute = true;
    if (!endpoint_requester_post_small(bench, POSTED) || !endpoint_expect_write(bench, 1, 1))
        return;
    await_quiet(bench);
    if (bench->peer.seen == bench->peer.taken + UNIT_PSNS)
        conform_report_fail(
            report, "without Dynamic MPR, the device obeys the field mpr of a SACK");
}

/* ---- WriteIMM -------------------------------------------------------------------------------- */

void endpoint_suite_wimm_limit(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_bench_begin(kit, report);
    struct endpoint_terms terms = endpoint_requester_terms(bench);
    struct endpoint_work work = { .count = WIMMS_POSTED, .bytes = 8, .has_immediate = true };

    terms.wimm = WIMM;
    if (!endpoint_session_open(bench, &terms))
        return;
    bench->peer.withholds_acks = true;
    if (!endpoint_session_post(bench, &work) || !endpoint_expect_write(bench, WIMM - 1, 1))
        return;
    await_quiet(bench);
    if (bench->peer.seen > WIMM)
        conform_report_fail(report,
            "%u WriteIMMs are in flight without an ACK, although at most %u may be",
            bench->peer.seen, WIMM);
    bench->peer.withholds_acks = false;
    endpoint_peer_answer(bench, endpoint_expect_write(bench, WIMM - 1, 1));
    endpoint_requester_expect_done(bench, 0, WIMMS_POSTED);
}

/* ---- completions ----------------------------------------------------------------------------- */

void endpoint_suite_complete(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    const struct endpoint_frame *data;

    if (!bench)
        return;
    bench->peer.withholds_acks = true;
    if (!endpoint_requester_post_small(bench, 1) || !(data = endpoint_expect_write(bench, 0, 1)))
        return;
    endpoint_bench_settle(bench);
    if (!endpoint_expect_no_completion(bench, "although only SACKs came, and no Transport ACK"))
        return;
    bench->peer.withholds_acks = false;
    endpoint_peer_answer(bench, data);
    endpoint_expect_sent(bench, 0, "success");
}

/* An ACK for the first of two. */
void endpoint_suite_complete_order(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_requester_begin(kit, report);
    const struct endpoint_frame *data;

    if (!bench)
        return;
    bench->peer.is_mute = true;
    if (!endpoint_requester_post_small(bench, 2))
        return;
    for (uint32_t i = 0; i < 2; i++) {
        data = endpoint_expect_write(bench, i, 1);
        if (!data)
            return;
        endpoint_peer_take(bench, data);
        endpoint_peer_answer(bench, data);
        if (!endpoint_expect_sent(bench, i, "success"))
            return;
        endpoint_bench_settle(bench);
        if (!endpoint_expect_no_completion(bench, "although no ACK covers it"))
            return;
    }
}
