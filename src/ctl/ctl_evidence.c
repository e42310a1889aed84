/* SPDX-License-Identifier: Apache-2.0 */
/* Counts witnesses of EVs. All tables have limits: agents that lie or flood fill only them. */
#include "ctl/ctl_evidence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void forget_old(struct ctl_evidence_row *row, uint64_t now_ms)
{
    for (uint32_t i = row->witness_count; i-- > 0;)
        if (now_ms - row->witnesses[i].time_ms > CTL_EVIDENCE_MS)
            row->witnesses[i] = row->witnesses[--row->witness_count];
}

static struct ctl_evidence_row *find_row(
    struct ctl_evidence *evidence, uint32_t ev, uint64_t now_ms)
{
    struct ctl_evidence_row *free_row = NULL;

    for (uint32_t i = 0; i < evidence->count; i++) {
        if (evidence->rows[i].ev == ev)
            return &evidence->rows[i];
        forget_old(&evidence->rows[i], now_ms);
        if (evidence->rows[i].witness_count == 0)
            free_row = &evidence->rows[i];
    }
    if (evidence->count < CTL_EVIDENCE_ROWS)
        free_row = &evidence->rows[evidence->count++];
    if (free_row)
        *free_row = (struct ctl_evidence_row){ .ev = ev };
    return free_row;
}

void ctl_evidence_add(struct ctl_evidence *evidence, uint32_t ev, uint32_t nic, uint64_t now_ms)
{
    struct ctl_evidence_row *row = find_row(evidence, ev, now_ms);

    if (!row)
        return;
    forget_old(row, now_ms);
    for (uint32_t i = 0; i < row->witness_count; i++)
        if (row->witnesses[i].nic == nic) {
            row->witnesses[i].time_ms = now_ms;
            row->witnesses[i].reports++;
            return;
        }
    if (row->witness_count == CTL_EVIDENCE_NICS)
        row->more++;
    else
        row->witnesses[row->witness_count++] =
            (struct ctl_witness){ .nic = nic, .time_ms = now_ms, .reports = 1 };
}

static uint32_t leaf_count(const struct ctl_evidence_row *row, const struct plan *plan)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < row->witness_count; i++) {
        uint32_t leaf = topology_leaf_of(&plan->topology, row->witnesses[i].nic);
        uint32_t j = 0;

        while (j < i && topology_leaf_of(&plan->topology, row->witnesses[j].nic) != leaf)
            j++;
        count += j == i;
    }
    return count;
}

static json_t *describe_row(const struct ctl_evidence_row *row, const struct plan *plan)
{
    char name[PLAN_EV_NAME_BYTES];
    json_int_t reports = 0;

    plan_ev_name(plan_ev_path(plan, row->ev), name);
    for (uint32_t i = 0; i < row->witness_count; i++)
        reports += row->witnesses[i].reports;
    return json_pack("{s:s,s:i,s:i,s:I,s:I}", "ev", name, "nics", (int)row->witness_count, "leaves",
        (int)leaf_count(row, plan), "reports", reports, "more", (json_int_t)row->more);
}

static int by_witnesses(const void *a, const void *b)
{
    uint32_t count_a = ((const struct ctl_evidence_row *)a)->witness_count;
    uint32_t count_b = ((const struct ctl_evidence_row *)b)->witness_count;

    return (count_a < count_b) - (count_a > count_b);
}

json_t *ctl_evidence_describe(
    struct ctl_evidence *evidence, const struct plan *plan, uint64_t now_ms)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < evidence->count; i++)
        forget_old(&evidence->rows[i], now_ms);
    qsort(evidence->rows, evidence->count, sizeof(evidence->rows[0]), by_witnesses);
    while (evidence->count > 0 && evidence->rows[evidence->count - 1].witness_count == 0)
        evidence->count--;
    for (uint32_t i = 0; i < evidence->count; i++)
        json_array_append_new(rows, describe_row(&evidence->rows[i], plan));
    return rows;
}
