/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the queue of an output. */
#include "conform/switch_volley.h"

enum {
    FRAMES_PER_QUEUE = 48,
    PAYLOAD_MIN = 256,
    TURN = 8, /* frames that enter by one input before those of the next one */
};

/* Of a WRITE with TSETH and without an SRH. */
enum { HEADER_BYTES = 40 + 40 + 8 + 12 + 4 + 4 + 16 + 4 };

static uint32_t clamp_payload(const struct switch_bench *bench, uint32_t queue_bytes)
{
    uint32_t payload_max = switch_bench_payload_max(bench);
    uint32_t payload_bytes = queue_bytes / FRAMES_PER_QUEUE / 4 * 4;

    if (payload_bytes < PAYLOAD_MIN)
        payload_bytes = PAYLOAD_MIN;
    return payload_bytes < payload_max ? payload_bytes : payload_max;
}

/* ---- ports ----------------------------------------------------------------------------------- */

static uint64_t rate_of(const struct switch_bench *bench, uint32_t port)
{
    uint64_t rate_bps = bench->device->ports[port].rate_bps;

    return rate_bps ? rate_bps : 1; /* if none is known, all are alike */
}

/* An input that is not faster than the output only helps if there is no faster one. */
static uint32_t next_input(const struct switch_bench *bench, uint32_t out, uint32_t after)
{
    bool has_faster = false;
    uint32_t in = SWITCH_NOWHERE;

    while ((in = switch_bench_in(bench, out, in)) != SWITCH_NOWHERE)
        has_faster |= rate_of(bench, in) > rate_of(bench, out);
    do
        after = switch_bench_in(bench, out, after);
    while (after != SWITCH_NOWHERE && has_faster && rate_of(bench, after) <= rate_of(bench, out));
    return after;
}

static bool can_fill(const struct switch_bench *bench, uint32_t out)
{
    uint64_t sum_bps = 0;

    for (uint32_t in = next_input(bench, out, SWITCH_NOWHERE); in != SWITCH_NOWHERE;
         in = next_input(bench, out, in))
        sum_bps += rate_of(bench, in);
    return sum_bps >= rate_of(bench, out) + rate_of(bench, out) / 2 + 1;
}

static bool is_facing(const struct switch_bench *bench, uint32_t out, enum switch_facing facing)
{
    return facing == SWITCH_FACES_ANY ||
           bench->device->ports[out].faces_host == (facing == SWITCH_FACES_HOST);
}

uint32_t switch_volley_out(
    const struct switch_bench *bench, enum switch_facing facing, uint32_t after)
{
    uint32_t out = after;

    do
        out = switch_bench_out(bench, out);
    while (out != SWITCH_NOWHERE && !(is_facing(bench, out, facing) && can_fill(bench, out)));
    return out;
}

/* ---- volleys --------------------------------------------------------------------------------- */

bool switch_volley_init_at(struct switch_volley *volley, struct switch_bench *bench, uint32_t out)
{
    const struct switch_device *device = bench->device;

    *volley = (struct switch_volley){ .bench = bench,
        .out = out,
        .aim = switch_bench_aim(bench, next_input(bench, out, SWITCH_NOWHERE), out),
        .queue_bytes =
            device->ports[out].faces_host ? device->host_queue_bytes : device->queue_bytes };
    volley->aim.class = DSCP_TRIMMABLE;
    volley->aim.payload_bytes = clamp_payload(bench, volley->queue_bytes);
    volley->aim.may_be_lost = true;
    volley->frame_bytes = HEADER_BYTES + volley->aim.payload_bytes;
    if (switch_volley_count(volley, volley->queue_bytes) <= SWITCH_VOLLEY_FRAMES_MAX / 3)
        return true;
    conform_report_skip(bench->report, "the data queue of %s is too long for the kit to fill",
        switch_bench_name(bench, out));
    return false;
}

bool switch_volley_init(
    struct switch_volley *volley, struct switch_bench *bench, enum switch_facing facing)
{
    static const char *const kinds[] = { "", " to a host", " to a switch" };
    uint32_t out = switch_volley_out(bench, facing, SWITCH_NOWHERE);

    if (out != SWITCH_NOWHERE)
        return switch_volley_init_at(volley, bench, out);
    conform_report_skip(
        bench->report, "no output%s is slower than the inputs together", kinds[facing]);
    return false;
}

void switch_volley_begin(struct switch_volley *volley)
{
    switch_bench_begin(volley->bench, volley->bench->report);
    volley->loaded_count = 0;
}

void switch_volley_load(struct switch_volley *volley, uint32_t count)
{
    struct switch_bench *bench = volley->bench;

    for (uint32_t i = 0; i < count; i++) {
        struct switch_aim aim = volley->aim;
        uint32_t number = volley->loaded_count++;

        if (number > 0 && number % TURN == 0)
            volley->aim.in = next_input(bench, volley->out, volley->aim.in);
        if (volley->aim.in == SWITCH_NOWHERE)
            volley->aim.in = next_input(bench, volley->out, SWITCH_NOWHERE);
        aim.in = volley->aim.in;
        aim.source = switch_bench_aim(bench, aim.in, volley->out).source;
        switch_bench_load(bench, &aim);
    }
}

void switch_volley_give_up(const struct switch_volley *volley, const char *what)
{
    struct switch_tally tally = switch_volley_tally(volley);

    conform_report_fail(volley->bench->report,
        "%s in %d volleys to %s; of the last one (%u frames of %u bytes, sent in %llu us) %u came "
        "out whole, %u of these marked, %u trimmed",
        what, SWITCH_VOLLEYS_MAX, switch_bench_name(volley->bench, volley->out),
        volley->loaded_count, volley->frame_bytes,
        (unsigned long long)volley->bench->send_ns / 1000, tally.whole, tally.marked, tally.cut);
    conform_report_note(volley->bench->report,
        "a queue grows only if the port is slower than the kit sends; see docs/conformance.md");
}

void switch_volley_sort(struct switch_volley *volley)
{
    const struct switch_shot *shots = volley->bench->shots;

    volley->whole_count = 0;
    for (uint32_t i = 0; i < volley->loaded_count; i++) {
        uint32_t at = volley->whole_count;

        if (!switch_shot_is_whole(&shots[i]))
            continue;
        for (; at > 0 && shots[volley->whole[at - 1]].order > shots[i].order; at--)
            volley->whole[at] = volley->whole[at - 1];
        volley->whole[at] = i;
        volley->whole_count++;
    }
}

struct switch_tally switch_volley_tally(const struct switch_volley *volley)
{
    struct switch_tally tally = { 0 };

    for (uint32_t i = 0; i < volley->loaded_count; i++) {
        const struct switch_shot *shot = &volley->bench->shots[i];

        tally.whole += switch_shot_is_whole(shot);
        tally.cut += switch_shot_is_cut(shot);
        tally.lost += shot->copies == 0;
        tally.marked += switch_shot_is_whole(shot) && switch_shot_ecn(shot) == ECN_CE;
    }
    return tally;
}
