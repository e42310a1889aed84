/* SPDX-License-Identifier: Apache-2.0 */
/* Converts simulated packets to bytes and back. */
#include "sim/wire_check.h"

#include <string.h>

#include "sim/srv6.h"
#include "wire/frame.h"

enum {
    FRAME_BYTES_MAX = 8192,
};

struct wire_frame {
    uint8_t bytes[FRAME_BYTES_MAX];
    uint32_t length; /* 0: the frame cannot be built */
};

static struct wire_format format_of(const struct shard *shard)
{
    struct wire_format format = format_default;

    plan_ev_format(shard->fabric, &format);
    format.udp_port = (uint16_t)shard->sim->parameters.udp_port;
    return format;
}

/* Builds the frame as its source sent it: complete and unmarked, except that switches may have
 * shifted its address. */
static void build_frame(const struct shard *shard, const struct wire_format *format,
    const struct packet *packet, uint32_t handle, struct wire_frame *out)
{
    const struct packets_record *record = &shard->packets.all[handle];
    struct frame frame = { .packet = *packet };

    if (dscp_is_trimmed((enum dscp_class)packet->class))
        frame.packet.class = DSCP_TRIMMABLE;
    if (packet->ecn == ECN_CE)
        frame.packet.ecn = ECN_ECT0;
    frame_address(format, &frame, &shard->packets.outer[handle], srv6_segment(shard, record));
    frame.srh.segments_left = record->segments_left;
    out->length = frame_build(format, &frame, out->bytes, sizeof(out->bytes));
    if (out->length == 0)
        return;
    if (opcode_has_payload(packet->opcode))
        memset(out->bytes + frame.payload_offset, 0, packet->write.payload.length);
    frame_seal(&frame, out->bytes);
}

/* Applies the changes that switches have made. */
static void apply_changes(
    const struct wire_format *format, struct port_entry entry, struct wire_frame *frame)
{
    struct switch_frame handle;

    if (switch_frame_open(&handle, SWITCH_BARE_IP, frame->bytes, frame->length) != DROP_NONE) {
        frame->length = 0;
        return;
    }
    if (entry.ecn == ECN_CE)
        switch_frame_mark(&handle);
    if (dscp_is_trimmed((enum dscp_class)entry.class))
        switch_frame_trim(&handle, format, entry);
    frame->length = (uint32_t)handle.length;
}

static bool is_as_queued(
    const struct wire_format *format, struct port_entry entry, struct wire_frame *frame)
{
    struct switch_frame handle;
    struct port_entry seen;

    if (frame->length == 0 ||
        switch_frame_open(&handle, SWITCH_BARE_IP, frame->bytes, frame->length) != DROP_NONE)
        return false;
    seen = switch_frame_entry(&handle, format, entry.handle);
    return seen.length_bytes == entry.length_bytes && seen.class == entry.class &&
           seen.ecn == entry.ecn;
}

/* Returns true if the next switch forwards the bytes and the address alike. */
static bool is_forwarded_alike(const struct shard *shard, const struct switch_table *table,
    uint32_t packet, struct wire_frame *frame)
{
    struct packets_record record = shard->packets.all[packet];
    struct ipv6_addr shifted = shard->packets.outer[packet];
    struct switch_way way = switch_table_forward(table, &shifted);
    struct switch_frame handle;
    struct switch_way seen;

    if (way.reason == DROP_END_OF_CARRIER)
        way = srv6_take_segment(shard, table, &record, &shifted);
    switch_frame_open(&handle, SWITCH_BARE_IP, frame->bytes, frame->length);
    seen = switch_frame_forward(&handle, table);
    return seen.reason == way.reason && seen.port == way.port &&
           memcmp(handle.ip + 24, shifted.octets, sizeof(shifted.octets)) == 0;
}

void wire_check_hop(struct shard *shard, uint32_t port, const struct port_transmission *sent)
{
    const struct link *link = &shard->links[port];
    const struct packets_record *record = &shard->packets.all[sent->entry.handle];
    struct wire_format format = format_of(shard);
    struct wire_frame frame;
    struct packet packet;

    packets_load(record, shard->fabric, &packet);
    packet.dst = plan_nic_address(shard->fabric, record->to);
    packet.class = sent->entry.class;
    packet.ecn = sent->entry.ecn;
    build_frame(shard, &format, &packet, sent->entry.handle, &frame);
    apply_changes(&format, sent->entry, &frame);
    if (!is_as_queued(&format, sent->entry, &frame))
        shard_violated(
            shard, "a frame is not what was queued, PSN", packet.psn.value, sent->end_ps);
    else if (link->peer_node >= shard->nic_count &&
             !is_forwarded_alike(shard, &shard->switches[link->peer_node - shard->nic_count].table,
                 sent->entry.handle, &frame))
        shard_violated(shard, "a frame is not forwarded as its address says, PSN", packet.psn.value,
            sent->end_ps);
}

/* Only the uSID of the host is left of the path. */
void wire_check_arrival(struct shard *shard, struct port_entry entry, struct packet *packet)
{
    struct wire_format format = format_of(shard);
    struct wire_frame bytes;
    struct frame frame;
    uint8_t port = packet->port;

    build_frame(shard, &format, packet, entry.handle, &bytes);
    apply_changes(&format, entry, &bytes);
    if (bytes.length == 0 || frame_parse(&format, bytes.bytes, bytes.length, &frame) != DROP_NONE ||
        !frame_icrc_ok(&frame, bytes.bytes)) {
        shard_violated(shard, "a frame cannot be read, PSN", packet->psn.value, shard->sim->now_ps);
        return;
    }
    *packet = frame.packet;
    packet->port = port;
    if (opcode_has_payload(packet->opcode))
        packet->write.payload.bytes = NULL;
}
