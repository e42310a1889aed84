/* SPDX-License-Identifier: Apache-2.0 */
/* NICs: the file for MRC_CONFIG, and a source file with calls of mrc_ctl.h for EV profiles. */
#include "config/config_nic.h"

#include <arpa/inet.h>

#include "config/config_format.h"
#include "config/config_profile.h"

extern const struct config_format config_nic;

enum {
    TIMEOUT_MIN = 17, /* for software on a real clock: 134 ms */
    TIMEOUT_MAX = 24,
    TIMEOUT_RTTS = 25, /* a timeout of this length does not fire while the peer answers */
};

/* For links whose delay exceeds that of software. A NIC that is not told the round trip assumes a
 * short one; it would keep its window small and retransmit packets that are still in flight. */
static void write_round_trip(uint64_t base_rtt_ps, FILE *to)
{
    uint64_t base_rtt_ns = (base_rtt_ps + CONFIG_NIC_SOFTWARE_RTT_PS) / 1000;
    uint32_t timeout = TIMEOUT_MIN;

    if (base_rtt_ps <= CONFIG_NIC_SOFTWARE_RTT_PS)
        return;
    while (timeout < TIMEOUT_MAX && UINT64_C(1024) << timeout < TIMEOUT_RTTS * base_rtt_ns)
        timeout++;
    fprintf(to, "  base_rtt: %lluns\n  timeout: %u\n", (unsigned long long)base_rtt_ns, timeout);
}

uint32_t config_nic_ports(const struct plan *plan, uint32_t nic)
{
    uint32_t count = plan->topology.config.plane_count;
    struct topology_end peer;

    while (plan->topology.graph &&
           !topology_peer(&plan->topology,
               (struct topology_end){ .is_nic = true, .node = nic, .port = count - 1 }, &peer))
        count--;
    return count;
}

static uint64_t link_bps(const struct plan *plan, uint32_t nic)
{
    const struct topology_config *config = &plan->topology.config;
    uint64_t sum_bps = 0;

    if (!plan->topology.graph)
        return config->host_link.rate_bps * config->plane_count;
    for (uint32_t port = 0; port < config_nic_ports(plan, nic); port++) {
        struct topology_link_kind kind;
        struct topology_element link;

        if (topology_link_at(&plan->topology,
                (struct topology_end){ .is_nic = true, .node = nic, .port = port }, &link, &kind))
            sum_bps += kind.rate_bps;
    }
    return sum_bps;
}

/* Writes how the NIC computes the address of a path: by arithmetic, or from the graph. */
static void write_paths(const struct plan *plan, const char *text, FILE *to)
{
    const struct topology_config *config = &plan->topology.config;
    uint32_t odd_width = plan_ev_odd_width(plan);

    fprintf(to, "  fabric: srv6\n");
    if (plan->topology.graph) {
        fprintf(to, "  graph: %s\n", text);
        return;
    }
    fprintf(to, "  usid_block: %x:%x\n  uplinks: %u\n", config->usid_block >> 16,
        config->usid_block & 0xffff, plan_uplink_count(plan));
    if (odd_width)
        fprintf(to, "  uplink_bits: %u\n", odd_width);
    if (*text && plan_exceptions_count(plan) > 0)
        fprintf(to, "  exceptions: %s\n", text);
}

void config_nic_fabric(const struct plan *plan, uint32_t nic, const char *text, FILE *to)
{
    fprintf(to,
        "  link_bps: %llu\n"
        "  network_trims: %s\n",
        (unsigned long long)link_bps(plan, nic),
        plan->topology.config.buffers.trims ? "on" : "off");
    write_paths(plan, text, to);
    write_round_trip(plan->topology.base_rtt_ps, to);
}

void config_nic_address(const struct plan *plan, uint32_t nic, FILE *to)
{
    struct ipv6_addr address = plan_nic_address(plan, nic);
    char text[INET6_ADDRSTRLEN];

    inet_ntop(AF_INET6, address.octets, text, sizeof(text));
    fprintf(to, "  address: %s\n", text);
}

static void write_device(const struct config_source *source, uint32_t nic, FILE *to)
{
    const struct plan *plan = source->plan;
    char name[TOPOLOGY_NAME_BYTES];

    config_format_name(&config_nic, plan, nic, name);
    config_format_title(&config_nic, plan, name, "#", to);
    fputs("mrc0:\n", to);
    config_nic_address(plan, nic, to);
    fputs("  ports:\n", to);
    for (uint32_t plane = 0; plane < config_nic_ports(plan, nic); plane++) {
        struct topology_end peer;
        char mac[CONFIG_PORT_MAC_BYTES] = "";

        if (topology_peer(&plan->topology,
                (struct topology_end){ .is_nic = true, .node = nic, .port = plane }, &peer))
            config_port_mac(peer, mac);
        fprintf(to, "    - raw:p%u%s%s\n", plane, *mac ? "?peer=" : "", mac);
    }
    config_nic_fabric(plan, nic, "", to);
}

static void write_profile(const struct config_source *source, uint32_t nic, FILE *to)
{
    char name[TOPOLOGY_NAME_BYTES];

    config_format_name(&config_nic, source->plan, nic, name);
    config_format_title(&config_nic, source->plan, name, "//", to);
    config_profile_write(source->plan, nic, to);
}

const struct config_format config_nic = {
    .word = "nic",
    .help = "NICs: mrc.conf, for MRC_CONFIG, and ev_profile.c, calls of mrc_ctl.h",
    .checked =
        "Checked: libmrc read mrc.conf in a network namespace, and its traffic crossed the "
        "fabric;\n"
        "ev_profile.c was compiled and loaded a profile and its denied EVs into libmrc. Ports are\n"
        "interfaces named p0, p1, ...",
    .scope = CONFIG_OF_NIC,
    .needs_levels = true,
    .files = { { "mrc.conf", write_device }, { "ev_profile.c", write_profile } },
};
