/* SPDX-License-Identifier: Apache-2.0 */
/* EV profiles: which attributes may change in which state, and what a profile needs to go ONLINE.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/profile.h"

#define KNOWN                                                                                      \
    (MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_CUR_STATE | MRC_CTL_EV_PROFILE_MODE |           \
        MRC_CTL_EV_PROFILE_FMT_ID | MRC_CTL_EV_PROFILE_COUNT | MRC_CTL_EV_PROFILE_MIN_ACTIVE |     \
        MRC_CTL_EV_PROFILE_EVENT_MASK | MRC_CTL_EV_PROFILE_EV_OP |                                 \
        MRC_CTL_EV_PROFILE_EV_FIELDS_OP | (uint32_t)MRC_CTL_EV_PROFILE_VENDOR_CFG)
#define WHILE_ONLINE                                                                               \
    (MRC_CTL_EV_PROFILE_EVENT_MASK | MRC_CTL_EV_PROFILE_EV_OP | MRC_CTL_EV_PROFILE_EV_FIELDS_OP)
#define BOTH_OPS     (MRC_CTL_EV_PROFILE_EV_OP | MRC_CTL_EV_PROFILE_EV_FIELDS_OP)
#define EVENT_STATES ((uint32_t)MRC_CTL_EV_GOOD | MRC_CTL_EV_ASSUMED_BAD)
/* A new profile needs these attributes. It also needs fields if the device draws its EVs. */
#define NEEDED (MRC_CTL_EV_PROFILE_MODE | MRC_CTL_EV_PROFILE_FMT_ID | MRC_CTL_EV_PROFILE_COUNT)

static int take_count(const struct profile_store *store, struct record_ev *record, uint32_t count)
{
    uint32_t free_count;
    int err = profile_ev_free_count(store, &free_count);

    if (err)
        return err;
    if (count == 0)
        return -EINVAL;
    if (count > RECORD_EV_MAX || (count > record->count && count - record->count > free_count))
        return -E2BIG;
    if (count > record->count)
        memset(&record->entries[record->count], 0,
            (count - record->count) * sizeof(record->entries[0]));
    record->count = count;
    return 0;
}

static int take_mode(struct record_ev *record, enum mrc_ctl_ev_mode mode)
{
    if (mode != MRC_CTL_EV_MODE_AUTO && mode != MRC_CTL_EV_MODE_EXP && mode != MRC_CTL_EV_MODE_GEN)
        return -EINVAL;
    if (record->mode != (uint32_t)mode)
        memset(record->entries, 0, record->count * sizeof(record->entries[0]));
    record->mode = (uint32_t)mode;
    return 0;
}

static int take_fields(const struct profile_store *store, struct record_ev *record,
    struct mrc_ctl_ev_profile_attr *attr)
{
    int count = attr->ev_fields_op.field_count;
    struct record_fmt fmt;
    int err;

    if (attr->ev_fields_op.op != MRC_CTL_EV_FIELDS_OP_MODIFY_FIELDS || count <= 0 ||
        !attr->ev_fields_op.fields)
        return -EINVAL;
    if (count > EV_BITS_FIELD_MAX)
        return -E2BIG;
    err = profile_load_fmt_of(store, record, &fmt);
    if (err)
        return err;
    record->fields.count = (uint32_t)count;
    memcpy(record->fields.fields, attr->ev_fields_op.fields,
        (size_t)count * sizeof(record->fields.fields[0]));
    return ev_bits_check_fields(&fmt.format, &record->fields);
}

static int take_numbers(
    struct record_ev *record, const struct mrc_ctl_ev_profile_attr *attr, uint32_t mask)
{
    if (mask & MRC_CTL_EV_PROFILE_EVENT_MASK) {
        if ((uint32_t)attr->ev_event_mask & ~EVENT_STATES)
            return -EINVAL;
        record->event_mask = (uint32_t)attr->ev_event_mask;
    }
    if (mask & MRC_CTL_EV_PROFILE_MIN_ACTIVE)
        record->min_active = attr->ev_min_active;
    if (record->min_active > record->count)
        return -EINVAL;
    if (mask & (uint32_t)MRC_CTL_EV_PROFILE_VENDOR_CFG)
        memcpy(record->vendor_cfg, attr->vendor_cfg, sizeof(record->vendor_cfg));
    return 0;
}

/* The EVs of a GEN profile that is not ONLINE are drawn again when the attributes that determine
 * them change. */
static bool must_draw(const struct record_ev *record, uint32_t mask)
{
    return record->mode == MRC_CTL_EV_MODE_GEN && record->head.state != MRC_CTL_PROFILE_ONLINE &&
           mask & (NEEDED | MRC_CTL_EV_PROFILE_EV_FIELDS_OP);
}

static int take_attributes(const struct profile_store *store, struct record_ev *record,
    struct mrc_ctl_ev_profile_attr *attr, uint32_t mask)
{
    struct record_fmt fmt;
    int err = 0;

    if (record->head.state == MRC_CTL_PROFILE_INIT && (mask & NEEDED) != NEEDED)
        return -EINVAL;
    if (mask & MRC_CTL_EV_PROFILE_MODE)
        err = take_mode(record, attr->ev_mode);
    if (!err && mask & MRC_CTL_EV_PROFILE_FMT_ID) {
        record->fmt_id = attr->ev_fmt_profile_id;
        err = profile_load_fmt_of(store, record, &fmt);
    }
    if (!err && mask & MRC_CTL_EV_PROFILE_COUNT)
        err = take_count(store, record, attr->ev_count);
    if (!err && mask & MRC_CTL_EV_PROFILE_EV_FIELDS_OP)
        err = take_fields(store, record, attr);
    if (!err)
        err = take_numbers(record, attr, mask);
    if (!err && record->mode == MRC_CTL_EV_MODE_GEN && record->fields.count == 0)
        err = -EINVAL;
    if (!err && must_draw(record, mask))
        err = profile_ev_generate(store, record);
    return err;
}

/* Fields of an EV profile agree with its format, its EVs with the fields; it can go ONLINE. */
static int profile_ev_check(const struct profile_store *store, const struct record_ev *record)
{
    struct record_fmt fmt;
    int err = profile_load_fmt_of(store, record, &fmt);
    uint32_t width;

    if (err)
        return err;
    if (fmt.head.state != MRC_CTL_PROFILE_ONLINE)
        return -EINVAL;
    err = ev_bits_check_fields(&fmt.format, &record->fields);
    if (err || record->mode == MRC_CTL_EV_MODE_AUTO)
        return err;
    width = ev_bits_compressed_width(&fmt.format, &record->fields);
    for (uint32_t i = 0; i < record->count; i++)
        if (record->entries[i].state == 0 || !ev_bits_fit(record->entries[i].ev.val, width))
            return -EINVAL;
    return 0;
}

static int check_state(
    const struct profile_store *store, const struct record_ev *record, uint32_t wanted)
{
    if (record->head.state == MRC_CTL_PROFILE_INIT)
        return profile_check_room(store, RECORD_EV, PROFILE_EV_MAX);
    if (wanted == MRC_CTL_PROFILE_ONLINE)
        return profile_ev_check(store, record);
    if (record->head.state == MRC_CTL_PROFILE_ONLINE &&
        profile_is_used(store, RECORD_EV, record->head.id))
        return -EBUSY;
    return 0;
}

static int check_ops(const struct mrc_ctl_ev_profile_attr *attr, uint32_t mask)
{
    bool is_change = attr->ev_op.op == MRC_CTL_EV_OP_REPLACE_EV ||
                     attr->ev_op.op == MRC_CTL_EV_OP_MODIFY_EV_STATE;

    if ((mask & BOTH_OPS) == BOTH_OPS)
        return -EINVAL;
    if (mask & MRC_CTL_EV_PROFILE_EV_OP &&
        (!is_change || attr->ev_op.entry_count <= 0 || !attr->ev_op.entries))
        return -EINVAL;
    return 0;
}

/* Entries before the one that fails stay changed; nothing else changes. */
static int change_entries(const struct profile_store *store, struct record_ev *record,
    const struct record_ev *before, const struct mrc_ctl_ev_profile_attr *attr)
{
    struct record_ev *partly;
    int err;
    int failure;

    if (record->mode == MRC_CTL_EV_MODE_AUTO)
        return -EINVAL;
    failure = profile_ev_apply(
        store, record, attr->ev_op.op, attr->ev_op.entries, (uint32_t)attr->ev_op.entry_count);
    if (!failure || before->head.state == MRC_CTL_PROFILE_INIT || before->count != record->count ||
        before->mode != record->mode || before->fmt_id != record->fmt_id)
        return failure;
    partly = malloc(sizeof(*partly));
    if (!partly)
        return -ENOMEM;
    *partly = *before;
    memcpy(partly->entries, record->entries, record->count * sizeof(record->entries[0]));
    err = record_save(&store->folder, &partly->head);
    free(partly);
    return err ? err : failure;
}

static int change_profile(const struct profile_store *store, struct record_ev *record,
    const struct record_ev *before, struct mrc_ctl_ev_profile_attr *attr, uint32_t mask)
{
    const struct profile_change change = { .mask = mask,
        .state = (uint32_t)attr->profile_state,
        .cur_state = (uint32_t)attr->cur_profile_state,
        .known = KNOWN,
        .while_online = WHILE_ONLINE };
    uint32_t wanted;
    int err = profile_check_step(&change, record->head.state, &wanted);

    if (!err)
        err = check_ops(attr, mask);
    if (!err)
        err = take_attributes(store, record, attr, mask);
    if (!err && mask & MRC_CTL_EV_PROFILE_EV_OP)
        err = change_entries(store, record, before, attr);
    if (!err && record->head.state == MRC_CTL_PROFILE_ONLINE && wanted == record->head.state)
        err = profile_ev_check(store, record);
    if (!err)
        err = check_state(store, record, wanted);
    if (err)
        return err;
    record->head.state = wanted;
    return record_save(&store->folder, &record->head);
}

int profile_ev_modify(const struct profile_store *store, uint64_t id,
    struct mrc_ctl_ev_profile_attr *attr, uint32_t mask)
{
    struct record_ev *record = NULL;
    struct record_ev *before = NULL;
    int lock = profile_begin_change(store);
    int err;

    if (lock < 0)
        return lock;
    record = profile_load_ev(store, id, &err);
    if (record && id == PROFILE_DEFAULT_ID) {
        err = profile_own_modify(store, record, attr, mask);
    } else if (record) {
        before = malloc(sizeof(*before));
        err = before ? 0 : -ENOMEM;
    }
    if (record && before) {
        *before = *record;
        err = change_profile(store, record, before, attr, mask);
    }
    free(before);
    free(record);
    close(lock);
    return err;
}

static int give_fields(const struct record_ev *record, struct mrc_ctl_ev_profile_attr *attr)
{
    int room = attr->ev_fields_op.field_count;

    if (attr->ev_fields_op.op != MRC_CTL_EV_FIELDS_OP_QUERY_FIELDS || room < 0 ||
        (room > 0 && !attr->ev_fields_op.fields))
        return -EINVAL;
    attr->ev_fields_op.field_count = (int)record->fields.count;
    if ((uint32_t)room < record->fields.count)
        return -E2BIG;
    if (record->fields.count)
        memcpy(attr->ev_fields_op.fields, record->fields.fields,
            record->fields.count * sizeof(record->fields.fields[0]));
    return 0;
}

static int give_attributes(const struct profile_store *store, const struct record_ev *record,
    struct mrc_ctl_ev_profile_attr *attr, uint32_t mask)
{
    uint32_t default_active = record->count / 4 ? record->count / 4 : 1;

    if (mask == 0 || mask & ~KNOWN || (mask & BOTH_OPS) == BOTH_OPS ||
        (record->head.state == MRC_CTL_PROFILE_INIT && mask != MRC_CTL_EV_PROFILE_STATE))
        return -EINVAL;
    if (mask & MRC_CTL_EV_PROFILE_STATE)
        attr->profile_state = (enum mrc_ctl_profile_state)record->head.state;
    if (mask & MRC_CTL_EV_PROFILE_CUR_STATE)
        attr->cur_profile_state = (enum mrc_ctl_profile_state)record->head.state;
    if (mask & MRC_CTL_EV_PROFILE_MODE)
        attr->ev_mode = (enum mrc_ctl_ev_mode)record->mode;
    if (mask & MRC_CTL_EV_PROFILE_FMT_ID)
        attr->ev_fmt_profile_id = record->fmt_id;
    if (mask & MRC_CTL_EV_PROFILE_COUNT)
        attr->ev_count = record->count;
    if (mask & MRC_CTL_EV_PROFILE_MIN_ACTIVE)
        attr->ev_min_active = record->min_active ? record->min_active : default_active;
    if (mask & MRC_CTL_EV_PROFILE_EVENT_MASK)
        attr->ev_event_mask = (int)record->event_mask;
    if (mask & (uint32_t)MRC_CTL_EV_PROFILE_VENDOR_CFG)
        memcpy(attr->vendor_cfg, record->vendor_cfg, sizeof(attr->vendor_cfg));
    if (mask & MRC_CTL_EV_PROFILE_EV_FIELDS_OP)
        return give_fields(record, attr);
    return mask & MRC_CTL_EV_PROFILE_EV_OP ? profile_ev_look(store, record, attr) : 0;
}

int profile_ev_query(const struct profile_store *store, uint64_t id,
    struct mrc_ctl_ev_profile_attr *attr, uint32_t mask)
{
    int lock = folder_lock(&store->folder, "lock");
    int err = lock < 0 && lock != -EPERM ? lock : 0; /* other users may query */
    struct record_ev *record = err ? NULL : profile_load_ev(store, id, &err);

    if (record && id == PROFILE_DEFAULT_ID) {
        record->head.state = MRC_CTL_PROFILE_ONLINE;
        record->mode = MRC_CTL_EV_MODE_AUTO;
    }
    if (record && id == PROFILE_DEFAULT_ID && mask == MRC_CTL_EV_PROFILE_EV_OP)
        err = profile_own_look(record, attr);
    else if (record)
        err = give_attributes(store, record, attr, mask);
    free(record);
    if (lock >= 0)
        close(lock);
    return err;
}
