/* SPDX-License-Identifier: Apache-2.0 */
/* Reads events of EVs and QPs. */
#include "control/ev_report.h"

#include <arpa/inet.h>
#include <string.h>

static const char *text_of(const json_t *event, const char *key)
{
    const char *text = json_string_value(json_object_get(event, key));

    return text ? text : "";
}

static bool number_of(const json_t *event, const char *key, uint32_t *out)
{
    const json_t *value = json_object_get(event, key);
    json_int_t number = json_integer_value(value);

    *out = (uint32_t)number;
    return json_is_integer(value) && number >= 0 && number <= UINT32_MAX;
}

static bool find_peer(const struct plan *plan, const json_t *event, uint32_t *nic)
{
    struct ipv6_addr address;

    return inet_pton(AF_INET6, text_of(event, "peer"), address.octets) == 1 &&
           plan_nic_of(plan, &address, nic) && *nic < plan->topology.nic_count;
}

/* A QP that connects has not avoided anything yet. */
static bool is_gone(const json_t *event)
{
    return strcmp(text_of(event, "to"), "ERROR") == 0 || strcmp(text_of(event, "to"), "RESET") == 0;
}

void ev_report_take(
    struct map_evs *evs, struct map *map, const json_t *event, uint32_t from, uint64_t now_ms)
{
    const struct plan *plan = map->config.fabric;
    const char *kind = text_of(event, "event");
    struct map_avoided avoided = { .from = from, .time_ms = now_ms };

    if (plan->topology.graph || from >= plan->topology.nic_count ||
        !number_of(event, "qpn", &avoided.qpn))
        return;
    if (strcmp(kind, "qp") == 0 && is_gone(event))
        map_evs_forget_qp(evs, map, from, avoided.qpn);
    else if (strcmp(kind, "ev") == 0 && number_of(event, "ev", &avoided.ev) &&
             plan_ev_exists(plan, avoided.ev) && find_peer(plan, event, &avoided.to))
        map_evs_change(evs, map, &avoided, strcmp(text_of(event, "to"), "bad") == 0);
}
