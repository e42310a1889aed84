/* SPDX-License-Identifier: Apache-2.0 */
/* What a transport tells controllers and observers: EV events, counters, settings. */
#include "by_hand.h"
#include "spec.h"

#include <string.h>

enum { QPN = 7 };

static struct by_hand nic;

static void open_connected(void)
{
    by_hand_prepare(&nic);
    nic.init.owner = &nic;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
}

static struct path_set *paths(void)
{
    return transport_qp_paths(nic.transport, QPN);
}

/* ---- EVs ------------------------------------------------------------------------------------ */

SPEC("denying an EV and allowing it are two events for a controller")
{
    struct transport_event event;

    open_connected();
    path_deny(paths(), 3, nic.now_ns);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_DENIED), 1);
    path_allow(paths(), 3, nic.now_ns);
    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.kind, TRANSPORT_EV_CHANGED);
    EXPECT_EQ(event.qpn, QPN);
    EXPECT(event.owner == &nic);
    EXPECT_EQ(event.change.ev_index, 3);
    EXPECT_EQ(event.change.from, EV_GOOD);
    EXPECT_EQ(event.change.to, EV_DENIED);
    EXPECT_EQ(event.change.cause, PATH_ADMIN_DENY);
    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.change.from, EV_DENIED);
    EXPECT(!by_hand_event(&nic, &event));
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_DENIED), 1);
    by_hand_close(&nic);
}

SPEC("an EV that is skipped once is counted and traced, but causes no event")
{
    struct transport_event event;

    open_connected();
    nic.trace_count = 0;
    path_on_mark(paths(), 2, PATH_MARKED_SKIP_ONCE, nic.now_ns);
    EXPECT(!by_hand_event(&nic, &event));
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_SKIPPED), 1);
    EXPECT_EQ(nic.trace_count, 1);
    EXPECT_EQ(nic.traces[0].kind, EVENT_EV);
    EXPECT_EQ(nic.traces[0].subject, QPN);
    EXPECT_EQ(nic.traces[0].values[0], nic.entries[2].ev);
    EXPECT_EQ(nic.traces[0].values[1], EV_GOOD << 8 | EV_SKIP);
    EXPECT_EQ(nic.traces[0].values[2], PATH_MARKED_SKIP_ONCE);
    by_hand_close(&nic);
}

SPEC("an EV that turns bad is not counted as skipped")
{
    open_connected();
    path_on_mark(paths(), 2, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    EXPECT_EQ(path_state_of(paths(), 2), EV_ASSUMED_BAD);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_TURNED_BAD), 1);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_SKIPPED), 0);
    by_hand_close(&nic);
}

SPEC("an EV that is no longer skipped causes no event")
{
    struct transport_event event;

    open_connected();
    path_on_mark(paths(), 2, PATH_MARKED_SKIP_ONCE, nic.now_ns);
    nic.now_ns += 1000000;
    for (uint32_t i = 0; i < 2 * BY_HAND_EVS; i++)
        path_pick(paths(), UINT32_MAX, nic.now_ns);
    EXPECT_EQ(path_state_of(paths(), 2), EV_GOOD);
    EXPECT(!by_hand_event(&nic, &event));
    by_hand_close(&nic);
}

SPEC("an EV that turns bad causes an event, is counted, and is probed")
{
    struct transport_event event;

    open_connected();
    EXPECT_EQ(transport_deadline_ns(nic.transport), UINT64_MAX);
    EXPECT(!transport_wants(nic.transport).to_tell);
    path_on_mark(paths(), 2, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    EXPECT(transport_wants(nic.transport).to_tell);
    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.change.to, EV_ASSUMED_BAD);
    EXPECT(!transport_wants(nic.transport).to_tell);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_TURNED_BAD), 1);
    EXPECT_NE(transport_deadline_ns(nic.transport), UINT64_MAX);
    by_hand_wait(&nic, 750000); /* a millisecond, less a quarter */
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_PROBES), 0);
    by_hand_wait(&nic, 500000);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_PROBES), 1);
    by_hand_close(&nic);
}

SPEC("a bad EV that the controller allows counts as recovered only if it was not denied")
{
    open_connected();
    path_on_mark(paths(), 2, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    path_deny(paths(), 2, nic.now_ns);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_RECOVERED), 0);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_DENIED), 1);
    by_hand_close(&nic);
}

SPEC("EV events that are not fetched are counted once there is no room for them")
{
    open_connected();
    for (uint32_t i = 0; i < 40; i++) {
        path_deny(paths(), 1, nic.now_ns);
        path_allow(paths(), 1, nic.now_ns);
    }
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_EVENTS_LOST), 80 - 64);
    EXPECT_EQ(by_hand_discard_events(&nic), 64);
    path_deny(paths(), 1, nic.now_ns);
    EXPECT_EQ(by_hand_discard_events(&nic), 1);
    by_hand_close(&nic);
}

SPEC("completions are returned before events of ports, and those before events of EVs")
{
    struct transport_event event;

    open_connected();
    path_deny(paths(), 1, nic.now_ns);
    transport_ports_changed(nic.transport, 1, nic.now_ns);
    by_hand_post(&nic, QPN, 5, 10, 0);
    by_hand_move(&nic, QPN, QP_ERR);
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 5, COMPLETION_FLUSHED));
    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.kind, TRANSPORT_PORT_DOWN);
    EXPECT_EQ(event.port, 1);
    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.kind, TRANSPORT_EV_CHANGED);
    by_hand_close(&nic);
}

SPEC("a transport works without a trace")
{
    by_hand_prepare(&nic);
    nic.config.trace = NULL;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    path_deny(paths(), 1, nic.now_ns);
    by_hand_move(&nic, QPN, QP_ERR);
    EXPECT_EQ(nic.trace_count, 0);
    EXPECT_EQ(by_hand_discard_events(&nic), 1);
    by_hand_close(&nic);
}

/* ---- settings ------------------------------------------------------------------------------- */

SPEC("a new transport has empty counters, no deadline and nothing to send")
{
    by_hand_prepare(&nic);
    by_hand_open(&nic);
    for (uint32_t i = 0; i < COUNTER_COUNT; i++)
        EXPECT_EQ(transport_counters(nic.transport)[i], 0);
    for (uint32_t i = 0; i < DROP_REASON_COUNT; i++)
        EXPECT_EQ(transport_drops(nic.transport)[i], 0);
    EXPECT_EQ(transport_deadline_ns(nic.transport), UINT64_MAX);
    EXPECT(!transport_wants_to_send(nic.transport));
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(by_hand_discard_events(&nic), 0);
    transport_expire(nic.transport, UINT64_C(1) << 50);
    by_hand_close(&nic);
}

SPEC("parameters can be changed while a transport runs, and are read back")
{
    struct parameters parameters;

    open_connected();
    parameters = *transport_parameters(nic.transport);
    EXPECT_MEM_EQ(&parameters, &nic.config.parameters, sizeof(parameters));
    parameters.stamp = 0;
    parameters.network_trims = 0;
    transport_set_parameters(nic.transport, &parameters);
    EXPECT_EQ(transport_parameters(nic.transport)->stamp, 0);
    by_hand_post(&nic, QPN, 1, 10, 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].class, DSCP_NO_TRIM);
    by_hand_close(&nic);
}

SPEC("parameters of congestion control reach it in its units")
{
    struct parameters parameters;
    struct cc_settings settings;

    parameters_init(&parameters, TIMERS_HARDWARE);
    parameters.link_bps = 100;
    parameters.base_rtt = 200;
    parameters.base_rtt_floor = 300;
    parameters.target_delay = 400;
    parameters.target_delay_floor = 500;
    parameters.about_zero_delay = 600;
    parameters.max_cwnd = 700;
    parameters.pmtu = 2048;
    transport_cc_settings(&parameters, 1, &settings);
    EXPECT_STR_EQ(settings.algorithm, "fair");
    EXPECT_EQ(settings.link_bps, 100);
    EXPECT_EQ(settings.base_rtt_ns, 200);
    EXPECT_EQ(settings.base_rtt_floor_ns, 300);
    EXPECT_EQ(settings.target_delay_ns, 400);
    EXPECT_EQ(settings.target_floor_ns, 500);
    EXPECT_EQ(settings.about_zero_ns, 600);
    EXPECT_EQ(settings.max_window_bytes, 700);
    EXPECT_EQ(settings.mtu_bytes, 2048 + 88); /* headers and TSETH */
    parameters.link_bps = 400000000000;
    transport_cc_settings(&parameters, 4, &settings);
    EXPECT_EQ(settings.packet_ns, (2048 + 88) * 8 / 100); /* a port of 100 Gb/s */
    parameters.slowest_bps = 10000000000;
    transport_cc_settings(&parameters, 4, &settings);
    EXPECT_EQ(settings.packet_ns, (2048 + 88) * 8 / 10);
    EXPECT(settings.network_trims);
    parameters.stamp = 0;
    parameters.network_trims = 0;
    EXPECT_EQ(parameters_set(&parameters, "congestion_control", "none"), PARAMETERS_OK);
    transport_cc_settings(&parameters, 1, &settings);
    EXPECT_STR_EQ(settings.algorithm, "none");
    EXPECT_EQ(settings.mtu_bytes, 2048 + 84);
    EXPECT(!settings.network_trims);
}

SPEC("§19.5: delay without a mark decreases, unless the last hop marks or the operator says fair")
{
    static const struct {
        const char *unmarked_delay;
        const char *last_hop_ecn;
        enum cc_unmarked_delay expected;
    } cases[] = { { "auto", "off", CC_UNMARKED_DECREASE }, { "auto", "on", CC_UNMARKED_FAIR },
        { "fair", "off", CC_UNMARKED_FAIR }, { "decrease", "on", CC_UNMARKED_DECREASE } };

    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct parameters parameters;
        struct cc_settings settings;

        parameters_init(&parameters, TIMERS_HARDWARE);
        parameters_set(&parameters, "nscc_unmarked_delay", cases[i].unmarked_delay);
        parameters_set(&parameters, "last_hop_ecn", cases[i].last_hop_ecn);
        transport_cc_settings(&parameters, 1, &settings);
        EXPECT_EQ(settings.unmarked_delay, cases[i].expected);
    }
}

SPEC("every word of congestion_control is an algorithm that exists")
{
    uint32_t index = parameters_find("congestion_control", 18);

    for (uint64_t value = 0; parameters_choice(index, value); value++) {
        struct parameters parameters;
        struct cc_settings settings;
        struct cc_profile profile;

        parameters_init(&parameters, TIMERS_HARDWARE);
        parameters.congestion_control = value;
        transport_cc_settings(&parameters, 1, &settings);
        EXPECT_STR_EQ(settings.algorithm, parameters_choice(index, value));
        EXPECT(cc_profile_init(&profile, &settings));
    }
}

SPEC("two transports in one process are independent")
{
    static struct by_hand other;

    open_connected();
    by_hand_prepare(&other);
    by_hand_open(&other);
    by_hand_connect(&other, QPN);
    by_hand_post(&nic, QPN, 1, 10, 0);
    EXPECT_EQ(by_hand_send(&other), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(by_hand_count(&other, COUNTER_DATA_SENT), 0);
    by_hand_move(&nic, QPN, QP_ERR);
    EXPECT_EQ(by_hand_state(&other, QPN), QP_RTS);
    by_hand_close(&other);
    by_hand_close(&nic);
}
