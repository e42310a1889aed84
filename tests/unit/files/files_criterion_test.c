/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons over the names of a summary. */
#include "files/criterion.h"

#include <string.h>

#include "base/prng.h"
#include "spec.h"

static bool look_up(void *context, const char *name, double *value)
{
    (void)context;
    *value = strcmp(name, "half") == 0 ? 0.5 : strcmp(name, "phases.a-b.two_2") == 0 ? 2 : -1;
    return *value >= 0;
}

static struct criterion_outcome outcome_of(const char *text)
{
    struct criterion_outcome outcome;

    criterion_evaluate(text, look_up, NULL, &outcome);
    return outcome;
}

static enum criterion_result result_of(const char *text)
{
    return outcome_of(text).result;
}

SPEC("a criterion can use each comparison")
{
    EXPECT_EQ(result_of("half >= 0.5"), CRITERION_HOLDS);
    EXPECT_EQ(result_of("half > 0.5"), CRITERION_FAILS);
    EXPECT_EQ(result_of("half <= 50%"), CRITERION_HOLDS);
    EXPECT_EQ(result_of("half<0.5"), CRITERION_FAILS);
    EXPECT_EQ(result_of("half == 0.5"), CRITERION_HOLDS);
    EXPECT_EQ(result_of("half != 0.5"), CRITERION_FAILS);
}

SPEC("both sides of a criterion can have arithmetic and names")
{
    EXPECT_EQ(result_of("phases.a-b.two_2 - half * 3 == (1 + 2) * half - 1"), CRITERION_HOLDS);
    EXPECT_EQ(result_of("1 / phases.a-b.two_2 == half"), CRITERION_HOLDS);
    EXPECT_EQ(result_of("8 / 2 / 2 == 2"), CRITERION_HOLDS);
}

SPEC("the value of a criterion is that of its left side")
{
    EXPECT(outcome_of("half + 1 >= 2").value == 1.5);
    EXPECT(outcome_of("half + 1 >= 1").value == 1.5);
}

SPEC("a criterion with a name that has no value is unknown, and the name is reported")
{
    EXPECT_EQ(result_of("none >= 1"), CRITERION_UNKNOWN);
    EXPECT_STR_EQ(outcome_of("1 < none.at_all").problem, "there is no 'none.at_all'");
    EXPECT_EQ(result_of("1 / (half - half) > 1"), CRITERION_UNKNOWN);
}

SPEC("a text that is not a comparison is refused with the position of the error")
{
    EXPECT_STR_EQ(outcome_of("half").problem, "one of >= <= > < == != is expected at 'the end'");
    EXPECT_STR_EQ(outcome_of("half => 1").problem, "one of >= <= > < == != is expected at '=> 1'");
    EXPECT_STR_EQ(outcome_of("half > ").problem, "a number or a name is expected at 'the end'");
    EXPECT_STR_EQ(outcome_of("(half > 1").problem, "a ')' is missing at '> 1'");
    EXPECT_STR_EQ(outcome_of("half > 1 2").problem, "nothing more is expected at '2'");
    EXPECT_STR_EQ(outcome_of("half > 1 and 2").problem, "nothing more is expected at 'and 2'");
    EXPECT_STR_EQ(outcome_of("1x > 2").problem, "a number is followed by 'x > 2'");
    EXPECT_EQ(result_of(""), CRITERION_MALFORMED);
}

PROPERTY("any text is parsed or refused with a message", 3000)
{
    static const char letters[] = "half.-+*/()<>=!% 0123456789_";
    struct prng prng = prng_stream(seed, 0);
    char text[100] = "";
    struct criterion_outcome outcome;
    size_t length = prng_next(&prng) % (sizeof(text) - 1);

    for (size_t i = 0; i < length; i++)
        text[i] = letters[prng_next(&prng) % (sizeof(letters) - 1)];
    outcome = outcome_of(text);
    EXPECT((outcome.problem[0] != '\0') == (outcome.result >= CRITERION_UNKNOWN));
}
