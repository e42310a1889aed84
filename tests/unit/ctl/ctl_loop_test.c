/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of a controller: reports of probes become verdicts, and verdicts become drains within
 * the limits. Tests ctl/ctl_map.c and ctl/ctl_map_verdict.c, too. */
#include "ctl/ctl_loop.h"

#include <arpa/inet.h>
#include <stdlib.h>

#include "base/prng.h"
#include "ctl_bench.h"
#include "spec.h"

enum { PERIOD_MS = 10, ROUND = 10, NICS = 6 };

static const struct ctl_policy_config usual = {
    .mode = CTL_POLICY_ON, .actions_max = 10, .hold_ms = 1000, .clean_rounds = 5
};

static struct ctl_bench *bench_open(const struct ctl_policy_config *policy, uint32_t capacity_ppm)
{
    static struct ctl_bench bench;
    struct ctl_map_config map = { .period_ms = PERIOD_MS, .round_periods = ROUND };

    EXPECT(ctl_bench_open(&bench, capacity_ppm));
    EXPECT_EQ(ctl_loop_init(&bench.controller, &map, policy, bench.reason), 0);
    bench.controller.now_ms = 1000000;
    ctl_controller_tick(&bench.controller, bench.controller.now_ms);
    return &bench;
}

static bool crosses(const struct ctl_bench *bench, const struct map_slot *slot, const char *broken)
{
    const struct map_schedule *schedule = &bench->controller.map.map.schedule;
    const struct topology *topology = &bench->plan.topology;
    struct topology_element element;
    struct topology_end lower, upper;
    char reason[TOPOLOGY_REASON_BYTES];
    struct map_probe probe;
    struct map_steps steps;

    if (!broken || !map_schedule_at(schedule, slot, &probe))
        return false;
    EXPECT(topology_find(topology, broken, &element, reason));
    steps = map_schedule_steps(schedule, slot, &probe);
    for (uint32_t i = 0; i < topology_links_of(topology, &element); i++)
        for (uint32_t j = 0; j < steps.count; j++)
            if (topology_link_of(topology, &element, i, &lower, &upper) &&
                steps.at[j].link == topology_link_number(topology, lower))
                return true;
    return false;
}

static json_t *losses_of(
    const struct ctl_bench *bench, uint64_t round, uint32_t nic, const char *broken)
{
    json_t *lost = json_array();

    for (uint32_t port = 0; port < 2; port++)
        for (uint32_t period = 0; period < ROUND; period++)
            for (uint32_t slot = 0;
                 slot < map_schedule_count(&bench->controller.map.map.schedule, nic, port);
                 slot++) {
                struct map_slot probe = {
                    .nic = nic, .port = port, .period = round * ROUND + period, .number = slot
                };

                if (!crosses(bench, &probe, broken))
                    continue;
                json_array_append_new(lost, json_integer(port));
                json_array_append_new(lost, json_integer(period));
                json_array_append_new(lost, json_integer(slot));
            }
    return lost;
}

/* The report of an agent about one NIC and round. */
static void send_report(
    struct ctl_bench *bench, uint32_t nic, uint64_t round, json_t *lost, json_t *events)
{
    struct ipv6_addr address = plan_nic_address(&bench->plan, nic);
    char text[INET6_ADDRSTRLEN];
    json_t *report;

    inet_ntop(AF_INET6, address.octets, text, sizeof(text));
    report = json_pack("{s:i,s:[{s:s,s:s,s:i,s:i,s:b}],s:o,s:{s:I,s:[{s:I,s:[{s:s,s:i,s:o}]}]}}",
        "version", 0, "devices", "name", "mrc0", "address", text, "version", 0, "ports_down", 0,
        "open", 1, "events", events, "map", "fabric_id",
        (json_int_t)bench->controller.map.fabric_id, "rounds", "round", (json_int_t)round, "nics",
        "address", text, "ports", 3, "lost", lost);
    EXPECT(report != NULL);
    snprintf(text, sizeof(text), "node%u", nic);
    json_decref(ctl_controller_take_report(&bench->controller, text, report));
    json_decref(report);
}

/* All NICs report rounds in which the element loses all probes; NULL: none. */
static void run_rounds(struct ctl_bench *bench, uint32_t count, const char *broken)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t round = bench->controller.map.map.round;

        for (uint32_t nic = 0; nic < NICS; nic++)
            send_report(bench, nic, round, losses_of(bench, round, nic, broken), json_array());
        ctl_controller_tick(&bench->controller, (round + 1) * ROUND * PERIOD_MS + 1);
        while (bench->controller.map.map.round == round)
            ctl_controller_tick(&bench->controller, bench->controller.now_ms + 500);
    }
}

static json_t *last_verdict(struct ctl_bench *bench)
{
    json_t *rows = ctl_store_verdicts(bench->store, -1);
    json_t *last = json_incref(json_array_get(rows, json_array_size(rows) - 1));

    json_decref(rows);
    return last;
}

/* The entries of the policy: others are about the clock, which a test moves. */
static json_t *actions_of_policy(struct ctl_bench *bench)
{
    json_t *audit = ctl_store_audit(bench->store, -1);
    json_t *actions = json_array();
    json_t *entry;
    size_t i;

    json_array_foreach(audit, i, entry)
    {
        if (strcmp(json_string_value(json_object_get(entry, "actor")), CTL_POLICY_ACTOR) == 0)
            json_array_append(actions, entry);
    }
    json_decref(audit);
    return actions;
}

static unsigned change(struct ctl_bench *bench, const char *element, bool is_drain)
{
    struct ctl_wish wish = { .actor = "operator", .element = element };
    unsigned status;

    json_decref((is_drain ? ctl_controller_drain : ctl_controller_restore)(
        &bench->controller, &wish, &status));
    return status;
}

static bool is_drained(struct ctl_bench *bench, const char *element)
{
    return ctl_denylist_has(&bench->controller.denylist, element);
}

SPEC("a link that loses probes gets a verdict with text and evidence, and is drained")
{
    struct ctl_bench *bench = bench_open(&usual, 750000);
    json_t *verdict;

    run_rounds(bench, 20, "p0.t0.1-t1.2");
    verdict = last_verdict(bench);
    EXPECT_STR_EQ(json_string_value(json_object_get(verdict, "element")), "p0.t0.1-t1.2");
    EXPECT(strstr(json_string_value(json_object_get(verdict, "text")),
               "plane 0, t0.1 port 4 - t1.2, both directions, 100 % loss since ") != NULL);
    EXPECT(
        strstr(json_string_value(json_object_get(verdict, "text")), ", 1 of 8 EVs denied") != NULL);
    EXPECT_EQ(json_integer_value(json_object_get(verdict, "confidence_ppm")), 999999);
    EXPECT_EQ(
        json_integer_value(json_object_get(json_object_get(verdict, "evidence"), "evs_denied")), 1);
    EXPECT(is_drained(bench, "p0.t0.1-t1.2"));
    EXPECT(ctl_denylist_is_automatic(&bench->controller.denylist, "p0.t0.1-t1.2"));
    EXPECT_EQ(bench->controller.denylist.count, 1);
    json_decref(verdict);
    ctl_bench_close(bench);
}

SPEC("it is restored when probes arrive again, and the log has both actions with evidence")
{
    struct ctl_bench *bench = bench_open(&usual, 750000);
    json_t *audit;

    run_rounds(bench, 20, "p0.t1.1");
    EXPECT(is_drained(bench, "p0.t1.1"));
    run_rounds(bench, 400, NULL);
    EXPECT_EQ(bench->controller.denylist.count, 0);
    audit = actions_of_policy(bench);
    EXPECT_EQ(json_array_size(audit), 2);
    EXPECT_STR_EQ(json_string_value(json_object_get(json_array_get(audit, 0), "verb")), "drain");
    EXPECT_STR_EQ(
        json_string_value(json_object_get(
            json_object_get(json_object_get(json_array_get(audit, 0), "evidence"), "verdict"),
            "source")),
        "map");
    EXPECT_STR_EQ(json_string_value(json_object_get(json_array_get(audit, 1), "verb")), "restore");
    json_decref(audit);
    ctl_bench_close(bench);
}

SPEC("a dry run writes down what it would do, and does nothing")
{
    struct ctl_policy_config dry = usual;
    struct ctl_bench *bench;
    json_t *audit;

    dry.mode = CTL_POLICY_DRY_RUN;
    bench = bench_open(&dry, 750000);
    run_rounds(bench, 20, "p0.t1.1");
    EXPECT_EQ(bench->controller.denylist.count, 0);
    run_rounds(bench, 400, NULL);
    EXPECT_EQ(bench->controller.version, 0);
    audit = actions_of_policy(bench);
    EXPECT_EQ(json_array_size(audit), 2);
    for (size_t i = 0; i < 2; i++)
        EXPECT_STR_EQ(
            json_string_value(json_object_get(json_array_get(audit, i), "outcome")), "dry_run");
    json_decref(audit);
    ctl_bench_close(bench);
}

SPEC("what an operator drained is never restored by the policy")
{
    struct ctl_bench *bench = bench_open(&usual, 600000);

    EXPECT_EQ(change(bench, "p0.t1.1", true), 200);
    run_rounds(bench, 20, "p0.t1.1");
    run_rounds(bench, 400, NULL);
    EXPECT(is_drained(bench, "p0.t1.1"));
    ctl_bench_close(bench);
}

SPEC("an operator can take over what the policy drained, or restore it")
{
    struct ctl_bench *bench = bench_open(&usual, 600000);

    run_rounds(bench, 20, "p0.t1.1");
    EXPECT_EQ(change(bench, "p0.t1.1", true), 200);
    EXPECT_EQ(change(bench, "p0.t1.1", true), 409);
    run_rounds(bench, 400, NULL);
    EXPECT(is_drained(bench, "p0.t1.1"));
    EXPECT_EQ(change(bench, "p0.t1.1", false), 200);
    run_rounds(bench, 20, "p0.t1.2");
    EXPECT(is_drained(bench, "p0.t1.2"));
    EXPECT_EQ(change(bench, "p0.t1.2", false), 200);
    run_rounds(bench, 20, "p0.t1.2");
    EXPECT(!is_drained(bench, "p0.t1.2"));
    ctl_bench_close(bench);
}

SPEC("a drain below the limit on capacity is refused and logged, not repeated each round")
{
    struct ctl_bench *bench = bench_open(&usual, 950000);
    json_t *audit;

    run_rounds(bench, 60, "p0.t1.1"); /* six seconds */
    EXPECT_EQ(bench->controller.denylist.count, 0);
    audit = actions_of_policy(bench);
    EXPECT_EQ(json_array_size(audit), 1);
    EXPECT(strstr(json_string_value(json_object_get(json_array_get(audit, 0), "reason")),
               "would keep 87.5 % of its paths") != NULL);
    json_decref(audit);
    ctl_bench_close(bench);
}

SPEC("without reports nothing is judged, restored or drained")
{
    struct ctl_bench *bench = bench_open(&usual, 750000);

    run_rounds(bench, 20, "p0.t1.1");
    for (uint32_t i = 0; i < 1000; i++)
        ctl_controller_tick(&bench->controller, bench->controller.now_ms + 1000);
    EXPECT(is_drained(bench, "p0.t1.1"));
    EXPECT_EQ(bench->controller.map.verdict_count, 1);
    ctl_bench_close(bench);
}

SPEC("a report about NICs of others, of another time, or of impossible losses is refused")
{
    struct ctl_bench *bench = bench_open(&usual, 750000);
    uint64_t round = bench->controller.map.map.round;
    struct ctl_member *member;

    send_report(bench, 0, round, json_array(), json_array());
    send_report(bench, 0, round, json_array(), json_array());
    member = ctl_member_find_or_add(&bench->controller.members, "node0");
    EXPECT_EQ(member->rounds_refused, 1); /* twice the same round */
    send_report(bench, 0, round + 1000, json_array(), json_array());
    EXPECT_EQ(member->rounds_refused, 2);
    send_report(bench, 0, round + 15, json_array(), json_array()); /* has not ended */
    EXPECT_EQ(member->rounds_refused, 3);
    send_report(bench, 1, round, json_pack("[i,i,i]", 0, 99, 1), json_array());
    send_report(bench, 2, round, json_pack("[i,i,i,i,i,i]", 0, 1, 0, 0, 1, 0), json_array());
    run_rounds(bench, 1, NULL);
    EXPECT_EQ(bench->controller.map.map.counts.refused, 1); /* no such period */
    member = ctl_member_find_or_add(&bench->controller.members, "node2");
    EXPECT_EQ(member->rounds_refused, 1); /* a probe that is lost twice */
    ctl_bench_close(bench);
}

SPEC("an agent cannot have more kept than its NIC can lose")
{
    struct ctl_bench *bench = bench_open(&usual, 750000);
    uint64_t round = bench->controller.map.map.round;
    json_t *many = json_array();

    for (uint32_t i = 0; i < 3 * (2 * ROUND * MAP_SLOTS_MAX + 1); i++)
        json_array_append_new(many, json_integer(0));
    send_report(bench, 0, round, many, json_array());
    send_report(bench, 0, round, json_pack("[i,i,{}]", 0, 1), json_array());
    send_report(bench, 0, round, json_pack("[i,i]", 0, 1), json_array());
    EXPECT_EQ(json_array_size(bench->controller.map.pending[round % CTL_MAP_ROUNDS]), 0);
    EXPECT_EQ(ctl_member_find_or_add(&bench->controller.members, "node0")->rounds_refused, 3);
    ctl_bench_close(bench);
}

SPEC("a round waits again for NICs that were late once")
{
    struct ctl_bench *bench = bench_open(&usual, 750000);
    struct ctl_map *map = &bench->controller.map;
    uint64_t round;

    run_rounds(bench, 2, NULL);
    round = map->map.round;
    send_report(bench, 0, round, json_array(), json_array());
    while (map->map.round == round)
        ctl_controller_tick(&bench->controller, bench->controller.now_ms + 100);
    EXPECT_EQ(map->nics_last, 1);
    for (uint32_t nic = 1; nic < NICS; nic++)
        send_report(bench, nic, round, json_array(), json_array());
    send_report(bench, 1, round, json_array(), json_array()); /* counts once */
    round++;
    send_report(bench, 0, round, json_array(), json_array());
    ctl_controller_tick(&bench->controller, (round + 1) * ROUND * PERIOD_MS + 1);
    EXPECT_EQ(map->map.round, round);
    for (uint32_t nic = 1; nic < NICS; nic++)
        send_report(bench, nic, round, json_array(), json_array());
    ctl_controller_tick(&bench->controller, (round + 1) * ROUND * PERIOD_MS + 2);
    EXPECT_EQ(map->map.round, round + 1);
    EXPECT_EQ(map->nics_last, NICS);
    ctl_bench_close(bench);
}

/* The process ends, and another one begins. */
static void restart(struct ctl_bench *bench, const struct ctl_policy_config *policy)
{
    struct ctl_map_config map = { .period_ms = PERIOD_MS, .round_periods = ROUND };
    uint64_t now_ms = bench->controller.now_ms;

    ctl_loop_fini(&bench->controller);
    EXPECT_EQ(ctl_loop_init(&bench->controller, &map, policy, bench->reason), 0);
    ctl_controller_tick(&bench->controller, now_ms + 1000);
}

SPEC("a verdict of an earlier process drains nothing until probes confirm it")
{
    struct ctl_policy_config off = usual;
    struct ctl_bench *bench;

    off.mode = CTL_POLICY_OFF;
    bench = bench_open(&off, 750000);
    run_rounds(bench, 20, "p0.t1.1");
    EXPECT_EQ(bench->controller.map.verdict_count, 1);
    restart(bench, &usual);
    EXPECT_EQ(bench->controller.map.verdict_count, 1);
    run_rounds(bench, 5, NULL);
    EXPECT(!is_drained(bench, "p0.t1.1"));
    run_rounds(bench, 20, "p0.t1.1");
    EXPECT(is_drained(bench, "p0.t1.1"));
    ctl_bench_close(bench);
}

SPEC("what operators restore stays in service while its verdict is open, also after a restart")
{
    struct ctl_bench *bench = bench_open(&usual, 600000);

    run_rounds(bench, 20, "p0.t1.1");
    EXPECT_EQ(change(bench, "p0.t1.1", true), 200); /* takes the drain over */
    run_rounds(bench, 3, "p0.t1.1");
    EXPECT_EQ(change(bench, "p0.t1.1", false), 200);
    run_rounds(bench, 3, "p0.t1.1");
    EXPECT(!is_drained(bench, "p0.t1.1"));
    restart(bench, &usual);
    run_rounds(bench, 20, "p0.t1.1");
    EXPECT(!is_drained(bench, "p0.t1.1"));
    EXPECT_EQ(change(bench, "p0.t1.2", true), 200); /* before there is a verdict */
    run_rounds(bench, 20, "p0.t1.2");
    EXPECT_EQ(change(bench, "p0.t1.2", false), 200);
    run_rounds(bench, 3, "p0.t1.2");
    EXPECT(!is_drained(bench, "p0.t1.2"));
    ctl_bench_close(bench);
}

SPEC("EVs that NICs found bad are evidence, and name their senders in the verdict")
{
    struct ctl_bench *bench = bench_open(&usual, 750000);
    struct ipv6_addr address = plan_nic_address(&bench->plan, 4);
    char peer[INET6_ADDRSTRLEN];
    json_t *verdict;
    char *text;
    uint32_t ev;

    inet_ntop(AF_INET6, address.octets, peer, sizeof(peer));
    EXPECT(plan_ev_find(&bench->plan, "p0/u2", &ev));
    run_rounds(bench, 1, NULL);
    send_report(bench, 0, 0, json_array(),
        json_pack("[{s:s,s:s,s:i,s:I,s:s,s:s}]", "event", "ev", "device", "mrc0", "qpn", 7, "ev",
            (json_int_t)ev, "to", "bad", "peer", peer));
    EXPECT_EQ(bench->controller.map.evs.count, 1);
    run_rounds(bench, 20, "p0.t0.0-t1.2");
    verdict = last_verdict(bench);
    text = json_dumps(json_object_get(verdict, "evidence"), JSON_COMPACT);
    EXPECT(strstr(text, "\"avoided\":[[\"h0\",\"h4\",\"p0/u2\"]]") != NULL);
    free(text);
    json_decref(verdict);
    ctl_bench_close(bench);
}

PROPERTY("whatever the verdicts and operators do, the policy keeps to its limits", 60)
{
    struct prng prng = { .state = seed };
    struct ctl_policy_config config = usual;
    uint32_t limit_ppm = 500000 + 125000 * prng_below(&prng, 4);
    struct ctl_bench *bench;
    bool is_operators[8] = { false };

    config.actions_max = 1 + prng_below(&prng, 6);
    bench = bench_open(&config, limit_ppm);
    for (uint32_t step = 0; step < 150; step++) {
        struct ctl_controller *controller = &bench->controller;
        struct ctl_share share;
        uint32_t drained = controller->denylist.count;

        controller->now_ms += prng_below(&prng, 600000);
        controller->map.verdict_count = 0;
        for (uint32_t i = 0; i < 8; i++)
            if (prng_below(&prng, 4) == 0) {
                struct ctl_map_verdict *verdict =
                    &controller->map.verdicts[controller->map.verdict_count++];

                snprintf(verdict->element, TOPOLOGY_NAME_BYTES, "p%u.t1.%u", i / 4, i % 4);
                verdict->number = 1;
            }
        ctl_loop_act(controller, prng_below(&prng, 3) > 0);
        share = ctl_denylist_share(&controller->denylist, controller->ports_down);
        EXPECT(share.ppm >= limit_ppm || controller->denylist.count <= drained);
        EXPECT_LE(ctl_policy_actions(&controller->policy, controller->now_ms), config.actions_max);
        for (uint32_t i = 0; i < 8; i++) {
            char name[TOPOLOGY_NAME_BYTES];

            snprintf(name, sizeof(name), "p%u.t1.%u", i / 4, i % 4);
            EXPECT(!is_operators[i] || is_drained(bench, name));
            if (prng_below(&prng, 20) > 0)
                continue;
            if (change(bench, name, !is_drained(bench, name)) == 200)
                is_operators[i] = is_drained(bench, name);
        }
    }
    bench->controller.map.verdict_count = 0;
    ctl_bench_close(bench);
}
