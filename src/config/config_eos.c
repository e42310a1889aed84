/* SPDX-License-Identifier: Apache-2.0 */
/* Arista EOS: SRv6 uN with static routes (EOS 4.34.2F or later), ECN. */
#include "config/config_format.h"
#include "wire/format.h"

extern const struct config_format config_eos;

enum { MTU_BYTES = 9214, KBYTES = 1000, DATA_CLASS = 3, CONTROL_CLASS = 6 };

static uint32_t in_kbytes(uint32_t bytes)
{
    return (bytes + KBYTES - 1) / KBYTES;
}

static void write_class(enum dscp_class class, uint32_t number, FILE *to)
{
    fprintf(to, "qos map dscp %u to traffic-class %u\n", format_default.dscp[class], number);
}

static void write_queues(const struct config_switch *self, FILE *to)
{
    const struct topology_buffers *buffers = &self->plan->topology.config.buffers;

    write_class(DSCP_NO_TRIM, DATA_CLASS, to);
    write_class(DSCP_TRIMMABLE, DATA_CLASS, to);
    write_class(DSCP_TRIMMABLE_RETX, DATA_CLASS, to);
    write_class(DSCP_TRIMMED, CONTROL_CLASS, to);
    write_class(DSCP_TRIMMED_LASTHOP, CONTROL_CLASS, to);
    write_class(DSCP_CONTROL, CONTROL_CLASS, to);
    fprintf(to,
        "!\n"
        "qos profile mrc-quiet\n"
        "   qos trust dscp\n"
        "   uc-tx-queue %u\n"
        "      priority strict\n"
        "!\n"
        "qos profile mrc-marking\n"
        "   qos trust dscp\n"
        "   uc-tx-queue %u\n"
        "      random-detect ecn minimum-threshold %u kbytes maximum-threshold %u kbytes "
        "max-mark-probability 100 weight 0\n"
        "   uc-tx-queue %u\n"
        "      priority strict\n"
        "!\n",
        CONTROL_CLASS, DATA_CLASS, in_kbytes(buffers->red_min_bytes),
        in_kbytes(buffers->red_max_bytes), CONTROL_CLASS);
}

static void write_interface(
    const struct config_switch *self, const struct config_cable *cable, FILE *to)
{
    char address[CONFIG_PORT_ADDRESS_BYTES];

    fprintf(to, "interface Ethernet%u\n", cable->self.port + 1);
    if (!cable->is_there) {
        fputs("   shutdown\n!\n", to);
        return;
    }
    config_port_address(&self->plan->topology, cable->self, address);
    fprintf(to,
        "   description %s\n"
        "   mtu %u\n"
        "   no switchport\n"
        "   ipv6 enable\n"
        "   ipv6 address %s/127\n"
        "   service-profile %s\n"
        "!\n",
        cable->peer_name, MTU_BYTES, address, cable->marks ? "mrc-marking" : "mrc-quiet");
}

static void write_locators(const struct config_switch *self, FILE *to)
{
    fprintf(to,
        "router srv6\n"
        "   vrf default\n"
        "      micro-segment domain MRC\n"
        "         block %x:%x::/32\n",
        self->block >> 16, self->block & 0xffff);
    for (uint32_t i = 0; i < self->names.count; i++)
        fprintf(to,
            "      locator MRC%u\n"
            "         prefix micro-segment domain MRC end usid 0x%x\n",
            i, config_switch_usid(self, i));
    fputs("!\ninterface Loopback0\n", to);
    for (uint32_t i = 0; i < self->names.count; i++) {
        fputs("   ipv6 address ", to);
        config_switch_prefix(self, config_switch_usid(self, i), to);
        fputs("/48\n", to);
    }
    fputs("!\n", to);
}

static void write_route(
    const struct config_switch *self, uint16_t usid, const struct config_cable *cable, FILE *to)
{
    char next_hop[CONFIG_PORT_ADDRESS_BYTES];

    config_port_address(&self->plan->topology, cable->peer, next_hop);
    fputs("ipv6 route ", to);
    config_switch_prefix(self, usid, to);
    fprintf(to, "/48 Ethernet%u %s\n", cable->self.port + 1, next_hop);
}

static void write_config(const struct config_source *source, uint32_t node, FILE *to)
{
    struct config_switch self;

    config_switch_of(source, node, &self);
    config_format_router_title(&config_eos, &self, "!", to);
    fprintf(to, "hostname %s\n!\nipv6 unicast-routing\n!\n", self.label);
    write_queues(&self, to);
    config_switch_ports(&self, write_interface, to);
    write_locators(&self, to);
    config_switch_routes(&self, write_route, to);
    fputs("!\nend\n", to);
}

const struct config_format config_eos = {
    .word = "eos",
    .help = "Arista EOS 4.34.2F or later: eos.conf",
    .checked = "Checked: against published examples of SRv6 uN and of ECN. Not loaded into EOS.\n"
               "Port N of the plan is Ethernet<N + 1>. Trimming is missing: EOS has it, but its\n"
               "commands are not public. Set it by hand: data in traffic class 3, trimmed packets "
               "in 6.",
    .scope = CONFIG_OF_SWITCH,
    .files = { { "eos.conf", write_config } },
};
