/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §13: the schedule of timeouts, and the retries they use up. */
#include <string.h>

#include "observe.h"
#include "spec.h"

enum {
    PMTU = BY_HAND_PMTU_BYTES,
    TIMEOUT = 6,
    FOREVER = 25,
    BASE_RTT_NS = 1000, /* so short that no T below is lengthened to 25 of them */
};

#define T_NS (UINT64_C(1024) << TIMEOUT)

static struct by_hand nic;

/* Tail probes, which are not answered, are kept rare. */
static void open_quiet(void)
{
    observe_prepare(&nic);
    nic.config.parameters.base_rtt = BASE_RTT_NS;
    nic.config.parameters.base_rtt_floor = BASE_RTT_NS;
    nic.rtt.fixed_ns = BASE_RTT_NS;
    nic.config.parameters.tail_floor = 1000000000;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
}

static void open_with(uint8_t linear, uint8_t exponential)
{
    open_quiet();
    observe_modify(&nic,
        (struct qp_attributes){
            .timeout = TIMEOUT, .retry_linear = linear, .retry_exponential = exponential },
        QP_ATTR_TIMEOUT | QP_ATTR_RETRY);
}

/* Waits until the next timeout fires; returns how long that took. */
static uint64_t wait_for_timeout(void)
{
    uint64_t fired = by_hand_count(&nic, COUNTER_TIMEOUT_FIRED);
    uint64_t begin_ns = nic.now_ns;

    while (by_hand_count(&nic, COUNTER_TIMEOUT_FIRED) == fired) {
        uint64_t deadline_ns = transport_deadline_ns(nic.transport);

        EXPECT_LT(deadline_ns, UINT64_MAX);
        by_hand_wait(&nic, deadline_ns > nic.now_ns ? deadline_ns - nic.now_ns : 0);
    }
    return nic.now_ns - begin_ns;
}

static void expect_failure(void)
{
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_ERR);
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 1, COMPLETION_RETRY_EXCEEDED));
}

#define EXPECT_TIMEOUT_AFTER(wanted_ns)                                                            \
    do {                                                                                           \
        uint64_t waited_ns = wait_for_timeout();                                                   \
        EXPECT_AFTER(waited_ns, wanted_ns);                                                        \
    } while (0)

SPEC("§13: while round trips are long, no timeout ends sooner than 8 of them, or 4 T")
{
    static const uint64_t expected_ns[][2] = { { 6400, T_NS }, { 32000, 7 * 32000 },
        { 51200, 4 * T_NS - 51200 } };

    for (uint32_t i = 0; i < 3; i++) {
        open_with(3, 7);
        observe_post(&nic, 1, 2 * PMTU);
        nic.now_ns += expected_ns[i][0];
        EXPECT_EQ(observe_sacked(&nic, &nic.sent[0], observe_out(0)), DROP_NONE);
        EXPECT_TIMEOUT_AFTER(expected_ns[i][1]); /* counted from the packet: §13 */
        by_hand_close(&nic);
    }
}

SPEC("§13: T is 1.024 us x 2^timeout")
{
    for (uint8_t timeout = 5; timeout <= 24; timeout++) {
        open_with(3, 7);
        observe_modify(&nic, (struct qp_attributes){ .timeout = timeout }, QP_ATTR_TIMEOUT);
        observe_post(&nic, 1, 64);
        EXPECT_TIMEOUT_AFTER(UINT64_C(1024) << timeout);
        by_hand_close(&nic);
    }
}

SPEC("§13: linear 7, exponential 0: 8 transmissions, failure 8 T after the first")
{
    uint64_t begin_ns;

    open_with(7, 0);
    begin_ns = nic.now_ns;
    observe_post(&nic, 1, 64);
    for (uint32_t i = 0; i < 8; i++)
        EXPECT_TIMEOUT_AFTER(T_NS);
    EXPECT_LE(nic.now_ns - begin_ns, 8 * (T_NS + OBSERVE_TICK_NS));
    EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_SENT), 8);
    expect_failure();
    by_hand_close(&nic);
}

SPEC("§13: linear 3, exponential 5: T, T, T, T, 2T, 4T, 8T, 16T, 32T, then failure")
{
    static const uint32_t intervals[] = { 1, 1, 1, 1, 2, 4, 8, 16, 32 };

    open_with(3, 5);
    observe_post(&nic, 1, 64);
    for (uint32_t i = 0; i < 9; i++) {
        EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
        EXPECT_TIMEOUT_AFTER(intervals[i] * T_NS);
    }
    EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_SENT), 9);
    expect_failure();
    by_hand_close(&nic);
}

SPEC("§13: linear 0, exponential 0: the first timeout is the last")
{
    open_with(0, 0);
    observe_post(&nic, 1, 64);
    EXPECT_TIMEOUT_AFTER(T_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_SENT), 1);
    expect_failure();
    by_hand_close(&nic);
}

SPEC("§13: 25 exponential retries are without end, and no interval exceeds 1.024 us x 2^24")
{
    open_with(0, FOREVER);
    observe_post(&nic, 1, 64);
    for (uint32_t i = 0; i < 40; i++)
        EXPECT_TIMEOUT_AFTER(i < 18 ? T_NS << i : UINT64_C(1024) << 24);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
    by_hand_close(&nic);
}

SPEC("§13: an advance of cack sets R to 0, and the schedule starts again")
{
    open_with(1, 7);
    observe_post(&nic, 1, 64);
    observe_post(&nic, 2, 64);
    for (uint32_t i = 0; i < 4; i++)
        wait_for_timeout();
    EXPECT_LE(3, observe_status(&nic).timeouts);
    EXPECT_EQ(observe_acked(&nic, 0, 1), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).timeouts, 0);
    EXPECT_TIMEOUT_AFTER(T_NS);
    by_hand_close(&nic);
}

SPEC("§13: a SACK that does not advance cack leaves R and the timer alone")
{
    struct packet last;

    open_with(7, 0);
    observe_post(&nic, 1, 2 * PMTU);
    last = nic.sent[1];
    wait_for_timeout();
    by_hand_wait(&nic, T_NS / 2);
    EXPECT_EQ(observe_sacked(&nic, &last, observe_out(-1)), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).timeouts, 1);
    by_hand_close(&nic);
}

SPEC("§13: R counts intervals, not packets: many packets time out together once")
{
    open_with(7, 0);
    observe_post(&nic, 1, 50 * PMTU);
    wait_for_timeout();
    EXPECT_EQ(observe_status(&nic).timeouts, 1);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_TIMEOUT), 50);
    by_hand_close(&nic);
}

SPEC("§13: a timeout is a loss: the packet goes again, its EV is bad, the window smaller")
{
    struct packet first;
    uint32_t window_bytes;

    open_with(7, 0);
    observe_post(&nic, 1, 64);
    first = nic.sent[0];
    window_bytes = observe_status(&nic).window_bytes;
    EXPECT_NE(observe_wait_for(&nic, observe_is_repeat, 2 * T_NS), UINT64_MAX);
    EXPECT_EQ(observe_nth(&nic, observe_is_repeat, 0)->psn.value, first.psn.value);
    EXPECT_NE(observe_nth(&nic, observe_is_repeat, 0)->ev, first.ev);
    EXPECT_EQ(observe_ev(&nic, first.ev), EV_ASSUMED_BAD);
    EXPECT_EQ(observe_status(&nic).window_bytes, window_bytes - 152);
    by_hand_close(&nic);
}

SPEC("§13: NACKs and timeouts share one counter")
{
    struct packet first;

    open_with(3, 0);
    observe_post(&nic, 1, 64);
    first = nic.sent[0];
    EXPECT_EQ(observe_nacked(&nic, &first, NACK_NO_RESOURCE), DROP_NONE);
    EXPECT_EQ(observe_status(&nic).timeouts, 1);
    for (uint32_t i = 0; i < 2; i++)
        wait_for_timeout();
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
    wait_for_timeout();
    expect_failure();
    by_hand_close(&nic);
}

SPEC("§13: a timeout while only the Transport ACK is missing asks for it again, and counts")
{
    open_with(3, 0);
    observe_post(&nic, 1, 64);
    EXPECT_EQ(observe_sacked(&nic, &nic.sent[0], observe_out(0)), DROP_NONE);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_TIMEOUT_AFTER(T_NS);
    expect_failure();
    by_hand_close(&nic);
}

SPEC("§13: with all ports down the timers keep running, and retries are used up")
{
    open_with(3, 2);
    observe_post(&nic, 1, 64);
    transport_ports_changed(nic.transport, 0, nic.now_ns);
    for (uint32_t i = 0; i < 6; i++) {
        EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
        wait_for_timeout();
    }
    EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_SENT), 1);
    expect_failure();
    by_hand_close(&nic);
}

SPEC("§13: with all ports down a QP with endless retries survives, and goes on when one is back")
{
    observe_prepare(&nic);
    nic.config.parameters.port_up_holddown = 0;
    nic.config.parameters.port_up_probes = 0;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_modify(&nic, (struct qp_attributes){ .timeout = TIMEOUT, .retry_exponential = FOREVER },
        QP_ATTR_TIMEOUT | QP_ATTR_RETRY);
    observe_post(&nic, 1, 64);
    transport_ports_changed(nic.transport, 0, nic.now_ns);
    for (uint32_t i = 0; i < 12; i++)
        wait_for_timeout();
    transport_ports_changed(nic.transport, 2, nic.now_ns);
    EXPECT_NE(observe_wait_for(&nic, observe_is_repeat, T_NS << 13), UINT64_MAX);
    EXPECT_EQ(observe_nth(&nic, observe_is_repeat, 0)->port, 1);
    EXPECT_EQ(observe_acked(&nic, 0, 1), DROP_NONE);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
    by_hand_close(&nic);
}

SPEC("§13: nothing outstanding, no timeout")
{
    open_with(0, 0);
    observe_post(&nic, 1, 64);
    EXPECT_EQ(observe_acked(&nic, 0, 1), DROP_NONE);
    by_hand_wait(&nic, 100 * T_NS);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TIMEOUT_FIRED), 0);
    by_hand_close(&nic);
}

SPEC("§13: a timeout repeats the last packet of a message that lacks only its ACK")
{
    uint64_t waited_ns;

    open_with(3, 7);
    observe_post(&nic, 1, 2 * PMTU);
    EXPECT_EQ(observe_sacked(&nic, &nic.sent[1], observe_out(1)), DROP_NONE);
    waited_ns = observe_wait_for(&nic, observe_is_repeat, 10 * T_NS);
    EXPECT_AFTER(waited_ns, T_NS);
    EXPECT_EQ(observe_nth(&nic, observe_is_repeat, 0)->psn.value, observe_out(1).value);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TIMEOUT_FIRED), 1);
    by_hand_close(&nic);
}

SPEC("§13: a timeout longer than the range of send times restarts when the window advances")
{
    enum { LONG_TIMEOUT = 20 }; /* 1.07 s */
    const uint64_t third_ns = (UINT64_C(1024) << LONG_TIMEOUT) / 3;

    open_with(3, 7);
    observe_modify(&nic, (struct qp_attributes){ .timeout = LONG_TIMEOUT }, QP_ATTR_TIMEOUT);
    observe_post(&nic, 1, 2 * PMTU);
    nic.now_ns += third_ns;
    EXPECT_EQ(observe_sacked(&nic, &nic.sent[0], observe_out(0)), DROP_NONE);
    EXPECT_TIMEOUT_AFTER(UINT64_C(1024) << LONG_TIMEOUT);
    by_hand_close(&nic);
}

/* No EV is usable: some are bad, the others denied. */
static void spoil_paths(void)
{
    struct path_set *paths = transport_qp_paths(nic.transport, OBSERVE_QPN);

    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        if (i % 4 != 3)
            path_on_mark(paths, i, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    for (uint32_t i = 3; i < BY_HAND_EVS; i += 4)
        path_deny(paths, i, nic.now_ns);
    EXPECT_EQ(path_usable_count(paths), 0);
}

SPEC("§14.4: the next packet on a bad path is sent T after the last, whatever timers expired "
     "meanwhile")
{
    uint64_t waited_ns;

    open_with(3, 7);
    observe_post(&nic, 1, PMTU);
    spoil_paths();
    by_hand_wait(&nic, T_NS / 2);
    observe_post(&nic, 2, PMTU);
    EXPECT_EQ(nic.sent_count, 1);
    waited_ns = observe_wait_for(&nic, observe_is_repeat, 2 * T_NS);
    EXPECT_AFTER(waited_ns, T_NS);
    by_hand_close(&nic);
}

/* How long after the last NACK the timeout fires, when trimmed packets are told of every T / 2. */
static uint64_t timeout_beside_nacks(uint32_t nack_count)
{
    struct packet sent[16];
    uint64_t waited_ns;

    open_with(3, 7);
    observe_post(&nic, 1, 16 * PMTU);
    EXPECT_EQ(nic.sent_count, 16);
    memcpy(sent, nic.sent, sizeof(sent));
    nic.ready_ports = 0; /* nothing is repeated */
    for (uint32_t i = 0; i < nack_count; i++) {
        by_hand_wait(&nic, T_NS / 2);
        EXPECT_EQ(observe_nacked(&nic, &sent[i], NACK_TRIMMED_LASTHOP), DROP_NONE);
    }
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TIMEOUT_FIRED), 0);
    waited_ns = wait_for_timeout();
    by_hand_close(&nic);
    return waited_ns;
}

SPEC("§13: trimmed packets announce others: after a late one, T lasts until 4 T after the first "
     "left")
{
    static const uint64_t expected_ns[][2] = { { 1, 7 * T_NS / 2 }, { 3, 5 * T_NS / 2 },
        { 7, T_NS / 2 } };

    for (uint32_t i = 0; i < 3; i++) {
        uint64_t waited_ns = timeout_beside_nacks((uint32_t)expected_ns[i][0]);

        EXPECT_AFTER(waited_ns, expected_ns[i][1]);
    }
}

SPEC("§13: T restarts when the oldest packet is retransmitted, even beyond the range of send times")
{
    enum { TIMEOUT_2S = 21 };
    struct packet first;

    open_quiet();
    observe_modify(&nic, (struct qp_attributes){ .timeout = TIMEOUT_2S }, QP_ATTR_TIMEOUT);
    observe_post(&nic, 1, PMTU);
    first = nic.sent[0];
    nic.now_ns += UINT64_C(1024) << (TIMEOUT_2S - 1);
    EXPECT_EQ(observe_nacked(&nic, &first, NACK_TRIMMED_LASTHOP), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_TIMEOUT_AFTER(UINT64_C(1024) << TIMEOUT_2S);
    by_hand_close(&nic);
}

SPEC("§13: no timeout fires for packets that wait to be sent again, however long T is")
{
    static const uint8_t timeouts[] = { TIMEOUT, 18, 19, 21 }; /* 65 us, 0.27, 0.54 and 2.1 s */

    for (uint32_t i = 0; i < sizeof(timeouts); i++) {
        struct packet first;

        open_with(3, 0);
        observe_modify(&nic, (struct qp_attributes){ .timeout = timeouts[i] }, QP_ATTR_TIMEOUT);
        observe_post(&nic, 1, PMTU);
        first = nic.sent[0];
        nic.ready_ports = 0;
        EXPECT_EQ(observe_nacked(&nic, &first, NACK_TRIMMED_LASTHOP), DROP_NONE);
        by_hand_wait(&nic, 10 * (UINT64_C(1024) << timeouts[i]));
        EXPECT_EQ(by_hand_count(&nic, COUNTER_TIMEOUT_FIRED), 0);
        EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
        by_hand_close(&nic);
    }
}

/* ---- two QPs to a slow destination ------------------------------------------------------------
 */

enum {
    OTHER_QPN = OBSERVE_QPN + 1,
    SLOW_RTT_NS = 100 * 1000 * 1000,
    SILENCE_NS = 850 * 1000 * 1000, /* the first timeouts, up to intervals of 0.27 s */
    LOST_PACKETS = 60,
    ROUNDS = 16, /* longer than the last interval, 0.54 s */
};

/* Two QPs with the timeout of real endpoints, and a window for all their packets. */
static void open_two(void)
{
    observe_prepare(&nic);
    nic.config.parameters.tail_floor = 1000000000;
    nic.config.parameters.max_cwnd = 4 * LOST_PACKETS * PMTU;
    by_hand_open(&nic);
    for (uint32_t qpn = OBSERVE_QPN; qpn <= OTHER_QPN; qpn++) {
        by_hand_connect(&nic, qpn);
        EXPECT_EQ(
            transport_qp_modify(nic.transport, qpn,
                &(struct qp_attributes){ .timeout = 17, .retry_linear = 3, .retry_exponential = 2 },
                QP_ATTR_TIMEOUT | QP_ATTR_RETRY, nic.now_ns),
            0);
    }
}

/* Sends what the window admits, and answers it one round trip later. */
static void exchange_slowly(void)
{
    uint32_t count = by_hand_send(&nic);

    nic.now_ns += SLOW_RTT_NS;
    for (uint32_t i = 0; i < count; i++) {
        struct packet sack = by_hand_sack(&nic, by_hand_sender(&nic.sent[i]), nic.sent[i].psn);

        if (observe_is_data(&nic.sent[i]))
            EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    }
    transport_expire(nic.transport, nic.now_ns);
}

SPEC("§13: after a silence, a QP that waits for the window does not give up while another recovers")
{
    open_two();
    EXPECT_EQ(by_hand_post(&nic, OBSERVE_QPN, 1, (LOST_PACKETS - 2) * PMTU, 0), 0);
    EXPECT_EQ(by_hand_post(&nic, OTHER_QPN, 2, LOST_PACKETS * PMTU, 0), 0);
    EXPECT_EQ(by_hand_send(&nic), 2 * LOST_PACKETS - 2);
    by_hand_wait(&nic, SILENCE_NS);
    EXPECT_LE(3, observe_status(&nic).timeouts);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        exchange_slowly();
        EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
        EXPECT_EQ(by_hand_state(&nic, OTHER_QPN), QP_RTS);
    }
    by_hand_close(&nic);
}
