/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses, uSIDs, templates and route tables (docs/fabric.md §5, §6). */
#include <assert.h>

#include "base/bytes.h"
#include "plan/plan.h"
#include "plan/plan_usid.h"

#define NIC_PREFIX UINT64_C(0x20010db8) /* 2001:db8::/32, the documentation prefix */

/* Default EVs of a QP: the numbers of [paper]. */
enum {
    ACTIVE_COUNT = 128,
    BACKUP_COUNT = 64,
};

/* ---- NICs ------------------------------------------------------------------------------------ */

/* The position of a NIC, as in its address. */
struct place {
    uint32_t leaf;
    uint32_t downlink;
};

static inline struct place place_at(const struct topology *topology, uint32_t nic)
{
    return (struct place){ .leaf = topology_leaf_of(topology, nic),
        .downlink = topology_downlink_of(topology, nic) };
}

/* Not inlined: the address of a NIC in two tiers, needed for every packet, stays cheap. */
static __attribute__((noinline)) struct place place_in_graph(
    const struct topology *topology, uint32_t nic)
{
    return place_at(topology, nic);
}

struct ipv6_addr plan_nic_address(const struct plan *plan, uint32_t nic)
{
    const struct topology *topology = &plan->topology;
    struct place place = __builtin_expect(topology->graph != NULL, false)
                             ? place_in_graph(topology, nic)
                             : place_at(topology, nic);
    struct ipv6_addr address;

    assert(nic < plan->topology.nic_count);
    bytes_put_be64(address.octets, NIC_PREFIX << 32 | (uint64_t)place.leaf << 16 | place.downlink);
    bytes_put_be64(address.octets + 8, 1);
    return address;
}

static bool place_of(const struct ipv6_addr *address, struct place *out)
{
    uint64_t high = bytes_get_be64(address->octets);

    out->leaf = (uint32_t)(high >> 16 & 0xffff);
    out->downlink = (uint32_t)(high & 0xffff);
    return high >> 32 == NIC_PREFIX;
}

bool plan_nic_of(const struct plan *plan, const struct ipv6_addr *address, uint32_t *nic)
{
    struct place place;

    return place_of(address, &place) && bytes_get_be64(address->octets + 8) == 1 &&
           topology_nic_at(&plan->topology, place.leaf, place.downlink, nic);
}

/* ---- uSIDs ----------------------------------------------------------------------------------- */

static uint16_t usid(uint32_t plane, enum plan_usid_type type, uint32_t index)
{
    return plan_usid_of(PLAN_LAYOUT_ONE_BLOCK, plane, type, index);
}

enum plan_usid_type plan_usid_switch_type(uint32_t tier)
{
    static const enum plan_usid_type types[GRAPH_TIERS_MAX] = { PLAN_USID_LEAF, PLAN_USID_SPINE,
        PLAN_USID_CORE, PLAN_USID_SUPERCORE };

    assert(tier < GRAPH_TIERS_MAX);
    return types[tier];
}

uint16_t plan_usid(const struct plan *plan, const struct topology_element *element)
{
    struct topology_place place = topology_place_of(element);

    if (element->kind == TOPOLOGY_HOST_LINK)
        return usid(
            element->plane, PLAN_USID_HOST, topology_downlink_of(&plan->topology, element->nic));
    assert(topology_is_switch(element->kind));
    return plan_usid_of(
        plan->graph.layout, place.plane, plan_usid_switch_type(place.tier), place.index);
}

/* ---- paths ----------------------------------------------------------------------------------- */

uint32_t plan_links(const struct plan *plan, uint32_t from, uint32_t to, uint32_t ev,
    struct topology_element out[static PLAN_LINKS_MAX])
{
    struct plan_step steps[PLAN_LINKS_MAX];
    uint32_t count = plan_steps(plan, from, to, ev, steps);
    struct topology_link_kind kind;

    for (uint32_t i = 0; i < count; i++)
        topology_link_numbered(&plan->topology, steps[i].link, &out[i], &kind);
    return count;
}

/* Writes a constant uSID and adds the plane. */
static uint32_t put_usid(
    struct template_field *fields, uint32_t position, enum plan_usid_type type, uint32_t index)
{
    uint16_t bit_offset = (uint16_t)(32 + 16 * position);

    fields[0] = (struct template_field){ .bit_offset = bit_offset,
        .width = 16,
        .source = TEMPLATE_CONSTANT,
        .constant = usid(0, type, index) };
    fields[1] =
        (struct template_field){ .bit_offset = bit_offset, .width = 3, .source = TEMPLATE_PLANE };
    return 2;
}

static void template_between(
    uint32_t block, struct place from, struct place to, struct path_template *template)
{
    struct template_field fields[10];
    uint32_t count = 0;
    uint32_t position = 0;

    fields[count++] =
        (struct template_field){ .width = 32, .source = TEMPLATE_CONSTANT, .constant = block };
    count += put_usid(fields + count, position++, PLAN_USID_LEAF, from.leaf);
    if (from.leaf != to.leaf) {
        count += put_usid(fields + count, position, PLAN_USID_SPINE, 0);
        fields[count++] =
            (struct template_field){ .bit_offset = (uint16_t)(32 + 16 * position++ + 6),
                .width = 10,
                .source = TEMPLATE_UPLINK };
        count += put_usid(fields + count, position++, PLAN_USID_LEAF, to.leaf);
    }
    count += put_usid(fields + count, position, PLAN_USID_HOST, to.downlink);
    template_init(template, EV_FORMAT_SRV6, fields, count);
}

bool plan_nic_template(
    const struct plan_nic *nic, const struct ipv6_addr *peer, struct path_template *template)
{
    struct place from;
    struct place to;

    if (!place_of(&nic->self, &from) || !place_of(peer, &to) || from.leaf >= TOPOLOGY_RADIX_MAX ||
        from.downlink >= TOPOLOGY_RADIX_MAX || to.leaf >= TOPOLOGY_RADIX_MAX ||
        to.downlink >= TOPOLOGY_RADIX_MAX)
        return false;
    template_between(nic->block, from, to, template);
    return true;
}

bool plan_ev_find(const struct plan *plan, const char *text, uint32_t *ev)
{
    struct ev_path path;

    if (!plan_ev_read(text, &path) || path.plane >= plan->topology.config.plane_count ||
        path.uplink >> plan->uplink_bits)
        return false;
    *ev = plan_ev(plan, path);
    return true;
}

bool plan_crosses(const struct plan *plan, uint32_t from, uint32_t to, uint32_t ev)
{
    struct topology_element links[PLAN_LINKS_MAX];
    struct plan_step steps[PLAN_LINKS_MAX];
    uint32_t count = plan_steps(plan, from, to, ev, steps);
    struct topology_link_kind kind;

    for (uint32_t i = 1; i + 1 < count; i++)
        if (!topology_link_numbered(&plan->topology, steps[i].link, &links[i], &kind))
            return false;
    return true;
}

bool plan_ev_crosses(const struct plan *plan, uint32_t ev, const struct topology_element *link)
{
    struct ev_path path = plan_ev_path(plan, ev);

    return path.plane == link->plane &&
           (link->kind == TOPOLOGY_HOST_LINK ||
               path.uplink == topology_leaf_uplink_number(&plan->topology, link));
}

bool plan_ev_exists(const struct plan *plan, uint32_t ev)
{
    struct ev_path path = plan_ev_path(plan, ev);

    return path.plane < plan->topology.config.plane_count && path.uplink < plan_plane_paths(plan);
}

struct plan_generate plan_paths_across(const struct plan *plan)
{
    return (struct plan_generate){ .plane_count = plan->topology.config.plane_count,
        .uplink_count = plan_plane_paths(plan),
        .uplink_bits = (uint8_t)plan->uplink_bits,
        .active_count = ACTIVE_COUNT,
        .backup_count = BACKUP_COUNT };
}

struct plan_generate plan_paths_within(const struct plan *plan)
{
    struct plan_generate generate = plan_paths_across(plan);

    generate.uplink_count = 1;
    return generate;
}

struct plan_generate plan_paths(const struct plan *plan, uint32_t from, uint32_t to)
{
    return plan_is_local(plan, from, to) ? plan_paths_within(plan) : plan_paths_across(plan);
}

/* ---- route tables ---------------------------------------------------------------------------- */

static struct plan_range range_of(
    uint32_t plane, enum plan_usid_type type, uint32_t count, uint32_t first_port)
{
    return (struct plan_range){ .first_usid = usid(plane, type, 0),
        .last_usid = usid(plane, type, count - 1),
        .first_port = (uint16_t)first_port };
}

/* A leaf has routes to the switches above it and to its downlinks; those above have routes to
 * leaves. */
uint32_t plan_routes(
    const struct plan *plan, uint32_t switch_index, struct plan_range *ranges, uint32_t range_max)
{
    const struct topology *topology = &plan->topology;
    struct topology_element at = topology_switch_at(topology, switch_index);
    uint32_t port_count = topology_port_count(topology, switch_index);
    uint32_t host_ports = topology_host_port_count(topology, switch_index);
    uint32_t count = 0;

    if (topology->graph)
        return plan_graph_ranges(
            &plan->graph, topology->nic_count + switch_index, ranges, range_max);
    assert(range_max >= PLAN_RANGES_MAX);
    if (host_ports == 0) {
        ranges[count++] = range_of(at.plane, PLAN_USID_LEAF, port_count, 0);
        return count;
    }
    if (port_count > host_ports)
        ranges[count++] = range_of(at.plane, PLAN_USID_SPINE, port_count - host_ports, host_ports);
    ranges[count++] = range_of(at.plane, PLAN_USID_HOST, host_ports, 0);
    return count;
}
