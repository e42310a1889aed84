/* SPDX-License-Identifier: Apache-2.0 */
/* The QPs of an engine by index. The transport finds them by number and by peer. */
#include "host/qp_table.h"

#include <errno.h>
#include <stdlib.h>

int qp_table_init(struct qp_table *table, uint32_t count_max)
{
    *table = (struct qp_table){ .qps = calloc(count_max, sizeof(struct host_qp *)),
        .count_max = count_max };
    return table->qps ? 0 : -ENOMEM;
}

void qp_table_fini(struct qp_table *table)
{
    free(table->qps);
    *table = (struct qp_table){ 0 };
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
    return true;
}

void qp_table_remove(struct qp_table *table, struct host_qp *qp)
{
    table->qps[qp->index] = NULL;
    table->count--;
}
