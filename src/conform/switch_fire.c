/* SPDX-License-Identifier: Apache-2.0 */
/* Sends shots and receives what a switch makes of them. */
#include <string.h>

#include "conform/switch_bench.h"
#include "wire/bth.h"
#include "wire/ip_nest.h"

enum {
    FENCES_MAX = 64,
    RESEND_NS = 50000000, /* a full queue may drop a fence */
    LATE_NS = 200000000,  /* for a frame that a fence has overtaken */
    SETTLE_NS = 2000000,
    STRAYS_MAX = 2000, /* more in a run: the device floods */
    COPIES_MAX = 16,
    UDP_BYTES = 8,
};

/* ---- receiving ------------------------------------------------------------------------------- */

static bool is_changed_by_switches(uint32_t offset)
{
    return offset < 2 /* traffic class */ || offset == 4 || offset == 5 /* length */ ||
           offset == 7 /* hop limit */ || (offset >= 24 && offset < 40) /* destination */;
}

static uint32_t difference_of(const struct switch_shot *shot, const uint8_t *bytes, uint32_t length)
{
    bool has_srh = shot->bytes[6] == IP_NEXT_ROUTING;

    if ((bytes[1] ^ shot->bytes[1]) & 0x0f) /* flow label */
        return 1;
    for (uint32_t i = 0; i < length && i < shot->length; i++)
        if (bytes[i] != shot->bytes[i] && !is_changed_by_switches(i) &&
            !(has_srh && i == IP_V6_BYTES + 3 /* segments left */))
            return i;
    return SWITCH_NO_DIFFERENCE;
}

/* Returns the shot that this frame was, or NULL. */
static struct switch_shot *find_shot(
    struct switch_bench *bench, const uint8_t *bytes, uint32_t length)
{
    struct ip_nest nest;
    const uint8_t *bth;
    uint32_t psn;

    if (!ip_nest_walk(bytes, length, &nest) || nest.end + UDP_BYTES + BTH_BYTES > length)
        return NULL;
    bth = bytes + nest.end + UDP_BYTES;
    psn = bytes_get_be32(bth + 8) & 0xffffff;
    if ((bytes_get_be32(bth + 4) & 0xffffff) != bench->qpn || psn >= bench->shot_count)
        return NULL;
    return &bench->shots[psn];
}

static void note_frame(void *to, uint32_t port, const uint8_t *bytes, uint32_t length)
{
    struct switch_bench *bench = to;
    struct switch_shot *shot = length >= IP_V6_BYTES ? find_shot(bench, bytes, length) : NULL;
    uint32_t ip_length;

    if (!shot || shot->copies > COPIES_MAX)
        bench->stray_count++;
    if (!shot || shot->copies++ > 0)
        return;
    ip_length = IP_V6_BYTES + (uint32_t)bytes_get_be16(bytes + 4);
    shot->order = bench->arrival_count++;
    shot->port = port;
    shot->seen_ns = conform_port_now_ns();
    shot->frame_length = length;
    shot->seen_length = ip_length < length ? ip_length : length;
    shot->difference = difference_of(shot, bytes, shot->seen_length);
    memcpy(shot->head, bytes, length < sizeof(shot->head) ? length : sizeof(shot->head));
}

/* Returns whether a frame was received. */
static bool receive_frames(struct switch_bench *bench)
{
    return conform_port_receive(bench->ports, bench->port_count, note_frame, bench);
}

/* ---- a device that is gone ------------------------------------------------------------------- */

static bool is_over(struct switch_bench *bench)
{
    for (uint32_t i = 0; i < bench->port_count; i++)
        if (conform_port_is_gone(&bench->ports[i]))
            conform_report_end(bench->report, "%s: %s", switch_bench_name(bench, i),
                conform_port_trouble(&bench->ports[i]));
    if (bench->stray_count > STRAYS_MAX)
        conform_report_end(bench->report,
            "the device floods: %llu frames came out that were not sent in",
            (unsigned long long)bench->stray_count);
    if (bench->is_interrupted && *bench->is_interrupted)
        conform_report_end(bench->report, "interrupted");
    return conform_report_has_ended(bench->report);
}

/* ---- sending --------------------------------------------------------------------------------- */

static uint64_t deadline_of(const struct switch_bench *bench)
{
    return conform_port_now_ns() + bench->device->patience_ps / 1000;
}

/* Sends a run of shots that enter by one port. Returns false if the port takes no more frames. */
static bool send_run(struct switch_bench *bench, uint32_t first, uint32_t count)
{
    struct iovec pieces[PKTIO_BATCH_MAX];
    struct pktio_frame frames[PKTIO_BATCH_MAX];
    uint32_t port = bench->shots[first].in;

    for (uint32_t i = 0; i < count; i++) {
        const struct switch_shot *shot = &bench->shots[first + i];

        pieces[i] = (struct iovec){ .iov_base = shot->bytes, .iov_len = shot->sent_length };
        frames[i] = (struct pktio_frame){
            .pieces = &pieces[i], .piece_count = 1, .length_bytes = shot->sent_length
        };
    }
    if (conform_port_send(&bench->ports[port], frames, count, deadline_of(bench)) == count)
        return true;
    conform_report_end(bench->report, "%s: %s", switch_bench_name(bench, port),
        conform_port_trouble(&bench->ports[port]));
    return false;
}

bool switch_bench_send(struct switch_bench *bench)
{
    uint64_t begin_ns = conform_port_now_ns();

    while (bench->sent_count < bench->shot_count) {
        uint32_t first = bench->sent_count;
        uint32_t count = 1;

        while (first + count < bench->shot_count && count < PKTIO_BATCH_MAX &&
               bench->shots[first + count].in == bench->shots[first].in)
            count++;
        if (!send_run(bench, first, count))
            return false;
        bench->sent_count += count;
    }
    bench->send_ns = conform_port_now_ns() - begin_ns;
    return true;
}

/* ---- fences ---------------------------------------------------------------------------------- */

/* A fence is a data frame behind all others: when it comes out, they have come out or were
 * dropped. */
static uint32_t load_fences(struct switch_bench *bench, uint32_t first_shot)
{
    uint32_t first_fence = bench->shot_count;
    uint32_t inputs = 0;

    for (uint32_t i = first_shot; i < first_fence; i++)
        inputs |= UINT32_C(1) << bench->shots[i].in;
    for (uint32_t in = 0; in < bench->port_count; in++)
        for (uint32_t out = switch_bench_out(bench, SWITCH_NOWHERE);
             out != SWITCH_NOWHERE && inputs >> in & 1; out = switch_bench_out(bench, out)) {
            struct switch_aim aim = switch_bench_aim(bench, in, out);

            if (in != out)
                switch_bench_load(bench, &aim)->is_fence = true;
        }
    return first_fence;
}

static struct switch_shot *missing_shot(struct switch_bench *bench, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        if (bench->shots[i].copies == 0 && !bench->shots[i].may_be_lost &&
            bench->shots[i].out != SWITCH_NOWHERE)
            return &bench->shots[i];
    return NULL;
}

void switch_bench_receive(struct switch_bench *bench, uint64_t until_ns)
{
    if (receive_frames(bench))
        return;
    if (conform_port_now_ns() < until_ns)
        conform_port_wait(bench->ports, bench->port_count, until_ns);
    receive_frames(bench);
}

static bool resend_fences(struct switch_bench *bench, uint32_t first)
{
    for (uint32_t i = first; i < bench->shot_count; i++)
        if (bench->shots[i].copies == 0 && !send_run(bench, i, 1))
            return false;
    return true;
}

static bool await_fences(struct switch_bench *bench, uint32_t first)
{
    uint64_t deadline_ns = deadline_of(bench);
    const struct switch_shot *missing;
    uint64_t resend_ns = conform_port_now_ns() + RESEND_NS;

    bench->sent_count = bench->shot_count;
    if (!resend_fences(bench, first))
        return false;
    while ((missing = missing_shot(bench, first, bench->shot_count)) && !is_over(bench)) {
        uint64_t now_ns = conform_port_now_ns();

        if (now_ns >= deadline_ns) {
            conform_report_end(bench->report, "the device no longer forwards from %s to %s",
                switch_bench_name(bench, missing->in), switch_bench_name(bench, missing->out));
            return false;
        }
        if (now_ns >= resend_ns) {
            resend_ns = now_ns + RESEND_NS;
            if (!resend_fences(bench, first))
                return false;
        }
        switch_bench_receive(bench, resend_ns);
    }
    return !is_over(bench);
}

bool switch_bench_fire(struct switch_bench *bench)
{
    uint32_t first = bench->settled_count;
    uint32_t end = bench->shot_count;
    uint64_t until_ns;

    if (is_over(bench) || !switch_bench_send(bench))
        return false;
    receive_frames(bench);
    if (!await_fences(bench, load_fences(bench, first)))
        return false;
    until_ns = conform_port_now_ns() + LATE_NS;
    while (missing_shot(bench, first, end) && conform_port_now_ns() < until_ns)
        switch_bench_receive(bench, until_ns);
    switch_bench_receive(bench, conform_port_now_ns() + SETTLE_NS);
    bench->settled_count = bench->shot_count;
    return !is_over(bench);
}

struct ipv6_addr switch_shot_destination(const struct switch_shot *shot)
{
    struct ipv6_addr destination;

    memcpy(destination.octets, shot->head + 24, sizeof(destination.octets));
    return destination;
}
