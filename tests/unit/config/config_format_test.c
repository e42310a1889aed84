/* SPDX-License-Identifier: Apache-2.0 */
/* All formats: what their files have in common, uSIDs, and the effect of one link. */
#include "config/config_format.h"

#include "config_bench.h"
#include "files/files.h"
#include "graph_bench.h"

/* ---- uSIDs ----------------------------------------------------------------------------------- */

enum { SWITCHES_MAX = 128 };

struct own {
    uint32_t block;
    uint32_t usid;
};

/* Checks that no two switches have a uSID in common, that no switch has a route twice, and that
 * none has a route for its own uSID. Reads the scripts for Linux. */
static void expect_unique(const struct config_source *source)
{
    static struct own own[SWITCHES_MAX];
    uint32_t own_count = 0;

    for (uint32_t node = 0; node < source->plan->topology.switch_count; node++) {
        struct config_bench bench = { .job = { .source = *source } };
        char *text = config_bench_text(&bench, &config_format_find("linux")->files[0], node);
        static bool has_route[65536];
        unsigned int high = 0;
        unsigned int low = 0;
        unsigned int usid;

        memset(has_route, 0, sizeof(has_route));
        EXPECT_EQ(sscanf(strstr(text, "block="), "block=%x:%x", &high, &low), 2);
        for (const char *at = text; (at = strstr(at, "\nown ")) != NULL; at++) {
            EXPECT_EQ(sscanf(at, "\nown %x", &usid), 1);
            EXPECT(usid != 0);
            for (uint32_t i = 0; i < own_count; i++)
                EXPECT(own[i].block != (high << 16 | low) || own[i].usid != usid);
            own[own_count++] = (struct own){ high << 16 | low, usid };
            has_route[usid] = true;
        }
        for (const char *at = text; (at = strstr(at, "\nroute ")) != NULL; at++) {
            EXPECT_EQ(sscanf(at, "\nroute %x", &usid), 1);
            EXPECT(!has_route[usid]);
            has_route[usid] = true;
        }
        free(text);
    }
    EXPECT(own_count >= source->plan->topology.switch_count);
}

SPEC("each uSID is unique: among switches of a block, and among the routes of a switch")
{
    static const uint32_t planes[] = { 1, 2, 8, 9, 16 };

    for (uint32_t i = 0; i < sizeof(planes) / sizeof(planes[0]); i++) {
        struct config_bench bench;

        config_bench_start(&bench, planes[i], NULL);
        expect_unique(&bench.job.source);
        config_bench_stop(&bench);
    }
}

SPEC("each uSID of a graph with parallel links is unique")
{
    struct graph_clos clos = { .plane_count = 2,
        .tier_count = 3,
        .units = { 2, 2, 2 },
        .tops = { 0, 2, 2 },
        .parallel = { 0, 2, 1 },
        .host_link = graph_bench_link,
        .uplink = graph_bench_link };
    struct topology_problem problem;
    struct topology_config config;
    struct config_source source;
    struct graph_bench graph;
    struct plan plan;

    graph_bench_clos(&graph, &clos);
    topology_config_init(&config);
    EXPECT(plan_init_graph(&plan, &config, &graph.graph, 0, graph.scratch, &problem));
    EXPECT(config_source_init(&source, &plan, ""));
    expect_unique(&source);
    config_source_fini(&source);
    graph_bench_fini(&graph);
}

/* ---- one link -------------------------------------------------------------------------------- */

/* Returns the number of lines of `text` that `other` does not have. */
static uint32_t lines_without(const char *text, const char *other)
{
    uint32_t count = 0;

    while (*text) {
        size_t length = strcspn(text, "\n");
        const char *at = memmem(other, strlen(other), text, length);

        while (at && ((at > other && at[-1] != '\n') || (at[length] && at[length] != '\n')))
            at = memmem(at + 1, strlen(at + 1), text, length);
        count += !at;
        text += length + (text[length] == '\n');
    }
    return count;
}

SPEC("a link that is removed changes only the files of the two switches at its ends")
{
    struct config_bench whole;
    struct config_bench less;

    config_bench_start(&whole, 2, NULL);
    config_bench_start(&less, 2, "p1.t0.0-t1.1");
    for (uint32_t i = 0; config_formats[i]; i++) {
        const struct config_format *format = config_formats[i];

        for (uint32_t node = 0;
             format->scope == CONFIG_OF_SWITCH && node < whole.plan.topology.switch_count; node++) {
            const struct config_file *file = &format->files[0];
            char *before = config_bench_text(&whole, file, node);
            char *after = config_bench_text(&less, file, node);
            bool is_end = node == 4 || node == 7; /* p1.t0.0, p1.t1.1 */

            EXPECT_EQ(strcmp(before, after) != 0, is_end);
            EXPECT(lines_without(before, after) <= (is_end ? 8 : 0));
            EXPECT(lines_without(after, before) <= (is_end ? 8 : 0));
            free(before);
            free(after);
        }
    }
    config_bench_stop(&whole);
    config_bench_stop(&less);
}

SPEC("a script for Linux loses the port, the route and the queue of a removed link")
{
    struct config_bench whole;
    struct config_bench less;
    const struct config_file *file = &config_format_find("linux")->files[0];
    char *before;
    char *after;

    config_bench_start(&whole, 2, NULL);
    config_bench_start(&less, 2, "p1.t0.0-t1.1");
    before = config_bench_text(&whole, file, 4);
    after = config_bench_text(&less, file, 4);
    EXPECT_EQ(lines_without(before, after), 3);
    EXPECT_EQ(lines_without(after, before), 0);
    EXPECT(strstr(before, "\nroute 2801 u1\n") && !strstr(after, "\nroute 2801 u1\n"));
    free(before);
    free(after);
    config_bench_stop(&whole);
    config_bench_stop(&less);
}

SPEC("a missing link is denied at NICs: own links to all, others to their leaf")
{
    const struct config_file *file = &config_format_find("nic")->files[1];
    struct config_bench bench;
    char *text;

    config_bench_start(&bench, 2, "p1.t0.0-t1.1");
    text = config_bench_text(&bench, file, 0);
    EXPECT(strstr(text, "\n    { -1, -1, 1, 1 },\n"));
    free(text);
    text = config_bench_text(&bench, file, 3);
    EXPECT(strstr(text, "\n    { 0, -1, 1, 1 },\n"));
    free(text);
    config_bench_stop(&bench);
    config_bench_start(&bench, 2, "h3.p1");
    text = config_bench_text(&bench, file, 0);
    EXPECT(strstr(text, "\n    { 1, 1, 1, -1 },\n"));
    free(text);
    config_bench_stop(&bench);
}

/* ---- titles ---------------------------------------------------------------------------------- */

SPEC("the first lines of a file, or of the text beside JSON, say how its format was checked")
{
    struct config_bench bench;

    config_bench_start(&bench, 2, NULL);
    for (uint32_t i = 0; config_formats[i]; i++)
        for (const struct config_file *file = config_formats[i]->files; file->name; file++) {
            char *text = config_bench_text(&bench, file, 0);

            EXPECT(strstr(file->name, ".json") || strstr(text, " Checked: "));
            free(text);
        }
    config_bench_stop(&bench);
}

SPEC("routers are warned of uSIDs in the range of local functions, from plane 7 on")
{
    const struct config_file *file = &config_format_find("frr")->files[0];
    struct config_bench bench;
    char *text;

    config_bench_start(&bench, 8, NULL);
    text = config_bench_text(&bench, file, 6 * 4);
    EXPECT(!strstr(text, "Warning"));
    free(text);
    text = config_bench_text(&bench, file, 7 * 4);
    EXPECT(strstr(text, "! Warning: some uSIDs are 0xe000 or more"));
    free(text);
    config_bench_stop(&bench);
}

/* ---- files that can be read back ------------------------------------------------------------- */

SPEC("a containerlab file is YAML and lists each cable once")
{
    struct config_bench bench;
    const struct yaml_node *links;
    struct yaml_node *top;
    struct yaml yaml;
    char *text;

    config_bench_start(&bench, 2, "p1.t0.0-t1.1");
    text = config_bench_text(&bench, &config_format_find("containerlab")->files[0], 0);
    yaml_init(&yaml);
    top = yaml_parse(&yaml, "fabric.clab.yml", text, strlen(text), true);
    EXPECT(top);
    links = yaml_member(yaml_member(top, "topology"), "links");
    EXPECT_EQ(links->child_count, 8 + 8 - 1);
    EXPECT_EQ(yaml_member(yaml_member(top, "topology"), "nodes")->child_count, 4 + 8);
    yaml_fini(&yaml);
    free(text);
    config_bench_stop(&bench);
}

SPEC("a file for mrc switch has the plan of the fabric, with the links of its switch")
{
    static const uint32_t ends[] = { 4, 7 };
    struct config_bench bench;

    config_bench_start(&bench, 2, "p1.t0.0-t1.1");
    for (uint32_t i = 0; i < 2; i++) {
        char *text =
            config_bench_text(&bench, &config_format_find("mrc-switch")->files[0], ends[i]);
        struct config_switch_diff diff;
        struct config_source source;
        struct config_switch before;
        struct config_switch after;
        struct plan plan;
        struct yaml yaml;

        yaml_init(&yaml);
        EXPECT(fabric_file_read(
            &yaml, yaml_parse(&yaml, "switch.yaml", text, strlen(text), true), &plan));
        EXPECT(config_source_init(&source, &plan, text));
        config_switch_of(&source, ends[i], &before);
        config_switch_of(&bench.job.source, ends[i], &after);
        config_diff_switch(&before, &after, &diff);
        for (uint32_t step = 0; step < CONFIG_STEP_COUNT; step++)
            EXPECT_EQ(diff.steps[step].count, 0);
        config_source_fini(&source);
        yaml_fini(&yaml);
        free(text);
    }
    config_bench_stop(&bench);
}
