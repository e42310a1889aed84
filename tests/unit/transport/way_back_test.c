/* SPDX-License-Identifier: Apache-2.0 */
/* Probes of the way back to a peer that only sends to us (docs/protocol.md §17). */
#include "by_hand.h"
#include "spec.h"
#include "transport/nic.h"

enum {
    A = 7,
    B = 8,
    C = 9,
    BASE_RTT_NS = 10000,
    PROBE_TIMEOUT_NS = 100000,
    TICK_NS = 1024,
};

#define GBPS UINT64_C(1000000000)

static struct by_hand nic;
static int32_t arrived;

static void open_nic(void)
{
    by_hand_prepare(&nic);
    by_hand_open(&nic);
    arrived = 0;
}

static void open_seeded(uint64_t seed)
{
    by_hand_prepare(&nic);
    nic.config.seed = seed;
    by_hand_open(&nic);
}

static void open_connected(void)
{
    open_nic();
    by_hand_connect(&nic, A);
}

/* A packet of the peer arrives at this QP, which must get no other. */
static void arrive(uint32_t qpn)
{
    struct packet packet =
        by_hand_write(&nic, qpn, OPCODE_WRITE_ONLY, psn_add(psn(BY_HAND_RQ_PSN), arrived++), 64);

    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
}

/* Packets of the peer arrive at this QP, and each is answered by a SACK. */
static void arrive_answered(uint32_t qpn, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct packet packet = by_hand_write(
            &nic, qpn, OPCODE_WRITE_ONLY, psn_add(psn(BY_HAND_RQ_PSN), arrived++), 64);

        packet.flags |= PACKET_ACK_REQUEST;
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    }
    by_hand_send(&nic);
}

/* One probing turn: the peer is heard, and an interval passes. Returns the probe, NULL: none. */
static const struct packet *take_turn(uint32_t qpn, uint64_t interval_ns)
{
    arrive_answered(qpn, WAY_BACK_ANSWERS);
    nic.now_ns += interval_ns + 256;
    transport_expire(nic.transport, nic.now_ns);
    by_hand_send(&nic);
    return by_hand_first(&nic, OPCODE_ENDPOINT_REQUEST);
}

static enum drop_reason answer(const struct packet *request)
{
    struct packet packet = by_hand_endpoint(
        &nic, 1, OPCODE_ENDPOINT_RESPONSE, ENDPOINT_EV_PROBE, (uint16_t)request->psn.value);

    packet.src = request->dst;
    packet.port = request->port;
    packet.endpoint.tx_timestamp = request->endpoint.tx_timestamp;
    return by_hand_receive(&nic, &packet);
}

/* ---- when ------------------------------------------------------------------------------------ */

SPEC("§17: a receiver probes a random path to its peer a base RTT after the first packet")
{
    const struct packet *probe;

    open_connected();
    arrive(A);
    by_hand_send(&nic);
    by_hand_wait(&nic, BASE_RTT_NS - 256);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 0);
    nic.now_ns += 512;
    transport_expire(nic.transport, nic.now_ns);
    EXPECT_EQ(by_hand_send(&nic), 1);
    probe = by_hand_first(&nic, OPCODE_ENDPOINT_REQUEST);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 1);
    EXPECT_EQ(probe->class, DSCP_CONTROL);
    EXPECT_EQ(probe->ev >> 8, probe->port);
    EXPECT_EQ(probe->endpoint.op, ENDPOINT_EV_PROBE);
    by_hand_close(&nic);
}

/* Returns the probes in 40 turns in which this many packets arrive and are answered. */
static uint64_t probes_with_answers(uint32_t answers)
{
    uint64_t before;
    uint64_t after;

    open_connected();
    for (uint32_t turn = 0; turn < 8; turn++) /* until each plane has been probed */
        EXPECT_EQ(answer(take_turn(A, BASE_RTT_NS)), DROP_NONE);
    before = by_hand_count(&nic, COUNTER_REVERSE_PROBES);
    for (uint32_t turn = 0; turn < 40; turn++) {
        const struct packet *probe;

        arrive_answered(A, answers);
        nic.now_ns += BASE_RTT_NS + 256;
        transport_expire(nic.transport, nic.now_ns);
        by_hand_send(&nic);
        probe = by_hand_first(&nic, OPCODE_ENDPOINT_REQUEST);
        if (probe)
            EXPECT_EQ(answer(probe), DROP_NONE);
    }
    after = by_hand_count(&nic, COUNTER_REVERSE_PROBES);
    by_hand_close(&nic);
    return after - before;
}

SPEC("§17: a peer with fewer than eight answers in a turn is probed in one turn of four")
{
    EXPECT_EQ(probes_with_answers(8), 40);
    EXPECT_EQ(probes_with_answers(1), 10);
}

SPEC("§17: when the peer sends nothing, probing ends")
{
    open_connected();
    answer(take_turn(A, BASE_RTT_NS));
    by_hand_wait(&nic, 100 * BASE_RTT_NS);
    EXPECT_LE(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 2);
    EXPECT_EQ(transport_deadline_ns(nic.transport), UINT64_MAX);
    by_hand_close(&nic);
}

SPEC("§17: an update of ports that was answered causes no wakeup while the way back is probed")
{
    open_connected();
    transport_ports_changed(nic.transport, 2, nic.now_ns);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(answer(&nic.sent[0]), DROP_NONE);
    answer(take_turn(A, BASE_RTT_NS));
    by_hand_wait(&nic, 30 * BASE_RTT_NS); /* less than T */
    EXPECT_EQ(transport_deadline_ns(nic.transport), UINT64_MAX);
    by_hand_close(&nic);
}

SPEC("§18: a peer that has not answered updates of ports is reminded as long as it is heard")
{
    uint64_t told;

    open_connected();
    transport_ports_changed(nic.transport, 2, nic.now_ns);
    by_hand_send(&nic);
    by_hand_wait(&nic, 100000 * (uint64_t)BASE_RTT_NS); /* none is answered */
    told = by_hand_count(&nic, COUNTER_PORT_UPDATES_SENT);
    EXPECT_GE(told, 1);
    take_turn(A, BASE_RTT_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_SENT), told + 1);
    by_hand_wait(&nic, 100000 * (uint64_t)BASE_RTT_NS); /* the peer is not heard */
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_SENT), told + 1);
    take_turn(A, BASE_RTT_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_SENT), told + 2);
    by_hand_close(&nic);
}

SPEC("§18: such a peer is reminded with new work, too, though its window is full")
{
    uint64_t told;

    by_hand_prepare(&nic);
    nic.config.parameters.congestion_control = CONGESTION_CONTROL_NONE;
    nic.config.parameters.max_cwnd = 2 * BY_HAND_PMTU_BYTES;
    by_hand_open(&nic);
    by_hand_connect(&nic, A);
    transport_ports_changed(nic.transport, 2, nic.now_ns);
    by_hand_send(&nic);
    by_hand_wait(&nic, 100000 * (uint64_t)BASE_RTT_NS); /* none is answered */
    by_hand_post(&nic, A, 1, 8 * BY_HAND_PMTU_BYTES, 0);
    by_hand_send(&nic);
    told = by_hand_count(&nic, COUNTER_PORT_UPDATES_SENT);
    nic.now_ns += 100000 * (uint64_t)BASE_RTT_NS;
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_post(&nic, A, 2, 64, 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_SENT), told + 1);
    by_hand_close(&nic);
}

SPEC("§17: while two probes of the way back are in flight, no third is sent")
{
    open_connected();
    EXPECT(take_turn(A, BASE_RTT_NS));
    EXPECT(take_turn(A, BASE_RTT_NS));
    nic.now_ns += BASE_RTT_NS + 256; /* the peer is not heard */
    transport_expire(nic.transport, nic.now_ns);
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 2);
    by_hand_close(&nic);
}

SPEC("§17: probes of the peer count for the way back as data does")
{
    struct packet packet;

    open_connected();
    packet = by_hand_write(&nic, A, OPCODE_WRITE_ONLY, psn(BY_HAND_RQ_PSN), 64);
    packet.opcode = OPCODE_PROBE;
    packet.probe = (struct packet_probe){ .probe_id = 1 };
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    by_hand_wait(&nic, BASE_RTT_NS + 256);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 1);
    by_hand_close(&nic);
}

SPEC("§17: a sender of data learns of paths by SACKs, and does not probe")
{
    open_connected();
    for (uint32_t i = 0; i < 4; i++) {
        by_hand_post(&nic, A, 1, 64, 0);
        EXPECT(!take_turn(A, BASE_RTT_NS));
    }
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 0);
    EXPECT(take_turn(A, BASE_RTT_NS)); /* a turn without data */
    by_hand_close(&nic);
}

SPEC("§17: on slow links probes are 32 packet times apart")
{
    struct ipv6_addr peer = by_hand_address(1);

    open_connected();
    transport_set_rtt(nic.transport, &peer,
        &(struct transport_rtt){ .fixed_ns = BASE_RTT_NS, .packet_ns = 1000 });
    arrive(A);
    by_hand_wait(&nic, 32000 - 256);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 0);
    by_hand_wait(&nic, 512);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 1);
    by_hand_close(&nic);
}

SPEC("§17: QPs to one peer share its probes")
{
    open_connected();
    by_hand_connect(&nic, B);
    arrive(A);
    arrived = 0;
    arrive(B);
    by_hand_wait(&nic, BASE_RTT_NS + 256);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 1);
    by_hand_close(&nic);
}

/* Probes in 4 base RTTs, while 40 peers are heard. */
static uint64_t probes_of_crowd(uint64_t rate, uint64_t link_bps)
{
    uint64_t count;

    by_hand_prepare(&nic);
    nic.config.parameters.reverse_probe_rate = rate;
    nic.config.parameters.link_bps = link_bps;
    by_hand_open(&nic);
    for (uint32_t i = 0; i < 40; i++) {
        nic.peer = 1 + i;
        by_hand_connect(&nic, 100 + i);
        arrived = 0;
        arrive(100 + i);
    }
    by_hand_wait(&nic, 4 * BASE_RTT_NS);
    count = by_hand_count(&nic, COUNTER_REVERSE_PROBES);
    by_hand_close(&nic);
    return count;
}

SPEC("§17: the probes of a NIC are limited: a burst of 16, then as many as the parameter says")
{
    EXPECT_EQ(probes_of_crowd(10, 400 * GBPS), 16); /* one in 0.1 s */
    EXPECT_GT(probes_of_crowd(1000000, 400 * GBPS), 24);
}

SPEC("§17: the probes of a NIC are limited to one for each 16 KiB that its ports carry")
{
    EXPECT_EQ(probes_of_crowd(1000000, GBPS), 16); /* one in 131 us */
}

/* ---- which EV -------------------------------------------------------------------------------- */

/* Of `count` probes, all answered, how many go by EVs of the lower half of each plane. */
static uint32_t probes_of_lower_half(uint32_t qpn, uint32_t count)
{
    uint32_t lower = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct packet *probe = take_turn(qpn, BASE_RTT_NS);

        EXPECT(probe);
        lower += (probe->ev & 0xff) < BY_HAND_EVS / 2;
        EXPECT_EQ(answer(probe), DROP_NONE);
    }
    return lower;
}

static void condemn_lower_half(uint32_t qpn)
{
    struct path_set *paths = transport_qp_paths(nic.transport, qpn);

    for (uint32_t i = 0; i < path_ev_count(paths); i++)
        if ((path_ev_of(paths, i) & 0xff) < BY_HAND_EVS / 2)
            path_on_mark(paths, i, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    EXPECT_EQ(path_bad_count(paths), BY_HAND_EVS / 2);
}

enum { TURNS = 200, ABOUT_HALF = 80, FEW = 40 };

/* EVs stay bad while the test lasts. */
static void open_unforgiving(void)
{
    by_hand_prepare(&nic);
    nic.config.parameters.ev_probe_first = UINT64_C(4000000000);
    nic.init.window_psns_max_dest = 1024;
    by_hand_open(&nic);
    arrived = 0;
}

SPEC("§17: EVs that a QP to the peer has found bad are rarely probed")
{
    open_unforgiving();
    by_hand_connect(&nic, A);
    EXPECT_GE(probes_of_lower_half(A, TURNS), ABOUT_HALF);
    condemn_lower_half(A);
    EXPECT_LE(probes_of_lower_half(A, TURNS), FEW);
    by_hand_close(&nic);
}

SPEC("§17: a QP that fails no longer contributes its bad EVs")
{
    open_unforgiving();
    by_hand_connect(&nic, A);
    by_hand_connect(&nic, B);
    condemn_lower_half(A);
    EXPECT_LE(probes_of_lower_half(B, TURNS), FEW);
    EXPECT_EQ(by_hand_move(&nic, A, QP_ERR), 0);
    EXPECT_GE(probes_of_lower_half(B, TURNS), ABOUT_HALF);
    by_hand_close(&nic);
}

SPEC("§17: a QP contributes its bad EVs from RTS on, or once it has the profile of the way back")
{
    static struct path_profile same;
    static _Alignas(64) uint8_t memory[4096];

    open_unforgiving();
    nic.init.window_psns_max = 0;
    by_hand_connect(&nic, B); /* receives only: the way back is its */
    nic.init.window_psns_max = 128;
    EXPECT_GE(probes_of_lower_half(B, TURNS), ABOUT_HALF);
    same = nic.profile;
    nic.init.paths = &same;
    EXPECT_EQ(by_hand_create(&nic, A), 0);
    by_hand_step(&nic, A, QP_INIT);
    by_hand_step(&nic, A, QP_RTR);
    EXPECT_GE(probes_of_lower_half(B, TURNS), ABOUT_HALF);
    by_hand_step(&nic, A, QP_RTS);
    condemn_lower_half(A);
    EXPECT_GE(probes_of_lower_half(B, TURNS), ABOUT_HALF); /* of another profile, as it seems */
    EXPECT_EQ(transport_qp_set_paths(nic.transport, A, &nic.profile, memory, nic.now_ns), 0);
    condemn_lower_half(A);
    EXPECT_LE(probes_of_lower_half(B, TURNS), FEW);
    by_hand_close(&nic);
}

SPEC("§17: a QP that changes its congestion control contributes its bad EVs")
{
    static struct cc_profile other;

    open_unforgiving();
    nic.init.window_psns_max = 0;
    by_hand_connect(&nic, B); /* receives only: the way back is its */
    nic.init.window_psns_max = 128;
    other = nic.cc;
    nic.init.cc = &other; /* another destination with the same address */
    by_hand_connect(&nic, A);
    EXPECT_GE(probes_of_lower_half(B, TURNS), ABOUT_HALF);
    EXPECT_EQ(transport_qp_set_cc(nic.transport, A, &nic.cc, nic.now_ns), 0);
    condemn_lower_half(A);
    EXPECT_LE(probes_of_lower_half(B, TURNS), FEW);
    by_hand_close(&nic);
}

SPEC("§17: an EV that is found bad after a QP began to send is avoided at once")
{
    open_unforgiving();
    EXPECT_EQ(by_hand_create(&nic, A), 0);
    by_hand_step(&nic, A, QP_INIT);
    by_hand_step(&nic, A, QP_RTR);
    EXPECT_GE(probes_of_lower_half(A, TURNS), ABOUT_HALF); /* no QP knows */
    by_hand_step(&nic, A, QP_RTS);
    condemn_lower_half(A);
    EXPECT_LE(probes_of_lower_half(A, TURNS), FEW);
    by_hand_close(&nic);
}

SPEC("§17: an EV on which a packet arrived without a mark becomes the way back of its plane")
{
    open_connected();
    for (int32_t i = 0; i < BY_HAND_EVS; i++) {
        struct packet sack = by_hand_sack(&nic, A, psn_add(psn(BY_HAND_SQ_PSN), i));

        EXPECT_EQ(by_hand_post(&nic, A, 1, BY_HAND_PMTU_BYTES, 0), 0);
        by_hand_send(&nic);
        nic.now_ns += BASE_RTT_NS;
        sack.sack.entropy = by_hand_first(&nic, OPCODE_WRITE_ONLY)->ev;
        EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
        EXPECT_EQ(way_back_ev(&nic_find(nic.transport, A)->env.peer->way_back,
                      by_hand_first(&nic, OPCODE_WRITE_ONLY)->port),
            sack.sack.entropy);
    }
    by_hand_close(&nic);
}

SPEC("§17: an answered probe makes its EV the way back of its plane")
{
    struct packet request;
    const struct packet *probe;
    uint32_t ev;

    open_connected();
    do
        probe = take_turn(A, BASE_RTT_NS);
    while (probe->ev == nic.entries[0].ev || probe->ev == nic.entries[BY_HAND_EVS / 2].ev);
    request = by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_EV_PROBE, 1);
    request.port = probe->port;
    request.ev = 0x177;
    EXPECT_EQ(answer(probe), DROP_NONE);
    ev = probe->ev;
    EXPECT_EQ(by_hand_receive(&nic, &request), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(by_hand_first(&nic, OPCODE_ENDPOINT_RESPONSE)->ev, ev);
    by_hand_close(&nic);
}

static uint32_t way_back_on(uint32_t qpn, uint32_t plane)
{
    return way_back_ev(&nic_find(nic.transport, qpn)->env.peer->way_back, plane);
}

SPEC("§17: the way back stays as it is when a QP with the same profile goes")
{
    struct packet sack;
    uint32_t ev;

    open_connected();
    by_hand_connect(&nic, B);
    do { /* until the way back is another than the first EV */
        EXPECT_LT(arrived, BY_HAND_EVS);
        sack = by_hand_sack(&nic, A, psn_add(psn(BY_HAND_SQ_PSN), arrived++));
        EXPECT_EQ(by_hand_post(&nic, A, 1, BY_HAND_PMTU_BYTES, 0), 0);
        by_hand_send(&nic);
        nic.now_ns += BASE_RTT_NS;
        sack.sack.entropy = by_hand_first(&nic, OPCODE_WRITE_ONLY)->ev;
        EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
        ev = way_back_on(B, 0);
    } while (ev == nic.profile.entries[0].ev);
    EXPECT_EQ(transport_qp_destroy(nic.transport, A), 0);
    EXPECT_EQ(way_back_on(B, 0), ev);
    by_hand_close(&nic);
}

SPEC("§17: the way back is probed from the time on at which a probe is due")
{
    struct peer *peer;

    open_connected();
    arrive(A);
    peer = nic_find(nic.transport, A)->env.peer;
    way_back_expire(nic.transport, peer, peer->way_back.probe_ns - 1);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 0);
    way_back_expire(nic.transport, peer, peer->way_back.probe_ns);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 1);
    by_hand_close(&nic);
}

/* The EV of answers on plane 0 after it got this mark, and whether it is another than before. */
static bool changes_way_back(enum path_signal mark)
{
    struct path_set *paths;
    uint32_t ev;
    bool changes;

    open_connected();
    paths = transport_qp_paths(nic.transport, A);
    ev = way_back_ev(&nic_find(nic.transport, A)->env.peer->way_back, 0);
    path_on_mark(paths, path_profile_find(&nic.profile, ev), mark, nic.now_ns);
    changes = way_back_ev(&nic_find(nic.transport, A)->env.peer->way_back, 0) != ev;
    by_hand_close(&nic);
    return changes;
}

SPEC("§17: answers leave an EV that turns bad, and keep one that is skipped once")
{
    EXPECT(changes_way_back(PATH_MARKED_ALWAYS_SKIP));
    EXPECT(!changes_way_back(PATH_MARKED_SKIP_ONCE));
    EXPECT(!changes_way_back(PATH_TRIMMED));
}

SPEC("§17: an EV that turns bad for a QP with another profile does not change the way back")
{
    static struct path_profile same;
    struct path_set *paths;

    open_connected();
    same = nic.profile;
    nic.init.paths = &same;
    by_hand_connect(&nic, B);
    paths = transport_qp_paths(nic.transport, B);
    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        if (path_ev_of(paths, i) == way_back_on(A, 0)) {
            uint32_t ev = way_back_on(A, 0);

            path_on_mark(paths, i, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
            EXPECT_EQ(path_state_of(paths, i), EV_ASSUMED_BAD);
            EXPECT_EQ(way_back_on(A, 0), ev);
        }
    by_hand_close(&nic);
}

/* True if the way back of A is probed in a round trip in which B, with this profile, sent data. */
static bool is_probed_while_sending(const struct path_profile *profile)
{
    bool is_probed;

    open_connected();
    nic.init.paths = profile;
    by_hand_connect(&nic, B);
    EXPECT_EQ(by_hand_post(&nic, B, 1, 64, 0), 0);
    is_probed = take_turn(A, BASE_RTT_NS) != NULL;
    by_hand_close(&nic);
    return is_probed;
}

SPEC("§17: data on another profile than that of the way back does not replace its probes")
{
    static struct path_profile same;

    EXPECT(!is_probed_while_sending(&nic.profile));
    same = nic.profile;
    EXPECT(is_probed_while_sending(&same));
}

/* How many of eight answers to Endpoint Requests on plane 0 leave on another EV than the first. */
static uint32_t answers_elsewhere(uint8_t tail_rounds, uint16_t peer_ports)
{
    uint32_t first_ev = 0;
    uint32_t count = 0;

    open_connected();
    nic_find(nic.transport, A)->requester->tail_rounds = tail_rounds;
    nic_find(nic.transport, A)->env.peer->ports = peer_ports;
    for (uint16_t i = 0; i < 8; i++) {
        struct packet request =
            by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_EV_PROBE, i);

        EXPECT_EQ(by_hand_receive(&nic, &request), DROP_NONE);
        by_hand_send(&nic);
        first_ev = i == 0 ? nic.sent[0].ev : first_ev;
        count += nic.sent[0].ev != first_ev;
    }
    by_hand_close(&nic);
    return count;
}

SPEC("§18: Endpoint Responses use the way back, or changing EVs after two unanswered tail probes")
{
    EXPECT_EQ(answers_elsewhere(0, 3), 0);
    EXPECT_EQ(answers_elsewhere(1, 3), 0);
    EXPECT_GE(answers_elsewhere(2, 3), 4);
}

SPEC("§18: they also use changing EVs while the port of the peer is down")
{
    EXPECT_EQ(answers_elsewhere(0, 1), 0);
    EXPECT_GE(answers_elsewhere(0, 2), 4);
}

/* ---- how many -------------------------------------------------------------------------------- */

SPEC("§17: two probes are under way at a time, and the next is sent when one has failed")
{
    open_connected();
    for (uint32_t i = 0; i < 8; i++)
        take_turn(A, BASE_RTT_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 2);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES_FAILED), 0);
    while (by_hand_count(&nic, COUNTER_REVERSE_PROBES) == 2) {
        EXPECT_LT(nic.now_ns, 1000000 + 2 * PROBE_TIMEOUT_NS);
        take_turn(A, BASE_RTT_NS);
    }
    EXPECT_GE(by_hand_count(&nic, COUNTER_REVERSE_PROBES_FAILED), 1);
    by_hand_close(&nic);
}

SPEC("§17: a probe has failed after the probe timeout, and a later answer is ignored")
{
    struct packet probe;
    uint64_t sent_ns;

    open_connected();
    probe = *take_turn(A, BASE_RTT_NS);
    sent_ns = nic.now_ns;
    by_hand_wait(&nic, PROBE_TIMEOUT_NS - 256);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES_FAILED), 0);
    by_hand_wait(&nic, sent_ns + PROBE_TIMEOUT_NS + TICK_NS + 256 - nic.now_ns);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES_FAILED), 1);
    EXPECT_EQ(answer(&probe), DROP_UNASKED_ANSWER);
    by_hand_close(&nic);
}

SPEC("§17: an answered probe cannot fail, and another may be sent")
{
    open_connected();
    for (uint32_t i = 0; i < 20; i++) {
        const struct packet *probe = take_turn(A, BASE_RTT_NS);

        EXPECT(probe);
        EXPECT_EQ(answer(probe), DROP_NONE);
    }
    by_hand_wait(&nic, 2 * PROBE_TIMEOUT_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES_FAILED), 1); /* of the turn after */
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 21);
    by_hand_close(&nic);
}

SPEC("§17: probes of the way back use free slots only, and none of requests under way")
{
    struct ipv6_addr peer = by_hand_address(1);
    struct packet requests[4];
    uint16_t id;

    by_hand_prepare(&nic);
    nic.config.endpoint_slots = 4;
    by_hand_open(&nic);
    arrived = 0;
    by_hand_connect(&nic, A);
    for (uint32_t i = 0; i < 4; i++) {
        EXPECT_EQ(
            transport_endpoint_probe(nic.transport, &peer, 1, 0, DSCP_CONTROL, &id, nic.now_ns), 0);
        EXPECT_EQ(by_hand_send(&nic), 1);
        requests[i] = nic.sent[0];
    }
    EXPECT(!take_turn(A, BASE_RTT_NS));
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 0);
    EXPECT_EQ(answer(&requests[2]), DROP_NONE);
    EXPECT(take_turn(A, BASE_RTT_NS));
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 1);
    EXPECT_EQ(answer(&requests[0]), DROP_NONE);
    EXPECT_EQ(answer(&requests[1]), DROP_NONE);
    EXPECT_EQ(answer(&requests[3]), DROP_NONE);
    by_hand_close(&nic);
}

SPEC("§17: a path that turns bad is no longer the way back")
{
    struct packet request;
    uint32_t ev;

    open_connected();
    ev = nic.entries[0].ev;
    path_on_mark(transport_qp_paths(nic.transport, A), 0, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    request = by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_EV_PROBE, 1);
    EXPECT_EQ(by_hand_receive(&nic, &request), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_NE(by_hand_first(&nic, OPCODE_ENDPOINT_RESPONSE)->ev, ev);
    EXPECT_EQ(by_hand_first(&nic, OPCODE_ENDPOINT_RESPONSE)->port, 0);
    by_hand_close(&nic);
}

/* ---- a plane that does not answer -------------------------------------------------------------
 */

static uint32_t control_planes(void)
{
    struct qp_status status;

    EXPECT_EQ(transport_qp_status(nic.transport, A, &status), 0);
    return status.control_plane_mask;
}

/* Probes on plane 1 fail, until it is out of the control rotation. */
static void open_with_plane_out(void)
{
    by_hand_prepare(&nic);
    nic.init.window_psns_max_dest = 1024;
    by_hand_open(&nic);
    arrived = 0;
    by_hand_connect(&nic, A);
    while (control_planes() == 3) {
        const struct packet *probe = take_turn(A, BASE_RTT_NS);

        EXPECT_LT(arrived, 1000);
        if (probe && probe->port == 0)
            EXPECT_EQ(answer(probe), DROP_NONE);
    }
    EXPECT_EQ(control_planes(), 1);
    by_hand_send(&nic);
}

/* What arrives by port 1 is answered: bit p for a SACK by port p. */
static uint32_t answered_by(uint8_t opcode, uint8_t flags)
{
    struct packet packet = by_hand_write(
        &nic, A, opcode, psn_add(psn(BY_HAND_RQ_PSN), arrived - (opcode == OPCODE_PROBE)), 64);
    uint32_t ports = 0;

    packet.port = 1;
    packet.ev = nic.entries[BY_HAND_EVS / 2].ev;
    packet.flags |= flags;
    if (opcode == OPCODE_PROBE)
        packet.probe = (struct packet_probe){ .probe_id = 1 };
    else
        arrived++;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    by_hand_send(&nic);
    for (uint32_t i = 0; i < nic.sent_count; i++)
        if (nic.sent[i].opcode == OPCODE_SACK)
            ports |= UINT32_C(1) << nic.sent[i].port;
    return ports;
}

SPEC("§17: an answer uses the plane of its trigger, unless that is not in the control rotation")
{
    open_nic();
    by_hand_connect(&nic, A);
    EXPECT_EQ(answered_by(OPCODE_WRITE_ONLY, PACKET_ACK_REQUEST), 2);
    by_hand_close(&nic);
    open_with_plane_out();
    EXPECT_EQ(answered_by(OPCODE_WRITE_ONLY, PACKET_ACK_REQUEST), 1);
    by_hand_close(&nic);
}

SPEC("§17: a QP that sends does not answer on a plane on which all its EVs are bad")
{
    struct path_set *paths;

    open_nic();
    by_hand_connect(&nic, A);
    paths = transport_qp_paths(nic.transport, A);
    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        if (path_plane_of(paths, i) == 1)
            path_on_mark(paths, i, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    EXPECT_EQ(path_usable_planes(paths, 3), 1);
    EXPECT_EQ(answered_by(OPCODE_WRITE_ONLY, PACKET_ACK_REQUEST), 1);
    by_hand_close(&nic);
}

SPEC("§17: a peer that probes or repeats is answered on the plane of the trigger as well, though "
     "it is out")
{
    open_with_plane_out();
    EXPECT_EQ(answered_by(OPCODE_PROBE, 0), 3);
    EXPECT_EQ(answered_by(OPCODE_WRITE_ONLY, PACKET_RETRANSMISSION), 3);
    transport_ports_changed(nic.transport, 1, nic.now_ns);
    by_hand_send(&nic);
    EXPECT_EQ(answered_by(OPCODE_PROBE, 0), 1); /* not by a port that is down */
    by_hand_close(&nic);
}

/* Returns where the bitmap of the n-th SACK that left by this port began, above cack. */
static int32_t shown_by(uint32_t port, uint32_t number)
{
    for (uint32_t i = 0; i < nic.sent_count; i++)
        if (nic.sent[i].opcode == OPCODE_SACK && nic.sent[i].port == port && number-- == 0)
            return nic.sent[i].sack.sack_offset;
    return -1;
}

static void receive_probe(uint16_t id)
{
    struct packet packet = by_hand_write(&nic, A, OPCODE_PROBE, psn(0), 0);

    packet.port = 1;
    packet.ev = nic.entries[BY_HAND_EVS / 2].ev;
    packet.flags = 0;
    packet.class = DSCP_CONTROL;
    packet.probe = (struct packet_probe){ .probe_id = id };
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
}

/* Most of 300 PSNs are missing, so a bitmap shows a part (§7.3). */
static void open_with_gaps(void)
{
    open_with_plane_out();
    arrived += 1;
    arrive(A);
    arrived += 298;
    arrive(A);
    by_hand_send(&nic);
}

SPEC(
    "§17: both copies of an answer on two planes show the same part, and the next answers the rest")
{
    static const int32_t offsets[] = { 1, 65, 1, 129, 1, 193 }; /* every second one: the latest */
    uint32_t found = 0;

    open_with_gaps();
    for (uint16_t i = 0; i < 16 && found < 6; i++) {
        receive_probe(i);
        by_hand_send(&nic);
        EXPECT_EQ(shown_by(0, 0), shown_by(1, 0));
        found += shown_by(1, 0) == offsets[found];
    }
    EXPECT_EQ(found, 6);
    by_hand_close(&nic);
}

SPEC(
    "§17: a second copy that waited for its port shows what the first one did, whatever left since")
{
    int32_t first[2];

    open_with_gaps();
    receive_probe(1);
    receive_probe(2);
    nic.ready_ports = 1;
    by_hand_send(&nic);
    first[0] = shown_by(0, 0);
    first[1] = shown_by(0, 1);
    EXPECT_NE(first[0], first[1]);
    nic.ready_ports = 2;
    by_hand_send(&nic);
    EXPECT_EQ(shown_by(1, 0), first[0]);
    EXPECT_EQ(shown_by(1, 1), first[1]);
    by_hand_close(&nic);
}

SPEC("§17: a second copy shows nothing below cack")
{
    open_with_gaps();
    receive_probe(1);
    nic.ready_ports = 1;
    by_hand_send(&nic);
    arrived -= 301;
    arrive(A); /* the oldest gap */
    nic.ready_ports = 2;
    by_hand_send(&nic);
    EXPECT_GE(shown_by(1, 0), 1);
    by_hand_close(&nic);
}

SPEC("§17: an answered probe brings the plane back into the control rotation")
{
    const struct packet *probe;

    open_with_plane_out();
    do
        probe = take_turn(A, BASE_RTT_NS);
    while (!probe || probe->port == 0);
    EXPECT_EQ(answer(probe), DROP_NONE);
    EXPECT_EQ(control_planes(), 3);
    EXPECT_EQ(answered_by(OPCODE_WRITE_ONLY, PACKET_ACK_REQUEST), 2);
    by_hand_close(&nic);
}

SPEC("§17: a probe that waits for its port is removed with the last QP to the peer")
{
    open_connected();
    arrive(A);
    by_hand_send(&nic);
    nic.ready_ports = 0;
    nic.now_ns += BASE_RTT_NS + 256;
    transport_expire(nic.transport, nic.now_ns);
    EXPECT(transport_wants_to_send(nic.transport));
    EXPECT_EQ(transport_qp_destroy(nic.transport, A), 0);
    EXPECT(!transport_wants_to_send(nic.transport));
    by_hand_close(&nic);
}

SPEC("§17: when the QP whose paths the way back uses goes, it uses those of another")
{
    static struct path_profile other;
    static struct path_entry entries[2];
    const struct packet *probe;

    open_connected();
    for (uint32_t plane = 0; plane < 2; plane++)
        entries[plane] = (struct path_entry){ .ev = 0x50 + plane, .plane = (uint8_t)plane };
    EXPECT(path_profile_explicit(&other, entries, 2, BY_HAND_PLANES));
    nic.init.paths = &other;
    by_hand_connect(&nic, B);
    EXPECT_EQ(transport_qp_destroy(nic.transport, A), 0);
    probe = take_turn(B, BASE_RTT_NS);
    EXPECT(probe != NULL);
    EXPECT_NE(path_profile_find(&other, probe->ev), PATH_NONE);
    by_hand_close(&nic);
}

/* One EV on plane 0, three on plane 1. */
static const struct path_profile *other_paths(void)
{
    static struct path_profile other;
    static struct path_entry entries[4];

    for (uint32_t i = 0; i < 4; i++)
        entries[i] = (struct path_entry){ .ev = 0x50 + i, .plane = i > 0 };
    EXPECT(path_profile_explicit(&other, entries, 4, BY_HAND_PLANES));
    return &other;
}

SPEC("§17: when that QP goes, probes on its paths are forgotten, unless another QP has the same")
{
    for (uint32_t i = 0; i < 2; i++) {
        struct packet probe;

        open_connected();
        nic.init.paths = i == 0 ? &nic.profile : other_paths();
        by_hand_connect(&nic, B);
        probe = *take_turn(A, BASE_RTT_NS);
        EXPECT_EQ(transport_qp_destroy(nic.transport, A), 0);
        EXPECT_EQ(answer(&probe), i == 0 ? DROP_NONE : DROP_UNASKED_ANSWER);
        by_hand_wait(&nic, 2 * PROBE_TIMEOUT_NS);
        EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES_FAILED), 1); /* of the turn after */
        by_hand_close(&nic);
    }
}

/* Returns the EVs on plane 1, as bits, with which the way back starts when that QP goes. */
static uint32_t starts_again_with(const struct path_profile *profile)
{
    uint32_t started = 0;

    for (uint64_t seed = 1; seed <= 30; seed++) {
        open_seeded(seed);
        by_hand_connect(&nic, A);
        nic.init.paths = profile;
        by_hand_connect(&nic, B);
        EXPECT_EQ(transport_qp_destroy(nic.transport, A), 0);
        started |= UINT32_C(1) << path_reverse_ev(
                       &nic_find(nic.transport, B)->env.peer->way_back.reverse, 1);
        by_hand_close(&nic);
    }
    return started;
}

SPEC(
    "§17: the way back then starts with a random EV of each plane, or with the first of an ordered "
    "list")
{
    struct path_profile ordered = *other_paths();

    EXPECT_EQ(starts_again_with(other_paths()), 0xe);
    ordered.is_ordered = true;
    EXPECT_EQ(starts_again_with(&ordered), 0x2);
}

SPEC("§17: a QP that is destroyed no longer contributes its bad EVs")
{
    open_unforgiving();
    by_hand_connect(&nic, A);
    by_hand_connect(&nic, B);
    condemn_lower_half(A);
    EXPECT_LE(probes_of_lower_half(B, TURNS), FEW);
    EXPECT_EQ(transport_qp_destroy(nic.transport, A), 0);
    EXPECT_GE(probes_of_lower_half(B, TURNS), ABOUT_HALF);
    by_hand_close(&nic);
}

SPEC("§17: QPs with the former paths then no longer contribute their bad EVs")
{
    static struct path_profile same;

    open_unforgiving();
    by_hand_connect(&nic, A);
    same = nic.profile;
    nic.init.paths = &same;
    by_hand_connect(&nic, C);
    nic.init.paths = &nic.profile;
    by_hand_connect(&nic, B);
    EXPECT_EQ(by_hand_move(&nic, A, QP_ERR), 0);
    condemn_lower_half(B);
    EXPECT_LE(probes_of_lower_half(B, TURNS), FEW);
    EXPECT_EQ(transport_qp_destroy(nic.transport, A), 0);
    EXPECT_GE(probes_of_lower_half(B, TURNS), ABOUT_HALF);
    by_hand_close(&nic);
}

/* ---- silence --------------------------------------------------------------------------------- */

/* A tail probe of the peer, or in the control class a probe of an EV. Returns the number of
 * answers. */
static uint32_t answers_to_probe(enum dscp_class class)
{
    struct packet packet = by_hand_write(&nic, A, OPCODE_PROBE, psn(0), 0);

    packet.class = (uint8_t) class;
    packet.flags = 0;
    packet.probe = (struct packet_probe){ .probe_id = 1 };
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    by_hand_send(&nic);
    return by_hand_sent(&nic, OPCODE_SACK);
}

SPEC("§17: tail probes that are repeated without data are answered on other EVs, too (decision 12)")
{
    open_connected();
    arrive(A);
    by_hand_wait(&nic, 3 * BASE_RTT_NS);
    EXPECT_EQ(answers_to_probe(DSCP_NO_TRIM), 1);
    by_hand_wait(&nic, BASE_RTT_NS); /* the same round */
    EXPECT_EQ(answers_to_probe(DSCP_NO_TRIM), 1);
    by_hand_wait(&nic, 5 * BASE_RTT_NS);
    EXPECT_EQ(answers_to_probe(DSCP_CONTROL), 1);
    EXPECT_EQ(answers_to_probe(DSCP_NO_TRIM), 3);
    EXPECT(nic.sent[0].ev != nic.sent[1].ev || nic.sent[0].ev != nic.sent[2].ev);
    EXPECT_NE(nic.sent[1].port, nic.sent[2].port);
    by_hand_close(&nic);
}

SPEC("§17: data between two tail probes shows that answers arrive (decision 12)")
{
    open_connected();
    arrive(A);
    by_hand_wait(&nic, 3 * BASE_RTT_NS);
    EXPECT_EQ(answers_to_probe(DSCP_NO_TRIM), 1);
    by_hand_wait(&nic, 3 * BASE_RTT_NS);
    arrive(A);
    by_hand_wait(&nic, 3 * BASE_RTT_NS);
    EXPECT_EQ(answers_to_probe(DSCP_NO_TRIM), 1);
    by_hand_close(&nic);
}

SPEC("§17: answers seem lost two base RTTs after the first tail probe since data, not before")
{
    struct peer *peer;

    open_connected();
    peer = nic_find(nic.transport, A)->env.peer;
    EXPECT(!way_back_is_in_doubt(peer, 100, 200));
    EXPECT(!way_back_is_in_doubt(peer, 199, 200 + 2 * BASE_RTT_NS - 1));
    EXPECT(way_back_is_in_doubt(peer, 199, 200 + 2 * BASE_RTT_NS));
    EXPECT(!way_back_is_in_doubt(peer, 200, 200 + 2 * BASE_RTT_NS));
    by_hand_close(&nic);
}
