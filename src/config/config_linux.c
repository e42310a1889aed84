/* SPDX-License-Identifier: Apache-2.0 */
/* Linux as a switch: a script for ip(8), which sets uSIDs and routes, and for tc(8), which sets
 * queues. */
#include "config/config_linux.h"

#include "base/scan.h"
#include "config/config_format.h"
#include "wire/format.h"

extern const struct config_format config_linux;

/* Highest rate that the RED of tc(8) accepts: 2^32 bytes/s, rounded down. */
static const uint64_t red_rate_bps_max = UINT64_C(34000000000);

bool config_linux_is_line(const char *line)
{
    return scan_word(&line, "own ") || scan_word(&line, "port ") || scan_word(&line, "route ") ||
           scan_word(&line, "queue ");
}

/* The first of these lines follow the settings; `ip` reads the output of the functions. */
static const char functions[] =
    "own() # USID: shift packets whose next uSID is this\n"
    "{\n"
    "    echo \"route replace $block:$1::/48 encap seg6local action End count flavors next-csid "
    "lblen 32 nflen 16 dev sid\"\n"
    "}\n"
    "\n"
    "port() # INTERFACE MAC PEER-MAC\n"
    "{\n"
    "    echo 0 >\"$conf/$1/disable_ipv6\"\n"
    "    echo 1 >\"$conf/$1/seg6_enabled\"\n"
    "    echo \"link set dev $1 address $2 mtu $mtu up\"\n"
    "    echo \"neigh replace fe80::1 lladdr $3 dev $1 nud permanent\"\n"
    "}\n"
    "\n"
    "route() # USID INTERFACE\n"
    "{\n"
    "    echo \"route replace $block:$1::/48 via fe80::1 dev $2\"\n"
    "}\n"
    "\n"
    "queue() # INTERFACE KBIT/S BYTES mark|drop\n"
    "{\n"
    "    echo \"qdisc replace dev $1 root handle 1: prio bands 2 priomap 1 1 1 1 1 1 1 1 1 1 1 1 1 "
    "1 1 1\"\n"
    "    number=0\n"
    "    for dscp in $priority_dscps; do\n"
    "        echo \"filter replace dev $1 parent 1: protocol ipv6 pref $((number + 1)) handle "
    "80$number::800 u32 match u32 $dscp 0x0fc00000 at 0 flowid 1:1\"\n"
    "        number=$((number + 1))\n"
    "    done\n"
    "    echo \"qdisc replace dev $1 parent 1:1 handle 11: bfifo limit $control\"\n"
    "    case $4 in\n"
    "    mark) echo \"qdisc replace dev $1 parent 1:2 handle 12: red limit $(($3 > red_max ? $3 : "
    "red_max + 4224)) min "
    "$red_min max $red_max avpkt 4224 burst $burst bandwidth ${2}kbit probability 1 ecn\" ;;\n"
    "    drop) echo \"qdisc replace dev $1 parent 1:2 handle 12: bfifo limit $3\" ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "echo 0 >$conf/default/disable_ipv6\n"
    "echo 1 >$conf/all/forwarding\n"
    "echo 1 >$conf/all/seg6_enabled\n"
    "ip link show dev sid >/dev/null 2>&1 || ip link add name sid type bridge\n"
    "ip link set dev sid up\n"
    "\n";

static const char end_of_routes[] = "} | ip -batch -\n\n{\n";

static const char end_of_queues[] =
    "} | tc -batch - ||\n"
    "    echo 'warning: tc refused the queues (are prio and red in this kernel?);"
    " packets are forwarded, but not marked' >&2\n";

/* ---- settings -------------------------------------------------------------------------------- */

/* The DSCP as tc(8) compares it with the first 32 bits of a packet. */
static uint32_t dscp_bits(enum dscp_class class)
{
    return (uint32_t)format_default.dscp[class] << 22;
}

static void write_settings(const struct config_switch *self, FILE *to)
{
    const struct topology_buffers *buffers = &self->plan->topology.config.buffers;
    uint32_t burst = (2 * buffers->red_min_bytes + buffers->red_max_bytes) / (3 * 4224) + 1;

    fprintf(to,
        "set -eu\n"
        "conf=/proc/sys/net/ipv6/conf\n"
        "block=%x:%x\n"
        "mtu=%u\n"
        "control=%u # bytes of the queue of control packets and of trimmed packets\n"
        "red_min=%u\n"
        "red_max=%u\n"
        "burst=%u\n"
        "priority_dscps='0x%08x 0x%08x 0x%08x' # control, trimmed, trimmed at the last hop\n"
        "\n",
        self->block >> 16, self->block & 0xffff, CONFIG_PORT_MTU_BYTES, buffers->control_bytes,
        buffers->red_min_bytes, buffers->red_max_bytes, burst, dscp_bits(DSCP_CONTROL),
        dscp_bits(DSCP_TRIMMED), dscp_bits(DSCP_TRIMMED_LASTHOP));
}

/* ---- lines of the plan ----------------------------------------------------------------------- */

static void write_port(const struct config_switch *self, const struct config_cable *cable, FILE *to)
{
    char name[CONFIG_PORT_NAME_BYTES];
    char mac[CONFIG_PORT_MAC_BYTES];
    char peer[CONFIG_PORT_MAC_BYTES];

    if (!cable->is_there)
        return;
    config_port_interface(&self->plan->topology, cable->self, name);
    config_port_mac(cable->self, mac);
    config_port_mac(cable->peer, peer);
    fprintf(to, "port %s %s %s # %s\n", name, mac, peer, cable->peer_name);
}

static void write_route(
    const struct config_switch *self, uint16_t usid, const struct config_cable *cable, FILE *to)
{
    char name[CONFIG_PORT_NAME_BYTES];

    config_port_interface(&self->plan->topology, cable->self, name);
    fprintf(to, "route %x %s\n", usid, name);
}

static void write_queue(
    const struct config_switch *self, const struct config_cable *cable, FILE *to)
{
    const struct topology_buffers *buffers = &self->plan->topology.config.buffers;
    uint64_t rate_bps =
        cable->kind.rate_bps < red_rate_bps_max ? cable->kind.rate_bps : red_rate_bps_max;
    char name[CONFIG_PORT_NAME_BYTES];

    if (!cable->is_there)
        return;
    config_port_interface(&self->plan->topology, cable->self, name);
    fprintf(to, "queue %s %llu %u %s\n", name, (unsigned long long)(rate_bps / 1000),
        cable->faces_host ? buffers->host_data_bytes : buffers->data_bytes,
        cable->marks ? "mark" : "drop");
}

void config_linux_write(const struct config_source *source, uint32_t node, FILE *to)
{
    struct config_switch self;

    config_switch_of(source, node, &self);
    fputs("#!/bin/sh\n", to);
    config_format_title(&config_linux, self.plan, self.name, "#", to);
    write_settings(&self, to);
    fputs(functions, to);
    fputs("{\n", to);
    for (uint32_t i = 0; i < self.names.count; i++)
        fprintf(to, "own %x\n", config_switch_usid(&self, i));
    config_switch_ports(&self, write_port, to);
    config_switch_routes(&self, write_route, to);
    fputs(end_of_routes, to);
    config_switch_ports(&self, write_queue, to);
    fputs(end_of_queues, to);
}

const struct config_format config_linux = {
    .word = "linux",
    .help = "Linux 6.1 or later: switch.sh, for ip and tc",
    .checked =
        "Checked: run in network namespaces (iproute2 6.1, Linux 6.18), where MRC traffic crossed\n"
        "its routes. tc parses the queues, but no kernel with prio and red has run them. Linux "
        "does\n"
        "not trim. Ports that lead down are dN, ports that lead up u0, u1, ...; run as root.",
    .scope = CONFIG_OF_SWITCH,
    .files = { { "switch.sh", config_linux_write } },
};
