/* SPDX-License-Identifier: Apache-2.0 */
/* The faults of an experiment, listed or drawn at random. */
#include <string.h>

#include "files/experiment_part.h"
#include "files/fabric_file.h"
#include "files/word.h"
#include "files/yaml_fields.h"

static const char *const kinds[] = {
    [SIM_FAULT_DOWN] = "down",
    [SIM_FAULT_FLAP] = "flap",
    [SIM_FAULT_BLACKHOLE] = "blackhole",
    [SIM_FAULT_REBOOT] = "reboot",
    [SIM_FAULT_LOSS] = "loss",
    [SIM_FAULT_CORRUPT] = "corrupt",
    [SIM_FAULT_SLOW] = "slow",
    [SIM_FAULT_KIND_COUNT] = NULL,
};

static const char *const directions[] = {
    [SIM_BOTH_WAYS] = "both",
    [SIM_UPWARD] = "up",
    [SIM_DOWNWARD] = "down",
    NULL,
};

static const char *const components[] = {
    [TOPOLOGY_NIC] = "nic",
    [TOPOLOGY_HOST_LINK] = "host_link",
    [TOPOLOGY_PLANE] = "plane",
    [TOPOLOGY_T0] = "t0",
    [TOPOLOGY_T1] = "t1",
    [TOPOLOGY_UPLINK] = "uplink",
    [TOPOLOGY_COMPONENT_COUNT] = NULL,
};

const char *experiment_fault_name(enum sim_fault_kind kind)
{
    return kinds[kind];
}

struct entry {
    struct sim_fault_generator generator; /* its fault, for both */
    uint64_t duration_ps;
    const struct yaml_node *where;
    const struct yaml_node *ev;
};

#define FAULT(member) offsetof(struct entry, generator.fault.member)
#define DAY_PS        (UINT64_C(86400) * SIM_PS_PER_S)
#define MBPS          UINT64_C(1000000)

/* clang-format off */
#define COMMON_FIELDS                                                                              \
    { .key = "kind", .type = YAML_WORD, .offset = FAULT(kind), .words = kinds },                   \
    { .key = "for", .type = YAML_TIME, .offset = offsetof(struct entry, duration_ps), .least = 1, .most = DAY_PS }, \
    { .key = "direction", .type = YAML_WORD, .offset = FAULT(direction), .words = directions },    \
    { .key = "ev", .type = YAML_ANY, .offset = offsetof(struct entry, ev) },                       \
    { .key = "probability", .type = YAML_FRACTION, .offset = FAULT(probability) },                 \
    { .key = "rate", .type = YAML_RATE, .offset = FAULT(rate_bps), .least = MBPS, .most = 10000000 * MBPS }, \
    { .key = "period", .type = YAML_TIME, .offset = FAULT(period_ps), .least = 1, .most = DAY_PS }, \
    { .key = "duty", .type = YAML_PERMILLE, .offset = FAULT(duty_permille), .least = 1, .most = 1000 }

static const struct yaml_field fault_fields[] = {
    COMMON_FIELDS,
    { .key = "where", .type = YAML_ANY, .offset = offsetof(struct entry, where) },
    { .key = "at", .type = YAML_TIME, .offset = FAULT(from_ps), .most = DAY_PS },
    { .key = "until", .type = YAML_TIME, .offset = FAULT(until_ps), .least = 1, .most = DAY_PS },
    { .key = NULL },
};

static const struct yaml_field generator_fields[] = {
    COMMON_FIELDS,
    { .key = "component", .type = YAML_WORD, .offset = offsetof(struct entry, generator.component), .words = components },
    { .key = "mean_between", .type = YAML_TIME, .offset = offsetof(struct entry, generator.mean_between_ps),
      .least = 1000, .most = 365 * DAY_PS },
    { .key = NULL },
};
/* clang-format on */

/* Which keys a kind needs, and which only it may have. */
static const struct {
    enum sim_fault_kind kind;
    const char *key;
} needs[] = {
    { SIM_FAULT_FLAP, "period" },
    { SIM_FAULT_LOSS, "probability" },
    { SIM_FAULT_CORRUPT, "probability" },
    { SIM_FAULT_SLOW, "rate" },
};

#define NEED_COUNT (sizeof(needs) / sizeof(needs[0]))

static bool kind_has(enum sim_fault_kind kind, const char *key)
{
    for (size_t i = 0; i < NEED_COUNT; i++)
        if (needs[i].kind == kind && strcmp(needs[i].key, key) == 0)
            return true;
    return false;
}

static bool check_keys(struct yaml *yaml, const struct yaml_node *node, enum sim_fault_kind kind)
{
    static const char *const special[] = { "period", "duty", "probability", "rate", NULL };

    for (size_t i = 0; i < NEED_COUNT; i++)
        if (needs[i].kind == kind && !yaml_member(node, needs[i].key))
            return yaml_complain(
                yaml, node, "a fault of kind '%s' needs the key '%s'", kinds[kind], needs[i].key);
    for (const char *const *key = special; *key; key++) {
        const struct yaml_node *given = yaml_member(node, *key);
        bool is_duty = strcmp(*key, "duty") == 0;

        if (given && !kind_has(kind, *key) && !(is_duty && kind == SIM_FAULT_FLAP))
            return yaml_complain_key(
                yaml, given, "a fault of kind '%s' has no such key; take it out", kinds[kind]);
    }
    return true;
}

static bool read_common(struct yaml *yaml, const struct yaml_node *node,
    const struct experiment *experiment, const struct yaml_field *fields, struct entry *entry)
{
    struct sim_fault *fault = &entry->generator.fault;

    *entry = (struct entry){ .generator.fault = { .duty_permille = 500 } };
    if (!yaml_read(yaml, node, fields, entry) || !yaml_require(yaml, node, "kind") ||
        !check_keys(yaml, node, fault->kind))
        return false;
    if (!entry->ev)
        return true;
    fault->of_ev = true;
    return fabric_file_ev(yaml, entry->ev, &experiment->fabric, &fault->ev);
}

static bool read_where(struct yaml *yaml, const struct yaml_node *where,
    const struct experiment *experiment, struct sim_fault *fault)
{
    bool is_list = where->kind == YAML_SEQUENCE;
    uint32_t count = is_list ? where->child_count : 1;
    struct topology_element *elements = yaml_take(yaml, count, sizeof(*elements));
    const struct yaml_node *node = is_list ? where->first : where;

    if (count == 0)
        return yaml_complain(yaml, where, "nothing is named here; name components such as p0.t1.3");
    for (uint32_t i = 0; i < count; i++, node = node->next)
        if (!fabric_file_find(yaml, node, &experiment->fabric.topology, &elements[i]))
            return false;
    fault->where = elements;
    fault->where_count = count;
    return true;
}

static bool take_span(struct yaml *yaml, const struct yaml_node *node, struct entry *entry)
{
    struct sim_fault *fault = &entry->generator.fault;

    if (fault->until_ps && entry->duration_ps)
        return yaml_complain(yaml, node, "'for' and 'until' say the same; keep one of the two");
    if (entry->duration_ps)
        fault->until_ps = fault->from_ps + entry->duration_ps;
    if (!fault->until_ps)
        fault->until_ps = SIM_NEVER_PS;
    if (fault->until_ps <= fault->from_ps)
        return yaml_complain(
            yaml, yaml_member(node, "until"), "is not after 'at'; the fault must last some time");
    return true;
}

bool experiment_read_faults(
    struct yaml *yaml, const struct yaml_node *list, struct experiment *experiment)
{
    struct sim_fault *faults = yaml_take(yaml, list->child_count, sizeof(*faults));

    for (const struct yaml_node *node = list->first; node; node = node->next) {
        struct entry entry;
        struct sim_fault *fault = &entry.generator.fault;

        if (!read_common(yaml, node, experiment, fault_fields, &entry) ||
            !yaml_require(yaml, node, "where") ||
            !read_where(yaml, entry.where, experiment, fault) || !take_span(yaml, node, &entry))
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
    struct sim_fault_generator *generators =
        yaml_take(yaml, list->child_count, sizeof(*generators));

    for (const struct yaml_node *node = list->first; node; node = node->next) {
        struct entry entry;

        if (!read_common(yaml, node, experiment, generator_fields, &entry) ||
            !yaml_require(yaml, node, "component") || !yaml_require(yaml, node, "mean_between") ||
            !yaml_require(yaml, node, "for"))
            return false;
        entry.generator.duration_ps = entry.duration_ps;
        generators[node->index] = entry.generator;
    }
    experiment->sim.generators = generators;
    experiment->sim.generator_count = list->child_count;
    return true;
}
