/* SPDX-License-Identifier: Apache-2.0 */
/* Shared-memory ports, bare. */
#include "raw_attach.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { DESCRIPTORS = 3, FDS_MAX = 32, PATIENCE_MS = 2000 };

int raw_attach_connect(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    if (sock >= 0 && connect(sock, (struct sockaddr *)&address, sizeof(address)) == 0)
        return sock;
    if (sock >= 0)
        close(sock);
    return -1;
}

struct shm_hello raw_attach_hello(const char *name, uint32_t port)
{
    struct shm_hello hello = { .magic = { 'M', 'R', 'C', 'H', 'E', 'L', 'L', 'O' },
        .version = SHM_PORT_VERSION,
        .port = port };

    snprintf(hello.name, sizeof(hello.name), "%s", name);
    return hello;
}

void raw_attach_say(int sock, const void *bytes, size_t length, const int *fds, uint32_t fd_count)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
    } control = { .bytes = { 0 } };
    struct iovec iov = { .iov_base = (void *)(uintptr_t)bytes, .iov_len = length };
    struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };

    if (fd_count > 0) {
        struct cmsghdr *header = &control.header;

        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
        memcpy(CMSG_DATA(header), fds, fd_count * sizeof(int));
    }
    if (sendmsg(sock, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        return;
}

static bool receive_welcome(int sock, struct shm_welcome *welcome, int fds[DESCRIPTORS])
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
    } control;
    struct iovec iov = { .iov_base = welcome, .iov_len = sizeof(*welcome) };
    struct msghdr message = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
    };
    struct pollfd poll_fd = { .fd = sock, .events = POLLIN };
    struct cmsghdr *header;

    if (poll(&poll_fd, 1, PATIENCE_MS) != 1 ||
        recvmsg(sock, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != sizeof(*welcome))
        return false;
    header = CMSG_FIRSTHDR(&message);
    if (welcome->refusal || !header || header->cmsg_len != CMSG_LEN(DESCRIPTORS * sizeof(int)))
        return false;
    memcpy(fds, CMSG_DATA(header), DESCRIPTORS * sizeof(int));
    return true;
}

static bool map(struct raw_attach *raw, const struct shm_welcome *welcome)
{
    raw->ring_bytes = (size_t)welcome->ring_bytes;
    raw->memory =
        mmap(NULL, 2 * raw->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, raw->memory_fd, 0);
    if (raw->memory == MAP_FAILED)
        return false;
    raw->out = (struct frame_ring_shared *)raw->memory;
    raw->in = (struct frame_ring_shared *)(raw->memory + raw->ring_bytes);
    raw->slot_count = raw->out->slot_count;
    raw->slot_bytes = raw->out->slot_bytes;
    return true;
}

bool raw_attach_open(struct raw_attach *raw, const char *path, const struct shm_hello *hello)
{
    int fds[DESCRIPTORS] = { -1, -1, -1 };
    struct shm_welcome welcome;

    *raw = (struct raw_attach){ .sock = raw_attach_connect(path), .memory_fd = -1 };
    if (raw->sock < 0)
        return false;
    raw_attach_say(raw->sock, hello, sizeof(*hello), NULL, 0);
    if (!receive_welcome(raw->sock, &welcome, fds)) {
        close(raw->sock);
        raw->sock = -1;
        return false;
    }
    raw->memory_fd = fds[0];
    raw->own_bell = fds[1];
    raw->peer_bell = fds[2];
    if (map(raw, &welcome))
        return true;
    raw->memory = NULL;
    raw_attach_close(raw);
    return false;
}

void raw_attach_close(struct raw_attach *raw)
{
    if (raw->memory)
        munmap(raw->memory, 2 * raw->ring_bytes);
    close(raw->sock);
    close(raw->memory_fd);
    close(raw->own_bell);
    close(raw->peer_bell);
    *raw = (struct raw_attach){ .sock = -1 };
}

void raw_attach_put(
    struct raw_attach *raw, const uint8_t *bytes, uint32_t length, uint32_t claimed_length)
{
    uint32_t tail = atomic_load(&raw->out->tail);
    uint8_t *slot = (uint8_t *)raw->out + sizeof(*raw->out) +
                    (size_t)(tail & (raw->slot_count - 1)) * raw->slot_bytes;
    uint32_t room = raw->slot_bytes - FRAME_RING_SLOT_HEADER;

    memcpy(slot, &claimed_length, sizeof(claimed_length));
    memcpy(slot + FRAME_RING_SLOT_HEADER, bytes, length < room ? length : room);
    atomic_store(&raw->out->tail, tail + 1);
    if (atomic_exchange(&raw->out->consumer_sleeps, 0)) {
        uint64_t one = 1;

        if (write(raw->peer_bell, &one, sizeof(one)) < 0)
            return;
    }
}
