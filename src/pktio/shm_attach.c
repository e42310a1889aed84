/* SPDX-License-Identifier: Apache-2.0 */
/* The client of a shared-memory port connects: at first, and each time its server returns.
 *
 * The thread that watches links (pktio_port_update_link()) connects to the server. The owner of the
 * port then adopts the new rings, because it may still be using the old ones. All descriptors keep
 * their numbers. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "pktio/monotonic.h"
#include "pktio/shm_call.h"
#include "pktio/shm_meet.h"
#include "pktio/unix_address.h"

enum {
    RETRY_MS = 5,        /* between attempts while the port is being opened */
    BUSY_MS = 1000,      /* for a port that another process seems to use */
    TICK_MS = 50,        /* between attempts afterwards */
    ANSWER_MS = 2000,    /* for the server to answer, afterwards */
    MESSAGES_MAX = 64,   /* read at once: the server may send without limit */
    CALL_DESCRIPTOR = 3, /* index in the port: the socket that waits for an answer */
};

_Static_assert(CALL_DESCRIPTOR < PKTIO_DESCRIPTORS_MAX, "the port has room for this descriptor");

struct shm_client {
    struct sockaddr_un address;
    struct shm_hello hello;
    bool is_detached; /* link_fd is a timer */
    uint64_t called_ms;
};

/* ---- the first connection -------------------------------------------------------------------- */

/* The server may not have noticed yet that the previous process has ended. */
static bool may_be_better_later(int err, uint64_t waited_ms)
{
    return err == -ENOENT || err == -ECONNREFUSED || err == -ECONNRESET || err == -EPIPE ||
           err == -EAGAIN || (err == -EBUSY && waited_ms < BUSY_MS);
}

/* Returns -EAGAIN if there is no answer in time. */
static int await_server(int sock, struct shm_rings *rings, bool *link_up, uint64_t until_ms)
{
    struct pollfd poll_fd = { .fd = sock, .events = POLLIN };
    uint64_t now_ms = monotonic_ms();

    if (until_ms > now_ms)
        poll(&poll_fd, 1, (int)(until_ms - now_ms));
    return shm_call_hear(sock, rings, link_up);
}

static int meet_server(const struct shm_client *client, uint64_t until_ms, struct shm_rings *rings,
    int *sock, bool *link_up)
{
    uint64_t start_ms = monotonic_ms();

    for (;;) {
        int err = *sock = shm_call_server(&client->address, &client->hello);
        bool is_called = *sock >= 0;

        if (is_called)
            err = await_server(*sock, rings, link_up, until_ms);
        if (err >= 0)
            return 0;
        if (is_called)
            close(*sock);
        if (!may_be_better_later(err, monotonic_ms() - start_ms))
            return err;
        if (monotonic_ms() >= until_ms)
            return is_called && err == -EAGAIN ? -ETIMEDOUT : err;
        nanosleep(&(struct timespec){ .tv_nsec = RETRY_MS * 1000000L }, NULL);
    }
}

static int make_client(const struct shm_port_config *config, struct shm_client **out)
{
    struct shm_client *client = calloc(1, sizeof(*client));
    int err = client ? unix_address_set(&client->address, config->path) : -ENOMEM;

    if (err) {
        free(client);
        return err;
    }
    client->hello = (struct shm_hello){ .version = SHM_PORT_VERSION,
        .port = config->port,
        .slot_count = config->slot_count,
        .mtu_bytes = config->mtu_bytes,
        .engine = config->engine,
        .engine_count = config->engine_count };
    memcpy(client->hello.magic, shm_meet_hello, sizeof(client->hello.magic));
    snprintf(
        client->hello.name, sizeof(client->hello.name), "%s", config->name ? config->name : "");
    *out = client;
    return 0;
}

int shm_port_connect(const struct shm_port_config *config, struct pktio_port **out)
{
    uint64_t until_ms = monotonic_ms() + (config->wait_ms ? config->wait_ms : SHM_MEET_WAIT_MS);
    struct shm_client *client = NULL;
    struct shm_rings rings;
    struct shm_port *shm;
    bool link_up = false;
    int sock = -1;
    int err = make_client(config, &client);

    if (!err)
        err = meet_server(client, until_ms, &rings, &sock, &link_up);
    if (err) {
        free(client);
        return err;
    }
    shm = shm_port_make(&rings, sock, link_up);
    if (!shm) {
        shm_meet_unmap(&rings);
        close(rings.own_bell);
        close(rings.peer_bell);
        close(sock);
        free(client);
        return -ENOMEM;
    }
    shm->client = client;
    pktio_port_keep(&shm->port, -1); /* CALL_DESCRIPTOR */
    *out = &shm->port;
    return 0;
}

/* ---- further connections --------------------------------------------------------------------- */

/* Makes `to` refer to what `from` refers to, and closes `from`. */
static void replace_descriptor(int from, int to)
{
    dup3(from, to, O_CLOEXEC);
    close(from);
}

static void drop_rings(struct shm_rings *rings)
{
    if (!rings)
        return;
    shm_meet_unmap(rings);
    close(rings->own_bell);
    close(rings->peer_bell);
    free(rings);
}

void shm_attach_adopt(struct shm_port *shm)
{
    struct shm_rings *next = atomic_exchange(&shm->next, NULL);
    int own_bell = shm->rings.own_bell;
    int peer_bell = shm->rings.peer_bell;

    if (!next)
        return;
    replace_descriptor(next->own_bell, own_bell);
    replace_descriptor(next->peer_bell, peer_bell);
    shm_meet_unmap(&shm->rings);
    shm->rings = *next;
    free(next);
    shm->rings.own_bell = own_bell;
    shm->rings.peer_bell = shm->rings.in.peer_doorbell = shm->rings.out.peer_doorbell = peer_bell;
    shm->port.rate_bps = shm->rings.rate_bps;
}

static void set_link(struct shm_port *shm, bool up)
{
    atomic_store_explicit(&shm->port.link_up, up, memory_order_release);
}

/* Makes link_fd a timer. If there is no timer, the port stays down. */
static void detach_port(struct shm_port *shm)
{
    struct timespec tick = { .tv_nsec = TICK_MS * 1000000L };
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

    set_link(shm, false);
    shm->client->is_detached = true;
    if (timer < 0) {
        shm->port.link_fd = -1;
        return;
    }
    timerfd_settime(timer, 0, &(struct itimerspec){ tick, tick }, NULL);
    replace_descriptor(timer, shm->port.link_fd);
}

static void read_links(struct shm_port *shm)
{
    struct shm_link link;
    ssize_t length = 1;

    for (uint32_t i = 0; i < MESSAGES_MAX && length > 0; i++) {
        length = recv(shm->port.link_fd, &link, sizeof(link), MSG_DONTWAIT | MSG_TRUNC);
        if (length == sizeof(link))
            set_link(shm, link.link_up != 0);
    }
    if (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR))
        detach_port(shm);
}

static int offer_rings(struct shm_port *shm, const struct shm_rings *rings)
{
    struct shm_rings *next = malloc(sizeof(*next));

    if (!next || rings->mtu_bytes < shm->port.mtu_bytes) {
        free(next);
        return -EMSGSIZE;
    }
    *next = *rings;
    drop_rings(atomic_exchange(&shm->next, next));
    return 0;
}

static void attach_port(struct shm_port *shm, struct shm_rings *rings, bool link_up)
{
    int *call = &shm->port.descriptors[CALL_DESCRIPTOR];

    if (offer_rings(shm, rings) != 0) {
        shm_meet_unmap(rings);
        close(rings->own_bell);
        close(rings->peer_bell);
        close(*call);
        *call = -1;
        return;
    }
    replace_descriptor(*call, shm->port.link_fd);
    *call = -1;
    shm->client->is_detached = false;
    set_link(shm, link_up);
}

static void hear_again(struct shm_port *shm)
{
    int *call = &shm->port.descriptors[CALL_DESCRIPTOR];
    struct shm_rings rings;
    bool link_up;
    int err = shm_call_hear(*call, &rings, &link_up);

    if (!err) {
        attach_port(shm, &rings, link_up);
    } else if (err != -EAGAIN || monotonic_ms() - shm->client->called_ms > ANSWER_MS) {
        close(*call);
        *call = -1;
    }
}

static void call_again(struct shm_port *shm)
{
    int sock = shm_call_server(&shm->client->address, &shm->client->hello);

    shm->port.descriptors[CALL_DESCRIPTOR] = sock >= 0 ? sock : -1;
    shm->client->called_ms = monotonic_ms();
}

void shm_attach_update(struct shm_port *shm)
{
    uint64_t ticks;

    if (shm->port.link_fd < 0)
        return;
    if (!shm->client->is_detached) {
        read_links(shm);
        return;
    }
    if (read(shm->port.link_fd, &ticks, sizeof(ticks)) < 0)
        return;
    if (shm->port.descriptors[CALL_DESCRIPTOR] >= 0)
        hear_again(shm);
    else
        call_again(shm);
}

void shm_attach_close(struct shm_port *shm)
{
    drop_rings(atomic_exchange(&shm->next, NULL));
    free(shm->client);
}
