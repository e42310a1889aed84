/* SPDX-License-Identifier: Apache-2.0 */
/* Memory handed out once. */
#include "spec.h"

#include <stdalign.h>
#include <stdbool.h>
#include <string.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"

struct cache_line {
    alignas(64) uint8_t bytes[64];
};

/* Takes the same things from any arena. */
static void set_up(struct arena *arena, uint8_t **flags, struct cache_line **lines, uint64_t **last)
{
    *flags = arena_take(arena, 3, sizeof(**flags), alignof(uint8_t));
    *lines = arena_take(arena, 2, sizeof(**lines), alignof(struct cache_line));
    *last = arena_take(arena, 1, sizeof(**last), alignof(uint64_t));
}

SPEC("memory from an arena is zero, aligned and does not overlap")
{
    alignas(64) uint8_t memory[256];
    struct arena arena;
    struct cache_line *lines;
    uint64_t *last;
    uint8_t *flags;

    memset(memory, 0xee, sizeof(memory));
    arena_init(&arena, memory, sizeof(memory));
    set_up(&arena, &flags, &lines, &last);
    EXPECT_EQ(flags - memory, 0);
    EXPECT_EQ((uint8_t *)lines - memory, 64);
    EXPECT_EQ((uint8_t *)last - memory, 192);
    EXPECT_MEM_EQ(flags, "\0\0\0\xee", 4);
    EXPECT_EQ(*last, 0);
    EXPECT_EQ(arena.used_bytes, 200);
}

SPEC("a measuring arena returns NULL and counts the bytes that a real arena needs")
{
    struct arena arena;
    struct cache_line *lines;
    uint64_t *last;
    uint8_t *flags;

    arena_init(&arena, NULL, 0);
    set_up(&arena, &flags, &lines, &last);
    EXPECT(flags == NULL && lines == NULL && last == NULL);
    EXPECT_EQ(arena.used_bytes, 200);
}

SPEC("an arena can be used to its last byte")
{
    alignas(16) uint8_t memory[32];
    struct arena arena;

    arena_init(&arena, memory, sizeof(memory));
    EXPECT(arena_take(&arena, 4, 8, 8) == memory);
    EXPECT(arena_take(&arena, 0, 8, 8) != NULL);
    EXPECT_EQ(arena.used_bytes, 32);
}

/* In a process of its own, because an assert ends it. */
static bool take_is_refused(void *memory, size_t count, size_t element_bytes, size_t alignment)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        struct arena arena;

        signal(SIGABRT, SIG_DFL);
        close(STDERR_FILENO);
        arena_init(&arena, memory, 64);
        arena_take(&arena, count, element_bytes, alignment);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

SPEC("a request that is too large, overflows or has an invalid alignment ends the program")
{
    alignas(64) uint8_t memory[128];

    EXPECT(!take_is_refused(memory, 64, 1, 1));
    EXPECT(take_is_refused(memory, 65, 1, 1));
    EXPECT(take_is_refused(memory, SIZE_MAX / 2, 4, 1));
    EXPECT(take_is_refused(memory, 1, 1, 3));
}

SPEC("an alignment that the memory of the arena does not have ends the program")
{
    alignas(64) uint8_t memory[128];

    EXPECT(!take_is_refused(memory + 16, 1, 16, 16));
    EXPECT(take_is_refused(memory + 16, 1, 32, 32));
}

SPEC("an arena of zeros does not touch what it returns")
{
    alignas(64) uint8_t memory[64] = { 0 };
    struct arena arena;
    uint8_t *taken;

    arena_init_zero(&arena, memory, sizeof(memory));
    memory[8] = 1; /* as only a write by the owner could */
    taken = arena_take(&arena, 16, 1, 8);
    EXPECT(taken == memory);
    EXPECT_EQ(taken[8], 1);
}
