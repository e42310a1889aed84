/* SPDX-License-Identifier: Apache-2.0 */
/* Follows running NICs. */
#include "cmd/map/map_follow.h"

#include <stdio.h>
#include <string.h>

enum {
    PLACES = 4096,
    PRINTED_MAX = 4,
};

static bool take_line(void *context, const char *line)
{
    struct map_follow *follow = context;
    json_t *event = json_loads(line, 0, NULL);
    const char *device = json_string_value(json_object_get(event, "device"));

    for (uint32_t nic = 0; device && nic < follow->nic_count; nic++)
        if (strcmp(follow->agents[nic].device, device) == 0)
            ev_report_take(&follow->evs, follow->map, event, nic, 0);
    json_decref(event);
    return true;
}

void map_follow_init(struct map_follow *follow, struct arena *arena, struct map *map)
{
    *follow =
        (struct map_follow){ .map = map, .watch = { .on_event = take_line, .context = follow } };
    map_evs_init(&follow->evs, arena, PLACES);
}

void map_follow_begin(struct map_follow *follow, const struct map_agent *agents, uint32_t nic_count)
{
    follow->agents = agents;
    follow->nic_count = nic_count;
    for (uint32_t nic = 0; nic < nic_count; nic++)
        event_watch_follow(&follow->watch, agents[nic].device, false);
}

void map_follow_turn(struct map_follow *follow)
{
    event_watch_wait(&follow->watch, 0);
}

void map_follow_print(const struct map_follow *follow, const struct map_verdict *verdict)
{
    const struct plan *plan = follow->map->config.fabric;
    uint32_t count = 0;

    for (uint32_t i = 0; i < follow->evs.place_count; i++) {
        const struct map_avoided *avoided = map_evs_at(&follow->evs, i);
        char ev[PLAN_EV_NAME_BYTES];

        if (!avoided || !map_evs_implicates(follow->map, avoided, verdict) ||
            count++ >= PRINTED_MAX)
            continue;
        plan_ev_name(plan_ev_path(plan, avoided->ev), ev);
        printf("  h%u avoids EV %s to h%u\n", avoided->from, ev, avoided->to);
    }
    if (count > PRINTED_MAX)
        printf("  and %u more senders and EVs\n", count - PRINTED_MAX);
}
