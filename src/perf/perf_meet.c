/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between the ranks of mrc perf: kind, length, bytes. */
#include "perf/perf_meet.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "perf/perf_interrupt.h"

enum kind {
    KIND_DATA = 0x6d726331,
    KIND_FAILED,
};

struct header {
    uint32_t kind;
    uint32_t bytes;
};

int perf_meet_fail(struct perf_meet *meet, const char *format, ...)
{
    va_list arguments;
    int used;

    if (meet->problem[0])
        return -1;
    used = snprintf(meet->problem, sizeof(meet->problem), "rank %u: ", meet->rank);
    va_start(arguments, format);
    vsnprintf(meet->problem + used, sizeof(meet->problem) - (size_t)used, format, arguments);
    va_end(arguments);
    return -1;
}

int perf_meet_fail_here(struct perf_meet *meet, const char *format, ...)
{
    va_list arguments;

    if (meet->problem[0])
        return -1;
    va_start(arguments, format);
    vsnprintf(meet->problem, sizeof(meet->problem), format, arguments);
    va_end(arguments);
    return -1;
}

static int fail_lost(struct perf_meet *meet, uint32_t rank)
{
    return perf_meet_fail(meet, "rank %u has gone away: killed, or its connection was cut", rank);
}

/* ---- one message ----------------------------------------------------------------------------- */

static int fail_interrupted(struct perf_meet *meet, uint32_t rank)
{
    return perf_meet_fail(meet, "interrupted, and rank %u does not answer", rank);
}

/* Called after a call that would block on this rank: waits until it does not. Returns -1 if the
 * call has failed, or if the time of the rank is over. */
static int wait_for(struct perf_meet *meet, uint32_t rank, short events)
{
    struct pollfd fd = { .fd = meet->fds[rank], .events = events };

    if (errno != EAGAIN && errno != EINTR)
        return -1;
    while (poll(&fd, 1, PERF_INTERRUPT_SLICE_MS) <= 0)
        if (perf_interrupt_is_urgent())
            return fail_interrupted(meet, rank);
    return 0;
}

static int send_bytes(struct perf_meet *meet, uint32_t rank, const void *bytes, size_t length)
{
    const char *from = bytes;

    while (length > 0) {
        ssize_t sent = send(meet->fds[rank], from, length, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent == 0 || (sent < 0 && wait_for(meet, rank, POLLOUT) != 0))
            return -1;
        from += sent > 0 ? sent : 0;
        length -= sent > 0 ? (size_t)sent : 0;
    }
    return 0;
}

static int receive_bytes(struct perf_meet *meet, uint32_t rank, void *bytes, size_t length)
{
    char *to = bytes;

    while (length > 0) {
        ssize_t got = recv(meet->fds[rank], to, length, MSG_DONTWAIT);

        if (got == 0 || (got < 0 && wait_for(meet, rank, POLLIN) != 0))
            return -1;
        to += got > 0 ? got : 0;
        length -= got > 0 ? (size_t)got : 0;
    }
    return 0;
}

static int send_data(struct perf_meet *meet, uint32_t rank, const void *bytes, size_t length)
{
    struct header header = { KIND_DATA, (uint32_t)length };

    if (send_bytes(meet, rank, &header, sizeof(header)) != 0 ||
        send_bytes(meet, rank, bytes, length) != 0)
        return perf_meet_look(meet) != 0 ? -1 : fail_lost(meet, rank);
    return 0;
}

static int receive_failure(struct perf_meet *meet, uint32_t rank, uint32_t length)
{
    char text[PERF_TEXT_BYTES];

    if (length >= sizeof(text) || receive_bytes(meet, rank, text, length) != 0)
        return fail_lost(meet, rank);
    text[length] = '\0';
    if (!meet->problem[0])
        memcpy(meet->problem, text, sizeof(text));
    return -1;
}

static int receive_data(struct perf_meet *meet, uint32_t rank, void *bytes, size_t length)
{
    struct header header;

    if (receive_bytes(meet, rank, &header, sizeof(header)) != 0)
        return fail_lost(meet, rank);
    if (header.kind == KIND_FAILED)
        return receive_failure(meet, rank, header.bytes);
    if (header.kind != KIND_DATA || header.bytes != length)
        return perf_meet_fail(meet, "rank %u has another version of mrc perf", rank);
    return receive_bytes(meet, rank, bytes, length) != 0 ? fail_lost(meet, rank) : 0;
}

/* ---- all ranks together ---------------------------------------------------------------------- */

/* Takes messages in the order of arrival, so that a failure is noticed while another rank is
 * awaited. */
static int collect_texts(struct perf_meet *meet, char *all, size_t bytes)
{
    struct pollfd fds[PERF_RANKS_MAX];
    uint32_t ranks[PERF_RANKS_MAX];
    nfds_t left = 0;

    for (uint32_t rank = 0; rank < meet->rank_count; rank++)
        if (rank != meet->rank) {
            ranks[left] = rank;
            fds[left++] = (struct pollfd){ .fd = meet->fds[rank], .events = POLLIN };
        }
    while (left > 0) {
        if (poll(fds, left, PERF_INTERRUPT_SLICE_MS) <= 0) {
            if (perf_interrupt_is_urgent())
                return fail_interrupted(meet, ranks[0]);
            continue;
        }
        for (nfds_t i = left; i > 0; i--) {
            if (fds[i - 1].revents == 0)
                continue;
            if (receive_data(meet, ranks[i - 1], all + ranks[i - 1] * bytes, bytes) != 0)
                return -1;
            left--;
            fds[i - 1] = fds[left];
            ranks[i - 1] = ranks[left];
        }
    }
    return 0;
}

int perf_meet_gather(struct perf_meet *meet, const void *mine, size_t bytes, void *all)
{
    char *places = all;

    if (!meet->is_hub) {
        if (send_data(meet, meet->hub, mine, bytes) != 0)
            return -1;
        return receive_data(meet, meet->hub, all, bytes * meet->rank_count);
    }
    memcpy(places + meet->rank * bytes, mine, bytes);
    if (collect_texts(meet, places, bytes) != 0)
        return -1;
    for (uint32_t rank = 0; rank < meet->rank_count; rank++)
        if (rank != meet->rank && send_data(meet, rank, all, bytes * meet->rank_count) != 0)
            return -1;
    return 0;
}

static int look_at(struct perf_meet *meet, uint32_t rank)
{
    struct header header;
    ssize_t got =
        recv(meet->fds[rank], &header, sizeof(header), MSG_PEEK | MSG_DONTWAIT | MSG_NOSIGNAL);

    if (got == 0 || (got < 0 && errno == ECONNRESET))
        return fail_lost(meet, rank);
    if (got < (ssize_t)sizeof(header) || header.kind != KIND_FAILED)
        return 0;
    return receive_data(meet, rank, NULL, 0);
}

int perf_meet_look(struct perf_meet *meet)
{
    if (meet->problem[0])
        return -1;
    if (!meet->is_hub)
        return look_at(meet, meet->hub);
    for (uint32_t rank = 0; rank < meet->rank_count; rank++)
        if (rank != meet->rank && look_at(meet, rank) != 0)
            return -1;
    return 0;
}

static void tell_problem(struct perf_meet *meet, uint32_t rank)
{
    struct header header = { KIND_FAILED, (uint32_t)strlen(meet->problem) };

    if (send_bytes(meet, rank, &header, sizeof(header)) == 0)
        send_bytes(meet, rank, meet->problem, header.bytes);
}

void perf_meet_tell(struct perf_meet *meet)
{
    if (!meet->is_hub)
        tell_problem(meet, meet->hub);
    for (uint32_t rank = 0; meet->is_hub && rank < meet->rank_count; rank++)
        if (rank != meet->rank)
            tell_problem(meet, rank);
}

void perf_meet_close(struct perf_meet *meet)
{
    for (uint32_t rank = 0; rank < meet->rank_count; rank++)
        if (meet->fds[rank] >= 0)
            close(meet->fds[rank]);
}
