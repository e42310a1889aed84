/* SPDX-License-Identifier: Apache-2.0 */
/* The client side of the control socket. */
#include "pktio/control_client.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "pktio/unix_address.h"

enum {
    PATIENCE_S = 10,
    TRIES = 10,
    ANSWER_BYTES_MAX = 1 << 28,
};

static int connect_to(const char *path)
{
    const struct timeval patience = { .tv_sec = PATIENCE_S };
    struct sockaddr_un address;
    int err = unix_address_set(&address, path);
    int sock;
    int got;

    if (err)
        return err;
    sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (sock < 0)
        return -errno;
    setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)); /* and connect() */
    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    do /* also interrupted when a stopped process continues */
        got = connect(sock, (const struct sockaddr *)&address, sizeof(address));
    while (got != 0 && errno == EINTR);
    if (got == 0)
        return sock;
    err = errno == EAGAIN ? -ETIMEDOUT : -errno;
    close(sock);
    return err;
}

static int read_all(int sock, char **text)
{
    size_t length = 0;
    size_t room = 4096;
    char *all = malloc(room);

    while (all) {
        ssize_t got = read(sock, all + length, room - length - 1);
        char *more;

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            int err = errno == EAGAIN ? -ETIMEDOUT : -errno;

            free(all);
            return err;
        }
        if (got == 0) {
            all[length] = '\0';
            *text = all;
            return 0;
        }
        length += (size_t)got;
        if (room - length > 1)
            continue;
        room *= 2;
        more = room <= ANSWER_BYTES_MAX ? realloc(all, room) : NULL;
        if (!more)
            break;
        all = more;
    }
    free(all);
    return -ENOMEM;
}

static int send_request(const char *socket_path, const char *request)
{
    int sock = connect_to(socket_path);
    size_t length = strlen(request);

    if (sock < 0)
        return sock;
    if (send(sock, request, length, MSG_NOSIGNAL) == (ssize_t)length &&
        shutdown(sock, SHUT_WR) == 0)
        return sock;
    close(sock);
    return -EPIPE;
}

int control_follow(const char *socket_path, const char *request)
{
    const struct timeval forever = { 0 };
    int sock = send_request(socket_path, request);

    if (sock >= 0)
        setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof(forever));
    return sock;
}

static int ask_once(const char *socket_path, const char *request, char **answer)
{
    int sock = send_request(socket_path, request);
    char *text = NULL;
    int err;

    if (sock < 0)
        return sock;
    err = read_all(sock, &text);
    close(sock);
    if (text && text[0]) {
        *answer = text;
        return 0;
    }
    free(text);
    return err ? err : -EPIPE;
}

/* Tries again: a server with too many clients disconnects those that are slow to send. */
int control_ask(const char *socket_path, const char *request, char **answer)
{
    int err = -EPIPE;

    for (uint32_t i = 0; i < TRIES && (err == -EPIPE || err == -ECONNRESET); i++)
        err = ask_once(socket_path, request, answer);
    return err;
}
