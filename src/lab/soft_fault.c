/* SPDX-License-Identifier: Apache-2.0 */
/* The list of faults, and what it means for a link. */
#include "lab/soft_fault.h"

#include <errno.h>
#include <string.h>

const char *const soft_fault_names[SOFT_FAULT_KIND_COUNT] = {
    [SOFT_FAULT_DOWN] = "down",
    [SOFT_FAULT_FLAP] = "flap",
    [SOFT_FAULT_BLACKHOLE] = "blackhole",
    [SOFT_FAULT_LOSS] = "loss",
    [SOFT_FAULT_CORRUPT] = "corrupt",
    [SOFT_FAULT_SLOW] = "slow",
};

int soft_faults_add(struct soft_faults *faults, struct soft_fault *fault)
{
    if (faults->count == SOFT_FAULTS_MAX)
        return -ENOSPC;
    fault->id = ++faults->last_id;
    faults->list[faults->count++] = *fault;
    return 0;
}

static bool is_same(const struct topology_element *left, const struct topology_element *right)
{
    return left->kind == right->kind && left->nic == right->nic && left->plane == right->plane &&
           left->t0 == right->t0 && left->t1 == right->t1;
}

static void take_out(struct soft_faults *faults, uint32_t index)
{
    faults->count--;
    memmove(&faults->list[index], &faults->list[index + 1],
        (faults->count - index) * sizeof(faults->list[0]));
}

uint32_t soft_faults_clear(
    struct soft_faults *faults, const struct topology_element *where, bool of_ev, uint32_t ev)
{
    uint32_t cleared = 0;

    for (uint32_t i = 0; i < faults->count;) {
        const struct soft_fault *fault = &faults->list[i];

        if (!is_same(&fault->where, where) || fault->of_ev != of_ev || (of_ev && fault->ev != ev)) {
            i++;
            continue;
        }
        take_out(faults, i);
        cleared++;
    }
    return cleared;
}

void soft_faults_prune(struct soft_faults *faults, uint64_t now_ps)
{
    for (uint32_t i = 0; i < faults->count;)
        if (faults->list[i].until_ps <= now_ps)
            take_out(faults, i);
        else
            i++;
}

static bool covers(const struct topology *topology, const struct topology_element *where,
    const struct topology_element *link)
{
    bool is_host_link = link->kind == TOPOLOGY_HOST_LINK;
    uint32_t t0 = is_host_link ? topology_t0_of(topology, link->nic) : link->t0;

    switch (where->kind) {
    case TOPOLOGY_NIC:
        return is_host_link && link->nic == where->nic;
    case TOPOLOGY_PLANE:
        return link->plane == where->plane;
    case TOPOLOGY_T0:
        return link->plane == where->plane && t0 == where->t0;
    case TOPOLOGY_T1:
        return link->plane == where->plane && !is_host_link && link->t1 == where->t1;
    default:
        return is_same(where, link);
    }
}

static uint64_t down_ps(const struct soft_fault *fault)
{
    return fault->period_ps / 1000 * fault->duty_permille;
}

static bool impairs(const struct soft_fault *fault, uint64_t now_ps)
{
    if (now_ps < fault->from_ps || now_ps >= fault->until_ps)
        return false;
    if (fault->kind != SOFT_FAULT_FLAP)
        return true;
    return (now_ps - fault->from_ps) % fault->period_ps < down_ps(fault);
}

static void worsen(struct soft_condition *condition, const struct soft_fault *fault)
{
    switch (fault->kind) {
    case SOFT_FAULT_BLACKHOLE:
        condition->is_blackhole = true;
        break;
    case SOFT_FAULT_LOSS:
        if (fault->probability > condition->loss)
            condition->loss = fault->probability;
        break;
    case SOFT_FAULT_CORRUPT:
        if (fault->probability > condition->corrupt)
            condition->corrupt = fault->probability;
        break;
    case SOFT_FAULT_SLOW:
        if (condition->rate_bps == 0 || fault->rate_bps < condition->rate_bps)
            condition->rate_bps = fault->rate_bps;
        break;
    default:
        condition->is_down = true;
        break;
    }
}

struct soft_condition soft_faults_condition(const struct soft_faults *faults,
    const struct topology *topology, const struct topology_element *link, uint64_t now_ps)
{
    struct soft_condition condition = { 0 };

    for (uint32_t i = 0; i < faults->count; i++) {
        const struct soft_fault *fault = &faults->list[i];

        if (!impairs(fault, now_ps) || !covers(topology, &fault->where, link))
            continue;
        if (fault->of_ev)
            condition.is_picky = true;
        else
            worsen(&condition, fault);
    }
    return condition;
}

struct soft_condition soft_faults_condition_of_ev(const struct soft_faults *faults,
    const struct topology *topology, const struct topology_element *link, uint32_t ev,
    uint64_t now_ps)
{
    struct soft_condition condition = { 0 };

    for (uint32_t i = 0; i < faults->count; i++) {
        const struct soft_fault *fault = &faults->list[i];

        if (impairs(fault, now_ps) && covers(topology, &fault->where, link) &&
            (!fault->of_ev || fault->ev == ev))
            worsen(&condition, fault);
    }
    return condition;
}

static uint64_t next_change_ps(const struct soft_fault *fault, uint64_t now_ps)
{
    uint64_t into_ps = (now_ps - fault->from_ps) % (fault->period_ps ? fault->period_ps : 1);
    uint64_t next_ps = fault->until_ps;

    if (fault->kind == SOFT_FAULT_FLAP) {
        uint64_t flip_ps = into_ps < down_ps(fault) ? down_ps(fault) : fault->period_ps;

        if (next_ps - now_ps > flip_ps - into_ps)
            next_ps = now_ps + (flip_ps - into_ps);
    }
    return next_ps;
}

uint64_t soft_faults_next_ps(const struct soft_faults *faults, uint64_t now_ps)
{
    uint64_t next_ps = UINT64_MAX;

    for (uint32_t i = 0; i < faults->count; i++) {
        uint64_t change_ps = next_change_ps(&faults->list[i], now_ps);

        if (change_ps < next_ps)
            next_ps = change_ps;
    }
    return next_ps;
}
