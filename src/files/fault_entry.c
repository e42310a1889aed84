/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the keys of faults that fault.def lists. */
#include "files/fault_entry.h"

#include <assert.h>

#include "files/yaml_fields.h"

#define FAULT_MEMBER(member) offsetof(struct fault_entry, generator.fault.member)
#define DAY_PS               (UINT64_C(86400) * 1000000000000)

/* clang-format off */
static const struct yaml_field common_fields[] = {
    { .key = "kind", .type = YAML_WORD, .offset = FAULT_MEMBER(kind), .words = fault_kind_words },
    { .key = "for", .type = YAML_TIME, .offset = offsetof(struct fault_entry, duration_ps), .least = 1, .most = DAY_PS },
    { .key = "direction", .type = YAML_WORD, .offset = FAULT_MEMBER(direction), .words = fault_direction_words },
    { .key = "ev", .type = YAML_ANY, .offset = offsetof(struct fault_entry, ev) },
    { .key = NULL },
};

static const struct yaml_field listed_fields[] = {
    { .key = "where", .type = YAML_ANY, .offset = offsetof(struct fault_entry, where) },
    { .key = "at", .type = YAML_TIME, .offset = FAULT_MEMBER(from_ps), .most = DAY_PS },
    { .key = "until", .type = YAML_TIME, .offset = FAULT_MEMBER(until_ps), .least = 1, .most = DAY_PS },
    { .key = NULL },
};

static const struct yaml_field generator_fields[] = {
    { .key = "component", .type = YAML_WORD, .offset = offsetof(struct fault_entry, generator.component), .words = topology_component_words },
    { .key = "mean_between", .type = YAML_TIME, .offset = offsetof(struct fault_entry, generator.mean_between_ps),
      .least = 1000, .most = 365 * DAY_PS },
    { .key = NULL },
};

/* The types of the quantities of fault.def in a file. */
static const struct yaml_field quantities[FAULT_QUANTITY_COUNT] = {
    [FAULT_QUANTITY_FRACTION] = { .type = YAML_FRACTION },
    [FAULT_QUANTITY_BIT_RATE] = { .type = YAML_RATE, .least = UINT64_C(1000000), .most = UINT64_C(10000000000000) },
    [FAULT_QUANTITY_TIME] = { .type = YAML_TIME, .least = 1, .most = DAY_PS },
    [FAULT_QUANTITY_PERMILLE] = { .type = YAML_PERMILLE, .least = 1, .most = 1000 },
};
/* clang-format on */

enum { FIELDS_MAX = 16 };

/* Lists all keys of an entry, ending with NULL. */
static void list_fields(const struct yaml_field *own, struct yaml_field out[static FIELDS_MAX])
{
    uint32_t count = yaml_append(own, out, yaml_append(common_fields, out, 0));

    assert(count + FAULT_PARAMETER_COUNT < FIELDS_MAX);
    for (uint32_t i = 0; i < FAULT_PARAMETER_COUNT; i++, count++) {
        out[count] = quantities[fault_parameters[i].quantity];
        out[count].key = fault_parameters[i].key;
        out[count].offset =
            offsetof(struct fault_entry, generator.fault) + fault_parameters[i].offset;
    }
    out[count] = (struct yaml_field){ .key = NULL };
}

static bool check_keys(struct yaml *yaml, const struct yaml_node *node, enum fault_kind kind)
{
    for (uint32_t i = 0; i < FAULT_PARAMETER_COUNT; i++) {
        const char *key = fault_parameters[i].key;
        const struct yaml_node *given = yaml_member(node, key);

        if (!given && fault_kind_needs(kind, (enum fault_parameter)i))
            return yaml_complain(
                yaml, node, "a fault of kind '%s' needs the key '%s'", fault_kind_words[kind], key);
        if (given && !fault_kind_has(kind, (enum fault_parameter)i))
            return yaml_complain_key(yaml, given, "a fault of kind '%s' has no such key; remove it",
                fault_kind_words[kind]);
    }
    return true;
}

static bool read_common(struct yaml *yaml, const struct yaml_node *node,
    const struct yaml_field *own, struct fault_entry *entry)
{
    struct yaml_field fields[FIELDS_MAX];

    list_fields(own, fields);
    *entry = (struct fault_entry){ .generator.fault = { .duty_permille = 500 } };
    return yaml_read(yaml, node, fields, entry) && yaml_require(yaml, node, "kind") &&
           check_keys(yaml, node, entry->generator.fault.kind);
}

static bool take_span(struct yaml *yaml, const struct yaml_node *node, struct fault_entry *entry)
{
    struct fault *fault = &entry->generator.fault;

    if (fault->until_ps && entry->duration_ps)
        return yaml_complain(yaml, node, "'for' and 'until' exclude each other; keep one");
    if (entry->duration_ps)
        fault->until_ps = fault->from_ps + entry->duration_ps;
    if (!fault->until_ps)
        fault->until_ps = FAULT_NEVER_PS;
    if (fault->until_ps <= fault->from_ps)
        return yaml_complain(
            yaml, yaml_member(node, "until"), "is not after 'at'; the fault must last some time");
    return true;
}

bool fault_entry_read_listed(
    struct yaml *yaml, const struct yaml_node *node, struct fault_entry *entry)
{
    return read_common(yaml, node, listed_fields, entry) &&
           (entry->ev || yaml_require(yaml, node, "where")) && take_span(yaml, node, entry);
}

bool fault_entry_read_generator(
    struct yaml *yaml, const struct yaml_node *node, struct fault_entry *entry)
{
    if (!read_common(yaml, node, generator_fields, entry) ||
        !yaml_require(yaml, node, "component") || !yaml_require(yaml, node, "mean_between") ||
        !yaml_require(yaml, node, "for"))
        return false;
    entry->generator.duration_ps = entry->duration_ps;
    return true;
}

uint32_t fault_entry_name_count(const struct yaml_node *where)
{
    return where->kind == YAML_SEQUENCE ? where->child_count : 1;
}

const struct yaml_node *fault_entry_first_name(const struct yaml_node *where)
{
    return where->kind == YAML_SEQUENCE ? where->first : where;
}
