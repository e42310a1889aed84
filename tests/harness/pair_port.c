/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of ports: two rings in the memory of one process, with losses and errors on request. */
#include "pair_port.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/prng.h"
#include "pktio/doorbell.h"
#include "pktio/frame_ring.h"
#include "pktio/pktio_port.h"

enum {
    DEFAULT_MTU = 4352,
    DEFAULT_SLOTS = 256,
};

/* Both rings. Freed when both ends are closed. */
struct pair {
    void *rings[2]; /* rings[i] is filled by end i */
    _Atomic uint32_t end_count;
};

struct pair_port {
    struct pktio_port port;
    struct pair *pair;
    struct pair_port *other; /* NULL if closed */
    struct pair_port_config config;
    struct prng prng;
    struct frame_ring out;
    struct frame_ring in;
};

static struct pair_port *pair_of(struct pktio_port *port)
{
    return (struct pair_port *)port;
}

static uint32_t room(struct pktio_port *port)
{
    uint32_t slots = frame_ring_room(&pair_of(port)->out);

    /* Duplicated frames take slots of their own. */
    return pair_of(port)->config.duplicate ? slots / 2 : slots;
}

static void put_damaged(struct pair_port *pair, const struct pktio_frame *frame)
{
    uint8_t bytes[UINT16_MAX];
    struct iovec whole = { .iov_base = bytes };

    for (uint32_t i = 0; i < frame->piece_count; i++) {
        memcpy(bytes + whole.iov_len, frame->pieces[i].iov_base, frame->pieces[i].iov_len);
        whole.iov_len += frame->pieces[i].iov_len;
    }
    assert(whole.iov_len > 0);
    bytes[prng_below(&pair->prng, (uint32_t)whole.iov_len)] ^=
        (uint8_t)(1u << prng_below(&pair->prng, 8));
    frame_ring_put(&pair->out,
        &(struct pktio_frame){
            .pieces = &whole, .piece_count = 1, .length_bytes = (uint32_t)whole.iov_len });
}

static void put(struct pair_port *pair, const struct pktio_frame *frame)
{
    if (prng_chance(&pair->prng, pair->config.loss))
        return;
    if (prng_chance(&pair->prng, pair->config.duplicate))
        frame_ring_put(&pair->out, frame);
    if (prng_chance(&pair->prng, pair->config.damage))
        put_damaged(pair, frame);
    else
        frame_ring_put(&pair->out, frame);
}

static void send_frames(struct pktio_port *port, const struct pktio_frame *frames, uint32_t count)
{
    struct pair_port *pair = pair_of(port);

    if (!pktio_port_link_up(port)) {
        port->send_drops += count;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        put(pair, &frames[i]);
    frame_ring_publish(&pair->out);
    frame_ring_call(&pair->out);
}

static uint32_t receive_frames(struct pktio_port *port, struct pktio_received *frames, uint32_t max)
{
    return frame_ring_take(&pair_of(port)->in, frames, max);
}

static bool arm(struct pktio_port *port, bool wants_room)
{
    bool sleeps = frame_ring_sleep(&pair_of(port)->in);

    return sleeps && (!wants_room || frame_ring_wait_for_room(&pair_of(port)->out));
}

static void disarm(struct pktio_port *port, bool was_called)
{
    frame_ring_awake(&pair_of(port)->in);
    if (was_called)
        doorbell_answer(port->data_fd);
}

static void update_link(struct pktio_port *port)
{
    doorbell_answer(port->link_fd);
}

static void close_pair(struct pktio_port *port)
{
    struct pair_port *pair = pair_of(port);
    struct pair *shared = pair->pair;

    pair_port_set_link(port, false);
    if (pair->other)
        pair->other->other = NULL;
    if (atomic_fetch_sub(&shared->end_count, 1) == 1) {
        free(shared->rings[0]);
        free(shared->rings[1]);
        free(shared);
    }
    pktio_port_abandon(port);
    free(pair);
}

static const struct pktio_ops pair_ops = {
    .kind = "pair",
    .room = room,
    .send = send_frames,
    .receive = receive_frames,
    .arm = arm,
    .disarm = disarm,
    .update_link = update_link,
    .close = close_pair,
};

void pair_port_set_link(struct pktio_port *port, _Bool up)
{
    struct pktio_port *ends[2] = { port,
        pair_of(port)->other ? &pair_of(port)->other->port : NULL };

    for (uint32_t i = 0; i < 2 && ends[i]; i++) {
        atomic_store_explicit(&ends[i]->link_up, up, memory_order_release);
        doorbell_ring(ends[i]->link_fd);
    }
}

static int open_end(struct pair_port **out, const struct pair_port_config *config, uint32_t end)
{
    struct pair_port *pair = calloc(1, sizeof(*pair));

    if (!pair)
        return -ENOMEM;
    pair->config = *config;
    pair->prng = prng_stream(config->seed, end);
    pair->port = (struct pktio_port){ .ops = &pair_ops,
        .mtu_bytes = config->mtu_bytes,
        .data_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC),
        .link_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC),
        .events = POLLIN };
    atomic_init(&pair->port.link_up, true);
    if (pair->port.data_fd < 0 || pair->port.link_fd < 0) {
        free(pair);
        return -EMFILE;
    }
    pktio_port_keep(&pair->port, pair->port.data_fd);
    pktio_port_keep(&pair->port, pair->port.link_fd);
    *out = pair;
    return 0;
}

/* Each end rings a duplicate of the other end's doorbell, which stays open after that end is
 * closed. */
static int join(struct pair_port *ends[2], struct pair *pair, size_t ring_bytes)
{
    for (uint32_t i = 0; i < 2; i++) {
        int doorbell = fcntl(ends[1 - i]->port.data_fd, F_DUPFD_CLOEXEC, 0);

        if (doorbell < 0)
            return -errno;
        pktio_port_keep(&ends[i]->port, doorbell);
        ends[i]->pair = pair;
        ends[i]->other = ends[1 - i];
        frame_ring_attach(&ends[i]->out, pair->rings[i], ring_bytes, doorbell);
        frame_ring_attach(&ends[i]->in, pair->rings[1 - i], ring_bytes, doorbell);
    }
    return 0;
}

static void *make_ring(const struct pair_port_config *config, size_t ring_bytes)
{
    void *memory = aligned_alloc(64, ring_bytes);

    if (!memory)
        return NULL;
    memset(memory, 0, ring_bytes);
    frame_ring_format(memory, config->slot_count, frame_ring_slot_bytes(config->mtu_bytes));
    return memory;
}

int pair_port_open(const struct pair_port_config *config, struct pktio_port *out[2])
{
    struct pair_port_config full = *config;
    struct pair *pair = calloc(1, sizeof(*pair));
    struct pair_port *ends[2] = { NULL, NULL };
    size_t ring_bytes;
    int err = -ENOMEM;

    full.mtu_bytes = full.mtu_bytes ? full.mtu_bytes : DEFAULT_MTU;
    full.slot_count = full.slot_count ? full.slot_count : DEFAULT_SLOTS;
    ring_bytes = frame_ring_bytes(full.slot_count, frame_ring_slot_bytes(full.mtu_bytes));
    if (!pair)
        return err;
    pair->rings[0] = make_ring(&full, ring_bytes);
    pair->rings[1] = make_ring(&full, ring_bytes);
    atomic_init(&pair->end_count, 2);
    if (!pair->rings[0] || !pair->rings[1])
        goto free_rings;
    err = open_end(&ends[0], &full, 0);
    if (err)
        goto free_rings;
    err = open_end(&ends[1], &full, 1);
    if (err)
        goto close_first;
    err = join(ends, pair, ring_bytes);
    if (err)
        goto close_second;
    out[0] = &ends[0]->port;
    out[1] = &ends[1]->port;
    return 0;

close_second:
    pktio_port_abandon(&ends[1]->port);
    free(ends[1]);
close_first:
    pktio_port_abandon(&ends[0]->port);
    free(ends[0]);
free_rings:
    free(pair->rings[0]);
    free(pair->rings[1]);
    free(pair);
    return err;
}
