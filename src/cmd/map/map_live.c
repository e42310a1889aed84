/* SPDX-License-Identifier: Apache-2.0 */
/* mrc map: probes of a running fabric on this machine. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/fabric_load.h"
#include "cmd/map/map_follow.h"
#include "cmd/map/map_options.h"
#include "control/control.h"
#include "files/files.h"
#include "lab/lab.h"

static const char name[] = "map";

enum {
    LINE = 64,
    VERDICT_MAX = 1024,
    LOST_MAX = 1 << 16,
    TIME_BYTES = 16,
    PAUSE_MS = 5,
    PATIENCE_MS = 2000, /* then the fabric is taken to be dead */
};

struct live {
    const struct map_options *options;
    struct plan fabric;
    struct map map;
    struct map_follow follow;
    void *memory;
    struct map_agent *agents;  /* by NIC */
    struct device_loan *loans; /* of those that no other process has open */
    uint32_t nic_count;
    uint32_t silent;  /* requests of the last period that were not answered */
    uint32_t printed; /* verdicts */
    time_t began;
};

/* ---- devices --------------------------------------------------------------------------------- */

static bool open_map(struct live *live)
{
    struct map_config config = { .fabric = &live->fabric,
        .round_periods = live->options->round_periods,
        .verdict_max = VERDICT_MAX,
        .lost_max = LOST_MAX };
    struct arena arena;
    size_t bytes;

    arena_init(&arena, NULL, 0);
    map_init(&live->map, &arena, &config);
    map_follow_init(&live->follow, &arena, &live->map);
    bytes = (arena.used_bytes + LINE - 1) / LINE * LINE;
    live->nic_count = live->fabric.topology.nic_count;
    live->memory = aligned_alloc(LINE, bytes);
    live->agents = calloc(live->nic_count, sizeof(*live->agents));
    live->loans = calloc(live->nic_count, sizeof(*live->loans));
    if (!live->memory || !live->agents || !live->loans)
        return false;
    arena_init(&arena, live->memory, bytes);
    map_init(&live->map, &arena, &config);
    map_follow_init(&live->follow, &arena, &live->map);
    return true;
}

/* Borrows the device if no process has it open. */
static enum cmd_status open_agent(struct live *live, const char *root, uint32_t nic)
{
    char reason[REQUEST_REASON_BYTES] = "";
    char device[DEVICE_LIST_NAME_BYTES];
    uint32_t number;
    int err;

    if (!devices_find(root, live->options->fabric, nic, &number))
        return cmd_complain(CMD_FAILED, name,
            "NIC h%u of fabric '%s' has no device here; run the fabric, or give its --name", nic,
            live->options->fabric);
    snprintf(device, sizeof(device), "mrc%u", number);
    err = map_agent_open(
        &live->agents[nic], &live->map.schedule, device, nic, live->options->round_periods);
    if (err)
        return cmd_complain(CMD_FAILED, name, "%s", strerror(-err));
    if (map_agent_listen(&live->agents[nic], reason) != REQUEST_NOT_RUNNING)
        return CMD_DONE;
    err = device_loan_take(&live->loans[nic], device);
    if (err)
        return cmd_complain(CMD_FAILED, name, "%s: cannot be opened: %s", device, strerror(-err));
    return CMD_DONE;
}

static enum cmd_status open_agents(struct live *live)
{
    char root[RUN_PLACE_BYTES];
    int err = run_place_make(root, sizeof(root));
    enum cmd_status status = CMD_DONE;

    if (err)
        return cmd_complain(CMD_FAILED, name, "%s: %s", root, strerror(-err));
    for (uint32_t nic = 0; nic < live->nic_count && status == CMD_DONE; nic++)
        status = open_agent(live, root, nic);
    if (status == CMD_DONE)
        map_follow_begin(&live->follow, live->agents, live->nic_count);
    return status;
}

static void close_all(struct live *live)
{
    for (uint32_t nic = 0; live->agents && live->loans && nic < live->nic_count; nic++) {
        map_agent_close(&live->agents[nic]);
        device_loan_return(&live->loans[nic]);
    }
    free(live->agents);
    free(live->loans);
    free(live->memory);
}

/* ---- periods --------------------------------------------------------------------------------- */

static void wait_until(const struct timespec *begin, uint64_t ms)
{
    struct timespec until = { .tv_sec = begin->tv_sec + (time_t)(ms / 1000),
        .tv_nsec = begin->tv_nsec + (long)(ms % 1000) * 1000000 };

    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* The process that opens a device sends its probes from then on. */
static void return_wanted(struct live *live)
{
    for (uint32_t nic = 0; nic < live->nic_count; nic++)
        if (device_loan_is_wanted(&live->loans[nic]))
            device_loan_return(&live->loans[nic]);
}

/* A device that is wanted is not kept until the period ends. */
static void wait_for_period(struct live *live, const struct timespec *begin, uint64_t period,
    const volatile sig_atomic_t *is_interrupted)
{
    uint64_t end_ms = period * live->options->period_ms;
    uint64_t ms = period ? end_ms - live->options->period_ms : 0;

    while ((ms += DEVICE_LOAN_LOOK_MS) < end_ms && !*is_interrupted) {
        wait_until(begin, ms);
        return_wanted(live);
    }
    if (!*is_interrupted)
        wait_until(begin, end_ms);
}

/* Returns true if half of the agents have heard of this period or of later ones. */
static bool is_heard(const struct live *live, uint64_t period)
{
    uint32_t count = 0;

    for (uint32_t nic = 0; nic < live->nic_count; nic++)
        count += live->agents[nic].heard > period;
    return 2 * count >= live->nic_count;
}

/* The processes of the fabric and of the devices may have to wait for a processor. Then probes are
 * late, not lost: waits until some of a later period have arrived. */
static void wait_for(struct live *live, uint64_t period)
{
    const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
    char reason[REQUEST_REASON_BYTES];

    for (uint32_t waited_ms = 0; !is_heard(live, period) && waited_ms < PATIENCE_MS;
         waited_ms += PAUSE_MS) {
        nanosleep(&pause, NULL);
        for (uint32_t nic = 0; nic < live->nic_count; nic++)
            map_agent_listen(&live->agents[nic], reason);
    }
}

static void send_period(struct live *live, uint64_t period)
{
    char reason[REQUEST_REASON_BYTES];

    live->silent = 0;
    return_wanted(live);
    map_follow_turn(&live->follow);
    for (uint32_t nic = 0; nic < live->nic_count; nic++)
        live->silent += map_agent_send(&live->agents[nic], period, reason) != REQUEST_ANSWERED;
}

static void print_verdict(const struct live *live, const struct map_verdict *verdict)
{
    time_t since = live->began + (time_t)(verdict->since * live->options->period_ms / 1000);
    char text[MAP_TEXT_BYTES];
    char clock[TIME_BYTES];
    struct tm local;

    localtime_r(&since, &local);
    strftime(clock, sizeof(clock), "%H:%M:%S", &local);
    map_text(&live->fabric.topology, verdict, clock, 0, text);
    puts(text);
    map_follow_print(&live->follow, verdict);
    fflush(stdout);
}

/* The probes of a round have the next one to arrive in. */
static void close_round(struct live *live)
{
    for (uint32_t nic = 0; nic < live->nic_count; nic++)
        map_agent_report(&live->agents[nic], &live->map);
    map_close_round(&live->map);
    for (; live->printed < map_verdict_count(&live->map); live->printed++)
        if (!live->options->is_json)
            print_verdict(live, map_verdict_at(&live->map, live->printed));
}

static enum cmd_status run_periods(struct live *live)
{
    const volatile sig_atomic_t *is_interrupted = cmd_catch_interrupts((int)SA_RESETHAND);
    uint32_t round = live->options->round_periods;
    uint64_t last = live->options->period_count + round;
    struct timespec begin;

    assert(round > 0);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    live->began = time(NULL);
    for (uint64_t period = 0; period < last && !*is_interrupted; period++) {
        wait_for_period(live, &begin, period, is_interrupted);
        if (period >= round)
            wait_for(live, period - round);
        send_period(live, period);
        if (live->silent == live->nic_count)
            return cmd_complain(CMD_FAILED, name,
                "no device of fabric '%s' answers; does the fabric still run?",
                live->options->fabric);
        if ((period + 1) % round == 0 && period + 1 >= 2 * (uint64_t)round) {
            wait_for(live, period);
            close_round(live);
        }
    }
    map_print_result(&live->map, live->options->period_ms * 1000.0, live->options);
    return CMD_DONE;
}

enum cmd_status map_live(const struct map_options *options, const char *path)
{
    struct live live = { .options = options };
    enum cmd_status status;
    struct yaml yaml;

    status = fabric_load(name, path, &yaml, &live.fabric);
    if (status != CMD_DONE)
        return status;
    if (!open_map(&live))
        status = cmd_complain(CMD_FAILED, name, "memory is not available");
    else
        status = open_agents(&live);
    if (status == CMD_DONE)
        status = run_periods(&live);
    close_all(&live);
    yaml_fini(&yaml);
    return status;
}
