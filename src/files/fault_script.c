/* SPDX-License-Identifier: Apache-2.0 */
/* Reads scripts of timed faults. */
#include "files/fault_script.h"

#include "files/fault_entry.h"

static bool read_ev(struct yaml *yaml, const struct yaml_node *ev, struct fault_script_step *step)
{
    if (!ev)
        return true;
    if (ev->kind != YAML_SCALAR)
        return yaml_complain(yaml, ev, "write a path such as p0/u3");
    step->ev = ev->text;
    return true;
}

static bool read_where(
    struct yaml *yaml, const struct yaml_node *where, struct fault_script_step *step)
{
    const struct yaml_node *name;

    if (!where)
        return true;
    step->where_count = fault_entry_name_count(where);
    step->where = yaml_take(yaml, step->where_count + 1, sizeof(*step->where));
    name = fault_entry_first_name(where);
    if (step->where_count == 0)
        return yaml_complain(yaml, where, "the list is empty; name components such as p0.t1.3");
    for (uint32_t i = 0; i < step->where_count; i++, name = name->next) {
        if (name->kind != YAML_SCALAR)
            return yaml_complain(yaml, name, "name components such as p0.t1.3");
        step->where[i] = name->text;
    }
    return true;
}

static bool read_step(
    struct yaml *yaml, const struct yaml_node *node, struct fault_script_step *step)
{
    struct fault_entry entry;

    if (node->kind != YAML_MAPPING)
        return yaml_complain(
            yaml, node, "a fault is written as { kind: down, where: p0.t1.3, at: 1s }");
    if (!fault_entry_read_listed(yaml, node, &entry))
        return false;
    *step = (struct fault_script_step){ .fault = entry.generator.fault, .line = node->place.line };
    return read_ev(yaml, entry.ev, step) && read_where(yaml, entry.where, step);
}

bool fault_script_read(struct yaml *yaml, const struct yaml_node *top, struct fault_script *script)
{
    const struct yaml_node *list = yaml_member(top, "faults");

    *script = (struct fault_script){ 0 };
    if (!list && yaml_member(top, "generators"))
        return true;
    if (!list || list->kind != YAML_SEQUENCE)
        return yaml_complain(
            yaml, list ? list : top, "there is no list 'faults'; see mrc-experiment(5)");
    script->steps = yaml_take(yaml, (size_t)list->child_count + 1, sizeof(*script->steps));
    for (const struct yaml_node *node = list->first; node; node = node->next)
        if (!read_step(yaml, node, &script->steps[script->count++]))
            return false;
    return true;
}
