/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: posting them, one by one or in streams. */
#include "traffic.h"

#include <assert.h>
#include <stdlib.h>

#include "network_state.h"

/* ---- posting -------------------------------------------------------------------------------- */

static struct message *add_message(struct network *network, uint32_t flow, uint32_t length_bytes)
{
    struct traffic *traffic = &network->traffic;

    if (traffic->message_count == traffic->message_capacity) {
        traffic->message_capacity = traffic->message_capacity ? 2 * traffic->message_capacity : 64;
        traffic->messages =
            realloc(traffic->messages, traffic->message_capacity * sizeof(*traffic->messages));
        assert(traffic->messages);
    }
    traffic->messages[traffic->message_count] = (struct message){
        .seen = { .flow = flow, .length_bytes = length_bytes, .posted_ps = network->now_ps },
        .key = prng_next(&traffic->prng),
        .next = NETWORK_NONE,
    };
    return &traffic->messages[traffic->message_count++];
}

static void link_message(struct network *network, uint32_t index)
{
    struct traffic *traffic = &network->traffic;
    struct flow_state *flow = &traffic->flows[traffic->messages[index].seen.flow];

    if (flow->newest != NETWORK_NONE)
        traffic->messages[flow->newest].next = index;
    if (flow->oldest == NETWORK_NONE)
        flow->oldest = index;
    if (flow->awaited == NETWORK_NONE)
        flow->awaited = index;
    flow->newest = index;
    flow->seen.posted++;
}

static int post(struct network *network, uint32_t flow_index, struct work_request request,
    uint64_t offset_bytes, bool is_verified)
{
    struct flow_state *flow = &network->traffic.flows[flow_index];
    struct message *message = add_message(network, flow_index, request.length_bytes);
    uint32_t index = network->traffic.message_count - 1;
    int err;

    message->offset_bytes = offset_bytes;
    message->is_verified = is_verified;
    message->seen.has_immediate = request.flags & WORK_WITH_IMMEDIATE;
    request.id = index;
    request.local = index;
    request.immediate = index;
    err = transport_post_send(network->hosts[flow->seen.from].transport, flow->seen.from_qpn,
        &request, network_clock_ns(network, flow->seen.from));
    if (err)
        network->traffic.message_count--;
    else
        link_message(network, index);
    return err;
}

static bool post_write(struct network *network, uint32_t flow_index, uint64_t offset_bytes,
    uint32_t length_bytes, uint32_t flags)
{
    struct region *region = &network->traffic.flows[flow_index].region;

    region_grow(region, offset_bytes + length_bytes);
    region_expect(region, offset_bytes, length_bytes);
    return post(network, flow_index,
               (struct work_request){ .remote_va = region->va + offset_bytes,
                   .rkey = region->rkey,
                   .length_bytes = length_bytes,
                   .flags = WORK_SIGNALED | flags },
               offset_bytes, true) == 0;
}

static uint64_t rounded_up(uint64_t bytes)
{
    return (bytes + REGION_GRAIN_BYTES - 1) / REGION_GRAIN_BYTES * REGION_GRAIN_BYTES;
}

static uint32_t write_with(
    struct network *network, uint32_t flow_index, uint32_t length_bytes, uint32_t flags)
{
    struct flow_state *flow = &network->traffic.flows[flow_index];

    if (flow->oldest == NETWORK_NONE)
        flow->cursor_bytes = 0;
    if (!post_write(network, flow_index, flow->cursor_bytes, length_bytes, flags))
        return NETWORK_NONE;
    flow->cursor_bytes = rounded_up(flow->cursor_bytes + length_bytes);
    host_touch(network, flow->seen.from);
    return flow->newest;
}

uint32_t traffic_write(struct network *network, uint32_t flow, uint32_t length_bytes)
{
    return write_with(network, flow, length_bytes, 0);
}

uint32_t traffic_write_immediate(struct network *network, uint32_t flow, uint32_t length_bytes)
{
    return write_with(network, flow, length_bytes, WORK_WITH_IMMEDIATE);
}

int traffic_post(struct network *network, uint32_t flow, const struct work_request *request)
{
    int err = post(network, flow, *request, 0, false);

    host_touch(network, network->traffic.flows[flow].seen.from);
    return err;
}

/* ---- streams -------------------------------------------------------------------------------- */

/* Writes complete in order, so the slot of the one `outstanding` before is free. */
static bool post_of_stream(struct network *network, uint32_t flow_index)
{
    struct flow_state *flow = &network->traffic.flows[flow_index];
    const struct traffic_stream *stream = &flow->stream;
    uint64_t slot = flow->stream_posted++ % stream->outstanding;

    if (flow->stream_left != UINT32_MAX)
        flow->stream_left--;
    if (flow->stream_left == 0)
        network->traffic.streams_active--;
    return post_write(network, flow_index,
        flow->stream_offset_bytes + slot * rounded_up(stream->length_bytes), stream->length_bytes,
        stream->with_immediates ? WORK_WITH_IMMEDIATE : 0);
}

void traffic_start(
    struct network *network, uint32_t flow_index, const struct traffic_stream *stream)
{
    struct flow_state *flow = &network->traffic.flows[flow_index];

    assert(flow->stream_left == 0);
    assert(flow->oldest == NETWORK_NONE);
    assert(stream->outstanding > 0 && stream->message_count > 0);
    flow->stream = *stream;
    flow->stream_left = stream->message_count;
    flow->stream_posted = 0;
    flow->stream_offset_bytes = 0;
    flow->cursor_bytes = stream->outstanding * rounded_up(stream->length_bytes);
    network->traffic.streams_active++;
    for (uint32_t i = 0; i < stream->outstanding && flow->stream_left > 0; i++)
        if (!post_of_stream(network, flow_index))
            traffic_stop(network, flow_index);
    host_touch(network, flow->seen.from);
}

void traffic_stop(struct network *network, uint32_t flow_index)
{
    struct flow_state *flow = &network->traffic.flows[flow_index];

    network->traffic.streams_active -= flow->stream_left > 0;
    flow->stream_left = 0;
}

void traffic_continue(struct network *network, uint32_t flow_index)
{
    if (network->traffic.flows[flow_index].stream_left > 0 && !post_of_stream(network, flow_index))
        traffic_stop(network, flow_index);
}

/* ---- looking -------------------------------------------------------------------------------- */

bool traffic_is_idle(const struct network *network)
{
    return network->traffic.streams_active == 0 &&
           network->traffic.finished == network->traffic.message_count;
}

uint64_t traffic_finished(const struct network *network)
{
    return network->traffic.finished;
}

uint32_t traffic_message_count(const struct network *network)
{
    return network->traffic.message_count;
}

const struct traffic_message *traffic_message(const struct network *network, uint32_t message)
{
    assert(message < network->traffic.message_count);
    return &network->traffic.messages[message].seen;
}

uint32_t traffic_jain_permille(const uint64_t *shares, uint32_t share_count)
{
    double sum = 0;
    double squares = 0;

    for (uint32_t i = 0; i < share_count; i++) {
        sum += (double)shares[i];
        squares += (double)shares[i] * (double)shares[i];
    }
    return squares == 0 ? 1000 : (uint32_t)(1000 * sum * sum / (share_count * squares));
}
