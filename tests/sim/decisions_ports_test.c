/* SPDX-License-Identifier: Apache-2.0 */
/* Ports that come back: by any working path and any live peer, and at once where nothing else is
 * left. */
#include <stdio.h>

#include "decision.h"
#include "spec.h"

static struct decision run(const char *text, double from_us, const char *what)
{
    struct decision decision = decision_run(text, 1, from_us);

    decision_print(what, &decision);
    return decision;
}

/* T4: the first EV of a plane was the only one that could verify its port. */
SPEC("a port that flapped returns although the first T1 of its plane is dead")
{
    struct decision decision =
        run(DECISION_F8 "duration: 3ms\n" DECISION_PERMUTATION "faults:\n"
                        "  - { kind: down, where: p0.t1.0, at: 100us }\n"
                        "  - { kind: down, where: h0.p0, at: 300us, for: 100us }\n",
            1400, "T1 0 is dead");

    EXPECT(decision.of_capacity >= 0.95);
    EXPECT_EQ(decision.planes_out, 0);
}

/* Answers to the probes that verify the port took one EV, and no probe tested it. */
SPEC("a port returns although a T1 died with it, whichever EV the answers took before")
{
    for (uint32_t t1 = 0; t1 < 4; t1++) {
        char text[512];
        struct decision decision;

        snprintf(text, sizeof(text),
            "fabric: { planes: 3, t0s: 2, t1s: 4, hosts_per_t0: 1, host_link: { rate: 2Gb/s, "
            "delay: 79ns }, uplink: { rate: 5Gb/s, delay: 79ns } }\n"
            "duration: 8ms\n"
            "workloads: [{ name: w, kind: permutation, message_bytes: 256KiB, outstanding: 4 }]\n"
            "faults:\n"
            "  - { kind: down, where: p1.t1.%u, at: 1137us }\n"
            "  - { kind: reboot, where: p1.t0.1, at: 1137us, for: 1us }\n",
            t1);
        decision = run(text, 4600, "a T1 and a port at once");
        EXPECT(decision.of_capacity >= 0.95);
        EXPECT_EQ(decision.planes_out, 0);
    }
}

/* T4: and the peer of the NIC's first QP the only one to verify it with. */
SPEC("a port that flapped returns although the NIC's first peer is dead")
{
    struct decision decision = run(DECISION_F8
        "duration: 3ms\n"
        "workloads:\n"
        "  - { name: dead, kind: stream, nics: [0, 4], message_bytes: 1MiB, outstanding: 8 }\n"
        "  - { name: live, kind: stream, nics: [0, 5], message_bytes: 1MiB, outstanding: 8 }\n"
        "faults:\n"
        "  - { kind: blackhole, where: h4, at: 100us }\n"
        "  - { kind: down, where: h0.p0, at: 300us, for: 100us }\n",
        1400, "the first peer is dead");

    /* 400 Gb/s less headers, for 1.6 ms. */
    EXPECT(decision.bytes_of_workload[1] * 8 / 1.6e-3 >= 0.93 * 400e9);
}

/* T9: hold-down kept the only port out for 100 ms. */
SPEC("the only port of a NIC is used again with the first answer over it")
{
    static const char text[] =
        "fabric: { planes: 1, t0s: 2, t1s: 4, hosts_per_t0: 4, host_link: { rate: 100Gb/s, delay: "
        "500ns }, uplink: { rate: 100Gb/s, delay: 500ns } }\n"
        "duration: 600us\n"
        "parameters: { port_up_holddown: 100ms }\n"
        "workloads: [{ name: w, kind: stream, nics: [0, 4], message_bytes: 1MiB, outstanding: 8 "
        "}]\n"
        "faults: [{ kind: down, where: h0.p0, at: 200us, for: 50us }]\n";
    struct decision decision = run(text, 350, "the only port");

    EXPECT(decision.of_capacity >= 0.95);
}

/* T10: returns for want of anything better counted as flaps: half the rate for 18 s. */
SPEC("a NIC whose links lose half of all packets for a while is as before soon after")
{
    struct decision decision = run(DECISION_F8
        "duration: 25ms\n"
        "workloads: [{ name: w, kind: stream, nics: [0, 4], message_bytes: 1MiB, outstanding: 8 "
        "}]\n"
        "faults: [{ kind: loss, where: [h0.p0, h0.p1, h0.p2, h0.p3], probability: 50%, at: 500us, "
        "for: 15ms }]\n",
        20000, "half of all packets lost for 15 ms");

    EXPECT(decision.of_capacity >= 0.95);
    EXPECT_EQ(decision.planes_out, 0);
}
