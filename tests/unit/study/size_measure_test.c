/* SPDX-License-Identifier: Apache-2.0 */
/* Small fabrics that stand for large ones, and failures that are simulated there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec.h"
#include "study/study.h"

#define GBPS UINT64_C(1000000000)

static struct size_fabric fabric_of(enum size_kind kind, uint64_t gpus, uint32_t planes)
{
    char reason[SIZE_REASON_BYTES] = "";
    struct size_fabric fabric = { 0 };
    struct size_request request;

    size_request_init(&request);
    request.kind = kind;
    request.gpus = gpus;
    request.planes = planes;
    EXPECT(size_solve(&request, &fabric, reason));
    EXPECT_STR_EQ(reason, "");
    return fabric;
}

static struct size_fabric small_of(const struct size_fabric *fabric)
{
    struct size_fabric small = { 0 };

    EXPECT(size_scale_down(fabric, &small));
    return small;
}

SPEC("a small fabric has the planes, tiers and rates of the large one, and fewer ports")
{
    struct size_fabric large = fabric_of(SIZE_CLOS, 131072, 8);
    struct size_fabric small = small_of(&large);

    EXPECT_EQ(small.places, 32);
    EXPECT_EQ(small.plane_count, 8);
    EXPECT_EQ(small.tier_count, 2);
    EXPECT_EQ(small.port_bps, large.port_bps);
    EXPECT_EQ(small.tiers[0].up_ports, 4);
    EXPECT_EQ(small.tiers[1].parallel, 1);
    EXPECT(size_scale_factor(&large, &small) == 4096);
}

SPEC("a small fabric is as oversubscribed as the large one")
{
    struct size_fabric large = fabric_of(SIZE_CLOS, 16384, 8);
    struct size_request request = large.request;
    char reason[SIZE_REASON_BYTES];
    struct size_fabric small;

    request.oversubscription = 3 * SIZE_EVEN;
    EXPECT(size_solve(&request, &large, reason));
    small = small_of(&large);
    EXPECT(size_oversubscription(&small) == 3);
}

SPEC("a fabric that is small enough stays, and a single switch keeps the ports that are used")
{
    struct size_fabric fabric = fabric_of(SIZE_CLOS, 5, 2);
    struct size_fabric small = small_of(&fabric);

    EXPECT_EQ(fabric.tier_count, 1);
    EXPECT_EQ(small.places, 5);
    EXPECT(size_scale_factor(&fabric, &small) == 1);
    fabric = fabric_of(SIZE_CLOS, 1, 2);
    small = small_of(&fabric);
    EXPECT_EQ(small.places, 2);
}

SPEC("of rails that are not connected, one is simulated")
{
    struct size_fabric large = fabric_of(SIZE_RAIL_ONLY, 16384, 1);
    struct size_fabric small = small_of(&large);

    EXPECT_EQ(large.plane_count, 8);
    EXPECT_EQ(small.plane_count, 1);
    EXPECT_EQ(small.tier_count, large.tier_count);
}

/* ---- as text --------------------------------------------------------------------------------- */

static char *text_of(const struct size_fabric *fabric)
{
    struct size_site site;
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);

    size_site_init(&site);
    EXPECT(size_text_write(to, fabric, &site, ", "));
    EXPECT_EQ(fclose(to), 0);
    return text;
}

SPEC("two tiers with single links are written without a shape, so that paths are computed")
{
    struct size_fabric fabric = fabric_of(SIZE_CLOS, 131072, 8);
    char *text = text_of(&fabric);

    EXPECT_STR_EQ(text, "planes: 8, t0s: 512, t1s: 256, hosts_per_t0: 256, "
                        "host_link: { rate: 100Gb/s, delay: 25ns }, "
                        "uplink: { rate: 100Gb/s, delay: 252ns }");
    free(text);
}

SPEC("parallel links and levels need a shape")
{
    struct size_fabric fabric = fabric_of(SIZE_CLOS, 16384, 8);
    char *text = text_of(&fabric);

    EXPECT(strstr(text, "shape: clos, planes: 8, ") == text);
    EXPECT(strstr(text, "leaf_links: 8") != NULL);
    free(text);
    fabric = fabric_of(SIZE_ZCUBE, 1024, 1);
    text = text_of(&fabric);
    EXPECT(strstr(text, "shape: zcube, n: 32, ") == text);
    free(text);
}

/* ---- simulations ----------------------------------------------------------------------------- */

struct bench {
    struct job *job;
    struct size_site site;
    struct size_measure *measure;
    struct study_contender_choice choice;
};

static void bench_init(struct bench *bench)
{
    json_t *json = json_loads(job_file_default, 0, NULL);
    char reason[STUDY_CONTENDER_REASON_BYTES];
    char problem[JOB_FILE_REASON_BYTES];

    bench->job = malloc(sizeof(*bench->job));
    bench->measure = calloc(1, sizeof(*bench->measure));
    bench->choice = (struct study_contender_choice){ 0 };
    EXPECT(job_file_read(json, bench->job, problem));
    EXPECT(study_contender_choose(&bench->choice, "mrc", reason));
    size_site_init(&bench->site);
    json_decref(json);
}

static void bench_fini(struct bench *bench)
{
    size_measure_fini(bench->measure);
    free(bench->measure);
    free(bench->job);
}

static bool bench_read(struct bench *bench, const struct size_fabric *fabric)
{
    return size_measure_read(bench->measure, &bench->choice, fabric, &bench->site, bench->job);
}

SPEC("every shape has an experiment that can be read, with a run for each element and tier")
{
    static const struct {
        enum size_kind kind;
        uint64_t gpus;
        uint32_t planes;
        uint32_t scenes;
    } shapes[] = {
        { SIZE_CLOS, 131072, 8, 7 },         /* link, uplink, T0, T1, two modules, power */
        { SIZE_CLOS, 60000, 1, 9 },          /* three tiers */
        { SIZE_CLOS, 1000000, 1, 11 },       /* four */
        { SIZE_CLOS, 1, 8, 5 },              /* one switch */
        { SIZE_RAIL_OPTIMISED, 8192, 1, 9 }, /* three tiers at 800 Gb/s */
        { SIZE_RAIL_ONLY, 16384, 1, 7 },
        { SIZE_ZCUBE, 4096, 1, 7 },
        { SIZE_INFINIBAND, 8192, 1, 9 },
    };

    for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        struct size_fabric fabric = fabric_of(shapes[i].kind, shapes[i].gpus, shapes[i].planes);
        struct bench bench;

        bench_init(&bench);
        EXPECT(bench_read(&bench, &fabric));
        EXPECT_STR_EQ(bench.measure->problem, "");
        EXPECT_EQ(bench.measure->scene_count, shapes[i].scenes);
        EXPECT(bench.measure->run_count > shapes[i].scenes);
        bench_fini(&bench);
    }
}

static void count_runs(void *context, const struct size_measure *measure)
{
    *(uint32_t *)context = measure->done_count;
}

static void complain(const char *problem)
{
    EXPECT_STR_EQ(problem, "");
}

SPEC("failures of 8 NICs with two planes take what was calculated, from the NICs that they affect")
{
    static const volatile sig_atomic_t never = 0;
    struct study_manner manner = {
        .jobs = 2, .threads = 1, .is_interrupted = &never, .complain = complain
    };
    struct size_fabric fabric = fabric_of(SIZE_CLOS, 8, 2);
    struct size_request request = fabric.request;
    char reason[SIZE_REASON_BYTES];
    struct bench bench;
    uint32_t seen = 0;

    request.nic_bps = 200 * GBPS;
    request.switch_bps = 400 * GBPS;
    request.tiers = 2;
    EXPECT(size_solve(&request, &fabric, reason));
    bench_init(&bench);
    EXPECT(bench_read(&bench, &fabric));
    EXPECT(size_measure_run(bench.measure, &manner, count_runs, &seen));
    EXPECT_EQ(seen, bench.measure->run_count);
    for (uint32_t i = 0; i < bench.measure->scene_count; i++) {
        const struct size_scene *scene = &bench.measure->scenes[i];

        EXPECT(fabs(bench.measure->results[0][i].share - scene->share) < 0.03);
        EXPECT(fabs(bench.measure->results[0][i].others) < 0.02);
    }
    bench_fini(&bench);
}
