/* SPDX-License-Identifier: Apache-2.0 */
/* The list of faults of a soft fabric, and its recording. */
#include "lab/soft_fault.h"

#include <errno.h>

#include "lab/soft_record.h"
#include "spec.h"

static struct topology fabric;
static struct soft_faults faults;

static void begin(void)
{
    struct topology_config config;
    struct topology_problem problem;

    topology_config_init(&config);
    EXPECT(topology_init(&fabric, &config, NULL, &problem));
    faults = (struct soft_faults){ 0 };
}

static struct soft_fault fault_of(
    enum fault_kind kind, const char *where, uint64_t from_ps, uint64_t until_ps)
{
    struct soft_fault fault = { .what = { .kind = kind,
                                    .where_count = 1,
                                    .from_ps = from_ps,
                                    .until_ps = until_ps,
                                    .period_ps = 10000,
                                    .duty_permille = 250 } };
    char reason[TOPOLOGY_REASON_BYTES];

    EXPECT(topology_find(&fabric, where, &fault.where[0], reason));
    return fault;
}

static void add(enum fault_kind kind, const char *where, uint64_t from_ps, uint64_t until_ps)
{
    struct soft_fault fault = fault_of(kind, where, from_ps, until_ps);

    EXPECT_EQ(soft_faults_add(&faults, &fault), 0);
}

SPEC("faults begin and end in order of time, those of one time in the order of the list")
{
    static const struct {
        uint32_t id;
        uint64_t time_ps;
        bool begins;
    } wanted[] = { { 2, 50, true }, { 1, 100, true }, { 3, 100, true }, { 1, 200, false },
        { 2, 200, false } };
    struct soft_fault_step step;

    begin();
    add(FAULT_DOWN, "h0.p0", 100, 200);
    add(FAULT_REBOOT, "p0.t1.0", 50, 200);
    add(FAULT_BLACKHOLE, "h1", 100, FAULT_NEVER_PS);
    EXPECT_EQ(soft_faults_next_ps(&faults), 50);
    EXPECT(!soft_faults_step(&faults, 49, &step));
    for (uint32_t i = 0; i < 5; i++) {
        EXPECT(soft_faults_step(&faults, 1000, &step));
        EXPECT_EQ(faults.list[step.index].id, wanted[i].id);
        EXPECT_EQ(step.change.time_ps, wanted[i].time_ps);
        EXPECT_EQ(step.change.begins, wanted[i].begins);
        EXPECT_EQ(step.change.ends, !wanted[i].begins);
    }
    EXPECT(!soft_faults_step(&faults, UINT64_MAX - 1, &step));
    EXPECT_EQ(soft_faults_next_ps(&faults), FAULT_NEVER_PS);
}

SPEC("a flap that is updated after a long time has the state of its period")
{
    struct soft_fault_step step;

    begin();
    add(FAULT_FLAP, "h0.p0", 100, FAULT_NEVER_PS);
    EXPECT(soft_faults_step(&faults, 100, &step));
    EXPECT(faults.list[0].course.impairs);
    EXPECT_EQ(faults.list[0].course.next_ps, 2600);
    while (soft_faults_step(&faults, 100 + UINT64_C(70000000000000) * 10000 + 2499, &step))
        ;
    EXPECT(faults.list[0].course.impairs);
    while (soft_faults_step(&faults, 100 + UINT64_C(70000000000000) * 10000 + 2500, &step))
        ;
    EXPECT(!faults.list[0].course.impairs);
    EXPECT_EQ(faults.list[0].course.next_ps, 100 + UINT64_C(70000000000001) * 10000);
}

SPEC("a fault is at a place if both have the same components and the same EV")
{
    struct soft_fault port;
    struct soft_fault two;

    begin();
    port = fault_of(FAULT_LOSS, "h0.p0", 0, 1);
    two = port;
    two.where[two.what.where_count++] = fault_of(FAULT_LOSS, "h1.p0", 0, 1).where[0];
    EXPECT(soft_fault_is_at(&port, &port));
    EXPECT(soft_fault_is_at(&two, &two));
    EXPECT(!soft_fault_is_at(&port, &two));
    EXPECT(!soft_fault_is_at(&two, &port));
    two = port;
    two.what.of_ev = true;
    EXPECT(!soft_fault_is_at(&port, &two));
}

SPEC("a full list refuses further faults")
{
    struct soft_fault fault;

    begin();
    fault = fault_of(FAULT_DOWN, "h0.p0", 0, FAULT_NEVER_PS);
    for (uint32_t i = 0; i < SOFT_FAULTS_MAX; i++)
        EXPECT_EQ(soft_faults_add(&faults, &fault), 0);
    EXPECT_EQ(soft_faults_add(&faults, &fault), -ENOSPC);
}

SPEC("a recording has faults that ended early, and not those that never began")
{
    struct soft_record record = { 0 };
    struct soft_fault begun;
    struct soft_fault waiting;

    begin();
    begun = fault_of(FAULT_DOWN, "h0.p0", 100, 900);
    waiting = fault_of(FAULT_DOWN, "h1.p0", 500, 900);
    begun.id = 1;
    begun.course.has_begun = true;
    waiting.id = 2;
    soft_record_fault(&record, &begun);
    soft_record_fault(&record, &waiting);
    soft_record_change(&record, 1, &(struct fault_change){ .time_ps = 100, .begins = true });
    soft_record_repair(&record, &begun, 300);
    soft_record_repair(&record, &waiting, 300);
    EXPECT_EQ(record.origin_ps, 100);
    EXPECT_EQ(record.fault_count, 1);
    EXPECT_EQ(record.faults[0].what.until_ps, 300);
    EXPECT_EQ(record.event_count, 2);
    EXPECT_EQ(record.events[1].time_ps, 300);
    EXPECT(!record.events[1].begins);
    soft_record_fini(&record);
}

SPEC("a fabric with more faults than it can record reports it")
{
    struct soft_record record = { 0 };
    struct soft_fault fault;

    begin();
    fault = fault_of(FAULT_DOWN, "h0.p0", 100, 900);
    for (fault.id = 1; fault.id <= SOFT_RECORD_MAX; fault.id++)
        soft_record_fault(&record, &fault);
    EXPECT(!record.is_cut);
    soft_record_fault(&record, &fault);
    EXPECT(record.is_cut);
    soft_record_clear(&record);
    EXPECT(!record.is_cut);
    EXPECT_EQ(record.fault_count, 0);
}
