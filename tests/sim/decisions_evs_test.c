/* SPDX-License-Identifier: Apache-2.0 */
/* Which EVs a QP uses: goodput of permutations on many paths, with one set of defaults. */
#include "decision.h"
#include "spec.h"

/* 48 NICs, 48 paths. */
#define MANY_PATHS                                                                                 \
    "fabric: { planes: 2, t0s: 2, t1s: 24, hosts_per_t0: 24, host_link: { rate: 100Gb/s, delay: "  \
    "500ns }, uplink: { rate: 100Gb/s, delay: 500ns } }\n"                                         \
    "duration: 700us\n" DECISION_PERMUTATION

static double of_ideal(const char *text, uint64_t seed, const char *what)
{
    struct decision decision = decision_run(text, seed, 200);

    decision_print(what, &decision);
    return decision.of_ideal;
}

/* T1: one subset for all QPs left 8 uplinks of 24 idle. */
PROPERTY("QPs with fewer active EVs than paths draw their own, backups or not", 2)
{
    double all = of_ideal(MANY_PATHS, seed, "all 48 paths active");
    double some = of_ideal(
        MANY_PATHS "parameters: { ev_active: 32, ev_backup: 16 }\n", seed, "32 active, 16 backup");
    double none =
        of_ideal(MANY_PATHS "parameters: { ev_active: 32, ev_backup: 0 }\n", seed, "32 active");

    EXPECT(all >= 0.96);
    EXPECT(some >= 0.88);
    EXPECT(none >= 0.88);
    EXPECT(some >= none - 0.02);
}

/* T1: one EV for all QPs left 2 %. */
SPEC("with a single active EV on each plane QPs still use different paths")
{
    EXPECT(of_ideal(MANY_PATHS "parameters: { ev_active: 2, ev_backup: 46 }\n", 1,
               "one EV of each plane") > 0.5);
}

/* T2, T3 and T12: 64 to 512 NICs, 32 to 512 paths. */
PROPERTY("permutations reach 96 % with the defaults, whatever the number of NICs and paths", 1)
{
    EXPECT(of_ideal(DECISION_F8 "duration: 1ms\n" DECISION_PERMUTATION, seed, "F8") >= 0.96);
    EXPECT(of_ideal(DECISION_F16 "duration: 1ms\n" DECISION_PERMUTATION, seed, "F16") >= 0.96);
    EXPECT(of_ideal(DECISION_F64 "duration: 600us\n" DECISION_PERMUTATION, seed, "F64") >= 0.96);
    EXPECT(of_ideal(DECISION_FABRIC(8, 32, 32) "duration: 400us\n" DECISION_PERMUTATION, seed,
               "256 NICs, 128 paths") >= 0.96);
    EXPECT(of_ideal(DECISION_FABRIC(2, 128, 128) "duration: 400us\n" DECISION_PERMUTATION, seed,
               "256 NICs, 512 paths") >= 0.96);
}

/* T12, and R9 in small: marked packets are answered at once, so nearly all answers speak of the
 * crowded path. */
SPEC("a flow leaves the path it shares to the flow that has no other")
{
    static const char text[] =
        "fabric: { planes: 1, t0s: 2, t1s: 2, hosts_per_t0: 2, host_link: { rate: 100Gb/s, delay: "
        "500ns }, uplink: { rate: 100Gb/s, delay: 500ns } }\n"
        "duration: 8ms\n"
        "workloads:\n"
        "  - { name: free, kind: stream, nics: [0, 2], message_bytes: 1MiB, outstanding: 16, evs: "
        "[p0/u0, p0/u1] }\n"
        "  - { name: bound, kind: stream, nics: [1, 3], message_bytes: 1MiB, outstanding: 16, evs: "
        "[p0/u0], start: 500us }\n";
    struct decision decision = decision_run(text, 1, 4000);

    decision_print("one of two paths is shared", &decision);
    EXPECT(decision.of_capacity >= 0.95);
    EXPECT(decision.worst_flow >= 0.9);
}
