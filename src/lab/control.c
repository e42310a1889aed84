/* SPDX-License-Identifier: Apache-2.0 */
/* The asking side. */
#include "lab/control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int connect_to(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int sock;
    int err;

    if (strlen(path) >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (sock < 0)
        return -errno;
    if (connect(sock, (const struct sockaddr *)&address, sizeof(address)) == 0)
        return sock;
    err = -errno;
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
        if (got < 0)
            break;
        if (got == 0) {
            all[length] = '\0';
            *text = all;
            return 0;
        }
        length += (size_t)got;
        if (room - length > 1)
            continue;
        room *= 2;
        more = realloc(all, room);
        if (!more)
            break;
        all = more;
    }
    free(all);
    return all ? -errno : -ENOMEM;
}

int control_ask(const char *socket_path, const char *request, char **answer)
{
    int sock = connect_to(socket_path);
    size_t length = strlen(request);
    int err = 0;

    if (sock < 0)
        return sock;
    if (send(sock, request, length, MSG_NOSIGNAL) != (ssize_t)length)
        err = errno ? -errno : -EIO;
    if (!err)
        shutdown(sock, SHUT_WR);
    if (!err)
        err = read_all(sock, answer);
    close(sock);
    return err;
}
