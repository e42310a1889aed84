/* SPDX-License-Identifier: Apache-2.0 */
/* What one data packet costs the transport: sent, received, with its share of SACKs and ACKs. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <time.h>

#include "callgrind.h"
#include "duplex.h"

enum {
    NS_BUDGET = 250,
    INSTRUCTION_BUDGET = 1200,
    QP_BYTES_BUDGET = 8192,
    ROUNDS = 7,
    KIB = 1024,
    MIB = 1024 * 1024,
};

/* Packets before anything is measured, and packets measured. */
struct effort {
    uint32_t warm_up;
    uint32_t measured;
};

struct scenario {
    const char *name;
    struct duplex_config config;
    struct effort effort;
};

#define STREAM(evs, order)                                                                         \
    {                                                                                              \
        .ev_count = evs, .qp_count = 1, .write_bytes = MIB, .outstanding = 32, .packet_ps = 84000, \
        .in_order = order                                                                          \
    }
#define ROUND_ROBIN(qps)                                                                           \
    {                                                                                              \
        .ev_count = 256, .qp_count = qps, .write_bytes = 64 * KIB, .outstanding = 4,               \
        .packet_ps = 336000 / (qps)                                                                \
    }

static const struct scenario scenarios[] = {
    { "sprayed", STREAM(256, false), { 20000, 100000 } },
    { "in order", STREAM(256, true), { 20000, 100000 } },
    { "16 EVs", STREAM(16, false), { 20000, 100000 } },
    { "256 EVs", STREAM(256, false), { 20000, 100000 } },
    { "1024 EVs", STREAM(1024, false), { 20000, 100000 } },
    { "1 QP", ROUND_ROBIN(1), { 160000, 160000 } },
    { "1000 QPs", ROUND_ROBIN(1000), { 160000, 160000 } },
    { "10000 QPs", ROUND_ROBIN(10000), { 640000, 640000 } },
    { "1000 QPs all",
        { .ev_count = 256,
            .qp_count = 1000,
            .write_bytes = 64 * KIB,
            .outstanding = 1,
            .packet_ps = 84000 },
        { 160000, 160000 } },
    { "10000 QPs all",
        { .ev_count = 256,
            .qp_count = 10000,
            .write_bytes = 64 * KIB,
            .outstanding = 1,
            .packet_ps = 84000 },
        { 320000, 160000 } },
};

static const struct scenario *find(const char *name)
{
    for (uint32_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
        if (strcmp(scenarios[i].name, name) == 0)
            return &scenarios[i];
    return NULL;
}

/* Where callgrind begins to count. */
void measured_run(struct duplex *, uint32_t packet_count);
__attribute__((noinline)) void measured_run(struct duplex *duplex, uint32_t packet_count)
{
    duplex_run(duplex, packet_count);
}

static int count_this(const struct scenario *scenario)
{
    struct duplex *duplex = duplex_open(&scenario->config);

    duplex_run(duplex, scenario->effort.warm_up);
    measured_run(duplex, scenario->effort.measured);
    duplex_close(duplex);
    return 0;
}

static double instructions_of(const struct scenario *scenario)
{
    static const char *const counted[] = { "transport_receive", "transport_send",
        "transport_wants_to_send", "transport_deadline_ns", "transport_expire",
        "transport_next_event", "transport_post_send", NULL };
    const char *arguments[] = { "--count", scenario->name, NULL };

    return (double)callgrind_instructions(&(struct callgrind_run){
               .counted = counted, .zero_before = "measured_run", .arguments = arguments }) /
           scenario->effort.measured;
}

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double time_of(struct duplex *duplex, uint32_t packet_count)
{
    double start = now_ns();

    duplex_run(duplex, packet_count);
    return (now_ns() - start) / packet_count;
}

int main(int argument_count, char **arguments)
{
    if (argument_count == 3 && strcmp(arguments[1], "--count") == 0)
        return count_this(find(arguments[2]));
    for (uint32_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        struct duplex_config empty = scenarios[i].config;
        struct duplex *duplex = duplex_open(&scenarios[i].config);
        struct duplex *none;
        double t = 1e9, e = 1e9;
        empty.is_empty = true;
        none = duplex_open(&empty);
        duplex_run(duplex, scenarios[i].effort.warm_up);
        for (int r = 0; r < ROUNDS; r++) {
            double x = time_of(duplex, scenarios[i].effort.measured);
            double y = time_of(none, scenarios[i].effort.measured);
            if (x < t)
                t = x;
            if (y < e)
                e = y;
        }
        double packets = (double)duplex_counter(duplex, COUNTER_DATA_RECEIVED);
        printf("%s %.1f ns (driver %.1f) sacks/pkt %.3f acks %.4f dup %.0f retx %.0f ins %.1f qp "
               "%zu\n",
            scenarios[i].name, t, e, (double)duplex_counter(duplex, COUNTER_SACK_SENT) / packets,
            (double)duplex_counter(duplex, COUNTER_ACK_SENT) / packets,
            (double)duplex_counter(duplex, COUNTER_DATA_DUPLICATE),
            (double)duplex_counter(duplex, COUNTER_DATA_RETRANSMITTED),
            instructions_of(&scenarios[i]), duplex_qp_bytes(duplex));
        for (int c = 0; c < COUNTER_COUNT; c++)
            if (duplex_counter(duplex, (enum counter)c))
                printf("   %s %.5f\n", counter_descriptions[c].name,
                    (double)duplex_counter(duplex, (enum counter)c) / packets);
        fflush(stdout);
        duplex_close(duplex);
        duplex_close(none);
    }
    return 0;
}
