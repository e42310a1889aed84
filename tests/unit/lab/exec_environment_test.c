/* SPDX-License-Identifier: Apache-2.0 */
/* The variables with which a program finds libmrc-verbs and collective libraries choose it. */
#include "lab/exec_environment.h"

#include <stdlib.h>
#include <string.h>

#include "spec.h"

static struct exec_environment environment; /* too large for the stack */

/* Returns NULL if the variable is not set. */
static const char *value_of(const char *name)
{
    for (size_t i = 0; i < environment.count; i++)
        if (strcmp(environment.variables[i].name, name) == 0)
            return environment.variables[i].value;
    return NULL;
}

static void make(const char *devices, bool preloads)
{
    struct exec_wish wish = { .libraries = "/opt/lib", .devices = devices, .preloads = preloads };

    exec_environment_make(&environment, &wish);
}

SPEC("the folder of the library comes before the folders that are set")
{
    setenv("LD_LIBRARY_PATH", "/their/lib", 1);
    make("", false);
    EXPECT_STR_EQ(value_of("LD_LIBRARY_PATH"), "/opt/lib/mrc-verbs:/their/lib");
    EXPECT(value_of("LD_PRELOAD") == NULL);
    unsetenv("LD_LIBRARY_PATH");
    make("", false);
    EXPECT_STR_EQ(value_of("LD_LIBRARY_PATH"), "/opt/lib/mrc-verbs");
}

SPEC("with --preload, the library is preloaded instead")
{
    unsetenv("LD_PRELOAD");
    make("", true);
    EXPECT_STR_EQ(value_of("LD_PRELOAD"), "/opt/lib/libmrc-verbs.so.1");
    EXPECT(value_of("LD_LIBRARY_PATH") == NULL);
}

SPEC("a program sees the devices that are named, otherwise all")
{
    make("mrc0,mrc2", false);
    EXPECT_STR_EQ(value_of("MRC_DEVICES"), "mrc0,mrc2");
    EXPECT_STR_EQ(value_of("NCCL_IB_HCA"), "=mrc0,mrc2");
    make("", false);
    EXPECT(value_of("MRC_DEVICES") == NULL);
    EXPECT_STR_EQ(value_of("NCCL_IB_HCA"), "mrc");
}

SPEC("variables that the user has set for a collective library are kept")
{
    setenv("NCCL_NET", "Socket", 1);
    make("", false);
    EXPECT(value_of("NCCL_NET") == NULL);
    EXPECT_STR_EQ(value_of("NCCL_IBVERBS_LIB"), "/opt/lib/libmrc-verbs.so.1");
    unsetenv("NCCL_NET");
    make("", false);
    EXPECT_STR_EQ(value_of("NCCL_NET"), "IB");
}
