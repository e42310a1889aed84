/* SPDX-License-Identifier: Apache-2.0 */
/* Builds and removes a namespace fabric. */
#include "lab/netns.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "lab/devices.h"
#include "lab/netns_batch.h"
#include "lab/netns_plan.h"
#include "lab/netns_visit.h"
#include "lab/slow_graph.h"

/* ---- settings of a namespace ----------------------------------------------------------------- */

struct setting {
    const char *file; /* below /proc/sys/net/ipv6/conf */
    const char *value;
};

/* Interfaces on which our own programs receive do not need the IPv6 of the kernel. `default`
 * applies to interfaces that are created later: lo keeps its IPv6. */
static const struct setting quiet[] = {
    { "default/disable_ipv6", "1" },
    { NULL, NULL },
};

static const struct setting forwards[] = {
    { "all/forwarding", "1" },
    { "all/seg6_enabled", "1" },
    { "default/seg6_enabled", "1" },
    { "default/accept_dad", "0" },
    { "default/accept_ra", "0" },
    { NULL, NULL },
};

static int apply_setting(const struct setting *setting)
{
    char path[128];
    size_t length = strlen(setting->value);
    int fd;
    int err = 0;

    snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s", setting->file);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (write(fd, setting->value, length) != (ssize_t)length)
        err = -errno;
    close(fd);
    return err;
}

static int apply_settings(const char *space, const struct setting *settings)
{
    struct netns_visit visit;
    int err = netns_visit_begin(&visit, space);

    if (err)
        return err;
    while (settings->file && !err)
        err = apply_setting(settings++);
    netns_visit_end(&visit);
    return err;
}

/* ---- all namespaces -------------------------------------------------------------------------- */

enum node_kind {
    NODE_HOST,
    NODE_SWITCH,
    NODE_MANAGEMENT,
};

struct node {
    enum node_kind kind;
    uint32_t index;
    char space[NETNS_NAME_BYTES];
};

typedef int (*visitor)(const struct netns *, const struct node *);

static int for_each(const struct netns *netns, visitor visit)
{
    struct node node = { .kind = NODE_HOST };
    int err = 0;

    for (uint32_t i = 0; i < netns->fabric->topology.nic_count && !err; i++) {
        node.index = i;
        netns_name_of_nic(netns->prefix, i, node.space);
        err = visit(netns, &node);
    }
    node.kind = NODE_SWITCH;
    for (uint32_t i = 0; i < netns->fabric->topology.switch_count && !err; i++) {
        node.index = i;
        netns_name_of_switch(&netns->fabric->topology, netns->prefix, i, node.space);
        err = visit(netns, &node);
    }
    if (err)
        return err;
    node.kind = NODE_MANAGEMENT;
    netns_name_of_management(netns->prefix, node.space);
    return visit(netns, &node);
}

static int prepare_node(const struct netns *netns, const struct node *node)
{
    return apply_settings(
        node->space, node->kind == NODE_SWITCH && netns->is_kernel ? forwards : quiet);
}

static int furnish_node(const struct netns *netns, const struct node *node)
{
    struct netns_visit visit;
    struct netns_batch batch;
    int err = netns_visit_begin(&visit, node->space);

    if (err)
        return err;
    err = netns_batch_begin(&batch);
    if (!err) {
        if (node->kind == NODE_HOST)
            netns_plan_host(netns, node->index, batch.lines);
        else if (node->kind == NODE_SWITCH)
            netns_plan_switch(netns, node->index, batch.lines);
        else
            netns_plan_management(netns, batch.lines);
        err = netns_batch_end(&batch);
    }
    netns_visit_end(&visit);
    return err;
}

static int check_node(const struct netns *netns, const struct node *node)
{
    struct netns_visit visit;
    int err = netns_visit_begin(&visit, node->space);

    (void)netns;
    if (!err)
        netns_visit_end(&visit);
    return err;
}

/* ---- devices --------------------------------------------------------------------------------- */

static void port_address(
    const void *context, uint32_t nic, uint32_t plane, char out[static DEVICES_ADDRESS_BYTES])
{
    const struct netns *netns = context;
    struct topology_end peer;
    char mac[CONFIG_PORT_MAC_BYTES] = "";

    if (topology_peer(&netns->fabric->topology,
            (struct topology_end){ .is_nic = true, .node = nic, .port = plane }, &peer))
        config_port_mac(peer, mac);
    snprintf(out, DEVICES_ADDRESS_BYTES, "raw:p%u?peer=%s", plane, mac);
}

static int make_devices(const struct netns *netns)
{
    struct plan scaled = *netns->fabric;
    struct graph *graph = NULL;
    uint32_t first_device;
    int err;

    if (scaled.topology.graph) {
        graph = slow_graph_copy(scaled.topology.graph, netns->slower);
        if (!graph)
            return -ENOMEM;
        scaled.topology.graph = graph;
    }
    scaled.topology.config.host_link.rate_bps /= netns->slower;
    scaled.topology.base_rtt_ps *= netns->slower;
    err = devices_make(&(struct devices){ .fabric = &scaled,
                           .weighed = netns->fabric,
                           .root = netns->root,
                           .name = netns->prefix,
                           .port_address = port_address,
                           .context = netns },
        &first_device);
    free(graph);
    return err;
}

/* ---- the whole fabric ------------------------------------------------------------------------ */

static int run_plan(const struct netns *netns, void (*plan)(const struct netns *, FILE *))
{
    struct netns_batch batch;
    int err = netns_batch_begin(&batch);

    if (err)
        return err;
    plan(netns, batch.lines);
    return netns_batch_end(&batch);
}

int netns_build(const struct netns *netns)
{
    int err = run_plan(netns, netns_plan_spaces);

    if (!err)
        err = for_each(netns, prepare_node);
    if (!err)
        err = run_plan(netns, netns_plan_cables);
    if (!err)
        err = for_each(netns, furnish_node);
    return err ? err : make_devices(netns);
}

int netns_repair(const struct netns *netns)
{
    return for_each(netns, furnish_node);
}

bool netns_is_whole(const struct netns *netns)
{
    return for_each(netns, check_node) == 0;
}

int netns_remove(const char *root, const char *prefix)
{
    DIR *folder = opendir(NETNS_FOLDER);
    const struct dirent *entry;
    struct netns_batch batch;
    int count = 0;
    int err;

    devices_remove(root, prefix);
    if (!folder)
        return 0;
    err = netns_batch_begin(&batch);
    while (!err && (entry = readdir(folder)) != NULL)
        if (netns_name_has_prefix(entry->d_name, prefix)) {
            fprintf(batch.lines, "netns del %s\n", entry->d_name);
            count++;
        }
    closedir(folder);
    if (!err)
        err = netns_batch_end(&batch);
    return err ? err : count;
}
