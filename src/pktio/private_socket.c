/* SPDX-License-Identifier: Apache-2.0 */
/* Makes sockets that only their user can connect to. */
#include "pktio/private_socket.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pktio/unix_address.h"

/* The mode of an unbound socket becomes the mode of its file. */
int private_socket_listen(const char *path, int type, int backlog)
{
    struct sockaddr_un address;
    int err = unix_address_set(&address, path);
    int sock;

    if (err)
        return err;
    sock = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (sock < 0)
        return -errno;
    unlink(path);
    if (fchmod(sock, 0600) == 0 &&
        bind(sock, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
        listen(sock, backlog) == 0)
        return sock;
    err = -errno;
    close(sock);
    return err;
}

bool private_socket_is_served(const char *path)
{
    struct sockaddr_un address;
    int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool is_served =
        sock >= 0 && unix_address_set(&address, path) == 0 &&
        (connect(sock, (const struct sockaddr *)&address, sizeof(address)) == 0 || errno == EAGAIN);

    private_socket_close(&sock);
    return is_served;
}

void private_socket_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}
