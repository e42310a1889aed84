/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps ranges of placed bytes; adjacent ranges are merged. */
#include "sim/account.h"

#include <assert.h>
#include <string.h>

struct account *account_init(struct arena *arena, uint32_t count_max)
{
    struct account *account = arena_take(arena, 1, sizeof(*account), _Alignof(struct account));
    struct account_gap *ahead =
        arena_take(arena, count_max + 1, sizeof(*ahead), _Alignof(struct account_gap));

    if (account)
        *account = (struct account){ .ahead = ahead, .count_max = count_max };
    return account;
}

/* Returns the first range that ends after `from`. */
static uint32_t find_range(const struct account *account, uint64_t from)
{
    uint32_t at = account->count;

    while (at > 0 && account->ahead[at - 1].to > from)
        at--;
    return at;
}

static void insert_range(struct account *account, uint32_t at, struct account_gap placed)
{
    struct account_gap *ahead = account->ahead;
    bool joins_left = at > 0 && ahead[at - 1].to == placed.from;
    bool joins_right = at < account->count && ahead[at].from == placed.to;

    if (joins_left && joins_right) {
        ahead[at - 1].to = ahead[at].to;
        account->count--;
        memmove(&ahead[at], &ahead[at + 1], (account->count - at) * sizeof(*ahead));
    } else if (joins_left) {
        ahead[at - 1].to = placed.to;
    } else if (joins_right) {
        ahead[at].from = placed.from;
    } else {
        assert(account->count < account->count_max);
        memmove(&ahead[at + 1], &ahead[at], (account->count - at) * sizeof(*ahead));
        ahead[at] = placed;
        account->count++;
    }
}

void account_place(
    struct shard *shard, const struct engine_flow_end *end, uint64_t from, uint32_t length)
{
    struct account *account = end->account;
    uint32_t at = find_range(account, from);
    uint64_t to = from + length;

    if (length == 0)
        return;
    if (from < account->complete || (at < account->count && account->ahead[at].from < to)) {
        shard_violated(shard, "bytes placed twice, flow", (uint64_t)(end - shard->sim->flow_ends),
            shard->sim->now_ps);
        return;
    }
    insert_range(account, at, (struct account_gap){ .from = from, .to = to });
    if (account->ahead[0].from == account->complete) {
        account->complete = account->ahead[0].to;
        account->count--;
        memmove(&account->ahead[0], &account->ahead[1], account->count * sizeof(*account->ahead));
    }
}

uint64_t account_last(const struct account *account)
{
    return account->count > 0 ? account->ahead[account->count - 1].to : account->complete;
}

void account_set(struct account *account, uint64_t complete, uint64_t last)
{
    account->complete = complete;
    account->count = last > complete;
    account->ahead[0] = (struct account_gap){ .from = last, .to = last };
}

void account_check(struct shard *shard, uint32_t flow_index, uint64_t now_ps)
{
    const struct engine_flow *flow = &shard->sim->flows[flow_index];
    const struct account *account = shard->sim->flow_ends[flow_index].account;

    if (account->complete < flow->completed_bytes)
        shard_violated(shard, "a message completed with bytes missing, flow", flow_index, now_ps);
    if (account_last(account) > flow->posted_bytes)
        shard_violated(shard, "bytes placed that no message has, flow", flow_index, now_ps);
}
