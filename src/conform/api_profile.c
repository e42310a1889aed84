/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles with usual contents. */
#include "conform/api_profile.h"

#include <errno.h>
#include <string.h>

#include "conform/api_suite.h"

/* ---- calls ----------------------------------------------------------------------------------- */

int api_profile_fmt(struct api_side *side, struct mrc_ctl_ev_fmt_profile_attr *attr, int mask)
{
    return api_run_error_minus(
        API(side->run, ctl_modify_ev_fmt_profile)(side->mrc, API_PROFILE_FMT, attr, mask));
}

int api_profile_ev(struct api_side *side, struct mrc_ctl_ev_profile_attr *attr, int mask)
{
    return api_run_error_minus(
        API(side->run, ctl_modify_ev_profile)(side->mrc, API_PROFILE_EV, attr, mask));
}

int api_profile_cc(struct api_side *side, struct mrc_ctl_cc_profile_attr *attr, int mask)
{
    return api_run_error_minus(
        API(side->run, ctl_modify_cc_profile)(side->mrc, API_PROFILE_CC, attr, mask));
}

int api_profile_fmt_state(struct api_side *side, enum mrc_ctl_profile_state state)
{
    struct mrc_ctl_ev_fmt_profile_attr attr = { .profile_state = state };

    return api_profile_fmt(side, &attr, MRC_CTL_EV_FMT_PROFILE_STATE);
}

int api_profile_ev_state(struct api_side *side, enum mrc_ctl_profile_state state)
{
    struct mrc_ctl_ev_profile_attr attr = { .profile_state = state };

    return api_profile_ev(side, &attr, MRC_CTL_EV_PROFILE_STATE);
}

int api_profile_cc_state(struct api_side *side, enum mrc_ctl_profile_state state)
{
    struct mrc_ctl_cc_profile_attr attr = { .profile_state = state };

    return api_profile_cc(side, &attr, MRC_CTL_CC_PROFILE_STATE);
}

int api_profile_is(struct api_side *side, int profile)
{
    struct mrc_ctl_ev_fmt_profile_attr fmt = { .profile_state = (enum mrc_ctl_profile_state)7 };
    struct mrc_ctl_ev_profile_attr ev = { .profile_state = (enum mrc_ctl_profile_state)7 };
    struct mrc_ctl_cc_profile_attr cc = { .profile_state = (enum mrc_ctl_profile_state)7 };
    struct api_run *run = side->run;
    int err;

    if (profile == API_PROFILE_FMT)
        err = API(run, ctl_query_ev_fmt_profile)(
            side->mrc, API_PROFILE_FMT, &fmt, MRC_CTL_EV_FMT_PROFILE_STATE);
    else if (profile == API_PROFILE_EV)
        err = API(run, ctl_query_ev_profile)(
            side->mrc, API_PROFILE_EV, &ev, MRC_CTL_EV_PROFILE_STATE);
    else
        err = API(run, ctl_query_cc_profile)(
            side->mrc, API_PROFILE_CC, &cc, MRC_CTL_CC_PROFILE_STATE);
    err = api_run_error_minus(err);
    api_run_must(run, err == 0, "a query of the state of a profile: %s", api_run_error_text(err));
    return (int)(profile == API_PROFILE_FMT  ? fmt.profile_state
                 : profile == API_PROFILE_EV ? ev.profile_state
                                             : cc.profile_state);
}

/* ---- begin and end --------------------------------------------------------------------------- */

static void remove_profiles(struct api_side *side)
{
    api_profile_ev_state(side, MRC_CTL_PROFILE_OFFLINE);
    api_profile_ev_state(side, MRC_CTL_PROFILE_INIT);
    api_profile_fmt_state(side, MRC_CTL_PROFILE_OFFLINE);
    api_profile_fmt_state(side, MRC_CTL_PROFILE_INIT);
    api_profile_cc_state(side, MRC_CTL_PROFILE_OFFLINE);
    api_profile_cc_state(side, MRC_CTL_PROFILE_INIT);
}

static void remove_at_end(struct api_run *run)
{
    struct api_side side;

    api_side_open(&side, run, run->device);
    remove_profiles(&side);
}

void api_profile_open(struct api_side *side, struct api_run *run)
{
    struct mrc_ctl_ev_fmt_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_fmt_mode = MRC_CTL_EV_FMT_MODE_UDP };

    api_side_open(side, run, run->device);
    remove_profiles(side);
    if (api_profile_fmt(side, &attr, MRC_CTL_EV_FMT_PROFILE_STATE | MRC_CTL_EV_FMT_PROFILE_MODE) ==
        EPERM)
        api_run_skip(run, "the controller needs CAP_NET_ADMIN");
    atomic_store(&run->watch->at_end, remove_at_end);
    api_profile_fmt_state(side, MRC_CTL_PROFILE_INIT);
}

/* ---- states ---------------------------------------------------------------------------------- */

static const char *const state_names[] = { "INIT", "OFFLINE", "ONLINE" };

static void expect_step(struct api_side *side, int profile, int to, int err, int expected)
{
    int before = api_profile_is(side, profile);

    api_run_expect(side->run, err == expected, "the step to %s: %s instead of %s", state_names[to],
        api_run_error_text(err), api_run_error_text(expected));
    if (expected == 0)
        api_run_expect(side->run, before == to, "after the step to %s the state is %d",
            state_names[to], before);
}

void api_profile_walk(
    struct api_side *side, int profile, int (*set)(struct api_side *, enum mrc_ctl_profile_state))
{
    const int offline = MRC_CTL_PROFILE_OFFLINE;
    const int online = MRC_CTL_PROFILE_ONLINE;

    api_run_expect(side->run, api_profile_is(side, profile) == offline,
        "a new profile is in state %d instead of OFFLINE", api_profile_is(side, profile));
    expect_step(side, profile, online, set(side, MRC_CTL_PROFILE_ONLINE), 0);
    expect_step(side, profile, 0, set(side, MRC_CTL_PROFILE_INIT), EINVAL);
    api_run_expect(side->run, api_profile_is(side, profile) == online,
        "a step that is refused changes the state");
    expect_step(side, profile, offline, set(side, MRC_CTL_PROFILE_OFFLINE), 0);
    expect_step(side, profile, online, set(side, MRC_CTL_PROFILE_ONLINE), 0);
    expect_step(side, profile, offline, set(side, MRC_CTL_PROFILE_OFFLINE), 0);
    expect_step(side, profile, 0, set(side, MRC_CTL_PROFILE_INIT), 0);
    expect_step(side, profile, online, set(side, MRC_CTL_PROFILE_ONLINE), EINVAL);
    expect_step(side, profile, 0, set(side, (enum mrc_ctl_profile_state)7), EINVAL);
    api_run_expect(side->run, api_profile_is(side, profile) == 0,
        "after steps that are refused, the state is %d instead of INIT",
        api_profile_is(side, profile));
}

/* ---- contents -------------------------------------------------------------------------------- */

/* UDP if the device has it, otherwise another mode. */
static enum mrc_ctl_ev_fmt_mode mode_of(struct api_side *side)
{
    struct mrc_ctl_device_attr attr = { .opt_attr = 0 };

    API(side->run, ctl_query_device)(side->verbs, &attr);
    if (attr.ev.ev_fmt_mode_mask & MRC_CTL_EV_FMT_MODE_UDP)
        return MRC_CTL_EV_FMT_MODE_UDP;
    return attr.ev.ev_fmt_mode_mask & MRC_CTL_EV_FMT_MODE_STEV ? MRC_CTL_EV_FMT_MODE_STEV
                                                               : MRC_CTL_EV_FMT_MODE_SRV6;
}

void api_profile_make_fmt(struct api_side *side)
{
    struct mrc_ctl_ev_fmt_field field = { .width = 16 };
    struct mrc_ctl_ev_fmt_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_fmt_mode = mode_of(side),
        .ev_fmt_op = { .fmt_fields = &field, .fmt_field_count = 1 } };
    int err = api_profile_fmt(side, &attr,
        MRC_CTL_EV_FMT_PROFILE_STATE | MRC_CTL_EV_FMT_PROFILE_MODE | MRC_CTL_EV_FMT_PROFILE_OP);

    api_run_must(
        side->run, err == 0, "a format cannot be made OFFLINE: %s", api_run_error_text(err));
    err = api_profile_fmt_state(side, MRC_CTL_PROFILE_ONLINE);
    api_run_must(
        side->run, err == 0, "a format cannot be made ONLINE: %s", api_run_error_text(err));
}

struct mrc_ctl_ev_profile_attr api_profile_ev_attr(void)
{
    return (struct mrc_ctl_ev_profile_attr){ .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_mode = MRC_CTL_EV_MODE_EXP,
        .ev_fmt_profile_id = API_PROFILE_FMT,
        .ev_count = API_PROFILE_EVS,
        .ev_min_active = 1,
        .ev_event_mask = MRC_CTL_EV_GOOD | MRC_CTL_EV_ASSUMED_BAD };
}

void api_profile_make_ev(struct api_side *side)
{
    struct mrc_ctl_ev_profile_attr attr = api_profile_ev_attr();
    int err = api_profile_ev(side, &attr,
        API_PROFILE_EV_NEEDED | MRC_CTL_EV_PROFILE_MIN_ACTIVE | MRC_CTL_EV_PROFILE_EVENT_MASK);

    api_run_must(side->run, err == 0, "an explicit EV profile cannot be made OFFLINE: %s",
        api_run_error_text(err));
}

struct mrc_ctl_ev api_profile_ev_of(struct api_side *side, uint32_t i)
{
    struct mrc_ctl_device_attr attr = { .phy_port_mask = 0 };
    uint32_t value = 0x1001 + i;
    uint32_t turn = i;
    uint8_t port = 1;

    API(side->run, ctl_query_device)(side->verbs, &attr);
    api_run_must(side->run, attr.phy_port_mask >> 1, "the device has no port");
    while (!(attr.phy_port_mask >> port & 1) || turn-- > 0)
        port = port < 31 && attr.phy_port_mask >> (port + 1) ? (uint8_t)(port + 1) : 1;
    return (struct mrc_ctl_ev){ .val = { (uint8_t)(value >> 8), (uint8_t)value }, .port = port };
}

int api_profile_ev_op(
    struct api_side *side, enum mrc_ctl_ev_op op, struct mrc_ctl_ev_op_entry *entries, int count)
{
    struct mrc_ctl_ev_profile_attr attr = {
        .ev_op = { .op = op, .entries = entries, .entry_count = count }
    };

    if (op == MRC_CTL_EV_OP_REPLACE_EV || op == MRC_CTL_EV_OP_MODIFY_EV_STATE)
        return api_profile_ev(side, &attr, MRC_CTL_EV_PROFILE_EV_OP);
    return api_run_error_minus(API(side->run, ctl_query_ev_profile)(
        side->mrc, API_PROFILE_EV, &attr, MRC_CTL_EV_PROFILE_EV_OP));
}

void api_profile_populate(struct api_side *side)
{
    struct mrc_ctl_ev_op_entry entries[API_PROFILE_EVS];
    int err;

    memset(entries, 0, sizeof(entries));
    for (uint32_t i = 0; i < API_PROFILE_EVS; i++) {
        entries[i].ev = MRC_CTL_EV_UNPOPULATED;
        entries[i].ev_new = api_profile_ev_of(side, i);
        entries[i].state = MRC_CTL_EV_GOOD;
    }
    err = api_profile_ev_op(side, MRC_CTL_EV_OP_REPLACE_EV, entries, API_PROFILE_EVS);
    api_run_must(side->run, err == 0, "MRC_CTL_EV_OP_REPLACE_EV of entries without EV: %s",
        api_run_error_text(err));
}

void api_profile_ev_array(
    struct api_side *side, struct mrc_ctl_ev_op_entry entries[static API_PROFILE_EVS])
{
    int err = api_profile_ev_op(side, MRC_CTL_EV_OP_QUERY_EV_ARRAY, entries, API_PROFILE_EVS);

    api_run_must(side->run, err == 0, "MRC_CTL_EV_OP_QUERY_EV_ARRAY: %s", api_run_error_text(err));
}
