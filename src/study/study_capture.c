/* SPDX-License-Identifier: Apache-2.0 */
/* Captures the frames of a simulated network. */
#include "study/study_capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/result.h"
#include "wire/frame.h"

#define FRAME_BYTES_MAX (FRAME_HEADER_BYTES_MAX + 4096 + 3 + FRAME_ICRC_BYTES)
#define PS_PER_NS       1000

struct study_captured {
    uint64_t time_ps;
    struct topology_end from;
    struct packet packet;
    struct ipv6_addr outer;
    struct ipv6_addr segment; /* if has_srh */
    bool has_srh;
    uint8_t segments_left;
    uint32_t length_bytes;
};

/* ---- frames ---------------------------------------------------------------------------------- */

void study_capture_frame(struct study_capture *capture, const struct sim_frame *frame)
{
    if (!capture->pcap_file)
        return;
    capture->frames = grow_list(
        capture->frames, capture->frame_count, &capture->frame_room, sizeof(*capture->frames));
    capture->frames[capture->frame_count++] = (struct study_captured){ .time_ps = frame->time_ps,
        .from = frame->from,
        .packet = *frame->packet,
        .outer = frame->outer,
        .segment = frame->segment ? *frame->segment : (struct ipv6_addr){ { 0 } },
        .has_srh = frame->segment,
        .segments_left = (uint8_t)frame->segments_left,
        .length_bytes = frame->length_bytes };
}

/* A link ends one packet at a time, so time and port identify a frame. */
static int by_time(const void *left, const void *right)
{
    const struct study_captured *a = left;
    const struct study_captured *b = right;

    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps ? -1 : 1;
    if (a->from.is_nic != b->from.is_nic)
        return a->from.is_nic ? -1 : 1;
    if (a->from.node != b->from.node)
        return a->from.node < b->from.node ? -1 : 1;
    return (a->from.port > b->from.port) - (a->from.port < b->from.port);
}

static size_t port_number(const struct study_capture *capture, struct topology_end end)
{
    const struct topology *topology = &capture->fabric->topology;

    if (end.is_nic)
        return (size_t)end.node * topology->config.plane_count + end.port;
    return capture->first_port_of_switch[end.node] + end.port;
}

/* Creates an interface for each port when it first sends, named after its link and direction. The
 * link type is not raw IP, because libpcap refuses a second interface of that type. */
static int interface_of(struct study_capture *capture, struct topology_end end, uint32_t *interface)
{
    uint32_t *known = &capture->interface_of_port[port_number(capture, end)];
    char cable[TOPOLOGY_NAME_BYTES];
    char name[TOPOLOGY_NAME_BYTES + 8];
    struct topology_link_kind kind;
    struct topology_element link;
    int err = 0;

    if (*known == 0) {
        if (!topology_link_at(&capture->fabric->topology, end, &link, &kind))
            return -ENODEV;
        topology_name(&link, cable);
        snprintf(name, sizeof(name), "%s %s", cable,
            topology_goes_up(&capture->fabric->topology, end) ? "up" : "down");
        err = pcapng_add_interface(&capture->pcapng, name, LINK_TYPE_IPV6, interface);
        *known = *interface + 1;
    }
    *interface = *known - 1;
    return err;
}

static int write_frame(struct study_capture *capture, const struct study_captured *captured)
{
    static const struct ipv6_addr none;
    struct frame frame = { .packet = captured->packet };
    bool has_outer = memcmp(&captured->outer, &none, sizeof(none)) != 0;
    uint8_t bytes[FRAME_BYTES_MAX] = { 0 };
    uint32_t interface = 0;
    uint32_t length;
    int err = interface_of(capture, captured->from, &interface);

    if (err)
        return err;
    frame_address(&capture->format, &frame, has_outer ? &captured->outer : NULL,
        captured->has_srh ? &captured->segment : NULL);
    frame.srh.segments_left = captured->segments_left;
    length = frame_build(&capture->format, &frame, bytes, sizeof(bytes));
    if (!frame_is_trimmed(&frame))
        frame_seal(&frame, bytes);
    return pcapng_add_packet(&capture->pcapng,
        &(struct pcapng_packet){ .bytes = bytes,
            .captured_bytes =
                capture->snap_bytes && capture->snap_bytes < length ? capture->snap_bytes : length,
            .original_bytes = length,
            .time_ns = captured->time_ps / PS_PER_NS,
            .interface = interface });
}

static void flush_frames(struct study_capture *capture, uint64_t until_ps)
{
    size_t written = 0;

    if (capture->frame_count == 0)
        return;
    qsort(capture->frames, capture->frame_count, sizeof(*capture->frames), by_time);
    while (written < capture->frame_count && capture->frames[written].time_ps <= until_ps) {
        if (!capture->error)
            capture->error = write_frame(capture, &capture->frames[written]);
        written++;
    }
    capture->frame_count -= written;
    memmove(capture->frames, capture->frames + written,
        capture->frame_count * sizeof(*capture->frames));
}

/* ---- the file ---------------------------------------------------------------------------------
 */

static void number_ports(struct study_capture *capture)
{
    const struct topology *topology = &capture->fabric->topology;
    size_t next = (size_t)topology->nic_count * topology->config.plane_count;

    capture->first_port_of_switch = grow_take(topology->switch_count, sizeof(uint32_t));
    for (uint32_t i = 0; i < topology->switch_count; i++) {
        capture->first_port_of_switch[i] = (uint32_t)next;
        next += topology_port_count(topology, i);
    }
    capture->interface_of_port = grow_take(next, sizeof(uint32_t));
}

int study_capture_open(
    struct study_capture *capture, const struct experiment *experiment, const char *path)
{
    *capture = (struct study_capture){ .fabric = &experiment->fabric, .format = format_default };
    if (!path)
        return 0;
    plan_ev_format(&experiment->fabric, &capture->format);
    capture->format.udp_port = (uint16_t)experiment->sim.parameters.udp_port;
    capture->pcap_file = fopen(path, "wb");
    if (!capture->pcap_file)
        return -errno;
    number_ports(capture);
    return pcapng_init(&capture->pcapng, capture->pcap_file, "mrc sim " OPENMRC_VERSION);
}

void study_capture_flush(struct study_capture *capture, uint64_t until_ps)
{
    if (capture->pcap_file)
        flush_frames(capture, until_ps);
}

int study_capture_close(struct study_capture *capture)
{
    study_capture_flush(capture, UINT64_MAX);
    if (capture->pcap_file && fclose(capture->pcap_file) != 0 && !capture->error)
        capture->error = -errno;
    free(capture->interface_of_port);
    free(capture->first_port_of_switch);
    free(capture->frames);
    return capture->error;
}
