/* SPDX-License-Identifier: Apache-2.0 */
/* A NIC asked from outside. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "endpoint.h"

enum { CLIENTS_TOO_MANY = CONTROL_CLIENTS_MAX + 3 };

struct world {
    struct endpoint_pair pair;
    char folder[64];
    char path[128];
};

/* The first NIC finds its folder by its name, the second has none. */
static void world_open(struct world *world, uint32_t ports)
{
    strcpy(world->folder, "/tmp/mrc-status-XXXXXX");
    EXPECT(mkdtemp(world->folder));
    setenv("MRC_RUN_DIR", world->folder, 1);
    snprintf(world->path, sizeof(world->path), "%s/mrc", world->folder);
    EXPECT_EQ(mkdir(world->path, 0700), 0);
    snprintf(world->path, sizeof(world->path), "%s/mrc/mrc0", world->folder);
    EXPECT_EQ(mkdir(world->path, 0700), 0);
    strcat(world->path, "/status");
    endpoint_pair_open(&world->pair, ports, &(struct pair_port_config){ 0 }, 1 << 20);
    endpoint_pair_connect(&world->pair, 0);
}

static void world_close(struct world *world)
{
    char path[128];

    endpoint_pair_close(&world->pair);
    EXPECT_NE(access(world->path, F_OK), 0);
    snprintf(path, sizeof(path), "%s/mrc/mrc0", world->folder);
    EXPECT_EQ(rmdir(path), 0);
    snprintf(path, sizeof(path), "%s/mrc", world->folder);
    EXPECT_EQ(rmdir(path), 0);
    EXPECT_EQ(rmdir(world->folder), 0);
}

static void write_some(struct world *world, uint32_t length_bytes)
{
    struct host_completion completion;

    EXPECT_EQ(endpoint_write(&world->pair.ends[0], world->pair.qps[0], &world->pair.addresses[1], 0,
                  length_bytes),
        0);
    EXPECT_EQ(endpoint_wait(&world->pair.ends[0], 1, &completion), 1);
    EXPECT_EQ(completion.status, COMPLETION_SUCCESS);
}

static void expect_answer(const struct world *world, const char *request, const char *part)
{
    char *answer = NULL;

    EXPECT_EQ(control_ask(world->path, request, &answer), 0);
    if (!strstr(answer, part))
        spec_fail(__FILE__, __LINE__, answer);
    spec_met();
    free(answer);
}

SPEC("a NIC reports its ports, its counters, its QPs and their EVs")
{
    struct world world;
    char part[64];
    char question[32];

    world_open(&world, 2);
    write_some(&world, 100000);
    expect_answer(&world, "dev", "\"device\":\"mrc0\"");
    expect_answer(&world, "dev", "\"base_rtt_floor\":");
    expect_answer(&world, "port", "\"port\":2,\"plane\":1,\"kind\":\"pair\",\"link\":\"up\"");
    expect_answer(&world, "stat", "\"bytes_acknowledged\":100000");
    snprintf(part, sizeof(part), "\"qpn\":%u,\"state\":\"RTS\",\"peer\":\"2001:db8:0:2::1\"",
        host_qp_number(world.pair.qps[0]));
    expect_answer(&world, "qp 0", part);
    snprintf(question, sizeof(question), "qpn %u", host_qp_number(world.pair.qps[0]));
    expect_answer(&world, question, part);
    snprintf(question, sizeof(question), "ev %u", host_qp_number(world.pair.qps[0]));
    expect_answer(&world, question, "\"state\":\"good\",\"active\":true");
    expect_answer(&world, "ev 1", "there is no QP 1");
    expect_answer(&world, "weather",
        "the requests are dev, port, stat, qp, qpn, ev, probe, monitor and help");
    expect_answer(&world, "ev", "ev: qpn= is missing");
    expect_answer(&world, "qpx", "'qpx' is not a request");
    expect_answer(&world, "help", "\"request\":\"ev qpn=NUMBER\"");
    world_close(&world);
}

SPEC("a NIC sends the probes that it is asked for, and refuses lists of another form")
{
    static const char wrong[] = "sends: PORT/ID/OUTER/DESTINATION,... is expected";
    struct world world;

    world_open(&world, 2);
    expect_answer(&world, "probe", "\"requests\":1,\"sent\":0,\"arrived\":[]");
    expect_answer(&world,
        "probe period=7 sends=0/1/fc00:42::/2001:db8:0:2::1,1/64/fc00:42::/2001:db8:0:2::1",
        "\"sent\":2");
    expect_answer(&world, "probe period=7 sends=9/1/fc00:42::/2001:db8:0:2::1", "\"sent\":0");
    expect_answer(&world, "probe period=7 sends=0/1/fc00:42::", wrong);
    expect_answer(&world, "probe period=7 sends=0/1/fc00:42::/here", wrong);
    expect_answer(&world, "probe period=7 sends=0/70000/fc00:42::/2001:db8:0:2::1", wrong);
    expect_answer(&world, "probe period=7 sends=,", wrong);
    write_some(&world, 100000);
    world_close(&world);
}

SPEC("the timeout of a QP is reported as it is in force")
{
    struct world world;

    world_open(&world, 1);
    EXPECT_EQ(host_qp_modify(world.pair.qps[0],
                  &(struct qp_attributes){ .timeout = 7, .retry_linear = 7 },
                  QP_ATTR_TIMEOUT | QP_ATTR_RETRY),
        0);
    expect_answer(&world, "qp 0", "\"timeout_ns\":536870912,\"retry_linear\":7");
    expect_answer(&world, "qp 0", "\"evs_bad\":0,\"demotions_refused\":0");
    world_close(&world);
}

SPEC("many QPs are reported in several answers that contain each once")
{
    enum { COUNT = 150 };
    struct host_qp *qps[COUNT];
    struct world world;
    uint32_t told = 0;
    unsigned int next = 0;

    world_open(&world, 1);
    for (uint32_t i = 0; i < COUNT; i++)
        qps[i] = endpoint_qp(&world.pair.ends[0]);
    do {
        char question[32];
        char *answer = NULL;

        snprintf(question, sizeof(question), "qp %u", next);
        EXPECT_EQ(control_ask(world.path, question, &answer), 0);
        EXPECT_EQ(sscanf(strstr(answer, "\"next\":"), "\"next\":%u", &next), 1);
        for (const char *at = answer; (at = strstr(at, "\"qpn\":")); at++)
            told++;
        free(answer);
    } while (next);
    EXPECT_EQ(told, COUNT + 1);
    for (uint32_t i = 0; i < COUNT; i++)
        EXPECT_EQ(host_qp_destroy(qps[i]), 0);
    world_close(&world);
}

/* Reads until the text holds `part`. */
static bool hears(int sock, const char *part)
{
    static char text[1 << 16];
    size_t length = 0;
    struct pollfd fd = { .fd = sock, .events = POLLIN };

    text[0] = '\0';
    while (!strstr(text, part)) {
        ssize_t got;

        if (poll(&fd, 1, PATIENCE_MS) != 1)
            return false;
        got = read(sock, text + length, sizeof(text) - 1 - length);
        if (got <= 0)
            return false;
        length += (size_t)got;
        text[length] = '\0';
    }
    return true;
}

/* Until the NIC has taken the follower on, it would miss what it does. */
static int follow(const struct world *world)
{
    int sock = control_follow(world->path, "monitor");

    EXPECT_GE(sock, 0);
    expect_answer(world, "dev", "mrc0");
    return sock;
}

SPEC("a follower receives events of ports, QPs and EVs")
{
    struct world world;
    int sock;

    world_open(&world, 2);
    sock = follow(&world);
    EXPECT_EQ(host_port_set_admin(world.pair.ends[0].nic, 1, false), 0);
    EXPECT(hears(sock, "\"event\":\"port\",\"port\":2,\"change\":\"link_down\""));
    EXPECT_EQ(host_qp_modify(
                  world.pair.qps[0], &(struct qp_attributes){ .state = QP_ERR }, QP_ATTR_STATE),
        0);
    EXPECT(hears(sock, "\"from\":\"RTS\",\"to\":\"ERROR\""));
    close(sock);
    world_close(&world);
}

SPEC("an event of a QP names its peer")
{
    char peer[INET6_ADDRSTRLEN];
    char wanted[INET6_ADDRSTRLEN + 32];
    struct world world;
    int sock;

    world_open(&world, 1);
    sock = follow(&world);
    inet_ntop(AF_INET6, world.pair.addresses[1].address.octets, peer, sizeof(peer));
    snprintf(wanted, sizeof(wanted), "\"peer\":\"%s\",\"event\":\"qp\"", peer);
    EXPECT_EQ(host_qp_modify(
                  world.pair.qps[0], &(struct qp_attributes){ .state = QP_ERR }, QP_ATTR_STATE),
        0);
    EXPECT(hears(sock, wanted));
    close(sock);
    world_close(&world);
}

SPEC("an EV that turned bad is reported with the reason and the time")
{
    struct host_ev_entry entries[] = { { .ev = 100 }, { .ev = 101 }, { .ev = 102 } };
    struct host_ev_profile *profile = NULL;
    struct world world;
    char question[32];
    int sock;

    world_open(&world, 1);
    EXPECT_EQ(
        host_ev_profile_create(world.pair.ends[0].nic,
            &(struct host_ev_profile_config){ .entries = entries, .entry_count = 3 }, &profile),
        0);
    EXPECT_EQ(host_qp_modify(
                  world.pair.qps[0], &(struct qp_attributes){ .state = QP_RESET }, QP_ATTR_STATE),
        0);
    EXPECT_EQ(host_qp_set_profiles(world.pair.qps[0], profile, NULL), 0);
    endpoint_connect(world.pair.qps[0], &world.pair.addresses[1], 0);
    sock = follow(&world);
    EXPECT_EQ(host_ev_profile_deny(profile, 1, true), 0);
    EXPECT(hears(
        sock, "\"ev\":101,\"plane\":0,\"from\":\"good\",\"to\":\"denied\",\"cause\":\"deny\""));
    snprintf(question, sizeof(question), "ev %u", host_qp_number(world.pair.qps[0]));
    expect_answer(&world, question,
        "{\"ev\":101,\"index\":1,\"plane\":0,\"state\":\"denied\",\"active\":false,\"cause\":"
        "\"deny\",");
    close(sock);
    EXPECT_EQ(host_qp_destroy(world.pair.qps[0]), 0);
    EXPECT_EQ(host_ev_profile_destroy(profile), 0);
    world.pair.qps[0] = endpoint_qp(&world.pair.ends[0]);
    world_close(&world);
}

SPEC("clients that only connect, or do not read, do not delay others")
{
    struct world world;
    int socks[CLIENTS_TOO_MANY];

    world_open(&world, 1);
    for (uint32_t i = 0; i < CLIENTS_TOO_MANY; i++)
        socks[i] = control_follow(world.path, i % 2 ? "monitor all" : "stat");
    for (uint32_t i = 0; i < 200; i++)
        write_some(&world, 20000);
    for (uint32_t i = 0; i < CLIENTS_TOO_MANY; i++)
        if (socks[i] >= 0)
            close(socks[i]);
    expect_answer(&world, "stat", "\"bytes_acknowledged\":4000000");
    world_close(&world);
}

SPEC("a status socket on which another process answers is not replaced")
{
    struct world world;
    struct host_config config;
    struct pktio_port *ends[2];
    struct host_nic *second = NULL;

    world_open(&world, 1);
    EXPECT_EQ(pair_port_open(&(struct pair_port_config){ 0 }, ends), 0);
    endpoint_config(&config, 9);
    config.ports[0].port = ends[0];
    config.status_path = world.path;
    EXPECT_EQ(host_open(&config, &second), 0);
    expect_answer(&world, "dev", "\"address\":\"2001:db8:0:1::1\"");
    EXPECT_EQ(host_close(second), 0);
    pktio_port_close(ends[1]);
    expect_answer(&world, "dev", "\"address\":\"2001:db8:0:1::1\"");
    world_close(&world);
}
