/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of one packet over one link in the simulator, including all protocol work: a permutation
 * of 2 MB flows, 4 KiB packets, 400 Gb/s on one plane, T0s with 64 NICs and 64 uplinks, 64 paths;
 * SACKs count as packets. And the memory per NIC, with everything that belongs to it. */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "callgrind.h"
#include "sim/sim.h"

enum {
    ROUNDS = 5,
    INSTRUCTION_BUDGET = 700,
    MISS_BUDGET = 3,
    NIC_BYTES_BUDGET = 24 * 1024,
    GROWTH_BUDGET_PERCENT = 250,
    CACHE_BYTES = 512 * 1024,
    HUGE_PAGE_BYTES = 2 * 1024 * 1024,
    NICS_PER_T0 = 64,
    MESSAGE_BYTES = 2000000,
};

#define US(count) ((uint64_t)(count)*UINT64_C(1000000))

struct size {
    const char *name;
    uint32_t nic_count;
    uint32_t warm_up_us;
    uint32_t round_us;
    double budget;   /* million packet-hops per second, minimum */
    bool is_counted; /* under callgrind; the largest would take minutes */
};

static const struct size sizes[] = {
    { "128 NICs", 128, 30, 100, 7, true },
    { "1024 NICs", 1024, 20, 20, 5, true },
    { "8192 NICs", 8192, 16, 3, 4, false },
};
enum { SIZE_COUNT = sizeof(sizes) / sizeof(sizes[0]) };

/* ---- a simulation ---------------------------------------------------------------------------- */

struct run {
    struct plan fabric;
    struct sim_workload workload;
    struct sim_config config;
    struct sim *sim;
    void *mapping;
    size_t mapping_bytes;
    uint8_t *memory;
    size_t memory_bytes;
    uint64_t until_ps;
};

static void describe_fabric(struct run *run, uint32_t nic_count)
{
    struct topology_config config;
    struct topology_problem problem;
    bool is_wired;

    topology_config_init(&config);
    config.plane_count = 1;
    config.t0_count = nic_count / NICS_PER_T0;
    config.t1_count = NICS_PER_T0;
    config.hosts_per_t0 = NICS_PER_T0;
    config.nic_count = 0;
    config.radix = 0;
    config.host_link =
        (struct topology_link_kind){ .rate_bps = UINT64_C(400000000000), .delay_ps = 500000 };
    config.uplink = config.host_link;
    is_wired = plan_init(&run->fabric, &config, NULL, &problem);
    assert(is_wired);
    (void)is_wired;
}

static void describe(struct run *run, uint32_t nic_count)
{
    memset(run, 0, sizeof(*run));
    describe_fabric(run, nic_count);
    run->workload = (struct sim_workload){ .name = "permutation",
        .kind = SIM_PERMUTATION,
        .rank_count = nic_count,
        .message_bytes = MESSAGE_BYTES,
        .outstanding = 2,
        .qps = 1,
        .shift = nic_count / 2 };
    run->config = (struct sim_config){ .fabric = &run->fabric,
        .seed = 1,
        .workloads = &run->workload,
        .workload_count = 1,
        .duration_ps = SIM_NEVER_PS };
    parameters_init(&run->config.parameters, TIMERS_HARDWARE);
    run->config.parameters.ev_active = 64;
    run->config.parameters.ev_backup = 0;
}

/* Untouched memory costs nothing; uses huge pages if available. */
static void map(struct run *run, size_t bytes)
{
    uintptr_t start;

    run->memory_bytes = (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    run->mapping_bytes = run->memory_bytes + HUGE_PAGE_BYTES;
    run->mapping = mmap(NULL, run->mapping_bytes, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert(run->mapping != MAP_FAILED);
    start = ((uintptr_t)run->mapping + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    run->memory = (uint8_t *)start;
}

static void open_run(struct run *run, uint32_t nic_count, bool has_huge_pages)
{
    struct arena arena;

    describe(run, nic_count);
    arena_init(&arena, NULL, 0);
    sim_init(&arena, &run->config);
    map(run, arena.used_bytes);
    if (has_huge_pages)
        madvise(run->memory, run->memory_bytes, MADV_HUGEPAGE);
    arena_init_zero(&arena, run->memory, run->memory_bytes);
    run->sim = sim_init(&arena, &run->config);
}

static void close_run(struct run *run)
{
    munmap(run->mapping, run->mapping_bytes);
}

static uint64_t hops_of(const struct run *run)
{
    struct sim_totals totals;

    sim_totals(run->sim, &totals);
    return totals.packet_hops;
}

/* Callgrind begins to count here. */
void measured_run(struct run *, uint32_t us);
__attribute__((noinline)) void measured_run(struct run *run, uint32_t us)
{
    enum sim_status status;

    run->until_ps += US(us);
    status = sim_run(run->sim, run->until_ps);
    assert(status == SIM_RUNNING);
    (void)status;
}

/* ---- instructions and misses ----------------------------------------------------------------- */

static uint32_t counted_us(const struct size *size)
{
    return size->round_us < 10 ? size->round_us : 10;
}

static int run_counted(const struct size *size)
{
    struct run run;

    open_run(&run, size->nic_count, false);
    measured_run(&run, size->warm_up_us);
    measured_run(&run, counted_us(size));
    close_run(&run);
    return 0;
}

/* Runs the same again to count packet-hops. */
static uint64_t counted_hops(const struct size *size)
{
    struct run run;
    uint64_t before;
    uint64_t hops;

    open_run(&run, size->nic_count, false);
    measured_run(&run, size->warm_up_us);
    before = hops_of(&run);
    measured_run(&run, counted_us(size));
    hops = hops_of(&run) - before;
    close_run(&run);
    return hops;
}

static struct callgrind_counts count(const struct size *size)
{
    static const char *const counted[] = { "sim_run", NULL };
    const char *arguments[] = { "--run", size->name, NULL };

    return callgrind_count(&(struct callgrind_run){ .counted = counted,
        .zero_before = "measured_run",
        .arguments = arguments,
        .cache_bytes = CACHE_BYTES });
}

/* ---- memory ---------------------------------------------------------------------------------- */

static uint64_t resident_bytes(const struct run *run)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    size_t page_count = run->memory_bytes / page_bytes;
    unsigned char *pages = malloc(page_count);
    uint64_t resident = 0;

    if (!pages || mincore(run->memory, run->memory_bytes, pages) != 0)
        page_count = 0;
    for (size_t i = 0; i < page_count; i++)
        resident += pages[i] & 1;
    free(pages);
    return resident * page_bytes;
}

/* ---- results --------------------------------------------------------------------------------- */

static void print(
    const char *metric, const char *of, double value, const char *unit, const char *more)
{
    printf("{\"bench\": \"sim\", \"metric\": \"%s, %s\", \"value\": ", metric, of);
    if (value > 0)
        printf("%.2f", value);
    else
        printf("null");
    printf(", \"unit\": \"%s\"%s}\n", unit, more);
    fflush(stdout);
}

static void print_against(const char *metric, const char *of, double value, const char *unit,
    double budget, const char *more)
{
    char comparison[160];

    snprintf(comparison, sizeof(comparison),
        ", \"compared_with\": \"budget\", \"reference\": %.1f%s", budget, more);
    print(metric, of, value, unit, comparison);
}

static void print_counts(const struct size *size)
{
    double hops = (double)counted_hops(size);
    struct callgrind_counts counts = count(size);

    print_against("instructions_per_hop", size->name, (double)counts.instructions / hops,
        "instructions", INSTRUCTION_BUDGET, ", \"built_with\": \"" CALLGRIND_BUILT_WITH "\"");
    print_against("misses_per_hop", size->name, (double)counts.cache_misses / hops, "misses",
        MISS_BUDGET, ", \"of\": \"a cache of 512 KiB, prefetches not counted\"");
}

static void print_memory(const struct size *size)
{
    struct run run;
    double before;

    open_run(&run, size->nic_count, false);
    measured_run(&run, size->warm_up_us);
    before = (double)resident_bytes(&run);
    measured_run(&run, 2 * size->round_us);
    print_against("bytes_per_nic", size->name, (double)resident_bytes(&run) / size->nic_count,
        "bytes", NIC_BYTES_BUDGET, "");
    print("growth_of_memory", size->name, 100 * (double)resident_bytes(&run) / before, "percent",
        ", \"of\": \"what it was after the warm-up\"");
    close_run(&run);
}

/* Time of this process, so that other processes on the machine disturb little. */
static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Returns million packet-hops per second, the best of several rounds. */
static double speed_of(const struct size *size)
{
    struct run run;
    double best = 0;

    open_run(&run, size->nic_count, true);
    measured_run(&run, size->warm_up_us);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint64_t hops = hops_of(&run);
        double start = now_s();
        double speed;

        measured_run(&run, size->round_us);
        speed = (double)(hops_of(&run) - hops) / (now_s() - start) / 1e6;
        best = speed > best ? speed : best;
    }
    close_run(&run);
    return best;
}

static void print_speeds(void)
{
    double speeds[SIZE_COUNT];

    for (uint32_t i = 0; i < SIZE_COUNT; i++) {
        speeds[i] = speed_of(&sizes[i]);
        print_against("speed", sizes[i].name, speeds[i], "million packet-hops a second",
            sizes[i].budget, ", \"statistic\": \"best of 5, one core\"");
    }
    print_against("growth_of_cost", "128 to 8192 NICs", 100 * speeds[0] / speeds[SIZE_COUNT - 1],
        "percent", GROWTH_BUDGET_PERCENT, "");
}

int main(int argument_count, char **arguments)
{
    const char *option = argument_count > 1 ? arguments[1] : "";

    for (uint32_t i = 0; argument_count == 3 && i < SIZE_COUNT; i++)
        if (strcmp(option, "--run") == 0 && strcmp(arguments[2], sizes[i].name) == 0)
            return run_counted(&sizes[i]);
    for (uint32_t i = 0; i < SIZE_COUNT && strcmp(option, "--time") != 0; i++) {
        print_memory(&sizes[i]);
        if (sizes[i].is_counted)
            print_counts(&sizes[i]);
    }
    if (strcmp(option, "--no-time") != 0)
        print_speeds();
    return 0;
}
