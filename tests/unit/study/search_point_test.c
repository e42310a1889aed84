/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in search: topologies, and the runs of points. */
#include "study/search_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec.h"

static struct search_request *open_request(uint64_t gpus)
{
    struct search_request *request = calloc(1, sizeof(*request));
    const struct search_changes changes = { .gpus = gpus };

    EXPECT(search_file_read(request, NULL, &changes));
    return request;
}

static void close_request(struct search_request *request)
{
    search_file_fini(request);
    free(request);
}

/* Returns the index of an axis. */
static uint32_t axis_of(const struct search_request *request, const char *key)
{
    uint32_t index = 0;

    while (index < request->space.axis_count && strcmp(request->space.axes[index].key, key) != 0)
        index++;
    return index;
}

static bool read_plan(
    const struct search_request *request, struct search_point point, struct study_plan *plan)
{
    static const uint64_t seeds[] = { 5, 6 };

    return search_point_plan(request, &point, seeds, 2, plan);
}

SPEC("every topology is simulated as it was sized, and all have the same ranks")
{
    static const uint64_t sizes[] = { 16, 36, 50, 64 };

    for (int i = 0; i < 4; i++) {
        struct search_request *request = open_request(sizes[i]);

        for (uint32_t k = 0; k < request->topologies.count; k++) {
            const struct size_fabric *fabric = &request->topologies.at[k].fabric;
            struct study_plan plan;

            EXPECT(read_plan(request, (struct search_point){ .topology = k }, &plan));
            for (uint32_t run = 0; run < plan.run_count; run++) {
                const struct experiment *experiment = &plan.runs[run]->experiment;

                EXPECT_EQ(experiment->fabric.topology.switch_count, size_switches(fabric));
                EXPECT_EQ(experiment->fabric.topology.nic_count, fabric->places);
                EXPECT_EQ(experiment->sim.workloads[0].rank_count, sizes[i]);
            }
            study_plan_fini(&plan);
        }
        close_request(request);
    }
}

SPEC("runs are ordered by case, then by seed")
{
    struct search_request *request = open_request(16);
    struct study_plan plan;

    EXPECT(read_plan(request, (struct search_point){ 0 }, &plan));
    EXPECT_EQ(plan.run_count, 8);
    EXPECT_EQ(plan.runs[0]->experiment.sim.seed, 5);
    EXPECT_EQ(plan.runs[1]->experiment.sim.seed, 6);
    EXPECT(strcmp(plan.runs[1]->set_label, "pairs") == 0);
    EXPECT(strcmp(plan.runs[2]->set_label, "shuffle") == 0);
    study_plan_fini(&plan);
    close_request(request);
}

SPEC("a point has the values of its axes, and sizes of buffers in proportion to the rate")
{
    struct search_request *request = open_request(16);
    struct search_point point = { .topology = 3 }; /* two planes of 200 Gb/s */
    struct study_plan plan;
    json_t *settings;

    point.values[axis_of(request, "parameters.send_burst")] = 1;
    point.values[axis_of(request, "fabric.buffers.red_min")] = 1; /* 5 kB at 100 Gb/s */
    EXPECT_EQ(request->topologies.at[3].fabric.port_bps, UINT64_C(200000000000));
    EXPECT(read_plan(request, point, &plan));
    EXPECT_EQ(plan.runs[0]->experiment.sim.parameters.send_burst, 1);
    EXPECT_EQ(plan.runs[0]->experiment.fabric.topology.config.buffers.red_min_bytes, 10000);
    study_plan_fini(&plan);
    settings = search_point_settings(request, &point);
    EXPECT_EQ(json_object_size(settings), 2);
    EXPECT_EQ(json_integer_value(json_object_get(settings, "parameters.send_burst")), 1);
    json_decref(settings);
    close_request(request);
}

static json_t *run_of(const char *label, double goodput)
{
    return json_pack("{s:s,s:{s:f}}", "case", label, "summary", "goodput_fraction", goodput);
}

SPEC("an objective is the mean over its cases, and more goodput is less cost")
{
    struct search_request *request = open_request(16);
    const struct search_topology *topology = &request->topologies.at[0];
    json_t *runs[] = { run_of("pairs", 0.5), run_of("shuffle", 0.7), run_of("reboot", 0.1) };

    EXPECT(
        fabs(search_point_cost(request, &request->objectives[0], topology, runs, 3) + 0.6) < 1e-9);
    EXPECT(search_point_cost(request, &request->objectives[3], topology, runs, 3) > 0);
    EXPECT(isinf(search_point_cost(request, &request->objectives[1], topology, runs, 3)));
    for (int i = 0; i < 3; i++)
        json_decref(runs[i]);
    close_request(request);
}
