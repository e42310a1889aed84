/* SPDX-License-Identifier: Apache-2.0 */
/* Measured costs take the place of those that a job assumes. */
#include "spec.h"
#include "study/study.h"

static struct job job_of(void)
{
    return (struct job){ .watchdog_s = 600,
        .class_count = 3,
        .protocol_count = 2,
        .classes = { { .name = "flap", .costs = { { .stall_s = 1 }, { .stall_s = 2 } } },
            { .name = "reboot", .costs = { { .stall_s = 3 }, { .stall_s = 4 } } },
            { .name = "gpu", .restarts = true } },
        .protocols = { { "mrc", 34 }, { "roce", 35 } } };
}

#define COST                                                                                       \
    "{'stall_s': 9, 'slows': 0.1, 'stalls_while_down': true, 'lasts_s': 1, 'restarts': false, "    \
    "'hangs': false}"
#define EVENTS(protocol, costs)                                                                    \
    "{'openmrc_job_events': 1, 'protocols': {'" protocol "': {'protocol': 'roce'}}, "              \
    "'failures': {'flap': {'costs': {" costs "}}}}"

static bool apply(struct job *job, const char *text, char reason[static JOB_FILE_REASON_BYTES])
{
    char quoted[1024];
    bool is_applied;
    json_t *json;
    size_t i = 0;

    for (; text[i]; i++)
        quoted[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    quoted[i] = '\0';
    json = json_loads(quoted, 0, NULL);
    EXPECT(json);
    is_applied = job_events_apply(json, job, reason);
    json_decref(json);
    return is_applied;
}

SPEC("a measured cost replaces an assumed one, and the family of a protocol fills in the rest")
{
    struct job job = job_of();
    char reason[JOB_FILE_REASON_BYTES];

    EXPECT(apply(&job, EVENTS("roce-8qp", "'roce-8qp': " COST), reason));
    EXPECT_EQ(job.protocol_count, 1);
    EXPECT_STR_EQ(job.protocols[0].name, "roce-8qp");
    EXPECT(job.protocols[0].give_up_s == 35);
    EXPECT(job.classes[0].costs[0].is_measured);
    EXPECT(job.classes[0].costs[0].stall_s == 9);
    EXPECT(job.classes[0].costs[0].lasts_s == 1);
    EXPECT(!job.classes[1].costs[0].is_measured);
    EXPECT(job.classes[1].costs[0].stall_s == 4);
}

SPEC("a wrong member is named with its place")
{
    struct job job = job_of();
    char reason[JOB_FILE_REASON_BYTES];

    EXPECT(!apply(&job, EVENTS("roce-8qp", "'roce-8qp': {'stall_s': -1}"), reason));
    EXPECT_STR_EQ(
        reason, "failures.flap.costs.roce-8qp.stall_s: -1 is out of range; give 0 to 1e+07");
    EXPECT(!apply(&job, EVENTS("roce-8qp", "'roce-8qp': {'stall_s': 1}"), reason));
    EXPECT_STR_EQ(reason, "failures.flap.costs.roce-8qp.slows: is missing");
    EXPECT(!apply(&job, "{'openmrc_job_events': 2}", reason));
    EXPECT_STR_EQ(reason, "openmrc_job_events: 2 is out of range; give 1 to 1");
    EXPECT(!apply(&job, "{'openmrc_job_events': 1, 'protocols': {}, 'failures': {}}", reason));
    EXPECT_STR_EQ(reason, "protocols: an object with 1 to 16 entries is expected");
}

SPEC("a protocol without a measured or an assumed cost is refused")
{
    struct job job = job_of();
    char reason[JOB_FILE_REASON_BYTES];

    job.protocol_count = 1; /* mrc only */
    EXPECT(!apply(&job, EVENTS("roce-8qp", "'roce-8qp': " COST), reason));
    EXPECT_STR_EQ(reason,
        "failures.reboot.costs.roce-8qp: its cost was not measured, and the job assumes none");
}
