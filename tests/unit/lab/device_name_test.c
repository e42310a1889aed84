/* SPDX-License-Identifier: Apache-2.0 */
/* The device that a word names, and the sockets of a NIC that attaches by UDP. */
#include "lab/device_name.h"

#include <stdlib.h>
#include <unistd.h>

#include "lab/lab.h"
#include "spec.h"

static void expect_device(const char *typed, const char *device)
{
    char found[DEVICE_NAME_BYTES];

    device_name_find(typed, found);
    EXPECT_STR_EQ(found, device);
}

SPEC("without a fabric, the name of a NIC is the device of its number")
{
    char root[] = "/tmp/device_name_test.XXXXXX";

    EXPECT(mkdtemp(root) != NULL);
    setenv("MRC_RUN_DIR", root, 1);
    expect_device("h3", "mrc3");
    expect_device("mrc7", "mrc7");
    expect_device("lab/h3", "lab/h3");
    expect_device("h", "h");
    expect_device("h3x", "h3x");
    unsetenv("MRC_RUN_DIR");
    EXPECT_EQ(rmdir(root), 0);
}

SPEC("a NIC that attaches by UDP has two sockets")
{
    struct soft_udp udp;

    EXPECT(soft_udp_read("h3=127.0.0.1:7000,10.0.0.2:7100", &udp));
    EXPECT_EQ(udp.nic, 3);
    EXPECT_STR_EQ(udp.local_host, "127.0.0.1");
    EXPECT_EQ(udp.local_port, 7000);
    EXPECT_STR_EQ(udp.remote_host, "10.0.0.2");
    EXPECT_EQ(udp.remote_port, 7100);
}

SPEC("sockets in another format are refused")
{
    static const char *const bad[] = { "", "3=a:1,b:2", "h3", "h3=a:1", "h3=a:65536,b:2",
        "h3=:1,b:2", "h3=a:1,b:2x" };
    struct soft_udp udp;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        EXPECT(!soft_udp_read(bad[i], &udp));
}
