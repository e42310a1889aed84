/* SPDX-License-Identifier: Apache-2.0 */
/* Ports by themselves: frames through, doorbells, links, and what a hostile other end can do. */
#include "pktio/pktio.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/prng.h"
#include "pair_port.h"
#include "patience.h"
#include "pktio/frame_ring.h"
#include "spec.h"

static void send_text(struct pktio_port *port, const char *first, const char *second)
{
    struct iovec pieces[2] = { { (void *)(uintptr_t)first, strlen(first) },
        { (void *)(uintptr_t)second, strlen(second) } };

    pktio_port_send(port,
        &(struct pktio_frame){ .pieces = pieces,
            .piece_count = 2,
            .length_bytes = (uint32_t)(strlen(first) + strlen(second)) },
        1);
}

static void expect_text(struct pktio_port *port, const char *text)
{
    struct pollfd poll_fd = { .fd = port->data_fd, .events = POLLIN };
    struct pktio_received frame;

    if (pktio_port_arm(port, false))
        EXPECT_EQ(poll(&poll_fd, 1, PATIENCE_MS), 1);
    pktio_port_disarm(port, true);
    EXPECT_EQ(pktio_port_receive(port, &frame, 1), 1);
    EXPECT_EQ(frame.length_bytes, strlen(text));
    EXPECT_MEM_EQ(frame.bytes, text, strlen(text));
    EXPECT_EQ(pktio_port_receive(port, &frame, 1), 0);
}

static void expect_conversation(struct pktio_port *ends[2])
{
    EXPECT(pktio_port_link_up(ends[0]));
    EXPECT_GE(pktio_port_room(ends[0]), PKTIO_BATCH_MAX);
    send_text(ends[0], "there ", "it goes");
    expect_text(ends[1], "there it goes");
    send_text(ends[1], "and ", "back");
    expect_text(ends[0], "and back");
    EXPECT_EQ(ends[0]->frames_sent, 1);
    EXPECT_EQ(ends[0]->bytes_received, 8);
}

SPEC("frames cross a pair of ports unchanged, and an end that waits is woken")
{
    struct pktio_port *ends[2];

    EXPECT_EQ(pair_port_open(&(struct pair_port_config){ .mtu_bytes = 300 }, ends), 0);
    expect_conversation(ends);
    pktio_port_close(ends[0]);
    EXPECT(!pktio_port_link_up(ends[1]));
    pktio_port_close(ends[1]);
}

SPEC("a ring returns its free room, and wakes a producer that waits")
{
    struct pktio_port *ends[2];
    struct pktio_received frames[64];
    struct pollfd poll_fd;

    EXPECT_EQ(
        pair_port_open(&(struct pair_port_config){ .mtu_bytes = 300, .slot_count = 128 }, ends), 0);
    for (uint32_t i = 0; i < 128; i++)
        send_text(ends[0], "x", "y");
    EXPECT_EQ(pktio_port_room(ends[0]), 0);
    EXPECT(pktio_port_arm(ends[0], true));
    poll_fd = (struct pollfd){ .fd = ends[0]->data_fd, .events = POLLIN };
    EXPECT_EQ(poll(&poll_fd, 1, 0), 0);
    EXPECT_EQ(pktio_port_receive(ends[1], frames, 64), 64);
    EXPECT_EQ(pktio_port_room(ends[0]), 0); /* they are lent */
    EXPECT_EQ(pktio_port_receive(ends[1], frames, 64), 64);
    EXPECT_EQ(pktio_port_room(ends[0]), 64);
    EXPECT_EQ(poll(&poll_fd, 1, 0), 1);
    pktio_port_close(ends[0]);
    pktio_port_close(ends[1]);
}

static void send_length(struct pktio_port *port, uint32_t length_bytes)
{
    static uint8_t bytes[8192];
    struct iovec piece = { bytes, length_bytes };

    pktio_port_send(port, &(struct pktio_frame){ &piece, 1, length_bytes }, 1);
}

SPEC("a port drops a frame longer than its limit and sends the others")
{
    static uint8_t bytes[1000];
    const uint32_t lengths[] = { 100, 301, 200, 1000, 300 };
    struct pktio_frame frames[5];
    struct iovec pieces[5];
    struct pktio_received received[8];
    struct pktio_port *ends[2];

    EXPECT_EQ(pair_port_open(&(struct pair_port_config){ .mtu_bytes = 300 }, ends), 0);
    for (uint32_t i = 0; i < 5; i++) {
        pieces[i] = (struct iovec){ bytes, lengths[i] };
        frames[i] = (struct pktio_frame){ &pieces[i], 1, lengths[i] };
    }
    pktio_port_send(ends[0], frames, 5);
    EXPECT_EQ(ends[0]->send_drops, 2);
    EXPECT_EQ(ends[0]->frames_sent, 3);
    EXPECT_EQ(pktio_port_receive(ends[1], received, 8), 3);
    EXPECT_EQ(received[0].length_bytes, 100);
    EXPECT_EQ(received[1].length_bytes, 200);
    EXPECT_EQ(received[2].length_bytes, 300);
    pktio_port_close(ends[0]);
    pktio_port_close(ends[1]);
}

/* ---- shared memory ----------------------------------------------------------------------------
 */

struct server {
    struct shm_port_config config;
    struct pktio_port *port;
    char path[64];
    int err;
};

static void *serve(void *context)
{
    struct server *server = context;

    server->err = shm_port_serve(&server->config, &server->port);
    return NULL;
}

static void meet(struct server *server, struct pktio_port *ends[2])
{
    pthread_t thread;

    snprintf(server->path, sizeof(server->path), "/tmp/mrc-test-port-%d", (int)getpid());
    server->config = (struct shm_port_config){ .path = server->path, .rate_bps = 12345 };
    EXPECT_EQ(pthread_create(&thread, NULL, serve, server), 0);
    EXPECT_EQ(
        shm_port_connect(
            &(struct shm_port_config){ .path = server->path, .name = "mrc0", .port = 3 }, &ends[0]),
        0);
    pthread_join(thread, NULL);
    EXPECT_EQ(server->err, 0);
    ends[1] = server->port;
}

SPEC("two ends connect at a socket and share rings, and an end that leaves takes the link down")
{
    struct server server;
    struct pktio_port *ends[2];
    struct pollfd poll_fd;

    meet(&server, ends);
    EXPECT_EQ(ends[0]->rate_bps, 12345);
    EXPECT_EQ(access(server.path, F_OK), -1);
    expect_conversation(ends);
    EXPECT_EQ(shm_port_set_link(ends[1], false), 0);
    poll_fd = (struct pollfd){ .fd = ends[0]->link_fd, .events = POLLIN };
    EXPECT_EQ(poll(&poll_fd, 1, PATIENCE_MS), 1);
    pktio_port_update_link(ends[0]);
    EXPECT(!pktio_port_link_up(ends[0]));
    EXPECT_EQ(shm_port_set_link(ends[1], true), 0);
    EXPECT_EQ(poll(&poll_fd, 1, PATIENCE_MS), 1);
    pktio_port_update_link(ends[0]);
    EXPECT(pktio_port_link_up(ends[0]));
    pktio_port_close(ends[1]);
    EXPECT_EQ(poll(&poll_fd, 1, PATIENCE_MS), 1);
    pktio_port_update_link(ends[0]);
    EXPECT(!pktio_port_link_up(ends[0]));
    send_text(ends[0], "into the ", "void");
    EXPECT_EQ(ends[0]->send_drops, 1);
    pktio_port_close(ends[0]);
}

SPEC("a sender can read how many of its frames are unread")
{
    struct server server;
    struct pktio_port *ends[2];
    struct pktio_received frames[4];

    meet(&server, ends);
    EXPECT_EQ(pktio_port_unread(ends[0]), 0);
    send_text(ends[0], "one, ", "two");
    send_text(ends[0], "three, ", "four");
    EXPECT_EQ(pktio_port_unread(ends[0]), 2);
    EXPECT_EQ(pktio_port_receive(ends[1], frames, 1), 1);
    EXPECT_EQ(pktio_port_unread(ends[0]), 2); /* lent, not done with */
    EXPECT_EQ(pktio_port_receive(ends[1], frames, 1), 1);
    EXPECT_EQ(pktio_port_unread(ends[0]), 1);
    EXPECT_EQ(pktio_port_receive(ends[1], frames, 1), 0);
    EXPECT_EQ(pktio_port_unread(ends[0]), 0);
    pktio_port_close(ends[0]);
    pktio_port_close(ends[1]);
}

static void clear_nonblock(int fd)
{
    EXPECT_EQ(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK), 0);
}

static uint32_t receive_count(struct pktio_port *port)
{
    struct pktio_received frames[PKTIO_BATCH_MAX];

    return pktio_port_receive(port, frames, PKTIO_BATCH_MAX);
}

SPEC("frames that are held become visible when they are released, or when their sender has gone")
{
    struct server server;
    struct pktio_port *ends[2];

    meet(&server, ends);
    send_text(ends[0], "seen ", "at once");
    EXPECT(pktio_port_hold(ends[0]));
    send_text(ends[0], "held ", "back");
    EXPECT_EQ(receive_count(ends[1]), 1);
    EXPECT_EQ(receive_count(ends[1]), 0);
    pktio_port_release(ends[0]);
    EXPECT_EQ(receive_count(ends[1]), 1);
    EXPECT(pktio_port_hold(ends[0]));
    send_text(ends[0], "left ", "behind");
    send_text(ends[0], "and ", "found");
    EXPECT_EQ(receive_count(ends[1]), 0);
    pktio_port_close(ends[0]);
    pktio_port_update_link(ends[1]);
    EXPECT_EQ(receive_count(ends[1]), 2);
    EXPECT_EQ(receive_count(ends[1]), 0);
    pktio_port_close(ends[1]);
}

SPEC("an end that changes the flags of its doorbells does not make the other end wait")
{
    struct server server;
    struct pktio_port *ends[2];

    meet(&server, ends);
    for (uint32_t i = 0; i < ends[0]->descriptor_count; i++)
        if (ends[0]->descriptors[i] >= 0)
            clear_nonblock(ends[0]->descriptors[i]);
    alarm(PATIENCE_S);
    for (uint32_t i = 0; i < 100000; i++) { /* more than a doorbell counts */
        EXPECT(pktio_port_arm(ends[0], false));
        send_text(ends[1], "wake ", "up");
        EXPECT(!pktio_port_arm(ends[0], false));
        expect_text(ends[0], "wake up");
        pktio_port_disarm(ends[1], true);
    }
    alarm(0);
    pktio_port_close(ends[0]);
    pktio_port_close(ends[1]);
}

SPEC("a wakeup is pending until the other end acknowledges it")
{
    struct server server;
    struct pktio_port *ends[2];
    struct pollfd poll_fd;

    meet(&server, ends);
    poll_fd = (struct pollfd){ .fd = ends[0]->data_fd, .events = POLLIN };
    EXPECT(pktio_port_arm(ends[0], false));
    send_text(ends[1], "wake ", "up");
    EXPECT_EQ(poll(&poll_fd, 1, PATIENCE_MS), 1);
    pktio_port_disarm(ends[0], false);
    EXPECT_EQ(poll(&poll_fd, 1, 0), 1);
    pktio_port_disarm(ends[0], true);
    EXPECT_EQ(poll(&poll_fd, 1, 0), 0);
    expect_text(ends[0], "wake up");
    pktio_port_close(ends[0]);
    pktio_port_close(ends[1]);
}

SPEC("an end that could not report the state of the link at once reports it later")
{
    struct server server;
    struct pktio_port *ends[2];
    struct pollfd poll_fd;
    uint32_t told = 0;

    meet(&server, ends);
    while (told < 100000 && shm_port_set_link(ends[1], told & 1) == 0)
        told++;
    EXPECT_LT(told, 100000);
    shm_port_set_link(ends[1], true);
    poll_fd = (struct pollfd){ .fd = ends[0]->link_fd, .events = POLLIN };
    while (poll(&poll_fd, 1, 0) == 1) {
        pktio_port_update_link(ends[0]);
        pktio_port_update_link(ends[1]);
    }
    EXPECT(pktio_port_link_up(ends[0]));
    pktio_port_close(ends[0]);
    pktio_port_close(ends[1]);
}

/* As the thread that looks after links does it, until the client has a link again. */
static bool meets_again(struct pktio_port *client)
{
    struct pollfd poll_fd = { .fd = client->link_fd, .events = POLLIN };

    for (uint32_t i = 0; i < 200 && !pktio_port_link_up(client); i++)
        if (poll(&poll_fd, 1, 5000) == 1)
            pktio_port_update_link(client);
    return pktio_port_link_up(client);
}

SPEC("a client whose server has gone connects to the next one, and both have new rings")
{
    struct server servers[2];
    struct pktio_port *ends[2];
    struct pktio_received frames[4];
    int descriptors[2];
    pthread_t thread;

    meet(&servers[0], ends);
    descriptors[0] = ends[0]->data_fd;
    descriptors[1] = ends[0]->link_fd;
    send_text(ends[1], "the last ", "words");
    pktio_port_close(ends[1]);
    pktio_port_update_link(ends[0]);
    EXPECT(!pktio_port_link_up(ends[0]));
    EXPECT_EQ(pktio_port_receive(ends[0], frames, 4), 1); /* of the first server still */
    servers[1] = servers[0];
    servers[1].config.path = servers[1].path;
    servers[1].config.rate_bps = 777;
    EXPECT_EQ(pthread_create(&thread, NULL, serve, &servers[1]), 0);
    EXPECT(meets_again(ends[0]));
    pthread_join(thread, NULL);
    EXPECT_EQ(servers[1].err, 0);
    EXPECT_EQ(pktio_port_room(ends[0]), 0); /* the new rings are not in use before the next call */
    EXPECT_EQ(pktio_port_receive(ends[0], frames, 4), 0);
    EXPECT_GT(pktio_port_room(ends[0]), 0);
    EXPECT_EQ(ends[0]->rate_bps, 777);
    EXPECT_EQ(ends[0]->data_fd, descriptors[0]);
    EXPECT_EQ(ends[0]->link_fd, descriptors[1]);
    ends[1] = servers[1].port;
    ends[0]->bytes_received = ends[0]->frames_sent = 0;
    expect_conversation(ends);
    pktio_port_close(ends[0]);
    pktio_port_close(ends[1]);
}

SPEC("a socket without a listener is an error and causes no endless wait")
{
    struct pktio_port *port;

    EXPECT_EQ(
        shm_port_connect(
            &(struct shm_port_config){ .path = "/tmp/mrc-test-nobody", .wait_ms = 20 }, &port),
        -ENOENT);
    EXPECT_EQ(
        shm_port_serve(
            &(struct shm_port_config){ .path = "/tmp/mrc-test-nobody", .wait_ms = 20 }, &port),
        -ETIMEDOUT);
}

PROPERTY("a ring whose other end writes random data lends nothing outside itself", 200)
{
    struct prng prng = { .state = seed };
    size_t bytes = frame_ring_bytes(64, 256);
    uint8_t *memory = aligned_alloc(64, bytes);
    struct frame_ring ring;
    struct frame_ring producer;
    struct frame_ring_shared *shared = (void *)memory;

    EXPECT(memory);
    memset(memory, 0, bytes);
    frame_ring_format(memory, 64, 256);
    EXPECT(frame_ring_attach(&ring, memory, bytes, -1));
    EXPECT(frame_ring_attach(&producer, memory, bytes, -1));
    for (uint32_t round = 0; round < 50; round++) {
        struct pktio_received frames[64];
        uint32_t count;

        for (size_t i = 0; i < bytes; i += 4)
            if (i >= sizeof(*shared) || prng_below(&prng, 8) == 0) {
                uint32_t word = (uint32_t)prng_next(&prng) >> prng_below(&prng, 32);

                memcpy(memory + i, &word, sizeof(word));
            }
        atomic_store(&shared->tail, ring.mine + prng_below(&prng, 80));
        atomic_store(&shared->held, ring.mine + prng_below(&prng, 80));
        ring.takes_held = prng_below(&prng, 2);
        count = frame_ring_take(&ring, frames, 64);
        EXPECT_LE(count, 64);
        for (uint32_t i = 0; i < count; i++) {
            EXPECT(frames[i].bytes >= memory + sizeof(*shared));
            EXPECT(frames[i].bytes + frames[i].length_bytes <= memory + bytes);
        }
        EXPECT_LE(frame_ring_room(&producer), 64);
    }
    free(memory);
}

SPEC("a ring with a wrong size is not attached")
{
    size_t bytes = frame_ring_bytes(64, 256);
    uint8_t *memory = aligned_alloc(64, bytes);
    struct frame_ring_shared *shared = (void *)memory;
    struct frame_ring ring;

    EXPECT(memory);
    memset(memory, 0, bytes);
    EXPECT(!frame_ring_attach(&ring, memory, bytes, -1));
    frame_ring_format(memory, 64, 256);
    EXPECT(!frame_ring_attach(&ring, memory, bytes - 1, -1));
    shared->slot_count = 128;
    EXPECT(!frame_ring_attach(&ring, memory, bytes, -1));
    shared->slot_count = 63;
    EXPECT(!frame_ring_attach(&ring, memory, bytes, -1));
    shared->slot_count = 64;
    shared->slot_bytes = 0;
    EXPECT(!frame_ring_attach(&ring, memory, bytes, -1));
    free(memory);
}

/* ---- UDP and addresses ------------------------------------------------------------------------
 */

SPEC("frames cross UDP unchanged, and frames of another sender are ignored")
{
    uint32_t base = 20000 + (uint32_t)getpid() % 4000 * 3;
    struct pktio_port *ends[2];
    char addresses[2][100];

    snprintf(addresses[0], 100, "udp:127.0.0.1:%u,127.0.0.1:%u?rate=1000", base, base + 1);
    snprintf(addresses[1], 100, "udp:127.0.0.1:%u,127.0.0.1:%u", base + 1, base);
    EXPECT_EQ(pktio_open(addresses[0], &(struct pktio_self){ .device = "mrc0" }, &ends[0]), 0);
    EXPECT_EQ(pktio_open(addresses[1], &(struct pktio_self){ .device = "mrc1" }, &ends[1]), 0);
    EXPECT_EQ(ends[0]->rate_bps, 1000);
    expect_conversation(ends);
    pktio_port_close(ends[1]);
    send_text(ends[0], "to ", "nobody");
    send_text(ends[0], "to ", "nobody");
    EXPECT_GE(pktio_port_room(ends[0]), 1);
    pktio_port_close(ends[0]);
}

SPEC("a datagram longer than the port's limit arrives as an empty frame")
{
    uint32_t base = 20000 + (uint32_t)getpid() % 4000 * 3;
    struct pktio_received frames[4];
    struct pktio_port *ends[2];
    struct pollfd poll_fd;
    char addresses[2][100];

    snprintf(addresses[0], 100, "udp:127.0.0.1:%u,127.0.0.1:%u?mtu=5000", base, base + 1);
    snprintf(addresses[1], 100, "udp:127.0.0.1:%u,127.0.0.1:%u?mtu=1000", base + 1, base);
    EXPECT_EQ(pktio_open(addresses[0], &(struct pktio_self){ .device = "mrc0" }, &ends[0]), 0);
    EXPECT_EQ(pktio_open(addresses[1], &(struct pktio_self){ .device = "mrc1" }, &ends[1]), 0);
    send_length(ends[0], 4608);
    poll_fd = (struct pollfd){ .fd = ends[1]->data_fd, .events = POLLIN };
    EXPECT_EQ(poll(&poll_fd, 1, 5000), 1);
    EXPECT_EQ(pktio_port_receive(ends[1], frames, 4), 1);
    EXPECT_EQ(frames[0].length_bytes, 0);
    send_length(ends[1], 1001);
    EXPECT_EQ(ends[1]->send_drops, 1);
    pktio_port_close(ends[0]);
    pktio_port_close(ends[1]);
}

SPEC("invalid addresses are refused")
{
    static const char *const bad[] = { "", "shm", "tcp:1.2.3.4:5", "udp:127.0.0.1:1", "udp:,",
        "udp:nowhere,127.0.0.1:1", "shm:/x?mtu=none", "shm:/x?colour=red", "shm:/x?mtu" };
    struct pktio_port *port;

    for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        EXPECT_LT(pktio_open(bad[i], &(struct pktio_self){ .device = "mrc0" }, &port), 0);
    EXPECT_EQ(
        pktio_open("raw:no-such-one", &(struct pktio_self){ .device = "mrc0" }, &port), -ENODEV);
}

SPEC("a tap writes the frames of a port to a capture that can be read")
{
    struct pktio_port *ends[2];
    struct capture_packet packet;
    struct pktio_tap *tap;
    struct capture capture;
    char path[64];
    char expanded[100];

    snprintf(path, sizeof(path), "/tmp/mrc-test-%%p-%%d.pcapng");
    snprintf(expanded, sizeof(expanded), "/tmp/mrc-test-%d-mrc7.pcapng", (int)getpid());
    EXPECT_EQ(pair_port_open(&(struct pair_port_config){ .mtu_bytes = 300 }, ends), 0);
    EXPECT_EQ(pktio_tap_open(path, "mrc7", &tap), 0);
    EXPECT_EQ(pktio_tap_attach(tap, ends[0], 0), 0);
    expect_conversation(ends);
    pktio_port_close(ends[0]);
    pktio_port_close(ends[1]);
    pktio_tap_close(tap);
    EXPECT_EQ(capture_open(&capture, expanded), 0);
    EXPECT_EQ(capture_next(&capture, &packet), 1);
    EXPECT_MEM_EQ(packet.bytes, "there it goes", 13);
    EXPECT_EQ(capture_next(&capture, &packet), 1);
    EXPECT_MEM_EQ(packet.bytes, "and back", 8);
    EXPECT_EQ(capture_next(&capture, &packet), 0);
    capture_close(&capture);
    unlink(expanded);
}
