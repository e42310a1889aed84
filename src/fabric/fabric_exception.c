/* SPDX-License-Identifier: Apache-2.0 */
/* Order and search of exceptional links. */
#include "fabric/fabric_exception.h"

#include <assert.h>

uint64_t fabric_exception_key(const struct fabric_element *link)
{
    assert(link->kind == FABRIC_HOST_LINK || link->kind == FABRIC_UPLINK);
    if (link->kind == FABRIC_HOST_LINK)
        return (uint64_t)link->nic << 3 | link->plane;
    return UINT64_C(1) << 63 | (uint64_t)link->plane << 20 | (uint64_t)link->t0 << 10 | link->t1;
}

/* ---- heap sort: in place, and no list is bad for it ------------------------------------------ */

static void swap(struct fabric_exception *a, struct fabric_exception *b)
{
    struct fabric_exception kept = *a;

    *a = *b;
    *b = kept;
}

static void sift_down(struct fabric_exception *heap, uint32_t parent, uint32_t count)
{
    for (uint32_t child = 2 * parent + 1; child < count; child = 2 * parent + 1) {
        if (child + 1 < count &&
            fabric_exception_key(&heap[child].link) < fabric_exception_key(&heap[child + 1].link))
            child++;
        if (fabric_exception_key(&heap[child].link) <= fabric_exception_key(&heap[parent].link))
            return;
        swap(&heap[parent], &heap[child]);
        parent = child;
    }
}

void fabric_exception_sort(struct fabric_exception *exceptions, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;)
        sift_down(exceptions, i, count);
    for (uint32_t end = count; end > 1; end--) {
        swap(&exceptions[0], &exceptions[end - 1]);
        sift_down(exceptions, 0, end - 1);
    }
}

const struct fabric_exception *fabric_exception_of(
    const struct fabric_config *config, const struct fabric_element *link)
{
    uint64_t key = fabric_exception_key(link);
    uint32_t first = 0;
    uint32_t end = config->exception_count;

    while (first < end) {
        uint32_t middle = first + (end - first) / 2;

        if (fabric_exception_key(&config->exceptions[middle].link) < key)
            first = middle + 1;
        else
            end = middle;
    }
    if (first == config->exception_count ||
        fabric_exception_key(&config->exceptions[first].link) != key)
        return NULL;
    return &config->exceptions[first];
}
