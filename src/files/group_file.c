/* SPDX-License-Identifier: Apache-2.0 */
/* Reads failure groups: a name, a kind, and members that are components or earlier groups. */
#include "files/group_file.h"

#include <string.h>

#include "files/fabric_file.h"
#include "files/yaml_fields.h"

struct group_entry {
    char name[TOPOLOGY_NAME_BYTES];
    int kind;
    const struct yaml_node *members;
};

/* clang-format off */
static const struct yaml_field fields[] = {
    { .key = "name", .type = YAML_TEXT, .offset = offsetof(struct group_entry, name), .most = TOPOLOGY_NAME_BYTES },
    { .key = "kind", .type = YAML_WORD, .offset = offsetof(struct group_entry, kind), .words = topology_group_words },
    { .key = "members", .type = YAML_LIST, .offset = offsetof(struct group_entry, members) },
    { .key = NULL },
};
/* clang-format on */

/* Returns the number of components of a member. Writes them to `out` if it is not NULL. */
static uint32_t take_member(const struct topology_element *member, struct topology_element *out)
{
    const struct topology_element *from = member;
    uint32_t count = 1;

    if (member->kind == TOPOLOGY_GROUP) {
        from = member->group->members;
        count = member->group->member_count;
    }
    if (out)
        memcpy(out, from, count * sizeof(*out));
    return count;
}

static bool read_members(struct yaml *yaml, const struct yaml_node *list,
    const struct topology *topology, struct topology_group *group)
{
    struct topology_element *named = yaml_take(yaml, list->child_count, sizeof(*named));
    struct topology_element *members;
    uint32_t count = 0;

    for (const struct yaml_node *node = list->first; node; node = node->next) {
        if (!fabric_file_find(yaml, node, topology, &named[node->index]))
            return false;
        count += take_member(&named[node->index], NULL);
    }
    if (count == 0)
        return yaml_complain(yaml, list, "a group needs a member, such as p0.t1.3");
    members = yaml_take(yaml, count, sizeof(*members));
    group->members = members;
    for (uint32_t i = 0; i < list->child_count; i++)
        group->member_count += take_member(&named[i], &members[group->member_count]);
    return true;
}

/* Checks that the name of a group has no other meaning. */
static bool check_name(struct yaml *yaml, const struct yaml_node *node, const char *name,
    const struct topology *topology)
{
    char reason[TOPOLOGY_REASON_BYTES];
    struct topology_element other;

    if (!*name)
        return yaml_complain(yaml, node, "a group needs a name");
    if (topology_find(topology, name, &other, reason))
        return yaml_complain(
            yaml, node, "the name '%s' is already in use; give the group another name", name);
    return true;
}

static bool read_group(struct yaml *yaml, const struct yaml_node *node,
    const struct topology *topology, struct topology_group *group)
{
    struct group_entry entry = { .kind = TOPOLOGY_CHASSIS };

    if (!yaml_read(yaml, node, fields, &entry) || !yaml_require(yaml, node, "name") ||
        !yaml_require(yaml, node, "kind") || !yaml_require(yaml, node, "members") ||
        !check_name(yaml, yaml_member(node, "name"), entry.name, topology))
        return false;
    memcpy(group->name, entry.name, sizeof(group->name));
    group->kind = (enum topology_group_kind)entry.kind;
    return read_members(yaml, entry.members, topology, group);
}

bool group_file_read(struct yaml *yaml, const struct yaml_node *list, struct topology *topology)
{
    struct topology_group *groups;

    if (!list)
        return true;
    groups = yaml_take(yaml, list->child_count, sizeof(*groups));
    topology->groups = groups;
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        if (!read_group(yaml, node, topology, &groups[topology->group_count]))
            return false;
        topology->group_count++;
    }
    return true;
}
