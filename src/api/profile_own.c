/* SPDX-License-Identifier: Apache-2.0 */
/* The device's own EV profile, id 0: the device chooses its EVs, and a controller may deny some.
 * The record of the profile holds the denied EVs only. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/profile.h"

static uint32_t find_denied(const struct record_ev *record, const struct mrc_ctl_ev *ev)
{
    uint32_t index = 0;

    while (index < record->count && memcmp(&record->entries[index].ev, ev, sizeof(*ev)) != 0)
        index++;
    return index;
}

static int deny_ev(struct record_ev *record, const struct mrc_ctl_ev *ev)
{
    uint32_t index = find_denied(record, ev);

    if (index == RECORD_EV_MAX)
        return -E2BIG;
    record->entries[index] = (struct record_ev_entry){ .ev = *ev, .state = MRC_CTL_EV_DENIED };
    record->count += index == record->count;
    return 0;
}

static void allow_ev(struct record_ev *record, const struct mrc_ctl_ev *ev)
{
    uint32_t index = find_denied(record, ev);

    if (index < record->count)
        record->entries[index] = record->entries[--record->count];
}

static int apply_entry(const struct profile_store *store, struct record_ev *record,
    const struct mrc_ctl_ev_op_entry *entry)
{
    if (entry->ev.port == 0 || entry->ev.port > store->port_count ||
        !ev_bits_fit(entry->ev.val, 32) || entry->flags & ~(uint32_t)MRC_CTL_EV_OP_F_ALL_COPIES)
        return -EINVAL;
    if (entry->state == MRC_CTL_EV_DENIED)
        return deny_ev(record, &entry->ev);
    if (entry->state != MRC_CTL_EV_GOOD)
        return -EINVAL;
    allow_ev(record, &entry->ev);
    return 0;
}

int profile_own_modify(const struct profile_store *store, struct record_ev *record,
    const struct mrc_ctl_ev_profile_attr *attr, uint32_t mask)
{
    int err = 0;

    if (mask != MRC_CTL_EV_PROFILE_EV_OP || attr->ev_op.op != MRC_CTL_EV_OP_MODIFY_EV_STATE ||
        attr->ev_op.entry_count <= 0 || !attr->ev_op.entries)
        return -EINVAL;
    for (int i = 0; i < attr->ev_op.entry_count && !err; i++)
        err = apply_entry(store, record, &attr->ev_op.entries[i]);
    if (err)
        return err;
    record->head.state = record->count ? MRC_CTL_PROFILE_ONLINE : MRC_CTL_PROFILE_INIT;
    record->mode = MRC_CTL_EV_MODE_AUTO;
    return record_save(&store->folder, &record->head);
}

static int give_states(const struct record_ev *record, struct mrc_ctl_ev_profile_attr *attr)
{
    for (int i = 0; i < attr->ev_op.entry_count; i++) {
        struct mrc_ctl_ev_op_entry *entry = &attr->ev_op.entries[i];
        bool is_denied = find_denied(record, &entry->ev) < record->count;

        entry->state = is_denied ? MRC_CTL_EV_DENIED : MRC_CTL_EV_UNKNOWN;
    }
    return 0;
}

int profile_own_look(const struct record_ev *record, struct mrc_ctl_ev_profile_attr *attr)
{
    int room = attr->ev_op.entry_count;

    if (room < 0 || (room > 0 && !attr->ev_op.entries))
        return -EINVAL;
    if (attr->ev_op.op == MRC_CTL_EV_OP_QUERY_EV_STATE && room > 0)
        return give_states(record, attr);
    if (attr->ev_op.op != MRC_CTL_EV_OP_QUERY_EV_ARRAY)
        return -EINVAL;
    attr->ev_op.entry_count = (int)record->count;
    if ((uint32_t)room < record->count)
        return -E2BIG;
    for (uint32_t i = 0; i < record->count; i++)
        attr->ev_op.entries[i] =
            (struct mrc_ctl_ev_op_entry){ .ev = record->entries[i].ev, .state = MRC_CTL_EV_DENIED };
    return 0;
}
