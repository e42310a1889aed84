/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the attributes of QPs. */
#include <errno.h>
#include <string.h>

#include "conform/api_side.h"
#include "conform/api_suite.h"

#define NUMBERS                                                                                    \
    (MRC_QP_MAX_WIMM | MRC_QP_MAX_WIMM_DEST | MRC_QP_MPR | MRC_QP_MPR_DEST | MRC_QP_TIMEOUT |      \
        MRC_QP_RETRY_CNT | MRC_QP_CAP | MRC_QP_HINT)

static void open_init(struct api_side *side, struct api_run *run)
{
    int err;

    api_side_open(side, run, run->device);
    api_side_make(side, &(struct api_side_wants){ .depth = 4 });
    err = api_side_to_init(side);
    api_run_must(run, err == 0, "mrc_modify_qp to INIT: %s", api_run_error_text(err));
}

static int set_mrc(struct api_side *side, const struct mrc_qp_attr *attr, int mask)
{
    struct mrc_qp_attr copy = *attr;

    return api_run_error_number(API(side->run, modify_qp)(side->qp, NULL, 0, &copy, mask));
}

static struct mrc_qp_attr query_mrc(struct api_side *side)
{
    struct mrc_qp_attr attr;
    int err;

    memset(&attr, 0xee, sizeof(attr));
    err = api_run_error_number(API(side->run, query_qp)(side->qp, NULL, 0, &attr, NUMBERS, NULL));
    api_run_must(side->run, err == 0, "mrc_query_qp: %s", api_run_error_text(err));
    return attr;
}

static struct mrc_device_attr limits_of(struct api_side *side)
{
    struct mrc_device_attr attr = { .cap = 0 };
    int supported;

    api_run_must(side->run,
        API(side->run, query_device)(side->verbs, &attr, &supported) == 0 && supported,
        "mrc_query_device fails");
    return attr;
}

static void expect_number(struct api_run *run, const char *name, uint32_t is, uint32_t wanted)
{
    api_run_expect(run, is == wanted, "%s was set to %u and is %u", name, wanted, is);
}

void api_suite_attributes(struct api_run *run)
{
    struct mrc_device_attr limits;
    struct mrc_qp_attr attr = { .wimm = { .max_wimm = 3, .max_wimm_dest = 5 },
        .timeout = 20,
        .retry = { .linear_cnt = 2, .exp_cnt = 9 },
        .cap = MRC_QP_CAP_TRIM_NACK_DEST_UNSUPPORTED };
    struct mrc_qp_attr is;
    struct api_side side;

    open_init(&side, run);
    limits = limits_of(&side);
    attr.mpr.mpr = attr.mpr.mpr_dest = limits.mpr_attr.mpr_resolution;
    api_run_ends(run, set_mrc(&side, &attr, NUMBERS & ~MRC_QP_HINT), 0,
        "mrc_modify_qp of attributes of MRC in INIT");
    is = query_mrc(&side);
    expect_number(run, "mpr", is.mpr.mpr, attr.mpr.mpr);
    expect_number(run, "mpr_dest", is.mpr.mpr_dest, attr.mpr.mpr_dest);
    expect_number(run, "max_wimm", is.wimm.max_wimm, 3);
    expect_number(run, "max_wimm_dest", is.wimm.max_wimm_dest, 5);
    api_run_expect(
        run, is.timeout >= 20 && is.timeout <= 24, "timeout was set to 20 and is %u", is.timeout);
    expect_number(run, "linear_cnt", is.retry.linear_cnt, 2);
    expect_number(run, "exp_cnt", is.retry.exp_cnt, 9);
    expect_number(run, "cap", is.cap, attr.cap);
    api_run_expect(run, is.qp_hint == NULL, "a QP without a hint has one");
    attr.retry.exp_cnt = 25;
    attr.timeout = 1;
    api_run_ends(run, set_mrc(&side, &attr, MRC_QP_RETRY_CNT), 0, "mrc_modify_qp of retries");
    is = query_mrc(&side);
    expect_number(run, "exp_cnt", is.retry.exp_cnt, 25);
    api_run_expect(run, is.timeout >= 20, "a change without MRC_QP_TIMEOUT changes the timeout");
    api_side_close(&side);
}

void api_suite_attributes_verbs(struct api_run *run)
{
    int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
               IBV_QP_SQ_PSN | IBV_QP_ACCESS_FLAGS;
    struct ibv_qp_attr attr = { .dest_qp_num = 0 };
    struct api_side side;
    struct api_card card;
    int err;

    open_init(&side, run);
    card = api_side_card(&side);
    err = api_side_to_rtr(&side, &card, 0);
    api_run_must(run, err == 0, "mrc_modify_qp to RTR: %s", api_run_error_text(err));
    err = api_side_to_rts(&side, 0);
    api_run_must(run, err == 0, "mrc_modify_qp to RTS: %s", api_run_error_text(err));
    err = api_run_error_number(API(run, query_qp)(side.qp, &attr, mask, NULL, 0, NULL));
    api_run_must(run, err == 0, "mrc_query_qp: %s", api_run_error_text(err));
    expect_number(run, "dest_qp_num", attr.dest_qp_num, card.qpn);
    expect_number(run, "path_mtu", attr.path_mtu, IBV_MTU_1024);
    expect_number(run, "rq_psn", attr.rq_psn, API_SIDE_FIRST_PSN);
    api_run_expect(run, attr.qp_access_flags & IBV_ACCESS_REMOTE_WRITE, "qp_access_flags is 0x%x",
        attr.qp_access_flags);
    api_run_expect(run, memcmp(&attr.ah_attr.grh.dgid, &card.gid, sizeof(card.gid)) == 0,
        "the address of the peer differs");
    api_side_close(&side);
}

static void expect_refused(
    struct api_side *side, struct mrc_qp_attr attr, int mask, const char *what)
{
    api_run_ends(side->run, set_mrc(side, &attr, mask), EINVAL, what);
}

void api_suite_attributes_limits(struct api_run *run)
{
    struct mrc_device_attr limits;
    struct api_side side;

    open_init(&side, run);
    limits = limits_of(&side);
    if (limits.mpr_attr.max_mpr < UINT8_MAX) {
        uint8_t above = (uint8_t)(limits.mpr_attr.max_mpr + 1);

        expect_refused(
            &side, (struct mrc_qp_attr){ .mpr.mpr = above }, MRC_QP_MPR, "mpr max_mpr + 1");
        expect_refused(&side, (struct mrc_qp_attr){ .mpr.mpr_dest = above }, MRC_QP_MPR_DEST,
            "mpr_dest max_mpr + 1");
    }
    if (limits.wimm_attr.max_wimm < UINT16_MAX && limits.wimm_attr.max_wimm_dest < UINT16_MAX) {
        uint16_t above = (uint16_t)(limits.wimm_attr.max_wimm + 1);
        uint16_t above_dest = (uint16_t)(limits.wimm_attr.max_wimm_dest + 1);

        expect_refused(
            &side, (struct mrc_qp_attr){ .wimm.max_wimm = above }, MRC_QP_MAX_WIMM, "max_wimm + 1");
        expect_refused(&side, (struct mrc_qp_attr){ .wimm.max_wimm_dest = above_dest },
            MRC_QP_MAX_WIMM_DEST, "max_wimm_dest + 1");
    }
    expect_refused(&side, (struct mrc_qp_attr){ .timeout = 25 }, MRC_QP_TIMEOUT, "timeout 25");
    expect_refused(
        &side, (struct mrc_qp_attr){ .retry.linear_cnt = 8 }, MRC_QP_RETRY_CNT, "linear_cnt 8");
    expect_refused(
        &side, (struct mrc_qp_attr){ .retry.exp_cnt = 26 }, MRC_QP_RETRY_CNT, "exp_cnt 26");
    api_side_close(&side);
}

static void refuse_rtr(struct api_side *side, enum ibv_mtu mtu, uint32_t peer_qpn, const char *what)
{
    struct api_card card = api_side_card(side);
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR,
        .path_mtu = mtu,
        .dest_qp_num = peer_qpn,
        .ah_attr = { .is_global = 1,
            .port_num = 1,
            .grh = { .dgid = card.gid, .sgid_index = (uint8_t)side->run->gid_index } } };
    int err = api_run_error_number(API(side->run, modify_qp)(side->qp, &attr,
        IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN, NULL, 0));

    api_run_ends(side->run, err, EINVAL, what);
    if (err == 0)
        api_run_done(side->run);
}

void api_suite_attributes_values(struct api_run *run)
{
    struct api_side side;

    open_init(&side, run);
    refuse_rtr(&side, (enum ibv_mtu)0, 5, "mrc_modify_qp to RTR with MTU 0");
    refuse_rtr(&side, (enum ibv_mtu)99, 5, "mrc_modify_qp to RTR with MTU 99");
    refuse_rtr(&side, IBV_MTU_1024, 1u << 24, "mrc_modify_qp to RTR with a QP number of 25 bits");
    api_side_close(&side);
}

void api_suite_attributes_unknown(struct api_run *run)
{
    struct ibv_qp_attr verbs = { .qp_state = IBV_QPS_INIT };
    struct mrc_qp_attr mrc = { .timeout = 20 };
    struct api_side side;

    open_init(&side, run);
    expect_refused(&side, mrc, 1 << 20, "mrc_modify_qp with an unknown bit of MRC");
    api_run_ends(run, api_run_error_number(API(run, modify_qp)(side.qp, &verbs, 1 << 30, NULL, 0)),
        EINVAL, "mrc_modify_qp with an unknown bit of verbs");
    expect_refused(&side, (struct mrc_qp_attr){ .cap = 1 << 9 }, MRC_QP_CAP,
        "mrc_modify_qp with an unknown capability");
    verbs.path_mig_state = IBV_MIG_REARM;
    api_run_ends(run,
        api_run_error_number(API(run, modify_qp)(side.qp, &verbs, IBV_QP_PATH_MIG_STATE, NULL, 0)),
        EINVAL, "mrc_modify_qp of the path migration state");
    api_side_close(&side);
}

void api_suite_attributes_whole(struct api_run *run)
{
    struct mrc_qp_attr attr = { .wimm.max_wimm = 3, .timeout = 25 };
    struct ibv_qp_attr verbs = { .qp_state = IBV_QPS_INIT };
    struct mrc_qp_attr before;
    struct mrc_qp_attr after;
    struct api_side side;
    int err;

    api_side_open(&side, run, run->device);
    api_side_make(&side, &(struct api_side_wants){ .depth = 4 });
    before = query_mrc(&side);
    err = api_run_error_number(
        API(run, modify_qp)(side.qp, &verbs, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS,
            &attr, MRC_QP_MAX_WIMM | MRC_QP_TIMEOUT));
    api_run_ends(run, err, EINVAL, "mrc_modify_qp to INIT with timeout 25");
    after = query_mrc(&side);
    api_run_expect(run, api_side_state(&side) == IBV_QPS_RESET,
        "the state changed although an attribute was refused");
    api_run_expect(run, after.wimm.max_wimm == before.wimm.max_wimm,
        "max_wimm changed although another attribute was refused");
    api_side_close(&side);
}

/* ---- open points ----------------------------------------------------------------------------- */

static void read_ignored(struct api_side *side)
{
    struct ibv_qp_attr attr = { .port_num = 1, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7 };
    int err = api_run_error_number(API(side->run, modify_qp)(side->qp, &attr,
        IBV_QP_PORT | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY, NULL, 0));

    if (err)
        api_run_reading(side->run, API_POINT_IGNORED_ATTRIBUTES,
            "IBV_QP_PORT, IBV_QP_TIMEOUT, "
            "IBV_QP_RETRY_CNT and IBV_QP_RNR_RETRY are refused with %s",
            api_run_error_text(err));
    else
        api_run_reading(side->run, API_POINT_IGNORED_ATTRIBUTES,
            "IBV_QP_PORT, IBV_QP_TIMEOUT, "
            "IBV_QP_RETRY_CNT and IBV_QP_RNR_RETRY are accepted");
}

static void read_timeout(struct api_side *side)
{
    int err = set_mrc(side, &(struct mrc_qp_attr){ .timeout = 14 }, MRC_QP_TIMEOUT);

    if (err)
        api_run_reading(side->run, API_POINT_TIMEOUT_IN_FORCE, "refused with %s in INIT",
            api_run_error_text(err));
    else
        api_run_reading(side->run, API_POINT_TIMEOUT_IN_FORCE, "%u", query_mrc(side).timeout);
}

static void read_rounding(struct api_side *side)
{
    uint8_t step = limits_of(side).mpr_attr.mpr_resolution;
    int err;

    if (step < 2) {
        api_run_reading(side->run, API_POINT_MPR_ROUNDING, "every MPR is a multiple of 1");
        return;
    }
    err = set_mrc(side, &(struct mrc_qp_attr){ .mpr.mpr = (uint8_t)(step + 1) }, MRC_QP_MPR);
    if (err)
        api_run_reading(
            side->run, API_POINT_MPR_ROUNDING, "refused with %s", api_run_error_text(err));
    else
        api_run_reading(
            side->run, API_POINT_MPR_ROUNDING, "%u becomes %u", step + 1, query_mrc(side).mpr.mpr);
}

/* OCP's example sets attributes of the requester in the step to RTR and repeats them. */
static void read_early(struct api_side *side)
{
    struct api_card card = api_side_card(side);
    struct mrc_qp_attr attr = { .mpr.mpr = 8, .wimm.max_wimm = 8 };
    int err = api_side_to_rtr(side, &card, 0);

    api_run_must(side->run, err == 0, "mrc_modify_qp to RTR: %s", api_run_error_text(err));
    err = set_mrc(side, &attr, MRC_QP_MPR | MRC_QP_MAX_WIMM);
    api_run_reading(
        side->run, API_POINT_EARLY_ATTRIBUTES, "%s", err ? api_run_error_text(err) : "accepted");
}

void api_suite_attributes_open(struct api_run *run)
{
    struct api_side side;

    open_init(&side, run);
    read_timeout(&side);
    read_rounding(&side);
    read_ignored(&side);
    read_early(&side);
    api_side_close(&side);
}
