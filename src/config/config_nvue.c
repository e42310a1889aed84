/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA Cumulus Linux: NVUE commands for SRv6 uN, ECN and packet trimming (5.14 or later). */
#include "config/config_format.h"
#include "wire/format.h"

extern const struct config_format config_nvue;

enum {
    DATA_CLASS = 3,
    CONTROL_CLASS = 6,
    TRIM_CLASS = 7, /* of packets that this switch trims: its ports set their DSCP */
    TRIM_MIN = 256,
    TRIM_MAX = 1024,
    TRIM_STEP = 4,
};

/* Trimmed packets have 256 to 1024 bytes, a multiple of 4. */
static uint32_t trim_bytes(const struct topology_buffers *buffers)
{
    uint32_t bytes = (buffers->trimmed_bytes + UINT32_C(3)) / TRIM_STEP * TRIM_STEP;

    return bytes < TRIM_MIN ? TRIM_MIN : bytes > TRIM_MAX ? TRIM_MAX : bytes;
}

/* ---- ranges of ports ------------------------------------------------------------------------- */

struct ports {
    uint32_t first; /* swp<first + 1> to swp<last + 1> */
    uint32_t last;
};

static void write_ports(struct ports ports, FILE *to)
{
    fprintf(to, "nv set interface swp%u", ports.first + 1);
    if (ports.last > ports.first)
        fprintf(to, "-%u", ports.last + 1);
}

static void write_port_class(
    const struct config_switch *self, struct ports ports, const char *group, FILE *to)
{
    const struct topology_buffers *buffers = &self->plan->topology.config.buffers;

    if (ports.first > ports.last)
        return;
    write_ports(ports, to);
    fprintf(to, " link mtu %u\n", CONFIG_PORT_MTU_BYTES);
    write_ports(ports, to);
    fputs(" qos mapping profile mrc\n", to);
    write_ports(ports, to);
    fputs(" qos egress-scheduler profile mrc\n", to);
    if (!buffers->trims)
        return;
    write_ports(ports, to);
    fprintf(to, " packet-trim egress-eligibility traffic-class %u\n", DATA_CLASS);
    write_ports(ports, to);
    fprintf(to, " qos remark profile %s\n", group);
}

/* ---- the switch as a whole ------------------------------------------------------------------- */

static void write_mapping(enum dscp_class class, uint32_t priority, FILE *to)
{
    fprintf(to, "nv set qos mapping mrc dscp %u switch-priority %u\n", format_default.dscp[class],
        priority);
}

static void write_queues(const struct topology_buffers *buffers, FILE *to)
{
    fputs("nv set qos mapping mrc trust l3\n", to);
    write_mapping(DSCP_NO_TRIM, 0, to);
    write_mapping(DSCP_TRIMMABLE, DATA_CLASS, to);
    write_mapping(DSCP_TRIMMABLE_RETX, DATA_CLASS, to);
    write_mapping(DSCP_TRIMMED, CONTROL_CLASS, to);
    write_mapping(DSCP_TRIMMED_LASTHOP, CONTROL_CLASS, to);
    write_mapping(DSCP_CONTROL, CONTROL_CLASS, to);
    fprintf(to,
        "nv set qos egress-scheduler mrc traffic-class %u mode strict\n"
        "nv set qos congestion-control mrc traffic-class %u min-threshold %u\n"
        "nv set qos congestion-control mrc traffic-class %u max-threshold %u\n"
        "nv set qos congestion-control mrc traffic-class %u probability 100\n"
        "nv set qos congestion-control mrc traffic-class %u ecn enabled\n",
        CONTROL_CLASS, DATA_CLASS, buffers->red_min_bytes, DATA_CLASS, buffers->red_max_bytes,
        DATA_CLASS, DATA_CLASS);
    if (!buffers->trims)
        return;
    fprintf(to,
        "nv set system forwarding packet-trim state enabled\n"
        "nv set system forwarding packet-trim size %u\n"
        "nv set system forwarding packet-trim switch-priority %u\n"
        "nv set system forwarding packet-trim remark dscp port-level\n"
        "nv set qos remark mrc-fabric switch-priority %u dscp %u\n"
        "nv set qos remark mrc-host switch-priority %u dscp %u\n",
        trim_bytes(buffers), TRIM_CLASS, TRIM_CLASS, format_default.dscp[DSCP_TRIMMED], TRIM_CLASS,
        format_default.dscp[DSCP_TRIMMED_LASTHOP]);
}

static void write_locators(const struct config_switch *self, FILE *to)
{
    fputs("nv set router segment-routing srv6 state enabled\n", to);
    for (uint32_t i = 0; i < self->names.count; i++) {
        uint16_t usid = config_switch_usid(self, i);

        fprintf(to, "nv set router segment-routing srv6 locator MRC%u prefix ", i);
        config_switch_prefix(self, usid, to);
        fprintf(to,
            "/48\n"
            "nv set router segment-routing srv6 locator MRC%u block-length 32\n"
            "nv set router segment-routing srv6 locator MRC%u node-length 16\n"
            "nv set router segment-routing srv6 locator MRC%u func-length 0\n"
            "nv set router segment-routing static srv6-sid ",
            i, i, i);
        config_switch_prefix(self, usid, to);
        fprintf(to, "/48 locator-name MRC%u\nnv set router segment-routing static srv6-sid ", i);
        config_switch_prefix(self, usid, to);
        fputs("/48 behavior uN\n", to);
    }
}

/* ---- ports and routes ------------------------------------------------------------------------ */

static void write_port(const struct config_switch *self, const struct config_cable *cable, FILE *to)
{
    char address[CONFIG_PORT_ADDRESS_BYTES];
    uint32_t number = cable->self.port + 1;

    if (!cable->is_there) {
        fprintf(to, "nv set interface swp%u link state down\n", number);
        return;
    }
    config_port_address(&self->plan->topology, cable->self, address);
    fprintf(to, "nv set interface swp%u ip address %s/127\n", number, address);
    if (cable->marks)
        fprintf(to, "nv set interface swp%u qos congestion-control profile mrc\n", number);
}

static void write_route(
    const struct config_switch *self, uint16_t usid, const struct config_cable *cable, FILE *to)
{
    char next_hop[CONFIG_PORT_ADDRESS_BYTES];

    config_port_address(&self->plan->topology, cable->peer, next_hop);
    fputs("nv set vrf default router static ", to);
    config_switch_prefix(self, usid, to);
    fprintf(to, "/48 via %s\n", next_hop);
}

static void write_config(const struct config_source *source, uint32_t node, FILE *to)
{
    struct config_switch self;

    config_switch_of(source, node, &self);
    fputs("#!/bin/sh\n", to);
    config_format_router_title(&config_nvue, &self, "#", to);
    fprintf(to, "set -e\nnv set system hostname %s\n", self.label);
    write_queues(&self.plan->topology.config.buffers, to);
    if (self.host_ports > 0)
        write_port_class(&self, (struct ports){ 0, self.host_ports - 1 }, "mrc-host", to);
    if (self.port_count > self.host_ports)
        write_port_class(
            &self, (struct ports){ self.host_ports, self.port_count - 1 }, "mrc-fabric", to);
    write_locators(&self, to);
    config_switch_ports(&self, write_port, to);
    config_switch_routes(&self, write_route, to);
    fputs("nv config apply -y\n", to);
}

const struct config_format config_nvue = {
    .word = "nvue",
    .help = "NVIDIA Cumulus Linux 5.14 or later: nvue.sh",
    .checked =
        "Checked: against the published command reference of Cumulus Linux 5.14 to 5.19. Not run\n"
        "on a switch. Port N of the plan is swp<N + 1>. Trimmed packets have at least 256 bytes.",
    .scope = CONFIG_OF_SWITCH,
    .files = { { "nvue.sh", write_config } },
};
