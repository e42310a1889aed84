/* SPDX-License-Identifier: Apache-2.0 */
/* The sweep of an experiment: sets of values, each with its own runs. */
#include <stdio.h>
#include <string.h>

#include "files/experiment.h"

static const struct yaml_node *sweep_of(const struct yaml_node *top)
{
    const struct yaml_node *sweep = yaml_member(top, "sweep");

    return sweep && sweep->kind == YAML_SEQUENCE && sweep->first ? sweep : NULL;
}

uint32_t experiment_sweep_count(const struct yaml_node *top)
{
    const struct yaml_node *sweep = sweep_of(top);

    return sweep ? sweep->child_count : 1;
}

const struct yaml_node *experiment_sweep_entry(const struct yaml_node *top, uint32_t index)
{
    const struct yaml_node *sweep = sweep_of(top);
    const struct yaml_node *entry = sweep ? sweep->first : NULL;

    while (entry && entry->index != index)
        entry = entry->next;
    return entry;
}

static bool is_label(const struct yaml_node *node)
{
    return strcmp(node->key, "label") == 0;
}

void experiment_sweep_label(
    const struct yaml_node *top, uint32_t index, char out[static EXPERIMENT_LABEL_BYTES])
{
    const struct yaml_node *entry = experiment_sweep_entry(top, index);
    const struct yaml_node *label = entry ? yaml_member(entry, "label") : NULL;
    size_t used = 0;

    out[0] = '\0';
    if (label && label->kind == YAML_SCALAR) {
        snprintf(out, EXPERIMENT_LABEL_BYTES, "%s", label->text);
        return;
    }
    if (!entry || entry->kind != YAML_MAPPING)
        return;
    for (const struct yaml_node *node = entry->first; node; node = node->next) {
        const char *dot = strrchr(node->key, '.');

        if (used >= EXPERIMENT_LABEL_BYTES)
            return;
        used +=
            (size_t)snprintf(out + used, EXPERIMENT_LABEL_BYTES - used, "%s%s=%s", used ? " " : "",
                dot ? dot + 1 : node->key, node->kind == YAML_SCALAR ? node->text : "...");
    }
}

struct yaml_node *experiment_sweep_apply(
    struct yaml *yaml, const struct yaml_node *top, uint32_t index)
{
    const struct yaml_node *entry = experiment_sweep_entry(top, index);
    struct yaml_node *changed = yaml_copy(yaml, top);

    if (!entry)
        return changed;
    if (entry->kind != YAML_MAPPING) {
        yaml_complain(yaml, entry, "keys with values are expected here, such as parameters.mpr: 4");
        return NULL;
    }
    for (const struct yaml_node *node = entry->first; node; node = node->next) {
        if (is_label(node))
            continue;
        if (strncmp(node->key, "sweep", 5) == 0 || strcmp(node->key, "criteria") == 0) {
            yaml_complain_key(yaml, node, "a sweep cannot change this");
            return NULL;
        }
        if (!yaml_put(yaml, changed, node->key, yaml_copy(yaml, node)))
            return NULL;
    }
    return changed;
}
