/* SPDX-License-Identifier: Apache-2.0 */
/* How the two ends of a shared-memory port meet: what both do, and the client. */
#include "pktio/shm_meet.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "pktio/unix_address.h"

enum { RETRY_MS = 5 };

const char shm_meet_hello[8] = { 'M', 'R', 'C', 'H', 'E', 'L', 'L', 'O' };
const char shm_meet_welcome[8] = { 'M', 'R', 'C', 'W', 'E', 'L', 'C', 'O' };

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

/* ---- both ends ------------------------------------------------------------------------------- */

void shm_meet_close(int descriptors[SHM_MEET_COUNT])
{
    for (uint32_t i = 0; i < SHM_MEET_COUNT; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
}

int shm_meet_make_port(int sock, int descriptors[SHM_MEET_COUNT], const struct shm_welcome *welcome,
    bool is_server, struct pktio_port **out)
{
    struct shm_port *shm = calloc(1, sizeof(*shm));
    size_t ring_bytes = (size_t)welcome->ring_bytes;
    int mine = descriptors[is_server ? SHM_MEET_SERVER_BELL : SHM_MEET_CLIENT_BELL];
    int peers = descriptors[is_server ? SHM_MEET_CLIENT_BELL : SHM_MEET_SERVER_BELL];
    uint8_t *memory;

    if (!shm)
        return -ENOMEM;
    memory = mmap(NULL, 2 * ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
        descriptors[SHM_MEET_MEMORY], 0);
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
    close(descriptors[SHM_MEET_MEMORY]);
    descriptors[SHM_MEET_MEMORY] = -1;
    pktio_port_keep(&shm->port, sock);
    pktio_port_keep(&shm->port, mine);
    pktio_port_keep(&shm->port, peers);
    *out = &shm->port;
    return 0;
}

/* ---- client ---------------------------------------------------------------------------------- */

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
    ssize_t length = recvmsg(sock, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    if (length < 0)
        return errno == EAGAIN ? -ETIMEDOUT : -errno;
    if (length != sizeof(*welcome) || memcmp(welcome->magic, shm_meet_welcome, 8) != 0 ||
        welcome->version != SHM_PORT_VERSION)
        return -EPROTO;
    if (welcome->refusal)
        return -(int)(welcome->refusal & 0xfff);
    if (!header || header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len != CMSG_LEN(SHM_MEET_COUNT * sizeof(int)))
        return -EPROTO;
    memcpy(descriptors, CMSG_DATA(header), SHM_MEET_COUNT * sizeof(int));
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
    uint64_t until_ms = now_ms() + (config->wait_ms ? config->wait_ms : SHM_MEET_WAIT_MS);
    struct timeval patience = { .tv_sec = 5 };
    struct sockaddr_un address;
    int err = unix_address_set(&address, config->path);
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
        nanosleep(&(struct timespec){ .tv_nsec = RETRY_MS * 1000000L }, NULL);
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
    int descriptors[SHM_MEET_COUNT] = { -1, -1, -1 };
    struct shm_welcome welcome = { .ring_bytes = 0 };
    int sock = -1;
    int err = connect_to(config, &sock);

    if (err)
        return err;
    memcpy(hello.magic, shm_meet_hello, sizeof(hello.magic));
    snprintf(hello.name, sizeof(hello.name), "%s", config->name ? config->name : "");
    err = send(sock, &hello, sizeof(hello), MSG_NOSIGNAL) < 0
              ? -errno
              : receive_welcome(sock, &welcome, descriptors);
    if (!err && !memory_is_sound(descriptors[SHM_MEET_MEMORY], welcome.ring_bytes))
        err = -EPROTO;
    if (!err)
        err = shm_meet_make_port(sock, descriptors, &welcome, false, out);
    if (err) {
        shm_meet_close(descriptors);
        close(sock);
    }
    return err;
}
