/* SPDX-License-Identifier: Apache-2.0 */
/* One pass of a soft fabric: takes the frames that NICs sent, moves those that are due, hands over
 * those that have arrived. It goes part by part, so that frames are still in the cache when they
 * leave. */
#include <sys/epoll.h>
#include <time.h>

#include "lab/soft_state.h"
#include "pktio/pktio.h"

enum {
    BATCH = 32,
    EVENTS = 64, /* ends served in a pass, if the system reports them */
    CACHE_LINE_BYTES = 64,
};

/* A NIC whose wire is busy for longer than this keeps its frames. */
#define WIRE_AHEAD_PS UINT64_C(20000000)

uint64_t soft_clock_ps(const struct soft *soft)
{
    struct timespec now;

    if (soft->config.clock_ps)
        return *soft->config.clock_ps;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) * 1000;
}

bool soft_has_buffers(const struct soft *soft)
{
    return soft->frames.free_count >= BATCH;
}

/* Another processor has written them. */
static void prefetch_headers(const uint8_t *bytes)
{
    for (uint32_t at = 0; at < SOFT_OWN_BYTES; at += CACHE_LINE_BYTES)
        __builtin_prefetch(bytes + at);
}

/* Frames may have been sent after the clock was read, and long after if this process lost its
 * processor in between. On slow links no frame may arrive earlier than the delay of the link,
 * because NICs keep the shortest round trip. */
static void catch_up(struct soft *soft)
{
    soft->now_ps = soft_clock_ps(soft);
    soft_advance(soft);
}

uint32_t soft_take(struct soft *soft, uint32_t end_index)
{
    struct pktio_received frames[BATCH];
    uint32_t count = pktio_port_receive(soft->ends[end_index].port, frames, BATCH);

    if (count > 0 && soft->config.slower > 1)
        catch_up(soft);
    for (uint32_t i = 0; i < count; i++) {
        if (i + 2 < count)
            prefetch_headers(frames[i + 2].bytes);
        soft_accept(soft, end_index, frames[i].bytes, frames[i].length_bytes);
    }
    return count;
}

static uint32_t take_from(struct soft *soft, uint32_t number)
{
    bool is_busy = soft->wires[soft->ends[number].entry].free_ps > soft->now_ps + WIRE_AHEAD_PS;

    return is_busy || !soft_has_buffers(soft) ? 0 : soft_take(soft, number);
}

/* Polling a ring is free. Polling a socket costs a system call, so epoll reports the sockets with
 * frames. */
static uint32_t take_from_sockets(struct soft *soft)
{
    struct epoll_event ready[EVENTS];
    int count = epoll_wait(soft->epoll_fd, ready, EVENTS, 0);
    uint32_t work = 0;

    for (int i = 0; i < count; i++) {
        soft->now_ps =
            soft_clock_ps(soft); /* frames of one end leave before the next end is read */
        soft_advance(soft);
        work += take_from(soft, ready[i].data.u32);
    }
    return work;
}

/* Releases slots and wakes NICs that sleep, after everything else: a NIC that is woken may take
 * this processor at once, and should then find all frames. */
static void settle_ends(struct soft *soft)
{
    for (uint32_t i = 0; i < soft->attached_count; i++) {
        struct soft_end *end = &soft->ends[soft->attached[i]];

        if (end->loans.frames)
            soft_loan_settle(soft, end);
        if (end->kind == SOFT_END_SHM)
            shm_port_call(end->port);
    }
}

/* Hands over the frames that have arrived at these ends. */
static uint32_t flush_ends(struct soft *soft, const uint32_t *ends, uint32_t count)
{
    uint32_t work = 0;

    for (uint32_t i = 0; i < count; i++)
        work += soft_flush(soft, soft->ends[ends[i]].first);
    return work;
}

static uint32_t pass_sockets(struct soft *soft)
{
    uint32_t work = take_from_sockets(soft);

    if (work > 0) /* taking them took time */
        soft->now_ps = soft_clock_ps(soft);
    soft_advance(soft);
    return work + flush_ends(soft, soft->attached, soft->attached_count);
}

static uint32_t pass_part(struct soft *soft, uint32_t part, const uint32_t *ends, uint32_t count)
{
    uint32_t work = 0;

    for (uint32_t i = 0; i < count; i++)
        work += take_from(soft, ends[i]);
    if (work > 0)
        soft->now_ps = soft_clock_ps(soft);
    soft_advance_part(soft, part);
    return work + flush_ends(soft, ends, count);
}

static uint32_t pass_rings(struct soft *soft)
{
    uint32_t work = 0;
    uint32_t end = 0;

    for (uint32_t part = soft->lane; part < soft->part_count; part += soft->lane_count) {
        uint32_t first = end;

        while (end < soft->attached_count && soft_end_part(soft, soft->attached[end]) == part)
            end++;
        work += pass_part(soft, part, soft->attached + first, end - first);
    }
    return work;
}

uint32_t soft_pass(struct soft *soft)
{
    uint32_t work;

    soft->now_ps = soft_clock_ps(soft);
    if (soft->now_ps >= soft->faults_change_ps)
        soft_links_update(soft);
    work = soft->config.prefix ? pass_sockets(soft) : pass_rings(soft);
    settle_ends(soft);
    return work;
}
