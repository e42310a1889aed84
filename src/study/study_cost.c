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

struct study_cost_links study_cost_links_of(const struct topology *topology)
{
    struct study_cost_links links = { 0 };
    size_t count = topology_link_count(topology);

    for (size_t i = 0; i < count; i++) {
        struct topology_element link;
        struct topology_link_kind kind;

        topology_link_numbered(topology, i, &link, &kind);
        if (link.kind == TOPOLOGY_HOST_LINK)
            links.host_gbps += (double)kind.rate_bps / 1e9;
        else
            links.switch_gbps += (double)kind.rate_bps / 1e9;
    }
    return links;
}

static double ends_gbps(const struct study_cost_links *links, int part)
{
    return part == PART_OPTICS ? 2 * (links->host_gbps + links->switch_gbps)
                               : links->host_gbps + 2 * links->switch_gbps;
}

double study_cost_mean_usd(const struct study_cost_links *links, const struct prices *prices)
{
    double sum_usd = 0;

    for (int i = 0; i < PART_COUNT; i++) {
        struct price_range usd =
            price_usd(&prices->parts[parts[i].price], ends_gbps(links, i) * 1e9);

        sum_usd += (usd.least + usd.most) / 2;
    }
    return sum_usd;
}

json_t *study_cost(const struct topology *topology, const struct prices *prices)
{
    struct study_cost_links links = study_cost_links_of(topology);
    double least_usd = 0;
    double most_usd = 0;
    json_t *list = json_object();

    for (int i = 0; i < PART_COUNT; i++) {
        const struct price *price = &prices->parts[parts[i].price];
        double gbps = ends_gbps(&links, i);
        struct price_range usd = price_usd(price, gbps * 1e9);

        least_usd += usd.least;
        most_usd += usd.most;
        json_object_set_new(list, parts[i].word,
            json_pack("{s:f,s:f,s:f,s:s}", "ends_gbps", gbps, "least_usd", usd.least, "most_usd",
                usd.most, "source", price->source));
    }
    return json_pack("{s:f,s:f,s:o}", "least_usd", least_usd, "most_usd", most_usd, "parts", list);
}
