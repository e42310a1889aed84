/* SPDX-License-Identifier: Apache-2.0 */
/* Permanent retirement: the rotation, but an EV that turns bad is denied, and no probe brings it
 * back. The last usable EV stays. Shows what the return of paths is worth. */
#include "path/path_policy.h"

static uint32_t pick_ev(struct path_set *set, uint32_t plane, uint64_t now_ns)
{
    return path_policy_rotation.pick(set, plane, now_ns);
}

static uint32_t pick_other(struct path_set *set, uint32_t plane, uint32_t avoid_ev, uint64_t now_ns)
{
    return path_policy_rotation.pick_other(set, plane, avoid_ev, now_ns);
}

const struct path_policy path_policy_retire = {
    .pick = pick_ev, .pick_other = pick_other, .retires = true
};
