/* SPDX-License-Identifier: Apache-2.0 */
/* The server of a shared-memory port accepts a client: it creates the memory. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/power.h"
#include "pktio/doorbell.h"
#include "pktio/monotonic.h"
#include "pktio/shm_lobby.h"
#include "pktio/shm_meet.h"

enum {
    DEFAULT_MTU = 4352,
    DEFAULT_SLOTS = 256,
    SLOTS_MIN = 128,
    PAGE = 4096,
};

/* The descriptors that both ends are going to share. */
struct shared {
    struct shm_welcome welcome;
    uint32_t slot_count;
    int own[SHM_MEET_COUNT];
    int peers[SHM_MEET_COUNT];
};

static void close_all(int descriptors[SHM_MEET_COUNT])
{
    for (uint32_t i = 0; i < SHM_MEET_COUNT; i++) {
        if (descriptors[i] >= 0)
            close(descriptors[i]);
        descriptors[i] = -1;
    }
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static uint32_t at_most(uint32_t number, uint32_t limit)
{
    return number < limit ? number : limit;
}

static uint32_t choose_size(uint32_t wish, uint32_t offer, uint32_t fallback)
{
    return offer ? offer : wish ? wish : fallback;
}

static void choose_sizes(
    const struct shm_port_config *config, const struct shm_hello *hello, struct shared *shared)
{
    uint32_t slots_max = config->slot_count_max ? config->slot_count_max : SHM_PORT_SLOTS_MAX;
    uint32_t slots =
        choose_size(at_most(hello->slot_count, slots_max), config->slot_count, DEFAULT_SLOTS);
    uint32_t mtu = choose_size(hello->mtu_bytes, config->mtu_bytes, DEFAULT_MTU);
    size_t ring_bytes;

    mtu = at_most(mtu, SHM_MEET_MTU_MAX);
    slots = power_of_two_at_least(at_most(slots, SHM_PORT_SLOTS_MAX));
    slots = slots < SLOTS_MIN ? SLOTS_MIN : slots;
    ring_bytes = frame_ring_bytes(slots, frame_ring_slot_bytes(mtu));
    shared->slot_count = slots;
    shared->welcome = (struct shm_welcome){ .version = SHM_PORT_VERSION,
        .ring_bytes = (ring_bytes + PAGE - 1) & ~(size_t)(PAGE - 1),
        .rate_bps = config->rate_bps,
        .mtu_bytes = mtu,
        .link_up = 1 };
    memcpy(shared->welcome.magic, shm_meet_welcome, sizeof(shared->welcome.magic));
}

size_t shm_lobby_bytes(const struct shm_port_config *config, const struct shm_lobby_call *call)
{
    struct shared shared;

    choose_sizes(config, &call->hello, &shared);
    return 2 * (size_t)shared.welcome.ring_bytes;
}

/* ---- memory and doorbells -------------------------------------------------------------------- */

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

static int make_bell(struct shared *shared, uint32_t which)
{
    int sides[2];
    int err = doorbell_open(sides);

    if (err)
        return err;
    shared->own[which] = sides[0];
    shared->peers[which] = sides[1];
    return 0;
}

static int make_shared(struct shared *shared)
{
    const struct shm_welcome *welcome = &shared->welcome;
    int memory = make_memory(
        shared->slot_count, frame_ring_slot_bytes(welcome->mtu_bytes), (size_t)welcome->ring_bytes);
    int err;

    for (uint32_t i = 0; i < SHM_MEET_COUNT; i++)
        shared->own[i] = shared->peers[i] = -1;
    if (memory < 0)
        return memory;
    shared->peers[SHM_MEET_MEMORY] = memory;
    err = make_bell(shared, SHM_MEET_CLIENT_BELL);
    if (!err)
        err = make_bell(shared, SHM_MEET_SERVER_BELL);
    return err;
}

/* ---- the answer ------------------------------------------------------------------------------ */

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
    return sendmsg(sock, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

void shm_lobby_refuse(const struct shm_lobby_call *call, int err)
{
    struct shm_welcome welcome = { .version = SHM_PORT_VERSION, .refusal = (uint32_t)-err };

    memcpy(welcome.magic, shm_meet_welcome, sizeof(welcome.magic));
    if (send(call->sock, &welcome, sizeof(welcome), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        welcome.refusal = 0; /* the client sees the socket close */
    close(call->sock);
}

/* Attaches the rings before the client can write to them. */
static int open_port(int sock, struct shared *shared, struct pktio_port **out)
{
    struct shm_rings rings;
    struct shm_port *shm;
    int err;

    shared->own[SHM_MEET_MEMORY] = shared->peers[SHM_MEET_MEMORY];
    err = shm_meet_map(&rings, shared->own, &shared->welcome, true);
    shared->own[SHM_MEET_MEMORY] = -1;
    if (err)
        return err;
    err = send_welcome(sock, &shared->welcome, shared->peers);
    shm = err ? NULL : shm_port_make(&rings, sock, true);
    if (!shm) {
        shm_meet_unmap(&rings);
        return err ? err : -ENOMEM;
    }
    *out = &shm->port;
    return 0;
}

int shm_lobby_admit(const struct shm_lobby_call *call, const struct shm_port_config *config,
    struct pktio_port **out)
{
    struct shared shared;
    int err;

    choose_sizes(config, &call->hello, &shared);
    err = make_shared(&shared);
    if (!err)
        err = open_port(call->sock, &shared, out);
    close_all(shared.peers);
    if (!err)
        return 0;
    close_all(shared.own);
    err = err == -EMFILE ? -ENFILE : err; /* the server, not the client, has no descriptors left */
    shm_lobby_refuse(call, err);
    return err;
}

/* ---- one client ------------------------------------------------------------------------------ */

int shm_port_serve(const struct shm_port_config *config, struct pktio_port **out)
{
    uint64_t until_ms = monotonic_ms() + (config->wait_ms ? config->wait_ms : SHM_MEET_WAIT_MS);
    struct shm_lobby_call call;
    struct shm_lobby lobby;
    uint64_t now_ms;
    int err = shm_lobby_open(&lobby, config->path);

    if (err)
        return err;
    err = -ETIMEDOUT;
    while (err && (now_ms = monotonic_ms()) < until_ms) {
        struct pollfd poll_fd = { .fd = lobby.epoll_fd, .events = POLLIN };

        poll(&poll_fd, 1, (int)(until_ms - now_ms));
        if (shm_lobby_next(&lobby, monotonic_ms(), &call) &&
            shm_lobby_admit(&call, config, out) == 0)
            err = 0;
    }
    shm_lobby_close(&lobby);
    unlink(config->path);
    return err;
}
