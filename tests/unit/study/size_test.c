/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes against the counts of papers and of closed forms. */
#include "study/study.h"

#include <math.h>
#include <string.h>

#include "spec.h"

#define GBPS UINT64_C(1000000000)
#define TBPS (1000 * GBPS)

static struct size_request request_of(
    enum size_kind kind, uint64_t gpus, uint64_t nic_gbps, uint32_t planes, uint32_t tiers)
{
    struct size_request request;

    size_request_init(&request);
    request.kind = kind;
    request.gpus = gpus;
    request.nic_bps = nic_gbps * GBPS;
    request.planes = planes;
    request.tiers = tiers;
    return request;
}

static struct size_fabric fabric_of(const struct size_request *request)
{
    char reason[SIZE_REASON_BYTES] = "";
    struct size_fabric fabric = { 0 };
    bool is_solved = size_solve(request, &fabric, reason);

    EXPECT_STR_EQ(reason, "");
    EXPECT(is_solved);
    return fabric;
}

static uint32_t tiers_of(const struct size_request *request)
{
    return fabric_of(request).tier_count;
}

/* clang-format off */
static const struct {
    enum size_kind kind;
    uint64_t gpus, nic_gbps;
    uint32_t planes, tiers;
    uint64_t chip_gbps;
    uint64_t switches[4]; /* of a plane */
    uint64_t total, far_paths;
    uint32_t longest, parallel;
} counts[] = {
    /* two tiers, docs/fabric.md section 1 */
    { SIZE_CLOS, 131072, 800, 8, 2, 51200,  { 512, 256 },   6144,  2048, 3, 1 },
    { SIZE_CLOS, 32768,  800, 4, 2, 51200,  { 256, 128 },   1536,  512,  3, 1 },
    { SIZE_CLOS, 8192,   800, 2, 2, 51200,  { 128, 64 },    384,   128,  3, 1 },
    { SIZE_CLOS, 2048,   800, 1, 2, 51200,  { 64, 32 },     96,    32,   3, 1 },
    { SIZE_CLOS, 131072, 400, 4, 2, 51200,  { 512, 256 },   3072,  1024, 3, 1 },
    { SIZE_CLOS, 524288, 800, 8, 2, 102400, { 1024, 512 },  12288, 4096, 3, 1 },
    { SIZE_CLOS, 100000, 800, 8, 2, 51200,  { 391, 256 },   5176,  2048, 3, 1 },
    /* partial builds, with parallel links */
    { SIZE_CLOS, 16384,  800, 8, 2, 51200,  { 64, 32 },     768,   2048, 3, 8 },
    { SIZE_CLOS, 16384,  400, 4, 2, 51200,  { 64, 32 },     384,   1024, 3, 8 },
    /* fat trees of k ports: hosts k^3 / 4, switches 5 k^2 / 4 */
    { SIZE_CLOS, 16,     800, 1, 3, 3200,   { 8, 8, 4 },    20,    4,    5, 1 },
    { SIZE_CLOS, 65536,  800, 1, 3, 51200,  { 2048, 2048, 1024 }, 5120, 1024, 5, 1 },
    { SIZE_CLOS, 524288, 400, 1, 3, 51200,  { 8192, 8192, 4096 }, 20480, 4096, 5, 1 },
    { SIZE_CLOS, 16384,  400, 1, 3, 51200,  { 256, 256, 128 }, 640, 4096, 5, 32 },
    /* four tiers: 7 k^3 / 8 / k switches for each NIC */
    { SIZE_CLOS, 2097152, 800, 1, 4, 51200, { 65536, 65536, 65536, 32768 }, 229376, 32768, 7, 1 },
    /* rails and ZCube, 16,384 GPUs of 400 Gb/s */
    { SIZE_RAIL_OPTIMISED, 8192, 400, 1, 2, 51200, { 128, 64 }, 192, 64, 3, 1 },
    { SIZE_RAIL_OPTIMISED, 16384, 400, 1, 0, 51200, { 256, 256, 128 }, 640, 4096, 5, 32 },
    { SIZE_RAIL_ONLY, 16384, 400, 1, 2, 51200, { 32, 16 },  384,   64,   3, 4 },
    { SIZE_ZCUBE, 16,    400, 1, 2, 51200,  { 4, 4 },       8,     10,   2, 1 },
    { SIZE_ZCUBE, 16384, 400, 1, 2, 51200,  { 128, 128 },   256,   258,  2, 1 },
    { SIZE_ZCUBE, 592704, 600, 1, 3, 51200, { 7056, 7056, 7056 }, 21168, 338, 3, 1 },
};
/* clang-format on */

SPEC("switches, paths and parallel links are those of the papers and closed forms")
{
    for (uint32_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct size_request request = request_of(
            counts[i].kind, counts[i].gpus, counts[i].nic_gbps, counts[i].planes, counts[i].tiers);
        struct size_fabric fabric;

        request.switch_bps = counts[i].chip_gbps * GBPS;
        fabric = fabric_of(&request);
        for (uint32_t tier = 0; tier < fabric.tier_count; tier++)
            EXPECT_EQ(fabric.tiers[tier].switches, counts[i].switches[tier]);
        EXPECT_EQ(size_switches(&fabric), counts[i].total);
        EXPECT_EQ(size_paths(&fabric, fabric.tier_count - 1), counts[i].far_paths);
        EXPECT_EQ(size_longest(&fabric), counts[i].longest);
        EXPECT_EQ(fabric.tiers[fabric.tier_count - 1].parallel, counts[i].parallel);
        EXPECT(size_oversubscription(&fabric) == 1);
    }
}

SPEC("two tiers with 8 planes need 3/5 of the switches and 2/3 of the modules of three tiers")
{
    struct size_request two = request_of(SIZE_CLOS, 131072, 800, 8, 2);
    struct size_request three = request_of(SIZE_CLOS, 65536, 800, 1, 3);
    struct size_fabric planes = fabric_of(&two);
    struct size_fabric tiers = fabric_of(&three);

    EXPECT_EQ(5 * size_switches(&planes), 3 * 2 * size_switches(&tiers));
    EXPECT_EQ(size_modules(&planes), 524288);
    EXPECT_EQ(2 * size_modules(&tiers), 786432);
    EXPECT_EQ(planes.plane_count * planes.tiers[0].up_links, 1048576);
    EXPECT_EQ(size_links(&planes), 2 * 1048576);
}

SPEC("dual ToR, dual plane with uplinks of 400 Gb/s: 240 + 120 switches for 15,360 GPUs")
{
    struct size_request request = request_of(SIZE_CLOS, 15360, 400, 2, 2);
    struct size_fabric fabric;

    request.uplink_bps = 400 * GBPS;
    request.hosts_per_leaf = 128;
    request.oversubscription = 1067;
    fabric = fabric_of(&request);
    EXPECT_EQ(fabric.tiers[0].switches, 120);
    EXPECT_EQ(fabric.tiers[1].switches, 60);
    EXPECT_EQ(size_paths(&fabric, 1), 120);
    EXPECT(fabs(size_oversubscription(&fabric) - 25.6 / 24) < 1e-9);
    request.gpus = 16384;
    request.hosts_per_leaf = 0;
    request.oversubscription = SIZE_EVEN;
    fabric = fabric_of(&request);
    EXPECT_EQ(size_switches(&fabric), 384);
    EXPECT_EQ(fabric.plane_count * fabric.tiers[0].up_links, 16384);
    EXPECT_EQ(fabric.plane_count * fabric.tiers[0].host_links, 32768);
    EXPECT_EQ(size_paths(&fabric, 1), 2 * 64);
}

SPEC("links of a ZCube: k n^k to GPUs, (k - 1) n^k between switches")
{
    struct size_request request = request_of(SIZE_ZCUBE, 16384, 400, 1, 2);
    struct size_fabric fabric = fabric_of(&request);

    EXPECT_EQ(size_links(&fabric), 49152);
    request = request_of(SIZE_ZCUBE, 592704, 600, 1, 3);
    fabric = fabric_of(&request);
    EXPECT_EQ(size_links(&fabric), 1778112 + 1185408);
}

SPEC("three tiers of 51.2T end at 65,536 GPUs of 800 Gb/s, and the refusal says what is possible")
{
    struct size_request request = request_of(SIZE_CLOS, 65537, 800, 1, 3);
    char reason[SIZE_REASON_BYTES];
    struct size_fabric fabric;

    EXPECT(!size_solve(&request, &fabric, reason));
    EXPECT_STR_EQ(reason, "65537 GPUs do not fit into clos of 3 tiers, which ends at 65536 GPUs; "
                          "nearest: --gpus 65536, --tiers 4, --planes 2, or a larger --switch");
    request.tiers = 0;
    EXPECT_EQ(tiers_of(&request), 4);
    request.gpus = 1000000;
    EXPECT_EQ(tiers_of(&request), 4);
    request.planes = 8;
    EXPECT_EQ(tiers_of(&request), 3);
    request.gpus = 1;
    fabric = fabric_of(&request);
    EXPECT_EQ(fabric.tier_count, 1);
    EXPECT_EQ(size_switches(&fabric), 8);
}

static void expect_refusal(const struct size_request *request, const char *expected)
{
    char reason[SIZE_REASON_BYTES] = "";
    struct size_fabric fabric;

    EXPECT(!size_solve(request, &fabric, reason));
    EXPECT_STR_EQ(reason, expected);
}

SPEC("a refusal without tiers names the tiers with the most places")
{
    struct size_request request = request_of(SIZE_ZCUBE, 5000, 800, 1, 0);

    expect_refusal(&request, "5000 GPUs do not fit into zcube of 2 tiers, which ends at 4096 GPUs; "
                             "nearest: --gpus 4096, or a larger --switch");
    request = request_of(SIZE_INFINIBAND, 50000, 800, 1, 0);
    expect_refusal(&request,
        "50000 GPUs do not fit into infiniband of 3 tiers, which ends at 45247 GPUs; "
        "nearest: --gpus 45247, or a larger --switch");
}

SPEC("levels of a ZCube and NICs of a leaf are refused with the nearest")
{
    struct size_request request = request_of(SIZE_ZCUBE, 100, 800, 1, 4);

    expect_refusal(&request, "--tiers: 4; a ZCube has 2 or 3 levels");
    request.tiers = 3;
    expect_refusal(&request, "a NIC of 800 Gb/s cannot be divided into 3 equal ports; the nearest "
                             "possible number of levels is 2");
    request = request_of(SIZE_CLOS, 16384, 800, 8, 3);
    request.hosts_per_leaf = 600;
    expect_refusal(&request,
        "16384 GPUs do not fit into clos of 3 tiers: its switches have too few "
        "ports; nearest: --hosts-per-leaf 256, or a larger --switch");
}

SPEC("a NIC that cannot be divided and a chip without ports are refused with the nearest")
{
    struct size_request request = request_of(SIZE_CLOS, 64, 800, 7, 2);
    char reason[SIZE_REASON_BYTES];
    struct size_fabric fabric;

    EXPECT(!size_solve(&request, &fabric, reason));
    EXPECT_STR_EQ(reason, "a NIC of 800 Gb/s cannot be divided into 7 equal ports; the nearest "
                          "possible number of planes is 8");
    request = request_of(SIZE_CLOS, 64, 800, 1, 2);
    request.switch_bps = 800 * GBPS;
    EXPECT(!size_solve(&request, &fabric, reason));
    EXPECT(strstr(reason, "has 1 ports of 800 Gb/s; 2 are needed") != NULL);
    request = request_of(SIZE_INFINIBAND, 49151, 800, 1, 3);
    EXPECT(!size_solve(&request, &fabric, reason));
    request.gpus = size_largest(&request, 3);
    fabric = fabric_of(&request);
    EXPECT_LE(request.gpus + size_switches(&fabric), 49151);
}

/* ---- failures -------------------------------------------------------------------------------- */

static struct job job_of_two(void)
{
    struct job job = { .exposed_communication = 1,
        .checkpoint_every_s = 1800,
        .restart_s = 900,
        .watchdog_s = 600,
        .class_count = 6,
        .protocol_count = 1,
        .protocols = { { .name = "p", .give_up_s = 30 } } };
    static const char *const names[] = { "host link flap", "uplink flap", "host link failure",
        "uplink failure", "T0 reboot", "T1 reboot" };

    for (int i = 0; i < 6; i++) {
        strcpy(job.classes[i].name, names[i]);
        job.classes[i].costs[0].stall_s = 1;
    }
    return job;
}

static const struct size_failure *find_failure(
    const struct size_failures *failures, const char *name)
{
    for (uint32_t i = 0; i < failures->count; i++)
        if (strcmp(failures->list[i].name, name) == 0)
            return &failures->list[i];
    return NULL;
}

SPEC("an uplink is 3 % of a leaf with one plane, 0.4 % with eight; a T0 is 12.5 % of its NICs")
{
    struct size_request request = request_of(SIZE_CLOS, 65536, 800, 1, 3);
    struct size_fabric fabric = fabric_of(&request);
    struct job job = job_of_two();
    struct size_failures failures;

    EXPECT(size_failures_find(&fabric, &job, &failures));
    EXPECT(find_failure(&failures, "T0: uplink fails")->plane_share == 1 / 32.0);
    request = request_of(SIZE_CLOS, 131072, 800, 8, 2);
    fabric = fabric_of(&request);
    EXPECT(size_failures_find(&fabric, &job, &failures));
    EXPECT(find_failure(&failures, "T0: uplink fails")->plane_share == 1 / 256.0);
    EXPECT(find_failure(&failures, "T0: uplink fails")->nic_share == 1 / 2048.0);
    EXPECT(find_failure(&failures, "link of a NIC fails")->nic_share == 0.125);
    EXPECT(find_failure(&failures, "T0: switch reboots")->nic_share == 0.125);
    EXPECT_EQ(find_failure(&failures, "T0: switch reboots")->nics, 256);
    EXPECT(find_failure(&failures, "T1: switch reboots")->plane_share == 1 / 256.0);
    EXPECT_EQ(find_failure(&failures, "T1: switch reboots")->nics, 131072);
    /* Alibaba: 598 links of NICs a month; Microsoft: 1.4 switches a day of 6,144 */
    EXPECT(fabs(find_failure(&failures, "link of a NIC fails")->per_year.least / 12 - 598) < 12);
    EXPECT(fabs((find_failure(&failures, "T0: switch reboots")->per_year.most +
                    find_failure(&failures, "T1: switch reboots")->per_year.most) /
                    365 -
                1.35) < 0.01);
}

SPEC("a failure that takes half of the rate from a job that only communicates costs half its time")
{
    struct size_request request = request_of(SIZE_CLOS, 1000, 800, 2, 2);
    struct size_fabric fabric = fabric_of(&request);
    struct job job = job_of_two();
    struct size_failures failures;
    const struct size_failure *failure;
    double hours;
    double lost = 0;

    EXPECT(size_failures_find(&fabric, &job, &failures));
    failure = find_failure(&failures, "link of a NIC fails");
    hours = failure->gpu_hours[0].least / failure->per_year.least / failures.working[0].least;
    EXPECT(fabs(hours - (1 + 7200) * 1000 / 3600.0) < 1e-6);
    for (uint32_t i = 0; i < failures.count; i++)
        lost += failures.list[i].gpu_hours[0].least;
    EXPECT(fabs(lost / (1000 * 365 * 24) - (1 - failures.working[0].least)) < 1e-9);
    EXPECT_EQ(failures.pair_count, 3);
    EXPECT_EQ(failures.pairs[0].count, 1000);
    job.class_count = 1;
    EXPECT(!size_failures_find(&fabric, &job, &failures));
    EXPECT_STR_EQ(
        failures.reason, "the job has no class 'host link failure'; add it to its failures");
}

SPEC("spares are the 99 % quantile of a Poisson distribution, of many the normal one")
{
    struct size_request request = request_of(SIZE_CLOS, 16384, 800, 8, 2);
    struct size_fabric fabric = fabric_of(&request);

    /* Means of 65,536 modules in 30 days: 47.2 and 1,081; of 768 switches: 0.13 and 1.6 */
    EXPECT_EQ(size_module_spares(&fabric, 30).least, 64);
    EXPECT_EQ(size_module_spares(&fabric, 30).most, 1158);
    EXPECT_EQ(size_switch_spares(&fabric, 30).least, 1);
    EXPECT_EQ(size_switch_spares(&fabric, 30).most, 5);
}

/* ---- cost and growth ------------------------------------------------------------------------- */

SPEC("131,072 GPUs: two tiers save 4,096 switches and 262,144 modules")
{
    struct size_request request = request_of(SIZE_CLOS, 131072, 800, 8, 2);
    static struct size_candidate list[SIZE_CANDIDATES_MAX];
    struct size_site site;
    struct prices prices;
    struct yaml yaml;
    struct job job = job_of_two();
    struct size_judge judge = { &site, &prices, &job };
    const struct size_candidate *three = NULL;
    uint32_t count;

    yaml_init(&yaml);
    EXPECT(price_file_read(&yaml, NULL, &prices));
    size_site_init(&site);
    count = size_candidates_compare(&request, &judge, list);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(list[i].name, "3 tiers, 1 plane") == 0)
            three = &list[i];
    EXPECT(three != NULL);
    EXPECT_EQ(three->copies, 2);
    EXPECT_EQ(three->switches - list[0].switches, 4096);
    EXPECT_EQ(three->modules - list[0].modules, 262144);
    EXPECT_LT(three->gpus_for_budget, list[0].gpus_for_budget);
    EXPECT_GE(list[0].gpus_for_budget, 131072);
    yaml_fini(&yaml);
}

SPEC("the goal decides which fabric comes first")
{
    struct size_request request = request_of(SIZE_CLOS, 16384, 800, 8, 0);
    struct size_freedom freedom = { .planes = true, .tiers = true, .oversubscription = SIZE_EVEN };
    static struct size_candidate list[SIZE_CANDIDATES_MAX];
    struct size_site site;
    struct prices prices;
    struct yaml yaml;
    struct job job = job_of_two();
    struct size_judge judge = { &site, &prices, &job };

    yaml_init(&yaml);
    EXPECT(price_file_read(&yaml, NULL, &prices));
    size_site_init(&site);
    EXPECT_GT(size_candidates_search(&request, &freedom, SIZE_CHEAPEST, &judge, list), 2);
    EXPECT(list[0].usd.least + list[0].usd.most <= list[1].usd.least + list[1].usd.most);
    EXPECT_GT(size_candidates_search(&request, &freedom, SIZE_MOST_RESILIENT, &judge, list), 2);
    EXPECT_EQ(list[0].fabric.nic_ports, 8);
    EXPECT_GT(size_candidates_search(&request, &freedom, SIZE_FASTEST, &judge, list), 2);
    EXPECT(list[0].latency_s <= list[1].latency_s);
    yaml_fini(&yaml);
}

SPEC("leaves can be added while T1s have free ports; else bundles of links give cables away")
{
    struct size_request request = request_of(SIZE_CLOS, 100000, 800, 8, 2);
    struct size_fabric fabric = fabric_of(&request);
    struct size_growth growth;

    size_growth_find(&fabric, 10000, &growth);
    EXPECT(growth.keeps_cables);
    EXPECT_EQ(growth.free_places, 391 * 256 - 100000);
    EXPECT_EQ(growth.units, (10000 - 96 + 255) / 256);
    EXPECT_EQ(growth.free_units, 512 - 391);
    request.gpus = 16384;
    fabric = fabric_of(&request);
    size_growth_find(&fabric, 10000, &growth);
    EXPECT(!growth.keeps_cables);
    EXPECT(growth.keeps_tiers);
    /* 104 leaves: 4 links to each of 64 T1s, so half of 64 x 256 links of a plane move */
    EXPECT_EQ(growth.grown.tiers[1].parallel, 4);
    EXPECT_EQ(growth.cables_to_move, 8 * 64 * 32 * 4);
}
