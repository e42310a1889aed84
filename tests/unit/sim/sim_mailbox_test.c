/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/mailbox.h"

#include <stdlib.h>

#include "base/prng.h"
#include "spec.h"

enum {
    NODES = 70,
    PACKETS = 500,
    WINDOW_PS = 1000000,
};

struct fixture {
    struct mailbox mailbox;
    struct mailbox_entry out[PACKETS];
    uint32_t nodes[NODES];
    void *memory;
};

static struct fixture *open_fixture(void)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct arena arena;

    EXPECT(f != NULL);
    arena_init(&arena, NULL, 0);
    mailbox_init(&f->mailbox, &arena, NODES, PACKETS, WINDOW_PS);
    f->memory = aligned_alloc(64, (arena.used_bytes + 63) / 64 * 64);
    arena_init(&arena, f->memory, arena.used_bytes);
    mailbox_init(&f->mailbox, &arena, NODES, PACKETS, WINDOW_PS);
    return f;
}

static void close_fixture(struct fixture *f)
{
    free(f->memory);
    free(f);
}

static void post(struct fixture *f, uint32_t node, uint64_t time_ps, uint32_t handle)
{
    mailbox_post(&f->mailbox, node, 3, time_ps, &(struct port_entry){ .handle = handle });
}

SPEC("a posted packet is delivered when its window opens, with its time and port")
{
    struct fixture *f = open_fixture();

    post(f, 69, WINDOW_PS + 5, 7);
    EXPECT_EQ(mailbox_next_ps(&f->mailbox, UINT64_MAX), WINDOW_PS);
    mailbox_open(&f->mailbox, WINDOW_PS);
    EXPECT_EQ(mailbox_take_active(&f->mailbox, f->nodes), 1);
    EXPECT_EQ(f->nodes[0], 69);
    EXPECT_EQ(mailbox_take(&f->mailbox, 69, f->out), 1);
    EXPECT_EQ(f->out[0].packet.handle, 7);
    EXPECT_EQ(mailbox_offset_ps(&f->out[0]), 5);
    EXPECT_EQ(mailbox_port(&f->out[0]), 3);
    close_fixture(f);
}

SPEC("a list of any length is delivered in the order in which it was posted")
{
    struct fixture *f = open_fixture();

    for (uint32_t length = 1; length <= 100; length++) {
        uint64_t open_ps = (uint64_t)length * WINDOW_PS;

        for (uint32_t i = 0; i < length; i++)
            post(f, 1, open_ps + i, i);
        mailbox_open(&f->mailbox, open_ps);
        EXPECT_EQ(mailbox_count(&f->mailbox), length);
        EXPECT_EQ(mailbox_take(&f->mailbox, 1, f->out), length);
        for (uint32_t i = 0; i < length; i++)
            EXPECT_EQ(f->out[i].packet.handle, i);
        EXPECT_EQ(mailbox_count(&f->mailbox), 0);
    }
    close_fixture(f);
}

SPEC("time without events is passed in one step")
{
    struct fixture *f = open_fixture();
    uint64_t late_ps = UINT64_C(123456) * WINDOW_PS + 17;

    post(f, 2, late_ps, 1);
    EXPECT_EQ(mailbox_next_ps(&f->mailbox, UINT64_MAX), late_ps);
    mailbox_open(&f->mailbox, late_ps / WINDOW_PS * WINDOW_PS);
    EXPECT_EQ(mailbox_take(&f->mailbox, 2, f->out), 1);
    EXPECT_EQ(mailbox_offset_ps(&f->out[0]), 17);
    close_fixture(f);
}

SPEC("a node that asks for a time is woken in its window or before it, never after")
{
    struct fixture *f = open_fixture();

    for (uint64_t wake_ps = 1; wake_ps < UINT64_C(300) * WINDOW_PS;
         wake_ps = wake_ps * 3 / 2 + 77) {
        uint64_t at_ps = f->mailbox.open_ps + wake_ps;
        bool is_woken = false;

        mailbox_wake(&f->mailbox, 5, at_ps);
        while (!is_woken) {
            uint64_t next_ps = mailbox_next_ps(&f->mailbox, UINT64_MAX);

            EXPECT_LE(next_ps, at_ps);
            if (next_ps > f->mailbox.open_ps)
                mailbox_open(&f->mailbox, next_ps / WINDOW_PS * WINDOW_PS);
            is_woken = mailbox_take_active(&f->mailbox, f->nodes) > 0;
        }
        EXPECT_LE(f->mailbox.open_ps, at_ps);
        EXPECT_EQ(f->nodes[0], 5);
    }
    close_fixture(f);
}

PROPERTY("no packet is lost, and each is delivered in its window", 100)
{
    struct fixture *f = open_fixture();
    struct prng prng = prng_stream(seed, 0);
    uint64_t due_ps[PACKETS];
    uint32_t taken = 0;

    for (uint32_t i = 0; i < PACKETS; i++) {
        due_ps[i] = WINDOW_PS + prng_below(&prng, 40 * WINDOW_PS);
        post(f, i % NODES, due_ps[i], i);
    }
    while (taken < PACKETS) {
        uint64_t open_ps = mailbox_next_ps(&f->mailbox, UINT64_MAX) / WINDOW_PS * WINDOW_PS;
        uint32_t active;

        mailbox_open(&f->mailbox, open_ps);
        active = mailbox_take_active(&f->mailbox, f->nodes);
        for (uint32_t n = 0; n < active; n++) {
            uint32_t count = mailbox_take(&f->mailbox, f->nodes[n], f->out);

            for (uint32_t i = 0; i < count; i++) {
                EXPECT_EQ(f->out[i].packet.handle % NODES, f->nodes[n]);
                EXPECT_EQ(open_ps + mailbox_offset_ps(&f->out[i]), due_ps[f->out[i].packet.handle]);
            }
            taken += count;
        }
    }
    EXPECT_EQ(mailbox_next_ps(&f->mailbox, UINT64_MAX), UINT64_MAX);
    close_fixture(f);
}
