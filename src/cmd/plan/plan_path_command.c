/* SPDX-License-Identifier: Apache-2.0 */
/* mrc plan path: prints every path between two NICs, with its hops, uSIDs, address, rate and
 * delay. */
#include <arpa/inet.h>
#include <assert.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "cmd/options.h"
#include "cmd/plan/plan_verbs.h"
#include "files/files.h"

static const char name[] = "plan path";

enum { ROUTES_MAX = GRAPH_PLANES_MAX * TOPOLOGY_RADIX_MAX };

struct options {
    const char *file;
    const char *from;
    const char *to;
    uint32_t detour;
    bool has_detour;
    bool as_json;
};

struct view {
    struct yaml yaml;
    struct plan fabric;
    uint32_t from;
    uint32_t to;
    struct plan_route *routes;
    uint32_t route_count;
    uint32_t least; /* switches on the shortest way in a graph, even if it is not a path */
};

static enum cmd_status take_detour(void *to, char *text)
{
    struct options *options = to;
    const char *at = text;

    options->has_detour = true;
    if (scan_u32(&at, &options->detour) && !*at && options->detour <= PLAN_DETOUR_MAX)
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, name, "--detour takes 0, 1 or 2 switches");
}

static const struct option_row rows[] = {
    { OPTION_TEXT, 'f', "fabric", "FILE", "the fabric file (default: fabric.yaml)",
        OPTION_AT(struct options, file) },
    { OPTION_CALL, 'd', "detour", "SWITCHES",
        "paths pass up to SWITCHES more switches than the shortest, 0 to 2\n"
        "(default: as in the file)",
        .read = take_detour, .values = OPTION_VALUES_NONE },
    { OPTION_FLAG, 'j', "json", NULL, "print JSON", OPTION_AT(struct options, as_json) },
};

static const struct option_table table = {
    .command = name,
    .intro =
        "usage: mrc plan path [-f FABRIC] [-d SWITCHES] [-j] FROM TO\n"
        "\n"
        "Prints every path from one NIC to another, e.g. h3 h77: EV, rate, delay of a full packet "
        "in an\n"
        "empty network, outer address, and the nodes of the path.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

/* ---- the fabric ------------------------------------------------------------------------------ */

static enum cmd_status find_nic(const struct view *view, const char *word, uint32_t *nic)
{
    const char *at = word;

    assert(word);
    if (scan_word(&at, "h") && scan_u32(&at, nic) && !*at && *nic < view->fabric.topology.nic_count)
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, name, "no NIC '%s': this fabric has h0 to h%u", word,
        view->fabric.topology.nic_count - 1);
}

static enum cmd_status load_fabric(struct view *view, const struct options *options)
{
    const struct yaml_node *top = fabric_file_load(&view->yaml, options->file);

    if (!top || !fabric_file_read(&view->yaml, top, &view->fabric))
        return cmd_complain(CMD_MISUSED, name, "%s", view->yaml.problem);
    if (options->has_detour && !view->fabric.topology.graph)
        return cmd_complain(CMD_MISUSED, name, "--detour: this fabric has only shortest paths");
    if (options->has_detour)
        view->fabric.graph.detour = options->detour;
    if (find_nic(view, options->from, &view->from) != CMD_DONE ||
        find_nic(view, options->to, &view->to) != CMD_DONE)
        return CMD_MISUSED;
    if (view->from == view->to)
        return cmd_complain(CMD_MISUSED, name, "%s is given twice; name two NICs", options->from);
    return CMD_DONE;
}

static bool find_routes(struct view *view)
{
    uint32_t *scratch = calloc(plan_pair_scratch(&view->fabric) + 1, sizeof(*scratch));

    view->routes = calloc(ROUTES_MAX, sizeof(*view->routes));
    if (view->routes && scratch)
        view->route_count = plan_pair_routes(
            &view->fabric, view->from, view->to, scratch, view->routes, ROUTES_MAX);
    view->least = GRAPH_NONE;
    if (scratch && view->fabric.topology.graph)
        view->least = plan_graph_least(&view->fabric.graph, view->from, view->to, scratch);
    free(scratch);
    return view->routes && scratch;
}

static void node_name(const struct view *view, uint32_t node, char out[static TOPOLOGY_NAME_BYTES])
{
    plan_pair_name(&view->fabric, node, out);
}

static const char *layout_words(const struct view *view)
{
    return plan_layout_words[view->fabric.graph.layout];
}

/* ---- what is printed ------------------------------------------------------------------------- */

static void print_hops(const struct view *view, const struct plan_route *route)
{
    char node[TOPOLOGY_NAME_BYTES];

    for (uint32_t i = 0; i <= route->switch_count; i++) {
        node_name(view, route->hops[i].node, node);
        printf(" %s", node);
    }
    node_name(view, view->to, node);
    printf(" %s\n", node);
}

static void print_table(const struct view *view)
{
    printf("uSIDs in %s; %u paths from h%u to h%u\n", layout_words(view), view->route_count,
        view->from, view->to);
    printf("%-10s %9s %10s  %-40s %s\n", "EV", "Gb/s", "us", "ADDRESS", "HOPS");
    for (uint32_t i = 0; i < view->route_count; i++) {
        const struct plan_route *route = &view->routes[i];
        char text[INET6_ADDRSTRLEN];

        inet_ntop(AF_INET6, route->outer.octets, text, sizeof(text));
        printf("0x%08x %9.1f %10.3f  %-39s ", route->ev, (double)route->rate_bps / 1e9,
            (double)route->one_way_ps / 1e6, text);
        print_hops(view, route);
        if (plan_route_srh_bytes(route) == 0)
            continue;
        inet_ntop(AF_INET6, route->segment.octets, text, sizeof(text));
        printf("%-32s%s in an SRH\n", "", text);
    }
}

static json_t *route_json(const struct view *view, const struct plan_route *route)
{
    json_t *hops = json_array();
    json_t *usids = json_array();
    char text[INET6_ADDRSTRLEN];
    char segment[INET6_ADDRSTRLEN];

    for (uint32_t i = 0; i <= route->switch_count + 1; i++) {
        char node[TOPOLOGY_NAME_BYTES];

        node_name(view, i <= route->switch_count ? route->hops[i].node : view->to, node);
        json_array_append_new(hops, json_string(node));
    }
    for (uint32_t i = 0; i < route->usid_count; i++) {
        char usid[8];

        snprintf(usid, sizeof(usid), "%04x", route->usids[i]);
        json_array_append_new(usids, json_string(usid));
    }
    inet_ntop(AF_INET6, route->outer.octets, text, sizeof(text));
    inet_ntop(AF_INET6, route->segment.octets, segment, sizeof(segment));
    return json_pack("{s:I,s:I,s:I,s:s,s:s*,s:o,s:o}", "ev", (json_int_t)route->ev, "rate_bps",
        (json_int_t)route->rate_bps, "one_way_ps", (json_int_t)route->one_way_ps, "address", text,
        "segment", plan_route_srh_bytes(route) ? segment : NULL, "usids", usids, "hops", hops);
}

static void print_json(const struct view *view)
{
    json_t *paths = json_array();
    json_t *all;

    for (uint32_t i = 0; i < view->route_count; i++)
        json_array_append_new(paths, route_json(view, &view->routes[i]));
    all = json_pack("{s:i,s:i,s:s,s:o}", "from", (int)view->from, "to", (int)view->to, "usids",
        layout_words(view), "paths", paths);
    json_dumpf(all, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(all);
}

static enum cmd_status show_paths(struct view *view, const struct options *options)
{
    if (!find_routes(view))
        return cmd_complain(CMD_FAILED, name, "out of memory");
    if (options->as_json)
        print_json(view);
    else
        print_table(view);
    if (view->route_count == 0 && view->least != GRAPH_NONE)
        return cmd_complain(CMD_FAILED, name,
            "no path from %s to %s: the shortest passes %u switches; an address and an SRH have "
            "room "
            "for %d",
            options->from, options->to, view->least, PLAN_SWITCHES_MAX);
    if (view->route_count == 0)
        return cmd_complain(CMD_FAILED, name, "no path from %s to %s", options->from, options->to);
    return CMD_DONE;
}

static enum cmd_status plan_path(int argument_count, char **arguments)
{
    struct options options = { .file = "fabric.yaml" };
    struct view view = { 0 };
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (argument_count - optind != 2)
        return cmd_complain(CMD_MISUSED, name, "name two NICs, e.g. h3 h77");
    options.from = arguments[optind];
    options.to = arguments[optind + 1];
    yaml_init(&view.yaml);
    status = load_fabric(&view, &options);
    if (status == CMD_DONE)
        status = show_paths(&view, &options);
    free(view.routes);
    yaml_fini(&view.yaml);
    return status;
}

const struct cmd plan_path_command = {
    .name = "path",
    .summary = "show every path from one NIC to another",
    .run = plan_path,
    .options = &table,
};
