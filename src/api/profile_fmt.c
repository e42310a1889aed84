/* SPDX-License-Identifier: Apache-2.0 */
/* EV format profiles: a mode and the widths of the fields. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/profile.h"

#define KNOWN                                                                                      \
    (MRC_CTL_EV_FMT_PROFILE_STATE | MRC_CTL_EV_FMT_PROFILE_CUR_STATE |                             \
        MRC_CTL_EV_FMT_PROFILE_MODE | MRC_CTL_EV_FMT_PROFILE_OP |                                  \
        (uint32_t)MRC_CTL_EV_FMT_VENDOR_CFG)

static int give_fields(const struct record_fmt *record, struct mrc_ctl_ev_fmt_profile_attr *attr)
{
    int room = attr->ev_fmt_op.fmt_field_count;

    if (room < 0 || (room > 0 && !attr->ev_fmt_op.fmt_fields))
        return -EINVAL;
    attr->ev_fmt_op.fmt_field_count = (int)record->format.count;
    if ((uint32_t)room < record->format.count)
        return -E2BIG;
    for (uint32_t i = 0; i < record->format.count; i++)
        attr->ev_fmt_op.fmt_fields[i].width = record->format.widths[i];
    return 0;
}

static int take_fields(struct record_fmt *record, const struct mrc_ctl_ev_fmt_profile_attr *attr)
{
    int count = attr->ev_fmt_op.fmt_field_count;

    if (count <= 0 || !attr->ev_fmt_op.fmt_fields)
        return -EINVAL;
    if (count > EV_BITS_FIELD_MAX)
        return -E2BIG;
    record->format.count = (uint32_t)count;
    for (int i = 0; i < count; i++)
        record->format.widths[i] = attr->ev_fmt_op.fmt_fields[i].width;
    return 0;
}

static int take_attributes(
    struct record_fmt *record, struct mrc_ctl_ev_fmt_profile_attr *attr, uint32_t mask)
{
    int err = 0;

    if (mask & MRC_CTL_EV_FMT_PROFILE_MODE) {
        if (!ev_bits_mode_width(attr->ev_fmt_mode))
            return -EINVAL;
        record->mode = (uint32_t)attr->ev_fmt_mode;
    }
    if (mask & MRC_CTL_EV_FMT_PROFILE_OP) {
        if (attr->ev_fmt_op.op == MRC_CTL_EV_FMT_OP_MODIFY_FIELDS)
            err = take_fields(record, attr);
        else if (attr->ev_fmt_op.op == MRC_CTL_EV_FMT_OP_QUERY_FIELDS)
            err = give_fields(record, attr);
        else
            err = -EINVAL;
    }
    if (mask & (uint32_t)MRC_CTL_EV_FMT_VENDOR_CFG)
        memcpy(record->vendor_cfg, attr->vendor_cfg, sizeof(record->vendor_cfg));
    if (!err && record->mode && record->format.count)
        err = ev_bits_check_format(&record->format, (enum mrc_ctl_ev_fmt_mode)record->mode);
    return err;
}

struct user_search {
    const struct profile_store *store;
    uint64_t fmt_id;
};

static int refuse_online_user(void *context, const struct folder *folder, uint64_t id)
{
    const struct user_search *search = context;
    int err;
    struct record_ev *record = profile_load_ev(search->store, id, &err);
    bool is_user =
        record && record->fmt_id == search->fmt_id && record->head.state == MRC_CTL_PROFILE_ONLINE;

    (void)folder;
    free(record);
    return is_user ? -EBUSY : 0;
}

static int check_state(
    const struct profile_store *store, const struct record_fmt *record, uint32_t wanted)
{
    struct user_search search = { .store = store, .fmt_id = record->head.id };

    if (wanted == MRC_CTL_PROFILE_OFFLINE && record->mode == 0)
        return -EINVAL;
    if (wanted == MRC_CTL_PROFILE_ONLINE && record->format.count == 0)
        return -EINVAL;
    if (record->head.state == MRC_CTL_PROFILE_INIT)
        return profile_check_room(store, RECORD_FMT, PROFILE_FMT_MAX);
    if (record->head.state == MRC_CTL_PROFILE_ONLINE && wanted != MRC_CTL_PROFILE_ONLINE)
        return record_each(&store->folder, RECORD_EV, refuse_online_user, &search);
    return 0;
}

static int change_profile(const struct profile_store *store, uint64_t id,
    struct mrc_ctl_ev_fmt_profile_attr *attr, uint32_t mask)
{
    const struct profile_change change = { .mask = mask,
        .state = (uint32_t)attr->profile_state,
        .cur_state = (uint32_t)attr->cur_profile_state,
        .known = KNOWN };
    struct record_fmt record;
    uint32_t wanted;
    int err = record_load(&store->folder, RECORD_FMT, id, &record);

    if (!err)
        err = profile_check_step(&change, record.head.state, &wanted);
    if (!err)
        err = take_attributes(&record, attr, mask);
    if (!err)
        err = check_state(store, &record, wanted);
    if (err)
        return err;
    record.head.state = wanted;
    return record_save(&store->folder, &record.head);
}

int profile_fmt_modify(const struct profile_store *store, uint64_t id,
    struct mrc_ctl_ev_fmt_profile_attr *attr, uint32_t mask)
{
    int lock = profile_begin_change(store);
    int err;

    if (lock < 0)
        return lock;
    err = change_profile(store, id, attr, mask);
    close(lock);
    return err;
}

int profile_fmt_query(const struct profile_store *store, uint64_t id,
    struct mrc_ctl_ev_fmt_profile_attr *attr, uint32_t mask)
{
    struct record_fmt record;
    int err = record_load(&store->folder, RECORD_FMT, id, &record);

    if (err)
        return err;
    if (mask == 0 || mask & ~KNOWN ||
        (record.head.state == MRC_CTL_PROFILE_INIT && mask != MRC_CTL_EV_FMT_PROFILE_STATE))
        return -EINVAL;
    if (mask & MRC_CTL_EV_FMT_PROFILE_OP) {
        if (attr->ev_fmt_op.op != MRC_CTL_EV_FMT_OP_QUERY_FIELDS)
            return -EINVAL;
        err = give_fields(&record, attr);
    }
    if (mask & MRC_CTL_EV_FMT_PROFILE_STATE)
        attr->profile_state = (enum mrc_ctl_profile_state)record.head.state;
    if (mask & MRC_CTL_EV_FMT_PROFILE_CUR_STATE)
        attr->cur_profile_state = (enum mrc_ctl_profile_state)record.head.state;
    if (mask & MRC_CTL_EV_FMT_PROFILE_MODE)
        attr->ev_fmt_mode = (enum mrc_ctl_ev_fmt_mode)record.mode;
    if (mask & (uint32_t)MRC_CTL_EV_FMT_VENDOR_CFG)
        memcpy(attr->vendor_cfg, record.vendor_cfg, sizeof(attr->vendor_cfg));
    return err;
}
