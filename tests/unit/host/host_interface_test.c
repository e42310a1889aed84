/* SPDX-License-Identifier: Apache-2.0 */
/* NICs on network interfaces: a veth pair in a namespace of our own. Needs root. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "endpoint.h"

enum { MEMORY = 1 << 20 };

static bool shell(const char *command)
{
    return system(command) == 0;
}

static bool make_interfaces(uint32_t mtu)
{
    char command[400];

    snprintf(command, sizeof(command),
        "ip link set lo up && ip link add mrca mtu %u type veth peer name mrcb mtu %u &&"
        " ip link set mrca addrgenmode none && ip link set mrcb addrgenmode none &&"
        " ip link set mrca up && ip link set mrcb up",
        mtu, mtu);
    return shell(command);
}

struct wired {
    struct endpoint ends[2];
    struct host_qp *qps[2];
    struct endpoint_address addresses[2];
};

static void wire(struct wired *wired, const char *kind)
{
    for (uint8_t end = 0; end < 2; end++) {
        struct host_config config;
        char address[64];

        endpoint_config(&config, (uint8_t)(end + 1));
        config.parameters.link_bps = UINT64_C(10000000000);
        config.parameters.network_trims = 0;
        snprintf(address, sizeof(address), "%s:mrc%c", kind, 'a' + end);
        config.ports[0].address = address;
        endpoint_open(&wired->ends[end], &config, MEMORY);
        wired->qps[end] = endpoint_qp(&wired->ends[end]);
        wired->addresses[end] = endpoint_address(&wired->ends[end], wired->qps[end]);
    }
    for (uint32_t end = 0; end < 2; end++)
        endpoint_connect(wired->qps[end], &wired->addresses[1 - end], 0);
}

static void unwire(struct wired *wired)
{
    for (uint32_t end = 0; end < 2; end++)
        EXPECT_EQ(host_qp_destroy(wired->qps[end]), 0);
    for (uint32_t end = 0; end < 2; end++)
        endpoint_close(&wired->ends[end]);
}

static void write_and_lose_link(const char *kind)
{
    struct host_completion completion;
    struct host_async event;
    struct wired wired;

    wire(&wired, kind);
    endpoint_fill(wired.ends[0].memory, MEMORY, 4);
    for (uint32_t i = 0; i < 16; i++)
        EXPECT_EQ(endpoint_write(&wired.ends[0], wired.qps[0], &wired.addresses[1],
                      (uint64_t)i * (MEMORY / 16), MEMORY / 16),
            0);
    EXPECT_EQ(endpoint_wait(&wired.ends[0], 16, &completion), 16);
    EXPECT_EQ(completion.status, COMPLETION_SUCCESS);
    EXPECT_MEM_EQ(endpoint_received(&wired.ends[1]), wired.ends[0].memory, MEMORY);
    EXPECT(shell("ip link set mrcb down"));
    EXPECT_EQ(host_async_next(wired.ends[0].nic, &event), 0);
    EXPECT_EQ(event.kind, HOST_ASYNC_PORT_DOWN);
    unwire(&wired);
}

/* In a process of its own, which has the namespace. Its exit status: 0 passed, 77 cannot, else
 * failed. */
static void in_namespace(uint32_t mtu, void (*story)(void))
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        if (unshare(CLONE_NEWNET) < 0 || !make_interfaces(mtu))
            _exit(77);
        alarm(PATIENCE_S);
        story();
        fflush(stdout);
        _exit(0);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP("needs root and the ip command for a namespace with a veth pair; libxdp for AF_XDP");
    EXPECT_EQ(status, 0);
}

static void raw_story(void)
{
    write_and_lose_link("raw");
}

SPEC("two NICs on a veth pair exchange bytes through packet sockets, and notice that the link goes "
     "down")
{
    in_namespace(9000, raw_story);
}

static void small_story(void)
{
    struct host_config config;
    struct host_nic *nic;

    endpoint_config(&config, 1);
    config.ports[0].address = "raw:mrca";
    EXPECT_EQ(host_open(&config, &nic), 0);
    EXPECT_EQ(host_pmtu_max(nic), 1024);
    EXPECT_EQ(host_close(nic), 0);
}

SPEC("an interface of 1500 bytes allows a path MTU of 1024")
{
    in_namespace(1500, small_story);
}

static void xdp_story(void)
{
    struct pktio_port *port;
    int err = pktio_open("xdp:mrca", &(struct pktio_self){ .device = "mrc0" }, &port);

    if (err)
        _exit(77);
    pktio_port_close(port);
    write_and_lose_link("xdp");
}

SPEC("two NICs on a veth pair exchange bytes through AF_XDP, and notice that the link goes down")
{
    in_namespace(3498, xdp_story);
}
