/* SPDX-License-Identifier: Apache-2.0 */
/* Receives frames and counts what became of those that were sent. */
#include <stdlib.h>

#include "conform/traffic_state.h"
#include "wire/frame.h"

enum { ROUND_NS = 10000000 };

/* ---- receiving ------------------------------------------------------------------------------- */

static uint8_t traffic_class_of(const uint8_t *bytes)
{
    if (bytes[0] >> 4 == 6)
        return (uint8_t)(bytes[0] << 4 | bytes[1] >> 4);
    return bytes[1];
}

static void count_stranger(struct traffic *traffic, const uint8_t *bytes, uint32_t length)
{
    struct frame frame;
    enum drop_reason reason = frame_parse(&traffic->config->format, bytes, length, &frame);

    if (reason == DROP_NONE)
        traffic->result->answers[frame.packet.opcode]++;
    else
        traffic->result->foreign++;
}

static void count_order(struct traffic *traffic, const struct traffic_sent *sent)
{
    uint32_t *newest = &traffic->newest[sent->sender][sent->order % traffic->way_count];

    if (sent->order + 1 < *newest)
        traffic->result->senders[sent->sender].reordered++;
    else
        *newest = sent->order + 1;
}

/* A frame that was sent has come back. */
static void count_frame(struct traffic *traffic, struct traffic_sent *sent, uint32_t port,
    const uint8_t *bytes, uint32_t length)
{
    struct traffic_counts *counts = &traffic->result->senders[sent->sender];
    uint8_t traffic_class = traffic_class_of(bytes);
    enum dscp_class class = format_dscp_class(&traffic->config->format, traffic_class >> 2);

    traffic->result->received[port]++;
    traffic->last_ns = conform_port_now_ns();
    if (sent->copies++ > 0) {
        counts->copies++;
        return;
    }
    sent->seen_ns = traffic->last_ns;
    sent->receiver = (uint8_t)port;
    if (dscp_is_trimmed(class) && length <= sent->length) {
        counts->trimmed++;
        counts->trimmed_last_hop += class == DSCP_TRIMMED_LASTHOP;
        return;
    }
    counts->whole++;
    counts->marked += (traffic_class & 3) == ECN_CE && !sent->is_marked;
    counts->damaged +=
        length != sent->length || traffic_match_digest(bytes, length) != sent->digest;
    count_order(traffic, sent);
}

static void take_frame(void *to, uint32_t port, const uint8_t *bytes, uint32_t length)
{
    struct traffic *traffic = to;
    uint32_t number;

    length = traffic_match_length(bytes, length);
    number = length > 0 ? traffic_match_find(&traffic->match, bytes, length) : TRAFFIC_NO_FRAME;
    if (number == TRAFFIC_NO_FRAME)
        count_stranger(traffic, bytes, length);
    else
        count_frame(traffic, &traffic->match.sent[number], port, bytes, length);
}

static bool receive_some(struct traffic *traffic)
{
    return conform_port_receive(traffic->ports, traffic->port_count, take_frame, traffic);
}

static bool is_over(struct traffic *traffic)
{
    if (traffic->config->is_interrupted && *traffic->config->is_interrupted)
        return !traffic_end(traffic, "interrupted");
    for (uint32_t i = 0; i < traffic->port_count; i++)
        if (conform_port_is_gone(&traffic->ports[i]))
            return !traffic_end(
                traffic, "%s: the link is down, or the interface is gone", traffic->ports[i].name);
    return false;
}

bool traffic_receive(struct traffic *traffic, uint64_t until_ns)
{
    do {
        uint64_t now_ns = conform_port_now_ns();

        if (!receive_some(traffic) && now_ns < until_ns) {
            if (is_over(traffic))
                return false;
            conform_port_wait(traffic->ports, traffic->port_count,
                until_ns - now_ns < ROUND_NS ? until_ns : now_ns + ROUND_NS);
        }
    } while (conform_port_now_ns() < until_ns);
    return !is_over(traffic);
}

static bool is_missing_some(const struct traffic *traffic)
{
    for (uint32_t i = 0; i < traffic->match.count; i++)
        if (traffic->match.sent[i].has_key && traffic->match.sent[i].copies == 0)
            return true;
    return false;
}

bool traffic_receive_rest(struct traffic *traffic)
{
    bool goes_on = true;

    while (goes_on && is_missing_some(traffic) &&
           conform_port_now_ns() < traffic->last_ns + traffic->config->wait_ns)
        goes_on = traffic_receive(traffic, conform_port_now_ns() + ROUND_NS);
    return goes_on;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static int by_size(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

static void measure_latency(struct traffic *traffic)
{
    struct traffic_latency *latency = &traffic->result->latency;
    uint64_t *list = calloc(traffic->match.count + 1, sizeof(*list));
    uint64_t count = 0;

    for (uint32_t i = 0; list && i < traffic->match.count; i++)
        if (traffic->match.sent[i].copies > 0)
            list[count++] = traffic->match.sent[i].seen_ns - traffic->match.sent[i].sent_ns;
    if (count > 0) {
        qsort(list, count, sizeof(*list), by_size);
        *latency = (struct traffic_latency){ .count = count,
            .least_ns = list[0],
            .median_ns = list[count / 2],
            .p99_ns = list[count * 99 / 100],
            .most_ns = list[count - 1] };
    }
    free(list);
}

static void add_counts(struct traffic_counts *total, const struct traffic_counts *counts)
{
    total->sent += counts->sent;
    total->sent_bytes += counts->sent_bytes;
    total->whole += counts->whole;
    total->marked += counts->marked;
    total->trimmed += counts->trimmed;
    total->trimmed_last_hop += counts->trimmed_last_hop;
    total->lost += counts->lost;
    total->copies += counts->copies;
    total->reordered += counts->reordered;
    total->damaged += counts->damaged;
}

void traffic_sum_up(struct traffic *traffic)
{
    struct traffic_result *result = traffic->result;

    for (uint32_t i = 0; i < traffic->match.count; i++) {
        const struct traffic_sent *sent = &traffic->match.sent[i];
        struct traffic_counts *counts = &result->senders[sent->sender];

        counts->sent++;
        counts->sent_bytes += sent->length;
        counts->lost += sent->copies == 0;
    }
    for (uint32_t i = 0; i < traffic->port_count; i++)
        add_counts(&result->total, &result->senders[i]);
    measure_latency(traffic);
    result->has_order = traffic->config->pattern != TRAFFIC_REPLAY;
}
