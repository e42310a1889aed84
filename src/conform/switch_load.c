/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of many frames on all ways at once, below the capacity of the switch. */
#include <string.h>

#include "conform/switch_expect.h"
#include "conform/switch_suite.h"

enum {
    FRAMES = 4000,
    WINDOW_BYTES_MAX = 64 << 10,
    WINDOW_BYTES_MIN = 8 << 10,
    PAUSE_NS = 1000000000, /* without an arrival: frames are lost */
};

struct stream {
    struct switch_bench *bench;
    uint32_t window_bytes;                       /* that may be under way to a port */
    uint32_t under_way[SWITCH_DEVICE_PORTS_MAX]; /* bytes, by output */
    bool is_seen[FRAMES];
};

/* No queue may overflow. */
static uint32_t window_of(const struct switch_device *device)
{
    uint32_t queue_bytes = device->queue_bytes && device->queue_bytes < device->host_queue_bytes
                               ? device->queue_bytes
                               : device->host_queue_bytes;
    uint32_t window_bytes = queue_bytes ? queue_bytes / 2 : WINDOW_BYTES_MAX;

    if (window_bytes > WINDOW_BYTES_MAX)
        return WINDOW_BYTES_MAX;
    return window_bytes < WINDOW_BYTES_MIN ? WINDOW_BYTES_MIN : window_bytes;
}

static void count_arrivals(struct stream *stream)
{
    for (uint32_t i = 0; i < stream->bench->shot_count; i++) {
        const struct switch_shot *shot = &stream->bench->shots[i];

        if (shot->copies == 0 || stream->is_seen[i])
            continue;
        stream->is_seen[i] = true;
        stream->under_way[shot->out] -= shot->length;
    }
}

static bool has_room(const struct stream *stream, uint32_t out)
{
    return stream->under_way[out] < stream->window_bytes;
}

/* Loads the next frames of the pairs whose outputs have room. */
static void load_some(struct stream *stream, struct switch_pair *pair)
{
    struct switch_bench *bench = stream->bench;
    uint32_t refused = 0;

    while (
        refused < SWITCH_DEVICE_PORTS_MAX * SWITCH_DEVICE_PORTS_MAX && bench->shot_count < FRAMES) {
        struct switch_aim aim;

        if (!switch_bench_next_pair(bench, pair)) {
            *pair = SWITCH_FIRST_PAIR;
            continue;
        }
        if (!has_room(stream, pair->out)) {
            refused++;
            continue;
        }
        aim = switch_bench_aim(bench, pair->in, pair->out);
        aim.payload_bytes = prng_below(&bench->prng, 700);
        aim.class = DSCP_TRIMMABLE;
        stream->under_way[pair->out] += switch_bench_load(bench, &aim)->length;
    }
}

/* Returns false if the device is gone. */
static bool run_stream(struct stream *stream)
{
    struct switch_bench *bench = stream->bench;
    struct switch_pair pair = SWITCH_FIRST_PAIR;
    uint64_t arrived_ns = conform_port_now_ns();
    uint32_t arrivals = 0;

    while (bench->shot_count < FRAMES && conform_port_now_ns() - arrived_ns < PAUSE_NS) {
        load_some(stream, &pair);
        if (!switch_bench_send(bench))
            return false;
        switch_bench_receive(bench, conform_port_now_ns() + PAUSE_NS / 10);
        count_arrivals(stream);
        if (bench->arrival_count > arrivals)
            arrived_ns = conform_port_now_ns();
        arrivals = bench->arrival_count;
    }
    return switch_bench_fire(bench);
}

/* ---- what came out --------------------------------------------------------------------------- */

static void expect_once(struct switch_bench *bench, const struct switch_shot *shot)
{
    uint32_t index = (uint32_t)(shot - bench->shots);

    if (shot->is_fence || !switch_expect_out(bench, shot, "a frame"))
        return;
    switch_expect_unchanged(bench, shot);
    if (shot->seen_length != shot->length)
        conform_report_fail(bench->report, "frame %u of %u bytes came out with %u", index,
            shot->length, shot->seen_length);
    if (shot->copies > 1)
        conform_report_fail(bench->report, "frame %u came out %u times", index, shot->copies);
}

static void expect_order(struct switch_bench *bench, uint32_t count, struct switch_pair pair)
{
    const struct switch_shot *before = NULL;

    for (uint32_t i = 0; i < count; i++) {
        const struct switch_shot *shot = &bench->shots[i];

        if (shot->in != pair.in || shot->out != pair.out || shot->copies == 0)
            continue;
        if (before && shot->order < before->order)
            conform_report_fail(bench->report, "frame %u from %s to %s overtook one before it", i,
                switch_bench_name(bench, pair.in), switch_bench_name(bench, pair.out));
        before = shot;
    }
}

static void run_load(struct switch_bench *bench, struct stream *stream)
{
    struct switch_pair pair = SWITCH_FIRST_PAIR;
    uint32_t count;

    if (!run_stream(stream))
        return;
    count = bench->shot_count < FRAMES ? bench->shot_count : FRAMES;
    for (uint32_t i = 0; i < count; i++)
        expect_once(bench, &bench->shots[i]);
    while (switch_bench_next_pair(bench, &pair))
        expect_order(bench, count, pair);
}

void switch_suite_load(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct stream stream = { .bench = bench, .window_bytes = window_of(bench->device) };

    run_load(bench, &stream);
}

void switch_suite_recovery(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);

    for (uint32_t i = 0; i < 16; i++)
        switch_expect_load(bench, NULL);
    switch_expect_each(bench, expect_once);
}
