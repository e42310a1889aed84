/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of fat trees. */
#include "topology/topology_fat_tree.h"

#include "base/text.h"
#include "topology/topology.h"

/* Returns the largest divisor of `number` that is at most `most`. */
static uint32_t divisor_at_most(uint32_t number, uint32_t most)
{
    uint32_t divisor = most < number ? most : number;

    while (number % divisor)
        divisor--;
    return divisor;
}

/* Returns the smallest number of switches above that have enough ports, if each of `below` switches
 * shares `links` links equally among them; 0: not possible. */
static uint32_t tops_for(uint32_t below, uint32_t links, uint32_t ports)
{
    for (uint32_t tops = 1; tops <= links; tops++)
        if (links % tops == 0 && (uint64_t)below * (links / tops) <= ports)
            return tops;
    return 0;
}

static uint32_t leaves_of(const struct topology_fat_tree *tree)
{
    return tree->leaves_per_pod * tree->pods;
}

static uint32_t uplinks_of_leaf(const struct topology_fat_tree *tree)
{
    return tree->spines_per_pod * tree->leaf_links;
}

/* Returns how many links a spine has to cores. */
static uint32_t uplinks_of_spine(const struct topology_fat_tree *tree)
{
    return tree->tiers < 3 ? 0 : tree->cores / tree->spines_per_pod * tree->spine_links;
}

/* ---- full ------------------------------------------------------------------------------------ */

static bool make_two_tiers(struct topology_fat_tree *tree, uint32_t leaves, uint32_t uplinks)
{
    tree->tiers = 2;
    tree->pods = 1;
    tree->leaves_per_pod = leaves;
    tree->cores = 0;
    tree->spine_links = 1;
    tree->spines_per_pod = tops_for(leaves, uplinks, tree->ports);
    tree->leaf_links = tree->spines_per_pod ? uplinks / tree->spines_per_pod : 0;
    return tree->spines_per_pod > 0;
}

/* A spine has `upward` links to the cores of its column. */
static bool make_three_tiers(
    struct topology_fat_tree *tree, uint32_t pods, uint32_t uplinks, uint32_t upward)
{
    uint32_t column = tops_for(pods, upward, tree->ports);

    tree->tiers = 3;
    tree->pods = pods;
    tree->spines_per_pod = uplinks;
    tree->leaf_links = 1;
    tree->cores = column * uplinks;
    tree->spine_links = column ? upward / column : 0;
    return column > 0;
}

static bool make_full(struct topology_fat_tree *tree, uint32_t uplinks)
{
    uint32_t leaves = tree->nics / tree->hosts_per_leaf;
    uint32_t per_pod;

    if (make_two_tiers(tree, leaves, uplinks))
        return true;
    per_pod = divisor_at_most(leaves, tree->ports / 2);
    tree->leaves_per_pod = per_pod;
    return make_three_tiers(tree, leaves / per_pod, uplinks, per_pod);
}

static bool refuse_tree(char reason[static TOPOLOGY_REASON_BYTES], const char *words)
{
    struct text text = text_in(reason, TOPOLOGY_REASON_BYTES);

    text_add(&text, words);
    return false;
}

static bool refuse_size(
    const struct topology_fat_tree *tree, char reason[static TOPOLOGY_REASON_BYTES])
{
    struct text text = text_in(reason, TOPOLOGY_REASON_BYTES);
    const uint64_t numbers[] = { tree->ports, tree->host_bps / 1000000000, tree->nics };

    text_fill(&text,
        "three tiers of switches with % ports of % Gb/s, as fast as those of this fabric, do not "
        "connect % NICs; give switches more ports with fabric.radix",
        numbers);
    return false;
}

static uint32_t ports_of(const struct topology_config *config)
{
    uint32_t of_t0 = config->hosts_per_t0 + config->t1_count;

    if (config->radix)
        return config->radix;
    return of_t0 > config->t0_count ? of_t0 : config->t0_count;
}

bool topology_fat_tree_init(struct topology_fat_tree *tree, const struct topology_config *config,
    uint32_t nic_count, char reason[static TOPOLOGY_REASON_BYTES])
{
    uint32_t planes = config->plane_count;
    uint32_t ends = config->hosts_per_t0 + config->t1_count;
    uint32_t hosts;

    *tree = (struct topology_fat_tree){ .planes = planes,
        .ports = ports_of(config) / planes,
        .nics = nic_count,
        .rails = 1,
        .host_bps = planes * config->host_link.rate_bps,
        .uplink_bps = planes * config->uplink.rate_bps };
    if (planes < 2 || config->t1_count == 0)
        return refuse_tree(reason, "it needs several planes with two tiers, which MRC and UET use");
    hosts = tree->ports * config->hosts_per_t0 / ends;
    if (hosts > 0) {
        tree->hosts_per_leaf = divisor_at_most(nic_count, hosts);
        if (make_full(tree, (tree->hosts_per_leaf * config->t1_count + config->hosts_per_t0 - 1) /
                                config->hosts_per_t0))
            return true;
    }
    return refuse_size(tree, reason);
}

void topology_fat_tree_rail(struct topology_fat_tree *tree, uint32_t server_nics)
{
    tree->rails = divisor_at_most(leaves_of(tree), server_nics);
}

/* ---- equal budget ---------------------------------------------------------------------------- */

uint64_t topology_fat_tree_uplinks(const struct topology_fat_tree *tree)
{
    return (uint64_t)leaves_of(tree) * uplinks_of_leaf(tree) +
           (uint64_t)tree->pods * tree->spines_per_pod * uplinks_of_spine(tree);
}

/* Returns the number of links that the leaves of a pod have to other pods, or to each other. */
static uint32_t width_of(const struct topology_fat_tree *tree)
{
    uint32_t of_leaves = tree->leaves_per_pod * uplinks_of_leaf(tree);
    uint32_t of_spines = tree->spines_per_pod * uplinks_of_spine(tree);

    return tree->tiers == 2 || of_leaves < of_spines ? of_leaves : of_spines;
}

bool topology_fat_tree_thin(struct topology_fat_tree *tree,
    const struct topology_fat_tree_budget *budget, char reason[static TOPOLOGY_REASON_BYTES])
{
    struct topology_fat_tree best = { 0 };
    uint32_t upward_max = tree->tiers == 3 ? uplinks_of_spine(tree) : 1;

    for (uint32_t uplinks = uplinks_of_leaf(tree); uplinks > 0; uplinks--)
        for (uint32_t upward = upward_max; upward > 0; upward--) {
            struct topology_fat_tree thin = *tree;

            if (tree->tiers == 2 ? !make_two_tiers(&thin, leaves_of(tree), uplinks)
                                 : !make_three_tiers(&thin, tree->pods, uplinks, upward))
                continue;
            if (budget->permits(budget->context, &thin) &&
                (best.tiers == 0 || width_of(&thin) > width_of(&best)))
                best = thin;
        }
    if (best.tiers == 0)
        return refuse_tree(reason, "its fat tree costs more even with one uplink at each leaf");
    *tree = best;
    return true;
}

/* ---- components ------------------------------------------------------------------------------ */

static uint32_t leaf_of_nic(const struct topology_fat_tree *tree, uint32_t nic)
{
    return nic / (tree->rails * tree->hosts_per_leaf) * tree->rails + nic % tree->rails;
}

/* A T0 of each plane corresponds to another leaf of its NICs. */
static uint32_t leaf_of(const struct topology_fat_tree *tree, const struct topology_config *config,
    const struct topology_element *element)
{
    uint32_t nic = element->t0 * config->hosts_per_t0 +
                   element->plane * config->hosts_per_t0 / config->plane_count;

    return leaf_of_nic(tree, nic < tree->nics ? nic : tree->nics - 1);
}

bool topology_fat_tree_element(const struct topology_fat_tree *tree,
    const struct topology_config *config, const struct topology_element *element,
    struct topology_element *out, char reason[static TOPOLOGY_REASON_BYTES])
{
    uint32_t leaf = leaf_of(tree, config, element);
    uint32_t spines = tree->spines_per_pod * tree->pods;

    switch (element->kind) {
    case TOPOLOGY_NIC:
        *out = *element;
        return true;
    case TOPOLOGY_HOST_LINK:
        *out = (struct topology_element){ .kind = TOPOLOGY_HOST_LINK, .nic = element->nic };
        return true;
    case TOPOLOGY_T0:
        *out = (struct topology_element){ .kind = TOPOLOGY_SWITCH, .lower = { .index = leaf } };
        return true;
    case TOPOLOGY_T1:
        *out = (struct topology_element){ .kind = TOPOLOGY_SWITCH,
            .lower = {
                .tier = 1, .index = (element->plane * config->t1_count + element->t1) % spines } };
        return true;
    case TOPOLOGY_UPLINK:
        *out = (struct topology_element){ .kind = TOPOLOGY_LINK,
            .lower = { .index = leaf },
            .upper = { .tier = 1,
                .index = leaf / tree->leaves_per_pod * tree->spines_per_pod +
                         element->t1 % tree->spines_per_pod } };
        return true;
    default:
        return refuse_tree(reason, "a fat tree has no counterpart of it");
    }
}
