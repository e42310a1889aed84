/* SPDX-License-Identifier: Apache-2.0 */
/* In which order bytes get into memory. */
#include "host/memory_copy.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/prng.h"
#include "pattern.h"
#include "spec.h"

enum { LENGTH_MAX = 4096, GUARD = 32 };

PROPERTY("a copy has the given bytes and no others, at any alignment and length", 2000)
{
    struct prng prng = prng_stream(seed, 0);
    _Alignas(64) static uint8_t to[GUARD + LENGTH_MAX + 2 * GUARD];
    _Alignas(64) static uint8_t from[LENGTH_MAX + GUARD];
    uint32_t length = prng_below(&prng, seed % 2 ? 80 : LENGTH_MAX + 1);
    uint8_t *at = to + GUARD + prng_below(&prng, GUARD);
    const uint8_t *source = from + prng_below(&prng, GUARD);

    pattern_fill(from, seed, 0, sizeof(from));
    memset(to, 0xa5, sizeof(to));
    memory_copy(at, source, length);
    EXPECT_MEM_EQ(at, source, length);
    for (const uint8_t *byte = to; byte < to + sizeof(to); byte++)
        EXPECT(*byte == 0xa5 || (byte >= at && byte < at + length));
}

/* Two pages, of which the second cannot be written: the first store there is caught. */
static struct {
    uint8_t *pages;
    size_t page_bytes;
    uint8_t seen[LENGTH_MAX]; /* the first page's end, when it was */
    volatile sig_atomic_t caught;
} trap;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    if ((uint8_t *)info->si_addr < trap.pages + trap.page_bytes ||
        (uint8_t *)info->si_addr >= trap.pages + 2 * trap.page_bytes)
        _exit(99);
    memcpy(trap.seen, trap.pages + trap.page_bytes - sizeof(trap.seen), sizeof(trap.seen));
    mprotect(trap.pages, 2 * trap.page_bytes, PROT_READ | PROT_WRITE);
    trap.caught++;
}

static struct sigaction set_trap(void)
{
    struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
    struct sigaction before;

    trap.page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    trap.caught = 0;
    trap.pages =
        mmap(NULL, 2 * trap.page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(trap.pages != MAP_FAILED && trap.page_bytes >= sizeof(trap.seen));
    memset(trap.pages, 0, 2 * trap.page_bytes);
    EXPECT_EQ(mprotect(trap.pages + trap.page_bytes, trap.page_bytes, PROT_READ), 0);
    EXPECT_EQ(sigaction(SIGSEGV, &action, &before), 0);
    return before;
}

PROPERTY("when a store reaches a page, all bytes below it are stored", 500)
{
    struct prng prng = prng_stream(seed, 0);
    uint32_t length = 2 + prng_below(&prng, seed % 2 ? 200 : LENGTH_MAX - 2);
    uint32_t below = 1 + prng_below(&prng, length - 1);
    uint8_t from[LENGTH_MAX];
    struct sigaction before = set_trap();

    for (uint32_t i = 0; i < length; i++)
        from[i] = (uint8_t)(1 + prng_below(&prng, 255)); /* none is what is there already */
    memory_copy(trap.pages + trap.page_bytes - below, from, length);
    sigaction(SIGSEGV, &before, NULL);
    EXPECT_EQ(trap.caught, 1);
    EXPECT_MEM_EQ(trap.seen + sizeof(trap.seen) - below, from, below);
    EXPECT_MEM_EQ(trap.pages + trap.page_bytes - below, from, length);
    munmap(trap.pages, 2 * trap.page_bytes);
}

/* ---- readers --------------------------------------------------------------------------------- */

enum { WORDS = 256, ROUNDS = 20000 };

struct race {
    _Alignas(64) uint64_t words[WORDS];
    _Atomic int is_over;
    uint64_t disorder; /* words that were older than one above them */
};

/* From the top down: whatever is new at the top must be new below. */
static void *look(void *context)
{
    struct race *race = context;

    while (!atomic_load_explicit(&race->is_over, memory_order_relaxed)) {
        uint64_t above = 0;

        for (uint32_t i = WORDS; i-- > 0;) {
            uint64_t word = __atomic_load_n(&race->words[i], __ATOMIC_ACQUIRE);

            race->disorder += word < above;
            above = word;
        }
    }
    return NULL;
}

SPEC("a reader that sees a word sees every word below it as new or newer")
{
    static struct race race;
    uint64_t from[WORDS];
    pthread_t reader;

    EXPECT_EQ(pthread_create(&reader, NULL, look, &race), 0);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        for (uint32_t i = 0; i < WORDS; i++)
            from[i] = round;
        memory_copy((uint8_t *)race.words, (const uint8_t *)from, sizeof(from));
    }
    atomic_store(&race.is_over, 1);
    pthread_join(reader, NULL);
    EXPECT_EQ(race.disorder, 0);
}

struct watched {
    _Alignas(64) uint8_t bytes[LENGTH_MAX];
    uint32_t length;
    _Atomic uint64_t taken; /* the last round that the reader has looked at */
    uint64_t wrong;
};

enum { MESSAGES = 500 };

/* As programs do: the last word says that the message is there. */
static void *wait_for_messages(void *context)
{
    struct watched *watched = context;

    for (uint64_t round = 1; round <= MESSAGES; round++) {
        uint64_t *flag = (uint64_t *)(void *)(watched->bytes + watched->length - sizeof(*flag));

        while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != round)
            sched_yield();
        for (uint32_t i = 0; i < watched->length - sizeof(*flag); i++)
            watched->wrong += watched->bytes[i] != (uint8_t)round;
        atomic_store(&watched->taken, round);
    }
    return NULL;
}

SPEC("a reader that waits for the last word finds the whole message")
{
    static struct watched watched = { .length = 4000 };
    uint8_t from[LENGTH_MAX];
    pthread_t reader;

    EXPECT_EQ(pthread_create(&reader, NULL, wait_for_messages, &watched), 0);
    for (uint64_t round = 1; round <= MESSAGES; round++) {
        memset(from, (uint8_t)round, sizeof(from));
        memcpy(from + watched.length - sizeof(round), &round, sizeof(round));
        memory_copy(watched.bytes, from, watched.length);
        while (atomic_load(&watched.taken) != round)
            sched_yield();
    }
    pthread_join(reader, NULL);
    EXPECT_EQ(watched.wrong, 0);
}
