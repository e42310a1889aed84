/* SPDX-License-Identifier: Apache-2.0 */
/* Elements out of service: no path that remains crosses them, and no more than necessary goes. */
#include "plan/plan_drain.h"

#include <string.h>

#include "plan/plan.h"
#include "spec.h"

static struct plan small_plan(void)
{
    static struct plan plan;
    struct topology_config config;
    struct topology_exception none;
    struct topology_problem problem;

    topology_config_init(&config);
    config.plane_count = 2;
    config.t0_count = 3;
    config.t1_count = 4;
    config.hosts_per_t0 = 2;
    EXPECT(plan_init(&plan, &config, &none, &problem));
    return plan;
}

static struct plan_drain drain_of(const struct plan *plan, const char *name)
{
    char reason[TOPOLOGY_REASON_BYTES];
    struct plan_drain drain;

    EXPECT(plan_drain_find(plan, name, &drain, reason));
    return drain;
}

/* Whether a packet may still go from one NIC to another on this EV. */
static bool is_open(const struct plan *plan, const struct plan_drain *drain, uint32_t from,
    uint32_t to, uint32_t ev)
{
    uint32_t plane = plan_ev_path(plan, ev).plane;

    return !plan_drain_denies(plan, drain, ev) && !plan_drain_disables(plan, drain, from, plane) &&
           !plan_drain_disables(plan, drain, to, plane);
}

static bool touches(const struct topology_element *link, const struct topology_element *element)
{
    char name[TOPOLOGY_NAME_BYTES], part[TOPOLOGY_NAME_BYTES];
    const char *found;

    topology_name(link, name);
    topology_name(element, part);
    if (strcmp(name, part) == 0)
        return true;
    if (element->kind == TOPOLOGY_T0 && link->kind == TOPOLOGY_HOST_LINK)
        return link->plane == element->plane && link->nic / 2 == element->t0;
    if (element->kind == TOPOLOGY_T0)
        return link->kind == TOPOLOGY_UPLINK && link->plane == element->plane &&
               link->t0 == element->t0;
    if (element->kind == TOPOLOGY_T1)
        return link->kind == TOPOLOGY_UPLINK && link->plane == element->plane &&
               link->t1 == element->t1;
    found = element->kind == TOPOLOGY_PLANE ? strstr(name, part) : NULL;
    return found != NULL;
}

static void expect_clear(const char *name)
{
    struct plan plan = small_plan();
    struct plan_drain drain = drain_of(&plan, name);
    uint32_t open = 0;

    for (uint32_t from = 0; from < plan.topology.nic_count; from++)
        for (uint32_t to = 0; to < plan.topology.nic_count; to++)
            for (uint32_t i = 0; i < 8 && to != from; i++) {
                uint32_t ev = plan_ev(&plan, (struct ev_path){ .plane = i / 4, .uplink = i % 4 });
                struct topology_element links[PLAN_LINKS_MAX];
                uint32_t count = plan_links(&plan, from, to, ev, links);

                if (!is_open(&plan, &drain, from, to, ev))
                    continue;
                open++;
                for (uint32_t j = 0; j < count; j++)
                    EXPECT(!touches(&links[j], &drain.element));
            }
    EXPECT_GT(open, 0);
}

SPEC("no open path crosses a drained switch, link or plane")
{
    expect_clear("p1.t1.2");
    expect_clear("p0.t0.1");
    expect_clear("p0.t0.2-t1.3");
    expect_clear("h3.p1");
    expect_clear("p1");
}

SPEC("a drained T1 takes one EV, and no port")
{
    struct plan plan = small_plan();
    struct plan_drain drain = drain_of(&plan, "p1.t1.2");
    uint32_t denied = 0;

    for (uint32_t i = 0; i < 8; i++)
        denied += plan_drain_denies(
            &plan, &drain, plan_ev(&plan, (struct ev_path){ .plane = i / 4, .uplink = i % 4 }));
    EXPECT_EQ(denied, 1);
    EXPECT(plan_drain_denies(
        &plan, &drain, plan_ev(&plan, (struct ev_path){ .plane = 1, .uplink = 2 })));
    EXPECT(!plan_drain_has_ports(&drain));
    EXPECT(!plan_drain_disables(&plan, &drain, 0, 1));
}

SPEC("a drained T0 takes a port of its NICs, and no EV")
{
    struct plan plan = small_plan();
    struct plan_drain drain = drain_of(&plan, "p0.t0.1");

    EXPECT(plan_drain_has_ports(&drain));
    EXPECT(plan_drain_disables(&plan, &drain, 2, 0));
    EXPECT(plan_drain_disables(&plan, &drain, 3, 0));
    EXPECT(!plan_drain_disables(&plan, &drain, 1, 0));
    EXPECT(!plan_drain_disables(&plan, &drain, 2, 1));
    EXPECT(!plan_drain_denies(&plan, &drain, 0));
}

SPEC("an EV is drained by its name")
{
    struct plan plan = small_plan();
    struct plan_drain drain = drain_of(&plan, "p1/u3");

    EXPECT(plan_drain_denies(&plan, &drain, drain.ev));
    EXPECT(!plan_drain_denies(&plan, &drain, drain.ev - 1));
}

SPEC("a NIC, an unknown element and nonsense are refused with a reason")
{
    struct plan plan = small_plan();
    const char *const names[] = { "h0", "p9.t1.0", "p0.t1.9", "", "p0/u9", "all", "p0.t1.0;" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char reason[TOPOLOGY_REASON_BYTES] = "";
        struct plan_drain drain;

        EXPECT(!plan_drain_find(&plan, names[i], &drain, reason));
        EXPECT(reason[0] != '\0');
    }
}
