/* SPDX-License-Identifier: Apache-2.0 */
/* The cases that the hunt draws keep within what they are meant to cover. */
#include "spec.h"

#include <string.h>

#include "files/files.h"
#include "study/hunt.h"

#define GBPS(count) ((count)*UINT64_C(1000000000))

static struct hunt_options options_of(uint64_t seed)
{
    return (struct hunt_options){ .seed = seed, .hops_max = 2000000 };
}

static void expect_links(const struct topology_config *wiring)
{
    EXPECT_GE(wiring->host_link.rate_bps, GBPS(1));
    EXPECT_LE(wiring->host_link.rate_bps, GBPS(800));
    EXPECT_GE(wiring->uplink.rate_bps, GBPS(1));
    EXPECT_LE(wiring->uplink.rate_bps, GBPS(800));
    EXPECT_LE(wiring->host_link.rate_bps * wiring->plane_count, GBPS(1600));
    EXPECT_GE(wiring->host_link.delay_ps, 50000);
    EXPECT_LE(wiring->host_link.delay_ps, 50000000);
    EXPECT_GE(wiring->uplink.delay_ps, 50000);
    EXPECT_LE(wiring->uplink.delay_ps, 50000000);
}

PROPERTY("a case is a fabric, work and faults within the limits, and makes sense", 400)
{
    struct hunt_options options = options_of(7);
    char reason[STUDY_REASON_BYTES] = "";
    struct study_trial trial;
    struct sim_config config;
    struct study_room room;

    hunt_draw(&trial, &options, (uint32_t)seed);
    EXPECT(study_config(&trial, &room, &config, reason));
    expect_links(&trial.wiring);
    EXPECT_LE(trial.wiring.t0_count, 16);
    EXPECT_LE(trial.wiring.t1_count, 64);
    EXPECT_GE(trial.wiring.t1_count, 1);
    EXPECT_LE(trial.fault_count, 3);
    EXPECT(hunt_is_fair(&trial, &config, options.hops_max));
    EXPECT_EQ(config.parameters.mpr, 0); /* the transport derives it */
    for (uint32_t i = 0; i < trial.workload_count; i++)
        EXPECT_LE(trial.workloads[i].qps, 64);
    for (uint32_t i = 0; i < trial.fault_count; i++) {
        uint64_t until_ps = trial.faults[i].until_ps;
        uint64_t last_ps = until_ps == SIM_NEVER_PS ? trial.faults[i].from_ps : until_ps;

        EXPECT_GE(trial.settled_ps, last_ps + hunt_settle_ps(&trial, &room.fabric.topology));
    }
    EXPECT_GE(trial.duration_ps, trial.settled_ps + hunt_settle_ps(&trial, &room.fabric.topology));
}

PROPERTY("a case is the same whenever it is drawn", 50)
{
    struct hunt_options options = options_of(seed);
    static struct study_trial first;
    static struct study_trial second;

    hunt_draw(&first, &options, 3);
    hunt_draw(&second, &options, 4);
    EXPECT_NE(memcmp(&first, &second, sizeof(first)), 0);
    hunt_draw(&second, &options, 3);
    for (uint32_t i = 0; i < first.workload_count; i++) /* they point into their own case */
        first.workloads[i].nics = second.workloads[i].nics = NULL;
    for (uint32_t i = 0; i < first.fault_count; i++)
        first.faults[i].where = second.faults[i].where = NULL;
    EXPECT_MEM_EQ(&first, &second, sizeof(first));
}

SPEC("\"1 ms\" is 1 ms, 50 round trips or 200 packets of the narrowest link, whatever is longest")
{
    struct study_trial trial = { 0 };
    struct topology_problem problem;
    struct plan fabric;

    topology_config_init(&trial.wiring);
    EXPECT(plan_init(&fabric, &trial.wiring, NULL, &problem));
    fabric.topology.base_rtt_ps = 10000000;
    EXPECT_EQ(hunt_settle_ps(&trial, &fabric.topology), UINT64_C(1000000000));
    fabric.topology.base_rtt_ps = 30000000;
    EXPECT_EQ(hunt_settle_ps(&trial, &fabric.topology), UINT64_C(1500000000));
    trial.fault_count = 1;
    trial.faults[0] = (struct fault){ .kind = FAULT_SLOW, .rate_bps = GBPS(1) };
    EXPECT_EQ(hunt_settle_ps(&trial, &fabric.topology), 200 * 4224 * UINT64_C(8000));
}

SPEC("a plane is intact when no fault and no missing link touches it")
{
    struct study_trial trial = { 0 };

    topology_config_init(&trial.wiring);
    trial.wiring.plane_count = 2;
    EXPECT(hunt_has_intact_plane(&trial));
    trial.fault_count = 1;
    trial.faults[0].where_count = 1;
    trial.where[0][0] = (struct topology_element){ .kind = TOPOLOGY_UPLINK, .plane = 1 };
    EXPECT(hunt_has_intact_plane(&trial));
    trial.exception_count = 1;
    trial.exceptions[0] =
        (struct topology_exception){ .link = { .kind = TOPOLOGY_HOST_LINK, .plane = 0 },
            .missing = true };
    EXPECT(!hunt_has_intact_plane(&trial));
    trial.exception_count = 0;
    trial.where[0][0] = (struct topology_element){ .kind = TOPOLOGY_NIC };
    EXPECT(!hunt_has_intact_plane(&trial));
}

SPEC("the badness of a case is its relative distance to its limit")
{
    struct hunt_figures figures = { .outcome = HUNT_RAN,
        .capacity_fraction = 0.95,
        .flow_fraction = 0.5,
        .starved_us = 1000,
        .settle_us = 1000,
        .failed_rtts = 20,
        .timeouts = 1 };

    EXPECT_EQ((int)(hunt_badness(&figures, HUNT_LOW_TOTAL) * 100 + 0.5), 100);
    EXPECT_EQ((int)(hunt_badness(&figures, HUNT_LOW_FLOW) * 100 + 0.5), 100);
    EXPECT_EQ((int)(hunt_badness(&figures, HUNT_STARVED) * 100 + 0.5), 50);
    EXPECT_EQ((int)(hunt_badness(&figures, HUNT_FAILED_PATH) * 100 + 0.5), 200);
    EXPECT_EQ((int)hunt_badness(&figures, HUNT_TIMEOUT), 0);
    figures.class.forbids_timeouts = true;
    EXPECT_GT((int)hunt_badness(&figures, HUNT_TIMEOUT), 1);
    figures.outcome = HUNT_CRASHED;
    EXPECT_EQ((int)hunt_badness(&figures, HUNT_LOW_TOTAL), 0);
    EXPECT_GT((int)hunt_badness(&figures, HUNT_BROKEN), 1);
}

/* ---- running --------------------------------------------------------------------------------- */

/* One pair on one plane; its only uplink carries a quarter from the beginning. */
static void draw_simple(struct study_trial *trial)
{
    struct sim_config config;
    struct study_room room;
    char reason[STUDY_REASON_BYTES];

    *trial = (struct study_trial){ .seed = 1, .workload_count = 1, .fault_count = 1 };
    topology_config_init(&trial->wiring);
    trial->wiring.plane_count = 1;
    trial->wiring.t0_count = 2;
    trial->wiring.t1_count = 1;
    trial->wiring.hosts_per_t0 = 1;
    trial->wiring.nic_count = 2;
    trial->workloads[0] = (struct sim_workload){ .name = "w",
        .kind = SIM_STREAM,
        .rank_count = 2,
        .message_bytes = 1 << 20,
        .outstanding = 4,
        .qps = 1 };
    trial->faults[0] = (struct fault){
        .kind = FAULT_SLOW, .rate_bps = GBPS(25), .where_count = 1, .until_ps = SIM_NEVER_PS
    };
    trial->where[0][0] = (struct topology_element){ .kind = TOPOLOGY_UPLINK };
    EXPECT(study_config(trial, &room, &config, reason));
    hunt_time(trial, &room.fabric);
}

SPEC("figures are relative to what the faults leave")
{
    struct hunt_figures figures;
    struct study_trial trial;

    draw_simple(&trial);
    hunt_run(&trial, &figures);
    EXPECT_EQ(figures.outcome, HUNT_RAN);
    EXPECT(figures.capacity_fraction > 0.9);
    EXPECT(figures.capacity_fraction < 1.01);
    EXPECT(figures.flow_fraction > 0.9);
    EXPECT_EQ(figures.flow_to, 1);
    EXPECT_EQ(figures.class.fault_count, 1);
    EXPECT(!figures.class.has_intact_plane);
    EXPECT_GT(figures.packet_hops, 1000);
}

/* The way holds 500 packets, the window 128. */
SPEC("a pair that is stalled is reported as starved, with the duration")
{
    struct hunt_figures figures;
    struct study_trial trial;

    draw_simple(&trial);
    trial.fault_count = 0;
    trial.wiring.uplink.delay_ps = UINT64_C(40000000);
    trial.workloads[0].outstanding = 16;
    EXPECT(study_set_parameter(&trial, "mpr", "1"));
    hunt_run(&trial, &figures);
    EXPECT_EQ(figures.outcome, HUNT_RAN);
    EXPECT(figures.flow_fraction < 0.5);
    EXPECT(figures.starved_us > 500);
}

/* How long a port was failed where a NIC has a cable to one of two planes. */
static double failed_rtts(bool is_missing)
{
    struct topology_element cable = { .kind = TOPOLOGY_HOST_LINK, .nic = 1, .plane = 1 };
    struct hunt_figures figures;
    struct study_trial trial;

    draw_simple(&trial);
    trial.wiring.plane_count = 2;
    trial.fault_count = 0;
    study_add_exception(&trial, &cable, is_missing ? 0 : GBPS(100));
    hunt_run(&trial, &figures);
    EXPECT_EQ(figures.outcome, HUNT_RAN);
    return figures.failed_rtts;
}

SPEC("a port without a cable is expected to be down, and not reported as failed")
{
    EXPECT(failed_rtts(true) < 1);
    EXPECT(failed_rtts(false) < 1);
}

SPEC("a process that ends early is reported as a crash, by a signal or by itself")
{
    struct hunt_figures figures = { .outcome = HUNT_RAN };

    hunt_note_end(&figures, 0);
    EXPECT_EQ(figures.outcome, HUNT_RAN);
    hunt_note_end(&figures, 6); /* SIGABRT */
    EXPECT_EQ(figures.outcome, HUNT_CRASHED);
    EXPECT_STR_EQ(figures.reason, "signal 6 (Aborted)");
    hunt_note_end(&figures, 1 << 8);
    EXPECT_STR_EQ(figures.reason, "exit status 1");
}

SPEC("an impossible case is refused with the reason")
{
    struct hunt_figures figures;
    struct study_trial trial;

    draw_simple(&trial);
    trial.workloads[0].rank_count = 99;
    hunt_run_apart(&trial, &figures);
    EXPECT_EQ(figures.outcome, HUNT_REFUSED);
    EXPECT(strstr(figures.reason, "99 ranks") != NULL);
}
