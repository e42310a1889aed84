/* SPDX-License-Identifier: Apache-2.0 */
/* How the two ends of a shared-memory port meet: the server, who makes the memory. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/power.h"
#include "pktio/shm_meet.h"
#include "pktio/unix_address.h"

enum {
    DEFAULT_MTU = 4352,
    DEFAULT_SLOTS = 256,
    SLOTS_MIN = 128,
    SLOTS_MAX = 65536,
    MTU_MAX = 16384,
    PAGE = 4096,
};

int shm_port_listen(const char *path)
{
    struct sockaddr_un address;
    int err = unix_address_set(&address, path);
    int sock;

    if (err)
        return err;
    sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (sock < 0)
        return -errno;
    unlink(path);
    if (bind(sock, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(sock, 128) < 0) {
        err = -errno;
        close(sock);
        return err;
    }
    return sock;
}

static int make_memory(uint32_t slot_count, uint32_t slot_bytes, size_t ring_bytes)
{
    int memory = memfd_create("mrc-port", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    uint8_t *mapped;
    int err;

    if (memory < 0)
        return -errno;
    if (ftruncate(memory, (off_t)(2 * ring_bytes)) < 0)
        goto fail;
    mapped = mmap(NULL, 2 * ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (mapped == MAP_FAILED)
        goto fail;
    frame_ring_format(mapped, slot_count, slot_bytes);
    frame_ring_format(mapped + ring_bytes, slot_count, slot_bytes);
    munmap(mapped, 2 * ring_bytes);
    if (fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        goto fail;
    return memory;

fail:
    err = -errno;
    close(memory);
    return err;
}

static uint32_t choose(uint32_t wish, uint32_t offer, uint32_t fallback)
{
    return offer ? offer : wish ? wish : fallback;
}

static int make_shared(const struct shm_port_config *config, const struct shm_hello *hello,
    struct shm_welcome *welcome, int descriptors[SHM_MEET_COUNT])
{
    uint32_t slots = power_of_two_at_least(
        choose(hello->slot_count % (SLOTS_MAX + 1), config->slot_count, DEFAULT_SLOTS));
    uint32_t mtu = choose(hello->mtu_bytes % (MTU_MAX + 1), config->mtu_bytes, DEFAULT_MTU);
    size_t ring_bytes;

    slots = slots < SLOTS_MIN ? SLOTS_MIN : slots;
    ring_bytes = frame_ring_bytes(slots, frame_ring_slot_bytes(mtu));
    ring_bytes = (ring_bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
    *welcome = (struct shm_welcome){ .version = SHM_PORT_VERSION,
        .ring_bytes = ring_bytes,
        .rate_bps = config->rate_bps,
        .mtu_bytes = mtu,
        .link_up = 1 };
    memcpy(welcome->magic, shm_meet_welcome, sizeof(welcome->magic));
    descriptors[SHM_MEET_MEMORY] = make_memory(slots, frame_ring_slot_bytes(mtu), ring_bytes);
    descriptors[SHM_MEET_CLIENT_BELL] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    descriptors[SHM_MEET_SERVER_BELL] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    for (uint32_t i = 0; i < SHM_MEET_COUNT; i++)
        if (descriptors[i] < 0)
            return -EMFILE;
    return 0;
}

static int send_welcome(int sock, const struct shm_welcome *welcome, const int *descriptors)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(SHM_MEET_COUNT * sizeof(int))];
    } control = { .bytes = { 0 } };
    struct iovec iov = { .iov_base = (void *)(uintptr_t)welcome, .iov_len = sizeof(*welcome) };
    struct msghdr message = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(SHM_MEET_COUNT * sizeof(int));
    memcpy(CMSG_DATA(header), descriptors, SHM_MEET_COUNT * sizeof(int));
    return sendmsg(sock, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int receive_hello(int sock, struct shm_hello *hello)
{
    struct timeval patience = { .tv_sec = 1 };

    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (recv(sock, hello, sizeof(*hello), 0) != sizeof(*hello) ||
        memcmp(hello->magic, shm_meet_hello, sizeof(hello->magic)) != 0 ||
        hello->version != SHM_PORT_VERSION)
        return -EPROTO;
    hello->name[sizeof(hello->name) - 1] = '\0';
    return 0;
}

int shm_port_accept(int listener, const struct shm_port_config *config, struct shm_hello *hello,
    struct pktio_port **out)
{
    int descriptors[SHM_MEET_COUNT] = { -1, -1, -1 };
    struct shm_welcome welcome;
    int sock = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    int err;

    if (sock < 0)
        return -errno;
    err = receive_hello(sock, hello);
    if (!err)
        err = make_shared(config, hello, &welcome, descriptors);
    if (!err)
        err = send_welcome(sock, &welcome, descriptors);
    if (!err)
        err = shm_meet_make_port(sock, descriptors, &welcome, true, out);
    if (err) {
        shm_meet_close(descriptors);
        close(sock);
    }
    return err;
}

int shm_port_serve(const struct shm_port_config *config, struct pktio_port **out)
{
    int wait_ms = (int)(config->wait_ms ? config->wait_ms : SHM_MEET_WAIT_MS);
    int listener = shm_port_listen(config->path);
    struct pollfd poll_fd = { .fd = listener, .events = POLLIN };
    struct shm_hello hello;
    int err;

    if (listener < 0)
        return listener;
    err = poll(&poll_fd, 1, wait_ms) == 1 ? shm_port_accept(listener, config, &hello, out)
                                          : -ETIMEDOUT;
    close(listener);
    unlink(config->path);
    return err;
}
