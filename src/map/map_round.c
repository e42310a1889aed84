/* SPDX-License-Identifier: Apache-2.0 */
/* A round: reports of ports become counts of lost probes, and those become scores. A lost probe is
 * held against a link only if nothing else on its way is suspect. */
#include "map/map_ends.h"
#include "map/map_judge.h"
#include "map/map_site.h"

enum { LOSSES_OF_SUSPECT = 2 }; /* near probes that a port loses in a round */

static const struct topology *fabric_of(const struct map *map)
{
    return &map->config.fabric->topology;
}

/* ---- reports --------------------------------------------------------------------------------- */

static void activate(struct map *map, uint32_t number)
{
    struct map_link *link = &map->links[number];

    if (link->flags & MAP_LINK_ACTIVE)
        return;
    link->flags |= MAP_LINK_ACTIVE;
    map->active[map->active_count++] = number;
}

static void count_loss(uint16_t *count)
{
    *count = (uint16_t)(*count + (*count < UINT16_MAX));
}

static void lose_bounce(struct map *map, uint32_t link)
{
    count_loss(&map->links[link].round_bounces_lost);
    activate(map, link);
}

static void lose_crossing(struct map *map, struct map_step step)
{
    struct map_link *link = &map->links[step.link];

    count_loss(step.goes_up ? &link->round_up_lost : &link->round_down_lost);
    activate(map, step.link);
}

static bool report_is_possible(const struct map *map, const struct map_report *report)
{
    uint32_t slots;

    if (report->nic >= fabric_of(map)->nic_count ||
        report->port >= fabric_of(map)->config.plane_count || report->periods == 0 ||
        report->periods > map->config.round_periods)
        return false;
    slots = map_schedule_count(&map->schedule, report->nic, report->port);
    for (uint32_t i = 0; i < report->lost_count; i++)
        if (report->lost[i].slot >= slots || report->lost[i].period >= report->periods ||
            (i > 0 && report->lost[i].period < report->lost[i - 1].period))
            return false;
    return slots > 0;
}

/* Loops and one-way probes wait until the round closes: other ports may tell more about the links
 * on their way. */
static void keep_loss(struct map *map, const struct map_slot *slot)
{
    if (map->lost_count == map->config.lost_max)
        map->counts.dropped++;
    else
        map->lost[map->lost_count++] = *slot;
}

/* A loss of another probe than the near one. */
static void take_loss(struct map *map, struct map_slot *slot, bool is_excused)
{
    struct map_probe probe;
    struct map_slot incoming;

    if (!map_schedule_at(&map->schedule, slot, &probe))
        return;
    if (probe.kind == MAP_ONE_WAY) {
        if (map_schedule_incoming(&map->schedule, slot->nic, slot->port, slot->period, &incoming))
            keep_loss(map, &incoming);
        return;
    }
    if (is_excused)
        map->counts.excused++;
    else if (probe.kind == MAP_FAR)
        lose_bounce(map, map_schedule_steps(&map->schedule, slot, &probe).at[1].link);
    else
        keep_loss(map, slot);
}

static uint32_t near_losses(const struct map_report *report)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < report->lost_count; i++)
        count += report->lost[i].slot == 0;
    return count;
}

/* The near probe is the first slot, so that its loss precedes those of the same period. */
static void take_losses(struct map *map, const struct map_report *report, uint32_t host_link)
{
    bool is_suspect = map->links[host_link].score >= MAP_SCORE_SUSPECT ||
                      near_losses(report) >= LOSSES_OF_SUSPECT;
    uint32_t near_lost = UINT32_MAX; /* period */

    for (uint32_t i = 0; i < report->lost_count; i++) {
        struct map_slot slot = { .nic = report->nic,
            .port = report->port,
            .period = map_period(map) + report->lost[i].period,
            .number = report->lost[i].slot };

        map->counts.lost++;
        if (slot.number == 0) {
            near_lost = report->lost[i].period;
            lose_bounce(map, host_link);
        } else {
            take_loss(map, &slot, is_suspect || near_lost == report->lost[i].period);
        }
    }
}

bool map_report(struct map *map, const struct map_report *report)
{
    struct topology_end end = { .is_nic = true, .node = report->nic, .port = report->port };
    struct topology_end first;
    uint32_t host_link;

    map->counts.refused++;
    if (!report_is_possible(map, report))
        return false;
    host_link = (uint32_t)topology_nic_link(fabric_of(map), report->nic, report->port);
    if (map->links[host_link].round_periods > 0)
        return false;
    map->counts.refused--;
    map->counts.reports++;
    topology_peer(fabric_of(map), end, &first);
    map->links[host_link].round_periods = (uint16_t)report->periods;
    map->sites[first.node].periods += report->periods;
    map->periods += report->periods;
    if (report->lost_count > 0)
        take_losses(map, report, host_link);
    return true;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Returns how many periods the mean port reported. */
static uint32_t mean_periods(const struct map *map)
{
    return map->nic_links == 0 ? 0 : (uint32_t)(map->periods / map->nic_links);
}

/* Loops over a second suspect count for neither, whether they arrive or not. */
static uint32_t without_excused(const struct map *map, uint32_t crossings)
{
    enum { OTHERS = 3 };
    uint64_t links = map->link_count - map->nic_links;
    uint64_t others = map->suspect_count > 1 ? (uint64_t)OTHERS * (map->suspect_count - 1) : 0;

    return others >= links ? 0 : (uint32_t)(crossings * (links - others) / links);
}

/* Adds the probes of the hosts at one end of a link. Of the loops over a link, half begin at its
 * lower switch. */
static void add_samples(
    const struct map *map, uint32_t switch_index, struct map_link_samples *samples)
{
    const struct map_site *site = &map->schedule.sites[switch_index];
    uint64_t own = map->sites[switch_index].periods;
    uint64_t others = (uint64_t)mean_periods(map) * site->host_count;
    uint32_t uplinks = map_site_uplinks(site);

    if (site->host_count == 0)
        return;
    samples->bounces += (uint32_t)(own * site->far_count / uplinks);
    samples->crossings +=
        without_excused(map, (uint32_t)(2 * (own + others) * site->loop_count / uplinks));
}

static struct map_link_samples host_samples(
    const struct map *map, uint32_t link, uint32_t switch_index)
{
    uint32_t periods = map->links[link].round_periods;
    uint32_t others = mean_periods(map);
    uint32_t both = periods < others ? periods : others;

    return (struct map_link_samples){ .bounce = MAP_NEAR,
        .bounces = periods,
        .crossings = 2 * both * map->schedule.sites[switch_index].one_way_count };
}

static struct map_link_samples samples_of(const struct map *map, uint32_t link)
{
    struct map_ends ends = map_ends_of(map, link);
    struct map_link_samples samples = { .bounce = ends.bounce };
    const struct map_site *sites = map->schedule.sites;

    if (ends.bounce == MAP_NEAR)
        return host_samples(map, link, ends.upper.node);
    if (ends.bounce == MAP_DEEP) {
        samples.bounces =
            (uint32_t)((uint64_t)sites[ends.lower.node].deep_rate * mean_periods(map) / 256);
        return samples;
    }
    add_samples(map, ends.lower.node, &samples);
    add_samples(map, ends.upper.node, &samples);
    return samples;
}

/* ---- the end of a round ---------------------------------------------------------------------- */

static bool is_suspect(const struct map *map, uint32_t link)
{
    return (map->links[link].flags & MAP_LINK_SUSPECT) != 0;
}

/* Finds suspects from what bounced, before loops are looked at. */
static void find_suspects(struct map *map)
{
    map->suspect_count = 0;
    for (uint32_t i = 0; i < map->active_count; i++) {
        struct map_link *link = &map->links[map->active[i]];
        struct map_link_samples samples = samples_of(map, map->active[i]);

        link->flags &= (uint8_t)~MAP_LINK_SUSPECT;
        samples.crossings = 0;
        if (map_link_outlook(link, &samples) < MAP_SCORE_SUSPECT)
            continue;
        link->flags |= MAP_LINK_SUSPECT;
        if (samples.bounce == MAP_NEAR)
            map->sites[map_ends_of(map, map->active[i]).upper.node].suspect_hosts++;
        else
            map->suspect_count++;
    }
}

/* Returns true if most links of the switch to NICs are suspect: then the switch itself may be. A
 * single link does not tell. */
static bool site_is_suspect(const struct map *map, uint32_t switch_index)
{
    uint32_t host_count = map->schedule.sites[switch_index].host_count;

    return host_count > 1 && 2u * map->sites[switch_index].suspect_hosts > host_count;
}

static bool passes_suspect_site(const struct map *map, const struct map_probe *probe)
{
    for (uint32_t i = 0; i < probe->trail.switch_count; i++) {
        uint32_t at = probe->trail.ports[i].node;

        if (site_is_suspect(map, at))
            return true;
    }
    return false;
}

/* Holds a lost probe against steps [first, end): against all of them if none is suspect, or against
 * the one that is. */
static void blame_steps(
    struct map *map, const struct map_steps *steps, uint32_t first, uint32_t end)
{
    uint32_t suspects = 0;

    for (uint32_t i = first; i < end; i++)
        suspects += is_suspect(map, steps->at[i].link);
    for (uint32_t i = first; i < end; i++)
        if (suspects == 0 || (suspects == 1 && is_suspect(map, steps->at[i].link)))
            lose_crossing(map, steps->at[i]);
    map->counts.excused += suspects > 1;
}

static bool both_reported(const struct map *map, const struct map_steps *steps)
{
    return map->links[steps->at[0].link].round_periods == map->config.round_periods &&
           map->links[steps->at[1].link].round_periods == map->config.round_periods;
}

static void blame_loss(struct map *map, const struct map_slot *slot)
{
    struct map_probe probe;
    struct map_steps steps;

    if (!map_schedule_at(&map->schedule, slot, &probe))
        return;
    steps = map_schedule_steps(&map->schedule, slot, &probe);
    if (probe.kind == MAP_ONE_WAY) {
        if (both_reported(map, &steps))
            blame_steps(map, &steps, 0, 2);
    } else if (passes_suspect_site(map, &probe)) {
        map->counts.excused++;
    } else if (probe.kind == MAP_LOOP) {
        blame_steps(map, &steps, 1, steps.count - 1);
    } else if (!is_suspect(map, steps.at[1].link)) {
        lose_bounce(map, steps.at[2].link);
    }
}

static void score_links(struct map *map)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < map->active_count; i++) {
        uint32_t number = map->active[i];
        struct map_link *link = &map->links[number];
        struct map_link_samples samples = samples_of(map, number);

        map_link_close_round(link, &samples, map_period(map));
        if (link->score > 0)
            map->active[kept++] = number;
        else
            link->flags &= (uint8_t) ~(MAP_LINK_ACTIVE | MAP_LINK_SUSPECT);
    }
    map->active_count = kept;
}

static void forget_coverage(struct map *map)
{
    for (uint32_t i = 0; i < map->link_count; i++)
        map->links[i].round_periods = 0;
    for (uint32_t i = 0; i < fabric_of(map)->switch_count; i++) {
        map->sites[i].periods = 0;
        map->sites[i].suspect_hosts = 0;
    }
    map->periods = 0;
    map->lost_count = 0;
}

void map_skip_to(struct map *map, uint64_t round)
{
    map->round = round;
    forget_coverage(map);
}

void map_close_round(struct map *map)
{
    find_suspects(map);
    for (uint32_t i = 0; i < map->lost_count; i++)
        blame_loss(map, &map->lost[i]);
    score_links(map);
    map->round++;
    map->counts.rounds++;
    map_judge(map);
    forget_coverage(map);
}
