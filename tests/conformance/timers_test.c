/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §23: each timer lasts what its profile says, and never less than its number of
 * base RTTs. */
#include "observe.h"
#include "spec.h"

#define US(count) ((uint64_t)(count)*1000)
#define MS(count) ((uint64_t)(count)*1000000)
#define S(count)  ((uint64_t)(count)*1000000000)

enum { TICK_NS = 2048 }; /* of the coarsest records */

static struct by_hand nic;

/* The timers of one profile, towards a peer of this base RTT. */
struct setting {
    const char *timers;
    uint64_t base_rtt_ns;
};

static void open_nic(const struct setting *setting)
{
    struct parameters *parameters = &nic.config.parameters;

    observe_prepare(&nic);
    EXPECT_EQ(parameters_set(parameters, "timers", setting->timers), PARAMETERS_OK);
    parameters->base_rtt = setting->base_rtt_ns;
    parameters->base_rtt_floor = setting->base_rtt_ns;
    parameters->link_bps = UINT64_C(10000000000);
    parameters->nack_delay_max = S(1); /* so that it shortens no delay here */
    nic.rtt.fixed_ns = (uint32_t)setting->base_rtt_ns;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
}

/* ---- how long each of them lasts --------------------------------------------------------------
 */

static uint64_t idle_flush_ns(void)
{
    EXPECT_EQ(observe_answers(&nic, 0, 0), 1);
    EXPECT_EQ(observe_answers(&nic, 1, 0), 0);
    return observe_wait_for(&nic, observe_is_sack, S(10));
}

static uint64_t timeout_ns(void)
{
    uint64_t begin_ns = nic.now_ns;

    observe_post(&nic, 1, 64);
    while (by_hand_count(&nic, COUNTER_TIMEOUT_FIRED) == 0)
        by_hand_wait(&nic, transport_deadline_ns(nic.transport) - nic.now_ns);
    return nic.now_ns - begin_ns;
}

static uint64_t reorder_ns(void)
{
    return observe_status(&nic).reorder_window_ns;
}

static uint64_t nack_delay_ns(void)
{
    observe_post(&nic, 1, 64);
    EXPECT_EQ(observe_nacked(&nic, &nic.sent[0], NACK_NO_RESOURCE), DROP_NONE);
    return observe_wait_for(&nic, observe_is_repeat, S(10));
}

/* Until the peer's packet has drawn the probe of the way back. */
static uint64_t reverse_interval_ns(void)
{
    observe_answers(&nic, 0, 0);
    return observe_wait_for(&nic, observe_is_request, S(10));
}

static uint64_t probe_timeout_ns(void)
{
    uint64_t begin_ns;

    EXPECT_NE(reverse_interval_ns(), UINT64_MAX);
    begin_ns = nic.now_ns;
    while (by_hand_count(&nic, COUNTER_REVERSE_PROBES_FAILED) == 0)
        by_hand_wait(&nic, transport_deadline_ns(nic.transport) - nic.now_ns);
    return nic.now_ns - begin_ns;
}

static uint64_t first_probe_ns(void)
{
    path_on_mark(
        transport_qp_paths(nic.transport, OBSERVE_QPN), 1, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    return observe_wait_for(&nic, observe_is_probe, S(100));
}

/* The interval of probes that are never answered, when it has grown; a failed one comes before. */
static uint64_t longest_interval_ns(void)
{
    uint64_t failed_ns = PARAMETERS_TIMER_NS(
        &nic.config.parameters, probe_timeout, (uint32_t)nic.config.parameters.base_rtt);
    uint64_t interval_ns = first_probe_ns();

    for (uint32_t i = 0; i < 20; i++)
        interval_ns = observe_wait_for(&nic, observe_is_probe, S(100));
    return interval_ns - failed_ns;
}

static bool is_ev_probe(const struct packet *packet)
{
    return observe_is_request(packet) && packet->endpoint.op == ENDPOINT_EV_PROBE;
}

static uint64_t holddown_ns(void)
{
    transport_ports_changed(nic.transport, 1, nic.now_ns);
    by_hand_wait(&nic, S(1));
    transport_ports_changed(nic.transport, 3, nic.now_ns);
    return observe_wait_for(&nic, is_ev_probe, S(100));
}

/* ---- what it should be ------------------------------------------------------------------------
 */

static const struct {
    uint64_t (*measure)(void);
    uint64_t hardware_ns;
    uint64_t software_ns;
    uint32_t base_rtts;
    uint32_t jitter_percent;
} timers[] = {
    { idle_flush_ns, US(5), MS(1), 1, 0 },
    { timeout_ns, UINT64_C(1024) << 8, UINT64_C(1024) << 17, 25, 0 },
    { reorder_ns, 0, MS(40), 1, 0 },
    { nack_delay_ns, 0, 0, 1, 0 },
    { reverse_interval_ns, 0, 0, 1, 0 },
    { probe_timeout_ns, 0, MS(20), 3, 0 },
    { first_probe_ns, US(20), MS(16), 2, 25 },
    { longest_interval_ns, US(500), S(1), 50, 25 },
    { holddown_ns, US(100), MS(100), 10, 0 },
};

static void expect_timer(const struct setting *setting, uint32_t index, uint64_t value_ns)
{
    uint64_t least_ns = timers[index].base_rtts * setting->base_rtt_ns;
    uint64_t wanted_ns = value_ns > least_ns ? value_ns : least_ns;
    uint64_t jitter_ns = wanted_ns * timers[index].jitter_percent / 100;
    uint64_t measured_ns;

    open_nic(setting);
    measured_ns = timers[index].measure();
    EXPECT_GE(measured_ns + 1, wanted_ns - jitter_ns);
    EXPECT_LE(measured_ns, wanted_ns + jitter_ns + 2 * TICK_NS);
    by_hand_close(&nic);
}

SPEC("§23: timers=hardware: each timer is its value or its number of base RTTs, the longer")
{
    static const struct setting settings[] = { { "hardware", US(1) }, { "hardware", US(10) },
        { "hardware", MS(10) } };

    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t timer = 0; timer < sizeof(timers) / sizeof(*timers); timer++)
            expect_timer(&settings[i], timer, timers[timer].hardware_ns);
}

SPEC("§23: timers=software: each timer is its value or its number of base RTTs, the longer")
{
    static const struct setting settings[] = { { "software", US(200) }, { "software", MS(50) } };

    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t timer = 0; timer < sizeof(timers) / sizeof(*timers); timer++)
            expect_timer(&settings[i], timer, timers[timer].software_ns);
}

SPEC("§13: a timeout that the application sets is no shorter than its floor and 25 base RTTs")
{
    static const struct setting settings[] = { { "hardware", US(10) }, { "software", US(200) },
        { "software", MS(50) } };
    static const uint64_t floors_ns[] = { 0, UINT64_C(1024) << 17, UINT64_C(1024) << 17 };

    for (uint32_t i = 0; i < 3; i++)
        for (uint8_t timeout = 0; timeout <= 16; timeout += 4) {
            uint64_t t_ns = UINT64_C(1024) << timeout;
            uint64_t rtts_ns = 25 * settings[i].base_rtt_ns;
            uint64_t least_ns = rtts_ns > floors_ns[i] ? rtts_ns : floors_ns[i];
            uint64_t measured_ns;

            open_nic(&settings[i]);
            observe_modify(&nic, (struct qp_attributes){ .timeout = timeout }, QP_ATTR_TIMEOUT);
            measured_ns = timeout_ns();
            EXPECT_AFTER(measured_ns, t_ns > least_ns ? t_ns : least_ns);
            by_hand_close(&nic);
        }
}

SPEC("§13: the floor holds for each interval: those that doubling has not brought above it")
{
    static const uint32_t intervals[] = { 4, 4, 4, 8, 16 }; /* of T, which is a quarter of it */
    static const struct setting setting = { "hardware", 10486 };

    open_nic(&setting);
    observe_modify(&nic,
        (struct qp_attributes){ .timeout = 6, .retry_linear = 0, .retry_exponential = 5 },
        QP_ATTR_TIMEOUT | QP_ATTR_RETRY);
    observe_post(&nic, 1, 64);
    for (uint32_t i = 0; i < 5; i++) {
        uint64_t fired = by_hand_count(&nic, COUNTER_TIMEOUT_FIRED);
        uint64_t begin_ns = nic.now_ns;

        while (by_hand_count(&nic, COUNTER_TIMEOUT_FIRED) == fired)
            by_hand_wait(&nic, transport_deadline_ns(nic.transport) - nic.now_ns);
        EXPECT_GE(nic.now_ns - begin_ns + 64, intervals[i] * (UINT64_C(1024) << 6));
        EXPECT_LE(nic.now_ns - begin_ns, intervals[i] * (UINT64_C(1024) << 6) + TICK_NS);
    }
    by_hand_close(&nic);
}
