/* SPDX-License-Identifier: Apache-2.0 */
/* A malicious fabric. */
#include "fabric.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conform/conform.h"
#include "grammar.h"
#include "pktio/doorbell.h"
#include "pktio/private_socket.h"
#include "raw_attach.h"
#include "wire/frame.h"

enum { GUESTS = 16, SLOTS = 128, MTU = 4544, BELLS = 2 };

/* A client: either it was left waiting, or it has rings. */
struct guest {
    struct raw_attach raw; /* `out` is what we fill */
};

static struct {
    int listener;
    struct guest guests[GUESTS];
    uint32_t next;
    struct plan fabric;
    uint8_t bytes[GRAMMAR_FRAME_BYTES];
    uint64_t attached;
} hostile = { .listener = -1 };

void hostile_fabric_listen(const char *path)
{
    hostile.listener = private_socket_listen(path, SOCK_SEQPACKET, 64);
    if (hostile.listener < 0)
        attacker_fail("%s: %s", path, strerror(-hostile.listener));
}

/* ---- answers --------------------------------------------------------------------------------- */

static struct shm_welcome welcome_of(size_t ring_bytes)
{
    return (struct shm_welcome){ .magic = { 'M', 'R', 'C', 'W', 'E', 'L', 'C', 'O' },
        .version = SHM_PORT_VERSION,
        .ring_bytes = ring_bytes,
        .rate_bps = 1000000000,
        .mtu_bytes = MTU,
        .link_up = 1 };
}

static void lie(struct shm_welcome *welcome, struct prng *prng)
{
    switch (prng_below(prng, 8)) {
    case 0:
        welcome->ring_bytes = prng_next(prng) >> prng_below(prng, 64);
        return;
    case 1:
        welcome->mtu_bytes = (uint32_t)(prng_next(prng) >> prng_below(prng, 64));
        return;
    case 2:
        welcome->refusal = prng_below(prng, 8) ? EAGAIN : (uint32_t)prng_next(prng);
        return;
    case 3:
        welcome->version = (uint32_t)prng_next(prng);
        return;
    case 4:
        welcome->magic[prng_below(prng, 8)] ^= 1;
        return;
    case 5:
        welcome->ring_bytes *= 2;
        return;
    default:
        return;
    }
}

/* Memory with all seals, some or none, of the right size or another, or no memory at all. */
static int make_memory(struct prng *prng, size_t ring_bytes, bool is_sound)
{
    int memory;

    if (!is_sound && prng_below(prng, 4) == 0)
        return open(prng_below(prng, 2) ? "/dev/zero" : "/tmp", O_RDONLY | O_CLOEXEC);
    memory = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (ftruncate(memory, (off_t)(is_sound ? 2 * ring_bytes : prng_below(prng, 4 << 20))) != 0)
        return memory;
    if (is_sound || prng_below(prng, 2))
        fcntl(memory, F_ADD_SEALS, is_sound ? F_SEAL_SHRINK | F_SEAL_GROW : F_SEAL_GROW);
    return memory;
}

/* Not a doorbell: something on which a read or a write may wait for ever. */
static int make_trap(struct prng *prng)
{
    int pair[2];

    switch (prng_below(prng, 4)) {
    case 0:
        return eventfd(0, EFD_CLOEXEC);
    case 1:
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
            return -1;
        close(pair[1]);
        return pair[0];
    case 2:
        return memfd_create("trap", MFD_CLOEXEC);
    default:
        return open("/dev/null", O_RDWR | O_CLOEXEC);
    }
}

static void close_all(const int *fds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/* Wrong in the welcome, the memory, the doorbells or the number of descriptors. */
static void answer_wrongly(int sock, struct prng *prng)
{
    size_t ring_bytes = frame_ring_bytes(SLOTS, frame_ring_slot_bytes(MTU)) + 4096;
    struct shm_welcome welcome = welcome_of(ring_bytes);
    int fds[4] = { make_memory(prng, ring_bytes, prng_below(prng, 2)), make_trap(prng),
        make_trap(prng), make_trap(prng) };

    lie(&welcome, prng);
    raw_attach_say(sock, &welcome,
        prng_below(prng, 8) ? sizeof(welcome) : prng_below(prng, sizeof(welcome)), fds,
        prng_below(prng, 4) ? 3 : prng_below(prng, 5));
    close_all(fds, 4);
}

static bool format_rings(struct raw_attach *raw)
{
    raw->memory =
        mmap(NULL, 2 * raw->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, raw->memory_fd, 0);
    if (raw->memory == MAP_FAILED)
        return false;
    raw->slot_count = SLOTS;
    raw->slot_bytes = frame_ring_slot_bytes(MTU);
    frame_ring_format(raw->memory, SLOTS, raw->slot_bytes);
    frame_ring_format(raw->memory + raw->ring_bytes, SLOTS, raw->slot_bytes);
    raw->in = (struct frame_ring_shared *)raw->memory;
    raw->out = (struct frame_ring_shared *)(raw->memory + raw->ring_bytes);
    return true;
}

/* As a fabric should, so that the NIC comes in. */
static void answer_rightly(struct guest *guest, int sock, struct prng *prng)
{
    struct raw_attach *raw = &guest->raw;
    size_t ring_bytes = frame_ring_bytes(SLOTS, frame_ring_slot_bytes(MTU)) + 4095;
    struct shm_welcome welcome;
    int bells[BELLS][2];
    int fds[3];

    raw->ring_bytes = ring_bytes & ~(size_t)4095;
    raw->memory_fd = make_memory(prng, raw->ring_bytes, true);
    if (!format_rings(raw) || doorbell_open(bells[0]) != 0 || doorbell_open(bells[1]) != 0)
        attacker_fail("no rings: %s", strerror(errno));
    raw->sock = sock;
    raw->peer_bell = bells[0][0];
    raw->own_bell = bells[1][0];
    welcome = welcome_of(raw->ring_bytes);
    if (prng_below(prng, 4) == 0) /* the client may be looking at them by now */
        raw->in->slot_bytes = (uint32_t)prng_next(prng);
    fds[0] = raw->memory_fd;
    fds[1] = bells[0][1];
    fds[2] = bells[1][1];
    raw_attach_say(sock, &welcome, sizeof(welcome), fds, 3);
    close_all(fds + 1, 2);
    hostile.attached++;
}

/* ---- actions --------------------------------------------------------------------------------- */

static struct raw_attach *any_guest(struct prng *prng)
{
    struct raw_attach *raw = &hostile.guests[prng_below(prng, GUESTS)].raw;

    return raw->memory ? raw : NULL;
}

static void let_in(void *context, struct prng *prng)
{
    int sock = accept4(hostile.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct guest *guest = &hostile.guests[hostile.next % GUESTS];

    (void)context;
    if (sock < 0)
        return;
    hostile.next++;
    if (guest->raw.sock > 0)
        raw_attach_close(&guest->raw);
    guest->raw =
        (struct raw_attach){ .sock = sock, .memory_fd = -1, .own_bell = -1, .peer_bell = -1 };
    switch (prng_below(prng, 16)) {
    case 0: /* silence */
        return;
    case 1: /* at once */
        raw_attach_close(&guest->raw);
        return;
    case 2:
    case 3:
        answer_wrongly(sock, prng);
        return;
    default:
        answer_rightly(guest, sock, prng);
        return;
    }
}

static void throw_out(void *context, struct prng *prng)
{
    struct raw_attach *raw = any_guest(prng);

    (void)context;
    if (raw)
        raw_attach_close(raw);
}

static void change_counters(void *context, struct prng *prng)
{
    struct raw_attach *raw = any_guest(prng);
    uint32_t word = (uint32_t)(prng_next(prng) >> prng_below(prng, 64));
    struct frame_ring_shared *ring;

    (void)context;
    if (!raw)
        return;
    ring = prng_below(prng, 2) ? raw->out : raw->in;
    switch (prng_below(prng, 6)) {
    case 0:
        atomic_store(&ring->tail, word);
        return;
    case 1:
        atomic_store(&ring->head, word);
        return;
    case 2:
        atomic_store(&ring->consumer_sleeps, word);
        return;
    case 3:
        atomic_store(&ring->producer_waits, word);
        return;
    default:
        atomic_store(&raw->in->head, atomic_load(&raw->in->tail));
        return;
    }
}

static void scribble(void *context, struct prng *prng)
{
    struct raw_attach *raw = any_guest(prng);

    (void)context;
    if (raw)
        hostile_frame_noise(prng,
            raw->memory + prng_below(prng, (uint32_t)(2 * raw->ring_bytes - 512)),
            prng_below(prng, 512));
}

static void send_frames(void *context, struct prng *prng)
{
    struct raw_attach *raw = any_guest(prng);

    (void)context;
    for (uint32_t i = prng_below(prng, 4); raw && i < 4; i++) {
        uint32_t length = grammar_frame(
            prng, &hostile.fabric, prng_below(prng, 4), prng_below(prng, 4), hostile.bytes);

        raw_attach_put(raw, hostile.bytes, length,
            prng_below(prng, 16) == 0 ? (uint32_t)prng_next(prng) : length);
    }
}

/* What the NIC sent comes back: as it is, or as from its peer, sealed and with a change. */
static void reflect(void *context, struct prng *prng)
{
    struct raw_attach *raw = any_guest(prng);
    const uint8_t *slot;
    struct frame frame;
    uint32_t length;

    (void)context;
    if (!raw)
        return;
    slot = (const uint8_t *)raw->in + sizeof(*raw->in) +
           (size_t)prng_below(prng, raw->slot_count) * raw->slot_bytes;
    memcpy(&length, slot, sizeof(length));
    if (length < 100 || length > MTU)
        return;
    memcpy(hostile.bytes, slot + FRAME_RING_SLOT_HEADER, length);
    if (frame_parse(&format_default, hostile.bytes, length, &frame) == DROP_NONE &&
        prng_below(prng, 2)) {
        struct ipv6_addr src = frame.packet.src;

        frame.packet.src = frame.packet.dst;
        frame.packet.dst = src;
        frame.packet.psn.value = (frame.packet.psn.value + prng_below(prng, 64)) & 0xffffff;
        frame_address(&format_default, &frame, NULL, NULL);
        if (frame_build(&format_default, &frame, hostile.bytes, sizeof(hostile.bytes)) > 0)
            frame_seal(&frame, hostile.bytes);
        length = frame.length;
    }
    raw_attach_put(raw, hostile.bytes, length, length);
}

static void change_published(void *context, struct prng *prng)
{
    struct raw_attach *raw = any_guest(prng);
    uint32_t at;

    (void)context;
    if (!raw)
        return;
    at = atomic_load(&raw->out->tail) - 1 - prng_below(prng, 16);
    hostile_frame_noise(prng,
        (uint8_t *)raw->out + sizeof(*raw->out) +
            (size_t)(at & (raw->slot_count - 1)) * raw->slot_bytes + prng_below(prng, 300),
        1 + prng_below(prng, 60));
}

static void misuse_bell(void *context, struct prng *prng)
{
    struct raw_attach *raw = any_guest(prng);
    int bell;

    (void)context;
    if (!raw)
        return;
    bell = prng_below(prng, 2) ? raw->own_bell : raw->peer_bell;
    if (prng_below(prng, 3) == 0)
        fcntl(bell, F_SETPIPE_SZ, 4096);
    if (prng_below(prng, 2) && read(bell, hostile.bytes, sizeof(hostile.bytes)) < 0)
        return;
    if (write(bell, hostile.bytes, prng_below(prng, sizeof(hostile.bytes))) < 0)
        return;
}

static void tell_link(void *context, struct prng *prng)
{
    struct raw_attach *raw = any_guest(prng);
    struct shm_link link = { .link_up = prng_below(prng, 3) };
    int fds[2] = { STDIN_FILENO, STDIN_FILENO };

    (void)context;
    if (!raw)
        return;
    if (prng_below(prng, 8) == 0)
        raw_attach_say(raw->sock, hostile.bytes, prng_below(prng, 500), fds, prng_below(prng, 3));
    else
        raw_attach_say(raw->sock, &link, sizeof(link), NULL, 0);
}

static void punch(void *context, struct prng *prng)
{
    struct raw_attach *raw = any_guest(prng);

    (void)context;
    if (raw)
        fallocate(raw->memory_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            prng_below(prng, (uint32_t)raw->ring_bytes), 1 + prng_below(prng, 1 << 19));
}

static const struct attacker_action actions[] = {
    { "let_in", 40, let_in },
    { "throw_out", 2, throw_out },
    { "change_counters", 40, change_counters },
    { "scribble", 40, scribble },
    { "send_frames", 500, send_frames },
    { "reflect", 200, reflect },
    { "change_published", 200, change_published },
    { "misuse_bell", 60, misuse_bell },
    { "tell_link", 40, tell_link },
    { "punch", 10, punch },
};

static void look(void *context)
{
    (void)context;
}

void hostile_fabric_run(const struct attacker_options *options)
{
    struct topology_config config;
    struct topology_problem problem;

    topology_config_init(&config);
    config.plane_count = 2;
    config.t0_count = config.t1_count = config.hosts_per_t0 = 2;
    config.nic_count = 4;
    if (!plan_init(&hostile.fabric, &config, NULL, &problem))
        attacker_fail("%s", problem.reason);
    attacker_run(options, actions, sizeof(actions) / sizeof(actions[0]), NULL, look);
    printf("# let %llu NICs attach\n", (unsigned long long)hostile.attached);
    fflush(stdout);
    _exit(0);
}
