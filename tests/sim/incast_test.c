/* SPDX-License-Identifier: Apache-2.0 */
/* Incast: whole transports send to one host through one trimming port that does not mark.
 *
 * 100 Gb/s, 10 us, a queue of 1.5 BDP; 1 MiB writes, 8 outstanding at each sender; measured in the
 * second half of 20 ms. With odd seeds all begin at once, with even ones one after another in the
 * first 2 ms. The link counts as full at the rate of payload that full packets leave room for. */
#include "scenario.h"

#include <stdio.h>

#include "spec.h"

enum {
    SENDERS_MAX = 32,
    HALF_MS = 10,
    PAYLOAD_BYTES = 4096,
    PACKET_BYTES = 4184,
    QUEUE_BYTES = 187500, /* 1.5 BDP */
};

struct outcome {
    double link;    /* share of the line rate that carried new payload */
    double trimmed; /* share of the packets sent */
    uint32_t jain_permille;
    double least;   /* of the senders, compared with an equal share */
    double dropped; /* likewise, by queues */
    uint64_t startup_trims;
    uint64_t timeouts;
};

static struct network_config incast_config(uint64_t seed, uint32_t senders)
{
    struct network_config config = network_config_usual(seed);

    config.host_count = senders + 1;
    config.plane_count = 1;
    config.port_bps = GBPS(100);
    config.payload = NETWORK_LENGTHS;
    return config;
}

static uint64_t sum_of_senders(const struct scenario *s, enum counter counter)
{
    uint64_t sum = 0;

    for (uint32_t host = 1; host < network_host_count(s->network); host++)
        sum += scenario_counter(s, host, counter);
    return sum;
}

/* Turns `before` into what each sender has delivered since then. */
static void shares_since(const struct scenario *s, uint64_t before[SENDERS_MAX])
{
    for (uint32_t host = 1; host < network_host_count(s->network); host++)
        before[host - 1] = scenario_placed_bytes(s, host, HOST_A) - before[host - 1];
}

static uint64_t least_of(const uint64_t *shares, uint32_t count)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < count; i++)
        least = shares[i] < least ? shares[i] : least;
    return least;
}

static void begin(struct scenario *s, const struct network_config *config)
{
    for (uint32_t host = 1; host < config->host_count; host++) {
        if (config->seed % 2 == 0)
            scenario_run_until(s, MS(2) / (config->host_count - 1) * host);
        scenario_stream(s, host, HOST_A, MIB(1), 8);
    }
}

static struct outcome run(const struct network_config *config, const char *setting)
{
    struct scenario s = scenario_of(config);
    uint32_t senders = config->host_count - 1;
    uint64_t shares[SENDERS_MAX] = { 0 };
    uint64_t payload_bytes = 0;
    uint64_t sent;
    uint64_t dropped;
    struct outcome outcome;

    begin(&s, config);
    scenario_run_until(&s, MS(HALF_MS));
    sent = sum_of_senders(&s, COUNTER_DATA_SENT);
    dropped = network_lost(s.network, LOST_DATA_QUEUE);
    outcome.startup_trims = scenario_counter(&s, HOST_A, COUNTER_DATA_TRIMMED);
    shares_since(&s, shares);
    scenario_run_until(&s, MS(2 * HALF_MS));
    shares_since(&s, shares);
    for (uint32_t i = 0; i < senders; i++)
        payload_bytes += shares[i];
    sent = sum_of_senders(&s, COUNTER_DATA_SENT) - sent;
    outcome.link = (double)payload_bytes * PACKET_BYTES / PAYLOAD_BYTES * 8 /
                   ((double)config->port_bps * HALF_MS / 1000);
    outcome.trimmed =
        (double)(scenario_counter(&s, HOST_A, COUNTER_DATA_TRIMMED) - outcome.startup_trims) /
        (double)sent;
    outcome.dropped = (double)(network_lost(s.network, LOST_DATA_QUEUE) - dropped) / (double)sent;
    outcome.least = (double)least_of(shares, senders) * senders / (double)payload_bytes;
    outcome.jain_permille = traffic_jain_permille(shares, senders);
    outcome.timeouts = sum_of_senders(&s, COUNTER_TIMEOUT_FIRED);
    printf("# %2u to 1, %s: link %.3f, Jain %.3f, %.2f %% trimmed, %llu trims before\n", senders,
        setting, outcome.link, outcome.jain_permille / 1000.0, 100 * outcome.trimmed,
        (unsigned long long)outcome.startup_trims);
    return outcome;
}

static void expect_equal_shares(uint32_t senders, uint64_t seed)
{
    struct network_config config = incast_config(seed, senders);
    struct outcome outcome = run(&config, "default");

    EXPECT(outcome.link >= 0.98);
    EXPECT_GE(outcome.jain_permille, 970);
    EXPECT(outcome.trimmed < 0.02);
    EXPECT_EQ(outcome.timeouts, 0);
}

PROPERTY("§19.5: 2 senders fill a trimming port and share it, with under 2 % trimmed", 5)
{
    expect_equal_shares(2, seed);
}

PROPERTY("§19.5: 7 senders fill a trimming port and share it, with under 2 % trimmed", 5)
{
    expect_equal_shares(7, seed);
}

PROPERTY("§19.5: 15 senders fill a trimming port and share it, with under 2 % trimmed", 5)
{
    expect_equal_shares(15, seed);
}

PROPERTY("§19.5: 32 senders fill a trimming port and share it, with under 2 % trimmed", 5)
{
    expect_equal_shares(32, seed);
}

PROPERTY("§24: without trimming and ECN they do the same, and the queue drops under 2 %", 2)
{
    static const uint32_t sender_counts[] = { 2, 7, 15, 32 };

    for (uint32_t i = 0; i < 4; i++) {
        struct network_config config = incast_config(seed, sender_counts[i]);
        struct outcome outcome;

        config.trims = false;
        config.marks = false;
        config.host_limit_bytes = QUEUE_BYTES;
        outcome = run(&config, "no trimming, no ECN");
        EXPECT(outcome.link >= 0.98);
        EXPECT_GE(outcome.jain_permille, 970);
        EXPECT(outcome.dropped < 0.02);
        EXPECT_EQ(outcome.timeouts, 0);
    }
}

SPEC("§19.5: NSCC, with both readings of unmarked delay, is recorded beside it, not judged")
{
    static const char *const readings[] = { "decrease", "fair" };

    for (uint32_t i = 0; i < 2; i++) {
        struct network_config config = incast_config(1, 15);

        EXPECT_EQ(parameters_set(&config.parameters, "congestion_control", "nscc"), PARAMETERS_OK);
        EXPECT_EQ(
            parameters_set(&config.parameters, "nscc_unmarked_delay", readings[i]), PARAMETERS_OK);
        EXPECT_EQ(run(&config, readings[i]).timeouts, 0);
    }
}

/* Stamps count 128 ns: base RTTs that senders measure differ by as much. */
SPEC("§19.3: where round trips are measured, the port is full, and no sender has half its share")
{
    struct network_config config = incast_config(1, 15);
    struct outcome outcome;

    config.knows_rtt = false;
    outcome = run(&config, "round trips measured");
    EXPECT(outcome.link >= 0.98);
    EXPECT(outcome.least >= 0.5);
    EXPECT_EQ(outcome.timeouts, 0);
}
