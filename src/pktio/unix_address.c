/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of Unix sockets. */
#include "pktio/unix_address.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

int unix_address_set(struct sockaddr_un *address, const char *path)
{
    size_t length = strlen(path);

    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    if (length >= sizeof(address->sun_path))
        return -ENAMETOOLONG;
    memcpy(address->sun_path, path, length + 1);
    return 0;
}
