/* SPDX-License-Identifier: Apache-2.0 */
/* A list of the QPs on the chip, in order of their last use. */
#include "hardware/qp_cache.h"

#include <assert.h>

#define NONE UINT32_MAX

static void add_newest(struct qp_cache *cache, uint32_t qp)
{
    cache->links[qp] =
        (struct qp_cache_link){ .newer = NONE, .older = cache->newest, .is_on_chip = true };
    if (cache->newest == NONE)
        cache->oldest = qp;
    else
        cache->links[cache->newest].newer = qp;
    cache->newest = qp;
}

static void take_out(struct qp_cache *cache, uint32_t qp)
{
    struct qp_cache_link link = cache->links[qp];

    if (link.newer == NONE)
        cache->newest = link.older;
    else
        cache->links[link.newer].older = link.older;
    if (link.older == NONE)
        cache->oldest = link.newer;
    else
        cache->links[link.older].newer = link.newer;
    cache->links[qp].is_on_chip = false;
}

void qp_cache_init(
    struct qp_cache *cache, struct qp_cache_link *links, uint32_t qp_count, uint32_t room)
{
    *cache = (struct qp_cache){ .qp_count = qp_count, .newest = NONE, .oldest = NONE };
    assert(room > 0);
    if (room >= qp_count)
        return;
    cache->links = links;
    for (uint32_t qp = room; qp < qp_count; qp++)
        cache->links[qp] = (struct qp_cache_link){ 0 };
    for (uint32_t qp = room; qp > 0; qp--)
        add_newest(cache, qp - 1);
}

bool qp_cache_use(struct qp_cache *cache, uint32_t qp)
{
    bool is_hit;

    assert(qp < cache->qp_count);
    if (!cache->links || cache->newest == qp)
        return true;
    is_hit = cache->links[qp].is_on_chip;
    take_out(cache, is_hit ? qp : cache->oldest);
    add_newest(cache, qp);
    cache->misses += !is_hit;
    return is_hit;
}
