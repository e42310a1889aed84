/* SPDX-License-Identifier: Apache-2.0 */
/* Describes limits by links, windows and messages in sentences. */
#include "result/result_limits.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "result/units_text.h"

#define SENTENCE_BYTES 200
#define TOP_MAX        4 /* links named */
#define HEADER_BYTES   128
#define PSNS_PER_MPR   128

__attribute__((format(printf, 2, 3))) static void add_sentence(
    json_t *sentences, const char *format, ...)
{
    char sentence[SENTENCE_BYTES];
    va_list values;

    va_start(values, format);
    vsnprintf(sentence, sizeof(sentence), format, values);
    va_end(values);
    json_array_append_new(sentences, json_string(sentence));
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- names of links -------------------------------------------------------------------------- */

static bool is_plural(const struct capacity_name *name)
{
    return name->plane_links > 1 || (name->plane_mask & (name->plane_mask - 1));
}

static uint32_t only_plane(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

/* "h3.p0", "the links of h3", "2 links of h3". */
static void name_host_link(
    const struct capacity_name *name, const struct topology *topology, char *out, size_t room)
{
    uint32_t planes = (uint32_t)__builtin_popcount(name->plane_mask);
    const char *way = name->goes_up ? "out of" : "into";
    uint32_t nic = name->link.nic;

    if (planes == 1)
        snprintf(out, room, "the link %s h%" PRIu32 ".p%" PRIu32, way, nic,
            only_plane(name->plane_mask));
    else if (planes == topology->config.plane_count)
        snprintf(out, room, "the links %s h%" PRIu32, way, nic);
    else
        snprintf(out, room, "%" PRIu32 " of the links %s h%" PRIu32, planes, way, nic);
}

/* Finds the switch that the link leads up from. Returns the number of its uplinks. */
static uint32_t name_leaf(const struct topology *topology, const struct topology_element *link,
    char out[static TOPOLOGY_NAME_BYTES])
{
    struct topology_end lower = { 0 };
    struct topology_end upper;
    struct topology_element leaf;
    uint32_t number = 0;

    topology_link_of(topology, link, 0, &lower, &upper);
    leaf = topology_switch_at(topology, lower.node);
    topology_name(&leaf, out);
    topology_leaf_below(topology, link, &number);
    return topology_leaf_uplink_count(topology, leaf.plane, number);
}

/* "all uplinks of p0.t0.1", "3 of 4 uplinks of t0.1 in 2 planes". */
static void name_uplinks(
    const struct capacity_name *name, const struct topology *topology, char *out, size_t room)
{
    uint32_t planes = (uint32_t)__builtin_popcount(name->plane_mask);
    const char *way = name->goes_up ? "up from" : "down to";
    char leaf[TOPOLOGY_NAME_BYTES];
    uint32_t uplink_count = name_leaf(topology, &name->link, leaf);
    char which[40];

    if (name->plane_links == uplink_count)
        snprintf(which, sizeof(which), "all uplinks");
    else
        snprintf(which, sizeof(which), "%" PRIu32 " of %" PRIu32 " uplinks", name->plane_links,
            uplink_count);
    if (planes == 1)
        snprintf(out, room, "%s %s %s", which, way, leaf);
    else /* the name without its plane */
        snprintf(out, room, "%s %s %s in %s%" PRIu32 " planes", which, way, strchr(leaf, '.') + 1,
            planes == topology->config.plane_count ? "all " : "", planes);
}

static void name_limit(
    const struct capacity_name *name, const struct topology *topology, char *out, size_t room)
{
    bool is_uplink = topology_is_uplink(name->link.kind);
    char link[TOPOLOGY_NAME_BYTES];

    topology_name(&name->link, link);
    if (name->link.kind == TOPOLOGY_HOST_LINK)
        name_host_link(name, topology, out, room);
    else if (is_plural(name))
        name_uplinks(name, topology, out, room);
    else
        snprintf(out, room, "the %s %s (%s)", is_uplink ? "uplink" : "link", link,
            name->goes_up ? "up" : "down");
}

/* ---- links ----------------------------------------------------------------------------------- */

static void add_link(
    json_t *sentences, const struct result_capacity *capacity, const struct capacity_limit *limit)
{
    const struct topology *topology = &capacity->plan->sim->fabric->topology;
    const struct capacity_pair *pair = &capacity->track.pairs[limit->flow];
    bool are_many = is_plural(&limit->name);
    struct units_text rate = units_text(UNITS_RATE, limit->bps);
    struct units_text healthy = units_text(UNITS_RATE, limit->healthy_bps);
    char whose[64];
    char name[128];

    name_limit(&limit->name, topology, name, sizeof(name));
    if (limit->flow_count == 1)
        snprintf(whose, sizeof(whose), "the flow from h%" PRIu32 " to h%" PRIu32, pair->from_nic,
            pair->to_nic);
    else
        snprintf(whose, sizeof(whose), "%" PRIu32 " flows", limit->flow_count);
    if (limit->bps < limit->healthy_bps)
        add_sentence(sentences, "%s carr%s %s instead of %s and limit%s %s", name,
            are_many ? "y" : "ies", rate.at, healthy.at, are_many ? "" : "s", whose);
    else
        add_sentence(sentences, "%s limit%s %s", name, are_many ? "" : "s", whose);
}

/* A healthy link that limits only its own flow is not reported. */
static bool is_worth_telling(const struct capacity_limit *limit, const struct topology *topology)
{
    char leaf[TOPOLOGY_NAME_BYTES];

    return limit->flow_count > 1 || limit->bps < limit->healthy_bps ||
           (topology_is_uplink(limit->name.link.kind) &&
               limit->name.plane_links < name_leaf(topology, &limit->name.link, leaf));
}

static void add_links(
    json_t *sentences, const struct result_capacity *capacity, const struct capacity_limits *limits)
{
    const struct topology *topology = &capacity->plan->sim->fabric->topology;
    uint32_t by_hosts = limits->flow_count - limits->cut_off - limits->by_uplinks;

    if (limits->cut_off)
        add_sentence(sentences, "%" PRIu32 " of %" PRIu32 " flows ha%s no path that works",
            limits->cut_off, limits->flow_count, limits->cut_off == 1 ? "s" : "ve");
    for (uint32_t i = 0; i < limits->top_count && i < TOP_MAX; i++)
        if (is_worth_telling(&limits->top[i], topology))
            add_link(sentences, capacity, &limits->top[i]);
    if (limits->by_uplinks)
        add_sentence(sentences, "%s limit %" PRIu32 " of %" PRIu32 " flow%s",
            topology->graph ? "links between switches" : "uplinks", limits->by_uplinks,
            limits->flow_count, plural(limits->flow_count));
    if (by_hosts)
        add_sentence(sentences, "host links limit %" PRIu32 " of %" PRIu32 " flow%s", by_hosts,
            limits->flow_count, plural(limits->flow_count));
}

/* ---- windows and messages -------------------------------------------------------------------- */

static uint64_t bdp_bytes(const struct topology *topology)
{
    uint64_t nic_bps = topology->config.host_link.rate_bps * topology->config.plane_count;

    return nic_bps / 1000000 * (topology->base_rtt_ps / 1000) / 8000;
}

static void add_workload(
    json_t *sentences, const struct result_capacity *capacity, const struct sim_workload *workload)
{
    const struct sim_config *config = capacity->plan->sim;
    uint64_t pmtu = config->parameters.pmtu;
    uint64_t bdp = bdp_bytes(&config->fabric->topology);
    uint64_t bdp_packets = (bdp + pmtu + HEADER_BYTES - 1) / (pmtu + HEADER_BYTES);
    uint32_t window = sim_window_psns(capacity->track.sim);
    uint64_t posted = workload->message_bytes * workload->outstanding * workload->qps;

    if ((uint64_t)window * workload->qps < bdp_packets)
        add_sentence(sentences,
            "%s: the window of %" PRIu32 " packets (mpr %" PRIu32 ") times %" PRIu32
            " QP%s is below the bandwidth-delay product of %" PRIu64 " packets",
            workload->name, window, window / PSNS_PER_MPR, workload->qps, plural(workload->qps),
            bdp_packets);
    if (sim_workload_is(workload->kind, SIM_STEADY) && posted < bdp)
        add_sentence(sentences,
            "%s: %" PRIu64 " bytes posted at once are below the bandwidth-delay product of %" PRIu64
            " bytes",
            workload->name, posted, bdp);
}

json_t *result_limits(const struct result_capacity *capacity, const struct capacity_limits *limits)
{
    const struct sim_config *config = capacity->plan->sim;
    json_t *sentences = json_array();

    if (capacity->gap)
        return sentences;
    for (uint32_t i = 0; i < config->workload_count; i++)
        add_workload(sentences, capacity, &config->workloads[i]);
    if (limits->flow_count)
        add_links(sentences, capacity, limits);
    return sentences;
}
