/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of switches. */
#include "spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conform/conform.h"

/* Reads a description; `port` is an option --port, or NULL. Returns its problem, or "". */
static const char *read_device(const char *text, const char *port, struct switch_device *device)
{
    static char problem[YAML_PROBLEM_BYTES];
    struct yaml yaml;
    struct yaml_node *top;

    yaml_init(&yaml);
    top = yaml_parse(&yaml, "s.yaml", text, strlen(text), true);
    EXPECT(top);
    top->is_root = true;
    *device = (struct switch_device){ .absent = 0 };
    if (!port || conform_spec_add_port(&yaml, top, "--port", port, NULL))
        switch_device_read(&yaml, top, device);
    snprintf(problem, sizeof(problem), "%s", yaml.problem);
    yaml_fini(&yaml);
    return problem;
}

#define TWO_PORTS                                                                                  \
    "ports: [{ interface: a, usid: 0c00, host: '2001:db8::1' }, { interface: b, usid: 0x801 }]\n"

SPEC("a description has uSIDs, ports and queues")
{
    struct switch_device device;

    EXPECT_STR_EQ(read_device("usid: 0400\nblock: fcbb:bb00\nqueue: 64KiB\nred_min: 16KiB\n"
                              "red_max: 40KiB\ntrimmed: 256\ndscp: { control: 40 }\n" TWO_PORTS,
                      NULL, &device),
        "");
    EXPECT_EQ(device.usid, 0x400);
    EXPECT_EQ(device.block, 0xfcbbbb00);
    EXPECT_EQ(device.queue_bytes, 65536);
    EXPECT_EQ(device.host_queue_bytes, 65536);
    EXPECT_EQ(device.trimmed_bytes, 256);
    EXPECT_EQ(device.format.dscp[DSCP_CONTROL], 40);
    EXPECT_EQ(device.port_count, 2);
    EXPECT_EQ(device.ports[0].usid, 0xc00);
    EXPECT(device.ports[0].faces_host && device.ports[0].has_host);
    EXPECT_EQ(device.ports[1].usid, 0x801);
    EXPECT(device.ports[1].is_in && device.ports[1].is_out && !device.ports[1].faces_host);
}

SPEC("a switch without a queue has none of the features that show when it is full")
{
    struct switch_device device;

    EXPECT_STR_EQ(read_device("usid: 0400\nwithout: [queue]\n" TWO_PORTS, NULL, &device), "");
    EXPECT(device.absent >> SWITCH_MARKING & 1);
    EXPECT(device.absent >> SWITCH_TRIMMING & 1);
    EXPECT(device.absent >> SWITCH_LAST_HOP_MARK & 1);
    EXPECT(!(device.absent >> SWITCH_SRH & 1));
}

SPEC("an option adds a port, or adds to a port of the same interface")
{
    struct switch_device device;

    EXPECT_STR_EQ(
        read_device("usid: 0400\nwithout: queue\n" TWO_PORTS, "b,rate=1Gb/s", &device), "");
    EXPECT_EQ(device.port_count, 2);
    EXPECT_EQ(device.ports[1].rate_bps, UINT64_C(1000000000));
    EXPECT_EQ(device.ports[1].usid, 0x801);
    EXPECT_STR_EQ(read_device("usid: 0400\nwithout: queue\n" TWO_PORTS,
                      "udp:127.0.0.1:1,127.0.0.1:2,usid=77,mac=02:00:00:00:00:01", &device),
        "");
    EXPECT_EQ(device.port_count, 3);
    EXPECT_STR_EQ(device.ports[2].interface, "udp:127.0.0.1:1,127.0.0.1:2");
    EXPECT_EQ(device.ports[2].usid, 0x77);
    EXPECT_STR_EQ(device.ports[2].mac, "02:00:00:00:00:01");
}

SPEC("NICs of one soft fabric are different ports")
{
    struct switch_device device;

    EXPECT_STR_EQ(read_device("usid: 0400\nwithout: queue\nports:\n"
                              "- { interface: 'shm:x', device: mrc0, usid: 1 }\n"
                              "- { interface: 'shm:x', device: mrc1, usid: 2 }\n",
                      "shm:x,device=mrc1,plane=0,rate=1Gb/s", &device),
        "");
    EXPECT_EQ(device.port_count, 2);
    EXPECT_EQ(device.ports[1].rate_bps, UINT64_C(1000000000));
}

SPEC("what is missing or wrong is reported with its place")
{
    static const struct {
        const char *text;
        const char *port;
        const char *part;
    } cases[] = {
        { TWO_PORTS, NULL, "the key 'usid', the uSID of the switch, is missing" },
        { "usid: 0\n" TWO_PORTS, NULL, "s.yaml:1:7: usid: 0 ends the uSIDs of an address" },
        { "usid: 12345\n" TWO_PORTS, NULL, "a uSID has up to four hex digits" },
        { "usid: 20\n" TWO_PORTS, NULL, "the key 'queue', the length of the data queue" },
        { "usid: 20\nqueue: 64KiB\n" TWO_PORTS, NULL, "'red_min' and 'red_max'" },
        { "usid: 20\nwithout: trims\n" TWO_PORTS, NULL, "is not a feature that a device may lack" },
        { "usid: 20\nports: [{ usid: 3 }]\n", NULL, "ports.0: the key 'interface' is missing" },
        { "usid: 20\nports: [{ interface: a }]\n", NULL, "a switch has at least two ports" },
        { "usid: 20\n" TWO_PORTS, "c,port=d0", "a port of the plan needs a fabric" },
        { "usid: 20\n" TWO_PORTS, "c,host=here", "an IPv6 address is expected here" },
        { "usid: 20\ndscp: { loud: 3 }\n" TWO_PORTS, NULL, "classes are no_trim, trimmable" },
        { "usid: 20\nfabric: no-such.yaml\nswitch: p0.t0.0\n", NULL, "no-such.yaml" },
        { "usid: 20\nfabric: no-such.yaml\n", NULL, "the key 'switch' is missing" },
        { "usid: 20\nports: 7\n", NULL, "a list is expected here" },
        { "usid: 20\nports: [7, 8]\n", NULL, "the key 'interface' is missing" },
    };

    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct switch_device device;
        const char *problem = read_device(cases[i].text, cases[i].port, &device);

        if (!strstr(problem, cases[i].part))
            EXPECT_STR_EQ(problem, cases[i].part);
    }
}

SPEC("the plan of a fabric gives uSIDs, hosts, rates and queues")
{
    char path[] = "/tmp/fabric-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    FILE *file = fdopen(fd, "w");
    struct switch_device device;
    char text[256];

    fputs("planes: 2\nt0s: 2\nt1s: 2\nhosts_per_t0: 2\nbuffers: { trims: no, data: 64KiB }\n"
          "exceptions: [{ link: h3.p1, rate: 10Gb/s }]\n",
        file);
    fclose(file);
    snprintf(text, sizeof(text),
        "fabric: %s\nswitch: p1.t0.1\nqueue: 32KiB\n"
        "ports: [{ interface: a, port: d1 }, { interface: b, port: u0, rate: 1Gb/s }]\n",
        path);
    EXPECT_STR_EQ(read_device(text, NULL, &device), "");
    unlink(path);
    EXPECT_STR_EQ(device.name, "p1.t0.1");
    EXPECT_EQ(device.usid, 0x2401);
    EXPECT_EQ(device.queue_bytes, 32768);
    EXPECT(device.absent >> SWITCH_TRIMMING & 1);
    EXPECT(!(device.absent >> SWITCH_MARKING & 1));
    EXPECT_EQ(device.ports[0].usid, 0x2c01);
    EXPECT_EQ(device.ports[0].rate_bps, UINT64_C(10000000000));
    EXPECT(device.ports[0].has_host);
    EXPECT_EQ(device.ports[0].host.octets[5], 1);
    EXPECT_STR_EQ(device.ports[1].mac, "06:00:00:05:00:02");
    EXPECT_EQ(device.ports[1].usid, 0x2800);
    EXPECT_EQ(device.ports[1].rate_bps, UINT64_C(1000000000));
}
