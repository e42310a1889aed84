/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses, uSIDs, templates and route tables (docs/fabric.md §5, §6). */
#include <assert.h>

#include "base/bytes.h"
#include "plan/plan.h"
#include "plan/plan_usid.h"

static const uint64_t nic_prefix = TOPOLOGY_NIC_BLOCK;

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
    bytes_put_be64(address.octets, nic_prefix << 32 | (uint64_t)place.leaf << 16 | place.downlink);
    bytes_put_be64(address.octets + 8, 1);
    return address;
}

static bool place_of(const struct ipv6_addr *address, struct place *out)
{
    uint64_t high = bytes_get_be64(address->octets);

    out->leaf = (uint32_t)(high >> 16 & 0xffff);
    out->downlink = (uint32_t)(high & 0xffff);
    return high >> 32 == nic_prefix;
}

bool plan_nic_of(const struct plan *plan, const struct ipv6_addr *address, uint32_t *nic)
{
    struct place place;

    return place_of(address, &place) && bytes_get_be64(address->octets + 8) == 1 &&
           topology_nic_at(&plan->topology, place.leaf, place.downlink, nic);
}

/* ---- uSIDs ----------------------------------------------------------------------------------- */

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
        return plan_usid_of(plan->graph.layout, element->plane, PLAN_USID_HOST,
            topology_downlink_of(&plan->topology, element->nic));
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

/* The fields of a template, in a layout. */
struct form {
    enum plan_layout layout;
    struct template_field fields[10];
    uint32_t count;
};

/* The plane is part of the block or of each uSID. */
static void put_block(struct form *form, uint32_t block)
{
    bool has_plane = form->layout == PLAN_LAYOUT_PLANE_BLOCK;

    form->fields[form->count++] = (struct template_field){
        .width = 32, .source = has_plane ? TEMPLATE_PLANE : TEMPLATE_CONSTANT, .constant = block
    };
}

static void put_usid(struct form *form, uint32_t position, enum plan_usid_type type, uint32_t index)
{
    uint16_t bit_offset = (uint16_t)(32 + 16 * position);

    form->fields[form->count++] = (struct template_field){ .bit_offset = bit_offset,
        .width = 16,
        .source = TEMPLATE_CONSTANT,
        .constant = plan_usid_of(form->layout, 0, type, index) };
    if (form->layout == PLAN_LAYOUT_ONE_BLOCK)
        form->fields[form->count++] = (struct template_field){
            .bit_offset = bit_offset, .width = 3, .source = TEMPLATE_PLANE
        };
}

/* Adds the uplink, which is the index of the switch above the leaf. */
static void put_uplink(struct form *form, uint32_t position)
{
    form->fields[form->count++] = (struct template_field){
        .bit_offset = (uint16_t)(32 + 16 * position + 6), .width = 10, .source = TEMPLATE_UPLINK
    };
}

static void template_between(
    const struct plan_nic *nic, struct place from, struct place to, struct path_template *template)
{
    struct form form = { .layout = plan_layout_for(nic->plane_count) };
    uint32_t position = 0;

    put_block(&form, nic->block);
    put_usid(&form, position++, PLAN_USID_LEAF, from.leaf);
    if (from.leaf != to.leaf) {
        put_usid(&form, position, PLAN_USID_SPINE, 0);
        put_uplink(&form, position++);
        put_usid(&form, position++, PLAN_USID_LEAF, to.leaf);
    }
    put_usid(&form, position, PLAN_USID_HOST, to.downlink);
    template_init(template, EV_FORMAT_SRV6, form.fields, form.count);
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
    template_between(nic, from, to, template);
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

/* Ports in a row of a switch of the plane, and what they lead to. */
struct row {
    enum plan_usid_type type;
    uint32_t first_port;
    uint32_t count;
};

static struct plan_range range_of(const struct plan *plan, uint32_t plane, struct row row)
{
    enum plan_layout layout = plan->graph.layout;

    return (struct plan_range){ .first_usid = plan_usid_of(layout, plane, row.type, 0),
        .last_usid = plan_usid_of(layout, plane, row.type, row.count - 1),
        .first_port = (uint16_t)row.first_port };
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
        ranges[count++] = range_of(plan, at.plane, (struct row){ PLAN_USID_LEAF, 0, port_count });
        return count;
    }
    if (port_count > host_ports)
        ranges[count++] = range_of(
            plan, at.plane, (struct row){ PLAN_USID_SPINE, host_ports, port_count - host_ports });
    ranges[count++] = range_of(plan, at.plane, (struct row){ PLAN_USID_HOST, 0, host_ports });
    return count;
}
