/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of congestion control profiles, and of QPs that use profiles. */
#include <errno.h>
#include <string.h>

#include "conform/api_peer.h"
#include "conform/api_profile.h"
#include "conform/api_suite.h"

static const char nscc[] = "uet-1.0-nscc";

static int make_cc(struct api_side *side)
{
    struct mrc_ctl_cc_nscc_cfg config = { .base_rtt = 20000, .gamma = 0.5f, .max_cwnd = 400000 };
    struct mrc_ctl_cc_profile_attr attr = {
        .profile_state = MRC_CTL_PROFILE_OFFLINE, .algorithm = nscc, .cc_config = &config
    };

    return api_profile_cc(side, &attr,
        MRC_CTL_CC_PROFILE_STATE | MRC_CTL_CC_PROFILE_ALGORITHM | MRC_CTL_CC_PROFILE_CONFIG);
}

void api_suite_cc_life(struct api_run *run)
{
    struct mrc_ctl_cc_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE };
    struct api_side side;

    api_profile_open(&side, run);
    api_run_ends(run, api_profile_cc(&side, &attr, MRC_CTL_CC_PROFILE_STATE), EINVAL,
        "the step to OFFLINE without an algorithm");
    api_run_ends(run, make_cc(&side), 0, "the step from INIT to OFFLINE");
    if (!run->has_failed)
        api_profile_walk(&side, API_PROFILE_CC, api_profile_cc_state);
}

static void query_config(struct api_side *side)
{
    struct mrc_ctl_cc_profile_attr attr = { .algorithm = NULL };
    const struct mrc_ctl_cc_nscc_cfg *config;
    struct api_run *run = side->run;
    int err = api_run_error_minus(API(run, ctl_query_cc_profile)(side->mrc, API_PROFILE_CC, &attr,
        MRC_CTL_CC_PROFILE_ALGORITHM | MRC_CTL_CC_PROFILE_CONFIG));

    api_run_must(run, err == 0, "mrc_ctl_query_cc_profile: %s", api_run_error_text(err));
    api_run_expect(run, attr.algorithm && strcmp(attr.algorithm, nscc) == 0, "the algorithm is %s",
        attr.algorithm ? attr.algorithm : "NULL");
    api_run_must(run, attr.cc_config, "a query returns no configuration");
    config = attr.cc_config;
    api_run_expect(
        run, config->base_rtt == 20000, "base_rtt was set to 20000 and is %u", config->base_rtt);
    api_run_expect(
        run, config->max_cwnd == 400000, "max_cwnd was set to 400000 and is %u", config->max_cwnd);
    api_run_expect(run, config->gamma > 0.49f && config->gamma < 0.51f,
        "gamma was set to 0.5 and is %g", (double)config->gamma);
}

void api_suite_cc_config(struct api_run *run)
{
    struct mrc_ctl_cc_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .algorithm = "no-such-algorithm" };
    struct api_side side;

    api_profile_open(&side, run);
    api_run_ends(run,
        api_profile_cc(&side, &attr, MRC_CTL_CC_PROFILE_STATE | MRC_CTL_CC_PROFILE_ALGORITHM),
        EINVAL, "an unknown algorithm");
    api_run_ends(run, make_cc(&side), 0, "a profile of uet-1.0-nscc");
    if (!run->has_failed)
        query_config(&side);
    api_run_ends(run, api_profile_cc(&side, &attr, 1 << 20), EINVAL, "an unknown bit");
    api_run_ends(run, api_profile_cc_state(&side, MRC_CTL_PROFILE_ONLINE), 0, "the step to ONLINE");
    attr.algorithm = nscc;
    api_run_ends(run, api_profile_cc(&side, &attr, MRC_CTL_CC_PROFILE_ALGORITHM), EINVAL,
        "another algorithm while ONLINE");
}

/* ---- QPs with profiles ----------------------------------------------------------------------- */

static int give_profiles(struct api_side *side, uint64_t ev, uint64_t cc)
{
    struct mrc_qp_attr attr = { .profile = { .ev_profile_id = ev, .cc_profile_id = cc } };

    return api_run_error_number(API(side->run, modify_qp)(
        side->qp, NULL, 0, &attr, MRC_QP_EV_PROFILE_ID | MRC_QP_CC_PROFILE_ID));
}

static void expect_profile_refused(
    struct api_side *side, uint64_t ev, uint64_t cc, const char *what)
{
    int err = give_profiles(side, ev, cc);

    api_run_expect(side->run, err == EINVAL || err == ENOENT, "a QP with %s: %s instead of EINVAL",
        what, api_run_error_text(err));
    api_run_reading(side->run, API_POINT_UNKNOWN_PROFILE, "%s", api_run_error_text(err));
}

void api_suite_qp_profile(struct api_run *run)
{
    struct api_side side;

    api_profile_open(&side, run);
    api_side_make(&side, &(struct api_side_wants){ .depth = 4 });
    api_run_must(run, api_side_to_init(&side) == 0, "mrc_modify_qp to INIT fails");
    expect_profile_refused(&side, API_PROFILE_EV, 0, "an EV profile that does not exist");
    expect_profile_refused(&side, 0, API_PROFILE_CC, "a CC profile that does not exist");
    api_run_ends(run, make_cc(&side), 0, "a CC profile");
    expect_profile_refused(&side, 0, API_PROFILE_CC, "a CC profile that is OFFLINE");
    api_run_ends(run, give_profiles(&side, 0, 0), 0, "a QP with the profiles 0");
    api_side_close(&side);
}

static void write_bytes(struct api_side *side, uint8_t seed)
{
    struct api_run *run = side->run;
    struct api_write write = {
        .bytes = 300000, .remote = run->peer->card.address, .rkey = run->peer->card.rkey
    };

    api_side_fill(side, 0, write.bytes, seed);
    api_run_must(run, api_side_write(side, &write) == 0, "mrc_post_send fails");
    api_side_succeed(side, side->send_cq);
    api_run_expect(run, api_peer_differs(run, 0, write.bytes, seed) == write.bytes,
        "a write with the profile does not arrive");
}

static void deny_ev(struct api_side *side, uint32_t i)
{
    struct mrc_ctl_ev_op_entry entry = { .ev = api_profile_ev_of(side, i),
        .state = MRC_CTL_EV_DENIED };

    api_run_ends(side->run, api_profile_ev_op(side, MRC_CTL_EV_OP_MODIFY_EV_STATE, &entry, 1), 0,
        "MODIFY_EV_STATE to DENIED while a QP uses the profile");
}

static void destroy_qp(struct api_side *side)
{
    int err = api_run_error_number(API(side->run, destroy_qp)(side->qp));

    api_run_must(side->run, err == 0, "mrc_destroy_qp: %s", api_run_error_text(err));
    side->qp = NULL;
}

/* Which EVs lead anywhere is known only of our own network; elsewhere the device chooses. */
static void make_usable(struct api_side *side)
{
    struct mrc_ctl_ev_profile_attr attr = api_profile_ev_attr();
    int err;

    if (side->run->is_private) {
        api_profile_make_ev(side);
        api_profile_populate(side);
        return;
    }
    attr.ev_mode = MRC_CTL_EV_MODE_AUTO;
    err = api_profile_ev(side, &attr, API_PROFILE_EV_NEEDED);
    api_run_must(
        side->run, err == 0, "an AUTO profile cannot be made OFFLINE: %s", api_run_error_text(err));
}

void api_suite_ev_traffic(struct api_run *run)
{
    struct mrc_qp_attr attr = { .profile.ev_profile_id = API_PROFILE_EV };
    struct api_side side;

    api_profile_open(&side, run);
    api_profile_make_fmt(&side);
    make_usable(&side);
    api_run_ends(run, api_profile_ev_state(&side, MRC_CTL_PROFILE_ONLINE), 0, "the step to ONLINE");
    api_peer_join(run, &side, NULL, &attr, MRC_QP_EV_PROFILE_ID);
    write_bytes(&side, 1);
    api_run_ends(run, api_profile_ev_state(&side, MRC_CTL_PROFILE_OFFLINE), EBUSY,
        "the step to OFFLINE while a QP uses the profile");
    if (run->is_private) {
        deny_ev(&side, 0);
        deny_ev(&side, 1);
        write_bytes(&side, 2);
    }
    destroy_qp(&side);
    api_run_ends(run, api_profile_ev_state(&side, MRC_CTL_PROFILE_OFFLINE), 0,
        "the step to OFFLINE after the QP was destroyed");
    api_side_close(&side);
}

void api_suite_cc_traffic(struct api_run *run)
{
    struct mrc_qp_attr attr = { .profile.cc_profile_id = API_PROFILE_CC };
    struct api_side side;

    api_profile_open(&side, run);
    api_run_ends(run, make_cc(&side), 0, "a CC profile");
    api_run_ends(run, api_profile_cc_state(&side, MRC_CTL_PROFILE_ONLINE), 0, "the step to ONLINE");
    api_peer_join(run, &side, NULL, &attr, MRC_QP_CC_PROFILE_ID);
    write_bytes(&side, 1);
    api_run_ends(run, api_profile_cc_state(&side, MRC_CTL_PROFILE_OFFLINE), EBUSY,
        "the step to OFFLINE while a QP uses the profile");
    destroy_qp(&side);
    api_run_ends(run, api_profile_cc_state(&side, MRC_CTL_PROFILE_OFFLINE), 0,
        "the step to OFFLINE after the QP was destroyed");
    api_side_close(&side);
}
