/* SPDX-License-Identifier: Apache-2.0 */
/* The outer header of a packet: from the EV profile of its QP if that lists addresses, otherwise
 * from the template of its destination. */
#include <errno.h>

#include "base/bytes.h"
#include "host/engine.h"
#include "host/ev_profile.h"
#include "plan/plan.h"

void engine_find_route(
    const struct engine *engine, const struct ipv6_addr *peer, struct host_route *out)
{
    const struct host_config *config = &engine->nic->config;

    if (!config->route || config->route(config->route_context, peer, out) < 0)
        out->is_encapsulated = false;
}

/* Caches the route of a destination without a QP until another destination takes its slot. */
static const struct host_route *route_without_qp(
    struct engine *engine, const struct ipv6_addr *peer)
{
    struct engine_route *slot = &engine->routes[ip_address_hash(peer) % ENGINE_ROUTES];

    if (!slot->is_known || !ip_address_equal(&slot->peer, peer)) {
        *slot = (struct engine_route){ .peer = *peer, .is_known = true };
        engine_find_route(engine, peer, &slot->route);
    }
    return &slot->route;
}

/* The plane is that of the port, and the uplink is always one that exists, for any EV that the
 * probe of an unknown node asks us to answer on. */
static uint32_t by_template(struct engine *engine, const struct host_qp *qp,
    const struct packet *packet, struct template_addresses *out)
{
    const struct host_route *route = qp ? &qp->route : route_without_qp(engine, &packet->dst);
    struct ev_path path;

    if (!route->is_encapsulated)
        return 0;
    path = plan_ev_of(&engine->nic->config.format, packet->ev);
    path.plane = packet->port;
    if (!route->template.list)
        path.uplink =
            engine->nic->config.uplink_count ? path.uplink % engine->nic->config.uplink_count : 0;
    return template_expand(&route->template, path, out);
}

static uint32_t index_of(const struct host_ev_profile *profile, uint32_t ev)
{
    uint32_t index = ev & 0xffff; /* hit if the profile is numbered in the usual way */

    if (index < profile->profile.entry_count && profile->entries[profile->ours[index]].ev == ev)
        return profile->ours[index];
    return path_profile_find(&profile->profile, ev);
}

/* Returns the request if the packet is a probe whose outer header the caller gave. */
static const struct engine_probe *probe_of(const struct engine *engine, const struct packet *packet)
{
    const struct engine_probe *probe = &engine->nic->probes[packet->psn.value % ENGINE_PROBES];

    return packet->opcode == OPCODE_ENDPOINT_REQUEST && probe->is_set &&
                   probe->request_id == packet->psn.value
               ? probe
               : NULL;
}

uint32_t engine_route(struct engine *engine, const struct host_qp *qp, const struct packet *packet,
    struct template_addresses *out)
{
    const struct engine_probe *probe = probe_of(engine, packet);
    const struct host_ev_profile *profile;
    uint32_t index;

    if (probe && probe->address_count) {
        *out = probe->addresses;
        return probe->address_count;
    }
    if (engine->nic->listed_count == 0)
        return by_template(engine, qp, packet, out);
    qp = qp ? qp : transport_peer_owner(engine->transport, &packet->dst);
    profile = qp ? qp->config.ev_profile : engine->nic->default_ev;
    if (profile->is_plain)
        return 0;
    if (profile->address_count == 0)
        return by_template(engine, qp, packet, out);
    index = index_of(profile, packet->ev);
    if (index == PATH_NONE)
        return by_template(engine, qp, packet, out);
    *out = profile->addresses[index];
    return profile->address_count;
}

int host_route_by_plan(void *context, const struct ipv6_addr *peer, struct host_route *out)
{
    out->is_encapsulated = plan_nic_template(context, peer, &out->template);
    return out->is_encapsulated ? 0 : -EHOSTUNREACH;
}
