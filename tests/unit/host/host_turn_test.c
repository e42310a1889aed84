/* SPDX-License-Identifier: Apache-2.0 */
/* The order of an engine: answers leave before the application sees what they answer. */
#include <pthread.h>
#include <stdatomic.h>

#include "endpoint.h"
#include "wire/frame.h"

static const struct pair_port_config perfect;

static void post_immediate(struct endpoint_pair *pair, uint32_t end)
{
    struct host_piece piece = {
        .address = (uintptr_t)pair->ends[end].memory, .length_bytes = 8, .lkey = pair->ends[end].key
    };

    EXPECT_EQ(host_qp_post_send(
                  pair->qps[end], &(struct host_send){ .remote_va = pair->addresses[1 - end].va,
                                      .rkey = pair->addresses[1 - end].key,
                                      .flags = WORK_WITH_IMMEDIATE,
                                      .pieces = &piece,
                                      .piece_count = 1 }),
        0);
    host_kick(pair->ends[end].nic);
}

enum { FRAMES_MAX = 8 };

/* The opcodes of the frames that wait at end 0. Without probes: when those are sent depends on how
 * fast the machine is. */
static uint32_t take_opcodes(struct endpoint_pair *pair, uint8_t out[FRAMES_MAX])
{
    const struct wire_format *format = &pair->ends[0].format;
    struct pktio_received received[FRAMES_MAX];
    uint32_t received_count = pktio_port_receive(pair->ports[0][0], received, FRAMES_MAX);
    uint32_t count = 0;

    for (uint32_t i = 0; i < received_count; i++) {
        struct frame frame;

        EXPECT_EQ(
            frame_parse(format, received[i].bytes, received[i].length_bytes, &frame), DROP_NONE);
        if (frame.packet.opcode != OPCODE_ENDPOINT_REQUEST && frame.packet.opcode != OPCODE_PROBE)
            out[count++] = frame.packet.opcode;
    }
    return count;
}

static bool holds_sack_and_ack(const uint8_t *opcodes, uint32_t count)
{
    bool has_sack = false;
    bool has_ack = false;

    for (uint32_t i = 0; i < count; i++) {
        has_sack |= opcodes[i] == OPCODE_SACK;
        has_ack |= opcodes[i] == OPCODE_ACK;
    }
    return has_sack && has_ack;
}

static void open_pair(struct endpoint_pair *pair)
{
    endpoint_pair_open_alone(pair, 1, &perfect, 1 << 16);
    endpoint_pair_connect(pair, 0);
    EXPECT_EQ(host_qp_post_recv(pair->qps[1], 0), 0);
}

SPEC("the acknowledgement is in the port before the completion can be seen")
{
    struct endpoint_pair pair;
    struct host_completion completion;
    uint8_t opcodes[FRAMES_MAX];

    open_pair(&pair);
    post_immediate(&pair, 0);
    EXPECT_EQ(host_cq_poll(pair.ends[1].cq, &completion, 1), 1);
    EXPECT(completion.is_recv);
    EXPECT(holds_sack_and_ack(opcodes, take_opcodes(&pair, opcodes)));
    endpoint_pair_close(&pair);
}

SPEC("a NAK is in the port before the flush that it causes can be seen")
{
    struct endpoint_pair pair;
    struct host_completion completion;
    uint8_t opcodes[FRAMES_MAX];

    open_pair(&pair);
    pair.addresses[1].key ^= 1;
    post_immediate(&pair, 0);
    EXPECT_EQ(host_cq_poll(pair.ends[1].cq, &completion, 1), 1);
    EXPECT_EQ(completion.status, COMPLETION_FLUSHED);
    EXPECT_EQ(take_opcodes(&pair, opcodes), 1);
    EXPECT_EQ(opcodes[0], OPCODE_ACK);
    endpoint_pair_close(&pair);
}

/* Returns whether a SACK that waits at port 0 of end 0 asks it to avoid an EV. */
static bool holds_always_skip(struct endpoint_pair *pair)
{
    struct pktio_received received[FRAMES_MAX];
    uint32_t count = pktio_port_receive(pair->ports[0][0], received, FRAMES_MAX);
    bool holds = false;

    for (uint32_t i = 0; i < count; i++) {
        struct frame frame;

        EXPECT_EQ(
            frame_parse(&pair->ends[0].format, received[i].bytes, received[i].length_bytes, &frame),
            DROP_NONE);
        holds |=
            frame.packet.opcode == OPCODE_SACK && frame.packet.sack.mark == SACK_MARK_ALWAYS_SKIP;
    }
    return holds;
}

SPEC("a packet that arrives by a disabled port asks the peer to avoid its path")
{
    for (int disabled = 0; disabled < 2; disabled++) {
        struct endpoint_pair pair;

        endpoint_pair_open_alone(&pair, 2, &perfect, 1 << 16);
        endpoint_pair_connect(&pair, 0);
        for (int i = 0; i < 4; i++)
            EXPECT_EQ(endpoint_write(&pair.ends[0], pair.qps[0], &pair.addresses[1], 0, 8), 0);
        if (disabled)
            EXPECT_EQ(host_port_set_admin(pair.ends[1].nic, 1, false), 0);
        host_progress(pair.ends[1].nic);
        EXPECT_EQ(holds_always_skip(&pair), disabled);
        endpoint_pair_close(&pair);
    }
}

/* A port that lets another thread post a receive while the engine reads it. */
struct interloper {
    struct pktio_ops ops; /* first: found by the port's pointer */
    const struct pktio_ops *original;
    struct host_qp *qp;
};

static uint32_t post_and_receive(
    struct pktio_port *port, struct pktio_received *frames, uint32_t max)
{
    struct interloper *interloper = (struct interloper *)(uintptr_t)port->ops;

    EXPECT_EQ(host_qp_post_recv(interloper->qp, 7), 0);
    return interloper->original->receive(port, frames, max);
}

SPEC("a receive that is posted while the engine reads its ports is used by a write that follows")
{
    struct endpoint_pair pair;
    struct host_completion completion;
    struct interloper interloper;

    endpoint_pair_open_alone(&pair, 1, &perfect, 1 << 16);
    endpoint_pair_connect(&pair, 0);
    post_immediate(&pair, 0);
    interloper = (struct interloper){ .original = pair.ports[1][0]->ops, .qp = pair.qps[1] };
    interloper.ops = *interloper.original;
    interloper.ops.receive = post_and_receive;
    pair.ports[1][0]->ops = &interloper.ops;
    host_progress(pair.ends[1].nic);
    pair.ports[1][0]->ops = interloper.original;
    EXPECT_EQ(host_cq_poll(pair.ends[1].cq, &completion, 1), 1);
    EXPECT_EQ(completion.status, COMPLETION_SUCCESS);
    EXPECT_EQ(completion.id, 7);
    endpoint_pair_close(&pair);
}

/* Frames of nothing, until an end has no room. */
static void fill_port(struct pktio_port *port)
{
    struct iovec piece = { .iov_base = (void *)"nothing", .iov_len = 7 };
    struct pktio_frame frame = { .pieces = &piece, .piece_count = 1, .length_bytes = 7 };

    while (pktio_port_room(port) > 0)
        pktio_port_send(port, &frame, 1);
}

static void empty_port(struct pktio_port *port)
{
    struct pktio_received received[FRAMES_MAX];

    while (pktio_port_receive(port, received, FRAMES_MAX) > 0)
        ;
}

SPEC("a completion waits while the port has no room for its acknowledgement")
{
    struct endpoint_pair pair;
    struct host_completion completion;
    uint8_t opcodes[FRAMES_MAX];

    open_pair(&pair);
    fill_port(pair.ports[1][0]);
    post_immediate(&pair, 0);
    for (uint32_t i = 0; i < 3; i++)
        EXPECT_EQ(host_cq_poll(pair.ends[1].cq, &completion, 1), 0);
    empty_port(pair.ports[0][0]);
    EXPECT_EQ(host_cq_poll(pair.ends[1].cq, &completion, 1), 1);
    EXPECT(holds_sack_and_ack(opcodes, take_opcodes(&pair, opcodes)));
    endpoint_pair_close(&pair);
}

enum { LONG_BYTES = 1 << 22 }; /* more packets than the port holds */

static struct host_completion drive_until_done(struct endpoint_pair *pair)
{
    struct host_completion completion = { .status = COMPLETION_STATUS_COUNT };
    int64_t end_s = patience_end_s();

    while (host_cq_poll(pair->ends[0].cq, &completion, 1) == 0 && patience_lasts(end_s))
        host_progress(pair->ends[1].nic);
    return completion;
}

SPEC("a write under way does not write to memory that is deregistered")
{
    struct endpoint_pair pair;
    uint8_t *memory;

    endpoint_pair_open_alone(&pair, 1, &perfect, LONG_BYTES);
    endpoint_pair_connect(&pair, 0);
    memory = pair.ends[1].memory;
    memset(pair.ends[0].memory, 1, LONG_BYTES);
    EXPECT_EQ(endpoint_write(&pair.ends[0], pair.qps[0], &pair.addresses[1], 0, LONG_BYTES), 0);
    EXPECT(host_progress(pair.ends[1].nic) > 0);
    EXPECT_EQ(memory[0], 1);
    EXPECT_EQ(host_memory_deregister(pair.ends[1].nic, pair.ends[1].key), 0);
    memset(memory, 2, LONG_BYTES);
    EXPECT_EQ(drive_until_done(&pair).status, COMPLETION_REMOTE_ACCESS);
    EXPECT_EQ(memory[0], 2);
    EXPECT_MEM_EQ(memory, memory + 1, LONG_BYTES - 1);
    EXPECT_EQ(host_memory_register(pair.ends[1].nic,
                  &(struct host_region){ .address = memory, .length_bytes = LONG_BYTES },
                  &pair.ends[1].key),
        0); /* for the end */
    endpoint_pair_close(&pair);
}

SPEC("a write under way does not read from memory that is deregistered")
{
    struct endpoint_pair pair;

    endpoint_pair_open_alone(&pair, 1, &perfect, LONG_BYTES);
    endpoint_pair_connect(&pair, 0);
    EXPECT_EQ(endpoint_write(&pair.ends[0], pair.qps[0], &pair.addresses[1], 0, LONG_BYTES), 0);
    EXPECT_EQ(host_memory_deregister(pair.ends[0].nic, pair.ends[0].key), 0);
    EXPECT_EQ(drive_until_done(&pair).status, COMPLETION_LOCAL_PROTECTION);
    EXPECT_EQ(
        host_memory_register(pair.ends[0].nic,
            &(struct host_region){ .address = pair.ends[0].memory, .length_bytes = LONG_BYTES },
            &pair.ends[0].key),
        0); /* for the end */
    endpoint_pair_close(&pair);
}

/* A port that looks at memory when frames are handed to it, and when the other end is let see them.
 */
struct witness {
    struct pktio_ops ops; /* first: found by the port's pointer */
    const struct pktio_ops *original;
    const uint8_t *watched;
    const struct wire_format *format;
    uint8_t seen_at_send; /* of the acknowledgement */
    uint8_t seen_at_release;
    bool holds;
};

static struct witness *witness_of(struct pktio_port *port)
{
    return (struct witness *)(uintptr_t)port->ops;
}

/* Frames without payload are one piece. */
static bool is_acknowledgement(const struct witness *witness, const struct pktio_frame *sent)
{
    struct frame frame;

    return sent->piece_count == 1 &&
           frame_parse(witness->format, sent->pieces[0].iov_base, sent->length_bytes, &frame) ==
               DROP_NONE &&
           frame.packet.opcode == OPCODE_ACK;
}

static void look_and_send(struct pktio_port *port, const struct pktio_frame *frames, uint32_t count)
{
    struct witness *witness = witness_of(port);

    for (uint32_t i = 0; i < count; i++)
        if (is_acknowledgement(witness, &frames[i]))
            witness->seen_at_send = *witness->watched;
    witness->original->send(port, frames, count);
}

static bool look_and_hold(struct pktio_port *port, bool holds)
{
    struct witness *witness = witness_of(port);

    if (witness->holds && !holds)
        witness->seen_at_release = *witness->watched;
    witness->holds = holds;
    return true;
}

static void watch_write(struct witness *witness, bool can_hold)
{
    struct endpoint_pair pair;
    uint8_t opcodes[FRAMES_MAX];

    open_pair(&pair);
    *witness = (struct witness){ .watched = pair.ends[1].memory,
        .original = pair.ports[1][0]->ops,
        .format = &pair.ends[1].format,
        .seen_at_send = 2,
        .seen_at_release = 2 };
    witness->ops = *witness->original;
    witness->ops.send = look_and_send;
    witness->ops.hold = can_hold ? look_and_hold : NULL;
    pair.ports[1][0]->ops = &witness->ops;
    pair.ends[0].memory[0] = 1;
    post_immediate(&pair, 0);
    host_progress(pair.ends[1].nic);
    EXPECT_EQ(pair.ends[1].memory[0], 1);
    EXPECT(holds_sack_and_ack(opcodes, take_opcodes(&pair, opcodes)));
    pair.ports[1][0]->ops = witness->original;
    endpoint_pair_close(&pair);
}

SPEC("bytes are in place before the writer can receive the acknowledgement")
{
    struct witness witness;

    watch_write(&witness, false);
    EXPECT_EQ(witness.seen_at_send, 1);
}

SPEC("a port that can hold the acknowledgement back has it before a byte is visible")
{
    struct witness witness;

    watch_write(&witness, true);
    EXPECT_EQ(witness.seen_at_send, 0);
    EXPECT_EQ(witness.seen_at_release, 1);
    EXPECT(!witness.holds);
}

struct driver {
    struct host_nic *nic;
    pthread_t thread;
    _Atomic bool stops;
};

static void *drive(void *context)
{
    struct driver *driver = context;

    while (!atomic_load(&driver->stops))
        host_progress(driver->nic);
    return NULL;
}

SPEC("an application that sees a completion can reuse its slot at once, in any thread")
{
    struct endpoint_pair pair;
    struct driver drivers[2];
    struct host_completion completion;
    uint32_t in_flight = 0;

    endpoint_pair_open_alone(&pair, 1, &perfect, 1 << 16);
    endpoint_pair_connect(&pair, 0);
    for (uint32_t end = 0; end < 2; end++) {
        drivers[end] = (struct driver){ .nic = pair.ends[end].nic };
        EXPECT_EQ(pthread_create(&drivers[end].thread, NULL, drive, &drivers[end]), 0);
    }
    for (uint32_t posted = 0; posted < 400000; in_flight--) {
        for (; in_flight < 128; in_flight++, posted++)
            EXPECT_EQ(endpoint_write(&pair.ends[0], pair.qps[0], &pair.addresses[1], 0, 8), 0);
        EXPECT_EQ(endpoint_wait(&pair.ends[0], 1, &completion), 1);
    }
    EXPECT_EQ(endpoint_wait(&pair.ends[0], in_flight, &completion), in_flight);
    for (uint32_t end = 0; end < 2; end++) {
        atomic_store(&drivers[end].stops, true);
        pthread_join(drivers[end].thread, NULL);
    }
    endpoint_pair_close(&pair);
}
