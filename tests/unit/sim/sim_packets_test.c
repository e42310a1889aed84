/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/packets.h"

#include <stdlib.h>
#include <string.h>

#include "frame_check.h"
#include "random_packet.h"
#include "spec.h"

enum { PACKETS = 10 };

struct fixture {
    struct packets packets;
    void *memory;
};

static struct fixture open_fixture(void)
{
    struct fixture f;
    struct arena arena;

    arena_init(&arena, NULL, 0);
    packets_init(&f.packets, &arena, PACKETS);
    f.memory = aligned_alloc(64, (arena.used_bytes + 63) / 64 * 64);
    memset(f.memory, 0xa5, arena.used_bytes);
    arena_init(&arena, f.memory, arena.used_bytes);
    packets_init(&f.packets, &arena, PACKETS);
    return f;
}

SPEC("the pool provides exactly as many packets as it has")
{
    struct fixture f = open_fixture();
    bool is_taken[PACKETS] = { false };

    for (uint32_t i = 0; i < PACKETS; i++) {
        uint32_t index = packets_take(&f.packets);

        EXPECT_LT(index, PACKETS);
        EXPECT(!is_taken[index]);
        is_taken[index] = true;
    }
    EXPECT(packets_are_all_used(&f.packets));
    EXPECT_EQ(packets_take(&f.packets), PACKETS_NONE);
    free(f.memory);
}

SPEC("the packet that was freed last is used next")
{
    struct fixture f = open_fixture();
    uint32_t first = packets_take(&f.packets);
    uint32_t second = packets_take(&f.packets);

    packets_give_back(&f.packets, first);
    packets_give_back(&f.packets, second);
    EXPECT_EQ(packets_take(&f.packets), second);
    EXPECT_EQ(packets_take(&f.packets), first);
    EXPECT_EQ(f.packets.used, 2);
    free(f.memory);
}

PROPERTY("the short form of a packet keeps everything that the wire carries", 1000)
{
    struct prng prng = prng_stream(seed, 0);
    struct topology_config config;
    struct topology_problem problem;
    struct plan fabric;
    struct wire_format format = format_default;
    uint8_t opcode = random_packet_opcodes[prng_below(&prng, 12)];
    struct packet sent =
        random_packet_frame(&prng, &format, opcode, RANDOM_PACKET_SRV6, false).packet;
    struct packets_record record;
    struct packet read;

    topology_config_init(&config);
    EXPECT(plan_init(&fabric, &config, NULL, &problem));
    packets_store(&record, &sent, 3, 5);
    packets_load(&record, &fabric, &read);
    read.class = sent.class;
    EXPECT(frame_check_packets(&sent, &read) == NULL);
    EXPECT_EQ(record.to, 5);
    EXPECT_EQ(read.ev, sent.ev);
    EXPECT(!record.is_corrupt);
}
