/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the lines for ip(8): docs/fabric.md §5 to §7. */
#include "lab/netns_plan.h"

#include <arpa/inet.h>
#include <stdlib.h>

#include "config/config.h"

/* The other end of every cable, for routes of the kernel: the interface distinguishes them. */
#define NEIGHBOUR "fe80::1"

/* An interface that never goes down, for the route of a switch's own uSID. */
#define SID_INTERFACE "sid"

#define MANAGEMENT_BRIDGE  "br0"
#define MANAGEMENT_ADDRESS "10.99.255.254"

/* ---- from the outside ------------------------------------------------------------------------ */

void netns_plan_spaces(const struct netns *netns, FILE *to)
{
    char name[NETNS_NAME_BYTES];

    for (uint32_t i = 0; i < netns->fabric->topology.nic_count; i++) {
        netns_name_of_nic(netns->prefix, i, name);
        fprintf(to, "netns add %s\n", name);
    }
    for (uint32_t i = 0; i < netns->fabric->topology.switch_count; i++) {
        netns_name_of_switch(&netns->fabric->topology, netns->prefix, i, name);
        fprintf(to, "netns add %s\n", name);
    }
    netns_name_of_management(netns->prefix, name);
    fprintf(to, "netns add %s\n", name);
}

static void print_end(const struct netns *netns, struct topology_end end, FILE *to)
{
    char interface[CONFIG_PORT_NAME_BYTES];
    char mac[CONFIG_PORT_MAC_BYTES];
    char space[NETNS_NAME_BYTES];

    config_port_interface(&netns->fabric->topology, end, interface);
    config_port_mac(end, mac);
    if (end.is_nic)
        netns_name_of_nic(netns->prefix, end.node, space);
    else
        netns_name_of_switch(&netns->fabric->topology, netns->prefix, end.node, space);
    fprintf(to, "name %s address %s mtu %u netns %s", interface, mac, CONFIG_PORT_MTU_BYTES, space);
}

/* Prints the cable at a port of a switch, unless it was printed for an earlier switch. */
static void print_cable(const struct netns *netns, struct topology_end end, FILE *to)
{
    struct topology_end peer;

    if (!topology_peer(&netns->fabric->topology, end, &peer) ||
        (!peer.is_nic && peer.node < end.node))
        return;
    fputs("link add ", to);
    print_end(netns, end, to);
    fputs(" type veth peer ", to);
    print_end(netns, peer, to);
    fputc('\n', to);
}

static void print_switch(const struct netns *netns, uint32_t node, FILE *to)
{
    char space[NETNS_NAME_BYTES];

    if (netns->is_kernel) {
        netns_name_of_switch(&netns->fabric->topology, netns->prefix, node, space);
        fprintf(to, "link add name " SID_INTERFACE " netns %s type bridge\n", space);
    }
    for (uint32_t port = 0; port < topology_port_count(&netns->fabric->topology, node); port++)
        print_cable(netns, (struct topology_end){ .node = node, .port = port }, to);
}

void netns_plan_cables(const struct netns *netns, FILE *to)
{
    char management[NETNS_NAME_BYTES];
    char space[NETNS_NAME_BYTES];

    for (uint32_t node = 0; node < netns->fabric->topology.switch_count; node++)
        print_switch(netns, node, to);
    netns_name_of_management(netns->prefix, management);
    fprintf(to, "link add name " MANAGEMENT_BRIDGE " netns %s type bridge\n", management);
    for (uint32_t i = 0; i < netns->fabric->topology.nic_count; i++) {
        netns_name_of_nic(netns->prefix, i, space);
        fprintf(to, "link add name mgmt netns %s type veth peer name h%u netns %s\n", space, i,
            management);
    }
}

/* ---- inside a namespace ---------------------------------------------------------------------- */

static void print_address(const struct ipv6_addr *address, FILE *to)
{
    char text[INET6_ADDRSTRLEN];

    inet_ntop(AF_INET6, address->octets, text, sizeof(text));
    fputs(text, to);
}

void netns_plan_host(const struct netns *netns, uint32_t nic, FILE *to)
{
    struct ipv6_addr address = plan_nic_address(netns->fabric, nic);
    char ipv4[NETNS_IPV4_BYTES];

    netns_name_ipv4(nic, ipv4);
    fputs("link set dev lo up\naddr replace ", to);
    print_address(&address, to);
    fputs("/128 dev lo nodad\n", to);
    for (uint32_t plane = 0; plane < netns->fabric->topology.config.plane_count; plane++) {
        struct topology_end peer;

        if (topology_peer(&netns->fabric->topology,
                (struct topology_end){ .is_nic = true, .node = nic, .port = plane }, &peer))
            fprintf(to, "link set dev p%u up\n", plane);
    }
    fprintf(to, "link set dev mgmt up\naddr replace %s/16 dev mgmt\n", ipv4);
}

/* Prints the prefix of a uSID in the table of a switch. */
static void print_prefix(const struct netns *netns, uint32_t node, uint16_t usid, FILE *to)
{
    uint32_t plane = topology_switch_at(&netns->fabric->topology, node).plane;
    uint32_t block = plan_block(netns->fabric, plane);

    fprintf(to, "%x:%x:%x::/48", block >> 16, block & 0xffff, usid);
}

static void print_own_usids(const struct netns *netns, uint32_t node, FILE *to)
{
    struct topology_element element = topology_switch_at(&netns->fabric->topology, node);
    struct plan_names names = plan_names(netns->fabric, &element);

    for (uint32_t i = 0; i < names.count; i++) {
        fputs("route replace ", to);
        print_prefix(netns, node, (uint16_t)(names.first + i * names.step), to);
        fputs(" encap seg6local action End count flavors next-csid lblen 32 nflen 16 "
              "dev " SID_INTERFACE "\n",
            to);
    }
}

static void print_route(
    const struct netns *netns, struct topology_end self, uint16_t usid, FILE *to)
{
    char interface[CONFIG_PORT_NAME_BYTES];
    char mac[CONFIG_PORT_MAC_BYTES];
    struct topology_end peer;

    if (!topology_peer(&netns->fabric->topology, self, &peer))
        return;
    config_port_interface(&netns->fabric->topology, self, interface);
    config_port_mac(peer, mac);
    fprintf(to, "neigh replace " NEIGHBOUR " lladdr %s dev %s nud permanent\n", mac, interface);
    fputs("route replace ", to);
    print_prefix(netns, self.node, usid, to);
    fprintf(to, " via " NEIGHBOUR " dev %s\n", interface);
}

static void print_routes(const struct netns *netns, uint32_t node, FILE *to)
{
    uint32_t range_max = plan_routes_max(netns->fabric);
    struct plan_range *ranges = calloc(range_max, sizeof(*ranges));
    uint32_t count = ranges ? plan_routes(netns->fabric, node, ranges, range_max) : 0;

    if (!ranges)
        fputs("no memory\n", to); /* ip(8) refuses this line */
    fputs("link set dev " SID_INTERFACE " up\n", to);
    print_own_usids(netns, node, to);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t usid = ranges[i].first_usid; usid <= ranges[i].last_usid; usid++)
            print_route(netns,
                (struct topology_end){
                    .node = node, .port = ranges[i].first_port + usid - ranges[i].first_usid },
                (uint16_t)usid, to);
    free(ranges);
}

void netns_plan_switch(const struct netns *netns, uint32_t node, FILE *to)
{
    char interface[CONFIG_PORT_NAME_BYTES];
    struct topology_end peer;

    fputs("link set dev lo up\n", to);
    for (uint32_t port = 0; port < topology_port_count(&netns->fabric->topology, node); port++) {
        struct topology_end self = { .node = node, .port = port };

        if (!topology_peer(&netns->fabric->topology, self, &peer))
            continue;
        config_port_interface(&netns->fabric->topology, self, interface);
        fprintf(to, "link set dev %s up\n", interface);
    }
    if (netns->is_kernel)
        print_routes(netns, node, to);
}

void netns_plan_management(const struct netns *netns, FILE *to)
{
    fprintf(to, "link set dev " MANAGEMENT_BRIDGE " up\naddr replace " MANAGEMENT_ADDRESS
                "/16 dev " MANAGEMENT_BRIDGE "\n");
    for (uint32_t i = 0; i < netns->fabric->topology.nic_count; i++)
        fprintf(to, "link set dev h%u master " MANAGEMENT_BRIDGE " up\n", i);
}
