/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the ends of all links. */
#include "study/study_cost.h"

#include <stddef.h>

/* What a link needs: both ends have a module; one end, or both, have a port of a switch. */
enum { PART_SWITCH, PART_OPTICS, PART_COUNT };

static const struct {
    const char *word;
    enum price_part price;
} parts[PART_COUNT] = {
    [PART_SWITCH] = { "switch", PRICE_SWITCH },
    [PART_OPTICS] = { "optics", PRICE_OPTICS_800G },
};

static void count_ends(const struct topology *topology, double gbps[static PART_COUNT])
{
    size_t count = topology_link_count(topology);

    for (size_t i = 0; i < count; i++) {
        struct topology_element link;
        struct topology_link_kind kind;
        double rate;

        topology_link_numbered(topology, i, &link, &kind);
        rate = (double)kind.rate_bps / 1e9;
        gbps[PART_OPTICS] += 2 * rate;
        gbps[PART_SWITCH] += link.kind == TOPOLOGY_HOST_LINK ? rate : 2 * rate;
    }
}

json_t *study_cost(const struct topology *topology, const struct prices *prices)
{
    double gbps[PART_COUNT] = { 0 };
    double least_usd = 0;
    double most_usd = 0;
    json_t *list = json_object();

    count_ends(topology, gbps);
    for (int i = 0; i < PART_COUNT; i++) {
        const struct price *price = &prices->parts[parts[i].price];
        struct price_range usd = price_usd(price, gbps[i] * 1e9);

        least_usd += usd.least;
        most_usd += usd.most;
        json_object_set_new(list, parts[i].word,
            json_pack("{s:f,s:f,s:f,s:s}", "ends_gbps", gbps[i], "least_usd", usd.least, "most_usd",
                usd.most, "source", price->source));
    }
    return json_pack("{s:f,s:f,s:o}", "least_usd", least_usd, "most_usd", most_usd, "parts", list);
}
