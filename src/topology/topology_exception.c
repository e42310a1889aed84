/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts and finds exceptional links, and applies them to sums. */
#include "topology/topology_exception.h"

#include <assert.h>

#include "base/heap_sort.h"

_Static_assert(TOPOLOGY_PLANES_MAX <= 16, "a plane has 4 bits in a key");

uint64_t topology_exception_key(const struct topology_element *link)
{
    assert(link->kind == TOPOLOGY_HOST_LINK || link->kind == TOPOLOGY_UPLINK);
    if (link->kind == TOPOLOGY_HOST_LINK)
        return (uint64_t)link->nic << 4 | link->plane;
    return UINT64_C(1) << 63 | (uint64_t)link->plane << 20 | (uint64_t)link->t0 << 10 | link->t1;
}

static int by_key(const void *left, const void *right)
{
    uint64_t a = topology_exception_key(&((const struct topology_exception *)left)->link);
    uint64_t b = topology_exception_key(&((const struct topology_exception *)right)->link);

    return (a > b) - (a < b);
}

void topology_exception_sort(struct topology_exception *exceptions, uint32_t count)
{
    heap_sort(exceptions, count, sizeof(*exceptions), by_key);
}

const struct topology_exception *topology_exception_of(
    const struct topology_config *config, const struct topology_element *link)
{
    uint64_t key = topology_exception_key(link);
    uint32_t first = 0;
    uint32_t end = config->exception_count;

    while (first < end) {
        uint32_t middle = first + (end - first) / 2;

        if (topology_exception_key(&config->exceptions[middle].link) < key)
            first = middle + 1;
        else
            end = middle;
    }
    if (first == config->exception_count ||
        topology_exception_key(&config->exceptions[first].link) != key)
        return NULL;
    return &config->exceptions[first];
}

bool topology_exception_kind(const struct topology_config *config,
    const struct topology_element *link, struct topology_link_kind *kind)
{
    const struct topology_exception *exception = topology_exception_of(config, link);

    *kind = link->kind == TOPOLOGY_HOST_LINK ? config->host_link : config->uplink;
    if (!exception)
        return true;
    if (exception->rate_bps)
        kind->rate_bps = exception->rate_bps;
    return !exception->missing;
}

bool topology_marks(const struct topology *topology, struct topology_end port)
{
    const struct topology_config *config = &topology->config;
    const struct topology_exception *exception;
    struct topology_element link;
    struct topology_link_kind kind;

    if (!config->buffers.marks ||
        (!config->buffers.marks_hosts && topology_port_faces_host(topology, port.node, port.port)))
        return false;
    if (config->exception_count == 0 || topology->graph ||
        !topology_link_at(topology, port, &link, &kind))
        return true;
    exception = topology_exception_of(config, &link);
    return !exception || !exception->unmarked;
}

struct topology_links topology_links_of_top(
    const struct topology *topology, uint32_t t1, uint32_t but_t0)
{
    const struct topology_config *config = &topology->config;
    struct topology_element top = topology_switch_at(topology, t1);
    struct topology_element but = topology_switch_at(topology, but_t0);
    struct topology_links links = { .count = config->t0_count - 1 };

    links.rate_bps = links.count * config->uplink.rate_bps;
    for (uint32_t i = 0; i < config->exception_count; i++) {
        const struct topology_exception *exception = &config->exceptions[i];
        const struct topology_element *link = &exception->link;

        if (link->kind != TOPOLOGY_UPLINK || link->plane != top.plane || link->t1 != top.t1 ||
            link->t0 == but.t0)
            continue;
        links.count -= exception->missing;
        links.rate_bps -= config->uplink.rate_bps;
        if (!exception->missing)
            links.rate_bps += exception->rate_bps ? exception->rate_bps : config->uplink.rate_bps;
    }
    return links;
}
