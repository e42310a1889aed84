/* SPDX-License-Identifier: Apache-2.0 */
/* Runs sizes, warm-up and batches. Between batches the ranks agree on the number of further
 * iterations, so that all of them stop together. */
#include "perf/perf_run.h"

#include <stdlib.h>
#include <string.h>

#include "perf/perf_interrupt.h"
#include "perf/perf_pattern.h"
#include "perf/perf_report.h"

#define BATCH_NS    UINT64_C(400000000) /* intended duration of a batch */
#define SAMPLES_MAX UINT64_C(4000000)
#define ALIGN       UINT64_C(4096)

/* Exchanged before a batch. Rank 0 sets the number of iterations. */
struct agreement {
    uint64_t count;
    uint64_t wrong; /* in the previous batch */
    uint64_t stops;
};

/* Exchanged after a batch. */
struct outcome {
    uint64_t time_ns;
    uint64_t bytes;
};

struct pace {
    uint64_t began_ns;
    uint64_t iteration_ns; /* measured in the last batch */
};

/* ---- memory ---------------------------------------------------------------------------------- */

static uint64_t place_area(uint64_t *used, uint64_t bytes)
{
    uint64_t offset = (*used + PERF_GUARD_BYTES + ALIGN - 1) / ALIGN * ALIGN;

    *used = offset + bytes;
    return offset;
}

static uint64_t lay_out(struct perf_run *run)
{
    uint64_t bytes[3];
    uint64_t used = 0;

    run->test->measure(run, bytes);
    run->source = place_area(&used, bytes[0]);
    run->sink = place_area(&used, bytes[1]);
    run->scratch[0] = place_area(&used, bytes[2]);
    run->scratch[1] = place_area(&used, bytes[2]);
    return place_area(&used, 0);
}

/* Sets or checks the guards before and after the parts. */
static uint64_t guards(const struct perf_run *run, bool checks)
{
    const uint64_t starts[] = { run->source, run->sink, run->scratch[0], run->scratch[1],
        run->end->memory_bytes };
    uint64_t wrong = 0;

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        uint8_t *guard = run->end->memory + starts[i] - PERF_GUARD_BYTES;

        if (checks)
            wrong += perf_pattern_guard_wrong(guard, PERF_GUARD_BYTES);
        else
            perf_pattern_guard(guard, PERF_GUARD_BYTES);
    }
    return wrong;
}

/* ---- a batch --------------------------------------------------------------------------------- */

static int agree_settings(
    struct perf_run *run, struct agreement mine, struct agreement *all_together)
{
    struct agreement all[PERF_RANKS_MAX];

    if (perf_meet_gather(run->end->meet, &mine, sizeof(mine), all) != 0)
        return -1;
    *all_together = (struct agreement){ .count = all[0].count };
    for (uint32_t rank = 0; rank < run->rank_count; rank++) {
        all_together->wrong += all[rank].wrong;
        all_together->stops |= all[rank].stops;
    }
    return 0;
}

static void account(struct perf_run *run, struct perf_row *row, const struct outcome *all,
    uint64_t count, uint64_t *batch_bytes)
{
    uint64_t time_ns = 1;
    uint64_t bytes = 0;

    for (uint32_t rank = 0; rank < run->rank_count; rank++) {
        if (!run->test->is_active(run, rank))
            continue;
        bytes += all[rank].bytes;
        if (all[rank].time_ns > time_ns)
            time_ns = all[rank].time_ns;
        row->rank_bytes[rank] += all[rank].bytes;
        row->rank_ns[rank] += all[rank].time_ns;
    }
    row->iterations += count;
    row->time_ns += time_ns;
    row->bytes += bytes;
    if ((double)bytes * 8e9 / (double)time_ns > (double)row->peak_bps)
        row->peak_bps = (uint64_t)((double)bytes * 8e9 / (double)time_ns);
    *batch_bytes = bytes;
}

static int run_batch(
    struct perf_run *run, uint64_t count, struct perf_row *row, uint64_t *batch_bytes)
{
    struct outcome all[PERF_RANKS_MAX];
    struct outcome mine;
    uint64_t start_ns = perf_end_now_ns();

    run->moved_bytes = 0;
    if (run->test->iterate(run, count) != 0)
        return -1;
    mine = (struct outcome){ perf_end_now_ns() - start_ns, run->moved_bytes };
    if (perf_meet_gather(run->end->meet, &mine, sizeof(mine), all) != 0)
        return -1;
    account(run, row, all, count, batch_bytes);
    return 0;
}

/* ---- a size ---------------------------------------------------------------------------------- */

static uint64_t least(uint64_t left, uint64_t right)
{
    return left < right ? left : right;
}

/* Returns the number of iterations that rank 0 wants next, 0 for the end. */
static uint64_t next_count(const struct perf_run *run, const struct pace *pace, uint64_t done)
{
    const struct perf_settings *settings = run->settings;
    uint64_t left = settings->iterations - done;
    uint64_t fit = pace->iteration_ns ? BATCH_NS / pace->iteration_ns : 1;

    if (settings->duration_ms)
        left =
            perf_end_now_ns() - pace->began_ns < settings->duration_ms * 1000000 ? UINT64_MAX : 0;
    if (run->samples_ns)
        left = least(left, SAMPLES_MAX - done);
    if (settings->checks)
        left = least(left, run->test->batch_max(run));
    return least(left, fit ? fit : 1);
}

static uint64_t done_permille(
    const struct perf_run *run, const struct pace *pace, const struct perf_row *row)
{
    if (run->settings->duration_ms)
        return (perf_end_now_ns() - pace->began_ns) / 1000 / run->settings->duration_ms;
    return row->iterations * 1000 / run->settings->iterations;
}

static int warm_up(struct perf_run *run, struct pace *pace)
{
    struct perf_row ignored = { 0 };
    uint64_t *samples_ns = run->samples_ns;
    uint64_t bytes;

    run->samples_ns = NULL;
    if (run->settings->warmup > 0 && run_batch(run, run->settings->warmup, &ignored, &bytes) != 0)
        return -1;
    run->samples_ns = samples_ns;
    run->sample_count = 0;
    run->iteration += run->settings->warmup;
    if (ignored.iterations > 0)
        pace->iteration_ns = ignored.time_ns / ignored.iterations;
    pace->began_ns = perf_end_now_ns();
    run->end->pause_max_ns = 0;
    return 0;
}

/* With checks, the number of iterations must be known before the contents are generated, so there
 * is one more agreement than batches. */
static int measure_batches(struct perf_run *run, struct perf_report *report, struct perf_row *row,
    struct pace *pace, bool *stops)
{
    struct agreement mine = { 0 };
    struct agreement all;
    uint64_t bytes;

    for (;;) {
        mine.count = next_count(run, pace, row->iterations);
        mine.stops = perf_interrupt_has_come();
        if (agree_settings(run, mine, &all) != 0)
            return -1;
        row->wrong += all.wrong;
        *stops = all.stops != 0;
        if (all.count == 0 || *stops)
            return 0;
        if (run->settings->checks) {
            run->test->fill(run, all.count);
            if (agree_settings(run, (struct agreement){ 0 }, &(struct agreement){ 0 }) != 0)
                return -1;
        }
        if (run_batch(run, all.count, row, &bytes) != 0)
            return -1;
        mine.wrong =
            run->settings->checks ? run->test->check(run, all.count) + guards(run, true) : 0;
        run->iteration += all.count;
        pace->iteration_ns = row->time_ns / row->iterations;
        perf_report_batch(report, bytes, done_permille(run, pace, row));
    }
}

static int measure_size(struct perf_run *run, struct perf_report *report, bool *stops)
{
    struct perf_row row = { .size_bytes = run->size_bytes };
    struct pace pace = { 0 };
    int err = warm_up(run, &pace);

    perf_report_row_begins(report);
    if (!err)
        err = measure_batches(run, report, &row, &pace, stops);
    row.samples_ns = run->samples_ns;
    row.sample_count = run->sample_count;
    if (run->test->manner != PERF_LATENCY || row.sample_count > 0)
        perf_report_row(report, &row); /* prints what there is, even after a failure */
    return err;
}

static int measure_sizes(struct perf_run *run, struct perf_report *report, bool *stops)
{
    const struct perf_settings *settings = run->settings;

    run->size_bytes = settings->size_min_bytes;
    while (!*stops && run->size_bytes <= settings->size_max_bytes) {
        if (measure_size(run, report, stops) != 0)
            return -1;
        run->size_bytes = settings->size_factor > 1 ? run->size_bytes * settings->size_factor
                                                    : settings->size_max_bytes + 1;
    }
    return 0;
}

/* ---- a rank ---------------------------------------------------------------------------------- */

/* All ranks use the settings of rank 0. */
static int agree_on_settings(
    struct perf_meet *meet, const struct perf_wish *wish, struct perf_settings *settings)
{
    struct perf_settings *all = calloc(meet->rank_count, sizeof(*all));
    int err = -1;

    if (!all)
        return perf_meet_fail(meet, "out of memory");
    if (perf_meet_gather(meet, &wish->settings, sizeof(*settings), all) == 0) {
        *settings = all[0];
        err = settings->test == wish->settings.test
                  ? 0
                  : perf_meet_fail(meet, "the test differs from that of rank 0 (%s)",
                        settings->test < PERF_TEST_COUNT ? perf_tests[settings->test].name : "?");
    }
    free(all);
    return err;
}

/* A NIC waits ten seconds for its fabric, and there are no results to print yet: a signal ends the
 * program meanwhile. */
static int open_device(struct perf_run *run, const struct perf_wish *wish)
{
    const char *device = wish->local_count > 0 ? wish->devices[run->rank] : wish->device;
    int err;

    perf_interrupt_let_go();
    if (perf_interrupt_has_come())
        return perf_meet_fail(run->end->meet, "interrupted");
    err = perf_end_open(run->end, device, lay_out(run));
    perf_interrupt_catch();
    return err;
}

static int open_end(struct perf_run *run, const struct perf_wish *wish)
{
    bool links[PERF_RANKS_MAX] = { false };

    if (open_device(run, wish) != 0)
        return -1;
    for (uint32_t rank = 0; rank < run->rank_count; rank++)
        links[rank] = run->test->is_linked(run, run->rank, rank) ||
                      run->test->is_linked(run, rank, run->rank);
    guards(run, false);
    if (perf_end_connect(run->end, links) != 0)
        return -1;
    return perf_counters_check(run->end);
}

static int prepare_run(struct perf_run *run, const struct perf_wish *wish)
{
    run->sent = calloc(PERF_RANKS_MAX, sizeof(*run->sent));
    if (run->test->manner == PERF_LATENCY && run->rank == 0)
        run->samples_ns = malloc(SAMPLES_MAX * sizeof(*run->samples_ns));
    if (!run->sent || (run->test->manner == PERF_LATENCY && run->rank == 0 && !run->samples_ns))
        return perf_meet_fail(run->end->meet, "out of memory");
    return open_end(run, wish);
}

static int measure_rows(
    struct perf_run *run, const struct perf_wish *wish, struct perf_settings *settings)
{
    struct perf_meet *meet = run->end->meet;
    struct perf_report report;
    bool stops = false;

    if (agree_on_settings(meet, wish, settings) != 0)
        return -1;
    run->test = &perf_tests[settings->test];
    if (prepare_run(run, wish) != 0)
        return -1;
    perf_report_begin(&report, wish, run);
    if (measure_sizes(run, &report, &stops) == 0)
        perf_report_counters(&report);
    else if (wish->waits_for_last_word)
        perf_end_last_word(run->end);
    return perf_report_end(&report, meet->problem[0] ? meet->problem : NULL, stops);
}

int perf_run(const struct perf_wish *wish, struct perf_meet *meet)
{
    struct perf_settings settings = { 0 };
    struct perf_end end = { .meet = meet, .settings = &settings, .gid_index = wish->gid_index };
    struct perf_run run = {
        .settings = &settings, .end = &end, .rank = meet->rank, .rank_count = meet->rank_count
    };
    int err = measure_rows(&run, wish, &settings);

    if (meet->problem[0])
        perf_meet_tell(meet);
    perf_end_close(&end);
    free(run.sent);
    free(run.samples_ns);
    return err;
}
