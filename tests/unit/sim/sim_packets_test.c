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
    struct fixture f = { .memory = malloc(PACKETS * sizeof(struct packets_record)) };

    memset(f.memory, 0xa5, PACKETS * sizeof(struct packets_record));
    packets_init(&f.packets, 0, PACKETS);
    f.packets.all = f.memory;
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

/* Two shards with 8 packets each, in one array. */
static void open_two(struct packets *shards, struct packets_record *all, struct packets_list *lists)
{
    for (uint32_t i = 0; i < 2; i++) {
        packets_init(&shards[i], 8 * i, 8);
        packets_list_clear(&lists[2 * i], 2);
        shards[i].all = all;
        shards[i].shard_shift = 3;
        shards[i].returned = &lists[2 * i];
    }
}

SPEC("a shard uses packets of others that end in it, until it has enough free ones")
{
    struct packets_record all[16];
    struct packets_list lists[4];
    struct packets shards[2];
    uint32_t taken[3];

    open_two(shards, all, lists);
    shards[0].kept_max = 2;
    for (uint32_t i = 0; i < 3; i++)
        taken[i] = packets_take(&shards[1]);
    for (uint32_t i = 0; i < 3; i++)
        packets_give_back(&shards[0], taken[i]);
    EXPECT_EQ(packets_free_count(&shards[0]), 2);
    EXPECT_EQ(shards[0].used, -2);
    EXPECT_EQ(lists[1].count, 1);
    EXPECT_EQ(packets_take(&shards[0]), taken[1]);
    EXPECT_EQ(packets_take(&shards[0]), taken[0]);
    EXPECT_LT(packets_take(&shards[0]), 8);
}

SPEC("packets that end in another shard return to their own")
{
    struct packets_record all[16];
    struct packets_list lists[4];
    struct packets shards[2];
    uint32_t taken[8];

    open_two(shards, all, lists);
    for (uint32_t i = 0; i < 8; i++) {
        taken[i] = packets_take(&shards[1]);
        EXPECT_GE(taken[i], 8);
    }
    EXPECT_EQ(packets_take(&shards[1]), PACKETS_NONE);
    packets_give_back(&shards[0], taken[2]);
    packets_give_back(&shards[0], taken[5]);
    EXPECT_EQ(lists[1].count, 2);
    EXPECT_EQ(packets_take(&shards[1]), PACKETS_NONE);
    packets_take_back(&shards[1], &lists[1]);
    EXPECT_EQ(shards[1].used, 6);
    EXPECT_EQ(packets_take(&shards[1]), taken[5]);
    EXPECT_EQ(packets_take(&shards[1]), taken[2]);
    EXPECT_EQ(packets_take(&shards[1]), PACKETS_NONE);
    packets_take_back(&shards[1], &lists[1]);
    EXPECT_EQ(shards[1].used, 8);
}
