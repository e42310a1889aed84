/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §16: Reliability Probes of a QP, EV probes of a node. */
#include <errno.h>

#include "observe.h"
#include "spec.h"
#include "wire/bth.h"

enum { BASE_RTT_NS = 10000 };

static struct by_hand nic;
static struct packet sent[8];

static struct packet probe_of(uint16_t probe_id)
{
    struct packet probe = by_hand_write(&nic, OBSERVE_QPN, OPCODE_PROBE, psn(0x123456), 0);

    probe.class = DSCP_NO_TRIM;
    probe.ev = nic.entries[3].ev;
    probe.port = 1;
    probe.probe = (struct packet_probe){ .probe_id = probe_id, .tx_timestamp = 0x4711 };
    return probe;
}

/* The first tail probe of a QP with one packet in flight. */
static struct packet tail_probe(void)
{
    observe_open_sending(&nic, sent, 1);
    EXPECT_NE(observe_wait_for(&nic, observe_is_probe, 100000), UINT64_MAX);
    return *observe_nth(&nic, observe_is_probe, 0);
}

/* ---- §16.1 as requester ---------------------------------------------------------------------- */

SPEC("§16.1: a probe goes to the peer's QP in the data class, with a stamp")
{
    struct packet probe = tail_probe();

    EXPECT_EQ(probe.dest_qpn, BY_HAND_PEER_QPN + OBSERVE_QPN);
    EXPECT_EQ(probe.class, DSCP_NO_TRIM);
    EXPECT_EQ(probe.ecn, ECN_ECT0);
    EXPECT_EQ(probe.probe.tx_timestamp, (uint16_t)(nic.now_ns / 128));
    by_hand_close(&nic);
}

SPEC("§16.1: a probe consumes no PSN and does not count as in flight")
{
    tail_probe();
    EXPECT_EQ(observe_status(&nic).next_psn.value, observe_out(1).value);
    EXPECT_EQ(observe_status(&nic).inflight_bytes, BY_HAND_PMTU_BYTES + 88);
    by_hand_close(&nic);
}

SPEC("§16.1: the answer refreshes the acknowledgement state, and measures a round trip")
{
    struct packet probe = tail_probe();
    struct packet sack = by_hand_sack(&nic, OBSERVE_QPN, observe_out(0));

    nic.now_ns += 12800;
    sack.sack.answers_probe = true;
    sack.sack.probe_id = probe.probe.probe_id;
    sack.sack.entropy = probe.ev;
    sack.sack.tx_timestamp = probe.probe.tx_timestamp;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PROBES_ANSWERED), 1);
    EXPECT_EQ(observe_status(&nic).unacked_psn.value, observe_out(1).value);
    EXPECT_AFTER(observe_status(&nic).smoothed_rtt_ns, 12800);
    by_hand_close(&nic);
}

/* ---- §16.1 as responder ---------------------------------------------------------------------- */

SPEC("§16.1: the answer is a SACK with pr, the probe's id, EV and stamp, and the current window")
{
    struct packet probe;
    const struct packet *sack = &nic.sent[0];

    observe_open(&nic);
    observe_answers(&nic, 0, 0);
    observe_answers(&nic, 3, 0);
    probe = probe_of(0xbeef);
    EXPECT_EQ(by_hand_receive(&nic, &probe), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(sack->opcode, OPCODE_SACK);
    EXPECT(sack->sack.answers_probe);
    EXPECT_EQ(sack->sack.probe_id, 0xbeef);
    EXPECT_EQ(sack->sack.entropy, nic.entries[3].ev);
    EXPECT_EQ(sack->sack.tx_timestamp, 0x4711);
    EXPECT_EQ(sack->psn.value, observe_in(0).value);
    EXPECT_EQ(sack->sack.bitmap, 4);
    EXPECT_EQ(sack->sack.ooo_count, 1);
    by_hand_close(&nic);
}

SPEC("§16.1: an idle responder answers, and the probe adds nothing to rcvd_bytes")
{
    struct packet probe;

    observe_open(&nic);
    probe = probe_of(1);
    EXPECT_EQ(by_hand_receive(&nic, &probe), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].sack.received_units, 0);
    EXPECT_EQ(observe_wait_for(&nic, observe_is_sack, 1000000), UINT64_MAX);
    by_hand_close(&nic);
}

SPEC("§16.1: the answer says whether the probe was marked")
{
    struct packet probe;

    observe_open(&nic);
    probe = probe_of(1);
    probe.ecn = ECN_CE;
    EXPECT_EQ(by_hand_receive(&nic, &probe), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(nic.sent[0].sack.mark, SACK_MARK_SKIP_ONCE);
    by_hand_close(&nic);
}

SPEC("§16.1: probes of all EVs that a QP probes at a time, and of all planes, are answered")
{
    observe_open(&nic);
    for (uint16_t i = 0; i < 14 + PATH_PLANE_COUNT_MAX; i++) {
        struct packet probe = probe_of(i);

        EXPECT_EQ(by_hand_receive(&nic, &probe), DROP_NONE);
    }
    by_hand_close(&nic);
}

SPEC("§16.1: one probe a microsecond is answered, in bursts of 32")
{
    uint32_t answered = 0;

    observe_open(&nic);
    for (uint32_t i = 0; i < 4000; i++) {
        struct packet probe = probe_of((uint16_t)i);

        answered += by_hand_receive(&nic, &probe) == DROP_NONE;
        by_hand_send(&nic);
        nic.now_ns += 250;
    }
    EXPECT_GE(answered, 1000);
    EXPECT_LE(answered, 1000 + 32 + 1);
    EXPECT_EQ(transport_drops(nic.transport)[DROP_RATE_LIMIT], 4000 - answered);
    by_hand_close(&nic);
}

/* ---- §15, §16.1: probes of a bad EV -----------------------------------------------------------
 */

SPEC("§16.1: the answer must name EV and id of a probe; another EV's does not revive a bad one")
{
    struct packet sack;

    observe_open_sending(&nic, sent, 2);
    sack = observe_sack_of(&nic, &sent[0], observe_out(0));
    sack.sack.mark = SACK_MARK_ALWAYS_SKIP;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_EQ(observe_ev(&nic, sent[0].ev), EV_ASSUMED_BAD);
    sack.sack.mark = SACK_MARK_NONE;
    sack.sack.answers_probe = true;
    sack.sack.probe_id = 0x3ff; /* beyond the profile */
    sack.sack.entropy = 0x99999;
    for (uint32_t i = 0; i < 10; i++)
        EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_EQ(observe_ev(&nic, sent[0].ev), EV_ASSUMED_BAD);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_FEEDBACK_UNKNOWN_EV), 10);
    by_hand_close(&nic);
}

SPEC("§15: a NIC probes at most 1,000 bad EVs a second for each port, however many QPs have them")
{
    observe_prepare(&nic);
    nic.config.parameters.retry_exponential = 25;
    by_hand_open(&nic);
    for (uint32_t qpn = 10; qpn < 50; qpn++) {
        by_hand_connect(&nic, qpn);
        by_hand_post(&nic, qpn, 1, 4 * BY_HAND_PMTU_BYTES, 0);
        by_hand_send(&nic);
        for (uint32_t i = 0; i < 4; i++) {
            struct packet sack = by_hand_sack(&nic, qpn, observe_out(-1));

            sack.sack.ack_psn_offset = (int16_t)(i + 1);
            sack.sack.entropy = nic.sent[i].ev;
            sack.sack.mark = SACK_MARK_ALWAYS_SKIP;
            EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
        }
    }
    EXPECT_GE(by_hand_count(&nic, COUNTER_EV_TURNED_BAD), 160);
    by_hand_wait(&nic, 20000000); /* 20 ms, two ports: 40 of them, and a burst */
    EXPECT_GE(by_hand_count(&nic, COUNTER_EV_PROBES), 38);
    EXPECT_LE(by_hand_count(&nic, COUNTER_EV_PROBES), 40 + 64);
    by_hand_close(&nic);
}

/* ---- §16.2 EV probes ------------------------------------------------------------------------- */

static uint16_t begin(uint32_t peer, uint32_t ev, uint32_t port, enum dscp_class class)
{
    struct ipv6_addr address = by_hand_address(peer);
    uint16_t id;

    EXPECT_EQ(
        transport_endpoint_probe(nic.transport, &address, ev, port, class, &id, nic.now_ns), 0);
    return id;
}

static uint16_t ask(uint32_t peer, uint32_t ev, uint32_t port, enum dscp_class class)
{
    uint16_t id = begin(peer, ev, port, class);

    by_hand_send(&nic);
    EXPECT_EQ(observe_count(&nic, observe_is_request), 1);
    return id;
}

SPEC("§16.2: an EV probe is an Endpoint Request, op 1, to QP 2, its id in the PSN, in any class")
{
    const struct packet *request = &nic.sent[0];
    struct ipv6_addr node = by_hand_address(9);
    uint32_t first;

    observe_open(&nic);
    nic.ready_ports = 1;
    first = begin(9, 0x55, 1, DSCP_NO_TRIM);
    EXPECT_EQ(by_hand_send(&nic), 0); /* it waits for its port */
    nic.ready_ports = 2;
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT(!transport_wants_to_send(nic.transport));
    EXPECT_EQ(first, request->psn.value);
    EXPECT(ip_address_equal(&request->dst, &node));
    EXPECT(ip_address_equal(&request->src, &nic.config.address));
    EXPECT_EQ(request->ecn, ECN_ECT0);
    EXPECT_EQ(request->endpoint.port_status_mask, 0);
    EXPECT_EQ(request->dest_qpn, BTH_ENDPOINT_QPN);
    EXPECT_EQ(request->endpoint.op, ENDPOINT_EV_PROBE);
    EXPECT_EQ(request->ev, 0x55);
    EXPECT_EQ(request->port, 1);
    EXPECT_EQ(request->class, DSCP_NO_TRIM);
    EXPECT_EQ(request->endpoint.tx_timestamp, (uint16_t)(nic.now_ns / 128));
    EXPECT_NE(ask(9, 0x55, 1, DSCP_CONTROL), first);
    EXPECT_EQ(request->class, DSCP_CONTROL);
    EXPECT_EQ(request->ecn, ECN_NOT_ECT);
    by_hand_close(&nic);
}

SPEC("§16.2: the answer is reported with its port, id and round trip")
{
    struct packet answer;
    struct transport_event event;
    uint16_t id;

    observe_open(&nic);
    id = ask(9, 0x55, 1, DSCP_CONTROL);
    answer = by_hand_endpoint(&nic, 9, OPCODE_ENDPOINT_RESPONSE, ENDPOINT_EV_PROBE, id);
    answer.endpoint.tx_timestamp = nic.sent[0].endpoint.tx_timestamp;
    nic.now_ns += 12800;
    EXPECT_EQ(by_hand_receive(&nic, &answer), DROP_NONE);
    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.kind, TRANSPORT_ENDPOINT_ANSWER);
    EXPECT_EQ(event.port, 1);
    EXPECT_EQ(event.request_id, id);
    EXPECT_EQ(event.rtt_ns, 12800);
    EXPECT(!by_hand_event(&nic, &event));
    by_hand_close(&nic);
}

SPEC("§16.2: an answer without a question, of another node or given twice is dropped")
{
    struct packet answer;
    uint16_t id;

    observe_open(&nic);
    id = begin(9, 0x55, 1, DSCP_CONTROL);
    answer = by_hand_endpoint(&nic, 9, OPCODE_ENDPOINT_RESPONSE, ENDPOINT_EV_PROBE, id);
    EXPECT_EQ(by_hand_receive(&nic, &answer), DROP_UNASKED_ANSWER); /* it has not left yet */
    EXPECT_EQ(by_hand_send(&nic), 1);
    answer = by_hand_endpoint(&nic, 8, OPCODE_ENDPOINT_RESPONSE, ENDPOINT_EV_PROBE, id);
    EXPECT_EQ(by_hand_receive(&nic, &answer), DROP_UNASKED_ANSWER);
    answer =
        by_hand_endpoint(&nic, 9, OPCODE_ENDPOINT_RESPONSE, ENDPOINT_EV_PROBE, (uint16_t)(id + 1));
    EXPECT_EQ(by_hand_receive(&nic, &answer), DROP_UNASKED_ANSWER);
    answer =
        by_hand_endpoint(&nic, 9, OPCODE_ENDPOINT_RESPONSE, ENDPOINT_EV_PROBE, (uint16_t)(id + 64));
    EXPECT_EQ(by_hand_receive(&nic, &answer), DROP_UNASKED_ANSWER);
    answer.psn = psn(id);
    EXPECT_EQ(by_hand_receive(&nic, &answer), DROP_NONE);
    EXPECT_EQ(by_hand_receive(&nic, &answer), DROP_UNASKED_ANSWER);
    EXPECT_EQ(by_hand_discard_events(&nic), 1);
    by_hand_close(&nic);
}

SPEC("§16.2: a request is answered even if it names a QP")
{
    struct packet request;

    observe_open(&nic);
    request = by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_EV_PROBE, 0xabcd);
    request.dest_qpn = OBSERVE_QPN;
    EXPECT_EQ(by_hand_receive(&nic, &request), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].opcode, OPCODE_ENDPOINT_RESPONSE);
    by_hand_close(&nic);
}

SPEC("§16.2: any sender is answered, without a QP: id, op and stamp are echoed, in the control "
     "class")
{
    struct packet request;
    const struct packet *answer = &nic.sent[0];
    struct ipv6_addr asker = by_hand_address(77);

    by_hand_prepare(&nic);
    by_hand_open(&nic);
    request = by_hand_endpoint(&nic, 77, OPCODE_ENDPOINT_REQUEST, ENDPOINT_EV_PROBE, 0xabcd);
    request.endpoint.tx_timestamp = 0x1234;
    request.port = 1;
    request.ev = 0x155;
    EXPECT_EQ(by_hand_receive(&nic, &request), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(answer->opcode, OPCODE_ENDPOINT_RESPONSE);
    EXPECT_EQ(answer->dest_qpn, BTH_ENDPOINT_QPN);
    EXPECT_EQ(answer->psn.value, 0xabcd);
    EXPECT_EQ(answer->endpoint.op, ENDPOINT_EV_PROBE);
    EXPECT_EQ(answer->endpoint.tx_timestamp, 0x1234);
    EXPECT_EQ(answer->class, DSCP_CONTROL);
    EXPECT_EQ(answer->port, 1);
    EXPECT_EQ(answer->ev, 0x155);
    EXPECT_EQ(answer->ecn, ECN_NOT_ECT);
    EXPECT(ip_address_equal(&answer->dst, &asker));
    EXPECT(ip_address_equal(&answer->src, &nic.config.address));
    EXPECT_EQ(by_hand_count(&nic, COUNTER_ENDPOINT_ANSWERED), 1);
    by_hand_close(&nic);
}

SPEC("§16.2: the answer waits for the port of the request, and takes another if that went down")
{
    struct packet request;

    observe_open(&nic);
    request = by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_EV_PROBE, 5);
    request.port = 1;
    nic.ready_ports = 1;
    EXPECT_EQ(by_hand_receive(&nic, &request), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 0);
    transport_ports_changed(nic.transport, 1, nic.now_ns);
    by_hand_send(&nic);
    EXPECT_EQ(observe_nth(&nic, observe_is_answer, 0)->port, 0);
    by_hand_close(&nic);
}

SPEC("§16.2: a node answers a million a second, in bursts of 1,000; what is more is dropped")
{
    uint32_t answered = 0;

    observe_open(&nic);
    for (uint32_t i = 0; i < 20000; i++) {
        struct packet request = by_hand_endpoint(
            &nic, 1 + i % 100, OPCODE_ENDPOINT_REQUEST, ENDPOINT_EV_PROBE, (uint16_t)i);

        answered += by_hand_receive(&nic, &request) == DROP_NONE;
        by_hand_send(&nic);
        nic.now_ns += 250;
    }
    EXPECT_GE(answered, 5000);
    EXPECT_LE(answered, 5000 + 1000);
    EXPECT_EQ(transport_drops(nic.transport)[DROP_RATE_LIMIT], 20000 - answered);
    by_hand_close(&nic);
}

SPEC("§16.2: a probe by a port or in a class that does not exist is refused")
{
    static const struct {
        uint32_t port;
        enum dscp_class class;
    } wrong[] = { { BY_HAND_PLANES, DSCP_CONTROL }, { UINT32_MAX, DSCP_CONTROL }, { 0, DSCP_OTHER },
        { 0, DSCP_CLASS_COUNT } };
    struct ipv6_addr address = by_hand_address(9);
    uint16_t id = 0xdead;

    observe_open(&nic);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(transport_endpoint_probe(
                      nic.transport, &address, 5, wrong[i].port, wrong[i].class, &id, nic.now_ns),
            -EINVAL);
    EXPECT_EQ(id, 0xdead);
    EXPECT(!transport_wants_to_send(nic.transport));
    by_hand_close(&nic);
}

/* ---- §15 when, §16.1 without an answer ---------------------------------------------------------
 */

static uint64_t first_ev_probe_ns(uint64_t probe_first_ns, uint32_t base_rtt_ns)
{
    uint64_t wait_ns;

    observe_prepare(&nic);
    nic.config.parameters.ev_probe_first = probe_first_ns;
    nic.config.parameters.base_rtt = base_rtt_ns;
    nic.rtt.fixed_ns = base_rtt_ns;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    path_on_mark(
        transport_qp_paths(nic.transport, OBSERVE_QPN), 1, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    wait_ns = observe_wait_for(&nic, observe_is_probe, 100000000);
    by_hand_close(&nic);
    return wait_ns;
}

SPEC("§15: the first probe of a bad EV waits for ev_probe_first or two base RTTs, +-25 %")
{
    EXPECT_GE(first_ev_probe_ns(1000000, BASE_RTT_NS), 750000);
    EXPECT_LE(first_ev_probe_ns(1000000, BASE_RTT_NS), 1252048);
    EXPECT_GE(first_ev_probe_ns(1000, 2000000), 2 * 1500000);
    EXPECT_LE(first_ev_probe_ns(1000, 2000000), 2 * 2502048);
}

SPEC("§16.1: unanswered probes of the tail say nothing of a GOOD EV")
{
    struct packet probe = tail_probe();

    by_hand_wait(&nic, 3000000);
    EXPECT_GE(by_hand_count(&nic, COUNTER_TAIL_PROBES), 10);
    EXPECT_EQ(observe_ev(&nic, probe.ev), EV_GOOD);
    by_hand_close(&nic);
}

/* Where a bad EV stands whose probe is answered after 300 us. */
static enum path_ev_state after_late_answer(uint64_t timeout_ns)
{
    enum path_ev_state state;
    struct packet probe;
    struct packet sack;

    observe_prepare(&nic);
    nic.config.parameters.probe_timeout = timeout_ns;
    nic.config.parameters.ev_probe_successes = 1;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    path_on_mark(
        transport_qp_paths(nic.transport, OBSERVE_QPN), 1, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    EXPECT_NE(observe_wait_for(&nic, observe_is_probe, 100000000), UINT64_MAX);
    probe = nic.sent[0];
    by_hand_wait(&nic, 300000);
    sack = by_hand_sack(&nic, OBSERVE_QPN, observe_out(-1));
    sack.sack.answers_probe = true;
    sack.sack.probe_id = probe.probe.probe_id;
    sack.sack.entropy = probe.ev;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    state = observe_ev(&nic, probe.ev);
    by_hand_close(&nic);
    return state;
}

SPEC("§16.1: probe_timeout: a probe of a bad EV has failed no sooner")
{
    EXPECT_EQ(after_late_answer(100000), EV_ASSUMED_BAD);
    EXPECT_EQ(after_late_answer(500000), EV_GOOD);
}

/* ---- §19.3 the base RTT -----------------------------------------------------------------------
 */

static uint32_t probes_after_first_sack(bool is_known)
{
    observe_prepare(&nic);
    nic.config.parameters.base_rtt_floor = 0;
    nic.rtt.fixed_ns = is_known ? BASE_RTT_NS : 0;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, 4 * BY_HAND_PMTU_BYTES);
    sent[0] = nic.sent[0];
    EXPECT_EQ(by_hand_sent(&nic, OPCODE_PROBE), 0);
    nic.now_ns += BASE_RTT_NS;
    observe_sacked(&nic, &sent[0], observe_out(0));
    by_hand_send(&nic);
    return by_hand_sent(&nic, OPCODE_PROBE);
}

SPEC("§19.3: where the base RTT is not known, the first SACK, and no other, draws a probe in the "
     "control class; its round trip may be the base RTT")
{
    struct packet sack;

    EXPECT_EQ(probes_after_first_sack(true), 0);
    by_hand_close(&nic);
    EXPECT_EQ(probes_after_first_sack(false), 1);
    EXPECT_EQ(by_hand_first(&nic, OPCODE_PROBE)->class, DSCP_CONTROL);
    EXPECT_EQ(by_hand_first(&nic, OPCODE_PROBE)->ecn, ECN_NOT_ECT);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_BASE_RTT_PROBES), 1);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TAIL_PROBES), 0);
    sack = by_hand_sack(&nic, OBSERVE_QPN, observe_out(1));
    sack.sack.answers_probe = true;
    sack.sack.probe_id = by_hand_first(&nic, OPCODE_PROBE)->probe.probe_id;
    sack.sack.entropy = by_hand_first(&nic, OPCODE_PROBE)->ev;
    sack.sack.tx_timestamp = by_hand_first(&nic, OPCODE_PROBE)->probe.tx_timestamp;
    nic.now_ns += BASE_RTT_NS / 2;
    by_hand_receive(&nic, &sack);
    EXPECT_GE(observe_status(&nic).base_rtt_ns, BASE_RTT_NS / 2 - 128);
    EXPECT_LE(observe_status(&nic).base_rtt_ns, BASE_RTT_NS / 2 + 128);
    by_hand_send(&nic);
    EXPECT_EQ(by_hand_sent(&nic, OPCODE_PROBE), 0);
    by_hand_close(&nic);
}
