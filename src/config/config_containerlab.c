/* SPDX-License-Identifier: Apache-2.0 */
/* A containerlab file: every switch and NIC is a Linux container, every cable a link. Switches run
 * the scripts of the format linux. */
#include "config/config_format.h"

extern const struct config_format config_containerlab;

static void write_node_name(const struct topology *topology, struct topology_end end, FILE *to)
{
    struct topology_element element = { .kind = TOPOLOGY_NIC, .nic = end.node };
    char name[TOPOLOGY_NAME_BYTES];

    if (!end.is_nic)
        element = topology_switch_at(topology, end.node);
    topology_name(&element, name);
    for (const char *at = name; *at; at++)
        fputc(*at == '.' ? '-' : *at, to);
}

static void write_end(const struct topology *topology, struct topology_end end, FILE *to)
{
    char interface[CONFIG_PORT_NAME_BYTES];

    config_port_interface(topology, end, interface);
    fputc('"', to);
    write_node_name(topology, end, to);
    fprintf(to, ":%s\"", interface);
}

/* A cable between switches is written for the switch with the lower index. */
static void write_link(const struct config_switch *self, const struct config_cable *cable, FILE *to)
{
    const struct topology *topology = &self->plan->topology;

    if (!cable->is_there || (!cable->peer.is_nic && cable->peer.node < cable->self.node))
        return;
    fputs("    - endpoints: [", to);
    write_end(topology, cable->self, to);
    fputs(", ", to);
    write_end(topology, cable->peer, to);
    fputs("]\n", to);
}

static void write_switch(const struct config_switch *self, FILE *to)
{
    fprintf(to,
        "    %s:\n"
        "      binds: [\"%s/switch.sh:/switch.sh:ro\"]\n"
        "      exec: [\"sh /switch.sh\"]\n",
        self->label, self->name);
}

static void write_config(const struct config_source *source, uint32_t node, FILE *to)
{
    const struct topology *topology = &source->plan->topology;
    struct config_switch self;

    (void)node;
    config_format_title(&config_containerlab, source->plan, "", "#", to);
    fputs(
        "name: mrc\ntopology:\n  defaults:\n    kind: linux\n    image: mrc:latest\n"
        "    network-mode: none\n    sysctls:\n      net.ipv6.conf.all.disable_ipv6: 0\n  nodes:\n",
        to);
    for (uint32_t nic = 0; nic < topology->nic_count; nic++)
        fprintf(to, "    h%u: {}\n", nic);
    for (uint32_t i = 0; i < topology->switch_count; i++) {
        config_switch_of(source, i, &self);
        write_switch(&self, to);
    }
    fputs("  links:\n", to);
    for (uint32_t i = 0; i < topology->switch_count; i++) {
        config_switch_of(source, i, &self);
        config_switch_ports(&self, write_link, to);
    }
}

const struct config_format config_containerlab = {
    .word = "containerlab",
    .help = "a containerlab file for the whole fabric: fabric.clab.yml",
    .checked = "Checked: read as YAML; each cable is listed once. Not deployed with containerlab.\n"
               "Put it beside the folders of --format linux. The image mrc:latest needs ip, tc and "
               "libmrc.",
    .scope = CONFIG_OF_FABRIC,
    .files = { { "fabric.clab.yml", write_config } },
};
