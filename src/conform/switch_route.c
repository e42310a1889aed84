/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of forwarding by uSIDs (docs/fabric.md §4). */
#include "conform/switch_expect.h"
#include "conform/switch_suite.h"

enum { SOME_USID = 0x1234 };

/* Returns a uSID that the switch has no route for, as far as the description tells. */
static uint16_t unknown_usid(const struct switch_device *device)
{
    uint16_t usid = 0xfffe;

    for (uint32_t i = 0; i < device->port_count; i++)
        if (device->ports[i].usid == usid || device->usid == usid)
            usid--;
    return usid;
}

/* ---- ports ----------------------------------------------------------------------------------- */

static void judge_way(struct switch_bench *bench, const struct switch_shot *shot)
{
    switch_expect_out(bench, shot, "a frame that names the switch");
}

void switch_suite_forward(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);

    switch_expect_load(bench, NULL);
    switch_expect_each(bench, judge_way);
}

static void judge_bounce(struct switch_bench *bench, const struct switch_shot *shot)
{
    switch_expect_out(bench, shot, "a frame back to its own port");
}

void switch_suite_bounce(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);

    for (uint32_t i = 0; i < bench->port_count; i++) {
        const struct switch_device_port *port = &bench->device->ports[i];
        struct switch_aim aim = switch_bench_aim(bench, i, i);

        if (port->is_in && port->is_out && port->usid)
            switch_bench_load(bench, &aim);
    }
    if (bench->shot_count == 0)
        conform_report_skip(report, "no port is both an input and an output");
    else
        switch_expect_each(bench, judge_bounce);
}

/* ---- destinations ---------------------------------------------------------------------------- */

/* Loads frames with two to six uSIDs. */
static void load_carriers(struct switch_bench *bench, struct switch_pair pair)
{
    for (uint32_t usid_count = 2; usid_count <= SWITCH_USIDS_MAX; usid_count++) {
        struct switch_aim aim = switch_bench_aim(bench, pair.in, pair.out);

        for (uint32_t i = 2; i < usid_count; i++)
            aim.usids[i] = (uint16_t)(SOME_USID + 0x111 * i);
        switch_bench_load(bench, &aim);
    }
}

static void judge_shift(struct switch_bench *bench, const struct switch_shot *shot)
{
    struct ipv6_addr wanted = switch_expect_shifted(shot);

    if (switch_expect_out(bench, shot, "a frame that names the switch"))
        switch_expect_destination(bench, shot, &wanted);
}

void switch_suite_shift(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_pair pair = SWITCH_FIRST_PAIR;

    while (switch_bench_next_pair(bench, &pair))
        load_carriers(bench, pair);
    switch_expect_each(bench, judge_shift);
}

static void have_few_hops(const struct switch_bench *bench, struct switch_aim *aim)
{
    (void)bench;
    aim->hop_limit = 2;
}

static void have_most_hops(const struct switch_bench *bench, struct switch_aim *aim)
{
    (void)bench;
    aim->hop_limit = 255;
}

static void judge_hop_limit(struct switch_bench *bench, const struct switch_shot *shot)
{
    if (switch_expect_out(bench, shot, "a frame"))
        switch_expect_hop_limit(bench, shot);
}

void switch_suite_hop_limit(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);

    switch_expect_load(bench, NULL);
    switch_expect_load(bench, have_few_hops);
    switch_expect_load(bench, have_most_hops);
    switch_expect_each(bench, judge_hop_limit);
}

/* ---- drops ----------------------------------------------------------------------------------- */

static void have_no_hop(const struct switch_bench *bench, struct switch_aim *aim)
{
    (void)bench;
    aim->out = SWITCH_NOWHERE;
    aim->hop_limit = 0;
}

static void have_one_hop(const struct switch_bench *bench, struct switch_aim *aim)
{
    (void)bench;
    aim->out = SWITCH_NOWHERE;
    aim->hop_limit = 1;
}

void switch_suite_hop_limit_ends(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);

    switch_expect_load(bench, have_no_hop);
    switch_expect_load(bench, have_one_hop);
    switch_expect_drops(bench, "a frame with hop limit 0 or 1");
}

/* Fires frames that must be dropped. */
static void check_drops(void *kit, struct conform_report *report, const char *what,
    void (*change)(const struct switch_bench *, struct switch_aim *))
{
    struct switch_bench *bench = switch_bench_begin(kit, report);

    switch_expect_load(bench, change);
    switch_expect_drops(bench, what);
}

static void end_here(const struct switch_bench *bench, struct switch_aim *aim)
{
    (void)bench;
    aim->out = SWITCH_NOWHERE;
    aim->usids[1] = 0;
}

void switch_suite_end_of_carrier(void *kit, struct conform_report *report)
{
    check_drops(kit, report, "a frame whose uSIDs end at the switch, without an SRH,", end_here);
}

static void lead_nowhere(const struct switch_bench *bench, struct switch_aim *aim)
{
    aim->out = SWITCH_NOWHERE;
    aim->usids[2] = aim->usids[1];
    aim->usids[1] = unknown_usid(bench->device);
}

void switch_suite_no_route(void *kit, struct conform_report *report)
{
    check_drops(kit, report, "a frame whose next uSID has no route", lead_nowhere);
}

static void put_zero(const struct switch_bench *bench, struct switch_aim *aim)
{
    (void)bench;
    aim->out = SWITCH_NOWHERE;
    aim->usids[2] = aim->usids[1];
    aim->usids[1] = 0;
}

void switch_suite_zero_usid(void *kit, struct conform_report *report)
{
    check_drops(kit, report, "a frame with a uSID of 0 in front of another", put_zero);
}

static void name_another(const struct switch_bench *bench, struct switch_aim *aim)
{
    aim->out = SWITCH_NOWHERE;
    aim->usids[0] = unknown_usid(bench->device);
}

void switch_suite_not_ours(void *kit, struct conform_report *report)
{
    check_drops(kit, report, "a frame whose first uSID is unknown", name_another);
}

static void change_block(const struct switch_bench *bench, struct switch_aim *aim)
{
    (void)bench;
    aim->out = SWITCH_NOWHERE;
    aim->block ^= 0x00800000;
}

void switch_suite_foreign_block(void *kit, struct conform_report *report)
{
    check_drops(kit, report, "a frame of another uSID block", change_block);
}

/* ---- plain IPv6 ------------------------------------------------------------------------------ */

static void leave_out_switch(const struct switch_bench *bench, struct switch_aim *aim)
{
    aim->usids[0] = aim->usids[1];
    aim->usids[1] = SOME_USID;
    if (conform_report_lacks(bench->report, SWITCH_PLAIN_IPV6))
        aim->out = SWITCH_NOWHERE;
}

static void judge_plain(struct switch_bench *bench, const struct switch_shot *shot)
{
    struct ipv6_addr wanted = switch_expect_sent(shot);

    if (!switch_expect_out(bench, shot, "a frame whose first uSID has a route"))
        return;
    switch_expect_destination(bench, shot, &wanted);
    switch_expect_hop_limit(bench, shot);
}

void switch_suite_plain_ipv6(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);

    switch_expect_load(bench, leave_out_switch);
    if (conform_report_lacks(report, SWITCH_PLAIN_IPV6))
        switch_expect_drops(bench, "a frame that does not name the switch");
    else
        switch_expect_each(bench, judge_plain);
}
