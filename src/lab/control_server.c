/* SPDX-License-Identifier: Apache-2.0 */
/* The answering side. */
#include "lab/control_server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int control_server_open(struct control_server *server, const char *socket_path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int err;

    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        server->clients[i].sock = -1;
    server->listener = -1;
    if (strlen(socket_path) >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    strcpy(address.sun_path, socket_path);
    server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (server->listener < 0)
        return -errno;
    unlink(socket_path);
    if (bind(server->listener, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
        listen(server->listener, CONTROL_CLIENTS_MAX) == 0)
        return 0;
    err = -errno;
    close(server->listener);
    server->listener = -1;
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
    if (got > 0)
        return;
    client->request[client->request_bytes] = '\0';
    client->answer = server->answer(server->context, client->request);
    if (client->answer)
        client->answer_bytes = strlen(client->answer);
    else
        hang_up(client);
}

static void answer(struct control_client *client)
{
    ssize_t sent = send(client->sock, client->answer + client->sent_bytes,
        client->answer_bytes - client->sent_bytes, MSG_NOSIGNAL);

    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (sent > 0)
        client->sent_bytes += (size_t)sent;
    if (sent < 0 || client->sent_bytes == client->answer_bytes)
        hang_up(client);
}

void control_server_poll(struct control_server *server)
{
    admit(server);
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        struct control_client *client = &server->clients[i];

        if (client->sock >= 0 && !client->answer)
            listen_to(server, client);
        if (client->sock >= 0 && client->answer)
            answer(client);
    }
}

uint32_t control_server_waits(
    const struct control_server *server, struct control_wait out[static CONTROL_CLIENTS_MAX + 1])
{
    uint32_t count = 0;

    out[count++] = (struct control_wait){ .fd = server->listener };
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        if (server->clients[i].sock >= 0)
            out[count++] = (struct control_wait){ .fd = server->clients[i].sock,
                .writes = server->clients[i].answer != NULL };
    return count;
}
