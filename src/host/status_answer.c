/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about the NIC as a whole. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/engine.h"

static char *finish_text(FILE *out, char **text)
{
    if (!out || fclose(out) != 0)
        return NULL;
    return *text;
}

/* Escapes the name of the program, which may contain any byte. */
static void write_program(FILE *out)
{
    fputs("\"program\":\"", out);
    for (const char *at = program_invocation_short_name; *at; at++)
        fputc(isalnum((unsigned char)*at) || *at == '-' || *at == '.' ? *at : '_', out);
    fprintf(out, "\",\"pid\":%d", (int)getpid());
}

static void write_parameters(const struct parameters *parameters, FILE *out)
{
    fputs(",\"parameters\":{", out);
    for (uint32_t i = 0; i < parameter_count; i++) {
        uint64_t value = parameters_get(parameters, i);
        const char *word = parameter_descriptions[i].choices ? parameters_choice(i, value) : NULL;

        fprintf(out, "%s\"%s\":", i ? "," : "", parameter_descriptions[i].name);
        if (word)
            fprintf(out, "\"%s\"", word);
        else
            fprintf(out, "%llu", (unsigned long long)value);
    }
    fputs("}}\n", out);
}

char *status_answer_device(struct host_nic *nic)
{
    const struct host_config *config = &nic->config;
    char address[INET6_ADDRSTRLEN];
    uint32_t qps = 0;
    uint32_t regions = 0;
    struct parameters parameters;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (!out || engine_own_all(nic))
        return finish_text(out, &text);
    qps = nic->qp_count;
    regions = nic->memory.entry_count;
    parameters = *transport_parameters(nic->engines[0]->transport);
    engine_release_all(nic);
    inet_ntop(AF_INET6, config->address.octets, address, sizeof(address));
    fprintf(out, "{\"device\":\"%s\",", config->name);
    write_program(out);
    fprintf(out,
        ",\"address\":\"%s\",\"ports\":%u,\"pmtu_max\":%u,\"qps\":%u,\"qps_max\":%u,"
        "\"regions\":%u,\"uplinks\":%u",
        address, config->port_count, nic->pmtu_max, qps, config->qp_count_max, regions,
        config->uplink_count);
    write_parameters(&parameters, out);
    return finish_text(out, &text);
}

static void write_port(const struct host_port_state *state, uint32_t port, FILE *out)
{
    fprintf(out,
        "%s{\"port\":%u,\"plane\":%u,\"kind\":\"%s\",\"link\":\"%s\",\"admin\":\"%s\","
        "\"usable\":%s,\"mtu\":%u",
        port ? "," : "", port + 1, port, state->kind, state->link_up ? "up" : "down",
        state->admin_up ? "up" : "down", state->usable ? "true" : "false", state->mtu_bytes);
#define PORT_METRIC(name, kind, help)                                                              \
    fprintf(out, ",\"" #name "\":%llu", (unsigned long long)state->name);
#include "control/metrics.def"
    fputc('}', out);
}

char *status_answer_ports(struct host_nic *nic)
{
    struct host_port_state state;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        return NULL;
    fprintf(out, "{\"device\":\"%s\",\"ports\":[", nic->config.name);
    for (uint32_t port = 0; port < nic->config.port_count; port++)
        if (host_port_query(nic, port, &state) == 0)
            write_port(&state, port, out);
    fputs("]}\n", out);
    return finish_text(out, &text);
}

static void write_engine(
    const struct host_counters *counters, uint64_t monitor_events_lost, FILE *out)
{
    const struct {
#define ENGINE_METRIC(name, kind, help) uint64_t name;
#include "control/metrics.def"
    } engine = {
        .passes = counters->engine_passes,
        .progress_passes = counters->progress_passes,
        .progress_wakeups = counters->progress_wakeups,
        .async_events_lost = counters->async_events_lost,
        .monitor_events_lost = monitor_events_lost,
    };
    const char *separator = "";

#define ENGINE_METRIC(name, kind, help)                                                            \
    fprintf(out, "%s\"" #name "\":%llu", separator, (unsigned long long)engine.name);              \
    separator = ",";
#include "control/metrics.def"
}

char *status_answer_counters(struct host_nic *nic)
{
    struct host_counters counters;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (!out || host_counters(nic, &counters))
        return finish_text(out, &text);
    fprintf(out, "{\"device\":\"%s\",\"time_ns\":%llu,\"counters\":{", nic->config.name,
        (unsigned long long)host_now_ns());
    for (uint32_t i = 0; i < COUNTER_COUNT; i++)
        fprintf(out, "%s\"%s\":%llu", i ? "," : "", counter_descriptions[i].name,
            (unsigned long long)counters.transport[i]);
    fputs("},\"drops\":{", out);
    for (uint32_t i = DROP_NONE + 1; i < DROP_REASON_COUNT; i++)
        fprintf(out, "%s\"%s\":%llu", i > DROP_NONE + 1 ? "," : "", drop_name((enum drop_reason)i),
            (unsigned long long)counters.drops[i]);
    fputs("},\"engine\":{", out);
    write_engine(&counters, nic->status->lost_count, out);
    fputs("}}\n", out);
    return finish_text(out, &text);
}
