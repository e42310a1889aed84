/* SPDX-License-Identifier: Apache-2.0 */
/* QPs of a NIC go to its engines. */
#include "host/engine_choice.h"

#include <stdbool.h>

#include "spec.h"

enum { ENGINES_MAX = 4, CONNECTIONS_MAX = 8 };

struct nic {
    uint32_t count;
    uint32_t last;
    uint32_t qps[ENGINES_MAX];
    uint32_t senders[ENGINES_MAX]; /* of these */
};

static uint32_t create(struct nic *nic, bool sends)
{
    nic->last = engine_choice_next(nic->qps, nic->count, nic->last);
    nic->qps[nic->last]++;
    nic->senders[nic->last] += sends;
    return nic->last;
}

/* None has two more than another. */
static void expect_even(const uint32_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            EXPECT_LE(numbers[i], numbers[j] + 1);
}

SPEC("QPs are assigned to two engines in the order 0, 1, 1, 0")
{
    static const uint32_t expected[] = { 0, 1, 1, 0, 0, 1, 1, 0 };
    struct nic nic = { .count = 2 };

    for (uint32_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        EXPECT_EQ(create(&nic, true), expected[i]);
}

SPEC("QPs are assigned to four engines in ascending, then in descending order")
{
    static const uint32_t expected[] = { 0, 1, 2, 3, 3, 2, 1, 0, 0, 1 };
    struct nic nic = { .count = 4 };

    for (uint32_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        EXPECT_EQ(create(&nic, true), expected[i]);
}

SPEC("a single engine gets all QPs")
{
    struct nic nic = { .count = 1 };

    for (uint32_t i = 0; i < 5; i++)
        EXPECT_EQ(create(&nic, true), 0);
}

/* The orders in which programs create the QPs of their connections. */
static const char *const orders[] = { "s", "sr", "rs", "ssrr", "rrss" };

SPEC("up to eight connections send evenly on all engines, whatever other QPs exist")
{
    for (uint32_t order = 0; order < sizeof(orders) / sizeof(orders[0]); order++)
        for (uint32_t count = 1; count <= ENGINES_MAX; count *= 2) {
            struct nic nic = { .count = count };

            for (uint32_t connection = 1; connection <= CONNECTIONS_MAX; connection++) {
                for (const char *at = orders[order]; *at; at++)
                    create(&nic, *at == 's');
                expect_even(nic.qps, count);
                expect_even(nic.senders, count);
            }
        }
}

SPEC("connections that are all created to send before the first that receives are also even")
{
    for (uint32_t connections = 1; connections <= CONNECTIONS_MAX; connections++)
        for (uint32_t count = 1; count <= ENGINES_MAX; count *= 2) {
            struct nic nic = { .count = count };

            for (uint32_t i = 0; i < 2 * connections; i++)
                create(&nic, i < connections);
            expect_even(nic.qps, count);
            expect_even(nic.senders, count);
        }
}

SPEC("an engine whose QPs were destroyed gets the next ones")
{
    struct nic nic = { .count = 4, .last = 3, .qps = { 5, 1, 5, 5 } };

    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(create(&nic, true), 1);
    EXPECT_EQ(create(&nic, true), 1); /* all have five, and it had the last */
    EXPECT_EQ(create(&nic, true), 0); /* beside it, and the first of two */
}
