/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the patterns of traffic. */
#include "conform/traffic.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform/traffic_state.h"

enum { ORDINARY_FRAMES = 16 };

bool traffic_end(struct traffic *traffic, const char *format, ...)
{
    va_list arguments;

    if (traffic->result->end[0])
        return false;
    va_start(arguments, format);
    vsnprintf(traffic->result->end, sizeof(traffic->result->end), format, arguments);
    va_end(arguments);
    return false;
}

/* ---- ports ----------------------------------------------------------------------------------- */

static bool is_receiver(const struct traffic *traffic, uint32_t port)
{
    return !traffic->config->ports[port].sends;
}

/* Returns receiver `index` of those that do not send; without one, the sender itself. */
static uint32_t receiver_at(const struct traffic *traffic, uint32_t sender, uint32_t index)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < traffic->port_count; i++)
        count += is_receiver(traffic, i);
    if (count == 0)
        return sender;
    index %= count;
    for (uint32_t i = 0; i < traffic->port_count; i++)
        if (is_receiver(traffic, i) && index-- == 0)
            return i;
    return sender;
}

static int open_ports(struct traffic *traffic)
{
    for (uint32_t i = 0; i < traffic->config->port_count; i++) {
        const struct traffic_port *port = &traffic->config->ports[i];
        int err = conform_port_open(&traffic->ports[i], port->address,
            &(struct pktio_self){ .device = port->device, .index = port->plane });

        if (err) {
            traffic_end(traffic, "%s: %s", port->address,
                err == -ENETDOWN ? "the link is down" : strerror(-err));
            return err;
        }
        traffic->port_count++;
    }
    return 0;
}

/* ---- patterns -------------------------------------------------------------------------------- */

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Sends the next burst of each sender. With `spacing_ns` they follow each other, otherwise they
 * coincide. */
static bool send_bursts(struct traffic *traffic, uint32_t round, uint64_t spacing_ns)
{
    const struct traffic_config *config = traffic->config;
    bool has_one_receiver = config->pattern == TRAFFIC_INCAST;

    for (uint32_t i = 0; i < traffic->port_count; i++) {
        uint32_t left = config->frame_count - traffic->loaded_by[i];
        uint32_t receiver = receiver_at(traffic, i, has_one_receiver ? 0 : round + i);

        if (!config->ports[i].sends || left == 0)
            continue;
        if (!traffic_send_burst(traffic, i, receiver, smaller(left, config->burst_frames)))
            return false;
        if (spacing_ns > 0 && !traffic_receive(traffic, conform_port_now_ns() + spacing_ns))
            return false;
    }
    return true;
}

static bool run_bursts(struct traffic *traffic)
{
    const struct traffic_config *config = traffic->config;
    uint32_t rounds = (config->frame_count + config->burst_frames - 1) / config->burst_frames;
    uint64_t spacing_ns =
        config->pattern == TRAFFIC_BURST ? config->gap_ns / config->port_count : 0;

    for (uint32_t round = 0; round < rounds; round++) {
        uint64_t due_ns = conform_port_now_ns() + config->gap_ns;

        if (!send_bursts(traffic, round, spacing_ns) || !traffic_receive(traffic, due_ns))
            return false;
    }
    return traffic_receive_rest(traffic);
}

static uint64_t count_seen(const struct traffic *traffic, uint32_t first)
{
    uint64_t count = 0;

    for (uint32_t i = first; i < traffic->match.count; i++)
        count += traffic->match.sent[i].copies > 0;
    return count;
}

/* After hostile frames, ordinary ones show whether the device still works. */
static bool send_ordinary(struct traffic *traffic)
{
    uint32_t first = traffic->match.count;
    bool goes_on = true;

    traffic->is_late = true;
    for (uint32_t i = 0; goes_on && i < traffic->port_count; i++)
        if (traffic->config->ports[i].sends)
            goes_on = traffic_send_burst(traffic, i, receiver_at(traffic, i, i), ORDINARY_FRAMES);
    traffic_receive_rest(traffic);
    traffic->result->ordinary_sent = traffic->match.count - first;
    traffic->result->ordinary_seen = count_seen(traffic, first);
    return goes_on;
}

static int run_pattern(struct traffic *traffic)
{
    int err = 0;

    if (traffic->config->pattern == TRAFFIC_REPLAY) {
        err = traffic_replay(traffic);
        traffic_receive_rest(traffic);
    } else if (run_bursts(traffic) && traffic->config->pattern == TRAFFIC_HOSTILE) {
        send_ordinary(traffic);
    }
    traffic_sum_up(traffic);
    return err;
}

/* Fabrics have a certain number of uplinks. */
static uint32_t way_count(const struct traffic_config *config)
{
    uint32_t ways = config->ev_count;

    if (config->fabric && plan_plane_paths(config->fabric) < ways)
        ways = plan_plane_paths(config->fabric);
    return ways;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static uint32_t frames_max(const struct traffic_config *config)
{
    uint64_t count = 0;

    if (config->pattern == TRAFFIC_REPLAY)
        return TRAFFIC_FRAMES_MAX;
    for (uint32_t i = 0; i < config->port_count; i++)
        count += config->ports[i].sends ? config->frame_count + ORDINARY_FRAMES : 0;
    return count < TRAFFIC_FRAMES_MAX ? (uint32_t)count : TRAFFIC_FRAMES_MAX;
}

int traffic_run(const struct traffic_config *config, struct traffic_result *result)
{
    struct traffic *traffic = calloc(1, sizeof(*traffic));
    int err = -ENOMEM;

    *result = (struct traffic_result){ .send_ns = 0 };
    if (!traffic)
        return err;
    traffic->config = config;
    traffic->result = result;
    traffic->prng = prng_stream(config->seed, 0);
    traffic->qpn = 0x100000 | (uint32_t)(prng_next(&traffic->prng) & 0xfff00);
    traffic->way_count = way_count(config);
    traffic->bytes = malloc((size_t)TRAFFIC_BURST_MAX * CONFORM_FRAME_BYTES_MAX);
    if (traffic->bytes && traffic_match_init(&traffic->match, frames_max(config)))
        err = open_ports(traffic);
    if (!err)
        err = run_pattern(traffic);
    for (uint32_t i = 0; i < traffic->port_count; i++)
        conform_port_close(&traffic->ports[i]);
    traffic_match_fini(&traffic->match);
    free(traffic->bytes);
    free(traffic);
    return err;
}
