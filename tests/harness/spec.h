/* SPDX-License-Identifier: Apache-2.0 */
/* Tests as sentences. A test file holds SPEC and PROPERTY blocks and nothing else is needed to run
 * them:
 *
 *     SPEC("an empty ring has nothing to pop") { ... }
 *     PROPERTY("what was pushed is popped in order", 1000) { ... the argument `seed` differs in
 * each of 1,000 runs ... }
 *
 * The first expectation that does not hold ends its test; the next test follows. A test that ends
 * without an expectation fails. Output is TAP. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Holds every value of every integer type, so that -1 and SIZE_MAX are never taken for each other.
 */
__extension__ typedef __int128 spec_integer;

struct spec {
    const char *sentence;
    int line;
    uint64_t run_count; /* 0: a SPEC, which has no seed */
    void (*body)(uint64_t seed);
    struct spec *next;
};

extern bool spec_has_expected; /* the current test has met an expectation */

/* Any thread of a test may call it. */
static inline void spec_met(void)
{
    __atomic_store_n(&spec_has_expected, true, __ATOMIC_RELAXED);
}

void spec_register(struct spec *);
_Noreturn void spec_skip(const char *why);
_Noreturn void spec_fail(const char *file, int line, const char *expectation);
_Noreturn void spec_fail_integers(
    const char *file, int line, const char *expectation, spec_integer left, spec_integer right);
void spec_expect_bytes(const char *file, int line, const char *expectation, const void *left,
    const void *right, size_t length_bytes);
void spec_expect_strings(
    const char *file, int line, const char *expectation, const char *left, const char *right);

#define SPEC(sentence)            SPEC_DEFINE(sentence, 0, __LINE__, spec_no_seed)
#define PROPERTY(sentence, count) SPEC_DEFINE(sentence, count, __LINE__, seed)
#define SKIP(why)                 spec_skip(why)

#define EXPECT(condition) ((condition) ? spec_met() : spec_fail(__FILE__, __LINE__, #condition))

#define EXPECT_EQ(left, right) SPEC_COMPARE(left, ==, right, #left " == " #right)
#define EXPECT_NE(left, right) SPEC_COMPARE(left, !=, right, #left " != " #right)
#define EXPECT_LT(left, right) SPEC_COMPARE(left, <, right, #left " < " #right)
#define EXPECT_LE(left, right) SPEC_COMPARE(left, <=, right, #left " <= " #right)
#define EXPECT_GT(left, right) SPEC_COMPARE(left, >, right, #left " > " #right)
#define EXPECT_GE(left, right) SPEC_COMPARE(left, >=, right, #left " >= " #right)

#define EXPECT_MEM_EQ(left, right, length_bytes)                                                   \
    spec_expect_bytes(__FILE__, __LINE__, #left " equals " #right, (left), (right), (length_bytes))
#define EXPECT_STR_EQ(left, right)                                                                 \
    spec_expect_strings(__FILE__, __LINE__, #left " equals " #right, (left), (right))

#define SPEC_COMPARE(left, operator, right, expectation)                                           \
    do {                                                                                           \
        spec_integer spec_left = (left);                                                           \
        spec_integer spec_right = (right);                                                         \
        if (!(spec_left operator spec_right))                                                      \
            spec_fail_integers(__FILE__, __LINE__, (expectation), spec_left, spec_right);          \
        spec_met();                                                                                \
    } while (0)

#define SPEC_NAME(part, line)  SPEC_NAME_(part, line)
#define SPEC_NAME_(part, line) spec_##part##_##line
#define SPEC_DEFINE(sentence_, count_, line_, seed_)                                               \
    static void SPEC_NAME(body, line_)(uint64_t);                                                  \
    __attribute__((constructor)) static void SPEC_NAME(register, line_)(void)                      \
    {                                                                                              \
        static struct spec spec_here = { .sentence = (sentence_),                                  \
            .line = (line_),                                                                       \
            .run_count = (count_),                                                                 \
            .body = SPEC_NAME(body, line_) };                                                      \
        spec_register(&spec_here);                                                                 \
    }                                                                                              \
    static void SPEC_NAME(body, line_)(uint64_t seed_ __attribute__((unused)))
