/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of connecting a QP, and whether it depends on how many QPs the NIC has: each QP leads to
 * a destination of its own, or all lead to one. */
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "callgrind.h"
#include "transport/transport.h"

enum { PLANES = 4, EVS = 16, FIRST_QPN = 16, WINDOW_PSNS = 128, FEW = 100, MANY = 10000 };

struct nic {
    struct transport *transport;
    void *memory;
    void *qps;
    struct path_profile paths;
    struct path_entry entries[EVS];
    struct cc_profile cc;
};

static void *take_memory(size_t bytes)
{
    void *memory = calloc(1, bytes);

    assert(memory);
    return memory;
}

static void open_nic(struct nic *nic, uint32_t qp_count)
{
    struct transport_config config = { .port_count = PLANES, .qp_count_max = qp_count, .seed = 1 };
    struct cc_settings settings;
    struct arena arena;

    parameters_init(&config.parameters, TIMERS_HARDWARE);
    transport_cc_settings(&config.parameters, PLANES, &settings);
    cc_profile_init(&nic->cc, &settings);
    arena_init(&arena, NULL, 0);
    transport_init(&arena, &config);
    nic->memory = take_memory(arena.used_bytes);
    arena_init(&arena, nic->memory, arena.used_bytes);
    nic->transport = transport_init(&arena, &config);
    for (uint32_t i = 0; i < EVS; i++)
        nic->entries[i] = (struct path_entry){ .ev = i, .plane = (uint8_t)(i * PLANES / EVS) };
    path_profile_explicit(&nic->paths, nic->entries, EVS, PLANES);
}

static void create_qps(struct nic *nic, uint32_t qp_count)
{
    struct qp_init init = { .send_depth = 1,
        .recv_depth = 1,
        .write_imm_max_dest = 1,
        .window_psns_max = WINDOW_PSNS,
        .window_psns_max_dest = WINDOW_PSNS,
        .paths = &nic->paths,
        .cc = &nic->cc };
    size_t qp_bytes = (transport_qp_bytes(&init) + 63) / 64 * 64;

    nic->qps = take_memory(qp_bytes * qp_count);
    for (uint32_t i = 0; i < qp_count; i++) {
        int err = transport_qp_create(
            nic->transport, FIRST_QPN + i, &init, (uint8_t *)nic->qps + i * qp_bytes);

        assert(err == 0);
    }
}

/* Callgrind counts the calls of transport_qp_modify(). */
static void connect_qp(struct nic *nic, uint32_t qp, uint32_t destination)
{
    struct qp_attributes attributes = { .peer_qpn = FIRST_QPN + qp,
        .peer_address
            .octets = { 0xfd, [14] = (uint8_t)(destination >> 8), [15] = (uint8_t)destination },
        .peer_ports = (1u << PLANES) - 1 };

    for (attributes.state = QP_INIT; attributes.state <= QP_RTS; attributes.state++) {
        int err = transport_qp_modify(nic->transport, FIRST_QPN + qp, &attributes,
            QP_ATTR_STATE | (attributes.state == QP_RTR ? QP_ATTR_PEER : 0), 0);

        assert(err == 0);
    }
}

static int run(const char *name)
{
    bool many = strstr(name, "10000");
    uint32_t qp_count = many ? MANY : FEW;
    struct nic nic = { 0 };

    open_nic(&nic, qp_count);
    create_qps(&nic, qp_count);
    for (uint32_t i = 0; i < qp_count; i++)
        connect_qp(&nic, i, strstr(name, "one destination") ? 0 : i);
    free(nic.qps);
    free(nic.memory);
    return 0;
}

static double print_instructions(const char *name, uint32_t qp_count, double reference)
{
    static const char *const counted[] = { "transport_qp_modify", NULL };
    const char *arguments[] = { "--run", name, NULL };
    uint64_t instructions = callgrind_instructions(
        &(struct callgrind_run){ .counted = counted, .arguments = arguments });
    double per_qp = (double)instructions / qp_count;

    printf(
        "{\"bench\": \"connect\", \"metric\": \"instructions_per_connect, %s\", \"value\": ", name);
    if (instructions > 0)
        printf("%.1f", per_qp);
    else
        printf("null");
    printf(", \"unit\": \"instructions\"");
    if (reference > 0)
        printf(", \"compared_with\": \"100 QPs\", \"reference\": %.1f", reference);
    printf(", \"built_with\": \"%s\"}\n", CALLGRIND_BUILT_WITH);
    fflush(stdout);
    return per_qp;
}

int main(int argument_count, char **arguments)
{
    double few;

    if (argument_count == 3 && strcmp(arguments[1], "--run") == 0)
        return run(arguments[2]);
    few = print_instructions("100 QPs to as many destinations", FEW, 0);
    print_instructions("10000 QPs to as many destinations", MANY, few);
    few = print_instructions("100 QPs to one destination", FEW, 0);
    print_instructions("10000 QPs to one destination", MANY, few);
    return 0;
}
