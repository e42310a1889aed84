/* SPDX-License-Identifier: Apache-2.0 */
/* Scenarios. */
#include "scenario.h"

#include "spec.h"

#define KEPT_COUNT 12
#define FOREVER_PS MS(100000)

/* Tests end anywhere, by a failed expectation too: networks are closed when their place is needed
 * again. */
static struct network *kept[KEPT_COUNT];
static uint32_t kept_next;

__attribute__((destructor)) static void close_kept(void)
{
    for (uint32_t i = 0; i < KEPT_COUNT; i++)
        network_close(kept[i]);
}

struct scenario scenario_of(const struct network_config *config)
{
    struct network *network = network_open(config);

    network_close(kept[kept_next]);
    kept[kept_next] = network;
    kept_next = (kept_next + 1) % KEPT_COUNT;
    return (struct scenario){ .network = network };
}

struct scenario scenario_two_planes(uint64_t seed)
{
    struct network_config config = network_config_default(seed);

    config.plane_count = 2;
    config.uplink_count = 8;
    config.port_bps = GBPS(100);
    config.payload = NETWORK_LENGTHS;
    return scenario_of(&config);
}

struct scenario scenario_eight_planes(uint64_t seed)
{
    struct network_config config = network_config_default(seed);

    config.payload = NETWORK_LENGTHS;
    return scenario_of(&config);
}

struct scenario scenario_incast(uint64_t seed, uint32_t senders)
{
    struct network_config config = network_config_default(seed);

    config.host_count = senders + 1;
    config.plane_count = 1;
    config.uplink_count = 32;
    config.port_bps = GBPS(100);
    config.payload = NETWORK_LENGTHS;
    return scenario_of(&config);
}

/* ---- work ----------------------------------------------------------------------------------- */

static uint32_t flow_between(struct scenario *scenario, uint32_t from, uint32_t to)
{
    struct network *network = scenario->network;
    uint32_t flow = traffic_find(network, from, to);
    struct traffic_side from_side;
    struct traffic_side to_side;

    if (flow != UINT32_MAX)
        return flow;
    from_side = traffic_side(network, from);
    to_side = traffic_side(network, to);
    return traffic_connect(network, &from_side, &to_side);
}

uint32_t scenario_write(
    struct scenario *scenario, uint32_t from, uint32_t to, uint32_t length_bytes)
{
    return traffic_write(scenario->network, flow_between(scenario, from, to), length_bytes);
}

uint32_t scenario_write_immediate(
    struct scenario *scenario, uint32_t from, uint32_t to, uint32_t length_bytes)
{
    return traffic_write_immediate(
        scenario->network, flow_between(scenario, from, to), length_bytes);
}

void scenario_stream(struct scenario *scenario, uint32_t from, uint32_t to, uint32_t length_bytes,
    uint32_t outstanding)
{
    traffic_start(scenario->network, flow_between(scenario, from, to),
        &(struct traffic_stream){ .length_bytes = length_bytes,
            .outstanding = outstanding,
            .message_count = UINT32_MAX });
}

/* ---- faults --------------------------------------------------------------------------------- */

void scenario_fail_way(
    struct scenario *scenario, struct fault_where where, uint64_t from_ps, uint64_t until_ps)
{
    network_fault_between(scenario->network,
        &(struct fault_rule){ .where = where, .chance[FAULT_DOWN] = FAULT_ALWAYS }, from_ps,
        until_ps);
}

void scenario_fail_plane(struct scenario *scenario, uint32_t plane, uint64_t at_ps)
{
    scenario_fail_way(scenario, fault_on_plane(plane), at_ps, FOREVER_PS);
}

void scenario_fail_path(struct scenario *scenario, uint32_t plane, uint32_t uplink, uint64_t at_ps)
{
    scenario_fail_way(scenario, fault_on_path(plane, uplink), at_ps, FOREVER_PS);
}

void scenario_fail_port(
    struct scenario *scenario, uint32_t host, uint32_t port, uint64_t from_ps, uint64_t until_ps)
{
    network_port_down_between(scenario->network, host, port, from_ps, until_ps);
}

void scenario_lose(struct scenario *scenario, struct fault_where where, uint32_t probability)
{
    scenario_fault(
        scenario, &(struct fault_rule){ .where = where, .chance[FAULT_LOSS] = probability });
}

void scenario_fault(struct scenario *scenario, const struct fault_rule *fault)
{
    network_fault(scenario->network, fault);
}

/* ---- time ----------------------------------------------------------------------------------- */

static void expect_no_violation(struct scenario *scenario)
{
    network_check(scenario->network);
    EXPECT_EQ(network_violations(scenario->network), 0);
}

void scenario_run_until(struct scenario *scenario, uint64_t time_ps)
{
    network_run_until(scenario->network, time_ps);
    expect_no_violation(scenario);
}

void scenario_run_for(struct scenario *scenario, uint64_t duration_ps)
{
    scenario_run_until(scenario, network_now_ps(scenario->network) + duration_ps);
}

void scenario_run_until_idle(struct scenario *scenario)
{
    bool is_idle = network_run_until_idle(scenario->network, FOREVER_PS);

    expect_no_violation(scenario);
    EXPECT(is_idle);
}

/* ---- what came of it ------------------------------------------------------------------------ */

static uint32_t sum_of_flows(const struct scenario *scenario, uint32_t host,
    uint32_t (*part)(const struct traffic_flow *, uint32_t host))
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < traffic_flow_count(scenario->network); i++)
        sum += part(traffic_flow(scenario->network, i), host);
    return sum;
}

static uint32_t completed_of(const struct traffic_flow *flow, uint32_t host)
{
    return flow->from == host ? flow->completed : 0;
}

static uint32_t failed_of(const struct traffic_flow *flow, uint32_t host)
{
    return flow->from == host ? flow->failed : 0;
}

static uint32_t received_of(const struct traffic_flow *flow, uint32_t host)
{
    return flow->to == host ? flow->received : 0;
}

uint32_t scenario_completions(const struct scenario *scenario, uint32_t host)
{
    return sum_of_flows(scenario, host, completed_of);
}

uint32_t scenario_failures(const struct scenario *scenario, uint32_t host)
{
    return sum_of_flows(scenario, host, failed_of);
}

uint32_t scenario_immediates(const struct scenario *scenario, uint32_t host)
{
    return sum_of_flows(scenario, host, received_of);
}

uint64_t scenario_counter(const struct scenario *scenario, uint32_t host, enum counter counter)
{
    return transport_counters(network_transport(scenario->network, host))[counter];
}

uint64_t scenario_host_ports_sum(
    const struct scenario *scenario, uint32_t to, enum port_counter counter)
{
    uint64_t sum = 0;

    for (uint32_t plane = 0; plane < network_plane_count(scenario->network); plane++)
        sum += port_counter(network_host_counters(scenario->network, to, plane), counter);
    return sum;
}

static const struct traffic_flow *known_flow(
    const struct scenario *scenario, uint32_t from, uint32_t to)
{
    return traffic_flow(scenario->network, traffic_find(scenario->network, from, to));
}

uint64_t scenario_placed_bytes(const struct scenario *scenario, uint32_t from, uint32_t to)
{
    return known_flow(scenario, from, to)->placed_bytes;
}

uint64_t scenario_plane_spread(const struct scenario *scenario, uint32_t from, uint32_t to)
{
    const struct traffic_flow *flow = known_flow(scenario, from, to);
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;

    for (uint32_t plane = 0; plane < network_plane_count(scenario->network); plane++) {
        least = flow->first_sent[plane] < least ? flow->first_sent[plane] : least;
        most = flow->first_sent[plane] > most ? flow->first_sent[plane] : most;
    }
    return most - least;
}

struct qp_status scenario_qp(const struct scenario *scenario, uint32_t from, uint32_t to)
{
    struct qp_status status;
    int err = transport_qp_status(network_transport(scenario->network, from),
        known_flow(scenario, from, to)->from_qpn, &status);

    EXPECT_EQ(err, 0);
    return status;
}

struct path_set *scenario_paths(const struct scenario *scenario, uint32_t from, uint32_t to)
{
    return transport_qp_paths(
        network_transport(scenario->network, from), known_flow(scenario, from, to)->from_qpn);
}

uint64_t scenario_goodput_bps(
    struct scenario *scenario, uint32_t from, uint32_t to, uint64_t duration_ps)
{
    uint64_t before = scenario_placed_bytes(scenario, from, to);

    scenario_run_for(scenario, duration_ps);
    return (scenario_placed_bytes(scenario, from, to) - before) * 8 * 1000000 /
           (duration_ps / 1000000);
}
