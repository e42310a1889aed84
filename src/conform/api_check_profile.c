/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the limits and modes of EV profiles, and of profiles in general. */
#include <errno.h>
#include <string.h>

#include "conform/api_profile.h"
#include "conform/api_suite.h"

enum { DRAWN = 32 };

static void open_formatted(struct api_side *side, struct api_run *run)
{
    api_profile_open(side, run);
    api_profile_make_fmt(side);
}

static struct mrc_ctl_device_attr limits_of(struct api_side *side)
{
    struct mrc_ctl_device_attr attr = { .opt_attr = 0 };

    api_run_must(side->run, API(side->run, ctl_query_device)(side->verbs, &attr) == 0,
        "mrc_ctl_query_device fails");
    return attr;
}

static void expect_count_refused(struct api_side *side)
{
    struct mrc_ctl_ev_profile_attr attr = api_profile_ev_attr();
    uint32_t most = limits_of(side).ev.ev_max_count_profile;
    int err;

    attr.ev_mode = MRC_CTL_EV_MODE_AUTO;
    attr.ev_count = 0;
    api_run_ends(side->run, api_profile_ev(side, &attr, API_PROFILE_EV_NEEDED), EINVAL,
        "a profile of 0 EVs");
    if (most == UINT32_MAX)
        return;
    attr.ev_count = most + 1;
    err = api_profile_ev(side, &attr, API_PROFILE_EV_NEEDED);
    api_run_expect(side->run, err == E2BIG || err == EINVAL,
        "a profile of ev_max_count_profile + 1 EVs: %s instead of E2BIG", api_run_error_text(err));
}

static void expect_entries_refused(struct api_side *side)
{
    struct mrc_ctl_ev_field field = { .width = 16, .mask = 0xffff };
    struct mrc_ctl_ev_op_entry entry = { .ev_new = api_profile_ev_of(side, 0),
        .state = MRC_CTL_EV_GOOD };
    struct mrc_ctl_ev_profile_attr attr = {
        .ev_op = { .entries = &entry, .entry_count = 1 },
        .ev_fields_op = { .fields = &field, .field_count = 1 },
    };

    api_run_ends(side->run,
        api_profile_ev(side, &attr, MRC_CTL_EV_PROFILE_EV_OP | MRC_CTL_EV_PROFILE_EV_FIELDS_OP),
        EINVAL, "EV_OP and EV_FIELDS_OP together");
    entry.ev_new.port = 99;
    api_run_ends(side->run, api_profile_ev_op(side, MRC_CTL_EV_OP_REPLACE_EV, &entry, 1), EINVAL,
        "an EV of a port that does not exist");
    entry.ev_new = api_profile_ev_of(side, 0);
    entry.flags = 1u << 20;
    api_run_ends(side->run, api_profile_ev_op(side, MRC_CTL_EV_OP_REPLACE_EV, &entry, 1), EINVAL,
        "an unknown flag of an entry");
}

void api_suite_ev_limits(struct api_run *run)
{
    struct mrc_ctl_ev_profile_attr attr = api_profile_ev_attr();
    struct api_side side;

    open_formatted(&side, run);
    attr.ev_mode = (enum mrc_ctl_ev_mode)(1 << 6);
    api_run_ends(
        run, api_profile_ev(&side, &attr, API_PROFILE_EV_NEEDED), EINVAL, "an unknown mode");
    attr = api_profile_ev_attr();
    api_run_ends(run, api_profile_ev(&side, &attr, API_PROFILE_EV_NEEDED | 1 << 20), EINVAL,
        "an unknown bit");
    attr.ev_mode = MRC_CTL_EV_MODE_AUTO;
    attr.ev_fmt_profile_id = API_PROFILE_FMT + 77;
    api_run_ends(run, api_profile_ev(&side, &attr, API_PROFILE_EV_NEEDED), EINVAL,
        "a format that does not exist");
    attr.ev_fmt_profile_id = API_PROFILE_FMT;
    expect_count_refused(&side);
    attr.ev_min_active = API_PROFILE_EVS + 1;
    api_run_ends(run,
        api_profile_ev(&side, &attr, API_PROFILE_EV_NEEDED | MRC_CTL_EV_PROFILE_MIN_ACTIVE), EINVAL,
        "ev_min_active above ev_count");
    attr.ev_min_active = 1;
    attr.ev_event_mask = MRC_CTL_EV_DENIED;
    api_run_ends(run,
        api_profile_ev(&side, &attr, API_PROFILE_EV_NEEDED | MRC_CTL_EV_PROFILE_EVENT_MASK), EINVAL,
        "an event mask with DENIED");
    if (api_run_lacks(run, API_EXPLICIT_EV) || run->has_failed)
        return;
    api_profile_make_ev(&side);
    expect_entries_refused(&side);
}

/* ---- fields ---------------------------------------------------------------------------------- */

static int set_fields(struct api_side *side, struct mrc_ctl_ev_field *fields, int count)
{
    struct mrc_ctl_ev_profile_attr attr = { .ev_fields_op = {
                                                .fields = fields, .field_count = count } };

    return api_profile_ev(side, &attr, MRC_CTL_EV_PROFILE_EV_FIELDS_OP);
}

static void expect_fields_refused(struct api_side *side)
{
    struct mrc_ctl_ev_field wide = { .width = 17, .mask = 1 };
    struct mrc_ctl_ev_field outside = { .width = 4, .mask = 0x10 };
    struct mrc_ctl_ev_field two[2] = { { .width = 8, .mask = 1 }, { .width = 8, .mask = 1 } };
    int err = set_fields(side, &wide, 1);

    api_run_expect(side->run, err == E2BIG || err == EINVAL,
        "a field of 17 bits in a format of 16: %s instead of E2BIG", api_run_error_text(err));
    err = set_fields(side, &outside, 1);
    api_run_expect(side->run, err == E2BIG || err == EINVAL, "a mask outside its field: %s",
        api_run_error_text(err));
    err = set_fields(side, two, 2);
    api_run_expect(side->run, err == E2BIG || err == EINVAL,
        "two fields in a format of one: %s instead of E2BIG", api_run_error_text(err));
}

void api_suite_ev_fields(struct api_run *run)
{
    struct mrc_ctl_ev_field field = { .width = 16, .init_val = 0xc000, .mask = 0x0ff0 };
    struct mrc_ctl_ev_field room = { .width = 0 };
    struct mrc_ctl_ev_profile_attr attr = { .ev_fields_op = {
                                                .op = MRC_CTL_EV_FIELDS_OP_QUERY_FIELDS,
                                                .fields = &room,
                                                .field_count = 1 } };
    struct api_side side;
    int err;

    open_formatted(&side, run);
    api_profile_make_ev(&side);
    api_run_ends(run, set_fields(&side, &field, 1), 0, "MODIFY_FIELDS while OFFLINE");
    expect_fields_refused(&side);
    err = api_run_error_minus(API(run, ctl_query_ev_profile)(
        side.mrc, API_PROFILE_EV, &attr, MRC_CTL_EV_PROFILE_EV_FIELDS_OP));
    api_run_ends(run, err, 0, "QUERY_FIELDS");
    api_run_expect(run,
        attr.ev_fields_op.field_count == 1 && memcmp(&room, &field, sizeof(field)) == 0,
        "%d fields are returned, the first with %u bits, value 0x%x and mask 0x%x",
        attr.ev_fields_op.field_count, room.width, room.init_val, room.mask);
    attr.ev_fields_op.field_count = 0;
    err = api_run_error_minus(API(run, ctl_query_ev_profile)(
        side.mrc, API_PROFILE_EV, &attr, MRC_CTL_EV_PROFILE_EV_FIELDS_OP));
    api_run_ends(run, err, E2BIG, "QUERY_FIELDS into an array that is too small");
    api_run_expect(run, attr.ev_fields_op.field_count == 1,
        "with E2BIG the number of fields is %d instead of 1", attr.ev_fields_op.field_count);
}

/* ---- modes ----------------------------------------------------------------------------------- */

void api_suite_ev_auto(struct api_run *run)
{
    struct mrc_ctl_ev_profile_attr attr = api_profile_ev_attr();
    struct mrc_ctl_ev_op_entry entries[API_PROFILE_EVS];
    struct api_side side;

    open_formatted(&side, run);
    memset(entries, 0, sizeof(entries));
    attr.ev_mode = MRC_CTL_EV_MODE_AUTO;
    api_run_ends(run, api_profile_ev(&side, &attr, API_PROFILE_EV_NEEDED), 0, "an AUTO profile");
    api_run_ends(run,
        api_profile_ev_op(&side, MRC_CTL_EV_OP_QUERY_EV_ARRAY, entries, API_PROFILE_EVS), EINVAL,
        "QUERY_EV_ARRAY of an AUTO profile");
    entries[0].ev_new = api_profile_ev_of(&side, 0);
    api_run_ends(run, api_profile_ev_op(&side, MRC_CTL_EV_OP_REPLACE_EV, entries, 1), EINVAL,
        "REPLACE_EV of an AUTO profile");
}

/* ---- drawn EVs ------------------------------------------------------------------------------- */

static void judge_drawn(struct api_side *side, const struct mrc_ctl_ev_op_entry *entries)
{
    struct api_run *run = side->run;
    uint32_t ports = limits_of(side).phy_port_mask;
    uint32_t port_count = (uint32_t)__builtin_popcount(ports);
    uint32_t counts[256] = { 0 };

    for (int i = 0; i < DRAWN; i++) {
        const struct mrc_ctl_ev *ev = &entries[i].ev;

        counts[ev->port]++;
        api_run_must(run, ev->port >= 1 && ev->port <= 31 && ports >> ev->port & 1,
            "a drawn EV has port %u", ev->port);
        api_run_expect(run, ev->val[0] >= 16 && ev->val[0] <= 200,
            "the drawn value %u is not between 16 and 200", ev->val[0]);
        for (size_t j = 1; j < sizeof(ev->val); j++)
            api_run_expect(run, ev->val[j] == 0, "bits behind the EV are not 0");
        for (int j = 0; j < i; j++)
            api_run_expect(run, memcmp(&entries[j].ev, ev, sizeof(*ev)) != 0,
                "the EV %u of port %u was drawn twice", ev->val[0], ev->port);
    }
    for (uint32_t port = 1; port < 32; port++)
        if (ports >> port & 1)
            api_run_expect(run,
                counts[port] >= DRAWN / port_count && counts[port] <= DRAWN / port_count + 1,
                "port %u has %u of %d EVs; there are %u ports", port, counts[port], DRAWN,
                port_count);
}

void api_suite_ev_generate(struct api_run *run)
{
    struct mrc_ctl_ev_field field = {
        .width = 16, .init_val = 0xc000, .min_val = 16, .max_val = 200, .mask = 0x00ff
    };
    struct mrc_ctl_ev_profile_attr attr = api_profile_ev_attr();
    struct mrc_ctl_ev_op_entry entries[DRAWN];
    struct api_side side;

    open_formatted(&side, run);
    if (!(limits_of(&side).ev.ev_mode_mask & MRC_CTL_EV_MODE_GEN))
        api_run_skip(run, "ev_mode_mask lacks MRC_CTL_EV_MODE_GEN");
    attr.ev_mode = MRC_CTL_EV_MODE_GEN;
    attr.ev_count = DRAWN;
    attr.ev_fields_op.fields = &field;
    attr.ev_fields_op.field_count = 1;
    api_run_ends(run,
        api_profile_ev(&side, &attr, API_PROFILE_EV_NEEDED | MRC_CTL_EV_PROFILE_EV_FIELDS_OP), 0,
        "a GEN profile");
    api_run_ends(run, api_profile_ev_state(&side, MRC_CTL_PROFILE_ONLINE), 0, "the step to ONLINE");
    if (run->has_failed)
        return;
    api_run_ends(run, api_profile_ev_op(&side, MRC_CTL_EV_OP_QUERY_EV_ARRAY, entries, DRAWN), 0,
        "QUERY_EV_ARRAY of a GEN profile");
    if (!run->has_failed)
        judge_drawn(&side, entries);
}

/* ---- all kinds ------------------------------------------------------------------------------- */

void api_suite_profile_null(struct api_run *run)
{
    struct mrc_ctl_ev_fmt_profile_attr fmt = { .profile_state = MRC_CTL_PROFILE_OFFLINE };
    struct api_side side;

    api_profile_open(&side, run);
    api_run_ends(run, api_profile_fmt(&side, NULL, MRC_CTL_EV_FMT_PROFILE_STATE), EINVAL,
        "mrc_ctl_modify_ev_fmt_profile without attributes");
    api_run_ends(run, api_profile_ev(&side, NULL, MRC_CTL_EV_PROFILE_STATE), EINVAL,
        "mrc_ctl_modify_ev_profile without attributes");
    api_run_ends(run, api_profile_cc(&side, NULL, MRC_CTL_CC_PROFILE_STATE), EINVAL,
        "mrc_ctl_modify_cc_profile without attributes");
    api_run_ends(run,
        api_run_error_minus(API(run, ctl_modify_ev_fmt_profile)(
            NULL, API_PROFILE_FMT, &fmt, MRC_CTL_EV_FMT_PROFILE_STATE)),
        EINVAL, "mrc_ctl_modify_ev_fmt_profile of no context");
}

/* A second verbs context stands for another process; then the first one is closed. */
void api_suite_profile_persists(struct api_run *run)
{
    struct api_side side;
    struct api_side other;
    int state;

    open_formatted(&side, run);
    api_side_open(&other, run, run->device);
    state = api_profile_is(&other, API_PROFILE_FMT);
    api_run_expect(run, state == MRC_CTL_PROFILE_ONLINE,
        "another context of the device sees the format in state %d instead of ONLINE", state);
    api_side_close(&other);
    api_side_close(&side);
    api_side_open(&other, run, run->device);
    state = api_profile_is(&other, API_PROFILE_FMT);
    api_run_reading(run, API_POINT_PERSISTENCE, "%s",
        state == MRC_CTL_PROFILE_ONLINE ? "they are as before" : "they are gone");
}
