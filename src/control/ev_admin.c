/* SPDX-License-Identifier: Apache-2.0 */
/* The denylist of a device. */
#include "control/ev_admin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <mrc_ctl.h>

#include "base/bytes.h"

#define OWN_PROFILE 0

static struct mrc_ctl_ev_op_entry entry_of(const struct ev_admin_ev *ev, bool denied)
{
    struct mrc_ctl_ev_op_entry entry = { .ev.port = (uint8_t)(ev->plane + 1),
        .state = denied ? MRC_CTL_EV_DENIED : MRC_CTL_EV_GOOD };

    bytes_put_be32(entry.ev.val, ev->ev);
    return entry;
}

static int apply_entries(
    const struct port_admin *device, struct mrc_ctl_ev_op_entry *entries, uint32_t count)
{
    struct mrc_ctl_ev_profile_attr attr = { .ev_op = { .op = MRC_CTL_EV_OP_MODIFY_EV_STATE,
                                                .entries = entries,
                                                .entry_count = (int)count } };

    if (count == 0)
        return 0;
    return mrc_ctl_modify_ev_profile(device->mrc, OWN_PROFILE, &attr, MRC_CTL_EV_PROFILE_EV_OP) == 0
               ? 0
               : -errno;
}

int ev_admin_list(const struct port_admin *device, struct ev_admin_ev out[static EV_ADMIN_MAX])
{
    struct mrc_ctl_ev_op_entry *entries = calloc(EV_ADMIN_MAX, sizeof(*entries));
    struct mrc_ctl_ev_profile_attr attr = { .ev_op = { .op = MRC_CTL_EV_OP_QUERY_EV_ARRAY,
                                                .entries = entries,
                                                .entry_count = EV_ADMIN_MAX } };
    int count;

    if (!entries)
        return -ENOMEM;
    if (mrc_ctl_query_ev_profile(device->mrc, OWN_PROFILE, &attr, MRC_CTL_EV_PROFILE_EV_OP) != 0) {
        free(entries);
        return -errno;
    }
    count = attr.ev_op.entry_count;
    for (int i = 0; i < count; i++)
        out[i] = (struct ev_admin_ev){ .ev = bytes_get_be32(entries[i].ev.val),
            .plane = entries[i].ev.port - 1u };
    free(entries);
    return count;
}

int ev_admin_set(
    const struct port_admin *device, const struct ev_admin_ev *evs, uint32_t count, bool denied)
{
    struct mrc_ctl_ev_op_entry *entries = calloc(count + 1, sizeof(*entries));
    int err;

    if (!entries)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        entries[i] = entry_of(&evs[i], denied);
    err = apply_entries(device, entries, count);
    free(entries);
    return err;
}

static bool is_listed(
    const struct ev_admin_ev *ev, const struct ev_admin_ev *list, uint32_t list_count)
{
    for (uint32_t i = 0; i < list_count; i++)
        if (list[i].ev == ev->ev && list[i].plane == ev->plane)
            return true;
    return false;
}

/* Writes the entries that turn the first list into the second. Allows first, so that the list never
 * outgrows the device in between. */
static uint32_t list_changes(const struct ev_admin_ev *was, uint32_t was_count,
    const struct ev_admin_ev *wanted, uint32_t wanted_count, struct mrc_ctl_ev_op_entry *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < was_count; i++)
        if (!is_listed(&was[i], wanted, wanted_count))
            out[count++] = entry_of(&was[i], false);
    for (uint32_t i = 0; i < wanted_count; i++)
        if (!is_listed(&wanted[i], was, was_count))
            out[count++] = entry_of(&wanted[i], true);
    return count;
}

int ev_admin_replace(const struct port_admin *device, const struct ev_admin_ev *evs, uint32_t count)
{
    struct ev_admin_ev *was = calloc(EV_ADMIN_MAX, sizeof(*was));
    struct mrc_ctl_ev_op_entry *entries = calloc(EV_ADMIN_MAX + count, sizeof(*entries));
    int found = was && entries ? ev_admin_list(device, was) : -ENOMEM;

    if (found >= 0)
        found =
            apply_entries(device, entries, list_changes(was, (uint32_t)found, evs, count, entries));
    free(was);
    free(entries);
    return found;
}
