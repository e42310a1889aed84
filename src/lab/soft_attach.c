/* SPDX-License-Identifier: Apache-2.0 */
/* NICs come and go. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/soft_state.h"
#include "pktio/pktio.h"

void soft_attach_check(struct soft *soft, uint32_t end_index)
{
    struct soft_end *end = &soft->ends[end_index];

    pktio_port_update_link(end->port);
    if (end->port->link_fd < 0 && end->kind == SOFT_END_SHM)
        soft_ends_release(soft, end_index);
}

/* "mrc3": NIC 3. */
static bool nic_of_name(const struct soft *soft, const char *name, uint32_t *nic)
{
    char *end;
    unsigned long number;

    if (strncmp(name, "mrc", 3) != 0)
        return false;
    number = strtoul(name + 3, &end, 10);
    *nic = (uint32_t)number;
    return end != name + 3 && *end == '\0' && number < soft->fabric.nic_count;
}

/* Who says a name that is not there, or one that is taken, is sent away by closing the socket. */
static bool is_welcome(const struct soft *soft, const struct shm_hello *hello, uint32_t *number)
{
    uint32_t nic;

    if (!nic_of_name(soft, hello->name, &nic) || hello->port >= soft->fabric.config.plane_count)
        return false;
    *number = soft_nic_end(soft, nic, hello->port);
    return *number != SOFT_NO_END && !soft->ends[*number].port;
}

void soft_attach_one(struct soft *soft)
{
    struct shm_port_config config = { .mtu_bytes = SOFT_FRAME_BYTES - 64,
        .rate_bps = soft->fabric.config.host_link.rate_bps };
    struct shm_hello hello;
    struct pktio_port *port;
    struct soft *lane;
    uint32_t number;

    if (shm_port_accept(soft->listener, &config, &hello, &port) != 0)
        return;
    lane = soft_lanes_enter(soft, hello.port);
    if (!is_welcome(lane, &hello, &number)) {
        pktio_port_close(port);
    } else {
        soft_ends_adopt(lane, number, port, SOFT_END_SHM);
        if (lane->wires[lane->ends[number].at].condition.is_down)
            shm_port_set_link(port, false);
    }
    soft_lanes_leave(soft, lane);
}

static int open_udp(struct soft *soft, const struct soft_udp *udp, uint32_t plane)
{
    char local[80];
    char remote[80];
    struct udp_port_config config = {
        .local = local, .remote = remote, .rate_bps = soft->fabric.config.host_link.rate_bps
    };
    uint32_t number = soft_nic_end(soft, udp->nic, plane);
    struct pktio_port *port;
    struct soft *lane;
    int err;

    if (number == SOFT_NO_END)
        return 0;
    snprintf(local, sizeof(local), "%s:%u", udp->local_host, udp->local_port + plane);
    snprintf(remote, sizeof(remote), "%s:%u", udp->remote_host, udp->remote_port + plane);
    err = udp_port_open(&config, &port);
    if (err)
        return err;
    lane = soft_lanes_enter(soft, plane);
    soft_ends_adopt(lane, number, port, SOFT_END_UDP);
    soft_lanes_leave(soft, lane);
    return 0;
}

int soft_attach_open(struct soft *soft)
{
    char path[SOFT_PATH_BYTES + 8];
    int err = 0;

    snprintf(path, sizeof(path), "%s/attach", soft->folder);
    soft->listener = shm_port_listen(path);
    if (soft->listener < 0)
        return soft->listener;
    soft_ends_watch(soft, soft->listener, SOFT_NO_END);
    for (uint32_t i = 0; i < soft->config.udp_count && !err; i++)
        for (uint32_t plane = 0; plane < soft->fabric.config.plane_count && !err; plane++)
            err = open_udp(soft, &soft->config.udp[i], plane);
    return err;
}

void soft_attach_close(struct soft *soft)
{
    char path[SOFT_PATH_BYTES + 8];

    while (soft->attached_count > 0)
        soft_ends_release(soft, soft->attached[0]);
    if (soft->listener >= 0)
        close(soft->listener);
    snprintf(path, sizeof(path), "%s/attach", soft->folder);
    unlink(path);
}
