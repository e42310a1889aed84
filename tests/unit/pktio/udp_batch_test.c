/* SPDX-License-Identifier: Apache-2.0 */
/* Frames over UDP, many a message: each arrives as it left, in order, whatever was joined. */
#include "pktio/udp_batch.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/prng.h"
#include "patience.h"
#include "spec.h"

enum { FRAME_BYTES_MAX = 4352, FRAMES_MAX = 200 };

struct batch_pair {
    struct udp_batch ends[2];
    uint8_t sent[FRAMES_MAX][FRAME_BYTES_MAX];
    uint32_t lengths[FRAMES_MAX];
    uint32_t sent_count;
    uint32_t received_count;
};

static void open_pair(struct batch_pair *pair)
{
    struct sockaddr_in addresses[2];
    socklen_t length = sizeof(addresses[0]);
    int buffer_bytes = 4 << 20;
    int fds[2];

    memset(pair, 0, sizeof(*pair));
    for (int i = 0; i < 2; i++) {
        addresses[i] = (struct sockaddr_in){ .sin_family = AF_INET,
            .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        fds[i] = socket(AF_INET, SOCK_DGRAM, 0);
        EXPECT_GE(fds[i], 0);
        EXPECT_EQ(bind(fds[i], (struct sockaddr *)&addresses[i], length), 0);
        EXPECT_EQ(getsockname(fds[i], (struct sockaddr *)&addresses[i], &length), 0);
        setsockopt(fds[i], SOL_SOCKET, SO_RCVBUF, &buffer_bytes, sizeof(buffer_bytes));
    }
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(connect(fds[i], (struct sockaddr *)&addresses[1 - i], length), 0);
        EXPECT_EQ(udp_batch_init(&pair->ends[i], fds[i], FRAME_BYTES_MAX), 0);
    }
}

static void close_pair(struct batch_pair *pair)
{
    for (int i = 0; i < 2; i++) {
        close(pair->ends[i].fd);
        udp_batch_fini(&pair->ends[i]);
    }
}

/* Each in two pieces, of bytes that tell it from all others. */
static void send_lengths(struct batch_pair *pair, const uint32_t *lengths, uint32_t count)
{
    struct iovec pieces[PKTIO_BATCH_MAX][2];
    struct pktio_frame frames[PKTIO_BATCH_MAX];

    for (uint32_t i = 0; i < count; i++) {
        uint8_t *bytes = pair->sent[pair->sent_count];
        struct prng prng = { .state = pair->sent_count };

        for (uint32_t at = 0; at < lengths[i]; at++)
            bytes[at] = (uint8_t)prng_next(&prng);
        pair->lengths[pair->sent_count++] = lengths[i];
        pieces[i][0] = (struct iovec){ bytes, lengths[i] / 3 };
        pieces[i][1] = (struct iovec){ bytes + lengths[i] / 3, lengths[i] - lengths[i] / 3 };
        frames[i] = (struct pktio_frame){
            .pieces = pieces[i], .piece_count = 2, .length_bytes = lengths[i]
        };
    }
    udp_batch_send(&pair->ends[0], frames, count);
}

/* The next ones, at most `max`. */
static void expect_some(struct batch_pair *pair, uint32_t max)
{
    struct pktio_received frames[PKTIO_BATCH_MAX];
    struct pollfd readable = { .fd = pair->ends[1].fd, .events = POLLIN };
    uint32_t count;

    if (!udp_batch_holds_some(&pair->ends[1]))
        EXPECT_EQ(poll(&readable, 1, PATIENCE_MS), 1);
    count = udp_batch_receive(&pair->ends[1], frames, max);
    EXPECT(count > 0 && count <= max);
    for (uint32_t i = 0; i < count; i++, pair->received_count++) {
        EXPECT_EQ(frames[i].length_bytes, pair->lengths[pair->received_count]);
        EXPECT_MEM_EQ(
            frames[i].bytes, pair->sent[pair->received_count], pair->lengths[pair->received_count]);
    }
}

static void expect_all(struct batch_pair *pair, uint32_t max)
{
    struct pktio_received frame;

    while (pair->received_count < pair->sent_count)
        expect_some(pair, max);
    EXPECT_EQ(udp_batch_receive(&pair->ends[1], &frame, 1), 0);
}

static void fill_lengths(uint32_t *lengths, uint32_t count, uint32_t length)
{
    for (uint32_t i = 0; i < count; i++)
        lengths[i] = length;
}

SPEC("frames of one length arrive one by one, as many per call as asked for")
{
    static struct batch_pair pair;
    uint32_t lengths[40];

    for (uint32_t max = 1; max <= 64; max *= 2) {
        open_pair(&pair);
        fill_lengths(lengths, 40, 2152);
        send_lengths(&pair, lengths, 40);
        expect_all(&pair, max);
        close_pair(&pair);
    }
}

SPEC("consecutive frames of different lengths keep their lengths and their order")
{
    static const uint32_t lengths[] = { 100, 100, 68, 100, 68, 2152, 2152, 90, 1, 1, 1, 4352, 4352,
        4352, 4351, 4352, 12, 13, 14 };
    static struct batch_pair pair;

    open_pair(&pair);
    send_lengths(&pair, lengths, sizeof(lengths) / sizeof(lengths[0]));
    expect_all(&pair, 32);
    close_pair(&pair);
}

SPEC("frames of random lengths arrive unchanged, over many seeds")
{
    static struct batch_pair pair;

    for (uint64_t seed = 0; seed < 200; seed++) {
        struct prng prng = { .state = seed };
        uint32_t lengths[PKTIO_BATCH_MAX];

        open_pair(&pair);
        for (uint32_t batch = 0; batch < 6; batch++) { /* a small socket holds one */
            uint32_t count = 1 + prng_below(&prng, 32);

            for (uint32_t i = 0; i < count; i++)
                lengths[i] = i > 0 && prng_below(&prng, 4) > 0 ? lengths[i - 1]
                                                               : 1 + prng_below(&prng, 2200);
            send_lengths(&pair, lengths, count);
            expect_all(&pair, 1 + prng_below(&prng, PKTIO_BATCH_MAX));
        }
        close_pair(&pair);
    }
}

SPEC("if the route does not support joined frames, frames are sent one by one from then on")
{
    static struct batch_pair pair;
    int off = 1; /* datagrams without a checksum: those cannot be joined */
    uint32_t lengths[20];

    open_pair(&pair);
    EXPECT(pair.ends[0].joins);
    EXPECT_EQ(setsockopt(pair.ends[0].fd, SOL_SOCKET, SO_NO_CHECK, &off, sizeof(off)), 0);
    fill_lengths(lengths, 20, 500);
    send_lengths(&pair, lengths, 20);
    EXPECT(!pair.ends[0].joins);
    EXPECT_EQ(pair.ends[0].refused, 0);
    send_lengths(&pair, lengths, 20);
    expect_all(&pair, 32);
    close_pair(&pair);
}

SPEC("frames without room wait, and frames sent later wait behind them")
{
    static struct batch_pair pair;
    int least = 1;
    int fds[2];
    uint32_t lengths[16];

    /* Sockets that hold little until it is read, and cannot join either. */
    memset(&pair, 0, sizeof(pair));
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds), 0);
    EXPECT_EQ(setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &least, sizeof(least)), 0);
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(udp_batch_init(&pair.ends[i], fds[i], FRAME_BYTES_MAX), 0);
    EXPECT(!pair.ends[0].joins);
    fill_lengths(lengths, 16, 1000);
    send_lengths(&pair, lengths, 16);
    send_lengths(&pair, lengths, 16);
    EXPECT(frame_backlog_count(&pair.ends[0].backlog) > 16);
    EXPECT_EQ(udp_batch_room(&pair.ends[0]), 0);
    while (pair.received_count < 32) {
        expect_some(&pair, 32);
        udp_batch_room(&pair.ends[0]);
    }
    EXPECT_EQ(udp_batch_room(&pair.ends[0]), PKTIO_BATCH_MAX);
    close_pair(&pair);
}
