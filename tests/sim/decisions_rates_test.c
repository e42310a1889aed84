/* SPDX-License-Identifier: Apache-2.0 */
/* One set of defaults for links of every rate and length. */
#include "decision.h"

#include <stdio.h>

#include "spec.h"

static double of_ideal(uint32_t planes, const char *rate, const char *delay, const char *work,
    const char *duration, double from_us)
{
    char text[1000];
    struct decision decision;

    snprintf(text, sizeof(text),
        "fabric: { planes: %u, t0s: 2, t1s: 4, hosts_per_t0: 4, host_link: { rate: %s, delay: %s "
        "}, "
        "uplink: { rate: %s, delay: %s } }\nduration: %s\nworkloads: [{ name: w, message_bytes: "
        "1MiB, outstanding: 32, %s }]\n",
        planes, rate, delay, rate, delay, duration, work);
    decision = decision_run(text, 1, from_us);
    snprintf(text, sizeof(text), "%u x %s, %s, %s", planes, rate, delay, work);
    decision_print(text, &decision);
    return decision.of_ideal;
}

/* T13: 0.72 and 0.63 at 10 Gb/s. */
SPEC("slow and fast links are full alike")
{
    EXPECT(of_ideal(2, "10Gb/s", "500ns", "kind: stream, nics: [0, 4], bidirectional: yes", "20ms",
               4000) >= 0.95);
    EXPECT(of_ideal(4, "1Gb/s", "500ns", "kind: permutation", "60ms", 20000) >= 0.95);
    EXPECT(of_ideal(4, "10Gb/s", "500ns", "kind: permutation", "12ms", 4000) >= 0.95);
    EXPECT(of_ideal(4, "40Gb/s", "500ns", "kind: permutation", "4ms", 1000) >= 0.95);
    EXPECT(of_ideal(4, "400Gb/s", "500ns", "kind: permutation", "700us", 200) >= 0.95);
    EXPECT(of_ideal(2, "800Gb/s", "500ns", "kind: permutation", "700us", 200) >= 0.95);
}

/* T16: 0.416 with the window of a short cable. */
SPEC("the window follows the length of cables")
{
    EXPECT(of_ideal(4, "100Gb/s", "50ns", "kind: permutation", "1ms", 200) >= 0.95);
    EXPECT(of_ideal(4, "100Gb/s", "25us", "kind: permutation", "8ms", 2000) >= 0.95);
}

/* T17: software waits 40 ms before it takes a packet for lost. */
SPEC("the simulator uses the timers of hardware, and those of software where it is told")
{
    static const char text[] =
        DECISION_F8 "duration: 2ms\n" DECISION_PERMUTATION
                    "faults: [{ kind: blackhole, where: p0.t1.0, at: 500us, for: 50us }]\n";
    static const char software[] =
        DECISION_F8 "duration: 2ms\n" DECISION_PERMUTATION
                    "faults: [{ kind: blackhole, where: p0.t1.0, at: 500us, for: 50us }]\n"
                    "parameters: { timers: software }\n";
    struct decision by_default = decision_run(text, 1, 1550);
    struct decision slower = decision_run(software, 1, 1550);

    decision_print("default", &by_default);
    decision_print("software", &slower);
    EXPECT(by_default.of_capacity >= 0.95);
    EXPECT_EQ(by_default.bad_evs, 0);
    EXPECT(slower.of_capacity < 0.5);
}

/* 0.44 and 58 timeouts; 0.72 and 31; 0.80 with packets trimmed: first windows were those of the
 * usual links. */
SPEC("a leaf all of whose uplinks are slow is filled, without a timeout")
{
    static const char *const fabrics[] = {
        "planes: 2, t0s: 3, t1s: 1, hosts_per_t0: 3, host_link: { "
        "rate: 10Gb/s, delay: 500ns }, uplink: { rate: 10Gb/s, "
        "delay: 500ns }, exceptions: [{ link: p0.t0.0-t1.0, rate: "
        "1Gb/s }, { link: p1.t0.0-t1.0, rate: 1Gb/s }]",
        "planes: 1, t0s: 8, t1s: 1, hosts_per_t0: 1, host_link: { rate: 25Gb/s, delay: 64ns }, "
        "uplink: { rate: 25Gb/s, delay: 64ns }, exceptions: [{ link: p0.t0.7-t1.0, rate: 2.5Gb/s "
        "}]"
    };

    for (uint32_t i = 0; i < 2; i++) {
        struct decision decision;
        char text[1000];

        snprintf(text, sizeof(text),
            "fabric: { %s }\nduration: 8ms\nworkloads: [{ name: w, kind: all_to_all, "
            "message_bytes: "
            "1MiB, outstanding: 8, qps: 2 }]\n",
            fabrics[i]);
        decision = decision_run(text, 1, 3000);
        decision_print("all-to-all with a slow leaf", &decision);
        EXPECT(decision.of_capacity >= 0.9);
        EXPECT_EQ(decision.totals.transport[COUNTER_TIMEOUT_FIRED], 0);
    }
}

/* 0.66: a rank behind the slow one, which gets half of what it could send, was taken for one that
 * could send all the time, because some message was always under way. */
SPEC("ranks of a ring that wait for a slow one are compared with what they have to send")
{
    static const char text[] =
        "fabric: { planes: 2, t0s: 2, t1s: 4, hosts_per_t0: 4, host_link: { rate: 100Gb/s, delay: "
        "1.5us }, uplink: { rate: 100Gb/s, delay: 1.5us }, exceptions: [{ link: h2.p0, rate: "
        "50Gb/s }, { link: h2.p1, rate: 50Gb/s }] }\n"
        "duration: 2ms\n"
        "workloads: [{ name: w, kind: all_reduce, ranks: 8, message_bytes: 16MiB, outstanding: 11 "
        "}]\n";
    struct decision decision = decision_run(text, 1, 1000);

    decision_print("ring with a slow rank", &decision);
    EXPECT(decision.of_capacity >= 0.95);
    EXPECT(decision.of_capacity <= 1.05);
    EXPECT(decision.worst_flow >= 0.9);
}
