/* SPDX-License-Identifier: Apache-2.0 */
/* Clients of a listening rank, until they have sent their rank. */
#include "perf/perf_accept.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "perf/perf_interrupt.h"

enum {
    GUESTS_MAX = PERF_RANKS_MAX,
    HELLO_S = 5,         /* for a client to send its hello */
    COMPLAINTS_MAX = 10, /* about clients that are not ranks */
};

#define HELLO_MAGIC 0x6d727031u

struct guest {
    int fd;
    time_t until;
    struct perf_hello hello;
    size_t bytes; /* of the hello received so far */
};

struct door {
    struct perf_meet *meet;
    int listener;
    uint32_t missing;
    uint32_t complaints;
    struct guest guests[GUESTS_MAX];
    uint32_t count;
};

struct perf_hello perf_accept_hello(const struct perf_meet *meet)
{
    return (struct perf_hello){ HELLO_MAGIC, meet->rank, meet->rank_count,
        sizeof(struct perf_settings) };
}

void perf_accept_set_up(int fd)
{
    int one = 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
}

int perf_accept_interrupted(struct perf_meet *meet)
{
    return perf_meet_fail_here(meet, "interrupted before all ranks had connected");
}

static time_t now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static bool is_expected(const struct perf_meet *meet, const struct perf_hello *hello)
{
    return hello->magic == HELLO_MAGIC && hello->settings_bytes == sizeof(struct perf_settings) &&
           hello->rank_count == meet->rank_count && hello->rank < meet->rank_count &&
           hello->rank != meet->rank && meet->fds[hello->rank] < 0;
}

static void see_off(struct door *door, uint32_t index)
{
    door->guests[index] = door->guests[--door->count];
}

static void hang_up(struct door *door, uint32_t index)
{
    close(door->guests[index].fd);
    see_off(door, index);
    if (door->complaints++ < COMPLAINTS_MAX)
        fputs("mrc perf: a client connected that is not a rank of this test\n", stderr);
}

static void welcome_guest(struct door *door, uint32_t index)
{
    struct guest *guest = &door->guests[index];

    perf_accept_set_up(guest->fd);
    door->meet->fds[guest->hello.rank] = guest->fd;
    door->missing--;
    see_off(door, index);
}

static void hear_guest(struct door *door, uint32_t index)
{
    struct guest *guest = &door->guests[index];
    ssize_t got = recv(guest->fd, (char *)&guest->hello + guest->bytes,
        sizeof(guest->hello) - guest->bytes, MSG_DONTWAIT);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    guest->bytes += got > 0 ? (size_t)got : 0;
    if (got <= 0 ||
        (guest->bytes == sizeof(guest->hello) && !is_expected(door->meet, &guest->hello)))
        hang_up(door, index);
    else if (guest->bytes == sizeof(guest->hello))
        welcome_guest(door, index);
}

static void let_in(struct door *door)
{
    int fd = accept4(door->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0)
        return;
    door->guests[door->count++] = (struct guest){ .fd = fd, .until = now_s() + HELLO_S };
}

/* If all places are taken, disconnects the first guest, which has had the longest time. */
static void make_room(struct door *door)
{
    for (uint32_t i = door->count; i-- > 0;)
        if (now_s() >= door->guests[i].until)
            hang_up(door, i);
    if (door->count == GUESTS_MAX)
        hang_up(door, 0);
}

static int wait_once(struct door *door)
{
    struct pollfd fds[GUESTS_MAX + 1];
    uint32_t count = door->count;

    for (uint32_t i = 0; i < count; i++)
        fds[i] = (struct pollfd){ .fd = door->guests[i].fd, .events = POLLIN };
    fds[count] = (struct pollfd){ .fd = door->listener, .events = POLLIN };
    if (poll(fds, count + 1, PERF_INTERRUPT_SLICE_MS) < 0 && errno != EINTR)
        return perf_meet_fail_here(door->meet, "poll: %s", strerror(errno));
    if (perf_interrupt_has_come())
        return perf_accept_interrupted(door->meet);
    for (uint32_t i = count; i-- > 0;)
        if (fds[i].revents)
            hear_guest(door, i);
    make_room(door);
    if (fds[count].revents)
        let_in(door);
    return 0;
}

int perf_accept_all(struct perf_meet *meet, int listener)
{
    struct door door = { .meet = meet, .listener = listener, .missing = meet->rank_count - 1 };
    int err = 0;

    fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK);
    while (door.missing > 0 && err == 0)
        err = wait_once(&door);
    for (uint32_t i = 0; i < door.count; i++)
        close(door.guests[i].fd);
    return err;
}
