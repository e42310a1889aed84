/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a NIC: as small as a simulation of many needs it; and whose its parameters are. */
#include <errno.h>

#include "by_hand.h"
#include "spec.h"
#include "transport/nic.h"

enum { QPN = 7, SMALL_NIC_BYTES = 6136, SENDER_BYTES = 5 * 1024, RECEIVER_BYTES = 1536 };

static struct by_hand nic;
static struct parameters shared;

/* Two QPs, one out, one in, on four planes. */
static void prepare_small(void)
{
    by_hand_prepare(&nic);
    parameters_init(&shared, TIMERS_HARDWARE);
    nic.config.port_count = 4;
    nic.config.qp_count_max = 2;
    nic.config.control_slots = 64;
    nic.config.endpoint_slots = 8;
    nic.config.ev_event_slots = 8;
    nic.config.peer_slots = 4;
    nic.config.shared_parameters = &shared;
}

static size_t nic_bytes(void)
{
    struct arena arena;

    arena_init(&arena, NULL, 0);
    EXPECT(!transport_init(&arena, &nic.config));
    return arena.used_bytes;
}

SPEC("a NIC of two QPs to different peers, as a simulation has many, takes 6.2 KB")
{
    size_t full_bytes;

    by_hand_prepare(&nic);
    full_bytes = nic_bytes();
    prepare_small();
    EXPECT_LE(nic_bytes(), SMALL_NIC_BYTES);
    EXPECT_LT(nic_bytes(), full_bytes);
    nic.config.shared_parameters = NULL;
    EXPECT_GE(nic_bytes(), SMALL_NIC_BYTES - sizeof(struct parameters));
}

SPEC("a QP that only sends takes 5 KiB with 192 EVs and 512 PSNs, one that only receives 1.5 KiB")
{
    static struct path_entry entries[192];
    struct path_profile profile;

    for (uint32_t i = 0; i < 192; i++)
        entries[i] = (struct path_entry){ .ev = i, .plane = (uint8_t)(i % 4) };
    prepare_small();
    by_hand_open(&nic);
    EXPECT(path_profile_explicit(&profile, entries, 192, 4));
    nic.init = (struct qp_init){ .send_depth = 4, .window_psns_max = 512, .paths = &profile };
    EXPECT_LT(transport_qp_bytes(&nic.init), SENDER_BYTES);
    nic.init = (struct qp_init){
        .recv_depth = 4, .window_psns_max_dest = 512, .write_imm_max_dest = 4, .paths = &profile
    };
    EXPECT_LT(transport_qp_bytes(&nic.init), RECEIVER_BYTES);
    by_hand_close(&nic);
}

SPEC("shared parameters are read in place, and own parameters are a copy")
{
    struct parameters changed;

    prepare_small();
    by_hand_open(&nic);
    EXPECT(transport_parameters(nic.transport) == &shared);
    changed = shared;
    changed.timeout = 3;
    transport_set_parameters(nic.transport, &changed);
    EXPECT(transport_parameters(nic.transport) == &changed);
    by_hand_close(&nic);

    by_hand_prepare(&nic);
    by_hand_open(&nic);
    transport_set_parameters(nic.transport, &changed);
    changed.timeout = 4;
    EXPECT_EQ(transport_parameters(nic.transport)->timeout, 3);
    by_hand_close(&nic);
}

SPEC("as many answers wait as there are slots, and further ones are counted")
{
    struct packet packet;

    prepare_small();
    nic.config.control_slots = 4;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, psn(BY_HAND_RQ_PSN), 64);
    for (uint32_t i = 0; i < 6; i++)
        by_hand_receive(&nic, &packet);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_CONTROL_OVERFLOW), 2);
    EXPECT_EQ(by_hand_send(&nic), 4);
    by_hand_close(&nic);
}

SPEC("as many EV events wait as there are slots, and further ones are counted")
{
    uint32_t count;

    prepare_small();
    nic.config.ev_event_slots = 2;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    for (uint32_t i = 0; i < 3; i++)
        path_deny(transport_qp_paths(nic.transport, QPN), i, nic.now_ns);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_EVENTS_LOST), 1);
    count = by_hand_discard_events(&nic);
    EXPECT_EQ(count, 2);
    by_hand_close(&nic);
}

SPEC("an Endpoint Request is refused while its slot waits for a port, not while it waits for an "
     "answer")
{
    struct ipv6_addr peer = by_hand_address(1);
    uint16_t id;

    prepare_small();
    nic.config.endpoint_slots = 2;
    by_hand_open(&nic);
    for (uint32_t i = 0; i < 2; i++)
        EXPECT_EQ(
            transport_endpoint_probe(nic.transport, &peer, 1, 0, DSCP_CONTROL, &id, nic.now_ns), 0);
    EXPECT_EQ(transport_endpoint_probe(nic.transport, &peer, 1, 0, DSCP_CONTROL, &id, nic.now_ns),
        -EAGAIN);
    EXPECT_EQ(by_hand_send(&nic), 2);
    EXPECT_EQ(
        transport_endpoint_probe(nic.transport, &peer, 1, 0, DSCP_CONTROL, &id, nic.now_ns), 0);
    by_hand_close(&nic);
}

SPEC("peers are found for any number of slots")
{
    prepare_small();
    nic.config.peer_slots = 1;
    nic.config.qp_count_max = 3;
    by_hand_open(&nic);
    for (uint32_t peer = 1; peer <= 3; peer++) {
        nic.peer = peer;
        by_hand_connect(&nic, QPN + peer);
    }
    for (uint32_t i = 0; i < 6; i++) {
        struct packet update = by_hand_endpoint(&nic, 1 + i % 3, OPCODE_ENDPOINT_REQUEST,
            ENDPOINT_PORT_STATUS_UPDATE, (uint16_t)(i + 1));

        update.endpoint.port_status_mask = 1 << 1;
        EXPECT_EQ(by_hand_receive(&nic, &update), DROP_NONE);
    }
    by_hand_close(&nic);
}

static uint8_t incarnation(uint64_t seed, uint32_t engine_index, uint32_t engine_count)
{
    uint8_t number;

    by_hand_prepare(&nic);
    nic.config.seed = seed;
    nic.config.engine_index = engine_index;
    nic.config.engine_count = engine_count;
    by_hand_open(&nic);
    number = nic.transport->incarnation;
    by_hand_close(&nic);
    return number;
}

SPEC("§18: an incarnation is not 0, which means unknown, and tells the engines of a NIC apart")
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        EXPECT_NE(incarnation(seed, 0, 1), 0);
        for (uint32_t engine = 0; engine < 2; engine++) {
            EXPECT_GE(incarnation(seed, engine, 2), TRANSPORT_ENGINES_MAX);
            EXPECT_EQ(incarnation(seed, engine, 2) % TRANSPORT_ENGINES_MAX, engine);
        }
    }
}

SPEC("a packet that the driver drops is counted with its reason")
{
    by_hand_prepare(&nic);
    by_hand_open(&nic);
    transport_count_drop(nic.transport, DROP_TRUNCATED);
    transport_count_drop(nic.transport, DROP_TRUNCATED);
    EXPECT_EQ(transport_drops(nic.transport)[DROP_TRUNCATED], 2);
    by_hand_close(&nic);
}
