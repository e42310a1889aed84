/* SPDX-License-Identifier: Apache-2.0 */
/* NICs come and go. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "lab/soft_state.h"
#include "pktio/pktio.h"

static void watch(struct soft *soft, int fd)
{
    struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

    if (fd >= 0)
        epoll_ctl(soft->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static void adopt(struct soft *soft, uint32_t number, struct pktio_port *port, bool is_udp)
{
    struct soft_nic_end *end = &soft->ends[number];

    end->port = port;
    end->is_udp = is_udp;
    soft->attached[soft->attached_count++] = number;
    watch(soft, port->data_fd);
    watch(soft, port->link_fd);
    if (soft->wires[number].condition.is_down && !is_udp)
        shm_port_set_link(port, false);
}

/* The NIC is gone; the frames on their way to it will find nobody. */
static void let_go(struct soft *soft, uint32_t number)
{
    struct soft_nic_end *end = &soft->ends[number];
    uint32_t i = 0;

    pktio_port_close(end->port); /* its descriptors leave the epoll set by themselves */
    end->port = NULL;
    soft_flush(soft, number);
    while (soft->attached[i] != number)
        i++;
    soft->attached[i] = soft->attached[--soft->attached_count];
}

void soft_attach_check(struct soft *soft, uint32_t number)
{
    struct soft_nic_end *end = &soft->ends[number];

    pktio_port_update_link(end->port);
    if (end->port->link_fd < 0 && !end->is_udp)
        let_go(soft, number);
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
    *number = soft_nic_wire(soft, nic, hello->port);
    return soft->wires[*number].has_cable && !soft->ends[*number].port;
}

void soft_attach_one(struct soft *soft)
{
    struct shm_port_config config = { .mtu_bytes = SOFT_FRAME_BYTES - 64,
        .rate_bps = soft->fabric.config.host_link.rate_bps };
    struct shm_hello hello;
    struct pktio_port *port;
    uint32_t number;

    if (shm_port_accept(soft->listener, &config, &hello, &port) != 0)
        return;
    if (is_welcome(soft, &hello, &number))
        adopt(soft, number, port, false);
    else
        pktio_port_close(port);
}

static int open_udp(struct soft *soft, const struct soft_udp *udp, uint32_t plane)
{
    char local[80];
    char remote[80];
    struct udp_port_config config = {
        .local = local, .remote = remote, .rate_bps = soft->fabric.config.host_link.rate_bps
    };
    struct pktio_port *port;
    int err;

    snprintf(local, sizeof(local), "%s:%u", udp->local_host, udp->local_port + plane);
    snprintf(remote, sizeof(remote), "%s:%u", udp->remote_host, udp->remote_port + plane);
    err = udp_port_open(&config, &port);
    if (!err)
        adopt(soft, soft_nic_wire(soft, udp->nic, plane), port, true);
    return err;
}

int soft_attach_open(struct soft *soft)
{
    char path[SOFT_PATH_BYTES + 8];
    int err = 0;

    snprintf(path, sizeof(path), "%s/attach", soft->folder);
    soft->listener = shm_port_listen(path);
    if (soft->listener < 0)
        return soft->listener;
    watch(soft, soft->listener);
    for (uint32_t i = 0; i < soft->config.udp_count && !err; i++)
        for (uint32_t plane = 0; plane < soft->fabric.config.plane_count && !err; plane++)
            err = open_udp(soft, &soft->config.udp[i], plane);
    return err;
}

void soft_attach_close(struct soft *soft)
{
    char path[SOFT_PATH_BYTES + 8];

    while (soft->attached_count > 0)
        let_go(soft, soft->attached[0]);
    if (soft->listener >= 0)
        close(soft->listener);
    snprintf(path, sizeof(path), "%s/attach", soft->folder);
    unlink(path);
}
