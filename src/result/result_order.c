/* SPDX-License-Identifier: Apache-2.0 */
/* Packets that arrive late, by how much. */
#include "files/files.h"
#include "result/result_summary.h"

/* Returns the share of late packets that are at least this far behind. */
static json_t *share_from(const struct sim_order *order, uint32_t level)
{
    uint64_t count = 0;

    for (uint32_t i = level; i < SIM_ORDER_LEVELS; i++)
        count += order->by_level[i];
    return json_ratio(count, order->late);
}

json_t *result_summary_order(const struct measure_record *record)
{
    json_t *behind = json_array();
    struct sim_order order;

    sim_order(record->sim, &order);
    for (uint32_t i = 0; i < SIM_ORDER_LEVELS && UINT64_C(1) << i <= order.behind_max; i++)
        json_array_append_new(behind,
            json_pack("{s:I,s:o}", "packets", (json_int_t)1 << i, "share", share_from(&order, i)));
    return json_pack("{s:I,s:I,s:o,s:I,s:o}", "placed", (json_int_t)order.placed, "late",
        (json_int_t)order.late, "late_fraction", json_ratio(order.late, order.placed), "behind_max",
        (json_int_t)order.behind_max, "behind", behind);
}
