/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and closes a soft fabric. */
#include "lab/soft.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lab/devices.h"
#include "lab/soft_state.h"

enum {
    FRAMES_PER_END = 1024, /* a NIC's window over all its planes, and frames that wait elsewhere */
    FRAMES_MAX = 262144,
};

void *soft_lines(size_t count, size_t bytes)
{
    void *memory = aligned_alloc(64, count * bytes);

    return memory ? memset(memory, 0, count * bytes) : NULL;
}

/* ---- wires ----------------------------------------------------------------------------------- */

static void init_wire(struct soft *soft, uint32_t number, struct topology_end self)
{
    struct soft_wire *wire = &soft->wires[number];
    struct topology_link_kind kind = { 0 };

    wire->self = self;
    wire->first = SOFT_NO_FRAME;
    wire->link = link_of_port(&soft->fabric.topology, self, &kind);
    if (!wire->link.has_cable) {
        if (!self.is_nic)
            switch_port_down(&soft->switches[self.node], self.port);
        return;
    }
    topology_link_at(&soft->fabric.topology, self, &wire->cable, &kind);
    wire->part = wire->cable.plane % soft->part_count;
    wire->rate_bps = kind.rate_bps;
    wire->byte_time = byte_time_at(kind.rate_bps);
    if (!self.is_nic)
        switch_set_rate(&soft->switches[self.node], self.port, kind.rate_bps);
}

static bool make_wires(struct soft *soft)
{
    const struct topology *topology = &soft->fabric.topology;
    uint32_t planes = topology->config.plane_count;
    uint32_t nic_wires = topology->nic_count * planes;

    soft->wire_count = nic_wires;
    soft->first_wire = calloc(topology->switch_count, sizeof(*soft->first_wire));
    if (!soft->first_wire)
        return false;
    for (uint32_t i = 0; i < topology->switch_count; i++) {
        soft->first_wire[i] = soft->wire_count;
        soft->wire_count += topology_port_count(topology, i);
    }
    soft->wires = soft_lines(soft->wire_count, sizeof(*soft->wires));
    if (!soft->wires)
        return false;
    for (uint32_t i = 0; i < nic_wires; i++)
        init_wire(soft, i, (struct topology_end){ true, i / planes, i % planes });
    for (uint32_t node = 0; node < topology->switch_count; node++)
        for (uint32_t port = 0; port < topology_port_count(topology, node); port++)
            init_wire(
                soft, soft->first_wire[node] + port, (struct topology_end){ false, node, port });
    return true;
}

/* ---- open and close ----------------------------------------------------------------------------
 */

/* A graph may have links between planes; in namespaces frames arrive one by one. */
static uint32_t part_count_of(const struct soft_config *config)
{
    bool is_whole = config->prefix || config->fabric->topology.graph;

    return is_whole ? 1 : config->fabric->topology.config.plane_count;
}

/* A quarter of the processors, because NICs need them more, and at most one thread per part. */
static uint32_t lane_count_of(const struct soft_config *config)
{
    uint32_t parts = part_count_of(config);
    uint32_t count = config->thread_count;
    cpu_set_t processors;

    if (count == 0 && sched_getaffinity(0, sizeof(processors), &processors) == 0)
        count = (uint32_t)CPU_COUNT(&processors) / 4;
    if (count > parts)
        count = parts;
    return count > 0 ? count : 1;
}

/* Each port that attaches takes three descriptors. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static bool make_parts(struct soft *soft)
{
    uint32_t frames = soft->fabric.topology.nic_count * FRAMES_PER_END;

    if (frames > FRAMES_MAX)
        frames = FRAMES_MAX;
    return soft_switches_make(soft) && make_wires(soft) && soft_ends_make(soft) &&
           soft_frames_init(&soft->frames, frames) && soft_advance_open(soft);
}

static void port_address(
    const void *context, uint32_t nic, uint32_t plane, char out[static DEVICES_ADDRESS_BYTES])
{
    const struct soft *soft = context;

    (void)nic;
    (void)plane;
    snprintf(out, DEVICES_ADDRESS_BYTES, "shm:%s/attach", soft->folder);
}

static int open_to_nics(struct soft *soft)
{
    int err = soft_attach_open(soft);

    return err ? err
               : devices_make(&(struct devices){ .fabric = &soft->fabric,
                                  .root = soft->config.root,
                                  .name = soft->config.name,
                                  .port_address = port_address,
                                  .context = soft },
                     &soft->first_device);
}

int soft_open(struct soft **out, const struct soft_config *config)
{
    struct soft *soft = calloc(1, sizeof(*soft));
    int err;

    if (!soft)
        return -ENOMEM;
    raise_descriptor_limit();
    soft->config = *config;
    soft->part_count = part_count_of(config);
    soft->lane_count = lane_count_of(config);
    soft->folder_lock = -1;
    soft->lobby.listener = soft->lobby.epoll_fd = -1;
    soft->faults_change_ps = UINT64_MAX;
    soft->prng = prng_stream(config->seed, 1);
    soft->control = (struct control_server){ .answer = soft_control_answer, .context = soft };
    control_server_init(&soft->control);
    soft->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    err = soft_scale(soft);
    if (!err && !make_parts(soft))
        err = -ENOMEM;
    if (!err)
        err = soft_folder_open(soft);
    if (!err)
        err = soft_lanes_open(soft);
    if (!err)
        err = config->prefix ? soft_interfaces_open(soft) : open_to_nics(soft);
    if (err) {
        soft_close(soft);
        return err;
    }
    *out = soft;
    return 0;
}

static void close_ends(struct soft *soft)
{
    if (soft->config.prefix) {
        soft_interfaces_close(soft);
        return;
    }
    devices_remove(soft->config.root, soft->config.name);
    soft_attach_close(soft);
}

void soft_close(struct soft *soft)
{
    soft_folder_retire(soft);
    soft_lanes_close(soft);
    if (soft->folder_lock >= 0) /* else nothing was opened, and another fabric may have the name */
        close_ends(soft);
    soft_folder_close(soft);
    if (soft->epoll_fd >= 0)
        close(soft->epoll_fd);
    soft_advance_close(soft);
    if (soft->frames.bytes)
        soft_frames_fini(&soft->frames);
    free(soft->interface_socks);
    free(soft->holds);
    soft_record_fini(&soft->record);
    free(soft->attached);
    free(soft->ends);
    free(soft->wires);
    free(soft->first_wire);
    free(soft->switches);
    free(soft->routes);
    free(soft->memory);
    free(soft->exceptions);
    free(soft->graph);
    free(soft);
}

uint32_t soft_first_device(const struct soft *soft)
{
    return soft->first_device;
}
