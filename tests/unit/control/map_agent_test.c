/* SPDX-License-Identifier: Apache-2.0 */
/* The probes of a NIC are counted only while one process has it open. */
#include "control/map_agent.h"

#include "device_process.h"
#include "prober.h"

enum { NIC = 1, PORT = 0 };

static struct prober prober;
static struct device_process device;
static struct map_agent agent;
static atomic_uint requests; /* that the process has answered */

/* Every probe is sent, and none arrives. */
static char *answer_probe(void *context, const char *question)
{
    char text[128];

    (void)context;
    (void)question;
    snprintf(text, sizeof(text), "{\"requests\":%u,\"sent\":1000,\"arrived\":[]}",
        atomic_fetch_add(&requests, 1) + 1);
    return strdup(text);
}

static void open_agent(void)
{
    prober_open(&prober, 2, 2, 2);
    atomic_store(&requests, 0);
    device_process_open(&device, answer_probe, NULL);
    EXPECT_EQ(map_agent_open(&agent, &prober.map.schedule, "mrc0", NIC, PROBER_ROUND), 0);
}

static void close_agent(void)
{
    map_agent_close(&agent);
    device_process_close(&device);
    prober_close(&prober);
}

static void send_periods(uint64_t from, uint64_t to)
{
    char reason[REQUEST_REASON_BYTES];

    for (uint64_t period = from; period < to; period++)
        EXPECT_EQ(map_agent_send(&agent, period, reason), REQUEST_ANSWERED);
}

static bool has_losses(uint64_t round)
{
    struct map_report report;

    return map_agent_losses(&agent, PORT, round * PROBER_ROUND, &report) && report.lost_count > 0;
}

SPEC("what is lost while one process has the device open is reported")
{
    open_agent();
    send_periods(0, 2 * PROBER_ROUND);
    EXPECT(has_losses(0));
    EXPECT(has_losses(1));
    close_agent();
}

SPEC("if another process has opened the device, the rounds of the last periods are not reported")
{
    open_agent();
    send_periods(0, PROBER_ROUND + 2);
    atomic_store(&requests, 0);
    send_periods(PROBER_ROUND + 2, 3 * PROBER_ROUND);
    EXPECT(has_losses(0));
    EXPECT(!has_losses(1));
    EXPECT(has_losses(2));
    close_agent();
}

SPEC("nor is the round before, if this happens when a round begins")
{
    open_agent();
    send_periods(0, PROBER_ROUND);
    atomic_store(&requests, 0);
    send_periods(PROBER_ROUND, 3 * PROBER_ROUND);
    EXPECT(!has_losses(0));
    EXPECT(!has_losses(1));
    EXPECT(has_losses(2));
    close_agent();
}

SPEC("nor are rounds in which no process has it open")
{
    char reason[REQUEST_REASON_BYTES];

    open_agent();
    send_periods(0, PROBER_ROUND);
    setenv("MRC_RUN_DIR", "/nonexistent", 1);
    EXPECT_EQ(map_agent_send(&agent, PROBER_ROUND, reason), REQUEST_NOT_RUNNING);
    setenv("MRC_RUN_DIR", device.root, 1);
    send_periods(PROBER_ROUND + 1, 3 * PROBER_ROUND);
    EXPECT(!has_losses(0));
    EXPECT(!has_losses(1));
    EXPECT(has_losses(2));
    close_agent();
}
