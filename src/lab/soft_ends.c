/* SPDX-License-Identifier: Apache-2.0 */
/* The ends at which frames enter and leave the process. */
#include <stdlib.h>
#include <sys/epoll.h>

#include "lab/soft_state.h"
#include "pktio/pktio.h"

static bool is_exit(const struct soft *soft, const struct soft_wire *wire)
{
    if (!wire->link.has_cable || wire->self.is_nic)
        return false;
    return soft->config.prefix ? soft_serves(soft, wire->self.node) : soft_peer(soft, wire).is_nic;
}

static void init_end(struct soft *soft, uint32_t wire_number)
{
    const struct soft_wire *wire = &soft->wires[wire_number];
    uint32_t entry = soft_wire_of(soft, soft_peer(soft, wire));

    for (uint32_t number = wire->exit; number < soft->end_count; number += soft->cable_count)
        soft->ends[number] = (struct soft_end){ .at = wire_number,
            .entry = entry,
            .first = wire->exit,
            .is_launched = soft->wires[entry].exit != SOFT_NO_END };
}

/* Interfaces and sockets do not separate engines. */
static uint32_t engines_max(const struct soft *soft)
{
    return soft->config.prefix ? 1 : SHM_PORT_ENGINES_MAX;
}

bool soft_ends_make(struct soft *soft)
{
    for (uint32_t i = 0; i < soft->wire_count; i++)
        soft->wires[i].exit = is_exit(soft, &soft->wires[i]) ? soft->cable_count++ : SOFT_NO_END;
    soft->end_count = soft->cable_count * engines_max(soft);
    soft->ends = soft_lines(soft->end_count + 1, sizeof(*soft->ends));
    soft->attached = calloc(soft->end_count + 1, sizeof(*soft->attached));
    if (!soft->ends || !soft->attached)
        return false;
    for (uint32_t i = 0; i < soft->wire_count; i++)
        if (soft->wires[i].exit != SOFT_NO_END)
            init_end(soft, i);
    return true;
}

void soft_ends_watch(struct soft *soft, int fd, uint32_t end)
{
    struct epoll_event event = { .events = EPOLLIN, .data.u32 = end };

    if (fd >= 0)
        epoll_ctl(soft->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

/* Inserts the end after the others of its part. */
static void attach_end(struct soft *soft, uint32_t end_index)
{
    uint32_t place = soft->attached_count++;

    for (; place > 0 &&
           soft_end_part(soft, soft->attached[place - 1]) > soft_end_part(soft, end_index);
         place--)
        soft->attached[place] = soft->attached[place - 1];
    soft->attached[place] = end_index;
}

static void detach_end(struct soft *soft, uint32_t end_index)
{
    uint32_t place = 0;

    while (soft->attached[place] != end_index)
        place++;
    soft->attached_count--;
    for (; place < soft->attached_count; place++)
        soft->attached[place] = soft->attached[place + 1];
}

void soft_ends_adopt(
    struct soft *soft, uint32_t end_index, struct pktio_port *port, enum soft_end_kind kind)
{
    struct soft_end *end = &soft->ends[end_index];

    end->port = port;
    end->kind = kind;
    soft->ends[end->first].port_count++;
    soft->ends[end->first].room = 0; /* not known for the new port */
    if (kind == SOFT_END_SHM) {
        soft_loan_open(end);
        shm_port_defer_calls(port);
    }
    attach_end(soft, end_index);
    soft_ends_watch(soft, port->data_fd, end_index);
    if (kind != SOFT_END_INTERFACE) /* which is queried in its own namespace */
        soft_ends_watch(soft, port->link_fd, end_index);
}

/* Discards the frames of a cable whose far end is not attached. */
static void clear_cable(struct soft *soft, struct soft_end *first)
{
    while (soft->wires[first->at].first != SOFT_NO_FRAME)
        soft_wire_lose(soft, first->at, soft_wire_take(soft, first->at));
    first->under_way = 0;
}

void soft_ends_release(struct soft *soft, uint32_t end_index)
{
    struct soft_end *end = &soft->ends[end_index];
    struct soft_end *first = &soft->ends[end->first];

    if (end->loans.frames)
        soft_loan_close(soft, end);
    pktio_port_close(end->port); /* closing its descriptors removes them from the epoll set */
    end->port = NULL;
    atomic_store_explicit(&end->shared_bytes, 0, memory_order_relaxed);
    first->room = 0;
    if (--first->port_count == 0)
        clear_cable(soft, first);
    detach_end(soft, end_index);
}
