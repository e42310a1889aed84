/* SPDX-License-Identifier: Apache-2.0 */
/* The in-memory network: is its time right, does it do the damage it is told to, does it notice
 * what is wrong. */
#include "scenario.h"

#include <string.h>

#include "spec.h"

/* ---- time ----------------------------------------------------------------------------------- */

static void note_sack(void *context, const struct network_sight *sight)
{
    uint64_t *time_ps = context;

    if (sight->packet->opcode == OPCODE_SACK && *time_ps == 0)
        *time_ps = sight->time_ps;
}

static uint64_t first_sack_ps(struct network_config config)
{
    uint64_t time_ps = 0;
    struct scenario s;

    config.filter = (struct network_filter){ .on_deliver = note_sack, .context = &time_ps };
    s = scenario_of(&config);
    scenario_write(&s, HOST_A, HOST_B, 4096);
    scenario_run_until_idle(&s);
    return time_ps;
}

SPEC("a full packet and its SACK take the base RTT, transmissions included")
{
    struct network_config config = network_config_default(1);

    EXPECT_LE(first_sack_ps(config), US(10));
    EXPECT_GE(first_sack_ps(config), US(10) - NS(1));
    config.port_bps = GBPS(100);
    config.base_rtt_ps = US(25);
    EXPECT_LE(first_sack_ps(config), US(25));
    EXPECT_GE(first_sack_ps(config), US(25) - NS(1));
}

SPEC("with delays only a packet takes half the base RTT")
{
    struct network_config config = network_config_default(1);

    config.delays_only = true;
    EXPECT_EQ(first_sack_ps(config), US(10));
}

struct arrivals {
    uint64_t first_ps;
    uint64_t last_ps;
    uint32_t count;
};

static void note_data(void *context, const struct network_sight *sight)
{
    struct arrivals *arrivals = context;

    if (!opcode_is_write(sight->packet->opcode))
        return;
    if (arrivals->count++ == 0)
        arrivals->first_ps = sight->time_ps;
    arrivals->last_ps = sight->time_ps;
}

SPEC("a port carries one packet at a time: a burst arrives at the rate of the link")
{
    struct network_config config = network_config_default(1);
    struct arrivals arrivals = { 0 };
    struct scenario s;

    config.plane_count = 1;
    config.filter = (struct network_filter){ .on_deliver = note_data, .context = &arrivals };
    s = scenario_of(&config);
    scenario_write(&s, HOST_A, HOST_B, 10 * 4096);
    scenario_run_until_idle(&s);
    EXPECT_EQ(arrivals.count, 10);
    EXPECT_EQ(arrivals.last_ps - arrivals.first_ps, UINT64_C(9) * 4184 * 160);
}

SPEC("the clocks of hosts differ")
{
    struct scenario s = scenario_eight_planes(1);

    EXPECT_NE(network_clock_ns(s.network, HOST_A), network_clock_ns(s.network, HOST_B));
}

static void write_more(struct network *network, void *context)
{
    uint64_t *time_ps = context;

    *time_ps = network_now_ps(network);
    traffic_write(network, traffic_find(network, HOST_A, HOST_B), 5000);
}

SPEC("a function can be scheduled for a given time")
{
    struct scenario s = scenario_two_planes(1);
    uint64_t time_ps = 0;

    scenario_write(&s, HOST_A, HOST_B, 1000);
    network_at(s.network, US(100), write_more, &time_ps);
    EXPECT(network_run_until_completed(s.network, 2, MS(1)));
    EXPECT_EQ(time_ps, US(100));
    EXPECT_EQ(scenario_completions(&s, HOST_A), 2);
}

/* ---- damage --------------------------------------------------------------------------------- */

static void drop_third_data_packet(
    void *context, const struct network_sight *sight, struct fault_effect *effect)
{
    uint32_t *seen = context;

    effect->lost = opcode_is_write(sight->packet->opcode) && ++*seen == 3;
}

SPEC("only packets that a filter drops are retransmitted")
{
    struct network_config config = network_config_default(1);
    uint32_t seen = 0;
    struct scenario s;

    config.filter = (struct network_filter){ .on_send = drop_third_data_packet, .context = &seen };
    s = scenario_of(&config);
    scenario_write(&s, HOST_A, HOST_B, KIB(64));
    scenario_run_until_idle(&s);
    EXPECT_EQ(traffic_flow(s.network, 0)->resent, 1);
    EXPECT_EQ(network_lost(s.network, LOST_FAULT), 1);
}

static struct scenario write_through(struct fault_rule fault, enum network_payload payload)
{
    struct network_config config = network_config_default(3);
    struct scenario s;

    config.payload = payload;
    s = scenario_of(&config);
    scenario_fault(&s, &fault);
    scenario_write(&s, HOST_A, HOST_B, MIB(2));
    scenario_run_until_idle(&s);
    EXPECT_EQ(scenario_completions(&s, HOST_A), 1);
    return s;
}

SPEC("the receiver recognises damaged packets, as structs and as frames")
{
    struct fault_rule fault = { .where = fault_everywhere(),
        .chance[FAULT_CORRUPT] = FAULT_PERCENT(2) };
    struct scenario structs = write_through(fault, NETWORK_BYTES);
    struct scenario frames = write_through(fault, NETWORK_FRAMES);

    EXPECT_GT(network_lost(structs.network, LOST_CORRUPT), 0);
    EXPECT_EQ(
        network_lost(structs.network, LOST_CORRUPT), network_lost(frames.network, LOST_CORRUPT));
    EXPECT_EQ(network_hash(structs.network), network_hash(frames.network));
}

SPEC("rules duplicate, mark, trim and delay packets")
{
    struct fault_rule fault = { .where = fault_to(fault_everywhere(), HOST_B),
        .chance[FAULT_DUPLICATE] = FAULT_PERCENT(5),
        .chance[FAULT_MARK] = FAULT_PERCENT(5),
        .chance[FAULT_TRIM] = FAULT_PERCENT(5),
        .chance[FAULT_DELAY] = FAULT_PERCENT(5),
        .delay_max_ps = US(5) };
    struct scenario s = write_through(fault, NETWORK_FRAMES);

    EXPECT_GT(scenario_counter(&s, HOST_B, COUNTER_DATA_DUPLICATE), 0);
    EXPECT_GT(scenario_counter(&s, HOST_B, COUNTER_DATA_MARKED), 0);
    EXPECT_GT(scenario_counter(&s, HOST_B, COUNTER_DATA_TRIMMED), 0);
}

SPEC("no packet passes a path that is down, including packets under way")
{
    struct scenario s = scenario_two_planes(1);
    uint64_t delivered;

    scenario_write(&s, HOST_A, HOST_B, MIB(1));
    scenario_fail_way(&s, fault_everywhere(), US(12), MS(1));
    scenario_run_until(&s, US(12));
    delivered = network_delivered(s.network);
    EXPECT_GT(delivered, 0);
    scenario_run_until(&s, MS(1));
    EXPECT_EQ(network_delivered(s.network), delivered);
    EXPECT_GT(network_lost(s.network, LOST_LINK_DOWN), 0);
}

SPEC("a host notices that its port goes down, and the port sends nothing")
{
    struct scenario s = scenario_two_planes(1);
    uint64_t sent;

    scenario_stream(&s, HOST_A, HOST_B, KIB(64), 8);
    scenario_fail_port(&s, HOST_A, 1, US(50), MS(90));
    scenario_run_until(&s, US(100));
    EXPECT_EQ(network_events_of(s.network, HOST_A, TRANSPORT_PORT_DOWN), 1);
    sent = traffic_flow(s.network, 0)->first_sent[1];
    scenario_run_until(&s, MS(1));
    EXPECT_EQ(traffic_flow(s.network, 0)->first_sent[1], sent);
}

SPEC("a slow path fills its queue, and packets are marked")
{
    struct scenario s = scenario_two_planes(1);
    const uint64_t *counters;

    network_path_rate(s.network, 0, 3, GBPS(12));
    scenario_stream(&s, HOST_A, HOST_B, MIB(1), 8);
    scenario_run_until(&s, MS(2));
    counters = network_path_counters(s.network, HOST_B, 0, 3)->often;
    EXPECT_GT(counters[PORT_COUNTER_MARKED], 0);
    EXPECT_GT(scenario_counter(&s, HOST_A, COUNTER_EV_SKIPPED), 0);
}

SPEC(
    "many senders overflow the port of one receiver, which trims and says that it was the last hop")
{
    struct scenario s = scenario_incast(1, 8);
    uint64_t trimmed;

    for (uint32_t sender = 1; sender <= 8; sender++)
        scenario_stream(&s, sender, HOST_A, MIB(1), 4);
    scenario_run_until(&s, MS(1));
    trimmed = scenario_host_ports_sum(&s, HOST_A, PORT_COUNTER_TRIMMED_ARRIVING) +
              scenario_host_ports_sum(&s, HOST_A, PORT_COUNTER_TRIMMED_TAIL);
    EXPECT_GT(trimmed, 0);
    EXPECT_GT(scenario_counter(&s, HOST_B, COUNTER_RETRANSMIT_TRIMMED_LASTHOP), 0);
    EXPECT_EQ(scenario_host_ports_sum(&s, HOST_A, PORT_COUNTER_MARKED), 0);
}

SPEC("with hashed EVs, EVs that the device chose also reach the destination")
{
    struct network_config config = network_config_default(1);
    struct scenario s;

    config.hashed = true;
    s = scenario_of(&config);
    scenario_write(&s, HOST_A, HOST_B, MIB(1));
    scenario_run_until_idle(&s);
    EXPECT_EQ(scenario_completions(&s, HOST_A), 1);
    EXPECT_EQ(network_lost(s.network, LOST_NO_ROUTE), 0);
}

/* ---- sameness ------------------------------------------------------------------------------- */

static uint64_t hash_of(uint64_t seed, enum network_payload payload)
{
    struct network_config config = network_config_default(seed);
    struct scenario s;

    config.plane_count = 4;
    config.uplink_count = 8;
    config.payload = payload;
    s = scenario_of(&config);
    scenario_chaos(&s, seed,
        &(struct scenario_chaos){
            .until_ps = US(300), .faults_max = 12, .spared_plane = FAULT_ANY, .ports = true });
    for (uint32_t i = 0; i < 10; i++) {
        scenario_write(&s, HOST_A, HOST_B, 100000 * i + i);
        scenario_write_immediate(&s, HOST_B, HOST_A, 30000 * i + i);
    }
    scenario_run_until(&s, MS(1));
    return network_hash(s.network);
}

PROPERTY("a seed determines the run, with lengths, with bytes and with frames", 15)
{
    uint64_t hash = hash_of(seed, NETWORK_BYTES);

    EXPECT_EQ(hash_of(seed, NETWORK_BYTES), hash);
    EXPECT_EQ(hash_of(seed, NETWORK_LENGTHS), hash);
    EXPECT_EQ(hash_of(seed, NETWORK_FRAMES), hash);
    EXPECT_NE(hash_of(seed + 1000, NETWORK_BYTES), hash);
}

/* ---- looking -------------------------------------------------------------------------------- */

static bool is_write(const struct packet *packet)
{
    return opcode_is_write(packet->opcode);
}

SPEC("a recorded packet that is delivered again is placed once")
{
    struct network_config config = network_config_default(1);
    struct scenario s = scenario_of(&config);

    network_record(s.network, is_write);
    scenario_write(&s, HOST_A, HOST_B, KIB(16));
    scenario_run_until_idle(&s);
    EXPECT_EQ(network_record_count(s.network), 4);
    network_replay(s.network, network_record_at(s.network, 2));
    EXPECT_EQ(scenario_counter(&s, HOST_B, COUNTER_DATA_DUPLICATE), 1);
    EXPECT_EQ(network_violations(s.network), 0);
}

SPEC("wrong bytes are detected when their write completes")
{
    struct network_config config = network_config_default(1);
    static const uint8_t zeros[4096];
    struct packet forged;
    struct scenario s = scenario_of(&config);

    network_record(s.network, is_write);
    scenario_write(&s, HOST_A, HOST_B, KIB(16));
    forged = network_record_at(s.network, 1)->packet;
    forged.write.payload.bytes = zeros;
    EXPECT_EQ(network_inject(s.network, HOST_B, &forged), DROP_NONE);
    network_run_until_idle(s.network, MS(10));
    EXPECT_EQ(network_violations(s.network), 1);
}

SPEC("a wrong key and an address beyond the region are refused")
{
    struct network_config config = network_config_default(1);
    struct scenario s = scenario_of(&config);
    struct work_request request = { .length_bytes = 100, .flags = WORK_SIGNALED };

    scenario_write(&s, HOST_A, HOST_B, 100);
    scenario_run_until_idle(&s);
    request.rkey = traffic_rkey(s.network, 0);
    request.remote_va = traffic_region_va(s.network, 0) - 1;
    EXPECT_EQ(traffic_post(s.network, 0, &request), 0);
    scenario_run_until_idle(&s);
    EXPECT_EQ(network_refused(s.network, HOST_B), 1);
    EXPECT_EQ(traffic_message(s.network, 1)->status, COMPLETION_REMOTE_ACCESS);
    EXPECT_EQ(scenario_failures(&s, HOST_A), 1);
}

SPEC("Jain's index is 1 for equal shares and 1/n when one takes all")
{
    const uint64_t equal[] = { 5, 5, 5, 5 };
    const uint64_t one[] = { 9, 0, 0, 0 };

    EXPECT_EQ(traffic_jain_permille(equal, 4), 1000);
    EXPECT_EQ(traffic_jain_permille(one, 4), 250);
}
