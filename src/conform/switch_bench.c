/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the ports to a switch, chooses among them, and builds frames. */
#include "conform/switch_bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "conform/conform_frame.h"

enum {
    SHOTS_MAX = 1 << 14,
    BYTES_MAX = 32 << 20,
    PSN_MASK = 0xffffff,
    PAYLOAD_MAX = 4096,
};

/* ---- open and close -------------------------------------------------------------------------- */

/* Returns whether the address is that of an Ethernet interface. */
static bool takes_mac(const char *address)
{
    return strncmp(address, "raw:", 4) == 0 || strncmp(address, "xdp:", 4) == 0 ||
           !strchr(address, ':');
}

static int open_port(struct switch_bench *bench, uint32_t port)
{
    const struct switch_device_port *from = &bench->device->ports[port];
    char address[SWITCH_DEVICE_TEXT_BYTES + 32];
    bool has_mac = from->mac[0] && takes_mac(from->interface) && !strchr(from->interface, '?');

    snprintf(address, sizeof(address), "%s%s%s%s",
        strchr(from->interface, ':') ? "" : "raw:", from->interface, has_mac ? "?peer=" : "",
        has_mac ? from->mac : "");
    return conform_port_open(&bench->ports[port], address,
        &(struct pktio_self){ .device = from->device, .index = from->plane });
}

int switch_bench_open(
    struct switch_bench *bench, const struct switch_device *device, uint32_t *port)
{
    uint64_t seed = 0;
    int err = 0;

    *bench = (struct switch_bench){ .device = device,
        .shots = calloc(SHOTS_MAX, sizeof(*bench->shots)),
        .bytes = malloc(BYTES_MAX) };
    if (!bench->shots || !bench->bytes || getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
        err = -ENOMEM;
    bench->prng = prng_stream(seed, 0);
    for (*port = 0; !err && *port < device->port_count; ++*port) {
        err = open_port(bench, *port);
        if (err)
            break;
        bench->port_count++;
    }
    if (err)
        switch_bench_close(bench);
    return err;
}

void switch_bench_close(struct switch_bench *bench)
{
    for (uint32_t i = 0; i < bench->port_count; i++)
        conform_port_close(&bench->ports[i]);
    bench->port_count = 0;
    free(bench->shots);
    free(bench->bytes);
}

struct switch_bench *switch_bench_begin(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = kit;

    bench->report = report;
    bench->shot_count = 0;
    bench->sent_count = 0;
    bench->settled_count = 0;
    bench->used_bytes = 0;
    bench->arrival_count = 0;
    bench->qpn = 0x10000 | (uint32_t)(prng_next(&bench->prng) & PSN_MASK);
    return bench;
}

/* ---- ports ----------------------------------------------------------------------------------- */

uint32_t switch_bench_in(const struct switch_bench *bench, uint32_t out, uint32_t after)
{
    for (uint32_t i = after + 1; i < bench->port_count; i++)
        if (i != out && bench->device->ports[i].is_in)
            return i;
    return SWITCH_NOWHERE;
}

uint32_t switch_bench_out(const struct switch_bench *bench, uint32_t after)
{
    for (uint32_t i = after + 1; i < bench->port_count; i++)
        if (bench->device->ports[i].is_out && bench->device->ports[i].usid &&
            switch_bench_in(bench, i, SWITCH_NOWHERE) != SWITCH_NOWHERE)
            return i;
    return SWITCH_NOWHERE;
}

bool switch_bench_next_pair(const struct switch_bench *bench, struct switch_pair *pair)
{
    if (pair->out == SWITCH_NOWHERE)
        pair->out = switch_bench_out(bench, SWITCH_NOWHERE);
    while (pair->out != SWITCH_NOWHERE) {
        pair->in = switch_bench_in(bench, pair->out, pair->in);
        if (pair->in != SWITCH_NOWHERE)
            return true;
        pair->out = switch_bench_out(bench, pair->out);
    }
    return false;
}

uint32_t switch_bench_payload_max(const struct switch_bench *bench)
{
    uint32_t mtu_bytes = UINT32_MAX;

    for (uint32_t i = 0; i < bench->port_count; i++)
        if (bench->ports[i].io->mtu_bytes < mtu_bytes)
            mtu_bytes = bench->ports[i].io->mtu_bytes;
    if (mtu_bytes < FRAME_HEADER_BYTES_MAX + FRAME_ICRC_BYTES)
        return 0;
    mtu_bytes -= FRAME_HEADER_BYTES_MAX + FRAME_ICRC_BYTES;
    return mtu_bytes < PAYLOAD_MAX ? mtu_bytes / 4 * 4 : PAYLOAD_MAX;
}

const char *switch_bench_name(const struct switch_bench *bench, uint32_t port)
{
    const struct switch_device_port *of = &bench->device->ports[port];

    return of->device[0] ? of->device : of->interface;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Documentation addresses, which no fabric uses for NICs. */
static const struct ipv6_addr somewhere = { { 0x20, 0x01, 0x0d, 0xb8, 0xff, 0xff, [15] = 1 } };
static const struct ipv6_addr elsewhere = { { 0x20, 0x01, 0x0d, 0xb8, 0xff, 0xff, [15] = 2 } };

struct switch_aim switch_bench_aim(const struct switch_bench *bench, uint32_t in, uint32_t out)
{
    const struct switch_device *device = bench->device;
    uint32_t way = out == SWITCH_NOWHERE ? switch_bench_out(bench, SWITCH_NOWHERE) : out;
    bool has_host = device->ports[in].has_host;

    return (struct switch_aim){ .in = in,
        .out = out,
        .block = device->block,
        .usids = { device->usid, device->ports[way].usid },
        .hop_limit = IP_HOP_LIMIT_DEFAULT,
        .class = DSCP_NO_TRIM,
        .ecn = ECN_NOT_ECT,
        .payload_bytes = 64,
        .ev =
            (uint32_t)prng_below(&(struct prng){ bench->arrival_count + bench->shot_count }, 2048),
        .source = has_host ? device->ports[in].host : somewhere };
}

static struct ipv6_addr destination_of(const struct switch_aim *aim)
{
    struct ipv6_addr destination = { { 0 } };

    bytes_put_be32(destination.octets, aim->block);
    for (uint32_t i = 0; i < SWITCH_USIDS_MAX; i++)
        bytes_put_be16(destination.octets + 4 + 2 * (size_t)i, aim->usids[i]);
    return destination;
}

/* Writes what frame_build() cannot: any DSCP, hop limit and state of the SRH. */
static void change_outer(const struct switch_aim *aim, uint8_t *bytes)
{
    if (aim->has_dscp) {
        bytes[0] = (uint8_t)(0x60 | aim->dscp >> 2);
        bytes[1] = (uint8_t)(aim->dscp << 6 | (bytes[1] & 0x3f));
    }
    bytes[7] = aim->hop_limit;
    if (aim->has_srh)
        bytes[IP_V6_BYTES + 3] = aim->segments_left;
}

static uint32_t build_frame(
    struct switch_bench *bench, const struct switch_aim *aim, uint8_t *bytes, size_t room)
{
    struct ipv6_addr destination = destination_of(aim);
    uint32_t length = conform_frame_build(&bench->device->format,
        &(struct conform_frame){ .source = aim->source,
            .destination = elsewhere,
            .path = &destination,
            .segment = aim->has_srh ? &aim->segment : NULL,
            .opcode = aim->is_sack ? OPCODE_SACK : OPCODE_WRITE_ONLY,
            .ev = aim->ev,
            .dest_qpn = bench->qpn,
            .psn = bench->shot_count,
            .class = aim->class,
            .ecn = aim->ecn,
            .payload_bytes = aim->payload_bytes },
        &bench->prng, bytes, room);

    if (length > 0)
        change_outer(aim, bytes);
    return length;
}

struct switch_shot *switch_bench_load(struct switch_bench *bench, const struct switch_aim *aim)
{
    struct switch_shot *shot = &bench->shots[bench->shot_count];
    uint8_t *bytes = bench->bytes + bench->used_bytes;

    assert(bench->shot_count < SHOTS_MAX);
    assert(bench->used_bytes + CONFORM_FRAME_BYTES_MAX <= BYTES_MAX);
    *shot = (struct switch_shot){ .bytes = bytes,
        .in = aim->in,
        .out = aim->out,
        .class = aim->has_dscp ? DSCP_OTHER : (uint8_t)aim->class,
        .may_be_lost = aim->may_be_lost,
        .difference = SWITCH_NO_DIFFERENCE };
    shot->length = build_frame(bench, aim, bytes, CONFORM_FRAME_BYTES_MAX);
    assert(shot->length > 0);
    memset(bytes + shot->length, 0, aim->padding_bytes);
    shot->sent_length = shot->length + aim->padding_bytes;
    bench->used_bytes += shot->sent_length;
    bench->shot_count++;
    return shot;
}
