/* SPDX-License-Identifier: Apache-2.0 */
/* Timers of the requester: when they run, and what silence and its end cause (docs/protocol.md §10,
 * §13). */
#include "by_hand.h"
#include "spec.h"
#include "transport/nic.h"

enum { QPN = 7, BASE_RTT_NS = 10000, WHEEL_NS = 256 /* of timers */ };

#define TIMEOUT_NS (UINT64_C(1024) << 14)

static struct by_hand nic;

static struct requester *open_with(uint64_t algorithm)
{
    by_hand_prepare(&nic);
    nic.config.parameters.congestion_control = algorithm;
    nic.rtt = (struct transport_rtt){ .fixed_ns = BASE_RTT_NS };
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    return nic_find(nic.transport, QPN)->requester;
}

static struct requester *open_connected(void)
{
    return open_with(CONGESTION_CONTROL_NSCC);
}

static void post(uint32_t packets)
{
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, packets * BY_HAND_PMTU_BYTES, WORK_SIGNALED), 0);
}

/* The timer of the tail expires. Returns the number of probes that are sent then. */
static uint32_t probes_of_tail(const struct requester *requester)
{
    nic.now_ns = requester->tail_ns + WHEEL_NS;
    transport_expire(nic.transport, nic.now_ns);
    by_hand_send(&nic);
    return by_hand_sent(&nic, OPCODE_PROBE);
}

SPEC("when all work is done, no timer runs")
{
    struct packet packet;

    open_connected();
    post(4);
    EXPECT_EQ(by_hand_send(&nic), 4);
    nic.now_ns += BASE_RTT_NS;
    packet = by_hand_sack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), 3));
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    packet = by_hand_ack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), 3), 1);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 1, COMPLETION_SUCCESS));
    by_hand_wait(&nic, TIMEOUT_NS);
    EXPECT_EQ(transport_deadline_ns(nic.transport), UINT64_MAX);
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_close(&nic);
}

SPEC("§13: work that only waits for a port to be ready causes no timeout")
{
    open_connected();
    nic.ready_ports = 0;
    post(4);
    by_hand_wait(&nic, 10 * TIMEOUT_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TIMEOUT_FIRED), 0);
    nic.ready_ports = UINT32_MAX;
    EXPECT_EQ(by_hand_send(&nic), 4);
    by_hand_close(&nic);
}

SPEC("§10: the first tail probe is sent on one plane, the next on all, until feedback arrives")
{
    const struct requester *requester = open_connected();
    struct packet nack;

    post(1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    nack = by_hand_nack(&nic, QPN, &nic.sent[0], NACK_TRIMMED);
    EXPECT_EQ(probes_of_tail(requester), 1);
    EXPECT_EQ(probes_of_tail(requester), BY_HAND_PLANES);
    EXPECT_EQ(probes_of_tail(requester), BY_HAND_PLANES);
    EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(probes_of_tail(requester), 1);
    EXPECT_EQ(probes_of_tail(requester), BY_HAND_PLANES);
    by_hand_close(&nic);
}

SPEC("§10: a SACK ends the silence after which tail probes are sent on all planes")
{
    const struct requester *requester = open_connected();
    struct packet sack = by_hand_sack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), -1));

    post(1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(probes_of_tail(requester), 1);
    EXPECT_EQ(probes_of_tail(requester), BY_HAND_PLANES);
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(probes_of_tail(requester), 1);
    by_hand_close(&nic);
}

SPEC(
    "§10: a tail probe that waits for its port is not sent any more if the peer has lost the plane")
{
    for (uint8_t lost = 0; lost < BY_HAND_PLANES; lost++) {
        const struct requester *requester = open_connected();
        struct packet update =
            by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_PORT_STATUS_UPDATE, 1);

        post(1);
        EXPECT_EQ(by_hand_send(&nic), 1);
        EXPECT_EQ(probes_of_tail(requester), 1);
        nic.ready_ports = 0;
        EXPECT_EQ(probes_of_tail(requester), 0);
        update.port = 1 - lost;
        update.endpoint.port_status_mask = 2u << update.port;
        EXPECT_EQ(by_hand_receive(&nic, &update), DROP_NONE);
        nic.ready_ports = UINT32_MAX;
        by_hand_send(&nic);
        EXPECT_EQ(by_hand_sent(&nic, OPCODE_PROBE), 1);
        EXPECT_EQ(by_hand_first(&nic, OPCODE_PROBE)->port, 1 - lost);
        update.psn = psn(2);
        update.endpoint.port_status_mask = 2 | 4; /* both are up again */
        EXPECT_EQ(by_hand_receive(&nic, &update), DROP_NONE);
        by_hand_send(&nic);
        EXPECT_EQ(by_hand_sent(&nic, OPCODE_PROBE), 0);
        by_hand_close(&nic);
    }
}

/* Returns the time between two probes of the tail, in base RTTs, if round trips take 20 of them and
 * the timeout comes this many after the first probe. */
static uint64_t between_probes(uint64_t until_timeout)
{
    struct requester *requester = open_connected();
    uint64_t first_ns;
    uint64_t second_ns;

    post(1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    requester->smoothed_rtt_ns = 20 * BASE_RTT_NS;
    first_ns = requester->tail_ns + WHEEL_NS;
    requester->timeout_ns = first_ns + until_timeout * BASE_RTT_NS;
    EXPECT_EQ(probes_of_tail(requester), 1);
    second_ns = requester->tail_ns;
    by_hand_close(&nic);
    return (second_ns - first_ns) / BASE_RTT_NS;
}

SPEC("§10: the tail is probed again after four round trips, or in time for an answer before the "
     "timeout")
{
    EXPECT_EQ(between_probes(200), 80);
    EXPECT_EQ(between_probes(110), 80);
    EXPECT_EQ(between_probes(100), 70);
    EXPECT_EQ(between_probes(61), 31);
    EXPECT_EQ(between_probes(50), 30); /* a probe takes at least as long */
}

SPEC("§10: a lost packet that waits for a port, to be sent again, causes no tail probe")
{
    const struct requester *requester = open_connected();
    struct packet nack;

    post(1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    nack = by_hand_nack(&nic, QPN, &nic.sent[0], NACK_TRIMMED);
    EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
    nic.ready_ports = 0;
    for (uint32_t i = 0; i < 3; i++)
        EXPECT_EQ(probes_of_tail(requester), 0);
    nic.ready_ports = UINT32_MAX;
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(by_hand_sent(&nic, OPCODE_PROBE), 0);
    by_hand_close(&nic);
}

/* ---- ports of dead planes -------------------------------------------------------------------- */

static struct planes *planes_to_peer(void)
{
    return &nic_find(nic.transport, QPN)->env.peer->planes;
}

SPEC("§12: a repeat does not take the idle port of a plane that delivers little")
{
    struct packet nack;

    open_connected();
    post(1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    nack = by_hand_nack(&nic, QPN, &nic.sent[0], NACK_TRIMMED);
    EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
    planes_to_peer()->weight[1] = PLANES_EQUAL / 2 - 1;
    nic.ready_ports = 2;
    EXPECT_EQ(by_hand_send(&nic), 0);
    nic.ready_ports = 1;
    EXPECT_EQ(by_hand_send(&nic), 1);
    by_hand_close(&nic);
}

/* Packet 0, on plane 0, is lost. Packet 1 arrives on plane 1, which is slow: plane 0 may be dead.
 */
SPEC("§12: a repeat takes the plane acknowledged last, however little it delivers")
{
    struct packet first;
    struct packet sack;

    open_connected();
    post(2);
    EXPECT_EQ(by_hand_send(&nic), 2);
    first = nic.sent[0];
    EXPECT_NE(first.port, nic.sent[1].port);
    sack = by_hand_sack(&nic, QPN, psn_add(first.psn, -1));
    sack.sack.entropy = nic.sent[1].ev;
    sack.sack.ack_psn_offset = 2;
    nic.now_ns += BASE_RTT_NS;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    sack = by_hand_nack(&nic, QPN, &first, NACK_TRIMMED);
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    nic_find(nic.transport, QPN)->requester->last_plane = nic.sent[1].port;
    planes_to_peer()->weight[nic.sent[1].port] = PLANES_LEAST;
    nic.ready_ports = UINT32_C(1) << nic.sent[1].port;
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].psn.value, first.psn.value);
    by_hand_close(&nic);
}

SPEC("§12: a repeat takes any port if all planes deliver little")
{
    struct packet nack;

    open_connected();
    post(1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    nack = by_hand_nack(&nic, QPN, &nic.sent[0], NACK_TRIMMED);
    EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
    for (uint32_t plane = 0; plane < BY_HAND_PLANES; plane++)
        planes_to_peer()->weight[plane] = PLANES_LEAST;
    nic.ready_ports = 2;
    EXPECT_EQ(by_hand_send(&nic), 1);
    by_hand_close(&nic);
}

SPEC("§10: the first tail probe waits for the port of a plane that delivers")
{
    const struct requester *requester = open_connected();

    post(1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    planes_to_peer()->weight[1] = PLANES_LEAST;
    nic.ready_ports = 2;
    EXPECT_EQ(probes_of_tail(requester), 0);
    nic.ready_ports = 1;
    by_hand_send(&nic);
    EXPECT_EQ(by_hand_sent(&nic, OPCODE_PROBE), 1);
    by_hand_close(&nic);
}

SPEC("§6.3: a repeat for an ACK does not take the idle port of a plane that delivers little")
{
    const struct requester *requester = open_connected();
    struct packet sack;

    post(1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    sack = by_hand_sack(&nic, QPN, nic.sent[0].psn);
    nic.now_ns += BASE_RTT_NS;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    planes_to_peer()->weight[1] = PLANES_LEAST;
    nic.ready_ports = 2;
    nic.now_ns = requester->tail_ns + WHEEL_NS;
    transport_expire(nic.transport, nic.now_ns);
    EXPECT_EQ(by_hand_send(&nic), 0);
    nic.ready_ports = 1;
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_FOR_ACK), 1);
    by_hand_close(&nic);
}

SPEC("§10: after silence, a NACK brings the next tail probe forward, and the NIC wakes by then")
{
    const struct requester *requester = open_connected();
    struct packet nack;
    uint64_t former_ns;

    post(2);
    EXPECT_EQ(by_hand_send(&nic), 2);
    nack = by_hand_nack(&nic, QPN, &nic.sent[0], NACK_TRIMMED);
    probes_of_tail(requester);
    probes_of_tail(requester);
    former_ns = requester->tail_ns;
    nic.ready_ports = 0;
    EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
    EXPECT_LT(requester->tail_ns, former_ns);
    EXPECT_LE(transport_deadline_ns(nic.transport), requester->tail_ns + WHEEL_NS);
    by_hand_close(&nic);
}

/* A SACK that answers a probe of this EV, and acknowledges nothing. */
static void answer_probe_of(uint32_t ev_index, uint32_t ev)
{
    struct packet sack = by_hand_sack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), -1));

    sack.sack.answers_probe = true;
    sack.sack.probe_id = requester_probe_id(0, ev_index);
    sack.sack.entropy = ev;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
}

SPEC("§14.4: when no path is usable, one answered probe brings its path back")
{
    struct path_set *paths;
    uint32_t answered = 0;

    open_connected();
    paths = transport_qp_paths(nic.transport, QPN);
    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        path_on_mark(paths, i, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        if (path_state_of(paths, i) != EV_ASSUMED_BAD)
            path_deny(paths, i, nic.now_ns);
    for (uint32_t i = 0; i < BY_HAND_EVS; i++) {
        if (path_state_of(paths, i) != EV_ASSUMED_BAD)
            continue;
        answer_probe_of(i, path_ev_of(paths, i));
        EXPECT_EQ(path_state_of(paths, i), answered++ == 0 ? EV_GOOD : EV_ASSUMED_BAD);
    }
    EXPECT_EQ(path_usable_count(paths), 1); /* from then on, one answer is not enough */
    by_hand_close(&nic);
}

SPEC("§9: an answer to a probe of an EV beyond the profile counts for no EV")
{
    by_hand_prepare(&nic);
    EXPECT(path_profile_explicit(&nic.profile, nic.entries, BY_HAND_EVS - 1, BY_HAND_PLANES));
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    answer_probe_of(BY_HAND_EVS - 2, nic.entries[BY_HAND_EVS - 2].ev);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_FEEDBACK_UNKNOWN_EV), 0);
    answer_probe_of(BY_HAND_EVS - 1, nic.entries[BY_HAND_EVS - 1].ev);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_FEEDBACK_UNKNOWN_EV), 1);
    by_hand_close(&nic);
}

SPEC("§19.6: with a small window a retransmission is paced like a first transmission")
{
    const struct requester *requester = open_with(CONGESTION_CONTROL_FAIR);
    struct peer *peer = nic_find(nic.transport, QPN)->env.peer;
    struct packet nack;

    post(1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_LE(peer->pace_ns, nic.now_ns);
    nack = by_hand_nack(&nic, QPN, &nic.sent[0], NACK_TRIMMED);
    EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
    peer->cc.window_bytes = requester->full_bytes;
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_GT(peer->pace_ns, nic.now_ns);
    by_hand_close(&nic);
}

SPEC("§10: a tail probe that found no usable path gives way to probes of bad paths on all planes")
{
    const struct requester *requester = open_connected();
    struct path_set *paths = transport_qp_paths(nic.transport, QPN);

    post(1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    nic.ready_ports = 0;
    EXPECT_EQ(probes_of_tail(requester), 0); /* it waits for its port */
    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        path_on_mark(paths, i, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        if (path_state_of(paths, i) != EV_ASSUMED_BAD)
            path_deny(paths, i, nic.now_ns);
    EXPECT_EQ(path_usable_count(paths), 0);
    nic.ready_ports = UINT32_MAX;
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(probes_of_tail(requester), BY_HAND_PLANES);
    by_hand_close(&nic);
}

SPEC("§19.6: a packet to repair may leave when its time has come, not a nanosecond before")
{
    const struct requester *requester = open_with(CONGESTION_CONTROL_FAIR);
    const struct qp *qp = nic_find(nic.transport, QPN);
    struct packet nack;
    struct psn which;

    post(1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    nack = by_hand_nack(&nic, QPN, &nic.sent[0], NACK_TRIMMED);
    EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
    qp->env.peer->pace_ns = nic.now_ns + 500;
    EXPECT(!requester_may_repair(requester, &qp->env, &which, nic.now_ns + 499));
    EXPECT(requester_may_repair(requester, &qp->env, &which, nic.now_ns + 500));
    EXPECT_EQ(which.value, BY_HAND_SQ_PSN);
    by_hand_close(&nic);
}

SPEC("§13: the timeout counts from the oldest transmission in flight, wherever it is")
{
    struct requester *requester = open_connected();
    const struct qp *qp = nic_find(nic.transport, QPN);
    uint64_t sent_ns = nic.now_ns;
    struct packet nacks[2];

    post(3);
    EXPECT_EQ(by_hand_send(&nic), 3);
    nacks[0] = by_hand_nack(&nic, QPN, &nic.sent[0], NACK_NO_RESOURCE);
    nacks[1] = by_hand_nack(&nic, QPN, &nic.sent[2], NACK_NO_RESOURCE);
    nic.now_ns += TIMEOUT_NS / 4;
    for (uint32_t i = 0; i < 2; i++)
        EXPECT_EQ(by_hand_receive(&nic, &nacks[i]), DROP_NONE);
    by_hand_wait(&nic, TIMEOUT_NS / 4);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_RETRANSMITTED), 2);
    requester->timeout_ns = nic.now_ns;
    requester_expire(requester, &qp->env, nic.now_ns);
    EXPECT_LE(requester->timeout_ns, sent_ns + TIMEOUT_NS + SEND_WINDOW_TICK_NS);
    EXPECT_GE(requester->timeout_ns, sent_ns + TIMEOUT_NS - SEND_WINDOW_TICK_NS);
    by_hand_close(&nic);
}

/* Sends two packets. The first is trimmed and reported after `trip_ns`, and sent again. Returns the
 * time from the report to the timeout, in intervals. */
static uint64_t intervals_after_trim(uint64_t trip_ns)
{
    struct packet nack;
    uint64_t intervals = 0;

    open_connected();
    post(2);
    EXPECT_EQ(by_hand_send(&nic), 2);
    nack = by_hand_nack(&nic, QPN, &nic.sent[0], NACK_TRIMMED);
    nic.now_ns += trip_ns;
    EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
    while (by_hand_count(&nic, COUNTER_TIMEOUT_FIRED) == 0 && intervals < 10) {
        by_hand_wait(&nic, TIMEOUT_NS + 2 * WHEEL_NS);
        intervals++;
    }
    by_hand_close(&nic);
    return intervals;
}

SPEC("§13: a packet that was trimmed late makes the next timeout later, by a few intervals at most")
{
    EXPECT_EQ(intervals_after_trim(TIMEOUT_NS / 16), 1);
    EXPECT_EQ(intervals_after_trim(TIMEOUT_NS / 3), 3);
}

/* Returns the time from the transmission of a packet to its timeout, if a trimmed packet with a
 * long round trip was reported so much later. */
static uint64_t timeout_if_trimmed_after(uint64_t later_ns)
{
    struct requester *requester = open_connected();
    const struct qp *qp = nic_find(nic.transport, QPN);
    uint64_t sent_ns = nic.now_ns - nic.now_ns % SEND_WINDOW_TICK_NS;
    uint64_t timeout_ns;

    nic.now_ns = sent_ns;
    post(1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    qp->env.peer->trimmed_ns = sent_ns + later_ns;
    qp->env.peer->trimmed_trip_ns = TIMEOUT_NS / 4;
    requester->timeout_ns = sent_ns + 100 * SEND_WINDOW_TICK_NS;
    requester_expire(requester, &qp->env, requester->timeout_ns);
    timeout_ns = requester->timeout_ns;
    by_hand_close(&nic);
    return timeout_ns - sent_ns;
}

SPEC("§13: a report of a trimmed packet delays the timeout of packets sent more than a tick before")
{
    EXPECT_EQ(timeout_if_trimmed_after(SEND_WINDOW_TICK_NS), TIMEOUT_NS);
    EXPECT_EQ(timeout_if_trimmed_after(SEND_WINDOW_TICK_NS + 1),
        2 * TIMEOUT_NS + SEND_WINDOW_TICK_NS + 1);
}

SPEC("§13: a timeout of work of which nothing could be sent repeats no packet for an ACK")
{
    const struct requester *requester = open_connected();

    transport_ports_changed(nic.transport, 0, nic.now_ns);
    post(1);
    by_hand_wait(&nic, 2 * TIMEOUT_NS);
    EXPECT_GE(by_hand_count(&nic, COUNTER_TIMEOUT_FIRED), 1);
    EXPECT(!requester->resend_last);
    by_hand_close(&nic);
}

SPEC("§13: a timeout of half a second or more does not ask how long packets have been in flight")
{
    struct ipv6_addr peer = by_hand_address(1);

    for (uint32_t i = 0; i < 2; i++) {
        struct requester *requester = open_connected();
        const struct qp *qp = nic_find(nic.transport, QPN);

        transport_set_rtt(/* the timeout is 25 of them */
            nic.transport, &peer, &(struct transport_rtt){ .fixed_ns = 20000000 - i });
        post(1);
        EXPECT_EQ(by_hand_send(&nic), 1);
        requester->timeout_ns = nic.now_ns;
        requester_expire(requester, &qp->env, nic.now_ns);
        EXPECT_EQ(by_hand_count(&nic, COUNTER_TIMEOUT_FIRED), 1 - i);
        by_hand_close(&nic);
    }
}

SPEC("§18: a timeout while no plane is up at both ends tells the peer our ports, once")
{
    const struct requester *requester = open_connected();
    struct peer *peer = nic_find(nic.transport, QPN)->env.peer;

    peer->ports = 2;
    transport_ports_changed(nic.transport, 1, nic.now_ns);
    peer->update_count = 0;
    post(1);
    nic.now_ns = requester->timeout_ns + WHEEL_NS;
    transport_expire(nic.transport, nic.now_ns);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TIMEOUT_FIRED), 1);
    EXPECT_EQ(peer->update_count, 1);
    by_hand_close(&nic);
}
