/* SPDX-License-Identifier: Apache-2.0 */
/* Two hash tables of QPs. They are rebuilt when a QP is removed or a peer changes, which is rare.
 */
#include "host/qp_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/power.h"

static uint32_t number_hash(uint32_t qpn)
{
    return qpn * 2654435761u >> 8;
}

static uint32_t peer_hash(const struct ipv6_addr *address, uint32_t qpn)
{
    uint64_t words[2];

    memcpy(words, address->octets, sizeof(words));
    words[0] ^= words[1] * UINT64_C(0x9e3779b97f4a7c15) ^ qpn;
    return (uint32_t)(words[0] * UINT64_C(0xd1342543de82ef95) >> 32);
}

int qp_table_init(struct qp_table *table, uint32_t count_max)
{
    uint32_t slot_count = 4 * power_of_two_at_least(count_max);

    *table = (struct qp_table){ .qps = calloc(count_max, sizeof(struct host_qp *)),
        .by_number = calloc(slot_count, sizeof(*table->by_number)),
        .by_peer = calloc(slot_count, sizeof(*table->by_peer)),
        .slot_mask = slot_count - 1,
        .count_max = count_max };
    if (table->qps && table->by_number && table->by_peer)
        return 0;
    qp_table_fini(table);
    return -ENOMEM;
}

void qp_table_fini(struct qp_table *table)
{
    free(table->qps);
    free(table->by_number);
    free(table->by_peer);
    *table = (struct qp_table){ 0 };
}

static void insert(const struct qp_table *table, uint32_t *slots, uint32_t hash, uint32_t index)
{
    uint32_t at = hash & table->slot_mask;

    while (slots[at])
        at = (at + 1) & table->slot_mask;
    slots[at] = index + 1;
}

/* Each QP is entered with its number, and one QP per address is entered without a number. */
void qp_table_peers_changed(struct qp_table *table)
{
    memset(table->by_peer, 0, ((size_t)table->slot_mask + 1) * sizeof(*table->by_peer));
    for (uint32_t i = 0; i < table->count_max; i++) {
        const struct host_qp *qp = table->qps[i];

        if (!qp || !qp->has_peer)
            continue;
        if (!qp_table_find_peer(table, &qp->peer, 0))
            insert(table, table->by_peer, peer_hash(&qp->peer, 0), i);
        insert(table, table->by_peer, peer_hash(&qp->peer, qp->peer_qpn), i);
    }
}

bool qp_table_add(struct qp_table *table, struct host_qp *qp)
{
    uint32_t index = 0;

    if (table->count == table->count_max)
        return false;
    while (table->qps[index])
        index++;
    table->qps[index] = qp;
    table->count++;
    qp->index = index;
    insert(table, table->by_number, number_hash(qp->qpn), index);
    return true;
}

void qp_table_remove(struct qp_table *table, struct host_qp *qp)
{
    table->qps[qp->index] = NULL;
    table->count--;
    memset(table->by_number, 0, ((size_t)table->slot_mask + 1) * sizeof(*table->by_number));
    for (uint32_t i = 0; i < table->count_max; i++)
        if (table->qps[i])
            insert(table, table->by_number, number_hash(table->qps[i]->qpn), i);
    qp_table_peers_changed(table);
}

struct host_qp *qp_table_find(const struct qp_table *table, uint32_t qpn)
{
    uint32_t at = number_hash(qpn) & table->slot_mask;

    for (; table->by_number[at]; at = (at + 1) & table->slot_mask)
        if (table->qps[table->by_number[at] - 1]->qpn == qpn)
            return table->qps[table->by_number[at] - 1];
    return NULL;
}

struct host_qp *qp_table_find_peer(
    const struct qp_table *table, const struct ipv6_addr *address, uint32_t peer_qpn)
{
    uint32_t at = peer_hash(address, peer_qpn) & table->slot_mask;

    for (; table->by_peer[at]; at = (at + 1) & table->slot_mask) {
        struct host_qp *qp = table->qps[table->by_peer[at] - 1];

        if (ip_address_equal(&qp->peer, address) && (peer_qpn == 0 || qp->peer_qpn == peer_qpn))
            return qp;
    }
    return NULL;
}
