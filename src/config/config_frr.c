/* SPDX-License-Identifier: Apache-2.0 */
/* FRR on Linux: interfaces, a locator and a static SID for each own uSID, static routes. */
#include "config/config_frr.h"

#include "config/config_format.h"

extern const struct config_format config_frr;

void config_frr_route(const struct config_switch *self, uint16_t usid,
    const struct config_cable *cable, const char *interface, FILE *to)
{
    char next_hop[CONFIG_PORT_ADDRESS_BYTES];

    config_port_address(&self->plan->topology, cable->peer, next_hop);
    fputs("ipv6 route ", to);
    config_switch_prefix(self, usid, to);
    fprintf(to, "/48 %s %s\n", next_hop, interface);
}

static void write_interface(
    const struct config_switch *self, const struct config_cable *cable, FILE *to)
{
    char name[CONFIG_PORT_NAME_BYTES];
    char address[CONFIG_PORT_ADDRESS_BYTES];

    if (!cable->is_there)
        return;
    config_port_interface(&self->plan->topology, cable->self, name);
    config_port_address(&self->plan->topology, cable->self, address);
    fprintf(to, "interface %s\n description %s\n ipv6 address %s/127\nexit\n", name,
        cable->peer_name, address);
}

static void write_route(
    const struct config_switch *self, uint16_t usid, const struct config_cable *cable, FILE *to)
{
    char name[CONFIG_PORT_NAME_BYTES];

    config_port_interface(&self->plan->topology, cable->self, name);
    config_frr_route(self, usid, cable, name, to);
}

static void write_locators(const struct config_switch *self, FILE *to)
{
    fputs("segment-routing\n srv6\n  locators\n", to);
    for (uint32_t i = 0; i < self->names.count; i++) {
        fprintf(to, "   locator MRC%u\n    prefix ", i);
        config_switch_prefix(self, config_switch_usid(self, i), to);
        fputs("/48 block-len 32 node-len 16 func-bits 16\n    behavior usid\n"
              "    format usid-f3216\n   exit\n",
            to);
    }
    fputs("  exit\n  static-sids\n", to);
    for (uint32_t i = 0; i < self->names.count; i++) {
        fputs("   sid ", to);
        config_switch_prefix(self, config_switch_usid(self, i), to);
        fprintf(to, "/48 locator MRC%u behavior uN\n", i);
    }
    fputs("  exit\n exit\nexit\n", to);
}

static void write_config(const struct config_source *source, uint32_t node, FILE *to)
{
    struct config_switch self;

    config_switch_of(source, node, &self);
    config_format_router_title(&config_frr, &self, "!", to);
    fprintf(to, "frr defaults datacenter\nhostname %s\nipv6 forwarding\n!\n", self.label);
    config_switch_ports(&self, write_interface, to);
    fputs("!\n", to);
    config_switch_routes(&self, write_route, to);
    fputs("!\n", to);
    write_locators(&self, to);
    fputs("!\nend\n", to);
}

const struct config_format config_frr = {
    .word = "frr",
    .help = "FRR 10 on Linux: frr.conf",
    .checked =
        "Checked: FRR 8.4.4 (Debian 12) loaded interfaces and routes. It is too old for SRv6 as\n"
        "written here (block-len, behavior, format, static-sids), which follows the manual of FRR\n"
        "10 and was not loaded. FRR has no queues: it neither marks nor trims.",
    .scope = CONFIG_OF_SWITCH,
    .files = { { "frr.conf", write_config } },
};
