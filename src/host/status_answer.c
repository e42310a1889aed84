/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about the NIC as a whole. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/engine.h"

static char *finish(FILE *out, char **text)
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
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (!out || engine_own_all(nic))
        return finish(out, &text);
    qps = nic->qp_count;
    regions = nic->memory.entry_count;
    engine_release_all(nic);
    inet_ntop(AF_INET6, config->address.octets, address, sizeof(address));
    fprintf(out, "{\"device\":\"%s\",", config->name);
    write_program(out);
    fprintf(out,
        ",\"address\":\"%s\",\"ports\":%u,\"pmtu_max\":%u,\"qps\":%u,\"qps_max\":%u,"
        "\"regions\":%u,\"uplinks\":%u",
        address, config->port_count, nic->pmtu_max, qps, config->qp_count_max, regions,
        config->uplink_count);
    write_parameters(&config->parameters, out);
    return finish(out, &text);
}

static void write_port(const struct host_port_state *state, uint32_t port, FILE *out)
{
    fprintf(out,
        "%s{\"port\":%u,\"plane\":%u,\"kind\":\"%s\",\"link\":\"%s\",\"admin\":\"%s\","
        "\"usable\":%s,\"mtu\":%u,\"rate_bps\":%llu",
        port ? "," : "", port + 1, port, state->kind, state->link_up ? "up" : "down",
        state->admin_up ? "up" : "down", state->usable ? "true" : "false", state->mtu_bytes,
        (unsigned long long)state->rate_bps);
    fprintf(out,
        ",\"frames_received\":%llu,\"bytes_received\":%llu,\"receive_drops\":%llu,"
        "\"frames_sent\":%llu,\"bytes_sent\":%llu,\"send_drops\":%llu}",
        (unsigned long long)state->frames_received, (unsigned long long)state->bytes_received,
        (unsigned long long)state->receive_drops, (unsigned long long)state->frames_sent,
        (unsigned long long)state->bytes_sent, (unsigned long long)state->send_drops);
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
    return finish(out, &text);
}

char *status_answer_counters(struct host_nic *nic)
{
    struct host_counters counters;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (!out || host_counters(nic, &counters))
        return finish(out, &text);
    fprintf(out, "{\"device\":\"%s\",\"time_ns\":%llu,\"counters\":{", nic->config.name,
        (unsigned long long)host_now_ns());
    for (uint32_t i = 0; i < COUNTER_COUNT; i++)
        fprintf(out, "%s\"%s\":%llu", i ? "," : "", counter_descriptions[i].name,
            (unsigned long long)counters.transport[i]);
    fputs("},\"drops\":{", out);
    for (uint32_t i = DROP_NONE + 1; i < DROP_REASON_COUNT; i++)
        fprintf(out, "%s\"%s\":%llu", i > DROP_NONE + 1 ? "," : "", drop_name((enum drop_reason)i),
            (unsigned long long)counters.drops[i]);
    fprintf(out,
        "},\"engine\":{\"passes\":%llu,\"progress_passes\":%llu,\"progress_wakeups\":%llu,"
        "\"async_events_lost\":%llu,\"monitor_events_lost\":%llu}}\n",
        (unsigned long long)counters.engine_passes, (unsigned long long)counters.progress_passes,
        (unsigned long long)counters.progress_wakeups,
        (unsigned long long)counters.async_events_lost,
        (unsigned long long)nic->status->lost_count);
    return finish(out, &text);
}
