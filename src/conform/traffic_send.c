/* SPDX-License-Identifier: Apache-2.0 */
/* Builds frames and sends them. */
#include <string.h>

#include "conform/hostile_frame.h"
#include "conform/traffic_state.h"

static const struct ipv6_addr somewhere = { { 0x20, 0x01, 0x0d, 0xb8, 0xff, 0xff, [15] = 1 } };

/* ---- frames ---------------------------------------------------------------------------------- */

/* Returns the EV: the plane of the port and one of its uplinks. */
static uint32_t ev_of(const struct traffic *traffic, const struct traffic_port *from, uint32_t way)
{
    const struct plan *fabric = traffic->config->fabric;

    return fabric ? plan_ev(fabric, (struct ev_path){ .plane = from->plane, .uplink = way }) : way;
}

static void address_frame(struct traffic *traffic, uint32_t sender, uint32_t receiver,
    struct conform_frame *frame, struct ipv6_addr *path)
{
    const struct traffic_port *from = &traffic->config->ports[sender];
    const struct traffic_port *to = &traffic->config->ports[receiver];
    const struct plan *fabric = traffic->config->fabric;

    frame->source = from->has_source ? from->source : somewhere;
    frame->destination = traffic->config->destination;
    if (fabric && from->has_nic && !from->has_source)
        frame->source = plan_nic_address(fabric, from->nic);
    if (fabric && to->has_nic)
        frame->destination = plan_nic_address(fabric, to->nic);
    if (from->has_path)
        *path = from->path;
    else if (fabric && from->has_nic && to->has_nic)
        *path = plan_outer(fabric, from->nic, to->nic, frame->ev);
    else
        return;
    frame->path = path;
}

/* Builds a valid frame, number `order` of its sender. */
static uint32_t build_ordinary(
    struct traffic *traffic, uint32_t sender, uint32_t receiver, uint32_t order, uint8_t *bytes)
{
    const struct traffic_config *config = traffic->config;
    struct ipv6_addr path;
    struct conform_frame frame = { .ev = ev_of(
                                       traffic, &config->ports[sender], order % traffic->way_count),
        .dest_qpn = traffic->qpn + sender,
        .psn = order & 0xffffff,
        .class = config->class,
        .ecn = config->ecn,
        .payload_bytes = config->payload_bytes };

    address_frame(traffic, sender, receiver, &frame, &path);
    return conform_frame_build(
        &config->format, &frame, &traffic->prng, bytes, CONFORM_FRAME_BYTES_MAX);
}

static uint32_t build_hostile(
    struct traffic *traffic, uint32_t sender, uint32_t receiver, uint32_t order, uint8_t *bytes)
{
    uint32_t length = prng_below(&traffic->prng, 5000);

    if (prng_below(&traffic->prng, 8) > 0)
        length = build_ordinary(traffic, sender, receiver, order, bytes);
    else
        hostile_frame_noise(&traffic->prng, bytes, length);
    if (length < 60)
        return length;
    return hostile_frame_damage(&traffic->prng, bytes, length, CONFORM_FRAME_BYTES_MAX);
}

/* ---- sending --------------------------------------------------------------------------------- */

static uint32_t note_frame(
    struct traffic *traffic, uint32_t sender, const uint8_t *bytes, uint32_t length)
{
    uint32_t number = traffic_match_add(&traffic->match, bytes, length);

    traffic->match.sent[number].sender = (uint8_t)sender;
    traffic->match.sent[number].order = traffic->loaded_by[sender];
    return number;
}

/* Sends `count` frames of the burst, whose first is number `number`. */
static bool send_part(
    struct traffic *traffic, uint32_t sender, uint32_t first, uint32_t count, uint32_t number)
{
    struct iovec pieces[PKTIO_BATCH_MAX];
    struct pktio_frame frames[PKTIO_BATCH_MAX];
    uint64_t now_ns = conform_port_now_ns();

    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = traffic->lengths[first + i];

        pieces[i] = (struct iovec){ .iov_base = traffic->bytes +
                                                (size_t)(first + i) * CONFORM_FRAME_BYTES_MAX,
            .iov_len = length };
        frames[i] =
            (struct pktio_frame){ .pieces = &pieces[i], .piece_count = 1, .length_bytes = length };
        traffic->match.sent[number + i].sent_ns = now_ns;
    }
    if (traffic->first_ns == 0)
        traffic->first_ns = now_ns;
    traffic->last_ns = now_ns;
    traffic->result->send_ns = now_ns - traffic->first_ns;
    if (conform_port_send(&traffic->ports[sender], frames, count,
            now_ns + traffic->config->wait_ns + 1000000000) == count)
        return true;
    return traffic_end(traffic, "%s: %s", traffic->ports[sender].name,
        conform_port_trouble(&traffic->ports[sender]));
}

bool traffic_send_burst(struct traffic *traffic, uint32_t sender, uint32_t receiver, uint32_t count)
{
    bool is_hostile = traffic->config->pattern == TRAFFIC_HOSTILE && !traffic->is_late;
    uint32_t first_number = traffic->match.count;

    for (uint32_t i = 0; i < count; i++) {
        uint8_t *bytes = traffic->bytes + (size_t)i * CONFORM_FRAME_BYTES_MAX;
        uint32_t order = traffic->loaded_by[sender];

        traffic->lengths[i] =
            (is_hostile ? build_hostile : build_ordinary)(traffic, sender, receiver, order, bytes);
        note_frame(traffic, sender, bytes, traffic->lengths[i]);
        traffic->loaded_by[sender]++;
    }
    for (uint32_t at = 0; at < count; at += PKTIO_BATCH_MAX) {
        uint32_t part = count - at < PKTIO_BATCH_MAX ? count - at : PKTIO_BATCH_MAX;

        if (!send_part(traffic, sender, at, part, first_number + at))
            return false;
    }
    return true;
}

bool traffic_send_frame(
    struct traffic *traffic, uint32_t sender, const uint8_t *bytes, uint32_t length)
{
    uint32_t number = note_frame(traffic, sender, bytes, length);

    traffic->loaded_by[sender]++;
    memcpy(traffic->bytes, bytes, length);
    traffic->lengths[0] = length;
    return send_part(traffic, sender, 0, 1, number);
}
