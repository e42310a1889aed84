/* SPDX-License-Identifier: Apache-2.0 */
/* The answering side. */
#include "pktio/control_server.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "pktio/unix_address.h"

static bool somebody_answers(const struct sockaddr_un *address)
{
    int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool answers =
        sock >= 0 &&
        (connect(sock, (const struct sockaddr *)address, sizeof(*address)) == 0 || errno == EAGAIN);

    if (sock >= 0)
        close(sock);
    return answers;
}

/* What is left of a process that has died is in the way. */
static int bind_and_listen(int listener, const struct sockaddr_un *address)
{
    if (somebody_answers(address))
        return -EADDRINUSE;
    unlink(address->sun_path);
    if (bind(listener, (const struct sockaddr *)address, sizeof(*address)) != 0 ||
        chmod(address->sun_path, 0600) != 0 || listen(listener, CONTROL_CLIENTS_MAX) != 0)
        return -errno;
    return 0;
}

int control_server_open(struct control_server *server, const char *socket_path)
{
    struct sockaddr_un address;
    int err;

    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        server->clients[i].sock = -1;
    server->listener = -1;
    err = unix_address_set(&address, socket_path);
    if (err)
        return err;
    server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (server->listener < 0)
        return -errno;
    err = bind_and_listen(server->listener, &address);
    if (err) {
        close(server->listener);
        server->listener = -1;
    }
    return err;
}

static void hang_up(struct control_client *client)
{
    close(client->sock);
    free(client->answer);
    *client = (struct control_client){ .sock = -1 };
}

void control_server_close(struct control_server *server)
{
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        if (server->clients[i].sock >= 0)
            hang_up(&server->clients[i]);
    if (server->listener >= 0)
        close(server->listener);
    server->listener = -1;
}

static void admit(struct control_server *server)
{
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        struct control_client *client = &server->clients[i];

        if (client->sock >= 0)
            continue;
        client->sock = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (client->sock < 0)
            return;
    }
}

static void begin_answer(struct control_server *server, struct control_client *client)
{
    client->request[client->request_bytes] = '\0';
    client->level = server->follows ? server->follows(server->context, client->request) : 0;
    client->answer = client->level ? malloc(CONTROL_FOLLOW_BYTES)
                                   : server->answer(server->context, client->request);
    if (!client->answer)
        hang_up(client);
    else if (client->level == 0)
        client->answer_bytes = strlen(client->answer);
}

/* A request ends where the client stops sending. */
static void listen_to(struct control_server *server, struct control_client *client)
{
    size_t room = sizeof(client->request) - 1 - client->request_bytes;
    ssize_t got = recv(client->sock, client->request + client->request_bytes, room, 0);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got < 0 || room == 0) {
        hang_up(client);
        return;
    }
    client->request_bytes += (size_t)got;
    if (got == 0)
        begin_answer(server, client);
}

static bool has_left(const struct control_client *client)
{
    struct pollfd fd = { .fd = client->sock };

    return poll(&fd, 1, 0) == 1;
}

static void answer(struct control_client *client)
{
    ssize_t sent = send(client->sock, client->answer + client->sent_bytes,
        client->answer_bytes - client->sent_bytes, MSG_NOSIGNAL);

    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (sent > 0)
        client->sent_bytes += (size_t)sent;
    if (sent < 0 || (client->sent_bytes == client->answer_bytes && client->level == 0))
        hang_up(client);
    else if (client->sent_bytes == client->answer_bytes)
        client->sent_bytes = client->answer_bytes = 0;
}

static bool is_idle(const struct control_client *client)
{
    return client->level > 0 && client->sent_bytes == client->answer_bytes;
}

static void serve(struct control_server *server, struct control_client *client)
{
    if (!client->answer)
        listen_to(server, client);
    if (client->sock < 0 || !client->answer)
        return;
    if (!is_idle(client))
        answer(client);
    else if (has_left(client))
        hang_up(client);
}

void control_server_poll(struct control_server *server)
{
    admit(server);
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        if (server->clients[i].sock >= 0)
            serve(server, &server->clients[i]);
}

static bool append(struct control_client *client, const char *text, size_t length)
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

        if (client->sock >= 0 && client->answer && client->level >= level)
            missed += !append(client, text, length);
    }
    return missed;
}

uint32_t control_server_followers(const struct control_server *server)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        count += server->clients[i].sock >= 0 && server->clients[i].level > 0;
    return count;
}

uint32_t control_server_waits(
    const struct control_server *server, struct control_wait out[static CONTROL_CLIENTS_MAX + 1])
{
    uint32_t count = 0;

    out[count++] = (struct control_wait){ .fd = server->listener };
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        const struct control_client *client = &server->clients[i];

        if (client->sock >= 0)
            out[count++] = (struct control_wait){ .fd = client->sock,
                .writes = client->answer && !is_idle(client),
                .is_idle = client->answer && is_idle(client) };
    }
    return count;
}
