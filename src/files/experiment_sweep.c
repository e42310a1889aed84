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

bool experiment_sweep_has(const struct yaml_node *top, const char *key)
{
    for (uint32_t i = 0; i < experiment_sweep_count(top); i++) {
        const struct yaml_node *entry = experiment_sweep_entry(top, i);

        if (entry && yaml_member(entry, key))
            return true;
    }
    return false;
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
            yaml_complain_key(yaml, node, "a sweep cannot change this key");
            return NULL;
        }
        if (!yaml_put(yaml, changed, node->key, yaml_copy(yaml, node)))
            return NULL;
    }
    return changed;
}

/* ---- cross products -------------------------------------------------------------------------- */

/* A label of the set names all its runs, so it is completed with the value. */
static void extend_label(struct yaml *yaml, struct yaml_node *entry, const struct yaml_node *value)
{
    struct yaml_node *label = (struct yaml_node *)yaml_member(entry, "label");
    const char *dot = strrchr(value->key, '.');
    char text[EXPERIMENT_LABEL_BYTES];

    if (!label || label->kind != YAML_SCALAR)
        return;
    snprintf(text, sizeof(text), "%s %s=%s", label->text, dot ? dot + 1 : value->key,
        value->kind == YAML_SCALAR ? value->text : "...");
    label->text = yaml_text(yaml, text, strlen(text));
}

/* Appends a copy of the set (NULL: an empty one) with this value to `sweep`. */
static void append_set(struct yaml *yaml, struct yaml_node *sweep, const struct yaml_node *set,
    const struct yaml_node *value, const char *key)
{
    struct yaml_node *entry = set ? yaml_copy(yaml, set) : yaml_take(yaml, 1, sizeof(*entry));
    struct yaml_node *added = yaml_copy(yaml, value);

    entry->kind = YAML_MAPPING;
    added->key = key;
    added->key_place = value->place;
    yaml_adopt(entry, added);
    extend_label(yaml, entry, added);
    yaml_adopt(sweep, entry);
}

static const struct yaml_node *parse_values(
    struct yaml *yaml, const char *source, const char *values)
{
    size_t length = strlen(values) + 2;
    char *list = yaml_take(yaml, length + 1, 1);

    snprintf(list, length + 1, "[%s]", values);
    return yaml_parse(yaml, source, list, length, false);
}

bool experiment_sweep_cross(struct yaml *yaml, struct yaml_node *top, const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    size_t source_bytes = strlen(assignment) + sizeof("--sweep ");
    char *source = yaml_take(yaml, source_bytes, 1);
    const struct yaml_node *values;
    struct yaml_node *sweep;
    const char *key;

    snprintf(source, source_bytes, "--sweep %s", assignment);
    if (!equals || equals == assignment || !equals[1])
        return yaml_complain_at(yaml, (struct yaml_place){ .source = source },
            "KEY=VALUE,VALUE,... is expected, such as parameters.mpr=2,4,8");
    key = yaml_text(yaml, assignment, (size_t)(equals - assignment));
    if (experiment_sweep_has(top, key))
        return yaml_complain_at(yaml, (struct yaml_place){ .source = source },
            "the sweep already gives this key its values");
    values = parse_values(yaml, source, equals + 1);
    if (!values)
        return false;
    sweep = yaml_take(yaml, 1, sizeof(*sweep));
    sweep->kind = YAML_SEQUENCE;
    sweep->place = values->place;
    for (uint32_t i = 0; i < experiment_sweep_count(top); i++)
        for (const struct yaml_node *value = values->first; value; value = value->next)
            append_set(yaml, sweep, experiment_sweep_entry(top, i), value, key);
    return yaml_put(yaml, top, "sweep", sweep);
}
