/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that fail in every way, to show that the harness says so; run by tests/tools/harness.sh
 * only. */
#include "spec.h"

#include <stdlib.h>
#include <string.h>

static void expect_inside_a_helper(int value)
{
    EXPECT_EQ(value, 4);
}

SPEC("passes")
{
    EXPECT(1 + 1 == 2);
}

SPEC("a false condition fails")
{
    EXPECT(1 + 1 == 3);
    abort(); /* must not be reached */
}

SPEC("unequal integers fail and are shown")
{
    expect_inside_a_helper(-3);
}

SPEC("unequal memory fails and shows the offset")
{
    EXPECT_MEM_EQ("abcdef", "abcxef", 6);
}

SPEC("unequal strings fail and are shown")
{
    EXPECT_STR_EQ("plane", "plate");
}

SPEC("a wrong order fails")
{
    EXPECT_LT(SIZE_MAX, -1);
}

PROPERTY("a property that fails for one seed only", 100)
{
    EXPECT_NE(seed, 42);
}

SPEC("a skipped test says why")
{
    SKIP("it is an example");
}

SPEC("a test that dies names itself")
{
    if (getenv("SPEC_ABORT"))
        abort();
    EXPECT(1);
}

SPEC("a test without an expectation fails")
{
}
