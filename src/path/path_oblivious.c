/* SPDX-License-Identifier: Apache-2.0 */
/* Oblivious spraying: all EVs of a plane in turn, in an order that is random each time. Nothing
 * that happens to packets changes it. For comparisons with policies that learn. */
#include "path/path_policy.h"

static uint32_t pick_ev(struct path_set *set, uint32_t plane, uint64_t now_ns)
{
    (void)now_ns;
    return path_policy_advance(set, plane);
}

static uint32_t pick_other(struct path_set *set, uint32_t plane, uint32_t avoid_ev, uint64_t now_ns)
{
    (void)now_ns;
    return path_policy_advance_past(set, plane, avoid_ev);
}

static void forget_trouble(
    struct path_set *set, uint32_t ev_index, enum path_signal signal, uint64_t now_ns)
{
    (void)set;
    (void)ev_index;
    (void)signal;
    (void)now_ns;
}

const struct path_policy path_policy_oblivious = {
    .pick = pick_ev, .pick_other = pick_other, .on_trouble = forget_trouble
};
