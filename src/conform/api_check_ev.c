/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the EVs of explicit profiles. */
#include <errno.h>
#include <string.h>

#include "conform/api_profile.h"
#include "conform/api_suite.h"

static void open_explicit(struct api_side *side, struct api_run *run)
{
    api_profile_open(side, run);
    api_profile_make_fmt(side);
    api_profile_make_ev(side);
}

static bool same_ev(const struct mrc_ctl_ev *a, const struct mrc_ctl_ev *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* How many entries of the profile have this EV. */
static int count_ev(struct api_side *side, struct mrc_ctl_ev ev)
{
    struct mrc_ctl_ev_op_entry entries[API_PROFILE_EVS];
    int count = 0;

    api_profile_ev_array(side, entries);
    for (int i = 0; i < API_PROFILE_EVS; i++)
        count += same_ev(&entries[i].ev, &ev);
    return count;
}

static int replace_ev(
    struct api_side *side, struct mrc_ctl_ev from, struct mrc_ctl_ev to, uint32_t flags)
{
    struct mrc_ctl_ev_op_entry entry = {
        .ev = from, .ev_new = to, .state = MRC_CTL_EV_GOOD, .flags = flags
    };

    return api_profile_ev_op(side, MRC_CTL_EV_OP_REPLACE_EV, &entry, 1);
}

void api_suite_ev_needs(struct api_run *run)
{
    static const struct {
        int bit;
        const char *what;
    } needed[] = {
        { MRC_CTL_EV_PROFILE_MODE, "the step to OFFLINE without a mode" },
        { MRC_CTL_EV_PROFILE_FMT_ID, "the step to OFFLINE without a format" },
        { MRC_CTL_EV_PROFILE_COUNT, "the step to OFFLINE without a count" },
    };
    struct mrc_ctl_ev_profile_attr attr = api_profile_ev_attr();
    struct api_side side;

    api_profile_open(&side, run);
    api_profile_make_fmt(&side);
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]) && !run->has_failed; i++)
        api_run_ends(run, api_profile_ev(&side, &attr, API_PROFILE_EV_NEEDED & ~needed[i].bit),
            EINVAL, needed[i].what);
    if (run->has_failed)
        return;
    api_profile_make_ev(&side);
    api_run_ends(run, api_profile_ev_state(&side, MRC_CTL_PROFILE_ONLINE), EINVAL,
        "the step to ONLINE without EVs");
    api_run_ends(run, replace_ev(&side, MRC_CTL_EV_UNPOPULATED, api_profile_ev_of(&side, 0), 0), 0,
        "REPLACE_EV of an entry without EV");
    api_run_ends(run, api_profile_ev_state(&side, MRC_CTL_PROFILE_ONLINE), EINVAL,
        "the step to ONLINE with entries without EV");
}

void api_suite_ev_life(struct api_run *run)
{
    struct mrc_ctl_ev_profile_attr attr = api_profile_ev_attr();
    struct api_side side;

    api_profile_open(&side, run);
    api_profile_make_fmt(&side);
    attr.ev_mode = MRC_CTL_EV_MODE_AUTO;
    api_run_ends(run, api_profile_ev(&side, &attr, API_PROFILE_EV_NEEDED), 0,
        "the step from INIT to OFFLINE");
    if (!run->has_failed)
        api_profile_walk(&side, API_PROFILE_EV, api_profile_ev_state);
}

void api_suite_ev_array(struct api_run *run)
{
    struct mrc_ctl_ev_op_entry entries[API_PROFILE_EVS];
    struct mrc_ctl_ev_profile_attr attr = { .ev_op = { .op = MRC_CTL_EV_OP_QUERY_EV_ARRAY,
                                                .entries = entries,
                                                .entry_count = API_PROFILE_EVS - 1 } };
    struct api_side side;
    int err;

    open_explicit(&side, run);
    api_run_expect(run, count_ev(&side, MRC_CTL_EV_UNPOPULATED) == API_PROFILE_EVS,
        "%d of %d entries of a new profile are unpopulated",
        count_ev(&side, MRC_CTL_EV_UNPOPULATED), API_PROFILE_EVS);
    api_profile_populate(&side);
    for (uint32_t i = 0; i < API_PROFILE_EVS; i++)
        api_run_expect(run, count_ev(&side, api_profile_ev_of(&side, i)) == 1,
            "EV %u is in %d entries instead of 1", i, count_ev(&side, api_profile_ev_of(&side, i)));
    api_profile_ev_array(&side, entries);
    for (uint32_t i = 0; i < API_PROFILE_EVS; i++)
        api_run_expect(run, entries[i].state == MRC_CTL_EV_GOOD, "a new EV has state 0x%x",
            (unsigned int)entries[i].state);
    err = api_run_error_minus(
        API(run, ctl_query_ev_profile)(side.mrc, API_PROFILE_EV, &attr, MRC_CTL_EV_PROFILE_EV_OP));
    api_run_ends(run, err, E2BIG, "a query into an array that is too small");
    api_run_expect(run, attr.ev_op.entry_count == API_PROFILE_EVS,
        "with E2BIG the number of entries is %d instead of %d", attr.ev_op.entry_count,
        API_PROFILE_EVS);
}

void api_suite_ev_copies(struct api_run *run)
{
    struct mrc_ctl_ev_op_entry entries[API_PROFILE_EVS];
    struct mrc_ctl_ev one;
    struct mrc_ctl_ev other;
    struct api_side side;

    open_explicit(&side, run);
    one = api_profile_ev_of(&side, 0);
    other = one;
    other.val[1] = 0x77;
    memset(entries, 0, sizeof(entries));
    for (int i = 0; i < API_PROFILE_EVS; i++)
        entries[i] = (struct mrc_ctl_ev_op_entry){ .ev_new = one, .state = MRC_CTL_EV_GOOD };
    api_run_ends(run, api_profile_ev_op(&side, MRC_CTL_EV_OP_REPLACE_EV, entries, API_PROFILE_EVS),
        0, "REPLACE_EV that stores one EV in every entry");
    api_run_ends(run, replace_ev(&side, one, other, 0), 0, "REPLACE_EV of one copy");
    api_run_expect(run, count_ev(&side, other) == 1, "REPLACE_EV changed %d entries instead of 1",
        count_ev(&side, other));
    api_run_ends(run, replace_ev(&side, one, other, MRC_CTL_EV_OP_F_ALL_COPIES), 0,
        "REPLACE_EV of all copies");
    api_run_expect(run, count_ev(&side, one) == 0, "after ALL_COPIES %d entries are as before",
        count_ev(&side, one));
}

static void set_and_query(struct api_side *side, enum mrc_ctl_ev_state state, const char *when)
{
    struct api_run *run = side->run;
    struct mrc_ctl_ev_op_entry entry = { .ev = api_profile_ev_of(side, 1), .state = state };
    int err = api_profile_ev_op(side, MRC_CTL_EV_OP_MODIFY_EV_STATE, &entry, 1);

    api_run_expect(run, err == 0, "MODIFY_EV_STATE to 0x%x while %s: %s", (unsigned int)state, when,
        api_run_error_text(err));
    entry.state = MRC_CTL_EV_UNKNOWN;
    err = api_profile_ev_op(side, MRC_CTL_EV_OP_QUERY_EV_STATE, &entry, 1);
    api_run_expect(run, err == 0 && entry.state == state,
        "the state of the EV was set to 0x%x while %s and is 0x%x (%s)", (unsigned int)state, when,
        (unsigned int)entry.state, api_run_error_text(err));
}

void api_suite_ev_state(struct api_run *run)
{
    struct mrc_ctl_ev_op_entry entry = { .state = MRC_CTL_EV_UNKNOWN };
    struct api_side side;

    open_explicit(&side, run);
    api_profile_populate(&side);
    set_and_query(&side, MRC_CTL_EV_DENIED, "OFFLINE");
    set_and_query(&side, MRC_CTL_EV_GOOD, "OFFLINE");
    api_run_ends(run, api_profile_ev_state(&side, MRC_CTL_PROFILE_ONLINE), 0, "the step to ONLINE");
    set_and_query(&side, MRC_CTL_EV_DENIED, "ONLINE");
    set_and_query(&side, MRC_CTL_EV_GOOD, "ONLINE");
    entry.ev = api_profile_ev_of(&side, 1);
    api_run_ends(run, api_profile_ev_op(&side, MRC_CTL_EV_OP_MODIFY_EV_STATE, &entry, 1), EINVAL,
        "MODIFY_EV_STATE to UNKNOWN");
}

void api_suite_ev_batch(struct api_run *run)
{
    struct mrc_ctl_ev_op_entry entries[3];
    struct mrc_ctl_ev_op_entry query;
    struct mrc_ctl_ev absent;
    struct api_side side;

    open_explicit(&side, run);
    api_profile_populate(&side);
    absent = api_profile_ev_of(&side, 0);
    absent.val[1] = 0x99;
    memset(entries, 0, sizeof(entries));
    entries[0].ev = api_profile_ev_of(&side, 0);
    entries[1].ev = absent;
    entries[2].ev = api_profile_ev_of(&side, 2);
    for (int i = 0; i < 3; i++)
        entries[i].state = MRC_CTL_EV_DENIED;
    api_run_ends(run, api_profile_ev_op(&side, MRC_CTL_EV_OP_MODIFY_EV_STATE, entries, 3), ENOENT,
        "MODIFY_EV_STATE of three EVs, the second of which is not there");
    for (uint32_t i = 0; i < 3; i += 2) {
        query = (struct mrc_ctl_ev_op_entry){ .ev = api_profile_ev_of(&side, i) };
        api_run_ends(run, api_profile_ev_op(&side, MRC_CTL_EV_OP_QUERY_EV_STATE, &query, 1), 0,
            "QUERY_EV_STATE");
        api_run_expect(run, query.state == (i == 0 ? MRC_CTL_EV_DENIED : MRC_CTL_EV_GOOD),
            "the EV %s the one that is not there has state 0x%x", i == 0 ? "before" : "behind",
            (unsigned int)query.state);
    }
    api_run_ends(run, api_profile_ev_op(&side, MRC_CTL_EV_OP_QUERY_EV_STATE, &entries[1], 1),
        ENOENT, "QUERY_EV_STATE of an EV that is not there");
    api_run_ends(run, replace_ev(&side, absent, api_profile_ev_of(&side, 0), 0), ENOENT,
        "REPLACE_EV of an EV that is not there");
}

static uint32_t free_evs(struct api_side *side)
{
    struct mrc_ctl_device_attr attr = { .opt_attr = 0 };

    api_run_must(side->run, API(side->run, ctl_query_device)(side->verbs, &attr) == 0,
        "mrc_ctl_query_device fails");
    return attr.ev.ev_free_count;
}

void api_suite_ev_free(struct api_run *run)
{
    struct api_side side;
    uint32_t before;

    api_profile_open(&side, run);
    api_profile_make_fmt(&side);
    before = free_evs(&side);
    api_profile_make_ev(&side);
    api_run_expect(run, free_evs(&side) == before - API_PROFILE_EVS,
        "a profile with %d EVs lowers ev_free_count from %u to %u", API_PROFILE_EVS, before,
        free_evs(&side));
    api_run_ends(run, api_profile_ev_state(&side, MRC_CTL_PROFILE_INIT), 0, "the step to INIT");
    api_run_expect(run, free_evs(&side) == before,
        "without the profile ev_free_count is %u instead of %u", free_evs(&side), before);
}
