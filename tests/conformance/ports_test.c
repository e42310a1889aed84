/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §18: ports that go and come, ours and the peer's. */
#include "observe.h"
#include "spec.h"

enum {
    PMTU = BY_HAND_PMTU_BYTES,
    TIMEOUT = 8,
    BOTH = 3,
    OTHER_QPN = 9,
};

#define T_NS             (UINT64_C(1024) << TIMEOUT)
#define BASE_RTT_NS      UINT64_C(10000)
#define HOLDDOWN_NS      UINT64_C(100000000)
#define PROBE_TIMEOUT_NS UINT64_C(100000)

static struct by_hand nic;

/* `engine_count` 0: it is all of its NIC. */
static void open_engine(uint32_t engine_count, uint32_t engine_index)
{
    observe_prepare(&nic);
    nic.config.parameters.timeout = TIMEOUT;
    nic.config.engine_count = engine_count;
    nic.config.engine_index = engine_index;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
}

static void open_nic(void)
{
    open_engine(0, 0);
}

static void set_ports(uint32_t up_mask)
{
    transport_ports_changed(nic.transport, up_mask, nic.now_ns);
    by_hand_send(&nic);
}

/* The peer tells, by one of them, which of its ports are up: bit p for plane p. */
static enum drop_reason told_by(uint32_t peer, uint16_t id, uint32_t planes)
{
    struct packet update =
        by_hand_endpoint(&nic, peer, OPCODE_ENDPOINT_REQUEST, ENDPOINT_PORT_STATUS_UPDATE, id);

    update.endpoint.port_status_mask = planes << 1;
    update.port = planes & 1 ? 0 : 1;
    return by_hand_receive(&nic, &update);
}

/* The same in another life of the peer; 0: it does not say which. */
static enum drop_reason told_in_life(uint8_t incarnation, uint16_t id, uint32_t planes)
{
    struct packet update =
        by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_PORT_STATUS_UPDATE, id);

    update.endpoint.port_status_mask = planes << 1;
    update.endpoint.incarnation = incarnation;
    return by_hand_receive(&nic, &update);
}

static enum drop_reason answer(const struct packet *request)
{
    struct packet response = by_hand_endpoint(&nic, nic.peer, OPCODE_ENDPOINT_RESPONSE,
        (enum endpoint_op)request->endpoint.op, (uint16_t)request->psn.value);

    response.port = request->port;
    return by_hand_receive(&nic, &response);
}

static bool is_update(const struct packet *packet)
{
    return observe_is_request(packet) && packet->endpoint.op == ENDPOINT_PORT_STATUS_UPDATE;
}

static bool is_ev_probe(const struct packet *packet)
{
    return observe_is_request(packet) && packet->endpoint.op == ENDPOINT_EV_PROBE;
}

static uint16_t start_probe(void)
{
    struct ipv6_addr address = by_hand_address(1);
    uint16_t id;

    EXPECT_EQ(transport_endpoint_probe(
                  nic.transport, &address, nic.entries[0].ev, 0, DSCP_CONTROL, &id, nic.now_ns),
        0);
    return id;
}

/* The planes that data takes now. */
static uint32_t planes_used(uint64_t id)
{
    uint32_t planes = 0;

    observe_post(&nic, id, 6 * PMTU);
    for (uint32_t i = 0; i < observe_count(&nic, observe_is_data); i++)
        planes |= 1u << observe_nth(&nic, observe_is_data, i)->port;
    return planes;
}

/* ---- our port goes down --------------------------------------------------------------------- */

SPEC("§18: a local port that goes down is abandoned at once, its EVs keep their state")
{
    open_nic();
    EXPECT_EQ(planes_used(1), BOTH);
    set_ports(1);
    EXPECT_EQ(planes_used(2), 1);
    EXPECT_EQ(observe_status(&nic).plane_mask, 1);
    EXPECT_EQ(path_bad_count(transport_qp_paths(nic.transport, OBSERVE_QPN)), 0);
    by_hand_close(&nic);
}

SPEC("§18: what left through it during the last RTT is lost at once and goes by other ports")
{
    struct psn lost[5];
    uint32_t lost_count = 0;

    open_nic();
    observe_post(&nic, 1, 10 * PMTU);
    for (uint32_t i = 0; i < 10; i++)
        if (observe_nth(&nic, observe_is_data, i)->port == 0)
            lost[lost_count++] = observe_nth(&nic, observe_is_data, i)->psn;
    EXPECT_EQ(lost_count, 5);
    nic.now_ns += BASE_RTT_NS - OBSERVE_TICK_NS;
    set_ports(2);
    EXPECT_EQ(observe_count(&nic, observe_is_repeat), 5);
    for (uint32_t i = 0; i < 5; i++) {
        EXPECT_EQ(observe_nth(&nic, observe_is_repeat, i)->port, 1);
        EXPECT_EQ(observe_nth(&nic, observe_is_repeat, i)->psn.value, lost[i].value);
    }
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_PORT_DOWN), 5);
    by_hand_close(&nic);
}

SPEC("§18: what left through it earlier is not")
{
    open_nic();
    observe_post(&nic, 1, 10 * PMTU);
    nic.now_ns += BASE_RTT_NS + OBSERVE_TICK_NS;
    set_ports(2);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_PORT_DOWN), 0);
    by_hand_close(&nic);
}

SPEC("§18: the application gets an event for ports that go down")
{
    struct transport_event event;

    open_nic();
    set_ports(1);
    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.kind, TRANSPORT_PORT_DOWN);
    EXPECT_EQ(event.port, 1);
    EXPECT(!by_hand_event(&nic, &event));
    by_hand_close(&nic);
}

SPEC("§18: the peer of each QP gets an update over the other planes: op 0, control class, ports "
     "from 1")
{
    const struct packet *update;

    open_nic();
    set_ports(2);
    EXPECT_EQ(observe_count(&nic, is_update), 1);
    update = observe_nth(&nic, is_update, 0);
    EXPECT_EQ(update->port, 1);
    EXPECT_EQ(update->class, DSCP_CONTROL);
    EXPECT_EQ(update->endpoint.port_status_mask, 1u << 2);
    EXPECT_EQ(update->ev >> 8, 1); /* its plane */
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_SENT), 1);
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_close(&nic);
}

SPEC("§18: an update is repeated each RTO, five times, with ids that increase")
{
    uint32_t id;
    uint64_t wait_ns;

    open_nic();
    set_ports(1);
    for (uint32_t i = 0; i < 5; i++) {
        id = observe_nth(&nic, is_update, 0)->psn.value;
        wait_ns = observe_wait_for(&nic, is_update, 10 * T_NS);
        EXPECT_AFTER(wait_ns, T_NS);
        EXPECT_EQ(observe_nth(&nic, is_update, 0)->psn.value, id + 1);
    }
    EXPECT_EQ(observe_wait_for(&nic, is_update, 100 * T_NS), UINT64_MAX);
    EXPECT_EQ(transport_deadline_ns(nic.transport), UINT64_MAX);
    by_hand_close(&nic);
}

SPEC("§18: an update is repeated until its peer answers it, once for all QPs of that peer")
{
    open_nic();
    by_hand_connect(&nic, 8);
    nic.peer = 2;
    by_hand_connect(&nic, OTHER_QPN);
    nic.peer = 1;
    set_ports(1);
    EXPECT_EQ(observe_count(&nic, is_update), 2); /* one for each peer */
    EXPECT(!ip_address_equal(
        &observe_nth(&nic, is_update, 0)->dst, &observe_nth(&nic, is_update, 1)->dst));
    EXPECT_EQ(answer(observe_nth(&nic, is_update, 0)), DROP_NONE);
    by_hand_wait(&nic, 100 * T_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_SENT), 2 + 5); /* the other peer's */
    by_hand_close(&nic);
}

SPEC("§18: the answer to an update does not stand for a later one")
{
    struct packet first;

    observe_prepare(&nic);
    nic.config.parameters.timeout = TIMEOUT;
    nic.config.parameters.port_up_holddown = 1000; /* or 10 base RTTs */
    nic.config.parameters.port_up_probes = 0;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    set_ports(1);
    first = *observe_nth(&nic, is_update, 0);
    set_ports(BOTH);
    by_hand_wait(&nic, 10 * BASE_RTT_NS - 1000);
    EXPECT_EQ(observe_status(&nic).plane_mask, 1);
    by_hand_wait(&nic, 2000); /* the port is taken up, and the update for that lost */
    EXPECT_EQ(observe_status(&nic).plane_mask, BOTH);
    EXPECT_EQ(answer(&first), DROP_NONE);
    EXPECT_NE(observe_wait_for(&nic, is_update, 2 * T_NS), UINT64_MAX);
    EXPECT_EQ(observe_nth(&nic, is_update, 0)->endpoint.port_status_mask, BOTH << 1);
    by_hand_close(&nic);
}

SPEC("§18: an unanswered update goes again at the next activity of the QP")
{
    open_nic();
    set_ports(1);
    by_hand_wait(&nic, 100 * T_NS);
    EXPECT_EQ(observe_wait_for(&nic, is_update, 100 * T_NS), UINT64_MAX);
    observe_post(&nic, 1, 64);
    EXPECT_EQ(observe_count(&nic, is_update), 1);
    EXPECT_EQ(observe_acked(&nic, 0, 1), DROP_NONE);
    EXPECT_EQ(observe_wait_for(&nic, is_update, 100 * T_NS), UINT64_MAX);
    observe_answers(&nic, 0, 0); /* it hears of the peer */
    EXPECT_NE(observe_wait_for(&nic, is_update, T_NS), UINT64_MAX);
    answer(observe_nth(&nic, is_update, 0));
    by_hand_wait(&nic, 10 * T_NS);
    observe_post(&nic, 2, 64);
    EXPECT_EQ(observe_count(&nic, is_update), 0);
    by_hand_close(&nic);
}

SPEC("§18: while the QP has work an unanswered update goes again once per RTO")
{
    open_nic();
    set_ports(1);
    by_hand_wait(&nic, 100 * T_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_SENT), 6);
    observe_post(&nic, 1, 64);
    observe_post(&nic, 2, 64);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_SENT), 7);
    nic.now_ns += T_NS - 1;
    observe_post(&nic, 3, 64);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_SENT), 7);
    nic.now_ns += 1;
    observe_post(&nic, 4, 64);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_SENT), 8);
    by_hand_close(&nic);
}

/* ---- the peer's ports ----------------------------------------------------------------------- */

SPEC("§18: an update takes the peer's planes out of use and brings them back; it is answered")
{
    struct qp_attributes attributes;

    open_nic();
    EXPECT_EQ(told_by(1, 10, 2), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(observe_count(&nic, observe_is_answer), 1);
    EXPECT_EQ(nic.sent[0].psn.value, 10);
    EXPECT_EQ(nic.sent[0].endpoint.op, ENDPOINT_PORT_STATUS_UPDATE);
    EXPECT_EQ(transport_qp_query(nic.transport, OBSERVE_QPN, &attributes), 0);
    EXPECT_EQ(attributes.peer_ports, 2);
    EXPECT_EQ(planes_used(1), 2);
    EXPECT_EQ(told_by(1, 11, BOTH), DROP_NONE);
    EXPECT_EQ(planes_used(2), BOTH);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_TAKEN), 2);
    by_hand_close(&nic);
}

SPEC("§18: an update from an address without a QP is neither taken nor answered")
{
    open_nic();
    EXPECT_EQ(told_by(2, 10, 0), DROP_STRANGER);
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(observe_status(&nic).plane_mask, BOTH);
    by_hand_move(&nic, OBSERVE_QPN, QP_RESET);
    EXPECT_EQ(told_by(1, 10, 2), DROP_STRANGER);
    by_hand_close(&nic);
}

SPEC("§18: a late update does not undo a newer one: ids are serial numbers that wrap")
{
    open_nic();
    EXPECT_EQ(told_by(1, 0xfffe, 1), DROP_NONE);
    EXPECT_EQ(told_by(1, 0xfffd, BOTH), DROP_STALE_UPDATE);
    EXPECT_EQ(told_by(1, 2, BOTH), DROP_NONE);
    EXPECT_EQ(told_by(1, 0xffff, 1), DROP_STALE_UPDATE);
    EXPECT_EQ(observe_status(&nic).plane_mask, BOTH);
    EXPECT_EQ(told_by(1, 2, BOTH), DROP_NONE); /* repeated: its answer was lost */
    EXPECT_EQ(by_hand_send(&nic), 3);
    by_hand_close(&nic);
}

SPEC("§18: an update concerns every QP of that peer, and no other")
{
    struct qp_status status;

    open_nic();
    by_hand_connect(&nic, 8);
    nic.peer = 2;
    by_hand_connect(&nic, OTHER_QPN);
    EXPECT_EQ(told_by(1, 1, 2), DROP_NONE);
    EXPECT_EQ(transport_qp_status(nic.transport, 8, &status), 0);
    EXPECT_EQ(status.plane_mask, 2);
    EXPECT_EQ(transport_qp_status(nic.transport, OTHER_QPN, &status), 0);
    EXPECT_EQ(status.plane_mask, BOTH);
    EXPECT_EQ(observe_status(&nic).plane_mask, 2);
    by_hand_close(&nic);
}

SPEC("§18: no plane usable at both ends is no error: the QP waits")
{
    open_nic();
    set_ports(1);
    EXPECT_EQ(told_by(1, 1, 2), DROP_NONE);
    observe_post(&nic, 1, 64);
    EXPECT_EQ(observe_count(&nic, observe_is_data), 0);
    by_hand_wait(&nic, 10 * T_NS);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
    EXPECT_EQ(told_by(1, 2, BOTH), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(observe_count(&nic, observe_is_data), 1);
    by_hand_close(&nic);
}

SPEC("§18: a new connection gets the ports of the peer, and uses no others")
{
    struct qp_attributes attributes = {
        .peer_address = by_hand_address(1), .peer_qpn = 5, .peer_ports = 1, .state = QP_RTR
    };

    observe_prepare(&nic);
    by_hand_open(&nic);
    by_hand_create(&nic, OBSERVE_QPN);
    by_hand_step(&nic, OBSERVE_QPN, QP_INIT);
    observe_modify(&nic, attributes, QP_ATTR_STATE | QP_ATTR_PEER | QP_ATTR_RQ_PSN);
    by_hand_step(&nic, OBSERVE_QPN, QP_RTS);
    EXPECT_EQ(planes_used(1), 1);
    by_hand_close(&nic);
}

/* ---- our port comes up again ----------------------------------------------------------------- */

/* Port 1 was down; its update was answered. */
static void open_with_port_down(void)
{
    open_nic();
    set_ports(1);
    answer(observe_nth(&nic, is_update, 0));
    by_hand_discard_events(&nic);
    by_hand_wait(&nic, 1000000);
}

SPEC("§18: a port that is up again is held down for 100 ms, then probed by that port")
{
    uint64_t wait_ns;

    open_with_port_down();
    set_ports(BOTH);
    EXPECT_EQ(observe_status(&nic).plane_mask, 1);
    wait_ns = observe_wait_for(&nic, is_ev_probe, 2 * HOLDDOWN_NS);
    EXPECT_AFTER(wait_ns, HOLDDOWN_NS);
    EXPECT_EQ(observe_nth(&nic, is_ev_probe, 0)->port, 1);
    EXPECT_EQ(observe_status(&nic).plane_mask, 1);
    by_hand_close(&nic);
}

SPEC("§18: after three answered probes a port is used, and the peer and the application are "
     "informed")
{
    struct transport_event event;

    open_with_port_down();
    set_ports(BOTH);
    EXPECT_NE(observe_wait_for(&nic, is_ev_probe, 2 * HOLDDOWN_NS), UINT64_MAX);
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT_EQ(observe_status(&nic).plane_mask, 1);
        EXPECT(!by_hand_event(&nic, &event));
        EXPECT_EQ(answer(observe_nth(&nic, is_ev_probe, 0)), DROP_NONE);
        by_hand_send(&nic);
    }
    EXPECT_EQ(observe_status(&nic).plane_mask, BOTH);
    EXPECT_EQ(observe_count(&nic, is_update), 1);
    EXPECT_EQ(observe_nth(&nic, is_update, 0)->endpoint.port_status_mask, BOTH << 1);
    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.kind, TRANSPORT_PORT_UP);
    EXPECT_EQ(event.port, 1);
    by_hand_close(&nic);
}

SPEC("§18: without answers it is probed on, whenever a probe has failed, and not used")
{
    uint64_t wait_ns;

    open_with_port_down();
    set_ports(BOTH);
    EXPECT_NE(observe_wait_for(&nic, is_ev_probe, 2 * HOLDDOWN_NS), UINT64_MAX);
    for (uint32_t i = 0; i < 10; i++) {
        wait_ns = observe_wait_for(&nic, is_ev_probe, 10 * T_NS);
        EXPECT_AFTER(wait_ns, PROBE_TIMEOUT_NS);
    }
    EXPECT_EQ(observe_status(&nic).plane_mask, 1);
    by_hand_close(&nic);
}

SPEC("§18: a port that flaps within the hold-down waits all of it again")
{
    uint64_t wait_ns;

    open_with_port_down();
    set_ports(BOTH);
    by_hand_wait(&nic, HOLDDOWN_NS / 2);
    set_ports(1);
    set_ports(BOTH);
    wait_ns = observe_wait_for(&nic, is_ev_probe, 2 * HOLDDOWN_NS);
    EXPECT_AFTER(wait_ns, HOLDDOWN_NS);
    by_hand_close(&nic);
}

SPEC("§18: answers to probes from before a flap do not count")
{
    struct packet probe;

    open_with_port_down();
    set_ports(BOTH);
    EXPECT_NE(observe_wait_for(&nic, is_ev_probe, 2 * HOLDDOWN_NS), UINT64_MAX);
    probe = *observe_nth(&nic, is_ev_probe, 0);
    for (uint32_t i = 0; i < 2; i++) {
        EXPECT_EQ(answer(&probe), DROP_NONE);
        by_hand_send(&nic);
        probe = *observe_nth(&nic, is_ev_probe, 0);
    }
    set_ports(1);
    answer(&probe);
    set_ports(BOTH);
    EXPECT_EQ(observe_status(&nic).plane_mask, 1);
    by_hand_wait(&nic, HOLDDOWN_NS / 2);
    EXPECT_EQ(observe_status(&nic).plane_mask, 1);
    by_hand_close(&nic);
}

SPEC("§18: a port without a QP to probe is used after the hold-down")
{
    struct transport_event event;

    observe_prepare(&nic);
    by_hand_open(&nic);
    set_ports(1);
    by_hand_discard_events(&nic);
    set_ports(BOTH);
    by_hand_wait(&nic, HOLDDOWN_NS - OBSERVE_TICK_NS);
    EXPECT(!by_hand_event(&nic, &event));
    by_hand_wait(&nic, 3 * OBSERVE_TICK_NS);
    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.kind, TRANSPORT_PORT_UP);
    EXPECT_EQ(transport_deadline_ns(nic.transport), UINT64_MAX);
    by_hand_close(&nic);
}

SPEC("§18: the window's limit follows the sum of the ports that are up")
{
    uint32_t window_bytes;

    open_nic();
    window_bytes = observe_status(&nic).window_bytes;
    set_ports(1);
    EXPECT_EQ(observe_status(&nic).window_bytes, window_bytes / 2);
    by_hand_close(&nic);
}

/* ---- what a peer says of its ports, it says to all QPs -----------------------------------------
 */

/* A QP connects after an update. `cc`: its congestion control, which makes it another destination
 * if it is not that of the first QP. */
static void connect_after_update(const struct cc_profile *cc)
{
    struct qp_status status;

    open_nic();
    EXPECT_EQ(told_by(1, 5, 1), DROP_NONE);
    nic.init.cc = cc;
    by_hand_connect(&nic, OTHER_QPN);
    EXPECT_EQ(transport_qp_status(nic.transport, OTHER_QPN, &status), 0);
    EXPECT_EQ(status.plane_mask, 1);
}

SPEC("§18: a QP that connects later has the last update of its peer, and its sequence number")
{
    static struct cc_profile other_cc;
    struct qp_status status;

    for (uint32_t i = 0; i < 2; i++) {
        open_nic();
        other_cc = nic.cc;
        by_hand_close(&nic);
        connect_after_update(i == 0 ? &nic.cc : &other_cc);
        EXPECT_EQ(told_by(1, 6, BOTH), DROP_NONE);
        EXPECT_EQ(observe_status(&nic).plane_mask, BOTH);
        EXPECT_EQ(transport_qp_status(nic.transport, OTHER_QPN, &status), 0);
        EXPECT_EQ(status.plane_mask, BOTH);
        by_hand_close(&nic);
        connect_after_update(i == 0 ? &nic.cc : &other_cc);
        EXPECT_EQ(transport_qp_destroy(nic.transport, OBSERVE_QPN), 0);
        EXPECT_EQ(told_by(1, 4, BOTH), DROP_STALE_UPDATE);
        EXPECT_EQ(transport_qp_status(nic.transport, OTHER_QPN, &status), 0);
        EXPECT_EQ(status.plane_mask, 1);
        by_hand_close(&nic);
    }
}

SPEC("§18: order is kept per peer: a low id of another peer is not late")
{
    open_nic();
    nic.peer = 2;
    by_hand_connect(&nic, OTHER_QPN);
    EXPECT_EQ(told_by(1, 100, 1), DROP_NONE);
    EXPECT_EQ(told_by(2, 3, 1), DROP_NONE);
    EXPECT_EQ(told_by(1, 99, 1), DROP_STALE_UPDATE);
    by_hand_close(&nic);
}

SPEC("§18: the last update of a peer is forgotten with its last QP: the peer may count from the "
     "start")
{
    open_nic();
    EXPECT_EQ(told_by(1, 100, 1), DROP_NONE);
    EXPECT_EQ(transport_qp_destroy(nic.transport, OBSERVE_QPN), 0);
    by_hand_connect(&nic, OTHER_QPN);
    EXPECT_EQ(told_by(1, 3, BOTH), DROP_NONE);
    by_hand_close(&nic);
}

SPEC("§18: a QP that failed forgets the updates of its peer: the peer may count from the start")
{
    open_nic();
    EXPECT_EQ(told_by(1, 100, 1), DROP_NONE);
    EXPECT_EQ(by_hand_move(&nic, OBSERVE_QPN, QP_ERR), 0);
    by_hand_connect(&nic, OTHER_QPN);
    EXPECT_EQ(told_by(1, 3, BOTH), DROP_NONE);
    by_hand_close(&nic);
}

/* ---- lives of the peer ------------------------------------------------------------------------
 */

SPEC("§18: our updates carry an incarnation that is not 0 and depends on the seed")
{
    uint32_t lives[4] = { 0 };

    for (uint64_t seed = 0; seed < 128; seed++) {
        uint8_t incarnation;

        observe_prepare(&nic);
        nic.config.seed = seed;
        by_hand_open(&nic);
        by_hand_connect(&nic, OBSERVE_QPN);
        set_ports(1);
        incarnation = observe_nth(&nic, is_update, 0)->endpoint.incarnation;
        EXPECT_NE(incarnation, 0);
        lives[incarnation / 64] |= UINT32_C(1) << incarnation % 32;
        EXPECT_NE(observe_wait_for(&nic, is_update, UINT64_C(1) << 40), UINT64_MAX);
        EXPECT_EQ(observe_nth(&nic, is_update, 0)->endpoint.incarnation, incarnation);
        by_hand_close(&nic);
    }
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_GE(__builtin_popcount(lives[i]), 8);
}

SPEC("§18: EV probes carry no incarnation")
{
    open_with_port_down();
    set_ports(BOTH);
    EXPECT_NE(observe_wait_for(&nic, is_ev_probe, 2 * HOLDDOWN_NS), UINT64_MAX);
    EXPECT_EQ(observe_nth(&nic, is_ev_probe, 0)->endpoint.incarnation, 0);
    by_hand_close(&nic);
}

SPEC("§18: updates of a peer that restarted and counts from the start are accepted")
{
    open_nic();
    EXPECT_EQ(told_in_life(7, 100, 1), DROP_NONE);
    EXPECT_EQ(told_in_life(7, 99, BOTH), DROP_STALE_UPDATE);
    EXPECT_EQ(told_in_life(8, 0, BOTH), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).plane_mask, BOTH);
    EXPECT_EQ(told_in_life(8, 1, 1), DROP_NONE);
    EXPECT_EQ(told_in_life(8, 0, BOTH), DROP_STALE_UPDATE);
    EXPECT_EQ(observe_status(&nic).plane_mask, 1);
    by_hand_close(&nic);
}

SPEC("§18: with incarnation 0 the ids alone decide which update is late")
{
    open_nic();
    EXPECT_EQ(told_in_life(0, 100, 1), DROP_NONE);
    EXPECT_EQ(told_in_life(0, 0, BOTH), DROP_STALE_UPDATE);
    EXPECT_EQ(told_in_life(7, 100, BOTH), DROP_NONE);
    EXPECT_EQ(told_in_life(0, 50, 1), DROP_STALE_UPDATE);
    EXPECT_EQ(observe_status(&nic).plane_mask, BOTH);
    by_hand_close(&nic);
}

/* ---- updates that cannot be true --------------------------------------------------------------
 */

SPEC("§18: an update without any port, or without the one it came by, is dropped and not answered")
{
    static const uint32_t masks[] = { 0, 2, 1 << 5 };

    open_nic();
    for (uint32_t i = 0; i < 3; i++) { /* by plane 0 */
        struct packet update = by_hand_endpoint(
            &nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_PORT_STATUS_UPDATE, (uint16_t)(10 + i));

        update.endpoint.port_status_mask = masks[i] << 1;
        EXPECT_EQ(by_hand_receive(&nic, &update), DROP_PORT_MASK);
        EXPECT_EQ(by_hand_send(&nic), 0);
    }
    EXPECT_EQ(transport_drops(nic.transport)[DROP_PORT_MASK], 3);
    EXPECT_EQ(observe_status(&nic).plane_mask, BOTH);
    EXPECT_EQ(told_by(1, 1, 1), DROP_NONE); /* nor do their ids count */
    by_hand_close(&nic);
}

/* ---- updates in our name ----------------------------------------------------------------------
 */

/* The peer answers an update that we did not send. */
static void answer_forged(uint16_t id)
{
    struct packet forged = { .psn = psn(id), .endpoint = { .op = ENDPOINT_PORT_STATUS_UPDATE } };

    EXPECT_EQ(answer(&forged), DROP_UNASKED_ANSWER);
    by_hand_send(&nic);
}

static void expect_other_lives(uint32_t engine_count, uint32_t engine_index)
{
    struct packet last;

    open_engine(engine_count, engine_index);
    answer_forged(1000);
    for (uint32_t i = 0; i < 1000; i++) {
        EXPECT_EQ(observe_count(&nic, is_update), 1);
        last = *observe_nth(&nic, is_update, 0);
        EXPECT_EQ(last.endpoint.port_status_mask, BOTH << 1);
        EXPECT_EQ(answer(&last), DROP_NONE);
        by_hand_wait(&nic, 2 * T_NS);
        answer_forged((uint16_t)(last.psn.value + i % 3)); /* the last one twice, too */
        EXPECT_NE(observe_nth(&nic, is_update, 0)->endpoint.incarnation, 0);
        EXPECT_NE(observe_nth(&nic, is_update, 0)->endpoint.incarnation, last.endpoint.incarnation);
        if (engine_count > 0)
            EXPECT_EQ(last.endpoint.incarnation % engine_count, engine_index);
    }
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_FORGED), 1001);
    by_hand_close(&nic);
}

SPEC("§18: a peer that answers an update we did not send gets our ports with another incarnation")
{
    expect_other_lives(0, 0);
}

SPEC("§18: each engine of a NIC does the same, and its number stays in the incarnation")
{
    expect_other_lives(4, 0);
    expect_other_lives(4, 3);
}

SPEC("§18: a peer that answers many forged updates is informed once per RTO")
{
    open_nic();
    answer_forged(1000);
    EXPECT_EQ(answer(observe_nth(&nic, is_update, 0)), DROP_NONE);
    for (uint16_t i = 0; i < 100; i++) {
        answer_forged((uint16_t)(1001 + i));
        EXPECT_EQ(observe_count(&nic, is_update), 0);
    }
    EXPECT_AFTER(observe_wait_for(&nic, is_update, 10 * T_NS), T_NS);
    EXPECT_EQ(observe_count(&nic, is_update), 1);
    by_hand_close(&nic);
}

SPEC("§18: answers of other nodes, answers to probes, and late answers do not indicate a forgery")
{
    struct packet late;

    open_nic();
    set_ports(1);
    late = *observe_nth(&nic, is_update, 0);
    for (uint32_t i = 0; i < 64; i++) { /* they take the slot of the update */
        start_probe();
        by_hand_send(&nic);
    }
    EXPECT_EQ(answer(&late), DROP_UNASKED_ANSWER);
    late.endpoint.op = ENDPOINT_EV_PROBE;
    late.psn = psn(5000);
    EXPECT_EQ(answer(&late), DROP_UNASKED_ANSWER);
    late = by_hand_endpoint(&nic, 2, OPCODE_ENDPOINT_RESPONSE, ENDPOINT_PORT_STATUS_UPDATE, 1000);
    EXPECT_EQ(by_hand_receive(&nic, &late), DROP_UNASKED_ANSWER);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_FORGED), 0);
    by_hand_close(&nic);
}

/* The packet of one NIC as it reaches the other: each is peer 1 of the other. */
static enum drop_reason carry(struct by_hand *to, struct packet packet)
{
    enum drop_reason reason;

    packet.src = by_hand_address(1);
    packet.dst = by_hand_address(0);
    reason = by_hand_receive(to, &packet);
    by_hand_send(to);
    return reason;
}

SPEC("§18: what a forged update took down, even the newest in number, returns in a round trip")
{
    static struct by_hand peer;
    struct packet update;

    open_nic();
    observe_prepare(&peer);
    by_hand_open(&peer);
    by_hand_connect(&peer, OBSERVE_QPN);
    transport_ports_changed(peer.transport, 1, peer.now_ns);
    by_hand_send(&peer);
    update = *observe_nth(&peer, is_update, 0);
    EXPECT_EQ(carry(&nic, update), DROP_NONE);
    EXPECT_EQ(carry(&peer, *observe_nth(&nic, observe_is_answer, 0)), DROP_NONE);
    by_hand_wait(&peer, UINT64_C(1) << 30);

    update.psn.value += 30000;
    update.endpoint.port_status_mask = 1u << 2; /* forged: port 2 is up, port 1 is not */
    update.port = 1;
    EXPECT_EQ(carry(&nic, update), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).plane_mask, 2);
    EXPECT_EQ(carry(&peer, *observe_nth(&nic, observe_is_answer, 0)), DROP_UNASKED_ANSWER);
    EXPECT_EQ(carry(&nic, *observe_nth(&peer, is_update, 0)), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).plane_mask, 1);
    by_hand_close(&peer);
    by_hand_close(&nic);
}

/* ---- request ids ------------------------------------------------------------------------------
 */

/* Ports that come up are used after 10 base RTTs. */
static void open_without_probes(void)
{
    observe_prepare(&nic);
    nic.config.parameters.timeout = TIMEOUT;
    nic.config.parameters.port_up_holddown = 0;
    nic.config.parameters.port_up_probes = 0;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
}

SPEC("§16.2, §18: an update and a probe under way never have the same id; the answer is the one's")
{
    struct transport_event event;

    open_without_probes();
    for (uint32_t i = 0; i < 100; i++) {
        uint16_t probe_id = start_probe();
        struct packet update;

        set_ports(1);
        update = *observe_nth(&nic, is_update, 0);
        EXPECT_NE(update.psn.value, probe_id);
        by_hand_discard_events(&nic);
        EXPECT_EQ(answer(&update), DROP_NONE);
        EXPECT(!by_hand_event(&nic, &event));
        EXPECT_EQ(answer(&update), DROP_UNASKED_ANSWER);
        update.psn = psn(probe_id);
        EXPECT_EQ(answer(&update), DROP_NONE);
        EXPECT(by_hand_event(&nic, &event));
        EXPECT_EQ(event.kind, TRANSPORT_ENDPOINT_ANSWER);
        EXPECT_EQ(event.request_id, probe_id);
        set_ports(BOTH);
        by_hand_wait(&nic, 20 * T_NS);
    }
    by_hand_close(&nic);
}

SPEC("§18: probes do not use up the ids of updates: however many came between, the next is later")
{
    struct packet first;
    struct packet second;

    open_without_probes();
    set_ports(1);
    first = *observe_nth(&nic, is_update, 0);
    EXPECT_EQ(answer(&first), DROP_NONE);
    for (uint32_t i = 0; i < 40000; i++) { /* more than half of all ids */
        struct packet probe = { .psn = psn(start_probe()),
            .endpoint = { .op = ENDPOINT_EV_PROBE } };

        by_hand_send(&nic);
        EXPECT_EQ(answer(&probe), DROP_NONE);
        by_hand_discard_events(&nic);
    }
    set_ports(BOTH);
    EXPECT_NE(observe_wait_for(&nic, is_update, T_NS), UINT64_MAX);
    second = *observe_nth(&nic, is_update, 0);
    EXPECT_GE((uint16_t)(second.psn.value - first.psn.value), 1);
    EXPECT_LE((uint16_t)(second.psn.value - first.psn.value), 16);
    by_hand_close(&nic);
}

/* ---- nothing else is left ---------------------------------------------------------------------
 */

SPEC(
    "§18: the hold-down is waived when no other port is left: probed at once, used with one answer")
{
    struct transport_event event;

    open_nic();
    set_ports(0);
    by_hand_discard_events(&nic);
    by_hand_wait(&nic, 50000);
    set_ports(1);
    EXPECT_NE(observe_wait_for(&nic, is_ev_probe, OBSERVE_TICK_NS), UINT64_MAX);
    EXPECT_EQ(observe_status(&nic).plane_mask, 0);
    EXPECT_EQ(answer(observe_nth(&nic, is_ev_probe, 0)), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).plane_mask, 1);
    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.kind, TRANSPORT_PORT_UP);
    EXPECT_EQ(planes_used(1), 1);
    by_hand_close(&nic);
}

SPEC("§18: a port that is held down is probed at once when the last usable one goes")
{
    open_with_port_down();
    set_ports(BOTH);
    by_hand_wait(&nic, HOLDDOWN_NS / 2);
    EXPECT_EQ(observe_status(&nic).plane_mask, 1);
    set_ports(2);
    EXPECT_NE(observe_wait_for(&nic, is_ev_probe, OBSERVE_TICK_NS), UINT64_MAX);
    EXPECT_EQ(observe_nth(&nic, is_ev_probe, 0)->port, 1);
    EXPECT_EQ(answer(observe_nth(&nic, is_ev_probe, 0)), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).plane_mask, 2);
    by_hand_close(&nic);
}

SPEC("§18: with another port usable the hold-down holds, and three answers are needed")
{
    open_nic();
    set_ports(0);
    set_ports(1);
    EXPECT_NE(observe_wait_for(&nic, is_ev_probe, OBSERVE_TICK_NS), UINT64_MAX);
    EXPECT_EQ(answer(observe_nth(&nic, is_ev_probe, 0)), DROP_NONE);
    set_ports(BOTH);
    EXPECT_EQ(observe_wait_for(&nic, is_ev_probe, HOLDDOWN_NS - OBSERVE_TICK_NS), UINT64_MAX);
    EXPECT_EQ(observe_status(&nic).plane_mask, 1);
    EXPECT_NE(observe_wait_for(&nic, is_ev_probe, HOLDDOWN_NS), UINT64_MAX);
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT_EQ(observe_status(&nic).plane_mask, 1);
        EXPECT_EQ(answer(observe_nth(&nic, is_ev_probe, 0)), DROP_NONE);
        by_hand_send(&nic);
    }
    EXPECT_EQ(observe_status(&nic).plane_mask, BOTH);
    by_hand_close(&nic);
}

SPEC("§18: what is sent again because its port went down does not shrink the window beyond the "
     "ports' share (decision 9)")
{
    uint32_t before_bytes;
    uint32_t packet_count;

    open_nic();
    before_bytes = observe_status(&nic).window_bytes;
    observe_post(&nic, 1, 16 * PMTU);
    packet_count = observe_count(&nic, observe_is_data);
    EXPECT_EQ(packet_count, 16);
    set_ports(1);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_PORT_DOWN), 8);
    EXPECT_EQ(observe_status(&nic).window_bytes, before_bytes / 2);
    by_hand_close(&nic);
}
