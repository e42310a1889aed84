/* SPDX-License-Identifier: Apache-2.0 */
/* What random runs have found, each as the smallest case that shows it. */
#include "observe.h"
#include "scenario.h"
#include "spec.h"

enum {
    PMTU = BY_HAND_PMTU_BYTES,
    FULL_BYTES = PMTU + 88,
    BASE_RTT_NS = 10000,
    LONG_NS = 200000, /* longer than anything but a timeout */
};

static struct by_hand nic;
static struct packet sent[128];

static enum drop_reason sack_with(uint32_t trigger, int32_t cack, uint64_t bitmap, uint16_t ooo)
{
    return observe_sack_with(&nic, &sent[trigger], cack, bitmap, ooo);
}

/* Data, that is: a probe of the base RTT may be among it. */
static void keep_sent(uint32_t first, uint32_t count)
{
    by_hand_send(&nic);
    EXPECT_EQ(observe_count(&nic, observe_is_first), count);
    for (uint32_t i = 0; i < count; i++)
        sent[first + i] = *observe_nth(&nic, observe_is_first, i);
}

static struct packet answer_to_probe(int32_t cack)
{
    const struct packet *probe = observe_nth(&nic, observe_is_probe, 0);
    struct packet sack = by_hand_sack(&nic, OBSERVE_QPN, observe_out(cack));

    sack.sack.answers_probe = true;
    sack.sack.probe_id = probe->probe.probe_id;
    sack.sack.entropy = probe->ev;
    sack.sack.tx_timestamp = probe->probe.tx_timestamp;
    return sack;
}

/* ---- losses that were none ------------------------------------------------------------------ */

SPEC("the acknowledged first packet of a burst does not declare the rest of the burst lost")
{
    observe_open_sending(&nic, sent, 2);
    nic.now_ns += BASE_RTT_NS;
    EXPECT_EQ(sack_with(0, 0, 0, 0), DROP_NONE);
    by_hand_wait(&nic, BASE_RTT_NS + BASE_RTT_NS / 2);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_TIME), 0);
    by_hand_close(&nic);
}

/* A window of 20 packets; 0 is lost, 1 to 20 and then 21 to 40 arrive. */
SPEC("a retransmission under way is not declared lost because many PSNs above it have arrived")
{
    observe_prepare(&nic);
    nic.config.parameters.congestion_control = CONGESTION_CONTROL_NONE;
    nic.config.parameters.max_cwnd = 20 * FULL_BYTES;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    EXPECT_EQ(by_hand_post(&nic, OBSERVE_QPN, 1, 100 * PMTU, WORK_SIGNALED), 0);
    keep_sent(0, 20);
    nic.now_ns += BASE_RTT_NS;
    EXPECT_EQ(sack_with(19, -1, 0xffffe, 19), DROP_NONE);
    nic.now_ns += 1000;
    keep_sent(20, 19);
    EXPECT_NE(observe_wait_for(&nic, observe_is_repeat, LONG_NS), UINT64_MAX);
    nic.now_ns += 1000;
    EXPECT_EQ(sack_with(38, -1, 0x7ffffffffe, 19), DROP_NONE); /* an old count */
    keep_sent(39, 19);
    nic.now_ns += BASE_RTT_NS;
    EXPECT_EQ(sack_with(57, -1, 0x3fffffffffffffe, 57), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_COUNT), 0);
    by_hand_close(&nic);
}

/* How many packets are sent again after an answer whose bitmap begins 31 PSNs behind cack. */
static uint64_t resent_after(uint16_t ooo_count)
{
    struct packet answer;
    uint64_t count;

    observe_open_sending(&nic, sent, 100);
    EXPECT_NE(observe_wait_for(&nic, observe_is_probe, LONG_NS), UINT64_MAX);
    nic.now_ns += BASE_RTT_NS;
    answer = answer_to_probe(-1);
    answer.sack.sack_offset = 31;
    answer.sack.ooo_count = ooo_count;
    answer.sack.bitmap = 1 << 5;
    EXPECT_EQ(by_hand_receive(&nic, &answer), DROP_NONE);
    count = by_hand_count(&nic, COUNTER_RETRANSMIT_PROBE);
    by_hand_close(&nic);
    return count;
}

/* 30 are in the bitmap or between it and cack, and were counted. */
SPEC("the answer to a probe shows its bitmap and the PSN after cack, and nothing between them")
{
    EXPECT_EQ(resent_after(30), 1 + 63);
}

SPEC("if the bitmap has all packets that arrived out of order, PSNs outside it are missing")
{
    EXPECT_EQ(resent_after(1), 99);
}

SPEC("a sender whose window is full retransmits only lost packets")
{
    struct observe_filter filter = { .rules = { { .from = HOST_A,
                                         .kind = observe_is_first,
                                         .first = 100,
                                         .count = 1,
                                         .effect = { .lost = true } } } };
    struct network_config config = network_config_default(1);
    struct scenario s;

    config.parameters.pmtu = 512;
    config.parameters.mpr = 4;
    observe_filter(&config, &filter);
    s = scenario_of(&config);
    scenario_write(&s, HOST_A, HOST_B, MIB(1));
    scenario_run_until_idle(&s);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_DATA_RETRANSMITTED), 1);
    EXPECT_LE(scenario_counter(&s, HOST_A, COUNTER_EV_TURNED_BAD), 1);
}

/* ---- losses without notice ----------------------------------------------------------------- */

SPEC("the answer to a probe finds losses even if its EV is unknown")
{
    struct packet answer;

    observe_open_sending(&nic, sent, 1);
    EXPECT_NE(observe_wait_for(&nic, observe_is_probe, LONG_NS), UINT64_MAX);
    nic.now_ns += BASE_RTT_NS;
    answer = answer_to_probe(-1);
    answer.sack.entropy = answer.sack.entropy << 16 | 1;
    EXPECT_EQ(by_hand_receive(&nic, &answer), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_RETRANSMIT_PROBE), 1);
    by_hand_close(&nic);
}

SPEC("when the last usable EV fails, tail probes find one that works again before a timeout")
{
    struct network_config config = network_config_default(1);
    struct scenario s;

    config.plane_count = 2;
    config.uplink_count = 1;
    config.parameters.timeout = 8; /* 26 base RTT */
    s = scenario_of(&config);
    scenario_write(&s, HOST_A, HOST_B, MIB(4));
    scenario_fail_way(&s, fault_on_plane(0), US(50), US(200));
    scenario_fail_way(&s, fault_on_plane(1), US(200), MS(100));
    scenario_run_until_idle(&s);
    EXPECT_EQ(scenario_completions(&s, HOST_A), 1);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_TIMEOUT_FIRED), 0);
    EXPECT_LE(
        network_now_ps(s.network), MS(1)); /* 0.6 ms at the rate of one plane, and the search */
}

/* Among a thousand QPs that all send, a turn comes later than a tail probe would. */
/* B's only EV on plane 0 is bad, so its answers take plane 1, where data passes and nothing else.
 */
SPEC("a repeated request is answered on its own plane, whatever the state of that plane")
{
    struct network_config config = network_config_default(1);
    struct fault_where answers = fault_from(fault_on_plane(1), HOST_B);
    struct scenario s;

    config.plane_count = 2;
    config.uplink_count = 1;
    config.parameters.timeout = 8; /* 26 base RTT */
    s = scenario_of(&config);
    answers.traffic = FAULT_CONTROL;
    scenario_write(&s, HOST_A, HOST_B, MIB(2));
    scenario_write(&s, HOST_B, HOST_A, MIB(2));
    scenario_fail_way(&s, fault_from(fault_on_plane(0), HOST_B), US(50), US(80));
    scenario_fail_way(&s, answers, US(100), MS(100));
    scenario_run_until_idle(&s);
    EXPECT_EQ(scenario_completions(&s, HOST_A), 1);
    EXPECT_EQ(scenario_completions(&s, HOST_B), 1);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_TIMEOUT_FIRED), 0);
}

SPEC("a QP whose packets are all acknowledged waits for its turn without probing")
{
    observe_open(&nic);
    EXPECT_EQ(by_hand_post(&nic, OBSERVE_QPN, 1, 10 * PMTU, WORK_SIGNALED), 0);
    EXPECT_EQ(transport_send(nic.transport, UINT32_MAX, sent, 1, nic.now_ns), 1);
    nic.now_ns += BASE_RTT_NS;
    EXPECT_EQ(sack_with(0, 0, 0, 0), DROP_NONE);
    nic.ready_ports = 0;
    by_hand_wait(&nic, LONG_NS);
    nic.ready_ports = UINT32_MAX;
    by_hand_send(&nic);
    EXPECT_EQ(observe_count(&nic, observe_is_first), 9);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_TAIL_PROBES), 0);
    by_hand_close(&nic);
}
