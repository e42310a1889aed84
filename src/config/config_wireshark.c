/* SPDX-License-Identifier: Apache-2.0 */
/* The names of switches and NICs by uSID, and the widths of EVs and indexes, for the dissector. */
#include "config/config_format.h"

extern const struct config_format config_wireshark;

/* A line for each block, before the lines of its switches. */
static void write_blocks(const struct plan *plan, FILE *to)
{
    uint32_t plane_count = plan->topology.config.plane_count;

    for (uint32_t plane = 0; plane < plane_count; plane++)
        if (plane == 0 || plan_block(plan, plane) != plan_block(plan, 0))
            fprintf(to, "plan %08x %u %u\n", plan_block(plan, plane), plan_ev_width(plan),
                plan_layout_index_bits(plan->graph.layout));
}

/* A downlink has its uSID behind any uSID of its switch. */
static void write_downlink(
    const struct config_switch *self, uint16_t usid, const struct config_cable *cable, FILE *to)
{
    if (!cable->peer.is_nic)
        return;
    for (uint32_t i = 0; i < self->names.count; i++)
        fprintf(to, "port %08x %04x %04x %s\n", self->block, config_switch_usid(self, i), usid,
            cable->peer_name);
}

static void write_config(const struct config_source *source, uint32_t node, FILE *to)
{
    (void)node;
    config_format_title(&config_wireshark, source->plan, "", "#", to);
    write_blocks(source->plan, to);
    for (uint32_t i = 0; i < source->plan->topology.switch_count; i++) {
        struct config_switch self;

        config_switch_of(source, i, &self);
        for (uint32_t number = 0; number < self.names.count; number++)
            fprintf(to, "switch %08x %04x %s\n", self.block, config_switch_usid(&self, number),
                self.name);
        config_switch_routes(&self, write_downlink, to);
    }
}

const struct config_format config_wireshark = {
    .word = "wireshark",
    .help = "names of hops for the Wireshark dissector: mrc-plan.txt",
    .checked = "Checked: tshark names the hops of 1,000 random fabrics as the plan does.\n"
               "Use: tshark -X lua_script:mrc.lua -o mrc.plan:mrc-plan.txt -r capture.pcapng",
    .scope = CONFIG_OF_FABRIC,
    .files = { { "mrc-plan.txt", write_config } },
};
