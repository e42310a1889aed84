/* SPDX-License-Identifier: Apache-2.0 */
/* What an engine does first when somebody polls: tell, answer, acknowledge. */
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
    const struct host_config *config = host_config_of(pair->ends[0].nic);
    struct pktio_received received[FRAMES_MAX];
    uint32_t received_count = pktio_port_receive(pair->ports[0][0], received, FRAMES_MAX);
    uint32_t count = 0;

    for (uint32_t i = 0; i < received_count; i++) {
        struct frame frame;

        EXPECT_EQ(frame_parse(&config->format, received[i].bytes, received[i].length_bytes, &frame),
            DROP_NONE);
        if (frame.packet.opcode != OPCODE_ENDPOINT_REQUEST && frame.packet.opcode != OPCODE_PROBE)
            out[count++] = frame.packet.opcode;
    }
    return count;
}

SPEC("who polls is told before the writer, and its answer leaves before the acknowledgement")
{
    struct endpoint_pair pair;
    struct host_completion completion;
    uint8_t opcodes[FRAMES_MAX];

    endpoint_pair_open_alone(&pair, 1, &perfect, 1 << 16);
    endpoint_pair_connect(&pair, 0);
    for (uint32_t end = 0; end < 2; end++)
        EXPECT_EQ(host_qp_post_recv(pair.qps[end], end), 0);
    post_immediate(&pair, 0);
    EXPECT_EQ(host_cq_poll(pair.ends[1].cq, &completion, 1), 1);
    EXPECT(completion.is_recv);
    EXPECT_EQ(take_opcodes(&pair, opcodes), 0);
    post_immediate(&pair, 1);
    EXPECT_EQ(take_opcodes(&pair, opcodes), 3); /* SACK and ACK, too */
    EXPECT(opcode_has_payload(opcodes[0]));
    endpoint_pair_close(&pair);
}

SPEC("who polls again without an answer acknowledges what came")
{
    struct endpoint_pair pair;
    struct host_completion completion;
    uint8_t opcodes[FRAMES_MAX];

    endpoint_pair_open_alone(&pair, 1, &perfect, 1 << 16);
    endpoint_pair_connect(&pair, 0);
    EXPECT_EQ(host_qp_post_recv(pair.qps[1], 0), 0);
    post_immediate(&pair, 0);
    EXPECT_EQ(host_cq_poll(pair.ends[1].cq, &completion, 1), 1);
    EXPECT_EQ(take_opcodes(&pair, opcodes), 0);
    EXPECT_EQ(host_cq_poll(pair.ends[1].cq, &completion, 1), 0);
    EXPECT_EQ(take_opcodes(&pair, opcodes), 2);
    EXPECT(opcodes[0] == OPCODE_SACK || opcodes[1] == OPCODE_SACK);
    EXPECT(opcodes[0] == OPCODE_ACK || opcodes[1] == OPCODE_ACK);
    endpoint_pair_close(&pair);
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

SPEC("who sees a completion may post in its place at once, whoever drives the NIC")
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
