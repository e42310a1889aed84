/* SPDX-License-Identifier: Apache-2.0 */
/* Random fabrics in Wireshark: the dissector names hops and EVs as the plan does. */
#include "graph_random.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "pktio/pktio.h"
#include "wire/frame.h"

enum {
    FABRICS = 1000,
    BLOCKS_OF_FABRIC = 16,
    PATHS_OF_FABRIC = 4,
    FOLDER_BYTES = 64,
    LINE_BYTES = 4096,
};

/* The files of a run of tshark: packets of all fabrics, their plans, and the lines to expect. */
struct sample {
    char folder[FOLDER_BYTES];
    FILE *packets;
    FILE *plans;
    FILE *expected;
    struct pcapng pcapng;
    uint32_t interface;
};

static FILE *create(const struct sample *sample, const char *name)
{
    char path[FOLDER_BYTES + 16];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", sample->folder, name);
    file = fopen(path, "w+");
    EXPECT(file != NULL);
    return file;
}

static void begin_sample(struct sample *sample)
{
    strcpy(sample->folder, "/tmp/graph-dissector-XXXXXX");
    EXPECT(mkdtemp(sample->folder) != NULL);
    sample->packets = create(sample, "packets");
    sample->plans = create(sample, "plans");
    sample->expected = create(sample, "expected");
    EXPECT_EQ(pcapng_init(&sample->pcapng, sample->packets, "graph_dissector_test"), 0);
    EXPECT_EQ(
        pcapng_add_interface(&sample->pcapng, "all", LINK_TYPE_RAW_IP, &sample->interface), 0);
}

static void end_sample(const struct sample *sample)
{
    char command[FOLDER_BYTES + 16];

    snprintf(command, sizeof(command), "rm -r %s", sample->folder);
    EXPECT_EQ(system(command), 0);
}

/* ---- a fabric -------------------------------------------------------------------------------- */

struct random_plan {
    struct graph_bench bench;
    struct plan plan;
    bool has_graph;
};

static void draw_two_tiers(struct topology_config *config, struct prng *prng)
{
    config->plane_count = 1 + prng_below(prng, TOPOLOGY_PLANES_MAX);
    config->t0_count = 1 + prng_below(prng, 4);
    config->t1_count = 1 + prng_below(prng, 8);
    config->hosts_per_t0 = 1 + prng_below(prng, 4);
    config->radix = prng_below(prng, 2) ? 1024 : 0;
}

static void draw_plan(struct random_plan *out, uint64_t seed)
{
    struct prng prng = prng_stream(seed, 6);
    struct topology_problem problem;
    struct topology_config config;

    topology_config_init(&config);
    config.usid_block = 0xfc000000 + (uint32_t)seed * BLOCKS_OF_FABRIC;
    out->has_graph = prng_below(&prng, 5) > 0;
    if (!out->has_graph) {
        draw_two_tiers(&config, &prng);
        EXPECT(plan_init(&out->plan, &config, NULL, &problem));
        return;
    }
    graph_random(&out->bench, &prng);
    EXPECT(plan_init_graph(&out->plan, &config, &out->bench.graph, prng_below(&prng, 2),
        out->bench.scratch, &problem));
}

static void add_names(struct sample *sample, const struct plan *plan)
{
    struct config_source source;

    EXPECT(config_source_init(&source, plan, ""));
    config_format_find("wireshark")->files[0].write(&source, 0, sample->plans);
    config_source_fini(&source);
}

/* ---- a path ---------------------------------------------------------------------------------- */

/* Writes a NACK about a packet of the same EV. */
static void add_packet(
    struct sample *sample, const struct plan *plan, uint32_t to, const struct plan_route *route)
{
    struct wire_format format = format_default;
    struct frame frame = { .inner = { .dst = plan_nic_address(plan, to) },
        .packet = { .opcode = OPCODE_NACK, .class = DSCP_CONTROL, .ev = route->ev } };
    uint8_t bytes[FRAME_HEADER_BYTES_MAX + 64];
    uint32_t length;

    plan_ev_format(plan, &format);
    frame.packet.nack.entropy = route->ev;
    frame_address(&format, &frame, &route->outer,
        ip_address_is_zero(&route->segment) ? NULL : &route->segment);
    length = frame_build(&format, &frame, bytes, sizeof(bytes));
    EXPECT(length > 0);
    frame_seal(&frame, bytes);
    EXPECT_EQ(pcapng_add_packet(&sample->pcapng, &(struct pcapng_packet){ .bytes = bytes,
                                                     .captured_bytes = length,
                                                     .original_bytes = length,
                                                     .interface = sample->interface }),
        0);
}

/* Over four tiers, an address names no switch between the highest and the last. */
static uint32_t named_hop(const struct plan_route *route, uint32_t number)
{
    return number + 2 < route->usid_count ? number + 1 : route->switch_count;
}

/* Writes what tshark is to print: hops of the address, of the SRH, EV, plane, uplink, info. */
static void expect_line(
    struct sample *sample, const struct plan *plan, uint32_t to, const struct plan_route *route)
{
    struct ev_path path = plan_ev_path(plan, route->ev);
    char name[TOPOLOGY_NAME_BYTES];
    char ev[PLAN_EV_NAME_BYTES];

    for (uint32_t i = 0; i < route->usid_count; i++) {
        bool is_nic = i + 1 == route->usid_count;

        plan_pair_name(plan, is_nic ? to : route->hops[named_hop(route, i)].node, name);
        fprintf(sample->expected, "%s%s", i == USID_COUNT_MAX ? "\t" : i ? " " : "", name);
    }
    plan_ev_name(path, ev);
    fprintf(sample->expected,
        "%s\t0x%08x\t%u\t%u\tNACK reason 0x00 PSN 0x000000 QP 0x0 EV %s on %s\n",
        route->usid_count > USID_COUNT_MAX ? "" : "\t", route->ev, path.plane, path.uplink, ev, ev);
}

static void add_fabric(struct sample *sample, uint64_t seed)
{
    static struct random_plan drawn;
    struct prng prng = prng_stream(seed, 7);
    struct plan_route *routes = drawn.bench.routes;
    uint32_t from;
    uint32_t to;
    uint32_t count;

    draw_plan(&drawn, seed);
    add_names(sample, &drawn.plan);
    from = prng_below(&prng, drawn.plan.topology.nic_count);
    to = prng_below(&prng, drawn.plan.topology.nic_count);
    count = plan_pair_routes(&drawn.plan, from, to, drawn.has_graph ? drawn.bench.scratch : NULL,
        routes, GRAPH_BENCH_ROUTES);
    count = count < GRAPH_BENCH_ROUTES ? count : GRAPH_BENCH_ROUTES;
    for (uint32_t i = 0; i < PATHS_OF_FABRIC && count > 0; i++) {
        const struct plan_route *route = &routes[prng_below(&prng, count)];

        add_packet(sample, &drawn.plan, to, route);
        expect_line(sample, &drawn.plan, to, route);
    }
    if (drawn.has_graph)
        graph_bench_fini(&drawn.bench);
}

/* ---- tshark ---------------------------------------------------------------------------------- */

static FILE *start_tshark(const struct sample *sample)
{
    char command[1024];

    snprintf(command, sizeof(command),
        "HOME=%s XDG_CONFIG_HOME=%s tshark -r %s/packets -X lua_script:dissector/mrc.lua "
        "-o mrc.plan:%s/plans -o mrc.check_icrc:FALSE -o udp.try_heuristic_first:TRUE -T fields "
        "-E aggregator=/s -e mrc.hop -e mrc.srh.hop -e mrc.ev -e mrc.plane -e mrc.uplink "
        "-e _ws.col.Info 2>%s/messages",
        sample->folder, sample->folder, sample->folder, sample->folder, sample->folder);
    return popen(command, "r");
}

static void expect_lines(FILE *shown, FILE *expected)
{
    char wanted[LINE_BYTES];
    char line[LINE_BYTES];
    uint32_t count = 0;

    rewind(expected);
    for (; fgets(wanted, sizeof(wanted), expected); count++) {
        EXPECT(fgets(line, sizeof(line), shown) != NULL);
        EXPECT_STR_EQ(line, wanted);
    }
    EXPECT(fgets(line, sizeof(line), shown) == NULL);
    EXPECT_GT(count, 2 * FABRICS);
}

SPEC("the dissector shows the hops and EVs of 1,000 random fabrics as the plan names them")
{
    static struct sample sample;
    FILE *shown;

    if (system("command -v tshark >/dev/null") != 0)
        SKIP("tshark is not installed");
    if (access("dissector/mrc.lua", R_OK) != 0)
        SKIP("dissector/mrc.lua is not below the working directory");
    begin_sample(&sample);
    for (uint64_t seed = 1; seed <= FABRICS; seed++)
        add_fabric(&sample, seed);
    fclose(sample.packets);
    fclose(sample.plans);
    shown = start_tshark(&sample);
    EXPECT(shown != NULL);
    expect_lines(shown, sample.expected);
    EXPECT_EQ(pclose(shown), 0);
    fclose(sample.expected);
    end_sample(&sample);
}
