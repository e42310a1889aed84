/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the new fabric, and renames what fails. */
#include "study/study_refit.h"

#include <stdio.h>
#include <string.h>

#include "study/study_cost.h"

enum { SERVER_NICS = 8 }; /* of the servers that users of rails build */

struct refitting {
    struct study_refit *refit;
    struct yaml *yaml;
    const struct topology *planes; /* the fabric of the experiment */
};

/* ---- what cannot be refitted ----------------------------------------------------------------- */

/* The sweep applies its values to the new fabric, which has other keys. */
static bool check_sweep(struct yaml *yaml, const struct yaml_node *top)
{
    for (uint32_t i = 0; i < experiment_sweep_count(top); i++) {
        const struct yaml_node *entry = experiment_sweep_entry(top, i);

        for (const struct yaml_node *node = entry ? entry->first : NULL; node; node = node->next)
            if (node->key && strncmp(node->key, "fabric", strlen("fabric")) == 0)
                return yaml_complain_key(
                    yaml, node, "the fabric of all cases must be the same to be replaced");
    }
    return true;
}

static bool check_fabric(struct yaml *yaml, const struct yaml_node *fabric)
{
    static const char *const refused[] = { "shape", "exceptions", "failure_groups" };

    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        const struct yaml_node *node = yaml_member(fabric, refused[i]);

        if (node)
            return yaml_complain_key(yaml, node,
                "a fabric with this key cannot be replaced by a "
                "fat tree; compare on the same fabric");
    }
    return true;
}

/* ---- fabric ---------------------------------------------------------------------------------- */

/* Writes what the fat tree is built from. */
static struct yaml_node *parse_shape(struct yaml *yaml, const struct topology_fat_tree *fat_tree,
    const struct topology_config *config)
{
    enum { TEXT_BYTES = 512 };
    static const char source[] = "fat tree";
    char text[TEXT_BYTES];
    char cores[TEXT_BYTES / 4] = "";

    if (fat_tree->tiers == 3)
        snprintf(cores, sizeof(cores), "pods: %u, cores: %u, spine_links: %u, ", fat_tree->pods,
            fat_tree->cores, fat_tree->spine_links);
    snprintf(text, sizeof(text),
        "{ shape: clos, tiers: %u, hosts_per_leaf: %u, leaves_per_pod: %u, spines_per_pod: %u, "
        "leaf_links: %u, rails: %u, %shost_link: { rate: %llub/s, delay: %llups }, "
        "uplink: { rate: %llub/s, delay: %llups } }",
        fat_tree->tiers, fat_tree->hosts_per_leaf, fat_tree->leaves_per_pod,
        fat_tree->spines_per_pod, fat_tree->leaf_links, fat_tree->rails, cores,
        (unsigned long long)fat_tree->host_bps, (unsigned long long)config->host_link.delay_ps,
        (unsigned long long)fat_tree->uplink_bps, (unsigned long long)config->uplink.delay_ps);
    return yaml_parse(yaml, source, text, strlen(text), false);
}

/* A port replaces one of each plane, and has their buffers. */
static void scale_buffers(
    const struct refitting *refitting, struct yaml_node *buffers, uint32_t planes)
{
    const struct topology_buffers *given = &refitting->planes->config.buffers;
    const struct {
        const char *key;
        uint32_t bytes;
    } sizes[] = { { "data", given->data_bytes }, { "host_data", given->host_data_bytes },
        { "control", given->control_bytes }, { "red_min", given->red_min_bytes },
        { "red_max", given->red_max_bytes } };

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct yaml_node *node = (struct yaml_node *)yaml_member(buffers, sizes[i].key);
        char text[24];

        if (!node)
            continue;
        snprintf(text, sizeof(text), "%llu", (unsigned long long)sizes[i].bytes * planes);
        node->text = yaml_text(refitting->yaml, text, strlen(text));
    }
}

static bool put_fabric(
    const struct refitting *refitting, struct yaml_node *top, const struct yaml_node *before)
{
    static const char *const kept[] = { "name", "version", "switch_latency", "nic_latency",
        "framing", "cut_through", "usid_block", "buffers" };
    const struct topology_fat_tree *fat_tree = &refitting->refit->fat_tree;
    struct yaml *yaml = refitting->yaml;
    struct yaml_node *fabric = parse_shape(yaml, fat_tree, &refitting->planes->config);

    if (!fabric)
        return false;
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        const struct yaml_node *node = yaml_member(before, kept[i]);
        struct yaml_node *copy = node ? yaml_copy(yaml, node) : NULL;

        if (!copy)
            continue;
        if (strcmp(kept[i], "buffers") == 0)
            scale_buffers(refitting, copy, fat_tree->planes);
        yaml_adopt(fabric, copy);
    }
    return yaml_put(yaml, top, "fabric", fabric);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static bool rename_one(const struct refitting *refitting, struct yaml_node *name)
{
    const struct topology *planes = refitting->planes;
    char reason[TOPOLOGY_REASON_BYTES];
    char text[TOPOLOGY_NAME_BYTES];
    struct topology_element before;
    struct topology_element after;

    if (!fabric_file_find(refitting->yaml, name, planes, &before))
        return false;
    if (!topology_fat_tree_element(
            &refitting->refit->fat_tree, &planes->config, &before, &after, reason))
        return yaml_complain(refitting->yaml, name, "'%s': %s", name->text, reason);
    topology_name(&after, text);
    name->text = yaml_text(refitting->yaml, text, strlen(text));
    return true;
}

static bool rename_where(const struct refitting *refitting, struct yaml_node *where)
{
    if (where->kind != YAML_SEQUENCE)
        return rename_one(refitting, where);
    for (struct yaml_node *name = where->first; name; name = name->next)
        if (!rename_one(refitting, name))
            return false;
    return true;
}

static bool is_where(const struct yaml_node *node)
{
    const char *dot = node->key ? strrchr(node->key, '.') : NULL;

    return node->key && strcmp(dot ? dot + 1 : node->key, "where") == 0;
}

/* Faults are in the experiment, and in the sets of its sweep. */
static bool rename_all(const struct refitting *refitting, struct yaml_node *node)
{
    if (is_where(node))
        return rename_where(refitting, node);
    for (struct yaml_node *child = node->first; child; child = child->next)
        if (!rename_all(refitting, child))
            return false;
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

struct budget {
    struct prices prices;
    double usd;
};

static bool is_affordable(const void *context, const struct topology_fat_tree *fat_tree)
{
    const struct budget *budget = context;
    double uplinks = (double)topology_fat_tree_uplinks(fat_tree);
    const struct study_cost_links links = {
        .host_gbps = fat_tree->nics * (double)fat_tree->host_bps / 1e9,
        .switch_gbps = uplinks * (double)fat_tree->uplink_bps / 1e9,
    };

    return study_cost_mean_usd(&links, &budget->prices) <= budget->usd;
}

static bool keep_budget(struct refitting *refitting, char reason[static TOPOLOGY_REASON_BYTES])
{
    struct study_cost_links links = study_cost_links_of(refitting->planes);
    struct budget budget;
    const struct topology_fat_tree_budget limit = { is_affordable, &budget };

    if (!price_file_read(refitting->yaml, NULL, &budget.prices))
        return false;
    budget.usd = study_cost_mean_usd(&links, &budget.prices);
    return topology_fat_tree_thin(&refitting->refit->fat_tree, &limit, reason);
}

static bool make_fat_tree(struct refitting *refitting, const struct yaml_node *at)
{
    struct study_refit *refit = refitting->refit;
    const struct topology *planes = refitting->planes;
    char reason[TOPOLOGY_REASON_BYTES] = "";

    if (!topology_fat_tree_init(&refit->fat_tree, &planes->config, planes->nic_count, reason) ||
        (refit->has_budget && !keep_budget(refitting, reason)))
        return yaml_complain(refitting->yaml, at, "%s", reason);
    if (refit->has_rails)
        topology_fat_tree_rail(&refit->fat_tree, SERVER_NICS);
    return true;
}

bool study_refit_tree(struct study_refit *refit, struct yaml *yaml, struct yaml_node *top)
{
    static const struct yaml_node all_defaults = { .kind = YAML_MAPPING, .is_root = true };
    const struct yaml_node *given = yaml_member(top, "fabric");
    const struct yaml_node *fabric = given && given->kind == YAML_MAPPING ? given : &all_defaults;
    struct plan *plan = yaml_take(yaml, 1, sizeof(*plan));
    struct refitting refitting = { refit, yaml, &plan->topology };

    return check_sweep(yaml, top) && check_fabric(yaml, fabric) &&
           fabric_file_read(yaml, fabric, plan) && make_fat_tree(&refitting, given ? given : top) &&
           rename_all(&refitting, top) && put_fabric(&refitting, top, fabric);
}
