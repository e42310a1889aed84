/* SPDX-License-Identifier: Apache-2.0 */
/* For networks too large for a linear program: an upper bound, and its largest possible error.
 *
 * The bound merges all links of a NIC, and all uplinks of a leaf, into one link each; if a graph
 * has no leaves, only links of NICs count. A flow gets at most what its paths could carry alone.
 * Every solution in the fabric is a solution there, so the max-min rates of the bound are not too
 * low. Splitting these rates over the flow's paths in the fabric overloads some links. The worst
 * overload tells by how much rates must be reduced so that they surely fit. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "capacity/capacity_bounds.h"

#define NO_BUNDLE UINT32_MAX

enum { TURNS = 60 }; /* rounds that move load away from overloaded links */

/* ---- the upper bound ------------------------------------------------------------------------- */

/* The links of one NIC, or the uplinks of one leaf, in one direction. */
struct bundle {
    uint32_t *of_link; /* by link of the fabric */
    double *bps;       /* by bundle */
    uint32_t count;
};

/* All paths of a pair that leave a leaf use one of its uplinks. */
static uint32_t place_of(const struct topology *topology, const struct capacity_name *name)
{
    uint32_t leaf;

    if (name->link.kind == TOPOLOGY_HOST_LINK)
        return 2 * name->link.nic + !name->goes_up;
    if (!topology_leaf_below(topology, &name->link, &leaf))
        return NO_BUNDLE;
    return 2 * (topology->nic_count + leaf) + !name->goes_up;
}

static void make_bundles(
    struct bundle *bundle, const struct topology *topology, const struct capacity_fabric *network)
{
    bundle->count = 2 * (topology->nic_count + topology_leaf_count(topology));
    for (uint32_t link = 0; link < network->input.link_count; link++) {
        bundle->of_link[link] = place_of(topology, &network->names[link]);
        if (bundle->of_link[link] != NO_BUNDLE)
            bundle->bps[bundle->of_link[link]] += network->input.link_bps[link];
    }
}

/* Returns the rate of a flow without other flows. Each link at both ends counts once. */
static double alone_bps(
    const struct capacity_input *input, const struct capacity_flow *flow, double *left)
{
    double sum = 0;

    for (uint32_t p = 0; p < flow->path_count; p++) {
        const struct capacity_path *path = &input->paths[flow->first_path + p];

        for (uint32_t i = 0; i < path->hop_count; i++)
            left[input->hops[path->first_hop + i]] =
                input->link_bps[input->hops[path->first_hop + i]];
    }
    for (uint32_t p = 0; p < flow->path_count; p++) {
        const struct capacity_path *path = &input->paths[flow->first_path + p];
        double most = (double)INFINITY;

        for (uint32_t i = 0; i < path->hop_count; i++)
            most = fmin(most, left[input->hops[path->first_hop + i]]);
        for (uint32_t i = 0; i < path->hop_count; i++)
            left[input->hops[path->first_hop + i]] -= most;
        sum += most * path->payload_share;
    }
    return sum;
}

/* Returns the payload share of the path with the shortest headers. */
static double best_payload_share(
    const struct capacity_input *input, const struct capacity_flow *flow)
{
    double best = 0;

    for (uint32_t p = flow->first_path; p < flow->first_path + flow->path_count; p++)
        best = fmax(best, input->paths[p].payload_share);
    return best;
}

struct coarse {
    struct capacity_flow *flows;
    struct capacity_path *paths;
    uint32_t *hops;
    double *left;
    struct bundle bundle;
};

static void coarse_free(struct coarse *coarse)
{
    free(coarse->flows);
    free(coarse->paths);
    free(coarse->hops);
    free(coarse->left);
    free(coarse->bundle.of_link);
    free(coarse->bundle.bps);
}

static int coarse_take(
    struct coarse *coarse, const struct topology *topology, const struct capacity_input *input)
{
    *coarse = (struct coarse){ 0 };
    coarse->flows = calloc(input->flow_count + 1, sizeof(*coarse->flows));
    coarse->paths = calloc(input->flow_count + 1, sizeof(*coarse->paths));
    coarse->hops = calloc(input->hop_count + 1, sizeof(*coarse->hops));
    coarse->left = calloc(input->link_count + 1, sizeof(*coarse->left));
    coarse->bundle.of_link = calloc(input->link_count + 1, sizeof(uint32_t));
    coarse->bundle.bps =
        calloc(2 * (size_t)(topology->nic_count + topology_leaf_count(topology)), sizeof(double));
    if (coarse->flows && coarse->paths && coarse->hops && coarse->left && coarse->bundle.of_link &&
        coarse->bundle.bps)
        return 0;
    coarse_free(coarse);
    return -ENOMEM;
}

/* Puts every flow on one path: its first path, bundle by bundle. */
static struct capacity_input coarse_input(struct coarse *coarse, const struct capacity_input *input)
{
    uint32_t hop_count = 0;

    for (uint32_t f = 0; f < input->flow_count; f++) {
        const struct capacity_flow *from = &input->flows[f];
        const struct capacity_path *path = &input->paths[from->first_path];

        coarse->flows[f] = *from;
        coarse->flows[f].first_path = f;
        coarse->flows[f].path_count = from->path_count > 0;
        if (from->path_count == 0)
            continue;
        coarse->flows[f].limit_bps = alone_bps(input, from, coarse->left);
        coarse->paths[f] = (struct capacity_path){ .first_hop = hop_count,
            .payload_share = best_payload_share(input, from) };
        for (uint32_t i = 0; i < path->hop_count; i++) {
            uint32_t bundle = coarse->bundle.of_link[input->hops[path->first_hop + i]];

            if (bundle != NO_BUNDLE)
                coarse->hops[hop_count++] = bundle;
        }
        coarse->paths[f].hop_count = hop_count - coarse->paths[f].first_hop;
    }
    return (struct capacity_input){ .link_bps = coarse->bundle.bps,
        .link_count = coarse->bundle.count,
        .flows = coarse->flows,
        .flow_count = input->flow_count,
        .paths = coarse->paths,
        .path_count = input->flow_count,
        .hops = coarse->hops,
        .hop_count = hop_count };
}

/* ---- the largest error ----------------------------------------------------------------------- */

struct fitting {
    const struct capacity_input *input;
    const double *flow_bps;
    double *share; /* share of each path in the rate of its flow */
    double *load;  /* of each link, relative to its rate */
};

/* Splits each flow in proportion to the rate of the narrowest link of each path. */
static void share_out(struct fitting *fitting)
{
    const struct capacity_input *input = fitting->input;

    for (uint32_t f = 0; f < input->flow_count; f++) {
        const struct capacity_flow *flow = &input->flows[f];
        double sum = 0;

        for (uint32_t p = flow->first_path; p < flow->first_path + flow->path_count; p++) {
            double narrowest = (double)INFINITY;

            for (uint32_t i = 0; i < input->paths[p].hop_count; i++)
                narrowest =
                    fmin(narrowest, input->link_bps[input->hops[input->paths[p].first_hop + i]]);
            fitting->share[p] = narrowest;
            sum += narrowest;
        }
        for (uint32_t p = flow->first_path; p < flow->first_path + flow->path_count; p++)
            fitting->share[p] /= sum;
    }
}

static double load_links(struct fitting *fitting)
{
    const struct capacity_input *input = fitting->input;
    double worst = 0;

    for (uint32_t link = 0; link < input->link_count; link++)
        fitting->load[link] = 0;
    for (uint32_t f = 0; f < input->flow_count; f++) {
        const struct capacity_flow *flow = &input->flows[f];

        for (uint32_t p = flow->first_path; p < flow->first_path + flow->path_count; p++)
            for (uint32_t i = 0; i < input->paths[p].hop_count; i++)
                fitting->load[input->hops[input->paths[p].first_hop + i]] +=
                    fitting->share[p] * fitting->flow_bps[f] / input->paths[p].payload_share;
    }
    for (uint32_t link = 0; link < input->link_count; link++)
        if (input->link_bps[link] > 0) {
            fitting->load[link] /= input->link_bps[link];
            worst = fmax(worst, fitting->load[link]);
        }
    return worst;
}

/* Reduces the share of a path with the load of its fullest link. */
static void move_load(struct fitting *fitting)
{
    const struct capacity_input *input = fitting->input;

    for (uint32_t f = 0; f < input->flow_count; f++) {
        const struct capacity_flow *flow = &input->flows[f];
        double sum = 0;

        for (uint32_t p = flow->first_path; p < flow->first_path + flow->path_count; p++) {
            double fullest = 0;

            for (uint32_t i = 0; i < input->paths[p].hop_count; i++)
                fullest = fmax(fullest, fitting->load[input->hops[input->paths[p].first_hop + i]]);
            fitting->share[p] /= fmax(fullest, 0.5);
            sum += fitting->share[p];
        }
        for (uint32_t p = flow->first_path; p < flow->first_path + flow->path_count; p++)
            fitting->share[p] /= sum;
    }
}

static int find_error(const struct capacity_input *input, struct capacity_rates *rates)
{
    struct fitting fitting = { .input = input,
        .flow_bps = rates->flow_bps,
        .share = calloc(input->path_count + 1, sizeof(double)),
        .load = calloc(input->link_count + 1, sizeof(double)) };
    double least = (double)INFINITY;
    bool has_memory = fitting.share && fitting.load;

    if (has_memory)
        share_out(&fitting);
    for (uint32_t turn = 0; has_memory && turn < TURNS; turn++) {
        least = fmin(least, load_links(&fitting));
        move_load(&fitting);
    }
    rates->error = least > 1 ? 1 - 1 / least : 0;
    free(fitting.share);
    free(fitting.load);
    return has_memory ? 0 : -ENOMEM;
}

/* The limits are those of the bound: the first link of a bundle represents it. */
static void name_limits(
    const struct coarse *coarse, const struct capacity_input *input, struct capacity_rates *rates)
{
    for (uint32_t f = 0; f < rates->flow_count; f++)
        for (uint32_t i = 0; i < rates->limit_count[f]; i++) {
            uint32_t *limit = &rates->limits[rates->first_limit[f] + i];
            const struct capacity_path *path = &input->paths[input->flows[f].first_path];

            for (uint32_t hop = 0; hop < path->hop_count; hop++)
                if (coarse->bundle.of_link[input->hops[path->first_hop + hop]] == *limit) {
                    *limit = input->hops[path->first_hop + hop];
                    break;
                }
        }
}

int capacity_bounds_solve(const struct topology *topology, const struct capacity_fabric *network,
    struct capacity_rates *rates)
{
    const struct capacity_input *input = &network->input;
    struct capacity_input single;
    struct coarse coarse;
    int err = coarse_take(&coarse, topology, input);

    if (err)
        return err;
    make_bundles(&coarse.bundle, topology, network);
    single = coarse_input(&coarse, input);
    err = capacity_solve(&single, rates);
    if (err)
        goto free_coarse;
    rates->method = CAPACITY_BOUNDS;
    rates->effort += (uint64_t)TURNS * input->hop_count;
    name_limits(&coarse, input, rates);
    err = find_error(input, rates);
    if (err)
        capacity_rates_fini(rates);

free_coarse:
    coarse_free(&coarse);
    return err;
}
