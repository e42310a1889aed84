/* SPDX-License-Identifier: Apache-2.0 */
/* The index of destinations and of their QPs. */
#include "spec.h"

#include <stdalign.h>
#include <string.h>

#include "base/prng.h"
#include "transport/peer_index.h"

enum { COUNT = 4096, BYTES = COUNT * (2 * sizeof(uint32_t) + 2 * sizeof(struct peer_index_link)) };

struct world {
    struct peer_index index;
    struct ipv6_addr addresses[COUNT]; /* by peer */
    alignas(8) uint8_t memory[BYTES];
};

static struct world world; /* too large for the stack */

static struct peer_index *new_index(void)
{
    struct arena arena;

    arena_init(&arena, world.memory, sizeof(world.memory));
    peer_index_init(&world.index, &arena, COUNT);
    peer_index_start(&world.index);
    EXPECT_EQ(arena.used_bytes, sizeof(world.memory));
    return &world.index;
}

/* An address of a fabric: `number` in the octets from `at` on. */
static struct ipv6_addr address(uint32_t number, uint32_t at)
{
    struct ipv6_addr address = { .octets = { 0xfd, 0, 0, 0x42 } };

    address.octets[at] = (uint8_t)(number >> 8);
    address.octets[at + 1] = (uint8_t)number;
    return address;
}

/* Lists QP and peer `number`. */
static void join(struct peer_index *index, uint32_t number, uint32_t at)
{
    world.addresses[number] = address(number, at);
    peer_index_join(index, &world.addresses[number], number, number);
}

/* Counts the peers that a search for the address meets, the one itself included. */
static uint32_t search(const struct peer_index *index, uint32_t number)
{
    uint32_t peer = peer_index_first(index, &world.addresses[number]);
    uint32_t count = 1;

    for (; peer != number; peer = peer_index_next(index, peer))
        count++;
    return count;
}

static void expect_qps(const struct peer_index *index, uint32_t peer, const char *expected)
{
    char found[16] = "";
    uint32_t count = 0;

    for (uint32_t qp = peer_index_first_qp(index, peer); qp != PEER_INDEX_NONE && count < 15;
         qp = peer_index_next_qp(index, qp))
        found[count++] = (char)('0' + qp);
    EXPECT_EQ(strcmp(found, expected), 0);
}

SPEC("a search for one of 4,096 destinations compares few addresses, whichever octets differ")
{
    for (uint32_t at = 4; at <= 14; at += 2) {
        struct peer_index *index = new_index();
        uint32_t most = 0;
        uint32_t sum = 0;

        for (uint32_t i = 0; i < COUNT; i++)
            join(index, i, at);
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t met = search(index, i);

            sum += met;
            most = met > most ? met : most;
        }
        EXPECT(sum <= 2 * COUNT);
        EXPECT(most <= 12);
    }
}

SPEC("QPs of a peer are listed in the order of their indexes, however they joined and left")
{
    struct peer_index *index = new_index();
    struct ipv6_addr peer = address(7, 14);

    peer_index_join(index, &peer, 0, 5);
    peer_index_join(index, &peer, 0, 2);
    peer_index_join(index, &peer, 0, 9);
    peer_index_join(index, &peer, 0, 7);
    expect_qps(index, 0, "2579");
    peer_index_leave(index, &peer, 0, 5);
    peer_index_leave(index, &peer, 0, 9);
    expect_qps(index, 0, "27");
    peer_index_join(index, &peer, 0, 3);
    expect_qps(index, 0, "237");
    peer_index_leave(index, &peer, 0, 2);
    expect_qps(index, 0, "37");
}

SPEC("peers with one address are met in the order of their indexes, until their last QP leaves")
{
    struct peer_index *index = new_index();
    struct ipv6_addr peer = address(7, 14);

    peer_index_join(index, &peer, 4, 0);
    peer_index_join(index, &peer, 1, 1);
    peer_index_join(index, &peer, 1, 2);
    EXPECT_EQ(peer_index_first(index, &peer), 1);
    EXPECT_EQ(peer_index_next(index, 1), 4);
    peer_index_leave(index, &peer, 1, 1);
    EXPECT_EQ(peer_index_first(index, &peer), 1);
    peer_index_leave(index, &peer, 1, 2);
    EXPECT_EQ(peer_index_first(index, &peer), 4);
    peer_index_leave(index, &peer, 4, 0);
    EXPECT_EQ(peer_index_first(index, &peer), PEER_INDEX_NONE);
}

PROPERTY("the free peer with the lowest index is taken next", 50)
{
    struct peer_index *index = new_index();
    struct prng prng = prng_stream(seed, 0);
    bool used[64] = { false };

    for (uint32_t i = 0; i < 500; i++) {
        uint32_t which = prng_below(&prng, 64);
        uint32_t lowest = 0;

        while (used[lowest])
            lowest++;
        EXPECT_EQ(peer_index_free(index), lowest);
        if (used[which]) {
            peer_index_leave(index, &world.addresses[which], which, which);
            used[which] = false;
        } else if (lowest < 60) {
            join(index, lowest, 14);
            used[lowest] = true;
        }
    }
}
