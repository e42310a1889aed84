/* SPDX-License-Identifier: Apache-2.0 */
/* Sends the hello of a client of a shared-memory port and checks the answer. */
#include "pktio/shm_call.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "pktio/doorbell.h"

int shm_call_server(const struct sockaddr_un *address, const struct shm_hello *hello)
{
    int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int err;

    if (sock < 0)
        return -errno;
    if (connect(sock, (const struct sockaddr *)address, sizeof(*address)) == 0 &&
        send(sock, hello, sizeof(*hello), MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
        return sock;
    err = -errno;
    close(sock);
    return err;
}

/* Returns the number of descriptors received. The caller closes all of them. */
static uint32_t take_descriptors(struct msghdr *message, int descriptors[SHM_MEET_COUNT])
{
    struct cmsghdr *header = CMSG_FIRSTHDR(message);
    size_t bytes;

    for (uint32_t i = 0; i < SHM_MEET_COUNT; i++)
        descriptors[i] = -1;
    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len < CMSG_LEN(0))
        return 0;
    bytes = header->cmsg_len - CMSG_LEN(0);
    if (bytes > SHM_MEET_COUNT * sizeof(int))
        bytes = SHM_MEET_COUNT * sizeof(int);
    memcpy(descriptors, CMSG_DATA(header), bytes);
    return (uint32_t)(bytes / sizeof(int));
}

static int check_welcome(const struct shm_welcome *welcome, ssize_t length, uint32_t count)
{
    if (length != sizeof(*welcome) || memcmp(welcome->magic, shm_meet_welcome, 8) != 0)
        return -EPROTO;
    if (welcome->version != SHM_PORT_VERSION)
        return -EPROTONOSUPPORT;
    if (welcome->refusal)
        return -(int)(welcome->refusal & 0xfff);
    return count == SHM_MEET_COUNT ? 0 : -EPROTO;
}

/* Returns -EAGAIN if nothing has arrived, and -ECONNRESET if the server has closed the connection.
 * Descriptors that are not -1 always belong to the caller. */
static int receive_welcome(int sock, struct shm_welcome *welcome, int descriptors[SHM_MEET_COUNT])
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(SHM_MEET_COUNT * sizeof(int))];
    } control;
    struct iovec iov = { .iov_base = welcome, .iov_len = sizeof(*welcome) };
    struct msghdr message = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
    };
    ssize_t length = recvmsg(sock, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

    if (length < 0)
        return -errno;
    if (length == 0)
        return -ECONNRESET;
    return check_welcome(welcome, length, take_descriptors(&message, descriptors));
}

/* Checks that the server can neither truncate the memory nor run out of it: it must be a sealed
 * memfd of tmpfs, neither a file nor huge pages. */
static bool memory_is_sound(int memory, uint64_t ring_bytes)
{
    int seals = fcntl(memory, F_GET_SEALS);
    struct statfs system;
    struct stat status;

    return seals >= 0 && (seals & F_SEAL_SHRINK) && fstatfs(memory, &system) == 0 &&
           system.f_type == TMPFS_MAGIC && fstat(memory, &status) == 0 &&
           ring_bytes <= SHM_MEET_RING_BYTES_MAX && (uint64_t)status.st_size >= 2 * ring_bytes;
}

static int take_bells(int descriptors[SHM_MEET_COUNT])
{
    int err = 0;

    for (uint32_t i = SHM_MEET_CLIENT_BELL; i <= SHM_MEET_SERVER_BELL; i++) {
        descriptors[i] = doorbell_take(descriptors[i]);
        if (descriptors[i] < 0)
            err = descriptors[i];
    }
    return err;
}

int shm_call_hear(int sock, struct shm_rings *rings, bool *link_up)
{
    int descriptors[SHM_MEET_COUNT] = { -1, -1, -1 };
    struct shm_welcome welcome;
    int err = receive_welcome(sock, &welcome, descriptors);

    if (!err && !memory_is_sound(descriptors[SHM_MEET_MEMORY], welcome.ring_bytes))
        err = -EPROTO;
    if (!err)
        err = take_bells(descriptors);
    if (!err)
        err = shm_meet_map(rings, descriptors, &welcome, false);
    *link_up = !err && welcome.link_up != 0;
    for (uint32_t i = 0; i < SHM_MEET_COUNT; i++)
        if (descriptors[i] >= 0 && (err || i == SHM_MEET_MEMORY))
            close(descriptors[i]);
    return err;
}
