/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the ends of all links. */
#include "study/study_cost.h"

#include <stddef.h>

enum part {
#define PRICE(ID, word, least, most, source) PART_##ID,
#include "study/prices.def"
#undef PRICE
    PART_COUNT,
};

static const struct price {
    const char *word;
    double least_usd;
    double most_usd;
    const char *source;
} prices[PART_COUNT] = {
#define PRICE(ID, word, least, most, source) [PART_##ID] = { word, least, most, source },
#include "study/prices.def"
#undef PRICE
};

/* Each link has a module at both ends, and a switch at both ends or one. */
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

json_t *study_cost(const struct topology *topology)
{
    double gbps[PART_COUNT] = { 0 };
    double least_usd = 0;
    double most_usd = 0;
    json_t *parts = json_object();

    count_ends(topology, gbps);
    for (int i = 0; i < PART_COUNT; i++) {
        const struct price *price = &prices[i];

        least_usd += gbps[i] * price->least_usd;
        most_usd += gbps[i] * price->most_usd;
        json_object_set_new(parts, price->word,
            json_pack("{s:f,s:f,s:f,s:s}", "ends_gbps", gbps[i], "least_usd",
                gbps[i] * price->least_usd, "most_usd", gbps[i] * price->most_usd, "source",
                price->source));
    }
    return json_pack("{s:f,s:f,s:o}", "least_usd", least_usd, "most_usd", most_usd, "parts", parts);
}
