/* SPDX-License-Identifier: Apache-2.0 */
/* What a NIC lost in a round. */
#include <arpa/inet.h>

#include "ctl/ctl_prober.h"

static void add_loss(json_t *lost, uint32_t port, const struct map_loss *loss)
{
    json_array_append_new(lost, json_integer(port));
    json_array_append_new(lost, json_integer(loss->period));
    json_array_append_new(lost, json_integer(loss->slot));
}

json_t *ctl_prober_collect(const struct ctl_prober *prober, struct map_agent *agent)
{
    struct ipv6_addr address = plan_nic_address(prober->plan, agent->nic);
    char text[INET6_ADDRSTRLEN];
    json_t *lost = json_array();
    uint32_t ports = 0;

    for (uint32_t port = 0; port < agent->port_count; port++) {
        struct map_report report;

        if (!map_agent_losses(agent, port, prober->round * prober->round_periods, &report))
            continue;
        ports |= UINT32_C(1) << port;
        for (uint32_t i = 0; i < report.lost_count; i++)
            add_loss(lost, port, &report.lost[i]);
    }
    if (ports == 0) {
        json_decref(lost);
        return NULL;
    }
    inet_ntop(AF_INET6, address.octets, text, sizeof(text));
    return json_pack("{s:s,s:I,s:o}", "address", text, "ports", (json_int_t)ports, "lost", lost);
}
