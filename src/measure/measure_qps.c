/* SPDX-License-Identifier: Apache-2.0 */
/* Samples the payload that single QPs place. */
#include "measure/measure_qps.h"

#include "measure/measure_list.h"

void measure_qps_choose(struct measure_record *record)
{
    uint32_t wanted = record->plan->qp_series;
    uint32_t count = wanted < record->flow_count ? wanted : record->flow_count;

    if (count == 0)
        return;
    record->qps = allocator_take_surely(&record->memory, count, sizeof(*record->qps));
    record->qp_count = count;
    for (uint32_t i = 0; i < count; i++)
        record->qps[i].flow = (uint32_t)((uint64_t)i * record->flow_count / count);
}

void measure_qps_sample(struct measure_record *record)
{
    for (uint32_t i = 0; i < record->qp_count; i++) {
        struct measure_qp *qp = &record->qps[i];
        struct sim_flow flow;

        sim_flow_at(record->sim, qp->flow, &flow);
        measure_push(&record->memory, &qp->bytes, flow.placed_bytes - qp->before_bytes);
        qp->before_bytes = flow.placed_bytes;
    }
}

void measure_qps_fini(struct measure_record *record)
{
    for (uint32_t i = 0; i < record->qp_count; i++)
        measure_free(&record->memory, &record->qps[i].bytes);
    allocator_free(&record->memory, record->qps);
}
