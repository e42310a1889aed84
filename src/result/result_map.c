/* SPDX-License-Identifier: Apache-2.0 */
/* Localisation as JSON and as lines. */
#include "result/result_map.h"

#include <inttypes.h>

enum { SINCE_BYTES = 32 };

static json_t *verdict_json(const struct topology *topology, const struct map_verdict *verdict)
{
    char name[TOPOLOGY_NAME_BYTES];
    char since[SINCE_BYTES];
    char text[MAP_TEXT_BYTES];
    json_t *json;

    topology_name(&verdict->element, name);
    snprintf(since, sizeof(since), "period %" PRIu64, verdict->since);
    map_text(topology, verdict, since, 0, text);
    json = json_pack("{s:s,s:s,s:f,s:I,s:I,s:i,s:i}", "element", name, "text", text, "loss",
        verdict->loss_ppm / 1e6, "since", (json_int_t)verdict->since, "named",
        (json_int_t)verdict->named, "nats", (int)verdict->weight_nats, "evs_bad",
        (int)verdict->evs_bad);
    if (topology_is_link(verdict->element.kind))
        json_object_set_new(
            json, "direction", json_string(map_direction_words[verdict->direction]));
    if (!map_verdict_is_open(verdict))
        json_object_set_new(json, "cleared", json_integer((json_int_t)verdict->cleared));
    return json;
}

json_t *result_map(const struct map *map, double period_us)
{
    const struct topology *topology = &map->config.fabric->topology;
    json_t *verdicts = json_array();

    for (uint32_t i = 0; i < map_verdict_count(map); i++)
        json_array_append_new(verdicts, verdict_json(topology, map_verdict_at(map, i)));
    return json_pack("{s:f,s:I,s:I,s:I,s:I,s:i,s:i,s:o}", "period_us", period_us, "periods",
        (json_int_t)map_period(map), "reports", (json_int_t)map->counts.reports, "lost",
        (json_int_t)map->counts.lost, "refused", (json_int_t)map->counts.refused, "suspect_links",
        (int)map->suspect_count, "uncovered_links", (int)map->schedule.uncovered, "verdicts",
        verdicts);
}

static long long whole(const json_t *json, const char *key)
{
    return (long long)json_integer_value(json_object_get(json, key));
}

static void print_verdict(FILE *to, const json_t *verdict)
{
    fprintf(to, "  %s; named after period %lld",
        json_string_value(json_object_get(verdict, "text")), whole(verdict, "named"));
    if (json_object_get(verdict, "cleared"))
        fprintf(to, ", recovered by period %lld", whole(verdict, "cleared"));
    fputc('\n', to);
}

void result_map_print(FILE *to, const json_t *map)
{
    const json_t *verdicts = json_object_get(map, "verdicts");
    const json_t *verdict;
    size_t i;

    fprintf(to, "  map: %lld periods of %.6g us, %lld probes lost, %zu verdict%s\n",
        whole(map, "periods"), json_number_value(json_object_get(map, "period_us")),
        whole(map, "lost"), json_array_size(verdicts), json_array_size(verdicts) == 1 ? "" : "s");
    if (whole(map, "uncovered_links") > 0)
        fprintf(to, "  no probe reaches %lld links\n", whole(map, "uncovered_links"));
    json_array_foreach(verdicts, i, verdict) print_verdict(to, verdict);
}
