/* SPDX-License-Identifier: Apache-2.0 */
/* The server side of the control socket: reads from all clients that epoll reports, and answers one
 * of them. */
#include "pktio/control_server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "pktio/control_turns.h"
#include "pktio/monotonic.h"
#include "pktio/private_socket.h"

enum {
    PATIENCE_MS = 5000, /* for a client that neither sends nor reads */
    CROWDED_MS = 50,    /* the same while other clients wait for its place */
    TICK_MS = 20,
    LISTENER = CONTROL_CLIENTS_MAX, /* the epoll data of the listening socket */
    TIMER,
    EVENTS_MAX,
};

/* ---- opening --------------------------------------------------------------------------------- */

static int watch_fd(
    struct control_server *server, int operation, int fd, uint32_t name, uint32_t events)
{
    struct epoll_event event = { .events = events, .data.u32 = name };

    return epoll_ctl(server->epoll_fd, operation, fd, &event) < 0 ? -errno : 0;
}

/* Replaces a socket that a dead process has left at the path. */
static int make_descriptors(struct control_server *server, const char *path)
{
    int err;

    server->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    server->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (server->epoll_fd < 0 || server->timer_fd < 0)
        return -errno;
    if (private_socket_is_served(path))
        return -EADDRINUSE;
    server->listener = private_socket_listen(path, SOCK_STREAM, CONTROL_CLIENTS_MAX);
    if (server->listener < 0)
        return server->listener;
    err = watch_fd(server, EPOLL_CTL_ADD, server->listener, LISTENER, EPOLLIN);
    return err ? err : watch_fd(server, EPOLL_CTL_ADD, server->timer_fd, TIMER, EPOLLIN);
}

void control_server_init(struct control_server *server)
{
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        server->clients[i] = (struct control_client){ .sock = -1 };
    server->listener = server->epoll_fd = server->timer_fd = -1;
    server->is_ticking = server->is_full = false;
    server->came = server->asked = 0;
}

int control_server_open(struct control_server *server, const char *socket_path)
{
    int err;

    control_server_init(server);
    err = make_descriptors(server, socket_path);
    if (err)
        control_server_close(server);
    return err;
}

/* ---- connecting and disconnecting ------------------------------------------------------------ */

/* While no place is free, a connecting client does not wake the server. */
static void set_full(struct control_server *server, bool is_full)
{
    if (server->is_full != is_full)
        watch_fd(server, EPOLL_CTL_MOD, server->listener, LISTENER, is_full ? 0 : EPOLLIN);
    server->is_full = is_full;
}

static void hang_up(struct control_server *server, struct control_client *client)
{
    close(client->sock);
    free(client->answer);
    *client = (struct control_client){ .sock = -1 };
    set_full(server, false);
}

void control_server_close(struct control_server *server)
{
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        if (server->clients[i].sock >= 0)
            hang_up(server, &server->clients[i]);
    private_socket_close(&server->listener);
    private_socket_close(&server->epoll_fd);
    private_socket_close(&server->timer_fd);
}

/* Waits for the client to send, or to read its answer. */
static void watch_client(struct control_server *server, struct control_client *client)
{
    uint32_t events = !client->answer ? EPOLLIN : control_turns_is_idle(client) ? 0 : EPOLLOUT;

    watch_fd(server, EPOLL_CTL_MOD, client->sock, (uint32_t)(client - server->clients), events);
}

static void note_progress(struct control_client *client)
{
    client->moved_ms = monotonic_ms();
}

static struct control_client *free_place(struct control_server *server)
{
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        if (server->clients[i].sock < 0)
            return &server->clients[i];
    return NULL;
}

static void take_in(struct control_server *server, int sock)
{
    struct ucred peer = { .pid = 0 };
    socklen_t length = sizeof(peer);
    struct control_client *client;

    if (!free_place(server))
        hang_up(server, control_turns_crowding(server));
    client = free_place(server);
    getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &length);
    client->sock = sock;
    client->process = peer.pid;
    client->came = ++server->came;
    note_progress(client);
    if (watch_fd(server, EPOLL_CTL_ADD, sock, (uint32_t)(client - server->clients), EPOLLIN) < 0)
        hang_up(server, client);
}

static void admit_clients(struct control_server *server)
{
    for (uint32_t i = 0; i < CONTROL_ACCEPTS_MAX; i++) {
        bool has_room = free_place(server) || control_turns_crowding(server);
        int sock =
            has_room ? accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK) : -1;

        if (!has_room || (sock < 0 && (errno == EMFILE || errno == ENFILE)))
            set_full(server, true);
        if (sock < 0)
            return;
        take_in(server, sock);
    }
}

/* ---- time limits ----------------------------------------------------------------------------- */

/* The timer runs while a client has a time limit, or while the server waits for descriptors to
 * accept one. */
static void set_ticking(struct control_server *server)
{
    bool ticks = server->is_full;
    struct timespec tick;

    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        ticks |= control_turns_is_awaited(&server->clients[i]);
    tick = (struct timespec){ .tv_nsec = ticks ? TICK_MS * 1000000L : 0 };
    if (server->is_ticking != ticks)
        timerfd_settime(server->timer_fd, 0, &(struct itimerspec){ tick, tick }, NULL);
    server->is_ticking = ticks;
}

/* Disconnects all clients that are too slow. A client waits at most two ticks for the place of one.
 */
static void hang_up_late(struct control_server *server)
{
    uint64_t patience_ms = server->is_full ? CROWDED_MS : PATIENCE_MS;
    uint64_t now_ms = monotonic_ms();
    uint64_t ticks;

    if (read(server->timer_fd, &ticks, sizeof(ticks)) < 0)
        return;
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        struct control_client *client = &server->clients[i];

        if (control_turns_is_awaited(client) && now_ms - client->moved_ms >= patience_ms)
            hang_up(server, client);
    }
    if (free_place(server))
        set_full(server, false);
}

/* ---- requests and answers -------------------------------------------------------------------- */

static uint32_t count_followers(const struct control_server *server)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        count += server->clients[i].sock >= 0 && server->clients[i].level > 0;
    return count;
}

static char *begin_to_follow(struct control_server *server, struct control_client *client)
{
    if (count_followers(server) <= CONTROL_FOLLOWERS_MAX)
        return malloc(CONTROL_FOLLOW_BYTES);
    client->level = 0;
    return strdup("{\"error\":\"too many processes follow already\"}\n");
}

static void begin_answer(struct control_server *server, struct control_client *client)
{
    client->request[client->request_bytes] = '\0';
    client->asked = 0;
    client->level = server->follows ? server->follows(server->context, client->request) : 0;
    client->answer = client->level ? begin_to_follow(server, client)
                                   : server->answer(server->context, client->request);
    note_progress(client);
    if (!client->answer)
        hang_up(server, client);
    else if (client->level == 0)
        client->answer_bytes = strlen(client->answer);
}

/* A request ends where the client shuts down its side. */
static void listen_to(struct control_server *server, struct control_client *client)
{
    size_t room;
    ssize_t got;

    do {
        room = sizeof(client->request) - 1 - client->request_bytes;
        got = recv(client->sock, client->request + client->request_bytes, room, 0);
        client->request_bytes += got > 0 ? (size_t)got : 0;
    } while (got > 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got < 0 || room == 0)
        hang_up(server, client);
    else
        client->asked = ++server->asked;
}

static void send_answer(struct control_server *server, struct control_client *client)
{
    ssize_t sent = send(client->sock, client->answer + client->sent_bytes,
        client->answer_bytes - client->sent_bytes, MSG_NOSIGNAL);

    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (sent > 0) {
        client->sent_bytes += (size_t)sent;
        note_progress(client);
    }
    if (sent < 0 || (client->sent_bytes == client->answer_bytes && client->level == 0))
        hang_up(server, client);
    else if (client->sent_bytes == client->answer_bytes)
        client->sent_bytes = client->answer_bytes = 0;
}

static void serve_client(
    struct control_server *server, struct control_client *client, uint32_t events)
{
    if (client->sock < 0 || client->asked > 0)
        return;
    if (control_turns_is_idle(client)) {
        if (events & (EPOLLHUP | EPOLLERR))
            hang_up(server, client);
        return;
    }
    if (!client->answer) {
        listen_to(server, client);
        return;
    }
    send_answer(server, client);
    if (client->sock >= 0)
        watch_client(server, client);
}

/* Answers one of the open requests: an answer may take a while. The others wake the server again.
 */
static void answer_next(struct control_server *server)
{
    struct control_client *client = control_turns_next(server);

    if (!client)
        return;
    begin_answer(server, client);
    if (client->sock >= 0 && client->answer_bytes > 0)
        send_answer(server, client);
    if (client->sock >= 0)
        watch_client(server, client);
}

void control_server_poll(struct control_server *server)
{
    struct epoll_event events[EVENTS_MAX];
    int count = epoll_wait(server->epoll_fd, events, EVENTS_MAX, 0);

    for (int i = 0; i < count; i++) {
        uint32_t name = events[i].data.u32;

        if (name == LISTENER)
            admit_clients(server);
        else if (name == TIMER)
            hang_up_late(server);
        else
            serve_client(server, &server->clients[name], events[i].events);
    }
    answer_next(server);
    if (count > 0)
        set_ticking(server);
}

/* ---- followers ------------------------------------------------------------------------------- */

static bool append_text(struct control_client *client, const char *text, size_t length)
{
    memmove(client->answer, client->answer + client->sent_bytes,
        client->answer_bytes - client->sent_bytes);
    client->answer_bytes -= client->sent_bytes;
    client->sent_bytes = 0;
    if (length > CONTROL_FOLLOW_BYTES - client->answer_bytes)
        return false;
    memcpy(client->answer + client->answer_bytes, text, length);
    client->answer_bytes += length;
    return true;
}

uint32_t control_server_tell(struct control_server *server, const char *text, uint32_t level)
{
    size_t length = strlen(text);
    uint32_t missed = 0;

    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        struct control_client *client = &server->clients[i];

        if (client->sock < 0 || !client->answer || client->level < level)
            continue;
        if (control_turns_is_idle(client))
            note_progress(client);
        missed += !append_text(client, text, length);
        watch_client(server, client);
    }
    return missed;
}
