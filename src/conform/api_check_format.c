/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of EV formats. */
#include <errno.h>
#include <string.h>

#include "conform/api_profile.h"
#include "conform/api_suite.h"

#define STATE  MRC_CTL_EV_FMT_PROFILE_STATE
#define MODE   MRC_CTL_EV_FMT_PROFILE_MODE
#define FIELDS MRC_CTL_EV_FMT_PROFILE_OP

static struct mrc_ctl_ev_fmt_field widths[] = { { 10 }, { 8 }, { 4 }, { 10 } };

static struct mrc_ctl_ev_fmt_profile_attr stev_attr(void)
{
    return (struct mrc_ctl_ev_fmt_profile_attr){ .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_fmt_mode = MRC_CTL_EV_FMT_MODE_STEV,
        .ev_fmt_op = { .fmt_fields = widths, .fmt_field_count = 4 } };
}

static int query_fmt(struct api_side *side, struct mrc_ctl_ev_fmt_profile_attr *attr, int mask)
{
    return api_run_error_minus(
        API(side->run, ctl_query_ev_fmt_profile)(side->mrc, API_PROFILE_FMT, attr, mask));
}

void api_suite_fmt_life(struct api_run *run)
{
    struct mrc_ctl_ev_fmt_profile_attr attr = stev_attr();
    struct api_side side;

    api_profile_open(&side, run);
    api_run_expect(run, api_profile_is(&side, API_PROFILE_FMT) == MRC_CTL_PROFILE_INIT,
        "a profile that was never set is in state %d", api_profile_is(&side, API_PROFILE_FMT));
    api_run_ends(run, api_profile_fmt(&side, &attr, STATE | MODE | FIELDS), 0,
        "the step from INIT to OFFLINE");
    if (!run->has_failed)
        api_profile_walk(&side, API_PROFILE_FMT, api_profile_fmt_state);
}

void api_suite_fmt_needs(struct api_run *run)
{
    struct mrc_ctl_ev_fmt_profile_attr attr = stev_attr();
    struct api_side side;

    api_profile_open(&side, run);
    api_run_ends(run, api_profile_fmt(&side, &attr, STATE | FIELDS), EINVAL,
        "the step to OFFLINE without a mode");
    api_run_ends(run, api_profile_fmt(&side, &attr, STATE | MODE), 0, "the step to OFFLINE");
    api_run_ends(run, api_profile_fmt_state(&side, MRC_CTL_PROFILE_ONLINE), EINVAL,
        "the step to ONLINE without fields");
    attr.cur_profile_state = MRC_CTL_PROFILE_ONLINE;
    api_run_ends(run, api_profile_fmt(&side, &attr, FIELDS | MRC_CTL_EV_FMT_PROFILE_CUR_STATE),
        EINVAL, "a change with another current state");
    attr.cur_profile_state = MRC_CTL_PROFILE_OFFLINE;
    api_run_ends(run, api_profile_fmt(&side, &attr, FIELDS | MRC_CTL_EV_FMT_PROFILE_CUR_STATE), 0,
        "a change of the fields while OFFLINE");
    api_run_ends(run, api_profile_fmt_state(&side, MRC_CTL_PROFILE_ONLINE), 0,
        "the step to ONLINE with fields that were set before");
}

void api_suite_fmt_fields(struct api_run *run)
{
    struct mrc_ctl_ev_fmt_profile_attr attr = stev_attr();
    struct mrc_ctl_ev_fmt_field room[8];
    struct mrc_ctl_ev_fmt_profile_attr query = { .ev_fmt_op = {
                                                     .op = MRC_CTL_EV_FMT_OP_QUERY_FIELDS,
                                                     .fmt_fields = room,
                                                     .fmt_field_count = 8 } };
    struct api_side side;

    api_profile_open(&side, run);
    api_run_ends(
        run, api_profile_fmt(&side, &attr, STATE | MODE | FIELDS), 0, "the step to OFFLINE");
    api_run_ends(run, query_fmt(&side, &query, FIELDS | MODE), 0, "a query of the fields");
    api_run_expect(
        run, query.ev_fmt_mode == MRC_CTL_EV_FMT_MODE_STEV, "the mode is 0x%x", query.ev_fmt_mode);
    api_run_expect(run, query.ev_fmt_op.fmt_field_count == 4, "4 fields were set, %d are returned",
        query.ev_fmt_op.fmt_field_count);
    for (int i = 0; i < 4 && !run->has_failed; i++)
        api_run_expect(run, room[i].width == widths[i].width, "field %d has %u bits instead of %u",
            i, room[i].width, widths[i].width);
    query.ev_fmt_op.fmt_field_count = 3;
    api_run_ends(
        run, query_fmt(&side, &query, FIELDS), E2BIG, "a query of 4 fields into an array of 3");
    api_run_expect(run, query.ev_fmt_op.fmt_field_count == 4,
        "with E2BIG the number of fields is %d instead of 4", query.ev_fmt_op.fmt_field_count);
    query.ev_fmt_op.op = MRC_CTL_EV_FMT_OP_MODIFY_FIELDS;
    api_run_ends(run, query_fmt(&side, &query, FIELDS), EINVAL, "a query that modifies fields");
}

static void read_too_wide(struct api_side *side)
{
    struct mrc_ctl_ev_fmt_field wide[] = { { 32 }, { 32 } };
    struct mrc_ctl_ev_fmt_profile_attr attr = stev_attr();
    int err;

    attr.ev_fmt_op.fmt_fields = wide;
    attr.ev_fmt_op.fmt_field_count = 2;
    err = api_profile_fmt(side, &attr, STATE | MODE | FIELDS);
    api_run_expect(side->run, err != 0, "a structured EV of 64 bits is accepted");
    api_run_reading(side->run, API_POINT_FMT_TOO_WIDE, "%s", api_run_error_text(err));
}

void api_suite_fmt_limits(struct api_run *run)
{
    struct mrc_ctl_ev_fmt_profile_attr attr = stev_attr();
    struct api_side side;

    api_profile_open(&side, run);
    attr.ev_fmt_mode = (enum mrc_ctl_ev_fmt_mode)(1 << 6);
    api_run_ends(run, api_profile_fmt(&side, &attr, STATE | MODE), EINVAL, "an unknown mode");
    attr = stev_attr();
    api_run_ends(
        run, api_profile_fmt(&side, &attr, STATE | MODE | 1 << 20), EINVAL, "an unknown bit");
    api_run_ends(run, api_profile_fmt(&side, &attr, 0), EINVAL, "an empty mask");
    read_too_wide(&side);
    api_run_expect(run, api_profile_is(&side, API_PROFILE_FMT) == MRC_CTL_PROFILE_INIT,
        "after calls that are refused, the profile is in state %d",
        api_profile_is(&side, API_PROFILE_FMT));
}

void api_suite_fmt_online(struct api_run *run)
{
    struct mrc_ctl_ev_fmt_profile_attr attr = stev_attr();
    struct mrc_ctl_ev_profile_attr ev = api_profile_ev_attr();
    struct api_side side;

    api_profile_open(&side, run);
    api_profile_make_fmt(&side);
    api_run_ends(run, api_profile_fmt(&side, &attr, MODE), EINVAL, "another mode while ONLINE");
    api_run_ends(run, api_profile_fmt(&side, &attr, FIELDS), EINVAL, "other fields while ONLINE");
    ev.ev_mode = MRC_CTL_EV_MODE_AUTO;
    api_run_ends(run, api_profile_ev(&side, &ev, API_PROFILE_EV_NEEDED), 0,
        "an AUTO profile with the format");
    api_run_ends(run, api_profile_ev_state(&side, MRC_CTL_PROFILE_ONLINE), 0, "its step to ONLINE");
    if (!run->has_failed)
        api_run_ends(run, api_profile_fmt_state(&side, MRC_CTL_PROFILE_OFFLINE), EBUSY,
            "the step to OFFLINE while an EV profile with the format is ONLINE");
}
