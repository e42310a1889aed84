/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of a soft fabric, turn by turn. */
#include "soft_bench.h"
#include "spec.h"

enum { NICS = 4, PLANES = SOFT_BENCH_PLANES, ENGINES = 2, PORTS = NICS * PLANES * ENGINES };

#define MILLISECOND_PS UINT64_C(1000000000)

SPEC("every port whose NIC has left is released, one per check, however many there are")
{
    struct soft_bench bench = soft_bench_small();
    struct pktio_port *ports[PORTS];
    uint32_t turns = 0;

    bench.config.hosts_per_t0 = 2;
    bench.soft_config.spin_us = 1000 * 1000; /* no turn of this test sleeps */
    soft_bench_open(&bench);
    for (uint32_t i = 0; i < PORTS; i++)
        ports[i] = soft_bench_attach_engine(
            &bench, i % NICS, i / NICS % PLANES, i / NICS / PLANES, ENGINES);
    EXPECT_EQ(bench.soft->attached_count, PORTS);
    for (uint32_t i = 0; i < PORTS; i++)
        pktio_port_close(ports[i]);
    for (; turns < 4 * PORTS && bench.soft->attached_count > 0; turns++) {
        bench.now_ps += MILLISECOND_PS;
        soft_turn(bench.soft);
    }
    EXPECT_EQ(bench.soft->attached_count, 0);
    EXPECT_EQ(turns, PORTS);
    soft_bench_stop(&bench);
}
