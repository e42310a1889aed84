/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of a write at both ends of a real endpoint: from the post to the memory of the peer and
 * back to the completion, with frames of bytes, in one thread. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "callgrind.h"
#include "host/host.h"
#include "pair_port.h"
#include "pktio/pktio.h"

enum {
    PLANES = 4,
    UPLINKS = 8,
    PMTU = 4096,
    DEPTH = 64,
    DOMAIN = 1,
    SECOND_NS = 1000 * 1000 * 1000,
    MEMORY_BYTES = 1 << 20,
};

struct scenario {
    const char *name;
    uint32_t write_bytes;
    uint32_t outstanding;
    uint32_t warm_up; /* writes before the measurement */
    uint32_t measured;
};

static const struct scenario scenarios[] = {
    { "8 bytes, one at a time", 8, 1, 500, 2000 },
    { "8 bytes, 32 outstanding", 8, 32, 2000, 8000 },
    { "1 MiB, 4 outstanding", 1 << 20, 4, 8, 32 },
};
enum { SCENARIO_COUNT = sizeof(scenarios) / sizeof(scenarios[0]) };

struct end {
    struct host_nic *nic;
    struct host_cq *cq;
    struct host_qp *qp;
    uint8_t *memory;
    uint32_t key;
};

static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "write: %s: %s\n", what, strerror(-err));
    exit(1);
}

static struct ipv6_addr address_of(uint32_t number)
{
    return (
        struct ipv6_addr){ .octets = { 0x20, 0x01, 0x0d, 0xb8, [7] = (uint8_t)number, [15] = 1 } };
}

/* Any SRv6 address with the plane and the uplink in it. */
static int route_to(void *context, const struct ipv6_addr *peer, struct host_route *out)
{
    const struct template_field fields[] = {
        { .bit_offset = 0, .width = 32, .source = TEMPLATE_CONSTANT, .constant = 0x5f000000 },
        { .bit_offset = 32, .width = 16, .source = TEMPLATE_PLANE },
        { .bit_offset = 48, .width = 16, .source = TEMPLATE_UPLINK },
        { .bit_offset = 64, .width = 8, .source = TEMPLATE_CONSTANT, .constant = peer->octets[7] },
    };

    (void)context;
    out->is_encapsulated = true;
    template_init(&out->template, EV_FORMAT_SRV6, fields, sizeof(fields) / sizeof(fields[0]));
    return 0;
}

static void open_end(struct end *end, uint32_t number, struct pktio_port *const *ports)
{
    struct host_config config;

    host_config_init(&config);
    config.address = address_of(number);
    config.seed = number + 1;
    config.port_count = PLANES;
    config.uplink_count = UPLINKS;
    config.engine_count = 1;
    config.without_progress = true;
    /* Callgrind makes every pass slow, and a busy machine slower: nothing is late. */
    config.parameters.reverse_probe_interval = SECOND_NS;
    config.parameters.reo_wnd = SECOND_NS;
    config.parameters.tail_floor = SECOND_NS;
    config.parameters.sack_idle_flush = SECOND_NS;
    config.route = route_to;
    for (uint32_t i = 0; i < PLANES; i++)
        config.ports[i].port = ports[i];
    must(host_open(&config, &end->nic), "open");
    end->memory = calloc(1, MEMORY_BYTES);
    must(host_cq_create(end->nic, 4 * DEPTH, NULL, NULL, &end->cq), "queue");
    must(host_memory_register(end->nic,
             &(struct host_region){ .address = end->memory,
                 .length_bytes = MEMORY_BYTES,
                 .remote_va = (uintptr_t)end->memory,
                 .access = HOST_ACCESS_LOCAL_WRITE | HOST_ACCESS_REMOTE_WRITE,
                 .domain = DOMAIN },
             &end->key),
        "memory");
    must(host_qp_create(end->nic,
             &(struct host_qp_config){ .send_cq = end->cq,
                 .recv_cq = end->cq,
                 .domain = DOMAIN,
                 .send_depth = DEPTH,
                 .recv_depth = 1,
                 .pieces_max = 4,
                 .signal_all = true },
             &end->qp),
        "QP");
}

static void connect_to(struct end *end, const struct end *peer, uint32_t peer_number)
{
    struct qp_attributes attributes = { .state = QP_INIT,
        .peer_address = address_of(peer_number),
        .peer_qpn = host_qp_number(peer->qp),
        .peer_ports = (1 << PLANES) - 1,
        .pmtu_bytes = PMTU };

    must(host_qp_modify(end->qp, &attributes, QP_ATTR_STATE), "INIT");
    attributes.state = QP_RTR;
    must(host_qp_modify(
             end->qp, &attributes, QP_ATTR_STATE | QP_ATTR_PEER | QP_ATTR_RQ_PSN | QP_ATTR_PMTU),
        "RTR");
    attributes.state = QP_RTS;
    must(host_qp_modify(end->qp, &attributes, QP_ATTR_STATE | QP_ATTR_SQ_PSN), "RTS");
}

static void open_pair(struct end ends[2])
{
    struct pktio_port *ports[2][PLANES];

    for (uint32_t plane = 0; plane < PLANES; plane++) {
        struct pktio_port *pair[2];

        must(pair_port_open(&(struct pair_port_config){ .slot_count = 1024 }, pair), "ports");
        ports[0][plane] = pair[0];
        ports[1][plane] = pair[1];
    }
    for (uint32_t i = 0; i < 2; i++)
        open_end(&ends[i], i, ports[i]);
    for (uint32_t i = 0; i < 2; i++)
        connect_to(&ends[i], &ends[1 - i], 1 - i);
}

static void close_pair(struct end ends[2])
{
    for (uint32_t i = 0; i < 2; i++) {
        must(host_qp_destroy(ends[i].qp), "destroy");
        must(host_cq_destroy(ends[i].cq), "destroy");
        must(host_memory_deregister(ends[i].nic, ends[i].key), "deregister");
        must(host_close(ends[i].nic), "close");
        free(ends[i].memory);
    }
}

static void post(struct end *end, const struct end *peer, uint32_t length_bytes)
{
    struct host_piece piece = {
        .address = (uintptr_t)end->memory, .length_bytes = length_bytes, .lkey = end->key
    };

    must(host_qp_post_send(end->qp, &(struct host_send){ .remote_va = (uintptr_t)peer->memory,
                                        .rkey = peer->key,
                                        .flags = WORK_SIGNALED,
                                        .pieces = &piece,
                                        .piece_count = 1 }),
        "post");
}

static uint32_t poll_cq(struct end *end)
{
    struct host_completion completions[DEPTH];
    int count = host_cq_poll(end->cq, completions, DEPTH);

    for (int i = 0; i < count; i++)
        if (completions[i].status != COMPLETION_SUCCESS)
            must(-EIO, transport_completion_word(completions[i].status));
    must(count < 0 ? count : 0, "poll");
    return (uint32_t)count;
}

/* Callgrind begins to count here when the warm-up is over. */
void measured_writes(struct end ends[2], const struct scenario *, uint32_t count);
__attribute__((noinline)) void measured_writes(
    struct end ends[2], const struct scenario *scenario, uint32_t count)
{
    uint32_t posted = 0;

    for (uint32_t completed = 0; completed < count; completed += poll_cq(&ends[0])) {
        for (; posted < count && posted - completed < scenario->outstanding; posted++)
            post(&ends[0], &ends[1], scenario->write_bytes);
        host_kick(ends[0].nic);
        poll_cq(&ends[1]);
    }
}

static int run_counted(const struct scenario *scenario)
{
    struct end ends[2];

    open_pair(ends);
    measured_writes(ends, scenario, scenario->warm_up);
    measured_writes(ends, scenario, scenario->measured);
    close_pair(ends);
    return 0;
}

/* Both calls of measured_writes() begin to count: only the second is left. */
static void print_instructions(const struct scenario *scenario)
{
    static const char *const counted[] = { "host_qp_post_send", "host_kick", "host_cq_poll", NULL };
    const char *arguments[] = { "--run", scenario->name, NULL };
    uint64_t instructions = callgrind_instructions(&(struct callgrind_run){
        .counted = counted, .zero_before = "measured_writes", .arguments = arguments });
    uint32_t packets = (scenario->write_bytes + PMTU - 1) / PMTU;
    double per_packet = (double)instructions / scenario->measured / packets;

    printf("{\"bench\": \"write\", \"metric\": \"instructions_per_packet, %s\", ", scenario->name);
    printf(instructions ? "\"value\": %.1f" : "\"value\": null", per_packet);
    printf(", \"unit\": \"instructions\", \"built_with\": \"%s\"}\n", CALLGRIND_BUILT_WITH);
    fflush(stdout);
}

int main(int argument_count, char **arguments)
{
    for (uint32_t i = 0; i < SCENARIO_COUNT; i++) {
        if (argument_count == 1)
            print_instructions(&scenarios[i]);
        else if (argument_count == 3 && strcmp(arguments[2], scenarios[i].name) == 0)
            return run_counted(&scenarios[i]);
    }
    return argument_count != 1;
}
