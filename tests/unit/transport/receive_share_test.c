/* SPDX-License-Identifier: Apache-2.0 */
/* The shares of senders at a receiving NIC (docs/protocol.md §20). */
#include "by_hand.h"
#include "spec.h"
#include "transport/nic.h"

enum {
    QPN = 7, /* of the first peer; each peer has one QP */
    PEERS = 4,
    RTT_NS = 40000,
    ROUND_NS = 3 * RTT_NS,
    FULL_PACKETS = 250, /* of 1,190 bytes: what both ports receive in a round */
    LOW = 1,
    GROWS = 2,
    HOLD = 3,
};

#define PORT_BPS UINT64_C(10000000000)

static struct by_hand nic;
static uint32_t next_psn[PEERS];
static bool uses_one_port;

static void connect_peer(uint32_t index)
{
    nic.peer = 1 + index;
    by_hand_connect(&nic, QPN + index);
    next_psn[index] = BY_HAND_RQ_PSN;
}

static void open_as(enum parameter_receiver_penalty penalty)
{
    by_hand_prepare(&nic);
    uses_one_port = false;
    nic.config.parameters.receiver_penalty = penalty;
    nic.config.parameters.congestion_control = CONGESTION_CONTROL_FAIR;
    nic.config.parameters.link_bps = 2 * PORT_BPS;
    nic.config.parameters.base_rtt = RTT_NS;
    by_hand_open(&nic);
    for (uint32_t i = 0; i < PEERS; i++)
        connect_peer(i);
}

/* Packets arrive at both ports in turn, or at one. */
static struct packet next_of(uint32_t index)
{
    uint32_t number = next_psn[index]++;
    struct packet packet = by_hand_write(
        &nic, QPN + index, OPCODE_WRITE_ONLY, psn_add(psn(0), (int32_t)number), BY_HAND_PMTU_BYTES);

    packet.port = (uint8_t)(uses_one_port ? 0 : number % 2);
    return packet;
}

static void arrive(uint32_t index, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct packet packet = next_of(index);

        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    }
}

static void arrive_trimmed(uint32_t index, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct packet packet = next_of(index);

        packet.class = DSCP_TRIMMED_LASTHOP;
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_TRIMMED);
    }
    next_psn[index] -= count; /* they are sent again */
}

/* Lets a packet of the peer trigger a SACK, and returns it. */
static struct packet_sack sack_of(uint32_t index)
{
    struct packet packet = next_of(index);

    packet.flags |= PACKET_ACK_REQUEST;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    by_hand_send(&nic);
    EXPECT(by_hand_first(&nic, OPCODE_SACK));
    return by_hand_first(&nic, OPCODE_SACK)->sack;
}

static uint32_t penalty_of(uint32_t index)
{
    return sack_of(index).window_penalty;
}

/* Ends the current round, and then one in which these packets arrive. */
static void pass_round(uint32_t first, uint32_t second, uint32_t third)
{
    by_hand_wait(&nic, ROUND_NS);
    sack_of(PEERS - 1);
    arrive(0, first);
    arrive(1, second);
    arrive(2, third);
    by_hand_wait(&nic, ROUND_NS);
    sack_of(PEERS - 1);
}

SPEC("§20: at full ports a sender with more than others is slowed down, and the others are not")
{
    open_as(RECEIVER_PENALTY_SHARE);
    pass_round(FULL_PACKETS - 60, 40, 20);
    /* All may have 0.95 of 251 packets, so the first 177 of its 190: 128 (1 - 177 / 190) / 3 = 2.
     */
    EXPECT_EQ(penalty_of(0), HOLD);
    EXPECT_EQ(penalty_of(1), LOW);
    EXPECT_EQ(penalty_of(2), LOW);
    EXPECT(!sack_of(0).restore_window);
    by_hand_close(&nic);
}

SPEC("§20: a sender that has nearly its share keeps its window, and one that has less grows")
{
    open_as(RECEIVER_PENALTY_SHARE);
    pass_round(165, 80, 15); /* shares of 152: 80 is between a half and 0.85 of that */
    EXPECT_GE(penalty_of(0), HOLD);
    EXPECT_EQ(penalty_of(1), GROWS);
    EXPECT_EQ(penalty_of(2), LOW);
    pass_round(120, 105, 25); /* 106 */
    EXPECT_EQ(penalty_of(1), HOLD);
    by_hand_close(&nic);
}

SPEC("§20: exactly half of a share is little, and exactly 0.85 of it lets a sender grow")
{
    open_as(RECEIVER_PENALTY_SHARE);
    pass_round(82, 177, 0); /* 0.95 of 260 packets, less 82 + 1: a share of 164 */
    EXPECT_EQ(penalty_of(0), LOW);
    pass_round(83, 177, 0);
    EXPECT_EQ(penalty_of(0), GROWS);
    pass_round(340, 439, 0); /* 0.95 of 780 packets, less 340 + 1: a share of 400 */
    EXPECT_EQ(penalty_of(0), GROWS);
    pass_round(341, 439, 0);
    EXPECT_EQ(penalty_of(0), HOLD);
    by_hand_close(&nic);
}

SPEC("§20: of two senders at full ports, one can be slowed down")
{
    open_as(RECEIVER_PENALTY_SHARE);
    pass_round(FULL_PACKETS, 0, 0);
    EXPECT_EQ(penalty_of(0), HOLD);
    by_hand_close(&nic);
}

SPEC("§20: no sender is slowed down if so little arrives that no port is in use")
{
    open_as(RECEIVER_PENALTY_SHARE);
    pass_round(5, 5, 5);
    EXPECT_EQ(penalty_of(0), 0);
    by_hand_close(&nic);
}

/* The first peer answers a packet of ours `count` times each with a SACK, a NACK and an ACK. */
static void answer_each(const struct packet *ours, uint32_t count)
{
    struct psn before = psn_add(ours->psn, -1);
    struct packet answers[3] = { by_hand_sack(&nic, QPN, before),
        by_hand_nack(&nic, QPN, ours, NACK_TRIMMED), by_hand_ack(&nic, QPN, before, 0) };

    for (uint32_t i = 0; i < 3 * count; i++)
        EXPECT_EQ(by_hand_receive(&nic, &answers[i % 3]), DROP_NONE);
}

SPEC("§20: answers to our own data take a part of the ports, in the round in which they arrive")
{
    static const uint32_t expected[] = { 0, HOLD, GROWS };
    struct packet ours;

    open_as(RECEIVER_PENALTY_SHARE);
    EXPECT_EQ(by_hand_post(&nic, QPN, 1, BY_HAND_PMTU_BYTES, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    ours = nic.sent[0];
    for (uint32_t i = 0; i < 3; i++) {
        by_hand_wait(&nic, ROUND_NS);
        sack_of(PEERS - 1);
        arrive(0, FULL_PACKETS - 80);
        arrive(1, 60);                       /* 0.92 of what both ports receive in a round */
        answer_each(&ours, i == 1 ? 40 : 0); /* 120 of 178 bytes: 0.07 of it */
        by_hand_wait(&nic, ROUND_NS);
        sack_of(PEERS - 1);
        EXPECT_EQ(penalty_of(0), expected[i]);
    }
    by_hand_close(&nic);
}

/* Ends a round in which this many peers send. Returns how long the next one lasts. */
static uint64_t next_round_us(uint32_t senders)
{
    for (uint32_t i = 1; i < senders; i++)
        arrive(i - 1, 1);
    by_hand_wait(&nic, 10 * 1000000);
    sack_of(PEERS - 1);
    return (nic.transport->share.end_ns - nic.transport->share.begin_ns) / 1000;
}

SPEC("§20: a round lasts three round trips, or until each sender can have sent four packets")
{
    open_as(RECEIVER_PENALTY_SHARE);
    EXPECT_EQ(next_round_us(4), ROUND_NS / 1000);
    transport_set_port_rate(nic.transport, 0, PORT_BPS / 100);
    transport_set_port_rate(nic.transport, 1, PORT_BPS / 50);
    EXPECT_EQ(next_round_us(4), 1818); /* 4 * 4 * 4262 bytes at 300 Mb/s */
    EXPECT_EQ(next_round_us(2), 909);
    transport_ports_changed(nic.transport, 1, nic.now_ns);
    EXPECT_EQ(next_round_us(2), 2727);
    by_hand_close(&nic);
}

SPEC("§20: no sender is slowed down while the ports have room, nor a single one at full ports")
{
    open_as(RECEIVER_PENALTY_SHARE);
    pass_round(FULL_PACKETS - 80, 40, 20);
    EXPECT_EQ(penalty_of(0), 0);
    by_hand_wait(&nic, ROUND_NS);
    sack_of(0);
    arrive(0, FULL_PACKETS);
    by_hand_wait(&nic, ROUND_NS);
    EXPECT_EQ(penalty_of(0), 0);
    by_hand_close(&nic);
}

SPEC("§20: packets that our ports trimmed count as sent, so that senders shrink by their part")
{
    uint32_t without;

    open_as(RECEIVER_PENALTY_SHARE);
    pass_round(130, 120, 0);
    without = penalty_of(0);
    by_hand_wait(&nic, ROUND_NS);
    sack_of(PEERS - 1);
    arrive(0, 130);
    arrive(1, 120);
    arrive_trimmed(0, 100);
    by_hand_wait(&nic, ROUND_NS);
    sack_of(PEERS - 1);
    EXPECT_GT(penalty_of(0), without + 10);
    EXPECT_LE(penalty_of(1), HOLD);
    pass_round(130, 120, 0); /* without any again */
    EXPECT_EQ(penalty_of(0), without);
    by_hand_close(&nic);
}

SPEC("§20: a penalty lasts one round, and a sender that paused has none")
{
    open_as(RECEIVER_PENALTY_SHARE);
    pass_round(FULL_PACKETS - 60, 40, 20);
    by_hand_wait(&nic, ROUND_NS);
    sack_of(PEERS - 1); /* the other one has sent nothing */
    EXPECT_EQ(penalty_of(0), 0);
    by_hand_close(&nic);
}

SPEC("§20: each port is compared with its own rate, and those at which little arrives do not count")
{
    open_as(RECEIVER_PENALTY_SHARE);
    transport_set_port_rate(nic.transport, 0, 2 * PORT_BPS);
    pass_round(FULL_PACKETS - 60, 40, 20);
    EXPECT_EQ(penalty_of(0), 0); /* one of three parts is full */
    by_hand_close(&nic);
    open_as(RECEIVER_PENALTY_SHARE);
    pass_round(80, 30, 20);
    EXPECT_EQ(penalty_of(0), 0);
    uses_one_port = true;
    pass_round(80, 30, 20);
    EXPECT_GE(penalty_of(0), HOLD);
    by_hand_close(&nic);
    open_as(RECEIVER_PENALTY_SHARE);
    transport_set_port_rate(nic.transport, 0, PORT_BPS / 2);
    transport_set_port_rate(nic.transport, 1, PORT_BPS / 2);
    pass_round(80, 30, 20);
    EXPECT_GE(penalty_of(0), HOLD);
    by_hand_close(&nic);
}

/* As arrive(), all at one port. The last packet triggers a SACK. */
static void arrive_at(uint32_t port, uint32_t index, uint32_t count)
{
    for (uint32_t i = 1; i <= count; i++) {
        struct packet packet = next_of(index);

        packet.port = (uint8_t)port;
        packet.flags |= i == count ? PACKET_ACK_REQUEST : 0;
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    }
    by_hand_send(&nic);
}

/* Returns the penalty of the first peer after a round of 190,400 ns in which these packets arrive
 * at the ports: 25 are an eighth of the rate of a port, and 194 are 0.97 of it. At the second port,
 * some that were trimmed elsewhere also arrive. */
static uint32_t penalty_with_ports(uint32_t first, uint32_t second, uint32_t trimmed)
{
    uint32_t penalty;

    open_as(RECEIVER_PENALTY_SHARE);
    by_hand_wait(&nic, ROUND_NS);
    sack_of(0);
    arrive_at(0, 0, first - 1);
    arrive_at(1, 0, second);
    for (uint32_t i = 0; i < trimmed; i++) {
        struct packet packet = next_of(0);

        packet.port = 1;
        packet.class = DSCP_TRIMMED;
        EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_TRIMMED);
        next_psn[0]--;
    }
    nic.now_ns = nic.transport->share.begin_ns + 190400;
    arrive_at(0, 1, 1);
    penalty = penalty_of(0);
    by_hand_close(&nic);
    return penalty;
}

SPEC("§20: a port is full from 0.97 of its rate on, and others in use are those with an eighth")
{
    EXPECT_EQ(penalty_with_ports(24, 193, 0), 0);
    EXPECT_EQ(penalty_with_ports(24, 194, 0), HOLD);
    EXPECT_EQ(penalty_with_ports(25, 194, 0), 0);
    EXPECT_EQ(penalty_with_ports(193, 194, 0), 0);
    EXPECT_EQ(penalty_with_ports(194, 194, 0), HOLD);
}

SPEC("§20: of a packet that was trimmed elsewhere, the header takes a part of the port")
{
    EXPECT_EQ(penalty_with_ports(24, 193, 7), 0); /* 7 * 166 bytes are less than a packet */
    EXPECT_EQ(penalty_with_ports(24, 193, 8), HOLD);
}

SPEC("§20: the NIC is full if ports with four fifths of the rate of those in use are")
{
    for (uint32_t i = 0; i < 2; i++) {
        open_as(RECEIVER_PENALTY_SHARE);
        transport_set_port_rate(nic.transport, 0, (8 - i) * PORT_BPS / 10);
        transport_set_port_rate(nic.transport, 1, (2 + i) * PORT_BPS / 10);
        by_hand_wait(&nic, ROUND_NS);
        sack_of(0);
        arrive_at(0, 0, 120);
        arrive_at(1, 1, 10);
        by_hand_wait(&nic, ROUND_NS);
        EXPECT_EQ(penalty_of(0), i == 0 ? HOLD : 0);
        by_hand_close(&nic);
    }
}

SPEC("§20: a single sender has no penalty after full rounds either, and causes no such rounds")
{
    open_as(RECEIVER_PENALTY_SHARE);
    pass_round(FULL_PACKETS - 60, 40, 20);
    by_hand_wait(&nic, ROUND_NS);
    EXPECT_EQ(penalty_of(0), 0);
    by_hand_close(&nic);

    open_as(RECEIVER_PENALTY_SHARE);
    by_hand_wait(&nic, ROUND_NS);
    sack_of(0);
    arrive(0, FULL_PACKETS);
    by_hand_wait(&nic, ROUND_NS);
    sack_of(0);
    arrive(1, 40);
    by_hand_wait(&nic, ROUND_NS);
    EXPECT_EQ(penalty_of(0), 0);
    by_hand_close(&nic);
}

SPEC("§20: for some rounds after full ones, senders are not slowed down, but keep to usual targets")
{
    open_as(RECEIVER_PENALTY_SHARE);
    pass_round(FULL_PACKETS - 60, 40, 20);
    for (uint32_t i = 0; i < 20; i++) {
        by_hand_wait(&nic, ROUND_NS);
        arrive(0, 20);
        arrive(1, 20);
        sack_of(0);
        sack_of(1);
    }
    EXPECT_EQ(penalty_of(0), 0);
    pass_round(FULL_PACKETS - 60, 40, 20);
    arrive(0, 20);
    arrive(1, 20);
    by_hand_wait(&nic, ROUND_NS);
    sack_of(PEERS - 1);
    EXPECT_EQ(penalty_of(0), GROWS);
    by_hand_close(&nic);
}

/* ---- ports with room --------------------------------------------------------------------------*/

/* Port 1 has four fifths of the rate and receives 102 packets in a round, which fill it; 25 fill
 * port 0. */
static void open_with_unequal_ports(void)
{
    open_as(RECEIVER_PENALTY_SHARE);
    transport_set_port_rate(nic.transport, 0, 2 * PORT_BPS / 10);
    transport_set_port_rate(nic.transport, 1, 8 * PORT_BPS / 10);
    by_hand_wait(&nic, ROUND_NS);
    sack_of(PEERS - 1);
}

/* Ends a round in which port 1 is full, and the first peer alone has sent to port 0. Returns its
 * penalty. */
static uint32_t penalty_beside_full_port(uint32_t alone, uint32_t trimmed)
{
    arrive_at(1, 0, 20);
    arrive_at(1, 1, 41);
    arrive_at(1, 2, 41);
    arrive_at(0, 0, alone);
    uses_one_port = true;
    arrive_trimmed(0, trimmed);
    uses_one_port = false;
    by_hand_wait(&nic, ROUND_NS);
    sack_of(PEERS - 1);
    return nic.transport->peers[0].share_penalty;
}

SPEC("§20: what a sender sends to a port with room beside full ones does not count")
{
    open_with_unequal_ports();
    EXPECT_GE(penalty_beside_full_port(21, 0), HOLD); /* the port is found to have room */
    EXPECT_EQ(penalty_beside_full_port(21, 0), GROWS);
    EXPECT_EQ(penalty_beside_full_port(10, 10), GROWS);
    by_hand_close(&nic);
}

SPEC("§20: a port has room below nine tenths of its rate")
{
    open_with_unequal_ports();
    EXPECT_GE(penalty_beside_full_port(23, 0), HOLD);
    EXPECT_GE(penalty_beside_full_port(23, 0), HOLD);
    EXPECT_GE(penalty_beside_full_port(22, 0), HOLD);
    EXPECT_EQ(penalty_beside_full_port(23, 0), GROWS);
    by_hand_close(&nic);
}

SPEC("§20: a port that had room beside full ones counts again after sixteen rounds")
{
    open_with_unequal_ports();
    penalty_beside_full_port(21, 0);
    for (uint32_t i = 0; i < 16; i++)
        EXPECT_EQ(penalty_beside_full_port(24, 0), GROWS);
    EXPECT_GE(penalty_beside_full_port(24, 0), HOLD);
    by_hand_close(&nic);
}

SPEC("§20: while the NIC is not full, ports with room count")
{
    open_with_unequal_ports();
    for (uint32_t i = 0; i < 2; i++) {
        arrive_at(1, 0, 60);
        arrive_at(0, 0, 10);
        by_hand_wait(&nic, ROUND_NS);
        sack_of(PEERS - 1);
    }
    EXPECT_EQ(nic.transport->share.apart_mask, 0);
    by_hand_close(&nic);
}

SPEC("§20: a sender whose QP is destroyed within a round is forgotten after it")
{
    open_as(RECEIVER_PENALTY_SHARE);
    for (uint32_t i = 0; i < 3; i++) {
        by_hand_wait(&nic, ROUND_NS);
        sack_of(PEERS - 1);
        arrive(0, FULL_PACKETS - 60);
        arrive(1, 40);
        EXPECT_EQ(transport_qp_destroy(nic.transport, QPN + 1), 0);
        connect_peer(1);
        arrive(1, 40);
        by_hand_wait(&nic, ROUND_NS);
        EXPECT_GE(penalty_of(0), HOLD);
        EXPECT_EQ(penalty_of(1), LOW);
    }
    by_hand_close(&nic);
}

SPEC("§20: nothing is judged if the sender of most trimmed packets left within the round")
{
    open_as(RECEIVER_PENALTY_SHARE);
    by_hand_wait(&nic, ROUND_NS);
    sack_of(PEERS - 1);
    arrive(0, FULL_PACKETS);
    arrive_trimmed(1, FULL_PACKETS + 50);
    EXPECT_EQ(transport_qp_destroy(nic.transport, QPN + 1), 0);
    connect_peer(1);
    by_hand_wait(&nic, ROUND_NS);
    EXPECT_EQ(penalty_of(0), 0);
    by_hand_close(&nic);
}

SPEC("§20: nothing is judged while no port is usable")
{
    open_as(RECEIVER_PENALTY_SHARE);
    EXPECT_LT(nic.transport->share.end_ns, UINT64_MAX);
    transport_ports_changed(nic.transport, 0, nic.now_ns);
    EXPECT_EQ(nic.transport->share.end_ns, UINT64_MAX);
    by_hand_close(&nic);
}

SPEC("§20: with receiver_penalty off or queue, no sender is compared with others")
{
    for (uint32_t penalty = 0; penalty < RECEIVER_PENALTY_SHARE; penalty++) {
        open_as((enum parameter_receiver_penalty)penalty);
        pass_round(FULL_PACKETS - 60, 40, 20);
        EXPECT_EQ(penalty_of(0), 0);
        by_hand_close(&nic);
    }
}
