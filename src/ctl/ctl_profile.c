/* SPDX-License-Identifier: Apache-2.0 */
/* Makes profiles through mrc_ctl.h. */
#include "ctl/ctl_profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <mrc_ctl.h>

#include "base/bytes.h"

/* The format of an EV as one number of 32 bits, which all EV profiles of agents share. */
#define FORMAT_ID 1

static int or_errno(int result)
{
    return result == 0 ? 0 : -errno;
}

/* ---- format ---------------------------------------------------------------------------------- */

static int set_format(
    struct mrc_context *mrc, struct mrc_ctl_ev_fmt_profile_attr *attr, int attr_mask)
{
    return or_errno(mrc_ctl_modify_ev_fmt_profile(mrc, FORMAT_ID, attr, attr_mask));
}

static int load_format(struct mrc_context *mrc)
{
    struct mrc_ctl_ev_fmt_field fields[2] = { { 16 }, { 16 } };
    struct mrc_ctl_ev_fmt_profile_attr attr = { 0 };
    int err =
        or_errno(mrc_ctl_query_ev_fmt_profile(mrc, FORMAT_ID, &attr, MRC_CTL_EV_FMT_PROFILE_STATE));
    enum mrc_ctl_profile_state state = attr.profile_state;

    attr = (struct mrc_ctl_ev_fmt_profile_attr){ .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_fmt_mode = MRC_CTL_EV_FMT_MODE_STEV,
        .ev_fmt_op = {
            .op = MRC_CTL_EV_FMT_OP_MODIFY_FIELDS, .fmt_fields = fields, .fmt_field_count = 2 } };
    if (!err && state == MRC_CTL_PROFILE_INIT)
        err = set_format(mrc, &attr,
            MRC_CTL_EV_FMT_PROFILE_STATE | MRC_CTL_EV_FMT_PROFILE_MODE | MRC_CTL_EV_FMT_PROFILE_OP);
    attr.profile_state = MRC_CTL_PROFILE_ONLINE;
    if (!err && state != MRC_CTL_PROFILE_ONLINE)
        err = set_format(mrc, &attr, MRC_CTL_EV_FMT_PROFILE_STATE);
    return err;
}

/* ---- EVs ------------------------------------------------------------------------------------- */

struct ev_profile {
    struct mrc_context *mrc;
    uint64_t id;
    struct mrc_ctl_ev_op_entry *entries; /* what it should have */
    struct mrc_ctl_ev_op_entry *found;   /* what it has */
    int count;
};

static int set_state(const struct ev_profile *profile, enum mrc_ctl_profile_state state)
{
    struct mrc_ctl_ev_profile_attr attr = { .profile_state = state };

    return or_errno(
        mrc_ctl_modify_ev_profile(profile->mrc, profile->id, &attr, MRC_CTL_EV_PROFILE_STATE));
}

static int apply_entries(const struct ev_profile *profile, enum mrc_ctl_ev_op op)
{
    struct mrc_ctl_ev_profile_attr attr = {
        .ev_op = { .op = op, .entries = profile->entries, .entry_count = profile->count }
    };

    return or_errno(
        mrc_ctl_modify_ev_profile(profile->mrc, profile->id, &attr, MRC_CTL_EV_PROFILE_EV_OP));
}

static int create_profile(const struct ev_profile *profile)
{
    struct mrc_ctl_ev_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_mode = MRC_CTL_EV_MODE_EXP,
        .ev_fmt_profile_id = FORMAT_ID,
        .ev_count = (uint32_t)profile->count,
        .ev_event_mask = MRC_CTL_EV_GOOD | MRC_CTL_EV_ASSUMED_BAD };
    int err = or_errno(mrc_ctl_modify_ev_profile(profile->mrc, profile->id, &attr,
        MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_MODE | MRC_CTL_EV_PROFILE_FMT_ID |
            MRC_CTL_EV_PROFILE_COUNT | MRC_CTL_EV_PROFILE_EVENT_MASK));

    for (int i = 0; i < profile->count; i++) {
        profile->entries[i].ev_new = profile->entries[i].ev;
        profile->entries[i].ev = MRC_CTL_EV_UNPOPULATED;
    }
    if (!err)
        err = apply_entries(profile, MRC_CTL_EV_OP_REPLACE_EV);
    for (int i = 0; i < profile->count; i++)
        profile->entries[i].ev = profile->entries[i].ev_new;
    return err ? err : set_state(profile, MRC_CTL_PROFILE_ONLINE);
}

/* Whether the profile is ONLINE and has these EVs, in this order. */
static bool has_evs(const struct ev_profile *profile)
{
    struct mrc_ctl_ev_profile_attr attr = { .ev_op = { .op = MRC_CTL_EV_OP_QUERY_EV_ARRAY,
                                                .entries = profile->found,
                                                .entry_count = CTL_PROFILE_EVS_MAX } };

    if (mrc_ctl_query_ev_profile(profile->mrc, profile->id, &attr, MRC_CTL_EV_PROFILE_EV_OP) != 0 ||
        attr.ev_op.entry_count != profile->count)
        return false;
    for (int i = 0; i < profile->count; i++)
        if (memcmp(&profile->found[i].ev, &profile->entries[i].ev, sizeof(profile->found[i].ev)) !=
            0)
            return false;
    return true;
}

/* Whether an EV is denied that should not be, or the reverse. */
static bool states_differ(const struct ev_profile *profile)
{
    for (int i = 0; i < profile->count; i++)
        if ((profile->found[i].state == MRC_CTL_EV_DENIED) !=
            (profile->entries[i].state == MRC_CTL_EV_DENIED))
            return true;
    return false;
}

/* A profile that is not complete, or has other EVs, is made again. */
static int make_profile(const struct ev_profile *profile)
{
    struct mrc_ctl_ev_profile_attr attr = { 0 };
    int err = or_errno(
        mrc_ctl_query_ev_profile(profile->mrc, profile->id, &attr, MRC_CTL_EV_PROFILE_STATE));

    if (!err && attr.profile_state == MRC_CTL_PROFILE_ONLINE && has_evs(profile))
        return states_differ(profile) ? apply_entries(profile, MRC_CTL_EV_OP_MODIFY_EV_STATE) : 0;
    if (!err && attr.profile_state == MRC_CTL_PROFILE_ONLINE)
        err = set_state(profile, MRC_CTL_PROFILE_OFFLINE);
    if (!err && attr.profile_state != MRC_CTL_PROFILE_INIT)
        err = set_state(profile, MRC_CTL_PROFILE_INIT);
    return err ? err : create_profile(profile);
}

static bool is_listed(const json_t *list, const json_t *pair)
{
    const json_t *other;
    size_t i;

    json_array_foreach(list, i, other) if (json_equal(other, pair)) return true;
    return false;
}

static void fill_entries(struct ev_profile *profile, const json_t *evs, const json_t *deny)
{
    const json_t *pair;
    size_t i;

    json_array_foreach(evs, i, pair)
    {
        struct mrc_ctl_ev_op_entry *entry = &profile->entries[i];

        *entry = (struct mrc_ctl_ev_op_entry){
            .ev.port = (uint8_t)(json_integer_value(json_array_get(pair, 1)) + 1),
            .state = is_listed(deny, pair) ? MRC_CTL_EV_DENIED : MRC_CTL_EV_GOOD
        };
        bytes_put_be32(entry->ev.val, (uint32_t)json_integer_value(json_array_get(pair, 0)));
    }
}

static int load_evs(struct mrc_context *mrc, uint64_t id, const json_t *orders)
{
    const json_t *evs = json_object_get(orders, "evs");
    struct ev_profile profile = { .mrc = mrc,
        .id = id,
        .count = (int)json_array_size(evs),
        .entries = calloc(CTL_PROFILE_EVS_MAX, sizeof(*profile.entries)),
        .found = calloc(CTL_PROFILE_EVS_MAX, sizeof(*profile.found)) };
    int err = profile.entries && profile.found ? 0 : -ENOMEM;

    if (!err)
        err = load_format(mrc);
    if (!err) {
        fill_entries(&profile, evs, json_object_get(orders, "deny"));
        err = make_profile(&profile);
    }
    free(profile.entries);
    free(profile.found);
    return err;
}

/* ---- congestion control ---------------------------------------------------------------------- */

static int load_cc(struct mrc_context *mrc, uint64_t id)
{
    struct mrc_ctl_cc_profile_attr attr = { 0 };
    int err = or_errno(mrc_ctl_query_cc_profile(mrc, id, &attr, MRC_CTL_CC_PROFILE_STATE));
    enum mrc_ctl_profile_state state = attr.profile_state;

    attr = (struct mrc_ctl_cc_profile_attr){ .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .algorithm = "uet-1.0-nscc" };
    if (!err && state == MRC_CTL_PROFILE_INIT)
        err = or_errno(mrc_ctl_modify_cc_profile(
            mrc, id, &attr, MRC_CTL_CC_PROFILE_STATE | MRC_CTL_CC_PROFILE_ALGORITHM));
    attr.profile_state = MRC_CTL_PROFILE_ONLINE;
    if (!err && state != MRC_CTL_PROFILE_ONLINE)
        err = or_errno(mrc_ctl_modify_cc_profile(mrc, id, &attr, MRC_CTL_CC_PROFILE_STATE));
    return err;
}

int ctl_profile_load(const struct port_admin *device, const json_t *orders)
{
    json_int_t ev_id = json_integer_value(json_object_get(orders, "ev_profile"));
    json_int_t cc_id = json_integer_value(json_object_get(orders, "cc_profile"));
    int err = ev_id > 0 ? load_evs(device->mrc, (uint64_t)ev_id, orders) : 0;

    return !err && cc_id > 0 ? load_cc(device->mrc, (uint64_t)cc_id) : err;
}
