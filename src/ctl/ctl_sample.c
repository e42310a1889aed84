/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the ports of NICs that are down. */
#include "ctl/ctl_sample.h"

enum {
    LINKS_MAX = 200000,    /* in a document for a browser */
    NIC_LINKS_MAX = 20000, /* that are listed if they can be computed */
    STATE_DOWN = 3,        /* both directions */
    PLANES_MAX = 64,
};

/* Adds the links of NICs that are down, and counts them by plane. */
static void add_down(const struct topology *topology, const uint32_t *ports_down, json_t *at,
    json_t *state, uint32_t down[PLANES_MAX])
{
    uint32_t number = 0;

    for (uint32_t nic = 0; nic < topology->nic_count; nic++)
        for (uint32_t port = 0; port < topology->config.plane_count; port++) {
            struct topology_end end = { .is_nic = true, .node = nic, .port = port };
            struct topology_end peer;

            if (!topology_peer(topology, end, &peer))
                continue;
            if (ports_down[nic] >> port & 1) {
                json_array_append_new(at, json_integer(number));
                json_array_append_new(state, json_integer(STATE_DOWN));
                down[port % PLANES_MAX]++;
            }
            number++;
        }
}

static json_t *list_planes(const struct topology *topology, const uint32_t down[PLANES_MAX])
{
    json_t *planes = json_array();

    for (uint32_t i = 0; i < topology->config.plane_count && i < PLANES_MAX; i++)
        json_array_append_new(
            planes, json_pack("{s:i, s:i, s:i, s:i, s:i}", "bps", 0, "capacity_bps", 0, "down",
                        (int)down[i], "impaired", 0, "lost", 0));
    return planes;
}

json_t *ctl_sample(const struct topology *topology, const uint32_t *ports_down, int64_t time_ms)
{
    uint32_t down[PLANES_MAX] = { 0 };
    json_t *at = json_array();
    json_t *state = json_array();

    add_down(topology, ports_down, at, state, down);
    return json_pack("{s:I, s:i, s:o, s:{s:o, s:o}, s:{s:i, s:i, s:i, s:{}, s:{}}, s:[]}",
        "time_ms", (json_int_t)time_ms, "interval_ms", 0, "planes", list_planes(topology, down),
        "links", "at", at, "state", state, "nics", "goodput_bps", 0, "sent", 0, "qps", 0,
        "retransmitted", "evs", "faults");
}
