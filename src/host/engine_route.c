/* SPDX-License-Identifier: Apache-2.0 */
/* The outer header of a packet: from the EV profile of its QP if that lists addresses, else by the
 * template of its destination. */
#include <errno.h>

#include "base/bytes.h"
#include "host/engine.h"
#include "host/ev_profile.h"
#include "wire/bth.h"

/* Asks once per destination, as long as others do not take its place. */
static const struct host_route *find_route(struct engine *engine, const struct ipv6_addr *peer)
{
    struct engine_route *slot = &engine->routes[ip_address_hash(peer) % ENGINE_ROUTES];

    if (!slot->is_known || !ip_address_equal(&slot->peer, peer)) {
        *slot = (struct engine_route){ .peer = *peer, .is_known = true };
        if (engine->nic->config.route(engine->nic->config.route_context, peer, &slot->route) < 0)
            slot->route.is_encapsulated = false;
    }
    return &slot->route;
}

/* The plane is the port's, and the uplink one that exists, whatever number a stranger's probe asks
 * to be answered on. */
static uint32_t by_template(
    struct engine *engine, const struct packet *packet, struct template_addresses *out)
{
    const struct host_route *route;
    struct ev_path path;

    if (!engine->nic->config.route)
        return 0;
    route = find_route(engine, &packet->dst);
    if (!route->is_encapsulated)
        return 0;
    path = ev_path(&engine->nic->config.format, packet->ev);
    path.plane = packet->port;
    path.uplink =
        engine->nic->config.uplink_count ? path.uplink % engine->nic->config.uplink_count : 0;
    return template_expand(&route->template, path, out);
}

/* A QP to the destination of this answer or probe; NULL: there is none. */
static const struct host_qp *qp_to(const struct engine *engine, const struct packet *packet)
{
    return qp_table_find_peer(
        &engine->qps, &packet->dst, packet->dest_qpn == BTH_ENDPOINT_QPN ? 0 : packet->dest_qpn);
}

static uint32_t index_of(const struct host_ev_profile *profile, uint32_t ev)
{
    uint32_t index = ev & 0xffff; /* the usual numbering makes it easy */

    if (index < profile->profile.entry_count && profile->entries[profile->ours[index]].ev == ev)
        return profile->ours[index];
    return path_profile_find(&profile->profile, ev);
}

/* A probe that the caller gave its outer header. */
static const struct engine_probe *probe_of(const struct engine *engine, const struct packet *packet)
{
    const struct engine_probe *probe = &engine->nic->probes[packet->psn.value % ENGINE_PROBES];

    return packet->opcode == OPCODE_ENDPOINT_REQUEST && probe->is_set &&
                   probe->request_id == packet->psn.value
               ? probe
               : NULL;
}

uint32_t engine_route(struct engine *engine, const struct host_qp *sender,
    const struct packet *packet, struct template_addresses *out)
{
    const struct engine_probe *probe = probe_of(engine, packet);
    const struct host_ev_profile *profile;
    const struct host_qp *qp;
    uint32_t index;

    if (probe && probe->address_count) {
        *out = probe->addresses;
        return probe->address_count;
    }
    if (engine->nic->listed_count == 0)
        return by_template(engine, packet, out);
    qp = sender ? sender : qp_to(engine, packet);
    profile = qp ? qp->config.ev_profile : engine->nic->default_ev;
    if (profile->is_plain)
        return 0;
    if (profile->address_count == 0)
        return by_template(engine, packet, out);
    index = index_of(profile, packet->ev);
    if (index == PATH_NONE)
        return by_template(engine, packet, out);
    *out = profile->addresses[index];
    return profile->address_count;
}

/* ---- the two-tier plan ------------------------------------------------------------------------
 */

enum { USID_T0 = 1, USID_T1 = 2, USID_HOST = 3 };

struct place {
    uint32_t t0;
    uint32_t downlink;
};

static bool place_of(const struct ipv6_addr *address, struct place *out)
{
    static const uint8_t prefix[4] = { 0x20, 0x01, 0x0d, 0xb8 };

    if (memcmp(address->octets, prefix, sizeof(prefix)) != 0)
        return false;
    out->t0 = (uint32_t)address->octets[4] << 8 | address->octets[5];
    out->downlink = (uint32_t)address->octets[6] << 8 | address->octets[7];
    return out->t0 < 1024 && out->downlink < 1024;
}

struct plan_fields {
    struct template_field fields[TEMPLATE_FIELD_COUNT_MAX];
    uint32_t count;
    uint16_t bit_offset;
};

static void add_field(
    struct plan_fields *plan, uint8_t width, enum template_source source, uint32_t constant)
{
    plan->fields[plan->count++] = (struct template_field){ .bit_offset = plan->bit_offset,
        .width = width,
        .source = (uint8_t)source,
        .constant = constant };
    plan->bit_offset = (uint16_t)(plan->bit_offset + width);
}

/* plane(3) | type(3) | index(10) */
static void add_usid(struct plan_fields *plan, uint32_t type, uint32_t index)
{
    add_field(plan, 3, TEMPLATE_PLANE, 0);
    add_field(plan, 3, TEMPLATE_CONSTANT, type);
    if (type == USID_T1)
        add_field(plan, 10, TEMPLATE_UPLINK, 0);
    else
        add_field(plan, 10, TEMPLATE_CONSTANT, index);
}

int host_route_by_plan(void *context, const struct ipv6_addr *peer, struct host_route *out)
{
    const struct host_plan *plan = context;
    struct plan_fields fields = { .count = 0 };
    struct place from;
    struct place to;

    if (!place_of(&plan->self, &from) || !place_of(peer, &to))
        return -EHOSTUNREACH;
    add_field(&fields, 32, TEMPLATE_CONSTANT, plan->block);
    add_usid(&fields, USID_T0, from.t0);
    if (from.t0 != to.t0) {
        add_usid(&fields, USID_T1, 0);
        add_usid(&fields, USID_T0, to.t0);
    }
    add_usid(&fields, USID_HOST, to.downlink);
    template_init(&out->template, EV_FORMAT_SRV6, fields.fields, fields.count);
    out->is_encapsulated = true;
    return 0;
}
