/* SPDX-License-Identifier: Apache-2.0 */
/* What QPs to one destination share: turns, the window, its spacing, the base RTT (docs/protocol.md
 * §19, §21). */
#include <string.h>

#include "by_hand.h"
#include "path/ev_table.h"
#include "spec.h"
#include "transport/nic.h"
#include "wire/stamp.h"

enum {
    A = 7,
    B = 8,
    C = 9,
    FULL_BYTES = BY_HAND_PMTU_BYTES + 88,
    BASE_RTT_NS = 10000,
};

static struct by_hand nic;

static void open_with_window(uint32_t packets)
{
    by_hand_prepare(&nic);
    nic.config.parameters.sack_gen_threshold = UINT64_C(4) * BY_HAND_PMTU_BYTES;
    nic.config.parameters.max_cwnd = packets * FULL_BYTES;
    by_hand_open(&nic);
}

static void open_with_quantum(uint32_t packets)
{
    by_hand_prepare(&nic);
    nic.config.parameters.sack_gen_threshold = UINT64_C(4) * BY_HAND_PMTU_BYTES;
    nic.config.parameters.max_cwnd = 100 * FULL_BYTES;
    nic.config.parameters.send_quantum = packets;
    by_hand_open(&nic);
}

static void post_packets(uint32_t qpn, uint32_t count)
{
    EXPECT_EQ(by_hand_post(&nic, qpn, 1, count * BY_HAND_PMTU_BYTES, 0), 0);
}

/* As letters, whose packets leave: "AAAAB". */
static void expect_turns(const char *letters)
{
    struct packet out[8];

    for (uint32_t i = 0; letters[i]; i++) {
        EXPECT_EQ(transport_send(nic.transport, UINT32_MAX, out, 1, nic.now_ns), 1);
        EXPECT_EQ((char)('A' + by_hand_sender(&out[0]) - A), letters[i]);
    }
}

static struct qp_status status_of(uint32_t qpn)
{
    struct qp_status status;

    EXPECT_EQ(transport_qp_status(nic.transport, qpn, &status), 0);
    return status;
}

/* ---- turns ----------------------------------------------------------------------------------- */

SPEC("§21: QPs to one peer take turns of eight packets")
{
    open_with_window(100);
    by_hand_connect(&nic, A);
    by_hand_connect(&nic, B);
    by_hand_connect(&nic, C);
    post_packets(A, 17);
    post_packets(B, 17);
    post_packets(C, 17);
    for (uint32_t i = 0; i < 2; i++)
        expect_turns("AAAAAAAABBBBBBBBCCCCCCCC");
    expect_turns("ABC");
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT(!transport_wants_to_send(nic.transport));
    by_hand_close(&nic);
}

SPEC("§21: a turn has as many packets as two SACKs answer, at least four and at most 32")
{
    static const struct {
        uint32_t packets;
        const char *turns;
    } cases[] = { { 1, "AAAABBBBAAAAB" }, { 3, "AAAAAABBBBBBAAAAAAB" },
        { 100, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB" } };

    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        by_hand_prepare(&nic);
        nic.config.parameters.sack_gen_threshold = UINT64_C(4) * BY_HAND_PMTU_BYTES;
        nic.config.parameters.max_cwnd = 200 * FULL_BYTES;
        nic.config.parameters.sack_gen_threshold = cases[i].packets * BY_HAND_PMTU_BYTES;
        by_hand_open(&nic);
        by_hand_connect(&nic, A);
        by_hand_connect(&nic, B);
        post_packets(A, 60);
        post_packets(B, 60);
        expect_turns(cases[i].turns);
        by_hand_close(&nic);
    }
}

SPEC("§21: with a quantum of one, peers send in turn, however many QPs each of them has")
{
    open_with_quantum(1);
    by_hand_connect(&nic, A);
    by_hand_connect(&nic, B);
    nic.peer = 2;
    by_hand_connect(&nic, C);
    post_packets(A, 10);
    post_packets(B, 10);
    post_packets(C, 10);
    expect_turns("ACACACACACACACACBCBCBBBBBBAABB");
    by_hand_close(&nic);
}

/* Connects A, B and C to peers of their own, with a BDP of this many packets. */
static void open_apart(uint64_t bdp_packets)
{
    by_hand_prepare(&nic);
    nic.config.parameters.sack_gen_threshold = UINT64_C(4) * BY_HAND_PMTU_BYTES;
    nic.config.parameters.congestion_control = CONGESTION_CONTROL_NONE;
    nic.config.parameters.max_cwnd = 100 * FULL_BYTES;
    nic.config.parameters.base_rtt = BASE_RTT_NS;
    nic.config.parameters.link_bps = (2 * bdp_packets + 1) * FULL_BYTES / 2 * 8 * 100000;
    by_hand_open(&nic);
    for (uint32_t i = 0; i < 3; i++) {
        nic.peer = 1 + i;
        by_hand_connect(&nic, A + i);
    }
}

SPEC("§21: a round of turns lasts a round trip, whatever the number of peers and of calls")
{
    open_apart(12);
    post_packets(A, 40);
    post_packets(B, 40);
    expect_turns("AAAAAABBBBBBAAAAAABBBBBB");
    post_packets(C, 40); /* goes first */
    expect_turns("CCCCAAAABBBBCCCCAAAABBBB");
    by_hand_close(&nic);
}

SPEC("§21: a turn has at least one packet and at most 16")
{
    open_apart(1);
    post_packets(A, 40);
    post_packets(B, 40);
    expect_turns("ABABABAB");
    by_hand_close(&nic);
    open_apart(60);
    post_packets(A, 60);
    post_packets(B, 60);
    expect_turns("AAAAAAAAAAAAAAAABBBBBBBBBBBBBBBBA");
    by_hand_close(&nic);
}

SPEC("§21: a turn includes the last packets of a message, if they are less than half a turn")
{
    open_apart(16);
    post_packets(A, 20);
    post_packets(B, 21);
    expect_turns("AAAAAAAABBBBBBBBAAAAAAAAAAAABBBBBBBBBBBBB");
    by_hand_close(&nic);
}

SPEC("§21: messages to idle peers go first, but at most every second turn")
{
    open_apart(12);
    post_packets(A, 40);
    expect_turns("A");
    post_packets(B, 1);
    post_packets(C, 1);
    expect_turns("BAAAAAAC");
    by_hand_close(&nic);
}

SPEC("§21: a peer whose window was full goes on with its turn")
{
    struct packet sack;

    open_apart(24);
    post_packets(A, 100);
    EXPECT_EQ(by_hand_send(&nic), 100);
    post_packets(A, 8); /* waits for the window */
    post_packets(B, 40);
    expect_turns("B");
    sack = by_hand_sack(&nic, A, psn_add(psn(BY_HAND_SQ_PSN), 3));
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    expect_turns("BBBBBBBBBBBBAAAA");
    sack = by_hand_sack(&nic, A, psn_add(psn(BY_HAND_SQ_PSN), 7));
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    expect_turns("AAAA"); /* before the next turn of B */
    by_hand_close(&nic);
}

SPEC("§21: a QP whose port is not ready passes its turn on, though it has not used it up")
{
    struct path_entry entries[2] = { { .ev = 1 }, { .ev = 2 } };
    struct path_profile of_first_plane;
    struct packet out[8];

    open_with_window(100);
    EXPECT(path_profile_explicit(&of_first_plane, entries, 2, BY_HAND_PLANES));
    nic.init.paths = &of_first_plane;
    by_hand_connect(&nic, A);
    nic.init.paths = &nic.profile;
    by_hand_connect(&nic, B);
    by_hand_connect(&nic, C);
    post_packets(A, 9);
    post_packets(B, 9);
    post_packets(C, 9);
    expect_turns("A");
    EXPECT_EQ(transport_send(nic.transport, 2, out, 1, nic.now_ns), 0); /* that of A */
    for (uint32_t i = 0; i < 16; i++) {
        EXPECT_EQ(transport_send(nic.transport, 2, out, 1, nic.now_ns), 1);
        EXPECT_EQ(by_hand_sender(&out[0]), i < 8 ? B : C);
    }
    by_hand_close(&nic);
}

SPEC("§21: a QP alone at its peer takes no turns, nor does one beside a QP that cannot send")
{
    open_with_window(100);
    by_hand_connect(&nic, A);
    nic.init.window_psns_max = 0;
    by_hand_connect(&nic, B);
    nic.init.window_psns_max = 128;
    nic.peer = 2;
    by_hand_connect(&nic, C);
    post_packets(A, 6);
    EXPECT_EQ(by_hand_send(&nic), 6);
    for (uint32_t i = 0; i < 5; i++)
        EXPECT(!(nic.sent[i].flags & PACKET_ACK_REQUEST));
    by_hand_close(&nic);
}

SPEC("§21: the last packet of a turn requests a SACK, because other QPs use the window next")
{
    open_with_window(100);
    by_hand_connect(&nic, A);
    by_hand_connect(&nic, B);
    post_packets(A, 9);
    post_packets(B, 9);
    EXPECT_EQ(by_hand_send(&nic), 18);
    for (uint32_t i = 0; i < 16; i++)
        EXPECT_EQ((nic.sent[i].flags & PACKET_ACK_REQUEST) != 0, i % 8 == 7);
    by_hand_close(&nic);
}

SPEC("§21: a QP that runs out of work within its turn later continues with the rest of it")
{
    open_with_window(100);
    by_hand_connect(&nic, A);
    by_hand_connect(&nic, B);
    post_packets(A, 2);
    post_packets(B, 20);
    expect_turns("AAB");
    post_packets(A, 16);
    expect_turns("AAAAAABBBBBBB"); /* the rest of A's turn, and of B's */
    expect_turns("AAAAAAAABBBBBBBB");
    by_hand_close(&nic);
}

/* Trims all packets of a turn, so that they are sent again. */
static void trim_packets(const struct packet *sent, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct packet nack =
            by_hand_nack(&nic, by_hand_sender(&sent[i]), &sent[i], NACK_TRIMMED_LASTHOP);

        EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
    }
}

SPEC("§21: packets that are sent again use up the turn, so that other QPs get theirs")
{
    struct packet sent[17];

    open_with_window(100);
    by_hand_connect(&nic, A);
    by_hand_connect(&nic, B);
    post_packets(A, 17);
    EXPECT_EQ(by_hand_send(&nic), 17); /* two turns, and one packet of the third */
    memcpy(sent, nic.sent, sizeof(sent));
    trim_packets(sent, 17);
    post_packets(B, 16);
    expect_turns("AAAAAAABBBBBBBBABBBBBBBBAAAAAAAAA");
    by_hand_close(&nic);
}

SPEC("§21: a turn ends when the window is full, and continues when it opens")
{
    struct ipv6_addr peer = by_hand_address(1);
    struct packet sack;

    open_with_window(12);
    by_hand_connect(&nic, A);
    by_hand_connect(&nic, B);
    transport_set_rtt(nic.transport, &peer, &(struct transport_rtt){ .fixed_ns = BASE_RTT_NS });
    post_packets(A, 20);
    post_packets(B, 20);
    expect_turns("AAAAAAAABBBB");
    EXPECT_EQ(by_hand_send(&nic), 0);
    nic.now_ns += BASE_RTT_NS;
    sack = by_hand_sack(&nic, A, psn_add(psn(BY_HAND_SQ_PSN), 7));
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    expect_turns("BBBBAAAA");
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_close(&nic);
}

/* Lets time pass until something that the counter counts is sent. */
static void await(enum counter counter)
{
    uint64_t before = by_hand_count(&nic, counter);

    while (by_hand_count(&nic, counter) == before) {
        EXPECT_LT(nic.now_ns, 10000000);
        nic.now_ns = transport_deadline_ns(nic.transport);
        transport_expire(nic.transport, nic.now_ns);
        by_hand_send(&nic);
    }
}

SPEC("§21: probes and repeats for an ACK do not wait for a window that another QP fills")
{
    open_with_window(10);
    by_hand_connect(&nic, A);
    by_hand_connect(&nic, B);
    post_packets(A, 20);
    EXPECT_EQ(by_hand_send(&nic), 10);
    path_on_mark(transport_qp_paths(nic.transport, B), 2, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    await(COUNTER_EV_PROBES);
    EXPECT_EQ(by_hand_sender(by_hand_first(&nic, OPCODE_PROBE)), B);
    by_hand_close(&nic);
}

/* The next tail probes are this many. */
static void await_tail_probes(uint64_t probes)
{
    uint64_t before = by_hand_count(&nic, COUNTER_TAIL_PROBES);

    await(COUNTER_TAIL_PROBES);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TAIL_PROBES), before + probes);
}

SPEC("§21: a QP with probes for several planes sends all of them before one that waits for the "
     "window")
{
    open_with_window(8);
    by_hand_connect(&nic, A);
    by_hand_connect(&nic, B);
    post_packets(A, 8);
    EXPECT_EQ(by_hand_send(&nic), 8);
    post_packets(B, 10);
    EXPECT_EQ(by_hand_send(&nic), 0);
    await_tail_probes(1);
    await_tail_probes(BY_HAND_PLANES);
    by_hand_close(&nic);
}

SPEC("§21: probes that wait for a port keep their place before QPs that wait for the window")
{
    open_with_window(10);
    by_hand_connect(&nic, A);
    by_hand_connect(&nic, B);
    post_packets(A, 10);
    EXPECT_EQ(by_hand_send(&nic), 10);
    post_packets(B, 10);
    await_tail_probes(1);
    nic.ready_ports = 1;
    await_tail_probes(1);
    EXPECT_EQ(by_hand_send(&nic), 0);
    nic.ready_ports = 2;
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(by_hand_sender(by_hand_first(&nic, OPCODE_PROBE)), A);
    by_hand_close(&nic);
}

SPEC("§21: a QP whose probe waits for a port lets others send that can")
{
    open_with_window(10);
    by_hand_connect(&nic, A);
    by_hand_connect(&nic, B);
    post_packets(A, 8);
    EXPECT_EQ(by_hand_send(&nic), 8);
    await_tail_probes(1);
    nic.ready_ports = 1;
    await_tail_probes(1);
    post_packets(B, 1);
    if (by_hand_send(&nic) == 0) /* the turn of A */
        EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(by_hand_sender(&nic.sent[0]), B);
    nic.ready_ports = 2;
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(by_hand_sender(by_hand_first(&nic, OPCODE_PROBE)), A);
    by_hand_close(&nic);
}

SPEC("§21: a QP that overtook a probe while the window was open does not hold it back afterwards")
{
    open_with_window(10);
    by_hand_connect(&nic, A);
    by_hand_connect(&nic, B);
    post_packets(A, 8);
    EXPECT_EQ(by_hand_send(&nic), 8);
    await_tail_probes(1);
    nic.ready_ports = 1;
    await_tail_probes(1);
    post_packets(B, 6);
    if (by_hand_send(&nic) == 0) /* the turn of A */
        EXPECT_EQ(by_hand_send(&nic), 2);
    EXPECT_EQ(by_hand_sender(&nic.sent[0]), B);
    nic.ready_ports = 2;
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(by_hand_sender(by_hand_first(&nic, OPCODE_PROBE)), A);
    by_hand_close(&nic);
}

SPEC("§21: a QP that left its place among others with a probe is the last of them afterwards")
{
    struct packet sack;

    open_with_window(10);
    by_hand_connect(&nic, A);
    by_hand_connect(&nic, B);
    by_hand_connect(&nic, C);
    post_packets(A, 10);
    EXPECT_EQ(by_hand_send(&nic), 10);
    post_packets(A, 2);
    post_packets(B, 2);
    post_packets(C, 2);
    path_on_mark(transport_qp_paths(nic.transport, B), 2, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    await(COUNTER_EV_PROBES);
    sack = by_hand_sack(&nic, A, psn_add(psn(BY_HAND_SQ_PSN), 9));
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    expect_turns("AAACCBB"); /* A measures the base RTT, too */
    by_hand_close(&nic);
}

SPEC("§21: a QP that waits for its turn and fails does not change the turns of the others")
{
    for (uint32_t failing = A; failing <= C; failing++) {
        static const char *const left[] = { "BBBBBBBBCCCCCCCCBC", "AAAAAAACCCCCCCCAC",
            "AAAAAAABBBBBBBBAB" };

        open_with_window(100);
        by_hand_connect(&nic, A);
        by_hand_connect(&nic, B);
        by_hand_connect(&nic, C);
        post_packets(A, 9);
        post_packets(B, 9);
        post_packets(C, 9);
        expect_turns("A");
        EXPECT_EQ(by_hand_move(&nic, failing, QP_ERR), 0);
        expect_turns(left[failing - A]);
        EXPECT_EQ(by_hand_send(&nic), 0);
        by_hand_close(&nic);
    }
}

SPEC("§21: a peer that waits for a busy port does not block others in the same call")
{
    static struct path_profile only;
    struct packet out[8];

    open_with_window(100);
    by_hand_connect(&nic, B);
    nic.peer = 2;
    EXPECT(path_profile_explicit(&only, nic.entries + BY_HAND_EVS / 2, BY_HAND_EVS / 2, 2));
    nic.init.paths = &only; /* plane 1 alone */
    by_hand_connect(&nic, A);
    post_packets(A, 6);
    post_packets(B, 6);
    EXPECT_EQ(transport_send(nic.transport, 1, out, 6, nic.now_ns), 6);
    for (uint32_t i = 0; i < 6; i++)
        EXPECT_EQ(by_hand_sender(&out[i]), B);
    EXPECT_EQ(transport_send(nic.transport, 2, out, 6, nic.now_ns), 6);
    by_hand_close(&nic);
}

/* ---- the window ------------------------------------------------------------------------------ */

SPEC("§19: packets in flight of one QP use the window of all QPs to its peer, and of no others")
{
    struct packet sack;

    open_with_window(10);
    by_hand_connect(&nic, A);
    by_hand_connect(&nic, B);
    nic.peer = 2;
    by_hand_connect(&nic, C);
    post_packets(A, 10);
    EXPECT_EQ(by_hand_send(&nic), 10);
    post_packets(B, 10);
    EXPECT_EQ(by_hand_send(&nic), 0);
    post_packets(C, 10);
    EXPECT_EQ(by_hand_send(&nic), 10);
    nic.now_ns += BASE_RTT_NS;
    sack = by_hand_sack(&nic, A, psn_add(psn(BY_HAND_SQ_PSN), 6));
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_SENT), 27);
    by_hand_close(&nic);
}

SPEC("§19: QPs with different congestion control to one address have a window each")
{
    static struct cc_profile other;

    open_with_window(10);
    by_hand_connect(&nic, A);
    other = nic.cc;
    nic.init.cc = &other;
    by_hand_connect(&nic, B);
    post_packets(A, 20);
    post_packets(B, 20);
    EXPECT_EQ(by_hand_send(&nic), 20);
    EXPECT_EQ(transport_qp_set_cc(nic.transport, B, &nic.cc, nic.now_ns), 0);
    EXPECT_EQ(by_hand_move(&nic, A, QP_ERR), 0);
    EXPECT_EQ(by_hand_send(&nic), 0); /* B has brought its ten with it */
    by_hand_close(&nic);
}

SPEC("there are as many destinations as QPs, and a destination without a QP is reused")
{
    by_hand_prepare(&nic);
    nic.config.parameters.sack_gen_threshold = UINT64_C(4) * BY_HAND_PMTU_BYTES;
    nic.config.qp_count_max = 2;
    by_hand_open(&nic);
    by_hand_connect(&nic, A);
    for (uint32_t i = 0; i < 8; i++) {
        nic.peer = 2 + i;
        by_hand_connect(&nic, B);
        if (i % 2) /* by way of ERR or not */
            EXPECT_EQ(by_hand_move(&nic, B, QP_ERR), 0);
        EXPECT_EQ(transport_qp_destroy(nic.transport, B), 0);
    }
    by_hand_close(&nic);
}

/* ---- small windows --------------------------------------------------------------------------- */

static void open_paced(uint32_t window_packets)
{
    by_hand_prepare(&nic);
    nic.config.parameters.sack_gen_threshold = UINT64_C(4) * BY_HAND_PMTU_BYTES;
    nic.config.parameters.congestion_control = CONGESTION_CONTROL_FAIR;
    nic.config.parameters.max_cwnd = window_packets * FULL_BYTES;
    by_hand_open(&nic);
    by_hand_connect(&nic, A);
}

SPEC("§19.6: a window of less than three packets is sent in equal parts of a round trip")
{
    open_paced(2);
    post_packets(A, 2);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT(!transport_wants_to_send(nic.transport));
    EXPECT_LE(transport_deadline_ns(nic.transport), nic.now_ns + BASE_RTT_NS / 2 + 256);
    nic.now_ns += BASE_RTT_NS / 2 - 1;
    transport_expire(nic.transport, nic.now_ns);
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_wait(&nic, 1 + 256);
    EXPECT_EQ(nic.sent_count, 1);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_SENT), 2);
    by_hand_close(&nic);
}

SPEC("§19.6: a window of three packets is not spaced, nor is any of NSCC")
{
    open_paced(3);
    post_packets(A, 3);
    EXPECT_EQ(by_hand_send(&nic), 3);
    by_hand_close(&nic);
    open_with_window(2);
    by_hand_connect(&nic, A);
    post_packets(A, 2);
    EXPECT_EQ(by_hand_send(&nic), 2);
    by_hand_close(&nic);
}

SPEC("§19.6: packets of all QPs to a peer are spaced, those to another peer are not")
{
    open_paced(2);
    by_hand_connect(&nic, B);
    nic.peer = 2;
    by_hand_connect(&nic, C);
    post_packets(A, 1);
    post_packets(B, 1);
    post_packets(C, 1);
    EXPECT_EQ(by_hand_send(&nic), 2);
    EXPECT_EQ(by_hand_sender(&nic.sent[0]), A);
    EXPECT_EQ(by_hand_sender(&nic.sent[1]), C);
    by_hand_wait(&nic, BASE_RTT_NS / 2 + 256);
    EXPECT_EQ(nic.sent_count, 1);
    EXPECT_EQ(by_hand_sender(&nic.sent[0]), B);
    by_hand_close(&nic);
}

SPEC("§19.6: where the window is less than a packet, a packet that was trimmed waits for its time")
{
    struct packet nack;
    uint64_t sent_ns;

    open_paced(1);
    post_packets(A, 1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    sent_ns = nic.now_ns;
    nic.now_ns += BASE_RTT_NS / 2;
    nack = by_hand_nack(&nic, A, &nic.sent[0], NACK_TRIMMED);
    EXPECT_EQ(by_hand_receive(&nic, &nack), DROP_NONE);
    EXPECT_LT(status_of(A).window_bytes, FULL_BYTES);
    EXPECT_EQ(by_hand_send(&nic), 0);
    while (by_hand_count(&nic, COUNTER_DATA_RETRANSMITTED) == 0) {
        nic.now_ns = transport_deadline_ns(nic.transport);
        transport_expire(nic.transport, nic.now_ns);
        by_hand_send(&nic);
    }
    EXPECT_GE(nic.now_ns, sent_ns + BASE_RTT_NS);
    EXPECT_LE(nic.now_ns, sent_ns + BASE_RTT_NS + 256);
    by_hand_close(&nic);
}

/* ---- the base RTT ---------------------------------------------------------------------------- */

/* The peer has what our QP has sent up to this number; the SACK answers the first of `nic.sent`. */
static void acknowledge(uint32_t qpn, int32_t last)
{
    struct packet sack = by_hand_sack(&nic, qpn, psn_add(psn(BY_HAND_SQ_PSN), last));

    sack.sack.tx_timestamp = nic.sent[0].write.tx_timestamp;
    sack.sack.entropy = nic.sent[0].ev;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
}

static void answer_probe(uint32_t qpn, int32_t last)
{
    const struct packet *probe = by_hand_first(&nic, OPCODE_PROBE);
    struct packet sack = by_hand_sack(&nic, qpn, psn_add(psn(BY_HAND_SQ_PSN), last));

    sack.sack.answers_probe = true;
    sack.sack.probe_id = probe->probe.probe_id;
    sack.sack.tx_timestamp = probe->probe.tx_timestamp;
    sack.sack.entropy = probe->ev;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
}

SPEC("§19.3: after its first SACK a QP measures the base RTT, by a probe in the control class")
{
    const struct packet *probe;

    open_with_window(100);
    by_hand_connect(&nic, A);
    post_packets(A, 1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    nic.now_ns += 3 * BASE_RTT_NS;
    acknowledge(A, 0);
    EXPECT_EQ(status_of(A).base_rtt_ns, BASE_RTT_NS);
    EXPECT_EQ(by_hand_send(&nic), 1);
    probe = by_hand_first(&nic, OPCODE_PROBE);
    EXPECT_EQ(probe->class, DSCP_CONTROL);
    EXPECT_EQ(probe->ecn, ECN_NOT_ECT);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_BASE_RTT_PROBES), 1);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TAIL_PROBES), 0);
    nic.now_ns += 6400;
    answer_probe(A, 0);
    EXPECT_GE(status_of(A).base_rtt_ns, 6400);
    EXPECT_LE(status_of(A).base_rtt_ns, 6400 + STAMP_UNIT_NS + 1);
    EXPECT_EQ(transport_qp_paths(nic.transport, A)->timing.base_rtt_ns, status_of(A).base_rtt_ns);
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_close(&nic);
}

SPEC("§19.3: probes that were not sent for it, and short packets, do not lower the base RTT")
{
    open_with_window(100);
    by_hand_connect(&nic, A);
    EXPECT_EQ(by_hand_post(&nic, A, 1, 64, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    nic.now_ns += BASE_RTT_NS / 2;
    acknowledge(A, 0); /* 64 bytes */
    EXPECT_EQ(status_of(A).base_rtt_ns, BASE_RTT_NS);
    EXPECT_EQ(by_hand_send(&nic), 1);
    nic.now_ns += BASE_RTT_NS + 256;
    answer_probe(A, 0);
    post_packets(A, 1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    while (by_hand_count(&nic, COUNTER_TAIL_PROBES) == 0) {
        nic.now_ns = transport_deadline_ns(nic.transport);
        transport_expire(nic.transport, nic.now_ns);
        by_hand_send(&nic);
    }
    nic.now_ns += BASE_RTT_NS / 2;
    answer_probe(A, 0);
    EXPECT_EQ(status_of(A).base_rtt_ns, BASE_RTT_NS);
    by_hand_close(&nic);
}

SPEC("§19.3: full packets lower the base RTT, for all QPs to the peer")
{
    open_with_window(100);
    by_hand_connect(&nic, A);
    by_hand_connect(&nic, B);
    nic.peer = 2;
    by_hand_connect(&nic, C);
    post_packets(A, 1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    nic.now_ns += 6400;
    acknowledge(A, 0);
    EXPECT_GE(status_of(B).base_rtt_ns, 6400);
    EXPECT_LE(status_of(B).base_rtt_ns, 6400 + 64 + 1);
    EXPECT_EQ(status_of(C).base_rtt_ns, BASE_RTT_NS);
    by_hand_close(&nic);
}

/* 4 us, and 2 us for each KiB of a packet's nominal size. */
static const struct transport_rtt known = {
    .fixed_ns = 4000, .per_kib_ns = 2000, .packet_ns = 100
};

SPEC("§19.3: a given base RTT applies to the QPs to that address, and is not measured")
{
    static struct cc_profile other;
    struct ipv6_addr peer = by_hand_address(1);
    uint32_t base_rtt_ns = 4000 + 2000 * FULL_BYTES / 1024;

    open_with_window(100);
    by_hand_connect(&nic, A);
    other = nic.cc;
    nic.init.cc = &other; /* another destination with the same address */
    by_hand_connect(&nic, B);
    nic.peer = 2;
    by_hand_connect(&nic, C);
    transport_set_rtt(nic.transport, &peer, &known);
    EXPECT_EQ(status_of(A).base_rtt_ns, base_rtt_ns);
    EXPECT_EQ(status_of(B).base_rtt_ns, base_rtt_ns);
    EXPECT_EQ(status_of(C).base_rtt_ns, BASE_RTT_NS);
    post_packets(A, 1);
    EXPECT_EQ(by_hand_send(&nic), 1);
    nic.now_ns += base_rtt_ns / 2; /* cannot be, and changes nothing */
    acknowledge(A, 0);
    EXPECT_EQ(status_of(A).base_rtt_ns, base_rtt_ns);
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_BASE_RTT_PROBES), 0);
    by_hand_close(&nic);
}

SPEC("a reordering window of a base RTT follows the given base RTT")
{
    struct ipv6_addr peer = by_hand_address(1);
    struct qp_status before;

    open_with_window(100);
    by_hand_connect(&nic, A);
    before = status_of(A);
    transport_set_rtt(nic.transport, &peer, &(struct transport_rtt){ .fixed_ns = 50000 });
    EXPECT_EQ(before.reorder_window_ns, BASE_RTT_NS);
    EXPECT_EQ(status_of(A).reorder_window_ns, 50000);
    by_hand_close(&nic);
}

SPEC("§13: no timeout ends sooner than 25 base RTTs")
{
    struct ipv6_addr peer = by_hand_address(1);
    struct qp_attributes attributes = { .timeout = 4 }; /* 16 us */

    open_with_window(100);
    by_hand_connect(&nic, A);
    EXPECT_EQ(transport_qp_modify(nic.transport, A, &attributes, QP_ATTR_TIMEOUT, nic.now_ns), 0);
    transport_set_rtt(nic.transport, &peer, &(struct transport_rtt){ .fixed_ns = 40000 });
    post_packets(A, 1);
    by_hand_send(&nic);
    by_hand_wait(&nic, 25 * 40000 - 64);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TIMEOUT_FIRED), 0);
    by_hand_wait(&nic, 64 + 256);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TIMEOUT_FIRED), 1);
    by_hand_close(&nic);
}

SPEC("§15: the first probe of a bad EV waits for two given base RTTs")
{
    struct ipv6_addr peer = by_hand_address(1);

    open_with_window(100);
    by_hand_connect(&nic, A);
    transport_set_rtt(nic.transport, &peer, &(struct transport_rtt){ .fixed_ns = 2000000 });
    path_on_mark(transport_qp_paths(nic.transport, A), 2, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    by_hand_wait(&nic, 2900000); /* 4 ms, less a quarter */
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_PROBES), 0);
    by_hand_wait(&nic, 2200000);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_PROBES), 1);
    by_hand_close(&nic);
}

SPEC("§18: ports that a peer reported while it had live QPs are forgotten once all of them have "
     "failed")
{
    static struct cc_profile other;
    struct packet update;
    uint32_t planes = 0;

    open_with_window(100);
    by_hand_connect(&nic, A);
    update = by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_PORT_STATUS_UPDATE, 5);
    update.endpoint.port_status_mask = 1u << 1;
    EXPECT_EQ(by_hand_receive(&nic, &update), DROP_NONE);
    EXPECT_EQ(by_hand_move(&nic, A, QP_ERR), 0);
    other = nic.cc;
    nic.init.cc = &other;
    by_hand_connect(&nic, B);
    post_packets(B, 8);
    by_hand_send(&nic);
    for (uint32_t i = 0; i < nic.sent_count; i++)
        planes |= opcode_is_write(nic.sent[i].opcode) ? 1u << nic.sent[i].port : 0;
    EXPECT_EQ(planes, 3);
    by_hand_close(&nic);
}

SPEC("§19.6: engines of a NIC share the window to a destination; other NICs do not")
{
    struct ipv6_addr stranger = by_hand_address(77);
    struct ipv6_addr acquainted = by_hand_address(1);
    uint32_t alone_bytes;

    open_with_window(8);
    by_hand_connect(&nic, A);
    alone_bytes = status_of(A).window_bytes;
    transport_set_sharers(nic.transport, &stranger, 1);
    EXPECT_EQ(status_of(A).window_bytes, alone_bytes);
    transport_set_sharers(nic.transport, &acquainted, 1);
    EXPECT_EQ(status_of(A).window_bytes, alone_bytes / 2);
    by_hand_close(&nic);
}

SPEC("§19.6: sharing the window to one destination does not concern another")
{
    struct ipv6_addr first = by_hand_address(1);
    uint32_t alone_bytes;

    open_with_window(8);
    by_hand_connect(&nic, A);
    nic.peer = 2;
    by_hand_connect(&nic, B);
    alone_bytes = status_of(B).window_bytes;
    transport_set_sharers(nic.transport, &first, 1);
    EXPECT_EQ(status_of(A).window_bytes, alone_bytes / 2);
    EXPECT_EQ(status_of(B).window_bytes, alone_bytes);
    by_hand_close(&nic);
}

/* ---- what a destination starts with ---------------------------------------------------------- */

static struct peer *peer_of(uint32_t qpn)
{
    return nic_find(nic.transport, qpn)->env.peer;
}

SPEC("§18: another destination with the same address knows the updates of all engines there")
{
    static struct cc_profile other;

    open_with_window(8);
    by_hand_connect(&nic, A);
    for (uint16_t engine = 0; engine < 2; engine++) {
        struct packet update = by_hand_endpoint(
            &nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_PORT_STATUS_UPDATE, 5 + engine);

        update.endpoint.port_status_mask = 1u << 1;
        update.endpoint.incarnation = (uint8_t)(2 * TRANSPORT_ENGINES_MAX + engine);
        EXPECT_EQ(by_hand_receive(&nic, &update), DROP_NONE);
    }
    other = nic.cc;
    nic.init.cc = &other;
    by_hand_connect(&nic, B);
    EXPECT_EQ(peer_of(B)->ports, 1);
    EXPECT_EQ(peer_of(B)->updates_known, 3);
    EXPECT_EQ(peer_of(B)->update_engine, 1);
    for (uint32_t engine = 0; engine < 2; engine++) {
        EXPECT_EQ(peer_of(B)->update_seen[engine], 5 + engine);
        EXPECT_EQ(peer_of(B)->incarnations[engine], 2 * TRANSPORT_ENGINES_MAX + engine);
    }
    by_hand_close(&nic);
}

/* The profile of all QPs, whose planes have paths of these lengths. */
static struct path_profile weighted_paths(bool is_rough)
{
    struct path_profile weighted = nic.profile;

    weighted.is_weighted = true;
    weighted.is_rough = is_rough;
    weighted.plane_extras[0] = -10;
    weighted.plane_extras[1] = 10;
    return weighted;
}

SPEC("§19: paths to a destination vary if they have weights and the plan is rough")
{
    for (uint32_t i = 0; i < 4; i++) {
        struct path_profile paths;

        by_hand_prepare(&nic);
        nic.config.parameters.ev_weights = i < 2 ? EV_WEIGHTS_EQUAL : EV_WEIGHTS_PLAN;
        by_hand_open(&nic);
        paths = weighted_paths(i % 2 == 1);
        nic.init.paths = &paths;
        by_hand_connect(&nic, A);
        EXPECT_EQ(peer_of(A)->cc.paths_vary, i == 3);
        by_hand_close(&nic);
    }
}

SPEC("§14.1: a given base RTT changes the shares of planes, except for a QP that only receives")
{
    struct ipv6_addr peer = by_hand_address(1);

    for (uint32_t i = 0; i < 3; i++) {
        struct path_profile paths;

        by_hand_prepare(&nic);
        nic.config.parameters.ev_weights = EV_WEIGHTS_PLAN;
        by_hand_open(&nic);
        paths = weighted_paths(false);
        nic.init.paths = &paths;
        nic.init.borrows = i == 1;
        nic.init.window_psns_max = i == 2 ? 0 : nic.init.window_psns_max;
        by_hand_connect(&nic, A);
        peer_of(A)->planes.weight[0] = PLANES_EQUAL;
        transport_set_rtt(
            nic.transport, &peer, &(struct transport_rtt){ .fixed_ns = 100 * PATH_EXTRA_NS });
        EXPECT_EQ(peer_of(A)->planes.weight[0] < PLANES_EQUAL, i < 2);
        by_hand_close(&nic);
    }
}

SPEC("§19: destinations count while at least one QP can send to them")
{
    const uint32_t *count;

    open_with_window(8);
    count = &nic.transport->env.destination_count;
    by_hand_connect(&nic, A);
    by_hand_connect(&nic, B);
    EXPECT_EQ(*count, 1);
    nic.peer = 2;
    by_hand_connect(&nic, C);
    EXPECT_EQ(*count, 2);
    EXPECT_EQ(transport_qp_destroy(nic.transport, A), 0);
    EXPECT_EQ(*count, 2);
    EXPECT_EQ(by_hand_move(&nic, B, QP_ERR), 0);
    EXPECT_EQ(*count, 1);
    nic.init.window_psns_max = 0;
    by_hand_connect(&nic, A);
    EXPECT_EQ(*count, 1);
    by_hand_close(&nic);
}

SPEC("§19: a destination that is used first while a port is down has the rate of the others")
{
    double both;

    open_with_window(8);
    by_hand_connect(&nic, A);
    both = peer_of(A)->cc.bytes_per_ns;
    transport_ports_changed(nic.transport, 1, nic.now_ns);
    nic.peer = 2;
    by_hand_connect(&nic, B);
    EXPECT(peer_of(B)->cc.bytes_per_ns == both / 2);
    by_hand_close(&nic);
}

SPEC("a timer of a destination that is set for later does not replace an earlier one")
{
    open_with_window(8);
    by_hand_connect(&nic, A);
    peer_arm(nic.transport, peer_of(A), nic.now_ns + 100000);
    peer_arm(nic.transport, peer_of(A), nic.now_ns + 10000000);
    EXPECT_LE(transport_deadline_ns(nic.transport), nic.now_ns + 100000 + 256);
    by_hand_close(&nic);
}

/* ---- slow destinations ----------------------------------------------------------------------- */

/* A QP whose paths on plane 1 are longer, with many packets to send. */
static void open_rough(bool is_rough, bool uses_weights)
{
    static struct path_profile paths;
    static struct path_entry entries[BY_HAND_EVS];

    by_hand_prepare(&nic);
    nic.config.parameters.ev_weights = uses_weights ? EV_WEIGHTS_PLAN : EV_WEIGHTS_EQUAL;
    nic.config.parameters.ev_skip = EV_SKIP_DELAY;
    nic.config.parameters.max_cwnd = 200 * FULL_BYTES;
    nic.rtt = (struct transport_rtt){ .fixed_ns = BASE_RTT_NS };
    by_hand_open(&nic);
    memcpy(entries, nic.entries, sizeof(entries));
    paths = weighted_paths(is_rough);
    paths.entries = entries;
    for (uint32_t i = BY_HAND_EVS / 2; i < BY_HAND_EVS; i++)
        entries[i].extra = 100;
    nic.init.paths = &paths;
    by_hand_connect(&nic, A);
}

/* Sends this many packets more, and ends a round in which none was acknowledged. */
static void end_round_after(uint32_t packets)
{
    struct packet sack = by_hand_sack(&nic, A, psn_add(psn(BY_HAND_SQ_PSN), -1));
    struct peer *peer = peer_of(A);

    if (packets > 0)
        post_packets(A, packets);
    EXPECT_EQ(by_hand_send(&nic), packets);
    peer->planes.round_end_ns = nic.now_ns;
    peer->planes.sample_count = UINT16_MAX;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
}

static bool holds_shares(void)
{
    return transport_qp_paths(nic.transport, A)->holds_shares;
}

SPEC(
    "§14.1: a destination with less than an eighth of the rate for two rounds keeps to near planes")
{
    open_rough(true, true);
    end_round_after(56);
    EXPECT(!holds_shares());
    EXPECT_EQ(peer_of(A)->near_planes, 0);
    for (uint32_t i = 0; i < 300; i++) {
        end_round_after(0);
        EXPECT(holds_shares());
        EXPECT_EQ(peer_of(A)->near_planes, 1);
    }
    end_round_after(1); /* 57 of 449.6 packets */
    EXPECT(!holds_shares());
    EXPECT_EQ(peer_of(A)->near_planes, 0);
    by_hand_close(&nic);
}

SPEC("§14.1: it uses all planes if it fills half of its window")
{
    open_rough(true, true);
    end_round_after(10);
    peer_of(A)->cc.window_bytes = 20 * FULL_BYTES + 1;
    end_round_after(0);
    EXPECT_EQ(peer_of(A)->near_planes, 1);
    peer_of(A)->cc.window_bytes = 20 * FULL_BYTES;
    end_round_after(0);
    EXPECT_EQ(peer_of(A)->near_planes, 0);
    EXPECT(holds_shares());
    by_hand_close(&nic);
}

SPEC("§14.1: it uses all planes if paths have no weights, or the plan is not rough")
{
    for (uint32_t i = 0; i < 2; i++) {
        open_rough(i == 0, i == 1);
        end_round_after(1);
        end_round_after(0);
        EXPECT_EQ(peer_of(A)->near_planes, 0);
        EXPECT(!holds_shares());
        by_hand_close(&nic);
    }
}
