/* SPDX-License-Identifier: Apache-2.0 */
/* Compares all switches, links and NICs of two plans, and prints the changes in the order of a safe
 * roll-out: NICs stop using what goes away, switches change, NICs use what is new. */
#include "config/config_diff.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "config/config_nic.h"

enum { LINKS_SHOWN = 8 };

struct changes {
    const struct config_source *before;
    const struct config_source *after;
    struct config_change *list;
    size_t count;
    uint32_t switches; /* that change */
};

static void keep_change(struct changes *changes, const struct config_change *change)
{
    if (change->count > 0)
        changes->list[changes->count++] = *change;
}

/* ---- switches -------------------------------------------------------------------------------- */

static bool find_switch(const struct plan *plan, const char *name, uint32_t *node)
{
    char reason[TOPOLOGY_REASON_BYTES];
    struct topology_element element;

    if (!topology_find(&plan->topology, name, &element, reason))
        return false;
    *node = topology_switch_index(&plan->topology, &element);
    return true;
}

static struct config_change whole_switch(const struct config_switch *self, enum config_step step)
{
    struct topology_element element = topology_switch_at(&self->plan->topology, self->node);
    struct config_change change = {
        .step = step, .place = topology_place_of(&element), .count = 1
    };

    memcpy(change.name, self->name, sizeof(change.name));
    snprintf(change.first, sizeof(change.first), "the whole switch, %u ports", self->port_count);
    return change;
}

static void compare_switches(struct changes *changes)
{
    struct config_switch_diff diff;
    struct config_switch before;
    struct config_switch after;
    uint32_t node;

    for (uint32_t i = 0; i < changes->before->plan->topology.switch_count; i++) {
        size_t count = changes->count;

        config_switch_of(changes->before, i, &before);
        if (find_switch(changes->after->plan, before.name, &node)) {
            config_switch_of(changes->after, node, &after);
            config_diff_switch(&before, &after, &diff);
            for (uint32_t step = 0; step < CONFIG_STEP_COUNT; step++)
                keep_change(changes, &diff.steps[step]);
        } else {
            struct config_change gone = whole_switch(&before, CONFIG_STEP_REMOVE);

            keep_change(changes, &gone);
        }
        changes->switches += changes->count > count;
    }
    for (uint32_t i = 0; i < changes->after->plan->topology.switch_count; i++) {
        struct config_change new_one;

        config_switch_of(changes->after, i, &after);
        if (find_switch(changes->before->plan, after.name, &node))
            continue;
        new_one = whole_switch(&after, CONFIG_STEP_ADD);
        keep_change(changes, &new_one);
        changes->switches++;
    }
}

static int order_of(uint32_t left, uint32_t right)
{
    return (left > right) - (left < right);
}

/* Additions begin far from NICs, and removals near them: a path is complete before NICs use it. */
static int by_step(const void *left, const void *right)
{
    const struct config_change *a = left;
    const struct config_change *b = right;
    int sign = a->step == CONFIG_STEP_REMOVE ? 1 : -1;

    if (a->step != b->step)
        return order_of(a->step, b->step);
    if (a->step == CONFIG_STEP_CHANGE && a->place.plane != b->place.plane)
        return order_of(a->place.plane, b->place.plane);
    if (a->place.tier != b->place.tier)
        return sign * order_of(a->place.tier, b->place.tier);
    if (a->place.plane != b->place.plane)
        return order_of(a->place.plane, b->place.plane);
    return order_of(a->place.index, b->place.index);
}

/* ---- links ----------------------------------------------------------------------------------- */

/* Returns whether the plan has a link of this name with a cable. */
static bool has_link(const struct plan *plan, const char *name)
{
    char reason[TOPOLOGY_REASON_BYTES];
    struct topology_element link;

    return topology_find(&plan->topology, name, &link, reason) &&
           topology_has(&plan->topology, &link, reason);
}

/* Prints the links that only the first plan has. Returns their number. */
static size_t print_links(const struct plan *plan, const struct plan *other, FILE *to)
{
    size_t found = 0;

    for (size_t i = 0; i < topology_link_count(&plan->topology); i++) {
        struct topology_link_kind kind;
        struct topology_element link;
        char name[TOPOLOGY_NAME_BYTES];

        if (!topology_link_numbered(&plan->topology, i, &link, &kind))
            continue;
        topology_name(&link, name);
        if (has_link(other, name))
            continue;
        if (found++ < LINKS_SHOWN)
            fprintf(to, "%s %s", found > 1 ? "," : "", name);
    }
    if (found > LINKS_SHOWN)
        fprintf(to, " and %zu more", found - LINKS_SHOWN);
    fputs(found ? "\n" : " none\n", to);
    return found;
}

/* ---- NICs ------------------------------------------------------------------------------------ */

/* Returns the text of what all NICs are told about the fabric; NULL: no memory. */
static char *nic_text(const struct plan *plan, uint32_t nic)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);

    if (!file)
        return NULL;
    config_nic_address(plan, nic, file);
    config_nic_fabric(plan, nic, "graph", file);
    return fclose(file) == 0 ? text : NULL;
}

/* Returns the number of NICs of both plans whose file changes. */
static uint32_t changed_nics(const struct plan *before, const struct plan *after)
{
    uint32_t least = before->topology.nic_count < after->topology.nic_count
                         ? before->topology.nic_count
                         : after->topology.nic_count;
    uint32_t count = 0;

    for (uint32_t nic = 0; nic < least; nic++) {
        char *old_text = nic_text(before, nic);
        char *new_text = nic_text(after, nic);

        count += !old_text || !new_text || strcmp(old_text, new_text) != 0;
        free(old_text);
        free(new_text);
    }
    return count;
}

static uint64_t print_nics(const struct plan *before, const struct plan *after, FILE *to)
{
    uint32_t changed = changed_nics(before, after);
    uint32_t old_count = before->topology.nic_count;
    uint32_t new_count = after->topology.nic_count;

    fprintf(to, "   new mrc.conf: %u NICs", changed);
    if (new_count > old_count)
        fprintf(to, "; new: h%u to h%u", old_count, new_count - 1);
    if (new_count < old_count)
        fprintf(to, "; gone: h%u to h%u", new_count, old_count - 1);
    fputc('\n', to);
    return changed +
           (uint64_t)(new_count > old_count ? new_count - old_count : old_count - new_count);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void print_step(const struct changes *changes, enum config_step step, FILE *to)
{
    size_t shown = 0;

    for (size_t i = 0; i < changes->count; i++) {
        const struct config_change *change = &changes->list[i];

        if (change->step != step)
            continue;
        fprintf(to, "   %s: %s", change->name, change->first);
        if (change->count > 1)
            fprintf(to, ", and %u more", change->count - 1);
        fputc('\n', to);
        shown++;
    }
    if (shown == 0)
        fputs("   nothing\n", to);
}

static int64_t print_changes(const struct changes *changes, FILE *to)
{
    const struct plan *before = changes->before->plan;
    const struct plan *after = changes->after->plan;
    uint64_t total = changes->switches;

    fprintf(to, "%u of %u switches change\n", changes->switches, after->topology.switch_count);
    fputs("1. NICs: deny the paths over links that go:", to);
    total += print_links(before, after, to);
    fputs("2. switches: add, farthest from NICs first\n", to);
    print_step(changes, CONFIG_STEP_ADD, to);
    fputs("3. switches: change, plane after plane\n", to);
    print_step(changes, CONFIG_STEP_CHANGE, to);
    fputs("4. switches: remove, nearest to NICs first\n", to);
    print_step(changes, CONFIG_STEP_REMOVE, to);
    fputs("5. NICs: allow the paths over new links:", to);
    total += print_links(after, before, to);
    return (int64_t)(total + print_nics(before, after, to));
}

int64_t config_diff_print(
    const struct config_source *before, const struct config_source *after, FILE *to)
{
    struct changes changes = { .before = before, .after = after };
    size_t room = (size_t)CONFIG_STEP_COUNT * before->plan->topology.switch_count +
                  after->plan->topology.switch_count;
    int64_t total;

    changes.list = calloc(room, sizeof(*changes.list));
    if (!changes.list)
        return -ENOMEM;
    compare_switches(&changes);
    qsort(changes.list, changes.count, sizeof(*changes.list), by_step);
    total = print_changes(&changes, to);
    free(changes.list);
    return total;
}
