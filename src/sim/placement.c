/* SPDX-License-Identifier: Apache-2.0 */
/* Places the ranks of a workload on NICs, and chooses the target of each rank of a permutation. */
#include "base/prng.h"
#include "sim/workload_kind.h"

#define PLACEMENT_ENTITY   UINT64_C(0x706c616365)
#define PERMUTATION_ENTITY UINT64_C(0x7065726d757465)

static void swap_numbers(uint32_t *left, uint32_t *right)
{
    uint32_t kept = *left;

    *left = *right;
    *right = kept;
}

/* Takes the first rank_count of all NICs in random order. */
static void draw_nics(uint32_t *nics, uint32_t nic_count, uint32_t rank_count, struct prng prng)
{
    for (uint32_t nic = 0; nic < nic_count; nic++)
        nics[nic] = nic;
    for (uint32_t rank = 0; rank < rank_count; rank++)
        swap_numbers(&nics[rank], &nics[rank + prng_below(&prng, nic_count - rank)]);
}

void workload_place(struct workload_layout *layout, uint32_t nic_count, uint64_t seed)
{
    const struct sim_workload *workload = layout->workload;

    if (workload->placement == SIM_RANDOM) {
        draw_nics(layout->nic_of_rank, nic_count, workload->rank_count,
            prng_stream(seed, PLACEMENT_ENTITY));
        return;
    }
    for (uint32_t rank = 0; rank < workload->rank_count; rank++)
        layout->nic_of_rank[rank] =
            workload->placement == SIM_LIST ? workload->nics[rank] : workload->first_nic + rank;
}

/* ---- permutations ---------------------------------------------------------------------------- */

/* Sorts ranks by NIC, so that those of a leaf are adjacent (Shell sort). */
static void order_by_nic(uint32_t *order, const uint32_t *nic_of_rank, uint32_t count)
{
    uint32_t gap = 1;

    for (uint32_t rank = 0; rank < count; rank++)
        order[rank] = rank;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3) {
        for (uint32_t i = gap; i < count; i++) {
            uint32_t moving = order[i];
            uint32_t place = i;

            for (; place >= gap && nic_of_rank[order[place - gap]] > nic_of_rank[moving];
                 place -= gap)
                order[place] = order[place - gap];
            order[place] = moving;
        }
    }
}

static uint32_t leaf_of(
    const struct workload_layout *layout, const struct topology *topology, uint32_t rank)
{
    return topology_leaf_of(topology, layout->nic_of_rank[rank]);
}

/* Returns the largest number of ranks at one leaf; `order` is by NIC. */
static uint32_t largest_group(
    const struct workload_layout *layout, const struct topology *topology, const uint32_t *order)
{
    uint32_t largest = 1;
    uint32_t first = 0;

    for (uint32_t i = 1; i < layout->workload->rank_count; i++) {
        if (leaf_of(layout, topology, order[i]) != leaf_of(layout, topology, order[first]))
            first = i;
        if (i - first + 1 > largest)
            largest = i - first + 1;
    }
    return largest;
}

/* Returns true if `from` may write to `to` instead: its target is not moved into its own leaf. */
static bool suits(const struct workload_layout *layout, const struct topology *topology,
    uint32_t from, uint32_t to)
{
    uint32_t own_leaf = leaf_of(layout, topology, from);

    return from != to && (leaf_of(layout, topology, to) != own_leaf ||
                             leaf_of(layout, topology, layout->to_rank[from]) == own_leaf);
}

/* With the ranks sorted by leaf, the target of each rank is further by the number of ranks of the
 * largest leaf, so that as few as possible stay within their leaf. Then many pairs swap their
 * targets if neither target moves into the leaf of its rank. */
static void derange(
    struct workload_layout *layout, const struct topology *topology, struct prng prng)
{
    uint32_t count = layout->workload->rank_count;
    uint32_t *order = layout->scratch;
    uint32_t shift;

    order_by_nic(order, layout->nic_of_rank, count);
    shift = largest_group(layout, topology, order);
    if (shift == count)
        shift = 1;
    for (uint32_t i = 0; i < count; i++)
        layout->to_rank[order[i]] = order[(i + shift) % count];
    for (uint32_t i = 0; i < 16 * count; i++) {
        uint32_t left = prng_below(&prng, count);
        uint32_t right = prng_below(&prng, count);

        if (suits(layout, topology, left, layout->to_rank[right]) &&
            suits(layout, topology, right, layout->to_rank[left]))
            swap_numbers(&layout->to_rank[left], &layout->to_rank[right]);
    }
}

void workload_permute(
    struct workload_layout *layout, const struct topology *topology, uint64_t seed)
{
    const struct sim_workload *workload = layout->workload;

    if (workload->shift == 0) {
        derange(layout, topology, prng_stream(seed, PERMUTATION_ENTITY));
        return;
    }
    for (uint32_t rank = 0; rank < workload->rank_count; rank++)
        layout->to_rank[rank] = (rank + workload->shift) % workload->rank_count;
}
