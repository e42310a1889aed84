/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the states of QPs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conform/api_side.h"
#include "conform/api_suite.h"

enum { STATES = 5 };

static const enum ibv_qp_state states[STATES] = { IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR,
    IBV_QPS_RTS, IBV_QPS_ERR };
static const char *const state_names[STATES] = { "RESET", "INIT", "RTR", "RTS", "ERR" };

static void open_alone(struct api_side *side, struct api_run *run)
{
    api_side_open(side, run, run->device);
    api_side_make(side, &(struct api_side_wants){ .depth = 4 });
}

/* One step with all its attributes. The QP is its own peer: no packet is sent. */
static int step_to(struct api_side *side, int state)
{
    struct api_card card = api_side_card(side);

    if (states[state] == IBV_QPS_INIT)
        return api_side_to_init(side);
    if (states[state] == IBV_QPS_RTR)
        return api_side_to_rtr(side, &card, 0);
    if (states[state] == IBV_QPS_RTS)
        return api_side_to_rts(side, 0);
    return api_side_to_state(side, states[state]);
}

static void expect_state(struct api_side *side, int state, const char *after)
{
    enum ibv_qp_state is = api_side_state(side);

    api_run_expect(side->run, is == states[state], "%s the state is %d instead of %s", after, is,
        state_names[state]);
}

static void must_step(struct api_side *side, int from, int to)
{
    char what[64];
    int err = step_to(side, to);

    snprintf(what, sizeof(what), "mrc_modify_qp from %s to %s", state_names[from], state_names[to]);
    api_run_ends(side->run, err, 0, what);
    if (err)
        api_run_done(side->run);
    snprintf(what, sizeof(what), "after the step from %s", state_names[from]);
    expect_state(side, to, what);
}

/* Brings a QP in RESET to a state. */
static void climb_to(struct api_side *side, int state)
{
    int last = state == 4 ? 1 : state;

    for (int i = 1; i <= last; i++)
        must_step(side, i - 1, i);
    if (state == 4)
        must_step(side, 1, 4);
}

void api_suite_states(struct api_run *run)
{
    struct api_side side;

    open_alone(&side, run);
    climb_to(&side, 3);
    must_step(&side, 3, 4);
    must_step(&side, 4, 0);
    for (int state = 1; state <= 3; state++) {
        climb_to(&side, state);
        must_step(&side, state, 0);
        climb_to(&side, state);
        must_step(&side, state, 4);
        must_step(&side, 4, 0);
    }
    api_side_close(&side);
}

static bool is_legal(int from, int to)
{
    return to == 0 || to == 4 || (to == from + 1 && from < 3) || to == from;
}

static void refuse_step(struct api_side *side, int from, int to)
{
    char what[64];

    snprintf(what, sizeof(what), "mrc_modify_qp from %s to %s", state_names[from], state_names[to]);
    api_run_ends(side->run, step_to(side, to), EINVAL, what);
    expect_state(side, from, "after a step that does not exist,");
}

void api_suite_states_illegal(struct api_run *run)
{
    struct api_side side;

    open_alone(&side, run);
    for (int from = 0; from < STATES && !run->has_failed; from++) {
        climb_to(&side, from);
        for (int to = 0; to < STATES && !run->has_failed; to++)
            if (!is_legal(from, to))
                refuse_step(&side, from, to);
        if (!run->has_failed)
            must_step(&side, from, 0);
    }
    climb_to(&side, 3);
    api_run_ends(
        run, api_side_to_state(&side, IBV_QPS_SQD), EINVAL, "mrc_modify_qp from RTS to SQD");
    api_side_close(&side);
}

void api_suite_states_missing(struct api_run *run)
{
    static const struct {
        int bit;
        const char *what;
    } required[] = {
        { IBV_QP_AV, "mrc_modify_qp to RTR without IBV_QP_AV" },
        { IBV_QP_PATH_MTU, "mrc_modify_qp to RTR without IBV_QP_PATH_MTU" },
        { IBV_QP_DEST_QPN, "mrc_modify_qp to RTR without IBV_QP_DEST_QPN" },
        { IBV_QP_RQ_PSN, "mrc_modify_qp to RTR without IBV_QP_RQ_PSN" },
    };
    struct api_side side;
    struct api_card card;

    open_alone(&side, run);
    climb_to(&side, 1);
    card = api_side_card(&side);
    for (size_t i = 0; i < sizeof(required) / sizeof(required[0]) && !run->has_failed; i++)
        api_run_ends(run, api_side_to_rtr(&side, &card, required[i].bit), EINVAL, required[i].what);
    if (run->has_failed)
        return;
    must_step(&side, 1, 2);
    api_run_ends(run, api_side_to_rts(&side, IBV_QP_SQ_PSN), EINVAL,
        "mrc_modify_qp to RTS without IBV_QP_SQ_PSN");
    if (!run->has_failed)
        must_step(&side, 2, 3);
    api_side_close(&side);
}

void api_suite_states_current(struct api_run *run)
{
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .cur_qp_state = IBV_QPS_RTR };
    int mask = IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS;
    struct api_side side;

    open_alone(&side, run);
    api_run_ends(run, api_run_error_number(API(run, modify_qp)(side.qp, &attr, mask, NULL, 0)),
        EINVAL, "mrc_modify_qp with another current state");
    expect_state(&side, 0, "after a wrong IBV_QP_CUR_STATE,");
    attr.cur_qp_state = IBV_QPS_RESET;
    if (!run->has_failed)
        api_run_ends(run, api_run_error_number(API(run, modify_qp)(side.qp, &attr, mask, NULL, 0)),
            0, "mrc_modify_qp with the current state");
    api_side_close(&side);
}
