/* SPDX-License-Identifier: Apache-2.0 */
/* NIC i and the i-th NIC from the end are a pair: they have no switch in common below the highest
 * tier, and no digit in a ZCube. */
#include "study/size_measure_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "study/size_text.h"

static const char frame[] = "name: failures\n"
                            "title: What a failure of each element takes away\n"
                            "duration: 1200 us\n"
                            "sample: 10 us\n"
                            "phases: [ { name: during, from: 800 us } ]\n";

/* ---- who is affected ------------------------------------------------------------------------- */

/* Returns the distance between two neighbouring NICs below one switch: a level of a ZCube connects
 * NICs that differ in one digit. */
static uint32_t step_of(const struct size_fabric *fabric, const struct size_scene *scene)
{
    bool is_level = scene->element == SIZE_LEAF || scene->element == SIZE_UPLINK;
    uint32_t step = 1;

    if (fabric->request.kind == SIZE_ZCUBE && is_level)
        for (uint32_t tier = 0; tier < scene->tier; tier++)
            step *= fabric->tiers[0].units;
    return step;
}

static bool is_affected(
    const struct size_fabric *fabric, const struct size_scene *scene, uint32_t nic)
{
    uint32_t step = step_of(fabric, scene);

    return nic % step == 0 && nic / step < scene->nics;
}

static bool is_affected_pair(
    const struct size_fabric *fabric, const struct size_scene *scene, uint32_t first)
{
    uint32_t second = (uint32_t)fabric->places - 1 - first;

    return is_affected(fabric, scene, first) || is_affected(fabric, scene, second);
}

/* ---- workloads ------------------------------------------------------------------------------- */

static uint32_t count_pairs(const struct size_fabric *fabric, const struct size_scene *scene)
{
    uint32_t count = 0;

    for (uint32_t first = 0; first < fabric->places / 2; first++)
        count += is_affected_pair(fabric, scene, first);
    return count;
}

/* The pairs that are affected, or the others. */
struct group {
    const char *name;
    bool is_affected;
    uint32_t pairs;
};

/* Lists one NIC of each pair, then the others in the same order. */
static void write_nics(FILE *to, const struct size_fabric *fabric, const struct size_scene *scene,
    const struct group *group)
{
    const char *comma = "";

    for (int end = 0; end < 2; end++)
        for (uint32_t first = 0; first < fabric->places / 2; first++)
            if (is_affected_pair(fabric, scene, first) == group->is_affected) {
                fprintf(to, "%s%u", comma, end ? (uint32_t)fabric->places - 1 - first : first);
                comma = ", ";
            }
}

static void write_workload(FILE *to, const struct size_fabric *fabric,
    const struct size_scene *scene, const struct group *group)
{
    if (group->pairs == 0)
        return;
    fprintf(to, "      - { name: %s, kind: permutation, shift: %u, ", group->name, group->pairs);
    fputs("message_bytes: 1 MiB, outstanding: 4, nics: [", to);
    write_nics(to, fabric, scene, group);
    fputs("] }\n", to);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void write_where(FILE *to, const struct size_fabric *fabric, const struct size_scene *scene)
{
    switch (scene->element) {
    case SIZE_HOST_LINK:
        fputs("h0.p0", to);
        break;
    case SIZE_SWITCH_MODULE:
        for (uint32_t i = 0; i < scene->nics; i++)
            fprintf(to, "%sh%u.p0", i ? ", " : "", i);
        break;
    case SIZE_UPLINK:
        fprintf(to, "p0.t%u.0-t%u.0", scene->tier, scene->tier + 1);
        break;
    case SIZE_POWER_GROUP:
        for (uint32_t i = 0; i < scene->nics / fabric->tiers[0].host_ports; i++)
            fprintf(to, "%sp0.t0.%u", i ? ", " : "", i);
        break;
    case SIZE_LEAF:
    case SIZE_UPPER_SWITCH:
        fprintf(to, "p0.t%u.0", scene->tier);
        break;
    default:
        fputs("h0", to);
        break;
    }
}

static void write_fault(FILE *to, const struct size_fabric *fabric, const struct size_scene *scene)
{
    bool is_switch = scene->element == SIZE_LEAF || scene->element == SIZE_UPPER_SWITCH ||
                     scene->element == SIZE_POWER_GROUP;

    fprintf(to, "    faults: [ { kind: %s, at: %d us, where: [", is_switch ? "reboot" : "down",
        SIZE_MEASURE_FAILS_US);
    write_where(to, fabric, scene);
    fputs("] } ]\n", to);
}

/* ---- the sweep ------------------------------------------------------------------------------- */

static void write_run(
    FILE *to, const struct size_fabric *fabric, const struct size_scene *scene, uint32_t number)
{
    struct group affected = { "affected", true, scene->pairs };
    struct group others = { "others", false, (uint32_t)fabric->places / 2 - scene->pairs };

    fprintf(to, "  - label: run_%u\n    workloads:\n", number);
    write_workload(to, fabric, scene, &affected);
    write_workload(to, fabric, scene, &others);
}

/* Returns an earlier scene that divides the NICs in the same way, or this one. */
static const struct size_scene *find_alike(
    const struct size_measure *measure, const struct size_scene *scene)
{
    const struct size_scene *other = measure->scenes;

    while (other < scene && (other->nics != scene->nics ||
                                step_of(&measure->small, other) != step_of(&measure->small, scene)))
        other++;
    return other;
}

static void write_scenes(FILE *to, struct size_measure *measure)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < measure->scene_count; i++) {
        struct size_scene *scene = &measure->scenes[i];
        const struct size_scene *alike = find_alike(measure, scene);

        scene->pairs = count_pairs(&measure->small, scene);
        if (alike == scene) {
            scene->quiet_run = count++;
            write_run(to, &measure->small, scene, scene->quiet_run);
        }
        scene->quiet_run = alike->quiet_run;
        scene->run = count++;
        write_run(to, &measure->small, scene, scene->run);
        write_fault(to, &measure->small, scene);
    }
}

char *size_measure_text(struct size_measure *measure, const struct size_site *site)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    bool is_built;

    if (!to)
        return NULL;
    fprintf(to, "%sfabric: { ", frame);
    is_built = size_text_write(to, &measure->small, site, ", ");
    fputs(" }\nworkloads: [ { kind: permutation } ]\nsweep:\n", to);
    write_scenes(to, measure);
    if (fclose(to) != 0 || !is_built) {
        free(text);
        return NULL;
    }
    return text;
}
