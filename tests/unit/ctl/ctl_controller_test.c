/* SPDX-License-Identifier: Apache-2.0 */
/* The controller: limits, orders, and agents that lie, contradict each other or flood. Tests
 * ctl/ctl_report.c, ctl/ctl_member.c, ctl/ctl_plain.c and ctl/ctl_conduct.c, too. */
#include "ctl/ctl_controller.h"

#include <arpa/inet.h>
#include <stdlib.h>

#include "ctl/ctl_conduct.h"
#include "ctl_bench.h"
#include "spec.h"

static struct ctl_bench *bench_open(uint32_t capacity_ppm)
{
    static struct ctl_bench bench;

    EXPECT(ctl_bench_open(&bench, capacity_ppm));
    return &bench;
}

static unsigned drain_with(struct ctl_bench *bench, const char *element, bool is_dry)
{
    struct ctl_wish wish = { .actor = "operator", .element = element, .is_dry = is_dry };
    unsigned status;

    json_decref(ctl_controller_drain(&bench->controller, &wish, &status));
    return status;
}

static unsigned drain(struct ctl_bench *bench, const char *element)
{
    return drain_with(bench, element, false);
}

static unsigned restore(struct ctl_bench *bench, const char *element)
{
    struct ctl_wish wish = { .actor = "operator", .element = element };
    unsigned status;

    json_decref(ctl_controller_restore(&bench->controller, &wish, &status));
    return status;
}

/* What an agent says of one NIC; `version` is that of its orders. */
static json_t *report_of(const struct ctl_bench *bench, uint32_t nic, int version, json_t *events)
{
    struct ipv6_addr address = plan_nic_address(&bench->plan, nic);
    char text[INET6_ADDRSTRLEN];

    inet_ntop(AF_INET6, address.octets, text, sizeof(text));
    return json_pack("{s:i,s:[{s:s,s:s,s:i,s:i}],s:o}", "version", version, "devices", "name",
        "mrc0", "address", text, "version", version, "ports_down", 0, "events", events);
}

static json_t *bad_ev(int ev)
{
    return json_pack("{s:s,s:s,s:i,s:s,s:i}", "event", "ev", "device", "mrc0", "ev", ev, "to",
        "bad", "time_ms", 1);
}

/* Returns the orders in the answer; NULL: none. */
static json_t *send_report(struct ctl_bench *bench, const char *agent, json_t *report)
{
    json_t *answer = ctl_controller_take_report(&bench->controller, agent, report);
    json_t *orders;

    EXPECT(answer != NULL);
    orders = json_incref(json_object_get(answer, "orders"));
    json_decref(answer);
    json_decref(report);
    return orders;
}

static size_t denied_in(json_t *orders)
{
    json_t *nics = json_object_get(orders, "nics");
    const json_t *nic = json_object_iter_value(json_object_iter(nics));
    size_t count = json_array_size(json_object_get(nic, "deny"));

    json_decref(orders);
    return count;
}

SPEC("a drain below the limit is refused with the numbers, and changes nothing")
{
    struct ctl_bench *bench = bench_open(700000);
    struct ctl_wish wish = { .actor = "operator", .element = "p0.t1.2" };
    unsigned status;
    json_t *answer;
    json_t *audit;

    EXPECT_EQ(drain(bench, "p0.t1.0"), 200); /* 7 of 8 paths left */
    EXPECT_EQ(drain(bench, "p0.t1.1"), 200); /* 6 */
    answer = ctl_controller_drain(&bench->controller, &wish, &status);
    EXPECT_EQ(status, 409);
    EXPECT(strstr(json_string_value(json_object_get(answer, "error")),
               "h0 would keep 62.5 % of its paths, below the limit of 70.0 %; it has 75.0 % now") !=
           NULL);
    json_decref(answer);
    EXPECT_EQ(bench->controller.denylist.count, 2);
    EXPECT_EQ(bench->controller.version, 2);
    audit = ctl_store_audit(bench->store, -1);
    EXPECT_STR_EQ(
        json_string_value(json_object_get(json_array_get(audit, 2), "outcome")), "refused");
    json_decref(audit);
    ctl_bench_close(bench);
}

SPEC("a plane, and a leaf of one NIC's, count against the limit, too")
{
    struct ctl_bench *bench = bench_open(600000);

    EXPECT_EQ(drain(bench, "p0"), 409);      /* half of all paths */
    EXPECT_EQ(drain(bench, "p0.t0.1"), 409); /* half of those of h2 and h3 */
    EXPECT_EQ(drain(bench, "h5.p1"), 409);
    EXPECT_EQ(drain(bench, "p0/u1"), 200);
    ctl_bench_close(bench);
}

SPEC("ports that agents report down count against the limit")
{
    struct ctl_bench *bench = bench_open(500000);

    bench->controller.ports_down[4] = 2;
    EXPECT_EQ(drain(bench, "p0.t1.0"), 409); /* h4 has only plane 0 */
    bench->controller.ports_down[4] = 0;
    EXPECT_EQ(drain(bench, "p0.t1.0"), 200);
    ctl_bench_close(bench);
}

SPEC("a dry run changes nothing, and is logged")
{
    struct ctl_bench *bench = bench_open(500000);
    json_t *audit;

    EXPECT_EQ(drain_with(bench, "p0.t1.0", true), 200);
    EXPECT_EQ(bench->controller.denylist.count, 0);
    EXPECT_EQ(bench->controller.version, 0);
    audit = ctl_store_audit(bench->store, -1);
    EXPECT_STR_EQ(
        json_string_value(json_object_get(json_array_get(audit, 0), "outcome")), "dry_run");
    json_decref(audit);
    ctl_bench_close(bench);
}

SPEC("an agent gets orders when its version differs, and none when it has them")
{
    struct ctl_bench *bench = bench_open(500000);

    EXPECT_EQ(denied_in(send_report(bench, "a", report_of(bench, 0, -1, json_array()))), 0);
    EXPECT(send_report(bench, "a", report_of(bench, 0, 0, json_array())) == NULL);
    EXPECT_EQ(drain(bench, "p1.t1.3"), 200);
    EXPECT_EQ(denied_in(send_report(bench, "a", report_of(bench, 0, 0, json_array()))), 1);
    EXPECT(send_report(bench, "a", report_of(bench, 0, 1, json_array())) == NULL);
    EXPECT_EQ(restore(bench, "p1.t1.3"), 200);
    EXPECT_EQ(restore(bench, "p1.t1.3"), 404);
    EXPECT_EQ(denied_in(send_report(bench, "a", report_of(bench, 0, 1, json_array()))), 0);
    ctl_bench_close(bench);
}

SPEC("an agent does not speak for the NIC of another, until that one is silent")
{
    struct ctl_bench *bench = bench_open(500000);

    json_decref(send_report(bench, "a", report_of(bench, 0, 0, json_array())));
    json_decref(send_report(bench, "liar", report_of(bench, 0, 0, json_pack("[o]", bad_ev(1)))));
    EXPECT_EQ(bench->controller.members.members[1]->claims_refused, 1);
    EXPECT_EQ(bench->controller.members.members[1]->events_refused, 1);
    EXPECT_EQ(bench->controller.evidence.count, 0);
    ctl_controller_tick(&bench->controller, bench->controller.now_ms + CTL_SILENT_MS + 1);
    json_decref(send_report(bench, "liar", report_of(bench, 0, 0, json_pack("[o]", bad_ev(1)))));
    EXPECT_EQ(bench->controller.members.members[1]->claims_refused, 1);
    EXPECT_EQ(bench->controller.members.members[1]->events_taken, 1);
    ctl_bench_close(bench);
}

SPEC("an agent that floods is cut off, counted, and heard again later")
{
    struct ctl_bench *bench = bench_open(500000);
    struct ctl_member *member;

    for (int turn = 0; turn < 4; turn++) {
        json_t *events = json_array();

        for (int i = 0; i < CTL_AGENT_EVENTS; i++)
            json_array_append_new(events, bad_ev(1));
        json_decref(send_report(bench, "a", report_of(bench, 0, 0, events)));
    }
    member = bench->controller.members.members[0];
    EXPECT_EQ(member->events_taken, CTL_EVENTS_BURST);
    EXPECT_EQ(member->events_taken + member->events_refused, 4 * CTL_AGENT_EVENTS);
    ctl_controller_tick(&bench->controller, bench->controller.now_ms + 1000);
    json_decref(send_report(bench, "a", report_of(bench, 0, 0, json_pack("[o]", bad_ev(1)))));
    EXPECT_EQ(member->events_taken, CTL_EVENTS_BURST + 1);
    EXPECT_EQ(bench->controller.events_dropped, 0);
    ctl_bench_close(bench);
}

SPEC("false data is refused: foreign addresses, EVs that do not exist, events without a kind")
{
    struct ctl_bench *bench = bench_open(500000);
    json_t *odd = json_pack("{s:i,s:[{s:s,s:s}],s:[]}", "version", 0, "devices", "name", "x",
        "address", "2001:db8:ffff::1", "events");
    json_t *nonsense = json_pack("{s:s}", "devices", "none");

    json_decref(send_report(bench, "a", odd));
    EXPECT_EQ(bench->controller.members.members[0]->device_count, 0);
    EXPECT(ctl_controller_take_report(&bench->controller, "a", nonsense) == NULL);
    json_decref(nonsense);
    json_decref(send_report(bench, "a",
        report_of(bench, 0, 0,
            json_pack("[o,{s:i},s,{s:s,s:s}]", bad_ev(99999), "event", 5, "text", "event", "ev",
                "device", "other"))));
    EXPECT_EQ(bench->controller.evidence.count, 0);
    EXPECT_EQ(bench->controller.members.members[0]->events_refused, 3);
    ctl_bench_close(bench);
}

/* An event with one more key. */
static json_t *event_with(const char *text)
{
    json_t *event = bad_ev(1);

    json_object_set_new(event, "text", json_string(text));
    return event;
}

SPEC("events that are long, nested or command a terminal are refused, and so are such devices")
{
    struct ctl_bench *bench = bench_open(500000);
    json_t *nested = bad_ev(1), *report;
    char text[2048];

    snprintf(text, sizeof(text), "%02000d", 0);
    json_object_set_new(nested, "text", json_array());
    for (unsigned i = 0; i < 300; i++)
        json_array_append_new(json_object_get(nested, "text"), json_object());
    json_decref(send_report(bench, "a",
        report_of(bench, 0, 0,
            json_pack("[o,o,o,o,o]", event_with(text), event_with("\x1b[2J"),
                event_with("\xc2\x9b"), nested, event_with("\xc3\xa4 is a letter")))));
    EXPECT_EQ(bench->controller.members.members[0]->events_refused, 4);
    EXPECT_EQ(bench->controller.members.members[0]->events_taken, 1);
    EXPECT_EQ(json_array_size(bench->controller.pending), 1);
    report = report_of(bench, 0, 0, json_array());
    json_object_set_new(
        json_array_get(json_object_get(report, "devices"), 0), "problem", json_string("\a"));
    json_decref(send_report(bench, "a", report));
    EXPECT_EQ(bench->controller.members.members[0]->device_count, 0);
    EXPECT_EQ(bench->controller.members.members[0]->claims_refused, 1);
    ctl_bench_close(bench);
}

static size_t count_notes(const struct ctl_bench *bench)
{
    json_t *audit = ctl_store_audit(bench->store, -1);
    const json_t *row;
    size_t i, count = 0;

    json_array_foreach(audit, i, row) count +=
        strcmp(json_string_value(json_object_get(row, "verb")), "refuse") == 0;
    json_decref(audit);
    return count;
}

SPEC("an agent that reports too often is refused for a second, and noted once a minute")
{
    struct ctl_bench *bench = bench_open(500000);
    struct ctl_controller *controller = &bench->controller;

    for (unsigned i = 0; i < CTL_REPORTS_RATE; i++)
        EXPECT(ctl_conduct_may_report(controller, "a"));
    EXPECT(!ctl_conduct_may_report(controller, "a"));
    EXPECT(ctl_conduct_may_report(controller, "b"));
    EXPECT_EQ(controller->members.members[0]->reports_refused, 1);
    ctl_controller_tick(controller, controller->now_ms + 1000);
    EXPECT_EQ(count_notes(bench), 1);
    for (unsigned i = 0; i < 2 * CTL_REPORTS_RATE; i++)
        ctl_conduct_may_report(controller, "a");
    EXPECT_EQ(controller->members.members[0]->reports_refused, 1 + CTL_REPORTS_RATE);
    ctl_controller_tick(controller, controller->now_ms + 1000);
    EXPECT_EQ(count_notes(bench), 1);
    ctl_controller_tick(controller, controller->now_ms + 60000);
    EXPECT_EQ(count_notes(bench), 2);
    ctl_controller_tick(controller, controller->now_ms + 60000);
    EXPECT_EQ(count_notes(bench), 2);
    ctl_bench_close(bench);
}

static size_t count_notes_of(const struct ctl_bench *bench, const char *agent, const char *words)
{
    json_t *audit = ctl_store_audit(bench->store, -1);
    const json_t *row;
    size_t i, count = 0;

    json_array_foreach(audit, i, row) count +=
        strcmp(json_string_value(json_object_get(row, "element")), agent) == 0 &&
        strstr(json_string_value(json_object_get(row, "reason")), words) != NULL;
    json_decref(audit);
    return count;
}

SPEC("a note says what was refused, and sixteen bad agents do not hide others")
{
    struct ctl_bench *bench = bench_open(500000);
    struct ctl_controller *controller = &bench->controller;
    char name[8];

    for (unsigned i = 0; i < 20; i++) {
        snprintf(name, sizeof(name), "a%u", i);
        ctl_member_find_or_add(&controller->members, name);
    }
    for (unsigned minute = 0; minute < 2; minute++) {
        for (unsigned i = 0; i < 20; i++)
            controller->members.members[i]->rounds_refused++;
        ctl_controller_tick(controller, controller->now_ms + 60000);
        EXPECT_EQ(count_notes(bench), 16 * (minute + 1));
    }
    EXPECT_EQ(count_notes_of(bench, "a0", " 1 rounds of probes"), 1);
    EXPECT_EQ(count_notes_of(bench, "a19", " 2 rounds of probes"), 1);
    EXPECT_EQ(count_notes_of(bench, "a11", " 2 rounds of probes"), 1);
    EXPECT_EQ(count_notes_of(bench, "a12", " 2 rounds of probes"), 0);
    ctl_bench_close(bench);
}

SPEC("evidence counts NICs and their leaves, each NIC once")
{
    struct ctl_bench *bench = bench_open(500000);
    const char *const agents[] = { "a", "b", "c" };
    json_t *rows;

    for (uint32_t i = 0; i < 3; i++)
        json_decref(send_report(
            bench, agents[i], report_of(bench, i, 0, json_pack("[o,o]", bad_ev(1), bad_ev(1)))));
    rows =
        ctl_evidence_describe(&bench->controller.evidence, &bench->plan, bench->controller.now_ms);
    EXPECT_EQ(json_array_size(rows), 1);
    EXPECT_EQ(json_integer_value(json_object_get(json_array_get(rows, 0), "nics")), 3);
    EXPECT_EQ(json_integer_value(json_object_get(json_array_get(rows, 0), "leaves")), 2);
    EXPECT_EQ(json_integer_value(json_object_get(json_array_get(rows, 0), "reports")), 6);
    json_decref(rows);
    rows = ctl_evidence_describe(
        &bench->controller.evidence, &bench->plan, bench->controller.now_ms + CTL_EVIDENCE_MS + 1);
    EXPECT_EQ(json_array_size(rows), 0);
    json_decref(rows);
    ctl_bench_close(bench);
}

SPEC("a denylist in the store that does not fit the fabric stops the controller, with a reason")
{
    struct ctl_bench *bench = bench_open(500000);
    struct ctl_action action = {
        .actor = "operator", .verb = "drain", .element = "p7.t1.0", .outcome = "done"
    };
    struct ctl_controller other;

    EXPECT_EQ(ctl_store_drain(bench->store, &action), 0);
    EXPECT(ctl_controller_init(
               &other, &bench->plan, bench->store, &bench->controller.limits, bench->reason) < 0);
    EXPECT(strstr(bench->reason, "p7.t1.0") != NULL);
    ctl_controller_fini(&other);
    ctl_bench_close(bench);
}
