/* SPDX-License-Identifier: Apache-2.0 */
/* Connects the ranks: socket pairs to forked processes, a server and its client, or a rendezvous.
 */
#include "perf/perf_start.h"

#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "perf/perf_accept.h"
#include "perf/perf_interrupt.h"

enum {
    PATIENCE_S = 30, /* a rank may start before the one that it connects to */
    GRACE_MS = 5000,
};

static void init_meet(struct perf_meet *meet, uint32_t rank, uint32_t rank_count, uint32_t hub)
{
    *meet = (struct perf_meet){
        .rank = rank, .rank_count = rank_count, .is_hub = rank == hub, .hub = hub
    };
    for (uint32_t i = 0; i < PERF_RANKS_MAX; i++)
        meet->fds[i] = -1;
}

/* ---- on this machine ------------------------------------------------------------------------- */

static void become_child(struct perf_start *start, struct perf_meet *meet, uint32_t rank, int fd)
{
    perf_meet_close(meet);
    init_meet(meet, rank, meet->rank_count, 0);
    meet->fds[0] = fd;
    *start = (struct perf_start){ .is_child = true };
    signal(SIGINT, SIG_IGN); /* a terminal sends it to all ranks; rank 0 decides */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static int fork_ranks(struct perf_start *start, uint32_t count, struct perf_meet *meet)
{
    int pair[2];
    pid_t pid;

    init_meet(meet, 0, count, 0);
    fflush(NULL);
    for (uint32_t rank = 1; rank < count; rank++) {
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
            return perf_meet_fail_here(meet, "socket pair: %s", strerror(errno));
        pid = fork();
        if (pid < 0)
            return perf_meet_fail_here(meet, "fork: %s", strerror(errno));
        if (pid == 0) {
            close(pair[0]);
            become_child(start, meet, rank, pair[1]);
            return 0;
        }
        close(pair[1]);
        meet->fds[rank] = pair[0];
        start->children[start->child_count++] = pid;
    }
    return 0;
}

void perf_start_wait(struct perf_start *start)
{
    const struct timespec pause = { .tv_nsec = 1000000 };

    for (uint32_t i = 0; i < start->child_count; i++) {
        uint32_t waited_ms = 0;

        while (waitpid(start->children[i], NULL, WNOHANG) == 0 && waited_ms++ < GRACE_MS)
            nanosleep(&pause, NULL);
        if (waited_ms > GRACE_MS) {
            kill(start->children[i], SIGKILL);
            waitpid(start->children[i], NULL, 0);
        }
    }
}

/* ---- TCP ------------------------------------------------------------------------------------- */

static int find_addresses(struct perf_meet *meet, const char *host, const char *port,
    bool is_passive, struct addrinfo **list)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
        .ai_flags = is_passive ? AI_PASSIVE : 0,
        .ai_family = host ? AF_UNSPEC : AF_INET6 };
    int err;

    perf_interrupt_let_go(); /* a name server may be slow to answer */
    err = getaddrinfo(host, port, &hints, list);
    if (err && !host) { /* the system has no IPv6 */
        hints.ai_family = AF_INET;
        err = getaddrinfo(host, port, &hints, list);
    }
    perf_interrupt_catch();
    if (!err)
        return 0;
    return perf_meet_fail_here(
        meet, "%s port %s: %s", host ? host : "any", port, gai_strerror(err));
}

static int listen_at(const struct addrinfo *address)
{
    int one = 1;
    int zero = 0;
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (address->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
    if (bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, PERF_RANKS_MAX) == 0)
        return fd;
    close(fd);
    return -1;
}

static int serve_ranks(struct perf_meet *meet, const char *host, const char *port)
{
    struct addrinfo *list;
    int err = find_addresses(meet, host, port, true, &list);
    int listener;

    if (err != 0)
        return err;
    listener = listen_at(list);
    if (listener < 0)
        err = perf_meet_fail_here(meet, "port %s: %s", port, strerror(errno));
    freeaddrinfo(list);
    if (listener < 0)
        return err;
    err = perf_accept_all(meet, listener);
    close(listener);
    return err;
}

/* Waits for a connection in progress. Returns 0 or an errno. */
static int await_connection(int fd)
{
    struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
    int err = EINTR;
    socklen_t length = sizeof(err);

    while (poll(&poll_fd, 1, PERF_INTERRUPT_SLICE_MS) <= 0)
        if (perf_interrupt_has_come())
            return EINTR;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &length);
    return err;
}

static int connect_to(const struct addrinfo *address)
{
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int err;

    if (fd < 0)
        return -1;
    err = connect(fd, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
    if (err == EINPROGRESS || err == EINTR)
        err = await_connection(fd);
    if (err == 0)
        return fd;
    close(fd);
    errno = err;
    return -1;
}

static int connect_once(const struct addrinfo *list)
{
    int fd = -1;

    for (; list && fd < 0; list = list->ai_next)
        fd = connect_to(list);
    return fd;
}

static int join_ranks(struct perf_meet *meet, const char *host, const char *port)
{
    struct perf_hello hello = perf_accept_hello(meet);
    const struct timespec pause = { .tv_nsec = 100000000 };
    time_t deadline = time(NULL) + PATIENCE_S;
    struct addrinfo *list;
    int err = find_addresses(meet, host, port, false, &list);
    int fd = -1;

    if (err != 0)
        return err;
    while ((fd = connect_once(list)) < 0 && errno == ECONNREFUSED && time(NULL) < deadline &&
           !perf_interrupt_has_come())
        nanosleep(&pause, NULL);
    freeaddrinfo(list);
    if (fd < 0 && perf_interrupt_has_come())
        return perf_accept_interrupted(meet);
    if (fd < 0)
        return perf_meet_fail_here(
            meet, "%s port %s: %s; is the other side running?", host, port, strerror(errno));
    perf_accept_set_up(fd);
    meet->fds[meet->hub] = fd;
    if (send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) != sizeof(hello))
        return perf_meet_fail_here(meet, "%s port %s: %s", host, port, strerror(errno));
    return 0;
}

static int rendezvous(const struct perf_wish *wish, struct perf_meet *meet)
{
    char host[PERF_HOST_BYTES];
    const char *colon = strrchr(wish->rendezvous, ':');
    size_t length = (size_t)(colon - wish->rendezvous);

    assert(length < sizeof(host));
    memcpy(host, wish->rendezvous, length);
    host[length] = '\0';
    init_meet(meet, wish->rank, wish->rank_count, 0);
    return meet->is_hub ? serve_ranks(meet, host, colon + 1) : join_ranks(meet, host, colon + 1);
}

int perf_start(struct perf_start *start, const struct perf_wish *wish, struct perf_meet *meet)
{
    char port[8];

    *start = (struct perf_start){ 0 };
    if (wish->local_count > 0)
        return fork_ranks(start, wish->local_count, meet);
    if (wish->rendezvous)
        return rendezvous(wish, meet);
    snprintf(port, sizeof(port), "%u", wish->port);
    init_meet(meet, wish->server ? 0 : 1, 2, 1); /* the client sends, and is therefore rank 0 */
    if (wish->server)
        return join_ranks(meet, wish->server, port);
    if (!wish->is_quiet)
        fprintf(stderr, "mrc perf: waiting for a client on port %s\n", port);
    return serve_ranks(meet, NULL, port);
}
