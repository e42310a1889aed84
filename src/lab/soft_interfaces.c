/* SPDX-License-Identifier: Apache-2.0 */
/* The ports of switches as network interfaces, each switch in its namespace. */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "config/config.h"
#include "lab/netns_name.h"
#include "lab/netns_visit.h"
#include "lab/soft_state.h"
#include "pktio/pktio.h"

enum { SOCKET_BYTES = 8 << 20 }; /* for frames sent while this process does not run */

static int open_interface(struct soft *soft, uint32_t number)
{
    const struct soft_wire *wire = &soft->wires[soft->ends[number].at];
    char name[CONFIG_PORT_NAME_BYTES];
    char peer[CONFIG_PORT_MAC_BYTES];
    struct raw_port_config config = {
        .interface = name,
        .peer = peer,
        .mtu_bytes = SOFT_FRAME_BYTES,
        .buffer_bytes = SOCKET_BYTES,
        .rate_bps = wire->rate_bps,
    };
    struct pktio_port *port;
    int err;

    config_port_interface(&soft->fabric.topology, wire->self, name);
    config_port_mac(soft_peer(soft, wire), peer);
    err = raw_port_open(&config, &port);
    if (err)
        return err;
    soft->ends[number].engine_count = 1;
    soft_ends_adopt(soft, number, port, SOFT_END_INTERFACE);
    soft_interfaces_turn(soft, number, true); /* an earlier process may have ended with faults */
    return 0;
}

static int open_here(struct soft *soft, uint32_t node)
{
    uint32_t first = soft->first_wire[node];
    int err = 0;

    soft->interface_socks[node] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (soft->interface_socks[node] < 0)
        return -errno;
    for (uint32_t port = 0; port < topology_port_count(&soft->fabric.topology, node) && !err;
         port++)
        if (soft->wires[first + port].exit != SOFT_NO_END)
            err = open_interface(soft, soft->wires[first + port].exit);
    return err;
}

static int open_switch(struct soft *soft, uint32_t node)
{
    char name[NETNS_NAME_BYTES];
    struct netns_visit visit;
    int err;

    netns_name_of_switch(&soft->fabric.topology, soft->config.prefix, node, name);
    err = netns_visit_begin(&visit, name);
    if (err)
        return err;
    err = open_here(soft, node);
    netns_visit_end(&visit);
    return err;
}

int soft_interfaces_open(struct soft *soft)
{
    uint32_t count = soft->fabric.topology.switch_count;
    int err = 0;

    soft->interface_socks = malloc(count * sizeof(*soft->interface_socks));
    if (!soft->interface_socks)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        soft->interface_socks[i] = -1;
    for (uint32_t i = 0; i < count && !err; i++)
        if (soft_serves(soft, i))
            err = open_switch(soft, i);
    return err;
}

void soft_interfaces_turn(struct soft *soft, uint32_t end_index, bool up)
{
    const struct soft_wire *wire = &soft->wires[soft->ends[end_index].at];
    int sock = soft->interface_socks[wire->self.node];
    struct ifreq request = { 0 };

    config_port_interface(&soft->fabric.topology, wire->self, request.ifr_name);
    if (ioctl(sock, SIOCGIFFLAGS, &request) != 0)
        return;
    request.ifr_flags = (short)(up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP);
    ioctl(sock, SIOCSIFFLAGS, &request);
}

void soft_interfaces_close(struct soft *soft)
{
    while (soft->attached_count > 0) {
        soft_interfaces_turn(soft, soft->attached[0], true);
        soft_ends_release(soft, soft->attached[0]);
    }
    for (uint32_t i = 0; soft->interface_socks && i < soft->fabric.topology.switch_count; i++)
        if (soft->interface_socks[i] >= 0)
            close(soft->interface_socks[i]);
}
