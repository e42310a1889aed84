/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §15: whose knowledge of EVs is shared. */
#include "observe.h"
#include "spec.h"

enum { FIRST_QPN = 7, SECOND_QPN = 8, STRANGER_QPN = 9, BAD_EV = 3 };

static struct by_hand nic;

static struct path_set *paths(uint32_t qpn)
{
    return transport_qp_paths(nic.transport, qpn);
}

/* Two QPs to one peer, a third to another. */
static void open_three(bool shared)
{
    observe_prepare(&nic);
    nic.config.parameters.ev_state_scope = shared;
    nic.config.parameters.timeout = 8;
    by_hand_open(&nic);
    by_hand_connect(&nic, FIRST_QPN);
    by_hand_connect(&nic, SECOND_QPN);
    nic.peer = 2;
    by_hand_connect(&nic, STRANGER_QPN);
    nic.peer = 1;
}

static void expect_states(enum path_ev_state first, enum path_ev_state second)
{
    EXPECT_EQ(path_state_of(paths(FIRST_QPN), BAD_EV), first);
    EXPECT_EQ(path_state_of(paths(SECOND_QPN), BAD_EV), second);
    EXPECT_EQ(path_state_of(paths(STRANGER_QPN), BAD_EV), EV_GOOD);
    transport_check(nic.transport);
}

SPEC("§15: ev_state_scope=qp: each QP finds out for itself")
{
    open_three(false);
    path_on_loss(paths(FIRST_QPN), BAD_EV, false, nic.now_ns, nic.now_ns);
    expect_states(EV_ASSUMED_BAD, EV_GOOD);
    path_deny(paths(FIRST_QPN), BAD_EV, nic.now_ns);
    expect_states(EV_DENIED, EV_GOOD);
    by_hand_close(&nic);
}

SPEC("§15: ev_state_scope=destination: an EV bad for one QP is bad for all to that peer, no other")
{
    open_three(true);
    path_on_loss(paths(FIRST_QPN), BAD_EV, false, nic.now_ns, nic.now_ns);
    expect_states(EV_ASSUMED_BAD, EV_ASSUMED_BAD);
    path_bring_back(paths(SECOND_QPN), BAD_EV, nic.now_ns);
    expect_states(EV_GOOD, EV_GOOD);
    by_hand_close(&nic);
}

SPEC("§15: ev_state_scope=destination: marks and delays are shared as well")
{
    open_three(true);
    path_on_mark(paths(FIRST_QPN), BAD_EV, PATH_MARKED_SKIP_ONCE, nic.now_ns);
    expect_states(EV_SKIP, EV_SKIP);
    by_hand_close(&nic);
}

SPEC("§15: ev_state_scope=destination: states of EVs remain when the QP that found them ends")
{
    open_three(true);
    path_on_loss(paths(FIRST_QPN), BAD_EV, false, nic.now_ns, nic.now_ns);
    EXPECT_EQ(by_hand_move(&nic, FIRST_QPN, QP_RESET), 0);
    EXPECT_EQ(path_state_of(paths(SECOND_QPN), BAD_EV), EV_ASSUMED_BAD);
    EXPECT_EQ(transport_qp_destroy(nic.transport, FIRST_QPN), 0);
    path_deny(paths(SECOND_QPN), 0, nic.now_ns);
    by_hand_connect(&nic, 10);
    EXPECT_EQ(path_state_of(paths(10), BAD_EV), EV_ASSUMED_BAD);
    EXPECT_EQ(path_state_of(paths(10), 0), EV_DENIED);
    EXPECT_EQ(transport_qp_destroy(nic.transport, SECOND_QPN), 0);
    EXPECT_EQ(path_state_of(paths(10), BAD_EV), EV_ASSUMED_BAD);
    by_hand_close(&nic);
}

SPEC("§15: ev_state_scope=destination: a failed QP leaves the paths to the others")
{
    open_three(true);
    EXPECT_EQ(by_hand_move(&nic, FIRST_QPN, QP_ERR), 0);
    path_on_loss(paths(SECOND_QPN), BAD_EV, false, nic.now_ns, nic.now_ns);
    expect_states(EV_GOOD, EV_ASSUMED_BAD);
    EXPECT_EQ(transport_qp_destroy(nic.transport, FIRST_QPN), 0);
    EXPECT_EQ(path_state_of(paths(SECOND_QPN), BAD_EV), EV_ASSUMED_BAD);
    by_hand_close(&nic);
}

SPEC("§15: ev_state_scope=destination: a failed QP no longer shares what the others find")
{
    open_three(true);
    EXPECT_EQ(by_hand_move(&nic, SECOND_QPN, QP_ERR), 0);
    path_on_loss(paths(FIRST_QPN), BAD_EV, false, nic.now_ns, nic.now_ns);
    expect_states(EV_ASSUMED_BAD, EV_GOOD);
    by_hand_close(&nic);
}

/* The QP that owns the path set leaves; the other one probes the bad EV from now on. */
static void expect_probes_after(enum qp_state owner_state)
{
    open_three(true);
    path_on_loss(paths(FIRST_QPN), BAD_EV, false, nic.now_ns, nic.now_ns);
    EXPECT_EQ(by_hand_move(&nic, FIRST_QPN, owner_state), 0);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_PROBES), 0);
    by_hand_wait(&nic, 4 * nic.config.parameters.ev_probe_first);
    EXPECT_GE(by_hand_count(&nic, COUNTER_EV_PROBES), 1);
    by_hand_close(&nic);
}

SPEC(
    "§15: ev_state_scope=destination: when the QP that probes a bad EV ends, another one probes it")
{
    expect_probes_after(QP_RESET);
    expect_probes_after(QP_ERR);
}

SPEC("§15: ev_state_scope=destination: denial is shared, and only its end ends it")
{
    open_three(true);
    path_on_loss(paths(FIRST_QPN), BAD_EV, false, nic.now_ns, nic.now_ns);
    path_deny(paths(SECOND_QPN), BAD_EV, nic.now_ns);
    expect_states(EV_DENIED, EV_DENIED);
    path_bring_back(paths(FIRST_QPN), BAD_EV, nic.now_ns);
    expect_states(EV_DENIED, EV_DENIED);
    path_allow(paths(FIRST_QPN), BAD_EV, nic.now_ns);
    expect_states(EV_GOOD, EV_GOOD);
    by_hand_close(&nic);
}

SPEC("§15: ev_state_scope=destination: a QP that connects later learns what the others know")
{
    open_three(true);
    path_on_loss(paths(FIRST_QPN), BAD_EV, false, nic.now_ns, nic.now_ns);
    path_deny(paths(FIRST_QPN), 0, nic.now_ns);
    by_hand_connect(&nic, 10);
    EXPECT_EQ(path_state_of(paths(10), BAD_EV), EV_ASSUMED_BAD);
    EXPECT_EQ(path_state_of(paths(10), 0), EV_DENIED);
    EXPECT_EQ(path_usable_count(paths(10)), BY_HAND_EVS - 2);
    by_hand_close(&nic);
}

SPEC("§15: ev_state_scope=destination: ev_min_active holds for all QPs together")
{
    open_three(true);
    for (uint32_t i = 0; i < BY_HAND_EVS - 2; i++)
        path_on_mark(paths(FIRST_QPN), i, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    path_on_mark(paths(SECOND_QPN), BY_HAND_EVS - 1, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    EXPECT_EQ(path_usable_count(paths(FIRST_QPN)), 2);
    EXPECT_EQ(path_usable_count(paths(SECOND_QPN)), 2);
    transport_check(nic.transport);
    by_hand_close(&nic);
}
