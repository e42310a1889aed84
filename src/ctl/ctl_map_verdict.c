/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts become rows of the store: with text, confidence, begin and evidence. */
#include "ctl/ctl_map_verdict.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/ctl_clock.h"

enum {
    UPDATE_MS = 5000,         /* between writes of the same verdict */
    CONFIRM_PERIODS = 1200,   /* docs/map.md: a loss of 1 % is named after 1,100 */
    CONFIDENCE_MOST = 999999, /* millionths */
    WITNESSES_MAX = 16,
};

/* ---- figures --------------------------------------------------------------------------------- */

/* Returns 1 - e^-nats in millionths. */
static int64_t confidence_ppm(uint32_t nats)
{
    double left = 1;

    for (uint32_t i = 0; i < nats && left > 1e-7; i++)
        left /= 2.718281828459045;
    return left * 1e6 < 1 ? CONFIDENCE_MOST : (int64_t)(1e6 - left * 1e6);
}

/* Counts the EVs over the element that senders avoid, or that are denied. */
static uint32_t count_evs(const struct ctl_map *map, const struct map_verdict *verdict,
    const char *name, const struct ctl_denylist *denylist)
{
    uint32_t paths = plan_plane_paths(map->plan);
    uint32_t total = paths * map->plan->topology.config.plane_count;
    bool *is_avoided = calloc(total + 1, sizeof(*is_avoided));
    char reason[TOPOLOGY_REASON_BYTES];
    struct plan_drain drain;
    uint32_t count = 0;

    if (!is_avoided || !plan_drain_find(map->plan, name, &drain, reason))
        goto free_list;
    for (uint32_t i = 0; i < map->evs.place_count; i++) {
        const struct map_avoided *avoided = map_evs_at(&map->evs, i);
        struct ev_path path;

        if (!avoided || !map_evs_implicates(&map->map, avoided, verdict))
            continue;
        path = plan_ev_path(map->plan, avoided->ev);
        is_avoided[path.plane * paths + path.uplink] = true;
    }
    for (uint32_t i = 0; i < total; i++) {
        uint32_t ev = plan_ev(map->plan, (struct ev_path){ i / paths, i % paths });

        count += is_avoided[i] ||
                 (plan_drain_denies(map->plan, &drain, ev) && ctl_denylist_denies(denylist, ev));
    }
free_list:
    free(is_avoided);
    return count;
}

/* Lists some of the senders that avoid EVs over the element: [from, to, EV]. */
static json_t *list_witnesses(const struct ctl_map *map, const struct map_verdict *verdict)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < map->evs.place_count && json_array_size(list) < WITNESSES_MAX; i++) {
        const struct map_avoided *avoided = map_evs_at(&map->evs, i);
        char ev[PLAN_EV_NAME_BYTES];

        if (!avoided || !map_evs_implicates(&map->map, avoided, verdict))
            continue;
        plan_ev_name(plan_ev_path(map->plan, avoided->ev), ev);
        json_array_append_new(list, json_pack("[o,o,s]", json_sprintf("h%u", avoided->from),
                                        json_sprintf("h%u", avoided->to), ev));
    }
    return list;
}

/* The time of day at which a period began, as this machine has it now. */
static int64_t day_ms(const struct ctl_map *map, uint64_t period, uint64_t now_ms)
{
    return ctl_clock_day_ms() - (int64_t)(now_ms - period * map->config.period_ms);
}

static void write_clock(int64_t time_ms, char out[static 16])
{
    time_t seconds = (time_t)(time_ms / 1000);
    struct tm utc;

    if (!gmtime_r(&seconds, &utc) || strftime(out, 16, "%H:%M:%SZ", &utc) == 0)
        snprintf(out, 16, "-");
}

/* ---- rows ------------------------------------------------------------------------------------ */

static struct ctl_map_verdict *find_row(struct ctl_map *map, const char *element)
{
    for (uint32_t i = 0; i < map->verdict_count; i++)
        if (strcmp(map->verdicts[i].element, element) == 0)
            return &map->verdicts[i];
    return NULL;
}

static struct ctl_map_verdict *find_or_add(struct ctl_map *map, const char *element)
{
    struct ctl_map_verdict *row = find_row(map, element);

    if (row || map->verdict_count == CTL_MAP_VERDICTS)
        return row;
    row = &map->verdicts[map->verdict_count++];
    *row = (struct ctl_map_verdict){ 0 };
    snprintf(row->element, sizeof(row->element), "%s", element);
    return row;
}

void ctl_map_verdict_load(struct ctl_map *map)
{
    json_t *rows = ctl_store_open_verdicts(map->store);
    const json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        const json_t *evidence = json_object_get(row, "evidence");
        const char *source = json_string_value(json_object_get(evidence, "source"));
        const char *element = json_string_value(json_object_get(row, "element"));
        const char *text = json_string_value(json_object_get(row, "text"));
        struct ctl_map_verdict *kept;

        if (!source || strcmp(source, "map") != 0 || !element ||
            strlen(element) >= sizeof(kept->element))
            continue;
        kept = find_or_add(map, element);
        if (!kept)
            break;
        snprintf(kept->text, sizeof(kept->text), "%s", text ? text : "");
        kept->evidence = json_incref(json_object_get(row, "evidence"));
    }
    json_decref(rows);
}

/* If the store cannot end it now, it is tried again after the next round. */
static void end_row(struct ctl_map *map, struct ctl_map_verdict *row)
{
    int err = ctl_store_end_verdict(map->store, row->element);

    if (err && err != -ENOENT)
        return;
    json_decref(row->evidence);
    *row = map->verdicts[--map->verdict_count];
}

/* Stores the row if it is new, or has another text and was not stored lately. */
static void put_row(struct ctl_map *map, struct ctl_map_verdict *row,
    const struct map_verdict *verdict, const char *text, uint64_t now_ms)
{
    bool is_new = row->number != verdict->number;
    char *evidence = json_dumps(row->evidence, JSON_COMPACT);
    struct ctl_verdict stored = { .element = row->element,
        .text = text,
        .evidence = evidence,
        .confidence_ppm = confidence_ppm(verdict->weight_nats),
        .since_ms = day_ms(map, verdict->since, now_ms) };

    if ((is_new || (now_ms - row->put_ms >= UPDATE_MS && strcmp(text, row->text) != 0)) &&
        ctl_store_put_verdict(map->store, &stored) == 0) {
        snprintf(row->text, sizeof(row->text), "%s", text);
        row->number = verdict->number;
        row->put_ms = now_ms;
    }
    free(evidence);
}

static void update_row(struct ctl_map *map, const struct map_verdict *verdict,
    const struct ctl_denylist *denylist, uint64_t now_ms)
{
    uint32_t ev_total = plan_plane_paths(map->plan) * map->plan->topology.config.plane_count;
    char name[TOPOLOGY_NAME_BYTES];
    struct map_verdict shown = *verdict;
    struct ctl_map_verdict *row;
    char text[MAP_TEXT_BYTES];
    char since[16];

    topology_name(&verdict->element, name);
    row = find_or_add(map, name);
    if (!row)
        return;
    shown.evs_bad = count_evs(map, verdict, name, denylist);
    write_clock(day_ms(map, verdict->since, now_ms), since);
    map_text(&map->plan->topology, &shown, since, ev_total, text);
    json_decref(row->evidence);
    row->evidence = json_pack("{s:s,s:i,s:s,s:i,s:i,s:i,s:o}", "source", "map", "loss_ppm",
        (int)verdict->loss_ppm, "direction", map_direction_words[verdict->direction], "nats",
        (int)verdict->weight_nats, "evs_denied", (int)shown.evs_bad, "evs", (int)ev_total,
        "avoided", list_witnesses(map, verdict));
    put_row(map, row, verdict, text, now_ms);
}

/* Returns the open verdict of the map with this number. */
static bool is_open(const struct map *map, uint32_t number)
{
    for (uint32_t i = 0; i < map_verdict_count(map); i++)
        if (map_verdict_at(map, i)->number == number)
            return map_verdict_is_open(map_verdict_at(map, i));
    return false;
}

void ctl_map_verdict_update(
    struct ctl_map *map, const struct ctl_denylist *denylist, uint64_t now_ms)
{
    for (uint32_t i = 0; i < map_verdict_count(&map->map); i++)
        if (map_verdict_is_open(map_verdict_at(&map->map, i)))
            update_row(map, map_verdict_at(&map->map, i), denylist, now_ms);
    for (uint32_t i = map->verdict_count; i-- > 0;) {
        struct ctl_map_verdict *row = &map->verdicts[i];

        if (row->number == 0 && ctl_map_is_covered(map))
            row->quiet += map->config.round_periods;
        if (row->number == 0 ? row->quiet >= CONFIRM_PERIODS : !is_open(&map->map, row->number))
            end_row(map, row);
    }
}
