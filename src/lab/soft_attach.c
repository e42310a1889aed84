/* SPDX-License-Identifier: Apache-2.0 */
/* Attaches and detaches NICs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/soft_state.h"
#include "pktio/pktio.h"

enum { SLOTS_MAX = 1024 }; /* per ring, even if a NIC requests more */

#define PORT_BYTES UINT64_C(4800000) /* for rings with 512 slots in each direction, rounded up */

/* Takes the frames that a NIC sent before its process ended, because they contain acknowledgements
 * of data that the process has received. Takes at most one ring, because another process may still
 * have access to the memory. */
static void take_rest(struct soft *soft, uint32_t end_index)
{
    uint32_t left = shm_port_slot_count(soft->ends[end_index].port);
    uint32_t count = 1;

    for (; left > 0 && count > 0; left -= count < left ? count : left)
        count = soft_take(soft, end_index);
}

bool soft_attach_check(struct soft *soft, uint32_t end_index)
{
    struct soft_end *end = &soft->ends[end_index];

    pktio_port_update_link(end->port);
    if (end->port->link_fd >= 0 || end->kind != SOFT_END_SHM)
        return false;
    take_rest(soft, end_index);
    soft_ends_release(soft, end_index);
    return true;
}

/* "mrc3" is NIC 3 if NIC 0 is mrc0. */
static bool nic_of_name(const struct soft *soft, const char *name, uint32_t *nic)
{
    unsigned long number;
    char *end;

    if (strncmp(name, "mrc", 3) != 0 || name[3] < '0' || name[3] > '9')
        return false;
    number = strtoul(name + 3, &end, 10);
    *nic = (uint32_t)number - soft->first_device;
    return *end == '\0' && number <= UINT32_MAX && *nic < soft->fabric.topology.nic_count;
}

static uint32_t engine_count_of(const struct shm_hello *hello)
{
    return hello->engine_count ? hello->engine_count : 1;
}

static bool is_engine(const struct shm_hello *hello)
{
    uint32_t count = engine_count_of(hello);

    return count <= SHM_PORT_ENGINES_MAX && (count & (count - 1)) == 0 && hello->engine < count;
}

/* All engines of a NIC must belong to one process. */
static bool is_free(
    const struct soft *soft, uint32_t first_number, const struct shm_lobby_call *call)
{
    const struct soft_end *first = &soft->ends[first_number];
    const struct shm_hello *hello = &call->hello;

    if (first->port_count == 0)
        return true;
    return first->process == (uint32_t)call->process &&
           first->engine_count == engine_count_of(hello) &&
           !soft->ends[soft_engine_end(soft, first_number, hello->engine)].port;
}

/* Returns 0 and the number of the end, or the reason why this client may not attach. */
static int find_end(const struct soft *soft, const struct shm_lobby_call *call, uint32_t *number)
{
    const struct shm_hello *hello = &call->hello;
    uint32_t first;
    uint32_t nic;

    if (!nic_of_name(soft, hello->name, &nic) ||
        hello->port >= soft->fabric.topology.config.plane_count)
        return -ENODEV;
    first = soft_nic_end(soft, nic, hello->port);
    if (first == SOFT_NO_END)
        return -ENODEV;
    if (!is_engine(hello))
        return -EINVAL;
    *number = soft_engine_end(soft, first, hello->engine);
    return is_free(soft, first, call) ? 0 : -EBUSY;
}

/* Each user may have as much memory as all NICs with rings of the usual size and four engines. */
static bool is_within_quota(struct soft *soft, uint32_t user, uint64_t wanted_bytes)
{
    uint64_t used_bytes = wanted_bytes;

    for (uint32_t i = 0; i < soft->end_count; i++)
        if (atomic_load_explicit(&soft->ends[i].user, memory_order_relaxed) == user)
            used_bytes += atomic_load_explicit(&soft->ends[i].shared_bytes, memory_order_relaxed);
    return used_bytes <= soft->cable_count * PORT_BYTES;
}

/* Returns the rate of the cable of an end, without faults. */
static uint64_t cable_bps(const struct soft *soft, uint32_t number)
{
    struct topology_link_kind kind = { 0 };
    struct topology_element link;

    topology_link_at(&soft->fabric.topology, soft->wires[soft->ends[number].at].self, &link, &kind);
    return kind.rate_bps;
}

static void adopt_port(struct soft *soft, uint32_t number, struct pktio_port *port,
    const struct shm_lobby_call *call, uint64_t shared_bytes)
{
    struct soft *lane = soft_lanes_enter(soft, call->hello.port);
    struct soft_end *end = &lane->ends[number];

    atomic_store_explicit(&end->user, call->user, memory_order_relaxed);
    atomic_store_explicit(&end->shared_bytes, shared_bytes, memory_order_relaxed);
    lane->ends[end->first].engine_count = engine_count_of(&call->hello);
    lane->ends[end->first].process = (uint32_t)call->process;
    soft_ends_adopt(lane, number, port, SOFT_END_SHM);
    if (lane->wires[end->at].is_down)
        shm_port_set_link(port, false);
    soft_lanes_leave(soft, lane);
}

/* Allocates nothing for a client before it is allowed to attach. Only this function takes ends, so
 * a free end stays free. */
static void answer_call(struct soft *soft, const struct shm_lobby_call *call)
{
    struct shm_port_config config = { .mtu_bytes = SOFT_FRAME_BYTES - 64,
        .slot_count_max = SLOTS_MAX };
    uint64_t shared_bytes = shm_lobby_bytes(&config, call);
    struct soft *lane = soft_lanes_enter(soft, call->hello.port);
    struct pktio_port *port;
    uint32_t number;
    int err = find_end(soft, call, &number); /* the ends are those of the lanes */

    soft_lanes_leave(soft, lane);
    if (!err && !is_within_quota(soft, call->user, shared_bytes))
        err = -EDQUOT;
    if (!err)
        config.rate_bps = cable_bps(soft, number);
    if (err)
        shm_lobby_refuse(call, err);
    else if (shm_lobby_admit(call, &config, &port) == 0)
        adopt_port(soft, number, port, call, shared_bytes);
}

void soft_attach_callers(struct soft *soft)
{
    struct shm_lobby_call call;

    if (shm_lobby_next(&soft->lobby, soft->now_ps / 1000000000, &call))
        answer_call(soft, &call);
}

static int open_udp(struct soft *soft, const struct soft_udp *udp, uint32_t plane)
{
    char local[80];
    char remote[80];
    struct udp_port_config config = { .local = local, .remote = remote };
    uint32_t number = soft_nic_end(soft, udp->nic, plane);
    struct pktio_port *port;
    struct soft *lane;
    int err;

    if (number == SOFT_NO_END)
        return 0;
    if (soft->ends[number].port)
        return -EEXIST;
    snprintf(local, sizeof(local), "%s:%u", udp->local_host, udp->local_port + plane);
    snprintf(remote, sizeof(remote), "%s:%u", udp->remote_host, udp->remote_port + plane);
    config.rate_bps = cable_bps(soft, number);
    err = udp_port_open(&config, &port);
    if (err)
        return err;
    lane = soft_lanes_enter(soft, plane);
    lane->ends[number].engine_count = 1;
    soft_ends_adopt(lane, number, port, SOFT_END_UDP);
    soft_lanes_leave(soft, lane);
    return 0;
}

int soft_attach_open(struct soft *soft)
{
    char path[SOFT_PATH_BYTES + 8];
    int err;

    snprintf(path, sizeof(path), "%s/attach", soft->folder);
    err = shm_lobby_open(&soft->lobby, path);
    if (err)
        return err;
    for (uint32_t i = 0; i < soft->config.udp_count && !err; i++)
        for (uint32_t plane = 0; plane < soft->fabric.topology.config.plane_count && !err; plane++)
            err = open_udp(soft, &soft->config.udp[i], plane);
    return err;
}

void soft_attach_close(struct soft *soft)
{
    while (soft->attached_count > 0)
        soft_ends_release(soft, soft->attached[0]);
    if (soft->lobby.listener >= 0)
        shm_lobby_close(&soft->lobby);
}
