/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the faults of an experiment, listed or generated at random, with the names of its
 * fabric. */
#include "files/experiment_part.h"
#include "files/fabric_file.h"
#include "files/fault_entry.h"

static bool read_ev(struct yaml *yaml, const struct experiment *experiment,
    const struct fault_entry *entry, struct fault *fault)
{
    fault->of_ev = entry->ev != NULL;
    return !entry->ev || fabric_file_ev(yaml, entry->ev, &experiment->fabric, &fault->ev);
}

/* A fault of an EV without `where` affects all links of its plane. */
static void take_plane(struct yaml *yaml, const struct experiment *experiment, struct fault *fault)
{
    struct topology_element *plane = yaml_take(yaml, 1, sizeof(*plane));

    plane->kind = TOPOLOGY_PLANE;
    plane->plane = plan_ev_path(&experiment->fabric, fault->ev).plane;
    fault->where = plane;
    fault->where_count = 1;
}

static bool read_where(struct yaml *yaml, const struct yaml_node *where,
    const struct experiment *experiment, struct fault *fault)
{
    uint32_t count = fault_entry_name_count(where);
    struct topology_element *elements = yaml_take(yaml, count, sizeof(*elements));
    const struct yaml_node *node = fault_entry_first_name(where);

    if (count == 0)
        return yaml_complain(yaml, where, "the list is empty; name components such as p0.t1.3");
    for (uint32_t i = 0; i < count; i++, node = node->next)
        if (!fabric_file_find(yaml, node, &experiment->fabric.topology, &elements[i]))
            return false;
    fault->where = elements;
    fault->where_count = count;
    return true;
}

bool experiment_read_faults(
    struct yaml *yaml, const struct yaml_node *list, struct experiment *experiment)
{
    struct fault *faults = yaml_take(yaml, list->child_count, sizeof(*faults));

    for (const struct yaml_node *node = list->first; node; node = node->next) {
        struct fault_entry entry;
        struct fault *fault = &entry.generator.fault;

        if (!fault_entry_read_listed(yaml, node, &entry) ||
            !read_ev(yaml, experiment, &entry, fault))
            return false;
        if (!entry.where)
            take_plane(yaml, experiment, fault);
        else if (!read_where(yaml, entry.where, experiment, fault))
            return false;
        faults[node->index] = *fault;
    }
    experiment->sim.faults = faults;
    experiment->sim.fault_count = list->child_count;
    return true;
}

bool experiment_read_generators(
    struct yaml *yaml, const struct yaml_node *list, struct experiment *experiment)
{
    struct fault_generator *generators = yaml_take(yaml, list->child_count, sizeof(*generators));

    for (const struct yaml_node *node = list->first; node; node = node->next) {
        struct fault_entry entry;

        if (!fault_entry_read_generator(yaml, node, &entry) ||
            !read_ev(yaml, experiment, &entry, &entry.generator.fault))
            return false;
        generators[node->index] = entry.generator;
    }
    experiment->sim.generators = generators;
    experiment->sim.generator_count = list->child_count;
    return true;
}
