/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers reports, round by round. */
#include "ctl/ctl_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ctl_map_verdict.h"

enum {
    LINE = 64,
    VERDICT_MAX = 1024,
    LOST_MAX = 1 << 16,
    EV_PLACES = 16384,
    FADING = 64,        /* rounds until fewer NICs than usual are the usual number */
    OVERDUE_MS = 4000,  /* after the end of a round: agents wait 2 s at most, and reports travel */
    OVERDUE_ROUNDS = 6, /* of short rounds: fewer than are kept */
    EV_KEPT_MS = 600000,
    EARLY_MS = 1000, /* how much sooner than here a round may end by the clock of an agent */
};

/* ---- life ------------------------------------------------------------------------------------ */

static int64_t hash_text(const char *text)
{
    uint32_t hash = UINT32_C(2166136261);

    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT32_C(16777619);
    return hash;
}

static bool open_memory(struct ctl_map *map)
{
    struct map_config config = { .fabric = map->plan,
        .round_periods = map->config.round_periods,
        .verdict_max = VERDICT_MAX,
        .lost_max = LOST_MAX };
    struct arena arena;
    size_t bytes;

    arena_init(&arena, NULL, 0);
    map_init(&map->map, &arena, &config);
    map_evs_init(&map->evs, &arena, EV_PLACES);
    bytes = (arena.used_bytes + LINE - 1) / LINE * LINE;
    map->memory = aligned_alloc(LINE, bytes);
    map->reported = calloc(map->plan->topology.nic_count, sizeof(*map->reported));
    map->losses = calloc((size_t)config.round_periods * MAP_SLOTS_MAX, sizeof(*map->losses));
    if (!map->memory || !map->reported || !map->losses)
        return false;
    memset(map->memory, 0, bytes);
    arena_init(&arena, map->memory, bytes);
    map_init(&map->map, &arena, &config);
    map_evs_init(&map->evs, &arena, EV_PLACES);
    return true;
}

int ctl_map_init(struct ctl_map *map, const struct plan *plan, struct ctl_store *store,
    const struct ctl_map_config *config)
{
    *map = (struct ctl_map){
        .config = *config, .plan = plan, .store = store, .fabric_id = hash_text(config->fabric_text)
    };
    if (config->period_ms == 0)
        return 0;
    if (!open_memory(map))
        return -ENOMEM;
    for (uint32_t i = 0; i < CTL_MAP_ROUNDS; i++)
        map->pending[i] = json_array();
    ctl_map_verdict_load(map);
    return 0;
}

void ctl_map_fini(struct ctl_map *map)
{
    for (uint32_t i = 0; i < CTL_MAP_ROUNDS; i++)
        json_decref(map->pending[i]);
    for (uint32_t i = 0; i < map->verdict_count; i++)
        json_decref(map->verdicts[i].evidence);
    free(map->memory);
    free(map->reported);
    free(map->losses);
}

/* ---- reports --------------------------------------------------------------------------------- */

/* Compares losses, which are a port, a period and a slot each. */
static bool is_later(const json_t *lost, size_t at, size_t than)
{
    for (size_t i = 0; i < 3; i++) {
        json_int_t number = json_integer_value(json_array_get(lost, at + i));
        json_int_t other = json_integer_value(json_array_get(lost, than + i));

        if (number != other)
            return number > other;
    }
    return false;
}

/* Reports are kept until their round is judged, so they have at most what a NIC can lose: each
 * probe once, in order. */
static bool is_possible(const struct ctl_map *map, const json_t *report)
{
    size_t losses_max =
        (size_t)map->plan->topology.config.plane_count * map->config.round_periods * MAP_SLOTS_MAX;
    const json_t *lost = json_object_get(report, "lost");
    const json_t *number;
    size_t i;

    if (!json_is_array(lost) || json_array_size(lost) % 3 != 0 ||
        json_array_size(lost) > 3 * losses_max ||
        json_integer_value(json_object_get(report, "ports")) <= 0)
        return false;
    json_array_foreach(lost, i, number)
    {
        if (!json_is_integer(number) || (i % 3 == 2 && i > 2 && !is_later(lost, i - 2, i - 5)))
            return false;
    }
    return true;
}

/* A round that was closed without this NIC, which has reported all the same: others wait for it. */
static void note_late(struct ctl_map *map, uint64_t round, uint32_t nic)
{
    map->late++;
    if (!map->is_begun || round + 1 != map->map.round || map->reported[nic] > round)
        return;
    map->reported[nic] = round + 1;
    map->nics_expected++;
}

/* The first report may be of any round: agents count as this process told them, and an answer that
 * an earlier one gave had the same clock. */
bool ctl_map_take_nic(
    struct ctl_map *map, uint64_t round, uint32_t nic, const json_t *report, uint64_t now_ms)
{
    uint64_t round_ms = (uint64_t)map->config.period_ms * map->config.round_periods;

    if (round_ms == 0)
        return true;
    if (!is_possible(map, report) || round > now_ms / round_ms + CTL_MAP_ROUNDS)
        return false;
    if (!map->is_begun || round < map->map.round) {
        note_late(map, round, nic);
        return true;
    }
    if (round >= map->map.round + CTL_MAP_ROUNDS || map->reported[nic] > round ||
        (round + 1) * round_ms > now_ms + EARLY_MS)
        return false;
    map->reported[nic] = round + 1;
    json_array_append_new(map->pending[round % CTL_MAP_ROUNDS],
        json_pack("{s:i,s:O*,s:O*}", "nic", (int)nic, "ports", json_object_get(report, "ports"),
            "lost", json_object_get(report, "lost")));
    map->nics += round == map->map.round;
    return true;
}

void ctl_map_take_event(struct ctl_map *map, const json_t *event, uint32_t nic, uint64_t now_ms)
{
    if (map->config.period_ms > 0)
        ev_report_take(&map->evs, &map->map, event, nic, now_ms);
}

void ctl_map_note_owner(struct ctl_map *map, uint32_t nic, bool has_owner)
{
    if (map->config.period_ms > 0 && !has_owner && map->evs.count > 0)
        map_evs_forget_nic(&map->evs, &map->map, nic);
}

json_t *ctl_map_answer(const struct ctl_map *map, int64_t fabric_id, uint64_t now_ms)
{
    json_t *answer;

    if (map->config.period_ms == 0)
        return NULL;
    answer = json_pack("{s:i,s:i,s:I,s:I}", "period_ms", (int)map->config.period_ms,
        "round_periods", (int)map->config.round_periods, "time_ms", (json_int_t)now_ms, "fabric_id",
        (json_int_t)map->fabric_id);
    if (fabric_id != map->fabric_id && map->config.fabric_text)
        json_object_set_new(answer, "fabric", json_string(map->config.fabric_text));
    return answer;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Reads the losses of one port, which follow each other. */
static uint32_t read_losses(struct ctl_map *map, const json_t *lost, uint32_t port)
{
    size_t size = json_array_size(lost);
    uint32_t most = map->config.round_periods * MAP_SLOTS_MAX;
    uint32_t count = 0;

    for (size_t i = 0; i + 2 < size && count < most; i += 3) {
        json_int_t period = json_integer_value(json_array_get(lost, i + 1));
        json_int_t slot = json_integer_value(json_array_get(lost, i + 2));

        if (json_integer_value(json_array_get(lost, i)) != port)
            continue;
        map->losses[count++] =
            (struct map_loss){ .period = period >= 0 && period < UINT16_MAX ? (uint16_t)period
                                                                            : UINT16_MAX,
                .slot = slot >= 0 && slot < UINT8_MAX ? (uint8_t)slot : UINT8_MAX };
    }
    return count;
}

static void judge_nic(struct ctl_map *map, const json_t *report)
{
    uint32_t nic = (uint32_t)json_integer_value(json_object_get(report, "nic"));
    json_int_t ports = json_integer_value(json_object_get(report, "ports"));

    for (uint32_t port = 0; port < map->plan->topology.config.plane_count; port++)
        if (ports >> port & 1)
            map_report(&map->map,
                &(struct map_report){ .nic = nic,
                    .port = port,
                    .periods = map->config.round_periods,
                    .lost = map->losses,
                    .lost_count = read_losses(map, json_object_get(report, "lost"), port) });
}

static void close_round(struct ctl_map *map, const struct ctl_denylist *denylist, uint64_t now_ms)
{
    json_t *reports = map->pending[map->map.round % CTL_MAP_ROUNDS];
    const json_t *report;
    size_t i;

    json_array_foreach(reports, i, report) judge_nic(map, report);
    map->nics_last = (uint32_t)json_array_size(reports);
    map->nics_expected = map->nics_last;
    if (map->nics_last > map->nics_usual)
        map->nics_usual = map->nics_last;
    else
        map->nics_usual -= (map->nics_usual - map->nics_last + FADING - 1) / FADING;
    json_array_clear(reports);
    if (now_ms > EV_KEPT_MS)
        map_evs_expire(&map->evs, &map->map, now_ms - EV_KEPT_MS);
    map_close_round(&map->map);
    map->nics = (uint32_t)json_array_size(map->pending[map->map.round % CTL_MAP_ROUNDS]);
    ctl_map_verdict_update(map, denylist, now_ms);
}

/* Leaves out rounds for which a controller that was stopped has no reports. */
static void begin_at(struct ctl_map *map, uint64_t round)
{
    for (uint32_t i = 0; i < CTL_MAP_ROUNDS; i++)
        json_array_clear(map->pending[i]);
    map_skip_to(&map->map, round);
    map->nics = 0;
    map->is_begun = true;
}

static uint64_t overdue_ms(uint64_t round_ms)
{
    return OVERDUE_MS < OVERDUE_ROUNDS * round_ms ? OVERDUE_MS : OVERDUE_ROUNDS * round_ms;
}

bool ctl_map_turn(struct ctl_map *map, const struct ctl_denylist *denylist, uint64_t now_ms)
{
    uint64_t round_ms = (uint64_t)map->config.period_ms * map->config.round_periods;
    uint64_t end_ms = (map->map.round + 1) * round_ms;
    bool is_complete = map->nics_expected > 0 && map->nics >= map->nics_expected;

    if (round_ms == 0)
        return false;
    if (!map->is_begun || now_ms > end_ms + CTL_MAP_ROUNDS * round_ms) {
        begin_at(map, now_ms / round_ms);
        return false;
    }
    if (now_ms < end_ms || !(is_complete || now_ms >= end_ms + overdue_ms(round_ms)))
        return false;
    close_round(map, denylist, now_ms);
    return true;
}

bool ctl_map_is_covered(const struct ctl_map *map)
{
    return map->nics_last > 0 && 2 * map->nics_last > map->nics_usual;
}

json_t *ctl_map_describe(const struct ctl_map *map)
{
    const struct map_counts *counts = &map->map.counts;

    if (map->config.period_ms == 0)
        return NULL;
    return json_pack("{s:i,s:i,s:I,s:i,s:I,s:I,s:I,s:i,s:i,s:i}", "period_ms",
        (int)map->config.period_ms, "round_periods", (int)map->config.round_periods, "rounds",
        (json_int_t)counts->rounds, "nics", (int)map->nics_last, "lost", (json_int_t)counts->lost,
        "refused", (json_int_t)counts->refused, "late", (json_int_t)map->late, "suspect_links",
        (int)map->map.active_count, "evs_avoided", (int)map->evs.count, "verdicts",
        (int)map->verdict_count);
}
