/* SPDX-License-Identifier: Apache-2.0 */
/* Events of NICs as evidence: a QP that fails or is reset avoids nothing any more, others do. */
#include "control/ev_report.h"

#include <arpa/inet.h>

#include "prober.h"

enum { PLACES = 1024 };

static struct prober prober;
static struct map_evs evs;
static _Alignas(64) struct map_evs_place memory[PLACES];

static void open_evs(void)
{
    struct arena arena;

    prober_open(&prober, 4, 4, 4);
    arena_init(&arena, memory, sizeof(memory));
    map_evs_init(&evs, &arena, PLACES);
}

static void take_event(json_t *event)
{
    EXPECT(event != NULL);
    ev_report_take(&evs, &prober.map, event, 0, 1);
    json_decref(event);
}

static void take_bad_ev(int qpn)
{
    struct ipv6_addr address = plan_nic_address(&prober.plan, 5);
    char peer[INET6_ADDRSTRLEN];
    uint32_t ev;

    EXPECT(plan_ev_find(&prober.plan, "p1/u2", &ev));
    inet_ntop(AF_INET6, address.octets, peer, sizeof(peer));
    take_event(json_pack("{s:s,s:i,s:i,s:s,s:s}", "event", "ev", "qpn", qpn, "ev", (int)ev, "to",
        "bad", "peer", peer));
}

static void take_qp(int qpn, const char *to)
{
    take_event(json_pack("{s:s,s:i,s:s}", "event", "qp", "qpn", qpn, "to", to));
}

SPEC("a QP that fails or is reset avoids no EV any more")
{
    open_evs();
    take_bad_ev(7);
    take_bad_ev(8);
    EXPECT_EQ(evs.count, 2);
    take_qp(7, "ERROR");
    EXPECT_EQ(evs.count, 1);
    take_qp(8, "RESET");
    EXPECT_EQ(evs.count, 0);
    prober_close(&prober);
}

SPEC("a QP that gets another state avoids what it avoided")
{
    static const char *const states[] = { "INIT", "RTR", "RTS", "" };

    open_evs();
    take_bad_ev(7);
    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
        take_qp(7, states[i]);
    EXPECT_EQ(evs.count, 1);
    prober_close(&prober);
}
