/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of one data packet in the transport: sent and received, with its share of SACKs, ACKs
 * and timers; and whether it depends on the number of EVs or QPs. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <time.h>

#include "allocations.h"
#include "callgrind.h"
#include "duplex.h"
#include "sealed.h"

enum {
    NS_BUDGET = 100,
    INSTRUCTION_BUDGET = 1200,
    QP_BYTES_BUDGET = 8192,
    ROUNDS = 21,
    ROUND_PACKETS = 40000,
    KIB = 1024,
    MIB = 1024 * 1024,
    PACKET_PS = 84000, /* 4,184 bytes at 400 Gb/s */
    SHARE_PS = 4 * PACKET_PS,
};

struct scenario {
    const char *name;
    struct duplex_config config;
    uint32_t warm_up; /* packets before the measurement */
    uint32_t measured;
};

/* One QP, 1 MiB writes, 32 of them outstanding. */
#define STREAM(evs, is_in_order)                                                                   \
    {                                                                                              \
        .ev_count = (evs), .qp_count = 1, .write_bytes = MIB, .outstanding = 32,                   \
        .packet_ps = PACKET_PS, .in_order = (is_in_order)                                          \
    }

/* All QPs send at once, in turn, 64 KiB writes, four outstanding each. The wire has 100 Gb/s for
 * every QP, so that each QP does the same, whatever their number ... */
#define CROWD(qps)                                                                                 \
    {                                                                                              \
        .ev_count = 256, .qp_count = (qps), .write_bytes = 64 * KIB, .outstanding = 4,             \
        .packet_ps = SHARE_PS / (qps)                                                              \
    }

/* ... or 400 Gb/s for all QPs. Then packets of a QP are so rare that each needs its own SACK. */
#define CROWD_ON_ONE_LINK(qps)                                                                     \
    {                                                                                              \
        .ev_count = 256, .qp_count = (qps), .write_bytes = 64 * KIB, .outstanding = 4,             \
        .packet_ps = PACKET_PS                                                                     \
    }

static const struct scenario sprayed = { "sprayed", STREAM(256, false), 20000, 100000 };
static const struct scenario in_order = { "in order", STREAM(256, true), 20000, 100000 };

/* Each table is compared with its first row and ends with NULL. */
static const struct scenario evs[] = {
    { "16 EVs", STREAM(16, false), 20000, 100000 },
    { "256 EVs", STREAM(256, false), 20000, 100000 },
    { "1024 EVs", STREAM(1024, false), 20000, 100000 },
    { 0 },
};

static const struct scenario qps[] = {
    { "1 QP", CROWD(1), 320000, 640000 },
    { "1000 QPs", CROWD(1000), 320000, 640000 },
    { "10000 QPs", CROWD(10000), 640000, 640000 },
    { 0 },
};

static const struct scenario qps_on_one_link[] = {
    { "100 QPs on one link", CROWD_ON_ONE_LINK(100), 80000, 80000 },
    { "1000 QPs on one link", CROWD_ON_ONE_LINK(1000), 80000, 80000 },
    { "10000 QPs on one link", CROWD_ON_ONE_LINK(10000), 160000, 160000 },
    { 0 },
};

static const struct scenario *const tables[] = { evs, qps, qps_on_one_link };
enum { TABLE_COUNT = sizeof(tables) / sizeof(tables[0]) };

static struct duplex *open_warm(const struct scenario *scenario)
{
    struct duplex *duplex = duplex_open(&scenario->config);

    duplex_run(duplex, scenario->warm_up);
    return duplex;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* Callgrind begins to count here. */
void measured_run(struct duplex *, uint32_t packet_count);
__attribute__((noinline)) void measured_run(struct duplex *duplex, uint32_t packet_count)
{
    duplex_run(duplex, packet_count);
}

static int run_counted(const struct scenario *scenario)
{
    struct duplex *duplex = open_warm(scenario);

    measured_run(duplex, scenario->measured);
    duplex_close(duplex);
    return 0;
}

/* Counts the functions of the transport and their callees, without the driver. */
static double instructions_of(const struct scenario *scenario)
{
    static const char *const counted[] = { "transport_prefetch", "transport_prefetch_windows",
        "transport_receive", "transport_send", "transport_wants_to_send", "transport_deadline_ns",
        "transport_expire", "transport_next_event", "transport_post_send", NULL };
    const char *arguments[] = { "--run", scenario->name, NULL };
    uint64_t instructions = callgrind_instructions(&(struct callgrind_run){
        .counted = counted, .zero_before = "measured_run", .arguments = arguments });

    return (double)instructions / scenario->measured;
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Time of this process, so that other processes on the machine disturb little. */
static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double time_of(struct duplex *duplex, uint32_t packet_count)
{
    double start = now_ns();

    duplex_run(duplex, packet_count);
    return (now_ns() - start) / packet_count;
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;

    return (a > b) - (a < b);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof(*values), by_size);
    return values[ROUNDS / 2];
}

/* Subtracts the time of the driver, which a run with stand-ins measures. */
static double ns_of(const struct scenario *scenario, double *driver_ns)
{
    struct duplex_config empty = scenario->config;
    struct duplex *duplex = open_warm(scenario);
    struct duplex *driver;
    double whole[ROUNDS];
    double driving[ROUNDS];

    empty.is_empty = true;
    driver = duplex_open(&empty);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        whole[round] = time_of(duplex, ROUND_PACKETS);
        driving[round] = time_of(driver, ROUND_PACKETS);
    }
    duplex_close(driver);
    duplex_close(duplex);
    *driver_ns = median(driving);
    return median(whole) - *driver_ns;
}

/* ---- results --------------------------------------------------------------------------------- */

/* 0: counting failed. */
static void print_value(const char *metric, const char *of, double value)
{
    printf("{\"bench\": \"transport\", \"metric\": \"%s%s%s\", \"value\": ", metric,
        *of ? ", " : "", of);
    if (value > 0)
        printf("%.1f", value);
    else
        printf("null");
}

static void print_reference(const char *compared_with, double reference)
{
    if (reference > 0)
        printf(", \"compared_with\": \"%s\", \"reference\": %.1f", compared_with, reference);
}

static double print_instructions(
    const char *of, const struct scenario *scenario, const char *compared_with, double reference)
{
    double instructions = instructions_of(scenario);

    print_value("instructions_per_packet", of, instructions);
    printf(", \"unit\": \"instructions\"");
    print_reference(compared_with, reference);
    printf(", \"built_with\": \"%s\"}\n", CALLGRIND_BUILT_WITH);
    fflush(stdout);
    return instructions;
}

static double print_ns(
    const char *of, const struct scenario *scenario, const char *compared_with, double reference)
{
    double driver_ns;
    double ns = ns_of(scenario, &driver_ns);

    print_value("ns_per_packet", of, ns);
    printf(", \"unit\": \"ns\"");
    print_reference(compared_with, reference);
    printf(
        ", \"statistic\": \"median of %d\", \"driver_ns_taken_out\": %.1f}\n", ROUNDS, driver_ns);
    fflush(stdout);
    return ns;
}

typedef double print_cost(
    const char *of, const struct scenario *, const char *compared_with, double reference);

static void print_table(const struct scenario *table, print_cost *print)
{
    double first = print(table->name, table, NULL, 0);

    for (const struct scenario *row = table + 1; row->name; row++)
        print(row->name, row, table->name, first);
}

static void print_memory(const struct duplex *duplex)
{
    print_value("qp_bytes", "", (double)duplex_qp_bytes(duplex));
    printf(", \"unit\": \"bytes\"");
    print_reference("budget", QP_BYTES_BUDGET);
    printf(", \"with\": \"256 EVs, 1,024 PSNs each way, without work queues\"}\n");
}

static void run_scenario(void *context)
{
    duplex_run(context, sprayed.measured);
}

/* Prints counts of events while packets were sent; here 0 is a good value. */
static void print_share(const char *metric, double count, const char *unit, const char *verified_by)
{
    printf("{\"bench\": \"transport\", \"metric\": \"%s\", \"value\": %.4f, \"unit\": \"%s\"",
        metric, count / sprayed.measured, unit);
    if (verified_by)
        printf(", \"verified_by\": \"%s\"", verified_by);
    printf("}\n");
}

static void print_shares(struct duplex *duplex)
{
    uint64_t allocations = allocations_count();
    double sacks = (double)duplex_counter(duplex, COUNTER_SACK_SENT);
    double acks = (double)duplex_counter(duplex, COUNTER_ACK_SENT);

    run_scenario(duplex);
    print_share("allocations_per_packet", (double)(allocations_count() - allocations),
        "allocations", "malloc and its kin, wrapped by the linker");
    print_share("sacks_per_packet", (double)duplex_counter(duplex, COUNTER_SACK_SENT) - sacks,
        "packets", NULL);
    print_share("acks_per_packet", (double)duplex_counter(duplex, COUNTER_ACK_SENT) - acks,
        "packets", NULL);
    if (sealed_run(run_scenario, duplex) == SEALED_QUIET)
        print_share("system_calls_per_packet", 0, "system calls",
            "a seccomp filter under which the first would kill");
    else
        printf("{\"bench\": \"transport\", \"metric\": \"system_calls_per_packet\", "
               "\"value\": null, \"unit\": \"system calls\"}\n");
}

static void print_all_but_time(void)
{
    struct duplex *duplex = open_warm(&sprayed);

    print_memory(duplex);
    print_shares(duplex);
    duplex_close(duplex);
    print_instructions("", &sprayed, "budget", INSTRUCTION_BUDGET);
    print_instructions(in_order.name, &in_order, "budget", INSTRUCTION_BUDGET);
    print_table(evs, print_instructions);
    print_table(qps, print_instructions);
}

static const struct scenario *find(const char *name)
{
    if (strcmp(name, sprayed.name) == 0)
        return &sprayed;
    if (strcmp(name, in_order.name) == 0)
        return &in_order;
    for (uint32_t i = 0; i < TABLE_COUNT; i++)
        for (const struct scenario *row = tables[i]; row->name; row++)
            if (strcmp(name, row->name) == 0)
                return row;
    return NULL;
}

/* Prints one figure of one scenario, for work on a change. */
static int run_one(const char *option, const struct scenario *scenario)
{
    if (strcmp(option, "--run") == 0)
        return run_counted(scenario);
    if (strcmp(option, "--count") == 0)
        print_instructions(scenario->name, scenario, NULL, 0);
    else if (strcmp(option, "--time") == 0)
        print_ns(scenario->name, scenario, NULL, 0);
    return 0;
}

int main(int argument_count, char **arguments)
{
    const char *option = argument_count > 1 ? arguments[1] : "";

    if (argument_count == 3 && find(arguments[2]))
        return run_one(option, find(arguments[2]));
    print_all_but_time();
    if (strcmp(option, "--no-time") == 0)
        return 0;
    print_ns("", &sprayed, "budget", NS_BUDGET);
    print_ns(in_order.name, &in_order, "budget", NS_BUDGET);
    print_table(evs, print_ns);
    print_table(qps, print_ns);
    print_table(qps_on_one_link, print_instructions);
    return 0;
}
