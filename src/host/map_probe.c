/* SPDX-License-Identifier: Apache-2.0 */
/* Sends and takes probes of links. */
#include "host/map_probe.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/engine.h"
#include "wire/bth.h"

/* ---- arrivals -------------------------------------------------------------------------------- */

bool map_probe_take(struct engine *engine, const struct packet *packet)
{
    struct map_probe_log *log = &engine->map_probes;

    if (packet->opcode != OPCODE_ENDPOINT_REQUEST || packet->endpoint.op != ENDPOINT_MAP_PROBE)
        return false;
    log->arrivals[log->count++ % MAP_PROBE_ARRIVALS] =
        (struct map_probe_arrival){ .from = packet->src,
            .period = packet->endpoint.port_status_mask,
            .id = (uint16_t)packet->psn.value,
            .port = packet->port };
    return true;
}

static void write_arrivals(struct map_probe_log *log, bool *is_first, FILE *out)
{
    uint32_t kept = log->count < MAP_PROBE_ARRIVALS ? log->count : MAP_PROBE_ARRIVALS;
    char from[INET6_ADDRSTRLEN];

    for (uint32_t i = log->count - kept; i != log->count; i++) {
        const struct map_probe_arrival *arrival = &log->arrivals[i % MAP_PROBE_ARRIVALS];

        inet_ntop(AF_INET6, arrival->from.octets, from, sizeof(from));
        fprintf(out, "%s[\"%s\",%u,%u,%u]", *is_first ? "" : ",", from, arrival->port, arrival->id,
            arrival->period);
        *is_first = false;
    }
    log->count = 0;
}

/* ---- departures ------------------------------------------------------------------------------ */

struct departure {
    uint32_t port;
    uint32_t id;
    struct ipv6_addr outer;
    struct ipv6_addr to;
};

/* Reads one entry and advances to the next. */
static bool read_departure(char **at, struct departure *out)
{
    char *entry = strsep(at, ",");
    char *port = strsep(&entry, "/");
    char *id = strsep(&entry, "/");
    char *outer = strsep(&entry, "/");
    char *end;

    if (!id || !outer || !entry)
        return false;
    out->port = (uint32_t)strtoul(port, &end, 10);
    if (*end || end == port)
        return false;
    out->id = (uint32_t)strtoul(id, &end, 10);
    return !*end && end != id && out->id <= UINT16_MAX &&
           inet_pton(AF_INET6, outer, out->outer.octets) == 1 &&
           inet_pton(AF_INET6, entry, out->to.octets) == 1;
}

static bool send_probe(struct engine *engine, const struct departure *departure, uint32_t period)
{
    const struct wire_format *format = &engine->nic->config.format;
    struct engine_frame *out = &engine->frames[0];
    struct packet packet = { .src = engine->nic->config.address,
        .dst = departure->to,
        .dest_qpn = BTH_ENDPOINT_QPN,
        .psn = psn(departure->id),
        .opcode = OPCODE_ENDPOINT_REQUEST,
        .class = DSCP_CONTROL,
        .ecn = ECN_NOT_ECT,
        .port = (uint8_t)departure->port,
        .sender = PACKET_NO_SENDER,
        .endpoint = { .op = ENDPOINT_MAP_PROBE, .port_status_mask = period } };
    struct frame frame;
    struct pktio_frame sent = { .pieces = out->pieces, .piece_count = 1 };

    if (departure->port >= engine->nic->config.port_count ||
        pktio_port_room(engine->ports[departure->port]) == 0)
        return false;
    frame_address_packet(format, &frame, &packet, &departure->outer, NULL);
    frame_build_packet(format, &frame, &packet, out->header, sizeof(out->header));
    frame_seal_packet(&frame, &packet, out->header);
    out->pieces[0] = (struct iovec){ .iov_base = out->header, .iov_len = frame.length };
    sent.length_bytes = frame.length;
    pktio_port_send(engine->ports[departure->port], &sent, 1);
    engine->unsent_ports |= UINT32_C(1) << departure->port;
    return true;
}

/* Returns the number of probes sent; sets *is_wrong if the list has another form. */
static uint32_t send_list(struct engine *engine, char *list, uint32_t period, bool *is_wrong)
{
    struct departure departure;
    uint32_t count = 0;

    while (list && *list && !*is_wrong) {
        *is_wrong = !read_departure(&list, &departure);
        if (!*is_wrong)
            count += send_probe(engine, &departure, period);
    }
    return count;
}

static void write_answer(struct host_nic *nic, uint32_t sent, FILE *out)
{
    bool is_first = true;

    fprintf(out, "{\"device\":\"%s\",\"requests\":%llu,\"sent\":%u,\"arrived\":[", nic->config.name,
        (unsigned long long)++nic->map_requests, sent);
    for (uint32_t i = 0; i < nic->engine_count; i++)
        write_arrivals(&nic->engines[i]->map_probes, &is_first, out);
    fputs("]}\n", out);
}

char *map_probe_answer(struct host_nic *nic, uint32_t period, const char *list)
{
    char *copy = list ? strdup(list) : NULL;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    bool is_wrong = false;

    if (out && (copy || !list) && engine_own_all(nic) == 0) {
        uint32_t sent = send_list(nic->engines[0], copy, period, &is_wrong);

        for (uint32_t i = 0; i < nic->engine_count; i++)
            engine_pass(nic->engines[i]); /* what waits in the ports has arrived, too */
        if (is_wrong)
            fputs("{\"error\":\"sends: PORT/ID/OUTER/DESTINATION,... is expected\"}\n", out);
        else
            write_answer(nic, sent, out);
        engine_release_all(nic);
    }
    free(copy);
    if (out && fclose(out) != 0)
        return NULL;
    return text;
}
