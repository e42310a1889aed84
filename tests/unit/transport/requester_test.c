/* SPDX-License-Identifier: Apache-2.0 */
/* The sending half of a QP, where it has little to go by: no usable path, a peer that promises more
 * than there is memory for. */
#include <string.h>

#include "by_hand.h"
#include "spec.h"
#include "transport/loss.h"
#include "transport/nic.h"

enum { QPN = 7, BASE_RTT_NS = 10000 };

#define TIMEOUT_NS (UINT64_C(1024) << 14)

static struct by_hand nic;

static void open_connected(void)
{
    by_hand_prepare(&nic);
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
}

/* Six EVs are bad, as many as may be, and two denied. */
static void open_without_path(void)
{
    struct path_set *paths;

    by_hand_prepare(&nic);
    nic.config.parameters.ev_probe_first = UINT64_C(4000000000);
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    paths = transport_qp_paths(nic.transport, QPN);
    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        if (i % 4 != 3)
            path_on_mark(paths, i, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        if (i % 4 == 3)
            path_deny(paths, i, nic.now_ns);
    EXPECT_EQ(path_usable_count(paths), 0);
    EXPECT_EQ(path_bad_count(paths), 6);
}

SPEC("§14.4: without a usable path one packet is sent on a bad one, and the next after a timeout")
{
    open_without_path();
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 4 * 1024, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_NE(nic.sent[0].ev & 3, 3);
    EXPECT_EQ(by_hand_send(&nic), 0);
    nic.now_ns += TIMEOUT_NS + 256;
    transport_expire(nic.transport, nic.now_ns);
    by_hand_send(&nic);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_SENT), 2);
    by_hand_close(&nic);
}

SPEC("§14.4: the next one wants its turn when the time has come, not a nanosecond before")
{
    const struct qp *qp;

    open_without_path();
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 4 * 1024, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    qp = nic_find(nic.transport, QPN);
    EXPECT(!requester_wants_window(qp->requester, &qp->env, qp->requester->desperate_ns - 1));
    EXPECT(requester_wants_window(qp->requester, &qp->env, qp->requester->desperate_ns));
    by_hand_close(&nic);
}

SPEC("§14.4: an attempt that found no port ready does not count as that packet")
{
    open_without_path();
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 4 * 1024, 0), 0);
    nic.ready_ports = 0;
    EXPECT_EQ(by_hand_send(&nic), 0);
    nic.ready_ports = UINT32_MAX;
    EXPECT_EQ(by_hand_send(&nic), 1);
    by_hand_close(&nic);
}

SPEC("§4.1: a peer that admits more PSNs than there is memory for, or than we want, has no effect")
{
    struct qp_attributes attributes = { .dynamic_mpr = true, .mpr = 4 };
    struct qp_status status;
    struct packet sack;

    open_connected(); /* memory for 128 PSNs */
    EXPECT_EQ(transport_qp_modify(
                  nic.transport, QPN, &attributes, QP_ATTR_CAPABILITIES | QP_ATTR_MPR, nic.now_ns),
        0);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 400 * 1024, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 128);
    nic.now_ns += BASE_RTT_NS;
    sack = by_hand_sack(&nic, QPN, psn(BY_HAND_SQ_PSN));
    sack.sack.mpr = 255;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_EQ(transport_qp_status(nic.transport, QPN, &status), 0);
    EXPECT_EQ(status.mpr_psns, 128);
    by_hand_send(&nic);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_SENT), 129);
    by_hand_close(&nic);
}

SPEC("every valid SACK, NACK and ACK is counted, and no other")
{
    struct packet packet;

    open_connected();
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 4 * 1024, WORK_SIGNALED), 0);
    EXPECT_EQ(by_hand_send(&nic), 4);
    nic.now_ns += BASE_RTT_NS;
    packet = by_hand_nack(&nic, QPN, &nic.sent[3], NACK_TRIMMED);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    for (uint32_t i = 0; i < 2; i++) {
        packet = by_hand_sack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), (int32_t)i));
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    }
    packet = by_hand_sack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), 4));
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_FEEDBACK_RANGE);
    packet = by_hand_ack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), 3), 1);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_SACK_RECEIVED), 2);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_NACK_RECEIVED), 1);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_ACK_RECEIVED), 1);
    by_hand_close(&nic);
}

/* ---- timeouts ----------------------------------------------------------------------------------
 */

static uint32_t timeouts(void)
{
    struct qp_status status;

    EXPECT_EQ(transport_qp_status(nic.transport, QPN, &status), 0);
    return status.timeouts;
}

SPEC("§13: an ACK that was awaited resets the count of timeouts, though all had been received")
{
    struct packet packet;

    open_connected();
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 64, WORK_SIGNALED), 0);
    EXPECT_EQ(by_hand_post(&nic, QPN, 2, 64, WORK_SIGNALED), 0);
    EXPECT_EQ(by_hand_send(&nic), 2);
    nic.now_ns += BASE_RTT_NS;
    packet = by_hand_sack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), 1));
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    by_hand_wait(&nic, 2 * TIMEOUT_NS + BASE_RTT_NS);
    EXPECT_EQ(timeouts(), 2);
    packet = by_hand_ack(&nic, QPN, psn(BY_HAND_SQ_PSN), 1);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    EXPECT_EQ(timeouts(), 0);
    by_hand_wait(&nic, TIMEOUT_NS - 1000); /* and its timer begins anew */
    EXPECT_EQ(timeouts(), 0);
    by_hand_wait(&nic, 2000);
    EXPECT_EQ(timeouts(), 1);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE); /* the same again ends nothing */
    EXPECT_EQ(timeouts(), 1);
    packet = by_hand_ack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), 1), 2);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    by_hand_wait(&nic, 100 * TIMEOUT_NS);
    EXPECT_EQ(timeouts(), 0);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TIMEOUT_FIRED), 3);
    by_hand_close(&nic);
}

SPEC("§10: without feedback every round of tail probes uses all planes, except the first")
{
    struct qp_attributes attributes = { .timeout = 20, .retry_exponential = 25 };
    uint64_t sent = 1;

    open_connected();
    EXPECT_EQ(transport_qp_modify(
                  nic.transport, QPN, &attributes, QP_ATTR_TIMEOUT | QP_ATTR_RETRY, nic.now_ns),
        0);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 64, WORK_SIGNALED), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    for (uint32_t round = 0; round < 600; round++) { /* more than 8 bits can count */
        while (by_hand_count(&nic, COUNTER_TAIL_PROBES) < sent) {
            nic.now_ns = transport_deadline_ns(nic.transport);
            transport_expire(nic.transport, nic.now_ns);
            by_hand_send(&nic);
            EXPECT(round == 0 || by_hand_sent(&nic, OPCODE_PROBE) != 1);
        }
        EXPECT_EQ(by_hand_count(&nic, COUNTER_TAIL_PROBES), sent);
        sent += 2;
    }
    by_hand_close(&nic);
}

SPEC("§13: a timeout declares packets lost that were sent that long ago, and no later ones")
{
    open_connected();
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 1024, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    by_hand_wait(&nic, TIMEOUT_NS / 2);
    EXPECT_EQ(by_hand_post(&nic, QPN, 2, 3 * 1024, 0), 0);
    by_hand_send(&nic);
    while (by_hand_count(&nic, COUNTER_TIMEOUT_FIRED) == 0)
        by_hand_wait(&nic, BASE_RTT_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_TIMEOUT), 1);
    by_hand_close(&nic);
}

SPEC("§6.3: an ACK acknowledges all packets up to its PSN, also of incomplete messages")
{
    struct qp_status status;
    struct packet ack;

    open_connected();
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 1024, 0), 0);
    EXPECT_EQ(by_hand_post(&nic, QPN, 2, 4 * 1024, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 5);
    nic.now_ns += BASE_RTT_NS;
    for (uint32_t i = 0; i < 2; i++) { /* the second counts no new message */
        ack = by_hand_ack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), 2 + (int32_t)i), 1);
        EXPECT_EQ(by_hand_receive(&nic, &ack), DROP_NONE);
        EXPECT_EQ(transport_qp_status(nic.transport, QPN, &status), 0);
        EXPECT_EQ(status.unacked_psn.value, psn_add(psn(BY_HAND_SQ_PSN), 3 + (int32_t)i).value);
    }
    by_hand_close(&nic);
}

/* ---- tail probes -------------------------------------------------------------------------------
 */

/* Whether, after a whole rotation of packets, a probe of this round takes the EV of the first. */
static bool hole_is_probed(uint64_t seed, uint64_t rounds)
{
    uint32_t hole_ev;
    bool found = false;

    by_hand_prepare(&nic);
    nic.config.seed = seed;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, BY_HAND_EVS * 1024, WORK_SIGNALED), 0);
    EXPECT_EQ(by_hand_send(&nic), BY_HAND_EVS);
    hole_ev = nic.sent[0].ev;
    while (by_hand_count(&nic, COUNTER_TAIL_PROBES) < 2 * rounds - 1) {
        nic.now_ns = transport_deadline_ns(nic.transport);
        transport_expire(nic.transport, nic.now_ns);
        by_hand_send(&nic);
    }
    for (uint32_t i = 0; i < nic.sent_count; i++)
        found |= nic.sent[i].opcode == OPCODE_PROBE && nic.sent[i].ev == hole_ev;
    by_hand_close(&nic);
    return found;
}

SPEC("§10: the first tail probe avoids the EV of the oldest hole, later ones use any")
{
    uint32_t first = 0;
    uint32_t second = 0;

    for (uint64_t seed = 1; seed <= 40; seed++) {
        first += hole_is_probed(seed, 1);
        second += hole_is_probed(seed, 2);
    }
    EXPECT_EQ(first, 0);
    EXPECT_GT(second, 0); /* one in four EVs of its plane */
}

/* Sends a packet. Afterwards only the port on which it left is ready. */
static void send_and_block_others(void)
{
    open_connected();
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 1024, WORK_SIGNALED), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    nic.ready_ports = 1u << nic.sent[0].port;
}

SPEC("§10: the first tail probe waits for the port of another plane than that of the oldest hole")
{
    send_and_block_others();
    for (uint32_t i = 0; i < 2 && by_hand_count(&nic, COUNTER_TAIL_PROBES) == 0; i++) {
        nic.now_ns = transport_deadline_ns(nic.transport);
        transport_expire(nic.transport, nic.now_ns);
        EXPECT_EQ(by_hand_send(&nic), 0);
    }
    nic.ready_ports = ~nic.ready_ports;
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(by_hand_sent(&nic, OPCODE_PROBE), 1);
    by_hand_close(&nic);
}

SPEC("§12: a retransmission waits for the port of another plane than that of the loss")
{
    struct packet nack;

    send_and_block_others();
    nic.now_ns += BASE_RTT_NS;
    nack = by_hand_nack(&nic, QPN, &nic.sent[0], NACK_TRIMMED);
    EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 0);
    nic.ready_ports = ~nic.ready_ports;
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT(nic.sent[0].flags & PACKET_RETRANSMISSION);
    by_hand_close(&nic);
}

SPEC("§10: a tail probe that is due on a plane is not sent after the plane went down")
{
    open_connected();
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 64, WORK_SIGNALED), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    while (by_hand_count(&nic, COUNTER_TAIL_PROBES) == 0)
        by_hand_wait(&nic, BASE_RTT_NS);
    nic.ready_ports = 0;
    by_hand_wait(&nic, 10 * BASE_RTT_NS); /* one is due on each plane */
    transport_ports_changed(nic.transport, 1, nic.now_ns);
    nic.ready_ports = UINT32_MAX;
    by_hand_send(&nic);
    EXPECT_GE(by_hand_sent(&nic, OPCODE_PROBE), 1);
    for (uint32_t i = 0; i < nic.sent_count; i++)
        EXPECT_EQ(nic.sent[i].port, 0);
    by_hand_close(&nic);
}

/* ---- round trips -------------------------------------------------------------------------------
 */

/* One more packet of the QP, and a SACK for it after `rtt_ns`; returns its EV. */
static uint32_t take_round_trip(int32_t number, uint64_t rtt_ns)
{
    struct packet sack;
    uint32_t ev;

    EXPECT_EQ(by_hand_post(&nic, QPN, 1, BY_HAND_PMTU_BYTES, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    ev = nic.sent[0].ev;
    sack = by_hand_sack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), number));
    sack.sack.tx_timestamp = nic.sent[0].write.tx_timestamp;
    sack.sack.entropy = ev;
    nic.now_ns += rtt_ns;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    sack = by_hand_ack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), number), (uint32_t)number + 1);
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    by_hand_discard_events(&nic);
    return ev;
}

static void open_with_known_rtt(enum parameter_ev_skip ev_skip)
{
    struct ipv6_addr peer = by_hand_address(1);

    by_hand_prepare(&nic);
    nic.config.parameters.ev_skip = ev_skip;
    nic.config.parameters.target_delay = BASE_RTT_NS;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    transport_set_rtt(nic.transport, &peer, &(struct transport_rtt){ .fixed_ns = BASE_RTT_NS });
}

SPEC("§10: with long round trips, the tail is not probed before one and a half of them")
{
    open_with_known_rtt(EV_SKIP_LITERAL);
    for (int32_t i = 0; i < 4; i++)
        take_round_trip(i, 20 * BASE_RTT_NS);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, BY_HAND_PMTU_BYTES, 0), 0);
    by_hand_send(&nic);
    by_hand_wait(&nic, 30 * BASE_RTT_NS - 1000);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TAIL_PROBES), 0);
    by_hand_wait(&nic, 2000);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TAIL_PROBES), 1);
    by_hand_close(&nic);
}

/* The state of an EV whose packet takes `rtt_ns`, where all others take a base RTT. */
static enum path_ev_state state_after(uint64_t rtt_ns)
{
    const struct path_set *paths;
    enum path_ev_state state;
    uint32_t ev;

    open_with_known_rtt(EV_SKIP_DELAY);
    for (int32_t i = 0; i < 40; i++)
        take_round_trip(i, BASE_RTT_NS);
    ev = take_round_trip(40, rtt_ns);
    paths = transport_qp_paths(nic.transport, QPN);
    state = path_state_of(paths, path_profile_find(&nic.profile, ev));
    by_hand_close(&nic);
    return state;
}

SPEC("§14.3: an EV is used less if its packets take longer than its plane's by some of the target")
{
    EXPECT_EQ(state_after(BASE_RTT_NS), EV_GOOD);
    EXPECT_EQ(state_after(BASE_RTT_NS + BASE_RTT_NS / 4), EV_GOOD); /* that is chance */
    EXPECT_EQ(state_after(4 * BASE_RTT_NS), EV_SKIP);
}

/* ---- what is known of the requester alone -------------------------------------------------------
 */

static const struct qp *the_qp(void)
{
    return nic_find(nic.transport, QPN);
}

/* Packets whose round trips count, of all planes, after a NACK of one for this reason. */
static uint32_t samples_after(uint8_t reason)
{
    const struct planes *planes;
    struct packet nack;
    uint32_t before;
    uint32_t after;

    open_with_known_rtt(EV_SKIP_DELAY);
    for (int32_t i = 0; i < 40; i++)
        take_round_trip(i, BASE_RTT_NS);
    planes = &the_qp()->env.peer->planes;
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, BY_HAND_PMTU_BYTES, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    before = planes->sample_count;
    nic.now_ns += BASE_RTT_NS;
    nack = by_hand_nack(&nic, QPN, &nic.sent[0], reason);
    EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
    after = planes->sample_count;
    by_hand_close(&nic);
    return after - before;
}

SPEC("§14.1: a packet that was trimmed counts against its plane, one that was refused does not")
{
    EXPECT_EQ(samples_after(NACK_TRIMMED), 1);
    EXPECT_EQ(samples_after(NACK_TRIMMED_LASTHOP), 1);
    EXPECT_EQ(samples_after(NACK_NO_PKT_BUFFER), 0);
}

/* Two packets left, and the first was refused. Its time comes before any other timer ends. */
static void open_refused(void)
{
    struct packet nack;

    by_hand_prepare(&nic);
    nic.config.parameters.tail_floor = 1000000;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 2 * 1024, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 2);
    nic.now_ns += BASE_RTT_NS;
    nack = by_hand_nack(&nic, QPN, &nic.sent[0], NACK_NO_PKT_BUFFER);
    EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
}

SPEC("§11: a packet that was refused is retransmitted when its time has come, and not before")
{
    for (uint32_t early_ns = 0; early_ns <= 1; early_ns++) {
        struct packet sack;

        open_refused();
        EXPECT_EQ(by_hand_send(&nic), 0);
        sack = by_hand_sack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), -1));
        sack.sack.ack_psn_offset = 2;
        nic.now_ns = the_qp()->requester->hold_until_ns - early_ns;
        EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
        by_hand_send(&nic);
        EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_RETRANSMITTED), early_ns ? 0 : 1);
        by_hand_close(&nic);
    }
}

/* How often the time to wait doubled, after a second NACK that comes this much before its end. */
static uint32_t hold_doublings(uint64_t early_ns)
{
    struct requester *requester;
    struct packet nack;
    uint32_t first_ns;
    uint32_t doublings;

    open_refused();
    requester = the_qp()->requester;
    first_ns = requester->hold_ns;
    nic.now_ns = requester->hold_until_ns - early_ns;
    nack = by_hand_nack(&nic, QPN, &nic.sent[1], NACK_NO_PKT_BUFFER);
    EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
    doublings = requester->hold_ns / first_ns - 1;
    EXPECT_EQ(requester->timeouts, 1 + doublings); /* a burst is one retry */
    by_hand_close(&nic);
    return doublings;
}

SPEC("§11: a NACK before the end of the wait belongs to the same burst, one at its end to the next")
{
    EXPECT_EQ(hold_doublings(1), 0);
    EXPECT_EQ(hold_doublings(0), 1);
}

SPEC("§11: after a NACK the NIC wakes by the time at which the packet may be retransmitted")
{
    open_refused();
    EXPECT_LE(transport_deadline_ns(nic.transport), the_qp()->requester->hold_until_ns + 256);
    by_hand_close(&nic);
}

/* EV 2 is bad. Lets time pass until it is probed, and returns the probe. */
static const struct packet *await_ev_probe(void)
{
    struct path_set *paths = transport_qp_paths(nic.transport, QPN);

    path_on_mark(paths, 2, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    while (by_hand_count(&nic, COUNTER_EV_PROBES) == 0) {
        EXPECT_LT(nic.now_ns, 10000000);
        nic.now_ns = transport_deadline_ns(nic.transport);
        transport_expire(nic.transport, nic.now_ns);
        by_hand_send(&nic);
    }
    return by_hand_first(&nic, OPCODE_PROBE);
}

SPEC("§15: a probe of a bad EV is a control packet on that EV, and its id says what it tests")
{
    const struct packet *probe;

    open_connected();
    probe = await_ev_probe();
    EXPECT_EQ(probe->ev, path_ev_of(transport_qp_paths(nic.transport, QPN), 2));
    EXPECT_EQ(probe->class, DSCP_CONTROL);
    EXPECT_EQ(probe->ecn, ECN_NOT_ECT);
    EXPECT_EQ(probe->probe.probe_id & REQUESTER_PROBE_EV_MASK, 2);
    EXPECT(probe->probe.probe_id & REQUESTER_PROBE_TESTS_EV);
    by_hand_close(&nic);
}

SPEC("§15: EVs are probed at the rate of the parameter for each port, after a burst of 64")
{
    uint64_t probes;

    by_hand_prepare(&nic);
    nic.config.parameters.ev_probe_first = 1000000;
    nic.config.parameters.ev_probe_longest = 1000000;
    nic.config.parameters.ev_probe_rate = 100;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    for (uint32_t i = 0; i < 6; i++)
        path_on_mark(
            transport_qp_paths(nic.transport, QPN), i, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    by_hand_wait(&nic, UINT64_C(5000000000));
    probes = by_hand_count(&nic, COUNTER_EV_PROBES);
    EXPECT_GE(probes, 400); /* refused probes wait for a part of a burst */
    EXPECT_LE(probes, 64 + 5 * 2 * 100);
    by_hand_close(&nic);
}

SPEC("§10: the plane of an answered probe counts as the one that delivered last")
{
    const struct packet *probe;
    struct packet sack;

    open_connected();
    the_qp()->requester->last_plane = 1;
    probe = await_ev_probe();
    EXPECT_EQ(probe->port, 0);
    sack = by_hand_sack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), -1));
    sack.sack.answers_probe = true;
    sack.sack.probe_id = probe->probe.probe_id;
    sack.sack.entropy = probe->ev;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_EQ(the_qp()->requester->last_plane, 0);
    by_hand_close(&nic);
}

SPEC("§7: received bytes count as new up to half of their range ahead")
{
    enum { HALF = 1 << 23 };
    struct packet sack;

    open_connected();
    sack = by_hand_sack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), -1));
    sack.sack.received_units = HALF;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_EQ(the_qp()->requester->received_units, 0);
    sack.sack.received_units = HALF - 1;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_EQ(the_qp()->requester->received_units, HALF - 1);
    by_hand_close(&nic);
}

SPEC("§15: after the answer to a probe of a bad EV the NIC wakes by the time of the next probe")
{
    struct path_set *paths;
    struct packet sack;

    by_hand_prepare(&nic);
    nic.config.parameters.probe_timeout = UINT64_C(1000000000); /* its timer would end too late */
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    paths = transport_qp_paths(nic.transport, QPN);
    path_on_mark(paths, 2, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    while (by_hand_count(&nic, COUNTER_EV_PROBES) == 0) {
        EXPECT_LT(nic.now_ns, 10000000);
        nic.now_ns = transport_deadline_ns(nic.transport);
        transport_expire(nic.transport, nic.now_ns);
        by_hand_send(&nic);
    }
    sack = by_hand_sack(&nic, QPN, psn_add(psn(BY_HAND_SQ_PSN), -1));
    sack.sack.answers_probe = true;
    sack.sack.mark = SACK_MARK_ALWAYS_SKIP;
    sack.sack.probe_id = by_hand_first(&nic, OPCODE_PROBE)->probe.probe_id;
    sack.sack.entropy = by_hand_first(&nic, OPCODE_PROBE)->ev;
    nic.now_ns += BASE_RTT_NS;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_LT(path_probe_deadline_ns(paths), UINT64_MAX);
    EXPECT_LE(transport_deadline_ns(nic.transport), path_probe_deadline_ns(paths) + 256);
    by_hand_close(&nic);
}

SPEC("§6.3: without a usable path the last packet is retransmitted for its ACK on a bad one")
{
    struct path_set *paths;
    struct packet sack;

    open_connected();
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 1024, WORK_SIGNALED), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    nic.now_ns += BASE_RTT_NS;
    sack = by_hand_sack(&nic, QPN, psn(BY_HAND_SQ_PSN));
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    paths = transport_qp_paths(nic.transport, QPN);
    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        if (i % 4 != 3)
            path_on_mark(paths, i, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        if (i % 4 == 3)
            path_deny(paths, i, nic.now_ns);
    EXPECT_EQ(path_usable_count(paths), 0);
    by_hand_wait(&nic, 3 * TIMEOUT_NS);
    EXPECT_GT(by_hand_count(&nic, COUNTER_RETRANSMIT_FOR_ACK), 0);
    by_hand_close(&nic);
}

SPEC("§6.3: if the ACK arrives first, the last packet is not retransmitted")
{
    struct packet packet;

    open_connected();
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, 64, WORK_SIGNALED), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    nic.now_ns += BASE_RTT_NS;
    packet = by_hand_sack(&nic, QPN, psn(BY_HAND_SQ_PSN));
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    nic.ready_ports = 0;
    by_hand_wait(&nic, TIMEOUT_NS + BASE_RTT_NS);
    EXPECT_EQ(timeouts(), 1);
    EXPECT_EQ(by_hand_send(&nic), 0);
    packet = by_hand_ack(&nic, QPN, psn(BY_HAND_SQ_PSN), 1);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    nic.ready_ports = UINT32_MAX;
    memset(nic.sent, 0xff, sizeof(nic.sent));
    by_hand_send(&nic);
    EXPECT_EQ(by_hand_sent(&nic, OPCODE_PROBE), nic.sent_count);
    EXPECT_EQ(by_hand_post(&nic, QPN, 2, 64, WORK_SIGNALED), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_FOR_ACK), 0);
    by_hand_close(&nic);
}

/* ---- what congestion control hears of round trips ----------------------------------------------
 */

enum { PER_KIB_NS = 4096, SAMPLE_NS = 320 * 64 };

static struct cc_algorithm listening;
static uint64_t heard_rtt_ns;

static void hear_ack(struct cc *cc, const struct cc_ack *ack)
{
    (void)cc;
    heard_rtt_ns = ack->rtt_ns;
}

static void open_listening(void)
{
    struct ipv6_addr peer = by_hand_address(1);

    by_hand_prepare(&nic);
    by_hand_open(&nic);
    listening = *nic.cc.algorithm;
    listening.on_ack = hear_ack;
    nic.cc.algorithm = &listening;
    by_hand_connect(&nic, QPN);
    transport_set_rtt(nic.transport, &peer,
        &(struct transport_rtt){ .fixed_ns = BASE_RTT_NS, .per_kib_ns = PER_KIB_NS });
}

/* The round trip that is heard of a message of one packet, which took SAMPLE_NS. */
static uint64_t heard_of(uint32_t length_bytes, bool is_done)
{
    struct packet packet;

    open_listening();
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, length_bytes, WORK_SIGNALED), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    packet = by_hand_sack(&nic, QPN, psn(BY_HAND_SQ_PSN));
    packet.sack.tx_timestamp = nic.sent[0].write.tx_timestamp;
    packet.sack.entropy = nic.sent[0].ev;
    nic.now_ns += SAMPLE_NS;
    if (is_done) {
        struct packet ack = by_hand_ack(&nic, QPN, psn(BY_HAND_SQ_PSN), 1);

        EXPECT_EQ(by_hand_receive(&nic, &ack), DROP_NONE);
    }
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    by_hand_close(&nic);
    return heard_rtt_ns;
}

SPEC("§19.3: the round trip of a short packet counts as that of a full one, if its size is known")
{
    uint64_t full_ns = heard_of(BY_HAND_PMTU_BYTES, false);

    EXPECT_GE(full_ns, SAMPLE_NS);
    EXPECT_EQ(heard_of(BY_HAND_PMTU_BYTES, true), full_ns);
    EXPECT_EQ(heard_of(BY_HAND_PMTU_BYTES / 2, false), full_ns + PER_KIB_NS / 2);
    EXPECT_EQ(heard_of(BY_HAND_PMTU_BYTES / 2, true), 0);
}

SPEC("§10: the longest recent round trip is forgotten within some round trips")
{
    struct qp *qp;

    open_connected();
    qp = (struct qp *)(uintptr_t)the_qp();
    qp->requester->longest_ticks = 100;
    for (uint32_t left = 100; left > 0; left--) {
        EXPECT_EQ(qp->requester->longest_ticks, left);
        loss_relax(qp->requester, &qp->env, nic.now_ns);
    }
    EXPECT_EQ(qp->requester->longest_ticks, 0);
    by_hand_close(&nic);
}

SPEC("§10: an acknowledgement of the oldest packet shows its round trip, unless it was sent again")
{
    enum { TRIP_NS = 300 * SEND_WINDOW_TICK_NS };
    struct packet ack;
    struct qp *qp;

    for (int again = 0; again < 2; again++) {
        open_connected();
        qp = (struct qp *)(uintptr_t)the_qp();
        EXPECT_EQ(by_hand_post(&nic, QPN, 1, BY_HAND_PMTU_BYTES, 0), 0);
        EXPECT_EQ(by_hand_send(&nic), 1);
        nic.now_ns += TRIP_NS;
        if (again) {
            struct packet nack = by_hand_nack(&nic, QPN, &nic.sent[0], NACK_TRIMMED);

            EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
            EXPECT_EQ(by_hand_send(&nic), 1);
        }
        qp->requester->longest_ticks = 0;
        ack = by_hand_ack(&nic, QPN, psn(BY_HAND_SQ_PSN), 1);
        EXPECT_EQ(by_hand_receive(&nic, &ack), DROP_NONE);
        EXPECT_EQ(qp->requester->longest_ticks, again ? 0 : TRIP_NS / SEND_WINDOW_TICK_NS);
        by_hand_close(&nic);
    }
}

SPEC("§19.3: a refused packet also measures the base RTT, if it is not known")
{
    struct packet nack;

    open_connected();
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, BY_HAND_PMTU_BYTES, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    nic.now_ns += 100 * SEND_WINDOW_TICK_NS;
    nack = by_hand_nack(&nic, QPN, &nic.sent[0], NACK_NO_RESOURCE);
    EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
    EXPECT_EQ(the_qp()->env.peer->cc.base_rtt_ns, 100 * SEND_WINDOW_TICK_NS + 1);
    by_hand_close(&nic);
}
