/* SPDX-License-Identifier: Apache-2.0 */
/* Tests api/description.c and api/description_text.c: which descriptions of devices are read, and
 * how others are refused. */
#include "api/description.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spec.h"

static const char two[] = "# two of them\n"
                          "mrc0:\n"
                          "  address: 2001:db8:0:1::1   # the first\n"
                          "  ports:\n"
                          "    - shm:/tmp/a\n"
                          "    - 'shm:/tmp/b'\n"
                          "  fabric: srv6\n"
                          "  usid_block: fc00:43\n"
                          "  uplinks: 300\n"
                          "  timeout: 12\n"
                          "  base_rtt: 50us\n"
                          "\n"
                          "mrc1:\n"
                          "  address: 10.0.0.7\n"
                          "  ports:\n"
                          "  - \"udp:127.0.0.1:1,127.0.0.1:2\"\n";

SPEC("the description of a device has its address, its ports in order, its fabric and its "
     "parameters")
{
    char problem[DESCRIPTION_PROBLEM_BYTES] = "";
    struct description device;

    EXPECT_EQ(description_parse(two, "mrc0", &device, problem), 0);
    EXPECT_STR_EQ(device.name, "mrc0");
    EXPECT_STR_EQ(device.host.name, "mrc0");
    EXPECT_EQ(device.host.address.octets[0], 0x20);
    EXPECT_EQ(device.host.address.octets[7], 1);
    EXPECT_EQ(device.host.port_count, 2);
    EXPECT_STR_EQ(device.host.ports[0].address, "shm:/tmp/a");
    EXPECT_STR_EQ(device.host.ports[1].address, "shm:/tmp/b");
    EXPECT(device.host.route == host_route_by_plan);
    EXPECT_EQ(device.plan.block, 0xfc000043);
    EXPECT_EQ(device.host.format.uplink_bits, 9);
    EXPECT_EQ(device.host.uplink_count, 300);
    EXPECT_EQ(device.host.parameters.timeout, 12);
    EXPECT_EQ(device.host.parameters.base_rtt, 50000);
}

SPEC("devices of a file are independent, and IPv4 addresses are mapped")
{
    static const uint8_t mapped[16] = { [10] = 0xff, 0xff, 10, 0, 0, 7 };
    char problem[DESCRIPTION_PROBLEM_BYTES] = "";
    struct description device;

    EXPECT_EQ(description_parse(two, "mrc1", &device, problem), 0);
    EXPECT_MEM_EQ(device.host.address.octets, mapped, 16);
    EXPECT_EQ(device.host.port_count, 1);
    EXPECT_STR_EQ(device.host.ports[0].address, "udp:127.0.0.1:1,127.0.0.1:2");
    EXPECT(device.host.route == NULL);
    EXPECT_EQ(description_parse(two, "mrc2", &device, problem), -ENODEV);
}

SPEC("names are listed in the order of the file")
{
    struct description_names names;

    description_names(two, &names);
    EXPECT_EQ(names.count, 2);
    EXPECT_STR_EQ(names.names[0], "mrc0");
    EXPECT_STR_EQ(names.names[1], "mrc1");
}

SPEC("an error in a description is reported with its line")
{
    static const struct {
        const char *text;
        const char *problem;
    } cases[] = {
        { "mrc0:\n  address: nowhere\n", "line 2: address: not an IP address" },
        { "mrc0:\n  adress: ::1\n", "line 2: adress: no such key" },
        { "mrc0:\n  timeout: 99\n", "line 2: timeout: out of range" },
        { "mrc0:\n  timeout: soon\n", "line 2: timeout: not a number, or not one of its values" },
        { "mrc0:\n  fabric: ring\n", "line 2: fabric: neither srv6 nor none" },
        { "mrc0:\n  usid_block: fc00\n  usid_block: 1:2:3\n",
            "line 3: usid_block: not of the form fc00:42" },
        { "mrc0:\n  uplinks: -1\n", "line 2: uplinks: not a number" },
        { "mrc0:\n\taddress: ::1\n", "line 2: indent with spaces" },
        { "mrc0:\n  ports: shm:x\n", "line 2: ports: list one port per line, with a dash" },
        { "mrc0:\n  - shm:x\n", "line 2: only 'ports' has a list" },
        { "mrc0: ::1\n", "line 1: mrc0: expected the name of a device and a colon" },
        { "mrc0:\n  hello\n", "line 2: neither 'key: value' nor '- value'" },
        { "mrc0:\n  address: ::1\n", "mrc0 has no ports" },
        { "mrc0:\n  ports:\n    - shm:x\n", "mrc0 has no address" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char problem[DESCRIPTION_PROBLEM_BYTES] = "";
        struct description device;

        EXPECT_EQ(description_parse(cases[i].text, "mrc0", &device, problem), -EINVAL);
        EXPECT_STR_EQ(problem, cases[i].problem);
    }
}

static void put(const char *folder, const char *name)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof(path), "%s/mrc", folder);
    mkdir(path, 0755);
    snprintf(path, sizeof(path), "%s/mrc/%s", folder, name);
    EXPECT_EQ(mkdir(path, 0755), 0);
    strcat(path, "/config");
    file = fopen(path, "w");
    fprintf(file, "%s:\n  address: ::1\n  ports:\n    - shm:/tmp/x\n", name);
    fclose(file);
}

SPEC("without MRC_CONFIG, devices are the folders that have a description, in the order of their "
     "numbers")
{
    char folder[] = "/tmp/api-test-XXXXXX";
    char command[64];
    struct description_names names;
    struct description device;

    EXPECT(mkdtemp(folder) != NULL);
    unsetenv("MRC_CONFIG");
    setenv("MRC_RUN_DIR", folder, 1);
    EXPECT_EQ(description_list(&names), 0);
    EXPECT_EQ(names.count, 0);
    put(folder, "mrc10");
    put(folder, "mrc2");
    put(folder, "mrc0");
    EXPECT_EQ(description_list(&names), 0);
    EXPECT_EQ(names.count, 3);
    EXPECT_STR_EQ(names.names[0], "mrc0");
    EXPECT_STR_EQ(names.names[1], "mrc2");
    EXPECT_STR_EQ(names.names[2], "mrc10");
    EXPECT_EQ(description_find("mrc2", &device), 0);
    EXPECT_EQ(description_find("mrc3", &device), -ENODEV);
    EXPECT_EQ(description_find("../mrc2", &device), -ENODEV);
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    EXPECT_EQ(system(command), 0);
}
