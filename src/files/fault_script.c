/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts of timed faults. */
#include "files/fault_script.h"

#include <stdlib.h>
#include <string.h>

#include "files/yaml_fields.h"

#define DAY_PS (UINT64_C(86400) * 1000 * 1000 * 1000 * 1000)
#define MBPS   UINT64_C(1000000)

static const char *const kinds[] = { "down", "flap", "blackhole", "reboot", "loss", "corrupt",
    "slow", NULL };
static const char *const directions[] = { "both", "up", "down", NULL };

/* One entry of the list. */
struct entry {
    struct fault_script_step step;
    int kind;
    int direction;
    const struct yaml_node *where;
    const struct yaml_node *ev;
    uint64_t until_ps;
};

#define STEP(member)  offsetof(struct entry, step.member)
#define ENTRY(member) offsetof(struct entry, member)

/* clang-format off */
static const struct yaml_field fields[] = {
    { .key = "kind", .type = YAML_WORD, .offset = ENTRY(kind), .words = kinds },
    { .key = "where", .type = YAML_ANY, .offset = ENTRY(where) },
    { .key = "ev", .type = YAML_ANY, .offset = ENTRY(ev) },
    { .key = "at", .type = YAML_TIME, .offset = STEP(at_ps), .most = DAY_PS },
    { .key = "for", .type = YAML_TIME, .offset = STEP(for_ps), .least = 1, .most = DAY_PS },
    { .key = "until", .type = YAML_TIME, .offset = ENTRY(until_ps), .least = 1, .most = DAY_PS },
    { .key = "period", .type = YAML_TIME, .offset = STEP(period_ps), .least = 1, .most = DAY_PS },
    { .key = "duty", .type = YAML_PERMILLE, .offset = STEP(duty_permille), .least = 1, .most = 999 },
    { .key = "rate", .type = YAML_RATE, .offset = STEP(rate_bps), .least = MBPS, .most = 10000000 * MBPS },
    { .key = "probability", .type = YAML_FRACTION, .offset = STEP(probability) },
    { .key = "direction", .type = YAML_WORD, .offset = ENTRY(direction), .words = directions },
    { .key = NULL },
};
/* clang-format on */

static bool take_span(struct yaml *yaml, const struct yaml_node *node, struct entry *entry)
{
    struct fault_script_step *step = &entry->step;

    if (step->for_ps && entry->until_ps)
        return yaml_complain(yaml, node, "'for' and 'until' say the same; keep one of the two");
    if (entry->until_ps && entry->until_ps <= step->at_ps)
        return yaml_complain(
            yaml, yaml_member(node, "until"), "is not after 'at'; the fault must last some time");
    if (entry->until_ps)
        step->for_ps = entry->until_ps - step->at_ps;
    return true;
}

static bool check_names(struct yaml *yaml, const struct yaml_node *node, const struct entry *entry)
{
    const struct yaml_node *where = entry->where;

    if (!where && !entry->ev)
        return yaml_complain(yaml, node, "say 'where': p0.t1.3, h12.p3, ...");
    if (entry->ev && entry->ev->kind != YAML_SCALAR)
        return yaml_complain(yaml, entry->ev, "write a path such as p0/u3");
    if (where && where->kind == YAML_MAPPING)
        return yaml_complain(yaml, where, "name components such as p0.t1.3");
    if (where && where->kind == YAML_SEQUENCE)
        for (const struct yaml_node *one = where->first; one; one = one->next)
            if (one->kind != YAML_SCALAR)
                return yaml_complain(yaml, one, "name components such as p0.t1.3");
    return true;
}

/* A switch that reboots is down for as long. */
static bool read_entry(struct yaml *yaml, const struct yaml_node *node, struct entry *entry)
{
    struct fault_script_step *step = &entry->step;

    *entry = (struct entry){ .step = { .duty_permille = 500, .line = node->place.line } };
    if (!yaml_read(yaml, node, fields, entry) || !yaml_require(yaml, node, "kind") ||
        !take_span(yaml, node, entry) || !check_names(yaml, node, entry))
        return false;
    if (entry->direction != 0)
        return yaml_complain(yaml, yaml_member(node, "direction"),
            "faults of a running fabric go both ways; leave it out");
    step->kind = strcmp(kinds[entry->kind], "reboot") == 0 ? "down" : kinds[entry->kind];
    step->ev = entry->ev ? entry->ev->text : NULL;
    return true;
}

static void add_step(
    struct fault_script *script, struct fault_script_step step, const struct yaml_node *where)
{
    step.where = where ? where->text : NULL;
    script->steps[script->count++] = step;
}

static bool add_entry(struct yaml *yaml, const struct yaml_node *node, struct fault_script *script)
{
    struct entry entry;

    if (node->kind != YAML_MAPPING)
        return yaml_complain(
            yaml, node, "a fault is written as { kind: down, where: p0.t1.3, at: 1s }");
    if (!read_entry(yaml, node, &entry))
        return false;
    if (!entry.where || entry.where->kind == YAML_SCALAR) {
        add_step(script, entry.step, entry.where);
        return true;
    }
    for (const struct yaml_node *one = entry.where->first; one; one = one->next)
        add_step(script, entry.step, one);
    return true;
}

/* A list of components stands for as many steps. */
static size_t count_steps(const struct yaml_node *list)
{
    size_t count = 0;

    for (const struct yaml_node *node = list->first; node; node = node->next) {
        const struct yaml_node *where =
            node->kind == YAML_MAPPING ? yaml_member(node, "where") : NULL;

        count += where && where->kind == YAML_SEQUENCE ? where->child_count : 1;
    }
    return count;
}

static int compare(const void *left, const void *right)
{
    const struct fault_script_step *first = left;
    const struct fault_script_step *second = right;

    if (first->at_ps != second->at_ps)
        return first->at_ps < second->at_ps ? -1 : 1;
    return first->line < second->line ? -1 : first->line > second->line;
}

bool fault_script_read(struct yaml *yaml, const struct yaml_node *top, struct fault_script *script)
{
    const struct yaml_node *list = yaml_member(top, "faults");

    *script = (struct fault_script){ 0 };
    if (!list || list->kind != YAML_SEQUENCE)
        return yaml_complain(yaml, list ? list : top,
            "there is no list 'faults'; mrc-experiment(5) says how to write it");
    script->steps = yaml_take(yaml, count_steps(list) + 1, sizeof(*script->steps));
    for (const struct yaml_node *node = list->first; node; node = node->next)
        if (!add_entry(yaml, node, script))
            return false;
    qsort(script->steps, script->count, sizeof(*script->steps), compare);
    return true;
}
