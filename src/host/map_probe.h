/* SPDX-License-Identifier: Apache-2.0 */
/* Probes of links that another process asks this NIC to send, and those that arrive: Endpoint
 * Requests with the operation ENDPOINT_MAP_PROBE (map/map_packet.h). The transport never sees
 * them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/packet.h"

struct engine;
struct host_nic;

enum { MAP_PROBE_ARRIVALS = 1024 };

struct map_probe_arrival {
    struct ipv6_addr from;
    uint32_t period;
    uint16_t id;
    uint8_t port;
};

/* Of one engine; the oldest are replaced. */
struct map_probe_log {
    struct map_probe_arrival arrivals[MAP_PROBE_ARRIVALS];
    uint32_t count; /* since the last look */
};

/* Takes a packet if it is a probe. */
bool map_probe_take(struct engine *, const struct packet *);

/* Answers the request `probe`: sends the probes that `list` names, PORT/ID/OUTER/DESTINATION each,
 * separated by commas, and lists what has arrived since the last request, with the number of
 * requests so far. The caller frees the answer. NULL `list`: sends none. */
char *map_probe_answer(struct host_nic *, uint32_t period, const char *list);
