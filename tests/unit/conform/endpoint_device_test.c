/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of endpoints. */
#include "spec.h"

#include <stdio.h>
#include <string.h>

#include "conform/conform.h"

/* Reads a description. Returns its problem, or "". */
static const char *read_device(const char *text, struct endpoint_device *device)
{
    static char problem[YAML_PROBLEM_BYTES];
    struct yaml yaml;
    struct yaml_node *top;

    yaml_init(&yaml);
    top = yaml_parse(&yaml, "e.yaml", text, strlen(text), true);
    EXPECT(top);
    top->is_root = true;
    *device = (struct endpoint_device){ .absent = 0 };
    endpoint_device_read(&yaml, top, device);
    snprintf(problem, sizeof(problem), "%s", yaml.problem);
    yaml_fini(&yaml);
    return problem;
}

#define PORTS "ports: [{ interface: eth1, path: 'fc00:42::' }, { interface: eth2 }]\n"

SPEC("a description has ports, a driver and terms")
{
    struct endpoint_device device;

    EXPECT_STR_EQ(
        read_device("driver: './drive it'\npmtu: 4096\nmpr: 16\nwithout: srv6\n" PORTS, &device),
        "");
    EXPECT_STR_EQ(device.driver, "./drive it");
    EXPECT_EQ(device.port_count, 2);
    EXPECT(device.ports[0].has_path && !device.ports[1].has_path);
    EXPECT_EQ(device.terms.pmtu_bytes, 4096);
    EXPECT_EQ(device.terms.mpr, 16);
    EXPECT_EQ(device.absent, CONFORM_NEEDS(ENDPOINT_SRV6));
}

SPEC("a device without a driver has a QP, with numbers in hex, and is a responder only")
{
    struct endpoint_device device;

    EXPECT_STR_EQ(read_device("address: 2001:db8::2\nqpn: 0x112\npsn: 1000\nva: 0x7f0012340000\n"
                              "rkey: 0xffffffff\nmemory: 256KiB\n" PORTS,
                      &device),
        "");
    EXPECT_EQ(device.qpn, 0x112);
    EXPECT_EQ(device.va, 0x7f0012340000);
    EXPECT_EQ(device.rkey, 0xffffffff);
    EXPECT(device.absent >> ENDPOINT_DRIVER & 1 && device.absent >> ENDPOINT_REQUESTER & 1);
}

SPEC("what is missing or wrong is named")
{
    struct endpoint_device device;

    EXPECT(strstr(read_device("driver: x\n", &device), "a port is missing"));
    EXPECT(strstr(read_device(PORTS, &device), "the key 'address' is missing"));
    EXPECT(strstr(read_device("driver: x\npmtu: 1000\n" PORTS, &device), "not 1000"));
    EXPECT(strstr(read_device("driver: x\nqpn: 0x1000000\n" PORTS, &device), "up to 0xffffff"));
    EXPECT(strstr(read_device("driver: x\nrkey: key\n" PORTS, &device), "a number up to"));
    EXPECT(strstr(read_device("driver: x\nports: [{ mac: x }]\n", &device), "interface"));
    EXPECT(strstr(read_device("driver: x\nwithout: [trims]\n" PORTS, &device), "not a feature"));
}
