/* SPDX-License-Identifier: Apache-2.0 */
/* All ports of a test network: of NICs, of paths, and to hosts. */
#pragma once

#include <stdint.h>

#include "network.h"
#include "network/network.h"
#include "switch/switch.h"

enum {
    PORTS_FULL_BYTES =
        4096 + 88,   /* nominal: IPv6, UDP, BTH, METH, TSETH, RETH, iCRC around 4 KiB */
    PORTS_LINKS = 3, /* each way */
};

struct ports {
    uint32_t host_count;
    uint32_t plane_count;
    uint32_t uplink_count;
    uint32_t count;
    struct port *all; /* NICs first, then to hosts, then paths */
    struct port_counters *counters;
    uint64_t (*seldom)[PORT_COUNTERS_SELDOM]; /* of the counters */
    struct port_profile nic_profile;
    struct port_profile host_profile;
    struct port_profile path_profile;
    struct port_profile **other_profiles; /* of paths with a rate of their own */
    uint32_t other_count;
    struct port_pool pool;
    void *pool_memory;
    struct link link; /* behind each port */
};

/* With delays_only there are no ports, and one link leads to all hosts. */
void ports_init(struct ports *, const struct network_config *);
void ports_fini(struct ports *);

static inline uint32_t ports_of_nic(const struct ports *ports, uint32_t host, uint32_t plane)
{
    return host * ports->plane_count + plane;
}

static inline uint32_t ports_to_host(const struct ports *ports, uint32_t host, uint32_t plane)
{
    return (ports->host_count + host) * ports->plane_count + plane;
}

static inline uint32_t ports_of_path(
    const struct ports *ports, uint32_t to, uint32_t plane, uint32_t uplink)
{
    return 2 * ports->host_count * ports->plane_count +
           ports_of_nic(ports, to, plane) * ports->uplink_count + uplink;
}

/* Towards every host; queues shrink or grow with the rate. */
void ports_set_path_rate(struct ports *, uint32_t plane, uint32_t uplink, uint64_t bps);
