/* SPDX-License-Identifier: Apache-2.0 */
/* How the two ends of a shared-memory port meet: see shm_port.h. */
#include "pktio/shm_meet.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/power.h"

enum {
    DEFAULT_MTU = 4352,
    DEFAULT_SLOTS = 256,
    SLOTS_MIN = 128,
    SLOTS_MAX = 65536,
    MTU_MAX = 16384,
    DEFAULT_WAIT_MS = 10000,
    RETRY_MS = 5,
    PAGE = 4096,
};

enum { FD_MEMORY, FD_CLIENT_BELL, FD_SERVER_BELL, FD_COUNT };

static const char hello_magic[8] = { 'M', 'R', 'C', 'H', 'E', 'L', 'L', 'O' };
static const char welcome_magic[8] = { 'M', 'R', 'C', 'W', 'E', 'L', 'C', 'O' };

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

static int fill_address(struct sockaddr_un *address, const char *path)
{
    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof(address->sun_path))
        return -ENAMETOOLONG;
    strcpy(address->sun_path, path);
    return 0;
}

/* ---- both ends ------------------------------------------------------------------------------- */

static void close_all(int descriptors[FD_COUNT])
{
    for (uint32_t i = 0; i < FD_COUNT; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
}

/* Takes the descriptors over, whatever comes of it. */
static int make_port(int sock, int descriptors[FD_COUNT], const struct shm_welcome *welcome,
    bool is_server, struct pktio_port **out)
{
    struct shm_port *shm = calloc(1, sizeof(*shm));
    size_t ring_bytes = (size_t)welcome->ring_bytes;
    int mine = descriptors[is_server ? FD_SERVER_BELL : FD_CLIENT_BELL];
    int peers = descriptors[is_server ? FD_CLIENT_BELL : FD_SERVER_BELL];
    uint8_t *memory;

    if (!shm)
        return -ENOMEM;
    memory = mmap(NULL, 2 * ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
        descriptors[FD_MEMORY], 0);
    if (memory == MAP_FAILED) {
        free(shm);
        return -errno;
    }
    madvise(memory, 2 * ring_bytes, MADV_DONTFORK);
    shm->memory = memory;
    shm->memory_bytes = 2 * ring_bytes;
    shm->is_server = is_server;
    shm->port = (struct pktio_port){ .ops = &shm_ops,
        .mtu_bytes = welcome->mtu_bytes,
        .rate_bps = welcome->rate_bps,
        .data_fd = mine,
        .link_fd = sock,
        .events = POLLIN };
    atomic_init(&shm->port.link_up, welcome->link_up != 0);
    if (!frame_ring_attach(&shm->out, memory + (is_server ? ring_bytes : 0), ring_bytes, peers) ||
        !frame_ring_attach(&shm->in, memory + (is_server ? 0 : ring_bytes), ring_bytes, peers) ||
        welcome->mtu_bytes > shm->out.slot_bytes - FRAME_RING_SLOT_HEADER) {
        munmap(memory, 2 * ring_bytes);
        free(shm);
        return -EPROTO;
    }
    close(descriptors[FD_MEMORY]);
    descriptors[FD_MEMORY] = -1;
    pktio_port_keep(&shm->port, sock);
    pktio_port_keep(&shm->port, mine);
    pktio_port_keep(&shm->port, peers);
    *out = &shm->port;
    return 0;
}

/* ---- client ---------------------------------------------------------------------------------- */

static int receive_welcome(int sock, struct shm_welcome *welcome, int descriptors[FD_COUNT])
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(FD_COUNT * sizeof(int))];
    } control;
    struct iovec iov = { .iov_base = welcome, .iov_len = sizeof(*welcome) };
    struct msghdr message = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
    };
    ssize_t length = recvmsg(sock, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    if (length < 0)
        return errno == EAGAIN ? -ETIMEDOUT : -errno;
    if (length != sizeof(*welcome) || memcmp(welcome->magic, welcome_magic, 8) != 0 ||
        welcome->version != SHM_PORT_VERSION)
        return -EPROTO;
    if (welcome->refusal)
        return -(int)(welcome->refusal & 0xfff);
    if (!header || header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len != CMSG_LEN(FD_COUNT * sizeof(int)))
        return -EPROTO;
    memcpy(descriptors, CMSG_DATA(header), FD_COUNT * sizeof(int));
    return 0;
}

/* Nobody may cut off memory that we will touch. */
static bool memory_is_sound(int memory, uint64_t ring_bytes)
{
    struct stat status;
    int seals = fcntl(memory, F_GET_SEALS);

    return seals >= 0 && (seals & F_SEAL_SHRINK) && fstat(memory, &status) == 0 &&
           ring_bytes <= UINT32_MAX && (uint64_t)status.st_size >= 2 * ring_bytes;
}

static int connect_to(const struct shm_port_config *config, int *out)
{
    uint64_t until_ms = now_ms() + (config->wait_ms ? config->wait_ms : DEFAULT_WAIT_MS);
    struct timeval patience = { .tv_sec = 5 };
    struct sockaddr_un address;
    int err = fill_address(&address, config->path);
    int sock;

    if (err)
        return err;
    sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (sock < 0)
        return -errno;
    while (connect(sock, (struct sockaddr *)&address, sizeof(address)) < 0) {
        err = -errno;
        if ((err != -ENOENT && err != -ECONNREFUSED) || now_ms() >= until_ms) {
            close(sock);
            return err;
        }
        nanosleep(&(struct timespec){ .tv_nsec = RETRY_MS * 1000000 }, NULL);
    }
    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    *out = sock;
    return 0;
}

int shm_port_connect(const struct shm_port_config *config, struct pktio_port **out)
{
    struct shm_hello hello = { .version = SHM_PORT_VERSION,
        .port = config->port,
        .slot_count = config->slot_count,
        .mtu_bytes = config->mtu_bytes };
    int descriptors[FD_COUNT] = { -1, -1, -1 };
    struct shm_welcome welcome;
    int sock = -1;
    int err = connect_to(config, &sock);

    if (err)
        return err;
    memcpy(hello.magic, hello_magic, sizeof(hello.magic));
    snprintf(hello.name, sizeof(hello.name), "%s", config->name ? config->name : "");
    err = send(sock, &hello, sizeof(hello), MSG_NOSIGNAL) < 0
              ? -errno
              : receive_welcome(sock, &welcome, descriptors);
    if (!err && !memory_is_sound(descriptors[FD_MEMORY], welcome.ring_bytes))
        err = -EPROTO;
    if (!err)
        err = make_port(sock, descriptors, &welcome, false, out);
    if (err) {
        close_all(descriptors);
        close(sock);
    }
    return err;
}

/* ---- server ---------------------------------------------------------------------------------- */

int shm_port_listen(const char *path)
{
    struct sockaddr_un address;
    int err = fill_address(&address, path);
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
    struct shm_welcome *welcome, int descriptors[FD_COUNT])
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
    memcpy(welcome->magic, welcome_magic, sizeof(welcome->magic));
    descriptors[FD_MEMORY] = make_memory(slots, frame_ring_slot_bytes(mtu), ring_bytes);
    descriptors[FD_CLIENT_BELL] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    descriptors[FD_SERVER_BELL] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    for (uint32_t i = 0; i < FD_COUNT; i++)
        if (descriptors[i] < 0)
            return -EMFILE;
    return 0;
}

static int send_welcome(int sock, const struct shm_welcome *welcome, const int *descriptors)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(FD_COUNT * sizeof(int))];
    } control = { .bytes = { 0 } };
    struct iovec iov = { .iov_base = (void *)(uintptr_t)welcome, .iov_len = sizeof(*welcome) };
    struct msghdr message = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(FD_COUNT * sizeof(int));
    memcpy(CMSG_DATA(header), descriptors, FD_COUNT * sizeof(int));
    return sendmsg(sock, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int receive_hello(int sock, struct shm_hello *hello)
{
    struct timeval patience = { .tv_sec = 1 };

    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (recv(sock, hello, sizeof(*hello), 0) != sizeof(*hello) ||
        memcmp(hello->magic, hello_magic, sizeof(hello->magic)) != 0 ||
        hello->version != SHM_PORT_VERSION)
        return -EPROTO;
    hello->name[sizeof(hello->name) - 1] = '\0';
    return 0;
}

int shm_port_accept(int listener, const struct shm_port_config *config, struct shm_hello *hello,
    struct pktio_port **out)
{
    int descriptors[FD_COUNT] = { -1, -1, -1 };
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
        err = make_port(sock, descriptors, &welcome, true, out);
    if (err) {
        close_all(descriptors);
        close(sock);
    }
    return err;
}

int shm_port_serve(const struct shm_port_config *config, struct pktio_port **out)
{
    int wait_ms = (int)(config->wait_ms ? config->wait_ms : DEFAULT_WAIT_MS);
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
