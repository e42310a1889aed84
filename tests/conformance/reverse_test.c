/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §17: the way back of SACK, NACK and ACK. */
#include "observe.h"
#include "scenario.h"
#include "spec.h"

enum { BASE_RTT_NS = 10000 };

static struct by_hand nic;

/* The peer's n-th packet, by this port; its SACK is nic.sent[0]. */
static const struct packet *sack_by(int32_t number, uint8_t port)
{
    struct packet packet =
        by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_ONLY, observe_in(number), 64);

    packet.port = port;
    packet.flags |= PACKET_RETRANSMISSION; /* draws a SACK, and no ACK */
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(observe_count(&nic, observe_is_sack), 1);
    return observe_nth(&nic, observe_is_sack, 0);
}

static uint32_t plane_of(uint32_t ev)
{
    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        if (nic.entries[i].ev == ev)
            return nic.entries[i].plane;
    return UINT32_MAX;
}

static enum drop_reason answer(const struct packet *request)
{
    struct packet response = by_hand_endpoint(
        &nic, nic.peer, OPCODE_ENDPOINT_RESPONSE, ENDPOINT_EV_PROBE, (uint16_t)request->psn.value);

    return by_hand_receive(&nic, &response);
}

SPEC("§17: at the start one EV of each plane of the profile is its way back")
{
    uint32_t ev;

    observe_open(&nic);
    ev = sack_by(0, 0)->ev;
    EXPECT_EQ(plane_of(ev), 0);
    EXPECT_EQ(plane_of(sack_by(1, 1)->ev), 1);
    EXPECT_EQ(sack_by(2, 0)->ev, ev);
    by_hand_close(&nic);
}

SPEC("§17: an answer leaves on the plane its trigger came by (decision 2)")
{
    observe_open(&nic);
    for (int32_t i = 0; i < 16; i++)
        EXPECT_EQ(sack_by(i, (uint8_t)(i / 3 % 2))->port, i / 3 % 2);
    by_hand_close(&nic);
}

SPEC("§17: a plane down at either end carries no control packets")
{
    struct packet update;

    observe_open(&nic);
    update = by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_PORT_STATUS_UPDATE, 1);
    update.endpoint.port_status_mask = 1u << 1; /* its port 1, which is plane 0 */
    EXPECT_EQ(by_hand_receive(&nic, &update), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(sack_by(0, 1)->port, 0);
    update.psn = psn(2);
    update.endpoint.port_status_mask = 6;
    EXPECT_EQ(by_hand_receive(&nic, &update), DROP_NONE);
    transport_ports_changed(nic.transport, 2, nic.now_ns);
    by_hand_send(&nic);
    EXPECT_EQ(sack_by(1, 0)->port, 1);
    by_hand_close(&nic);
}

SPEC("§17: a QP that receives and does not send probes one EV of its way back in a base RTT")
{
    uint64_t wait_ns;

    observe_open(&nic);
    sack_by(0, 0);
    wait_ns = observe_wait_for(&nic, observe_is_request, 100000);
    EXPECT_AFTER(wait_ns, BASE_RTT_NS);
    EXPECT_EQ(nic.sent[0].endpoint.op, ENDPOINT_EV_PROBE);
    EXPECT_NE(path_profile_find(&nic.profile, nic.sent[0].ev), PATH_NONE);
    EXPECT_EQ(answer(&nic.sent[0]), DROP_NONE);
    sack_by(1, 0);
    wait_ns = observe_wait_for(&nic, observe_is_request, 100000);
    EXPECT_AFTER(wait_ns, BASE_RTT_NS);
    by_hand_close(&nic);
}

/* Data arrive for six base RTTs, no probe is answered. */
static uint64_t unanswered_probes(void)
{
    uint64_t count;

    observe_open(&nic);
    for (int32_t i = 0; i < 6; i++) {
        sack_by(i, 0);
        by_hand_wait(&nic, BASE_RTT_NS);
    }
    count = by_hand_count(&nic, COUNTER_REVERSE_PROBES);
    by_hand_close(&nic);
    return count;
}

SPEC("§17: the next probe does not wait for the answer to the last; two are under way at most "
     "(decision 12)")
{
    EXPECT_EQ(unanswered_probes(), 2);
}

/* Of 30 probes those on EVs known to be bad: three of four are. */
static uint32_t probes_of_bad(void)
{
    uint32_t count = 0;

    observe_open(&nic);
    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        if (i % 4)
            path_on_mark(transport_qp_paths(nic.transport, OBSERVE_QPN), i, PATH_MARKED_ALWAYS_SKIP,
                nic.now_ns);
    for (int32_t i = 0; i < 30; i++) {
        sack_by(i, 0);
        EXPECT_NE(observe_wait_for(&nic, observe_is_request, 2 * BASE_RTT_NS), UINT64_MAX);
        count += observe_ev(&nic, nic.sent[0].ev) == EV_ASSUMED_BAD;
        EXPECT_EQ(answer(&nic.sent[0]), DROP_NONE);
    }
    by_hand_close(&nic);
    return count;
}

SPEC("§17: an EV known to be bad is probed only if none better is drawn four times (decision 12)")
{
    EXPECT_LE(probes_of_bad(), 15); /* 22 would be expected of one draw, 9 of four */
}

/* How many EVs carry 16 answers to EV probes of a peer that has answered nothing for so long. */
static uint32_t evs_of_answers(uint64_t silence_ns)
{
    uint32_t seen = 0;
    uint32_t count = 0;

    observe_open(&nic);
    observe_post(&nic, 1, 64);
    by_hand_wait(&nic, silence_ns);
    for (uint16_t i = 0; i < 16; i++) {
        struct packet request =
            by_hand_endpoint(&nic, nic.peer, OPCODE_ENDPOINT_REQUEST, ENDPOINT_EV_PROBE, i);

        EXPECT_EQ(by_hand_receive(&nic, &request), DROP_NONE);
        by_hand_send(&nic);
        seen |= UINT32_C(1) << path_profile_find(
                    &nic.profile, observe_nth(&nic, observe_is_answer, 0)->ev);
    }
    for (; seen; seen &= seen - 1)
        count++;
    by_hand_close(&nic);
    return count;
}

SPEC("§17: EV probes are answered by the way back, after silence by any EV of the plane (decision "
     "12)")
{
    EXPECT_EQ(evs_of_answers(0), 1);
    EXPECT_GE(evs_of_answers(200000), 3);
}

SPEC("§16.1: probe_timeout: a probe of the way back has failed no sooner")
{
    observe_prepare(&nic);
    nic.config.parameters.probe_timeout = 500000;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    sack_by(0, 0);
    EXPECT_NE(observe_wait_for(&nic, observe_is_request, 2 * BASE_RTT_NS), UINT64_MAX);
    by_hand_wait(&nic, 499000);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES_FAILED), 0);
    by_hand_wait(&nic, 3000);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES_FAILED), 1);
    by_hand_close(&nic);
}

SPEC("§17: a QP that receives nothing any more stops probing")
{
    observe_open(&nic);
    sack_by(0, 0);
    EXPECT_NE(observe_wait_for(&nic, observe_is_request, 100000), UINT64_MAX);
    EXPECT_EQ(answer(&nic.sent[0]), DROP_NONE);
    observe_wait_for(&nic, observe_is_request, 2 * BASE_RTT_NS);
    EXPECT_EQ(observe_wait_for(&nic, observe_is_request, 1000000000), UINT64_MAX);
    by_hand_close(&nic);
}

SPEC("§17: a QP that sends data does not probe: it learns from SACKs")
{
    observe_open(&nic);
    for (int32_t i = 0; i < 20; i++) {
        sack_by(i, 0);
        observe_post(&nic, 1, 64);
        EXPECT_EQ(observe_acked(&nic, i, (uint32_t)i + 1), DROP_NONE);
        by_hand_discard_events(&nic);
        by_hand_wait(&nic, BASE_RTT_NS / 2);
    }
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 0);
    by_hand_close(&nic);
}

SPEC("§17: an answered probe makes its EV the way back of its plane, and of no other")
{
    int32_t number = 0;

    observe_open(&nic);
    for (uint32_t round = 0; round < 10; round++) {
        struct packet request;
        uint32_t other_ev;

        sack_by(number++, 0);
        EXPECT_NE(observe_wait_for(&nic, observe_is_request, 100000), UINT64_MAX);
        request = *observe_nth(&nic, observe_is_request, 0);
        other_ev = sack_by(number++, (uint8_t)(1 - request.port))->ev;
        EXPECT_EQ(answer(&request), DROP_NONE);
        EXPECT_EQ(sack_by(number++, request.port)->ev, request.ev);
        EXPECT_EQ(sack_by(number++, (uint8_t)(1 - request.port))->ev, other_ev);
    }
    by_hand_close(&nic);
}

SPEC("§17: data acknowledged without a mark makes its EV the way back, marked data does not")
{
    static struct packet sent[8];
    struct packet sack;

    observe_open_sending(&nic, sent, 8);
    EXPECT_EQ(observe_sacked(&nic, &sent[5], observe_out(-1)), DROP_NONE);
    EXPECT_EQ(sack_by(0, sent[5].port)->ev, sent[5].ev);
    sack = observe_sack_of(&nic, &sent[3], observe_out(-1));
    sack.sack.mark = SACK_MARK_SKIP_ONCE;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_EQ(sack_by(1, sent[3].port)->ev, sent[5].ev);
    by_hand_close(&nic);
}

SPEC("§17: reverse probes of a NIC are limited in number, however many QPs receive")
{
    observe_prepare(&nic);
    nic.config.parameters.reverse_probe_rate = 10000;
    by_hand_open(&nic);
    for (uint32_t qpn = 10; qpn < 60; qpn++)
        by_hand_connect(&nic, qpn);
    for (int32_t round = 0; round < 100; round++) {
        for (uint32_t qpn = 10; qpn < 60; qpn++) {
            struct packet packet =
                by_hand_write(&nic, qpn, OPCODE_WRITE_ONLY, observe_in(round), 64);

            EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
        }
        by_hand_wait(&nic, BASE_RTT_NS);
    }
    EXPECT_GE(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 10); /* 10,000 a second, for 1 ms */
    EXPECT_LE(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 10 + 18);
    by_hand_close(&nic);
}

/* ---- over a network ---------------------------------------------------------------------------
 */

SPEC("§17: two failed probes and two EVs take a plane out of the control rotation; one brings it "
     "back")
{
    struct scenario s = scenario_two_planes(1);
    struct fault_rule dead = { .where = fault_from(fault_on_plane(1), HOST_B),
        .chance[FAULT_DOWN] = FAULT_ALWAYS };
    uint32_t fault;

    scenario_stream(&s, HOST_A, HOST_B, KIB(64), 4);
    scenario_run_until(&s, MS(1));
    EXPECT_EQ(scenario_qp(&s, HOST_B, HOST_A).control_plane_mask, 3);
    fault = network_fault(s.network, &dead);
    scenario_run_for(&s, MS(10));
    EXPECT_EQ(scenario_qp(&s, HOST_B, HOST_A).control_plane_mask, 1);
    EXPECT_GE(scenario_counter(&s, HOST_B, COUNTER_REVERSE_PROBES_FAILED), 4);
    network_fault_end(s.network, fault);
    scenario_run_for(&s, MS(10));
    EXPECT_EQ(scenario_qp(&s, HOST_B, HOST_A).control_plane_mask, 3);
}

SPEC("§17: the only plane left always stays in the control rotation")
{
    struct scenario s = scenario_two_planes(1);

    scenario_stream(&s, HOST_A, HOST_B, KIB(64), 4);
    scenario_run_until(&s, MS(1));
    scenario_fault(&s, &(struct fault_rule){ .where = fault_from(fault_everywhere(), HOST_B),
                           .chance[FAULT_DOWN] = FAULT_ALWAYS });
    scenario_run_for(&s, MS(5));
    EXPECT_NE(scenario_qp(&s, HOST_B, HOST_A).control_plane_mask, 0);
}

static void expect_out_after(uint32_t evs)
{
    struct network_config config = network_config_default(1);
    struct scenario s;

    config.plane_count = 2;
    config.uplink_count = 4;
    config.payload = NETWORK_LENGTHS;
    config.parameters.reverse_plane_out = evs;
    s = scenario_of(&config);
    scenario_stream(&s, HOST_A, HOST_B, KIB(64), 4);
    scenario_run_until(&s, MS(1));
    scenario_fault(&s, &(struct fault_rule){ .where = fault_from(fault_on_plane(1), HOST_B),
                           .chance[FAULT_DOWN] = FAULT_ALWAYS });
    while (scenario_qp(&s, HOST_B, HOST_A).control_plane_mask == 3)
        scenario_run_for(&s, US(10));
    EXPECT_GE(scenario_counter(&s, HOST_B, COUNTER_REVERSE_PROBES_FAILED), 2 * evs);
    if (evs == 1)
        EXPECT_LT(scenario_counter(&s, HOST_B, COUNTER_REVERSE_PROBES_FAILED), 6);
}

SPEC("§17: reverse_plane_out: as many EVs as it says take a plane out of the control rotation")
{
    expect_out_after(1);
    expect_out_after(3);
}
