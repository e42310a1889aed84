/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the combinations of families of topologies, and sizes each. */
#include "study/search_topology.h"

#include <stdio.h>
#include <stdlib.h>

struct listing {
    struct yaml *yaml;
    const struct prices *prices;
    struct size_site site;
    uint64_t usual_switch_bps;
    struct search_topologies *out;
};

/* ---- one topology ---------------------------------------------------------------------------- */

/* `n` of a ZCube is known when it is sized; 0: it cannot be built. */
static void name_topology(const struct listing *listing, const struct size_request *request,
    uint32_t n, char name[static SEARCH_NAME_BYTES])
{
    char chip[32] = "";

    if (request->switch_bps != listing->usual_switch_bps)
        snprintf(chip, sizeof(chip), " %gT", (double)request->switch_bps / 1e12);
    if (request->kind == SIZE_ZCUBE && n == 0)
        snprintf(name, SEARCH_NAME_BYTES, "zcube k=%u%s", request->tiers, chip);
    else if (request->kind == SIZE_ZCUBE)
        snprintf(name, SEARCH_NAME_BYTES, "zcube(%u,%u)%s", n, request->tiers, chip);
    else
        snprintf(name, SEARCH_NAME_BYTES, "clos %u tiers %u x %gG %g:1%s", request->tiers,
            request->planes, (double)request->nic_bps / request->planes / 1e9,
            request->oversubscription / (double)SIZE_EVEN, chip);
}

static void add_refusal(
    struct listing *listing, const struct size_request *request, const char *reason)
{
    struct search_topologies *out = listing->out;
    struct search_refusal *refusal = &out->refused[out->refused_count];

    if (out->refused_count == SEARCH_REFUSALS_MAX)
        return;
    out->refused_count++;
    name_topology(listing, request, 0, refusal->name);
    snprintf(refusal->reason, sizeof(refusal->reason), "%s", reason);
}

static bool tiers_are_equal(const struct size_fabric *a, const struct size_fabric *b)
{
    for (uint32_t i = 0; i < a->tier_count; i++) {
        const struct size_tier *one = &a->tiers[i];
        const struct size_tier *other = &b->tiers[i];

        if (one->switches != other->switches || one->host_links != other->host_links ||
            one->up_links != other->up_links || one->host_ports != other->host_ports ||
            one->down_ports != other->down_ports || one->up_ports != other->up_ports ||
            one->units != other->units || one->parallel != other->parallel)
            return false;
    }
    return true;
}

static const char *find_same(const struct listing *listing, const struct size_fabric *fabric)
{
    for (uint32_t i = 0; i < listing->out->count; i++) {
        const struct size_fabric *other = &listing->out->at[i].fabric;

        if (other->request.kind == fabric->request.kind &&
            other->request.switch_bps == fabric->request.switch_bps &&
            other->plane_count == fabric->plane_count && other->tier_count == fabric->tier_count &&
            tiers_are_equal(other, fabric))
            return listing->out->at[i].name;
    }
    return NULL;
}

/* Returns false with a reason if there is no use in simulating the fabric. */
static bool may_simulate(const struct listing *listing, const struct size_fabric *fabric,
    char reason[static SIZE_REASON_BYTES])
{
    const char *same = find_same(listing, fabric);
    struct graph_parameters graph;

    if (!size_graph(fabric, &graph))
        snprintf(reason, SIZE_REASON_BYTES, "one switch of a plane connects all NICs");
    else if (fabric->request.kind == SIZE_CLOS && fabric->tiers[fabric->tier_count - 1].units == 1)
        snprintf(reason, SIZE_REASON_BYTES, "its highest tier would connect a single unit");
    else if (same)
        snprintf(reason, SIZE_REASON_BYTES, "it is the same as %s", same);
    else
        return true;
    return false;
}

/* Sizes with this number of hosts of a leaf (0: as many as fit), and takes the fabric if it costs
 * less than the one that `topology` has. */
static bool try_leaf(const struct listing *listing, const struct size_request *request,
    uint32_t hosts, struct search_topology *topology, char reason[static SIZE_REASON_BYTES])
{
    struct size_request with = *request;
    struct size_fabric fabric;
    struct size_bill bill;

    with.hosts_per_leaf = hosts;
    if (!size_solve(&with, &fabric, reason) || !may_simulate(listing, &fabric, reason))
        return false;
    size_bill_make(&fabric, &listing->site, listing->prices, &bill);
    if (topology->fabric.tier_count == 0 || bill.usd.most < topology->usd.most) {
        topology->fabric = fabric;
        topology->usd = bill.usd;
        topology->watts = bill.watts;
    }
    return true;
}

/* Full leaves may have a number of uplinks that few spines cannot share, so smaller leaves can cost
 * less. */
static void add_topology(struct listing *listing, const struct size_request *request)
{
    struct search_topologies *out = listing->out;
    struct search_topology *topology = &out->at[out->count];
    uint64_t most = request->kind == SIZE_CLOS ? request->switch_bps / request->lane_bps : 0;
    char reason[SIZE_REASON_BYTES];
    char ignored[SIZE_REASON_BYTES];

    topology->fabric.tier_count = 0;
    try_leaf(listing, request, 0, topology, reason);
    for (uint32_t hosts = 1; hosts <= most && hosts <= request->gpus; hosts++)
        try_leaf(listing, request, hosts, topology, ignored);
    if (topology->fabric.tier_count == 0) {
        add_refusal(listing, request, reason);
        return;
    }
    name_topology(
        listing, &topology->fabric.request, topology->fabric.tiers[0].units, topology->name);
    out->count++;
}

/* ---- families -------------------------------------------------------------------------------- */

enum { VALUES_MAX = 16 };

struct values {
    uint64_t at[VALUES_MAX];
    uint32_t count;
};

/* A family as the file has it: each member a value or a list of values. NULL: not given. */
struct family {
    int shape;
    const struct yaml_node *planes;
    const struct yaml_node *tiers;
    const struct yaml_node *oversubscription;
    const struct yaml_node *switches;
    const struct yaml_node *k;
};

static const enum size_kind shape_kinds[] = { SIZE_CLOS, SIZE_ZCUBE };
static const char *const shape_words[] = { "clos", "zcube", NULL };

/* clang-format off */
static const struct yaml_field family_fields[] = {
    { .key = "shape", .type = YAML_WORD, .offset = offsetof(struct family, shape), .words = shape_words },
    { .key = "planes", .type = YAML_ANY, .offset = offsetof(struct family, planes) },
    { .key = "tiers", .type = YAML_ANY, .offset = offsetof(struct family, tiers) },
    { .key = "oversubscription", .type = YAML_ANY, .offset = offsetof(struct family, oversubscription) },
    { .key = "switch", .type = YAML_ANY, .offset = offsetof(struct family, switches) },
    { .key = "k", .type = YAML_ANY, .offset = offsetof(struct family, k) },
    { .key = NULL },
};
/* clang-format on */

static bool read_one(struct yaml *yaml, const struct yaml_node *node,
    const struct yaml_field *field, struct values *values)
{
    uint64_t value = 0;

    if (values->count == VALUES_MAX)
        return yaml_complain(yaml, node, "more than %d values", VALUES_MAX);
    if (!yaml_read_value(yaml, node, field, &value))
        return false;
    values->at[values->count++] = value;
    return true;
}

/* Reads a value or a list of values; without a node, the usual value is the only one. */
static bool read_values(struct yaml *yaml, const struct yaml_node *node,
    const struct yaml_field *field, uint64_t usual, struct values *values)
{
    *values = (struct values){ .at = { usual }, .count = node ? 0 : 1 };
    if (!node)
        return true;
    if (node->kind != YAML_SEQUENCE)
        return read_one(yaml, node, field, values);
    for (const struct yaml_node *child = node->first; child; child = child->next)
        if (!read_one(yaml, child, field, values))
            return false;
    return values->count > 0 || yaml_complain(yaml, node, "the list is empty; give a value");
}

/* Ratios may have decimals: 1.5 is 1,500 thousandths. */
static bool read_ratios(struct yaml *yaml, const struct yaml_node *node, struct values *values)
{
    const struct yaml_node *child = node && node->kind == YAML_SEQUENCE ? node->first : node;

    *values = (struct values){ .at = { SIZE_EVEN }, .count = node ? 0 : 1 };
    for (; child; child = node->kind == YAML_SEQUENCE ? child->next : NULL) {
        char *end = NULL;
        double ratio = child->kind == YAML_SCALAR ? strtod(child->text, &end) : 0;

        if (!end || *end || !(ratio >= 1 && ratio <= 64) || values->count == VALUES_MAX)
            return yaml_complain(yaml, child, "give up to %d numbers from 1 to 64", VALUES_MAX);
        values->at[values->count++] = (uint64_t)(ratio * SIZE_EVEN + 0.5);
    }
    return values->count > 0 || yaml_complain(yaml, node, "the list is empty; give a value");
}

/* All values of a family, by dimension. */
struct dimensions {
    struct values planes;
    struct values tiers;
    struct values ratios;
    struct values switches;
};

static bool read_dimensions(struct yaml *yaml, const struct family *family,
    const struct size_request *base, struct dimensions *out)
{
    const struct yaml_field planes = { .type = YAML_NUMBER, .least = 1, .most = GRAPH_PLANES_MAX };
    const struct yaml_field tiers = { .type = YAML_NUMBER, .least = 1, .most = SIZE_TIERS_MAX };
    const struct yaml_field levels = { .type = YAML_NUMBER, .least = 2, .most = 3 };
    const struct yaml_field rate = {
        .type = YAML_RATE, .least = 1000000, .most = UINT64_C(1000000000000000)
    };
    bool is_zcube = shape_kinds[family->shape] == SIZE_ZCUBE;

    return read_values(yaml, family->planes, &planes, base->planes, &out->planes) &&
           read_values(yaml, is_zcube ? family->k : family->tiers, is_zcube ? &levels : &tiers,
               is_zcube ? 2 : 0, &out->tiers) &&
           read_ratios(yaml, family->oversubscription, &out->ratios) &&
           read_values(yaml, family->switches, &rate, base->switch_bps, &out->switches);
}

static bool check_keys(struct yaml *yaml, const struct yaml_node *node, const struct family *family)
{
    static const char *const of_clos[] = { "planes", "tiers", "oversubscription" };

    if (shape_kinds[family->shape] != SIZE_ZCUBE)
        return !family->k || yaml_complain_key(yaml, family->k, "only a zcube has it");
    for (size_t i = 0; i < sizeof(of_clos) / sizeof(of_clos[0]); i++) {
        const struct yaml_node *member = yaml_member(node, of_clos[i]);

        if (member)
            return yaml_complain_key(yaml, member, "a zcube does not have it; give k");
    }
    return true;
}

static void add_family(struct listing *listing, const struct size_request *base,
    enum size_kind kind, const struct dimensions *of)
{
    uint64_t combinations =
        (uint64_t)of->planes.count * of->tiers.count * of->ratios.count * of->switches.count;

    for (uint64_t i = 0; i < combinations && listing->out->count < SEARCH_TOPOLOGIES_MAX; i++) {
        struct size_request request = *base;
        uint64_t rest = i;

        request.kind = kind;
        request.oversubscription = (uint32_t)of->ratios.at[rest % of->ratios.count];
        rest /= of->ratios.count;
        request.tiers = (uint32_t)of->tiers.at[rest % of->tiers.count];
        rest /= of->tiers.count;
        request.planes = (uint32_t)of->planes.at[rest % of->planes.count];
        request.switch_bps = of->switches.at[rest / of->planes.count];
        add_topology(listing, &request);
    }
}

static bool read_family(
    struct listing *listing, const struct yaml_node *node, const struct size_request *base)
{
    struct family family = { 0 };
    struct dimensions dimensions;

    if (!yaml_require(listing->yaml, node, "shape") ||
        !yaml_read(listing->yaml, node, family_fields, &family) ||
        !check_keys(listing->yaml, node, &family) ||
        !read_dimensions(listing->yaml, &family, base, &dimensions))
        return false;
    add_family(listing, base, shape_kinds[family.shape], &dimensions);
    return listing->out->count < SEARCH_TOPOLOGIES_MAX ||
           yaml_complain(listing->yaml, node, "more than %d topologies; give fewer values",
               SEARCH_TOPOLOGIES_MAX - 1);
}

bool search_topology_read(struct yaml *yaml, const struct yaml_node *families,
    const struct size_request *base, const struct prices *prices, struct search_topologies *out)
{
    struct listing listing = {
        .yaml = yaml, .prices = prices, .usual_switch_bps = base->switch_bps, .out = out
    };

    size_site_init(&listing.site);
    out->count = out->refused_count = 0;
    for (const struct yaml_node *node = families->first; node; node = node->next)
        if (!read_family(&listing, node, base))
            return false;
    if (out->count > 0)
        return true;
    return yaml_complain(yaml, families, "none of them can be built; %s: %s",
        out->refused_count ? out->refused[0].name : "the list is empty",
        out->refused_count ? out->refused[0].reason : "give a family");
}
