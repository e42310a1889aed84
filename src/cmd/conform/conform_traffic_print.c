/* SPDX-License-Identifier: Apache-2.0 */
/* Results of traffic as a table and as JSON. */
#include "cmd/conform/conform_traffic_print.h"

#include <inttypes.h>
#include <stdio.h>

#include <jansson.h>

#include "wire/opcode.h"

/* Returns the name of a port: of a NIC of a soft fabric, that of the NIC. */
static const char *name_of(const struct traffic_port *port)
{
    return port->device[0] ? port->device : port->address;
}

static void print_counts(const char *who, const struct traffic_counts *counts, bool has_order)
{
    char reordered[24] = "-";

    if (has_order)
        snprintf(reordered, sizeof(reordered), "%" PRIu64, counts->reordered);
    printf("%-20s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64
           " %9s %8" PRIu64 "\n",
        who, counts->sent, counts->whole, counts->marked, counts->trimmed, counts->lost,
        counts->copies, reordered, counts->damaged);
}

static void print_latency(const struct traffic_latency *latency)
{
    if (latency->count == 0)
        return;
    printf("latency: %.1f us at least, %.1f us median, %.1f us p99, %.1f us at most\n",
        (double)latency->least_ns / 1e3, (double)latency->median_ns / 1e3,
        (double)latency->p99_ns / 1e3, (double)latency->most_ns / 1e3);
}

static void print_others(const struct traffic_result *result)
{
    for (uint32_t opcode = 0; opcode < 256; opcode++)
        if (result->answers[opcode] > 0)
            printf("%" PRIu64 " other packets: %s\n", result->answers[opcode],
                opcode_name((uint8_t)opcode));
    if (result->foreign > 0)
        printf("%" PRIu64 " frames that are not MRC, or are malformed\n", result->foreign);
}

/* Returns the rate of sending, in Mb/s. */
static double rate_of(const struct traffic_result *result)
{
    return result->send_ns ? (double)result->total.sent_bytes * 8e3 / (double)result->send_ns : 0;
}

void conform_traffic_print_table(
    const struct traffic_config *config, const struct traffic_result *result)
{
    printf("%-20s %8s %8s %8s %8s %8s %8s %9s %8s\n", "from", "sent", "whole", "marked", "trimmed",
        "lost", "copies", "reordered", "damaged");
    for (uint32_t i = 0; i < config->port_count; i++)
        if (config->ports[i].sends)
            print_counts(name_of(&config->ports[i]), &result->senders[i], result->has_order);
    print_counts("all", &result->total, result->has_order);
    if (result->total.trimmed_last_hop > 0)
        printf("%" PRIu64 " were trimmed at the last hop\n", result->total.trimmed_last_hop);
    for (uint32_t i = 0; i < config->port_count; i++)
        if (result->received[i] > 0)
            printf("%" PRIu64 " came to %s\n", result->received[i], name_of(&config->ports[i]));
    print_latency(&result->latency);
    print_others(result);
    printf("sent at %.1f Mb/s\n", rate_of(result));
    if (result->ordinary_sent > 0)
        printf("afterwards %" PRIu64 " of %" PRIu64 " ordinary frames came back\n",
            result->ordinary_seen, result->ordinary_sent);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *counts_json(const struct traffic_counts *counts, bool has_order)
{
    return json_pack("{sI sI sI sI sI sI sI sI so sI}", "sent", (json_int_t)counts->sent,
        "sent_bytes", (json_int_t)counts->sent_bytes, "whole", (json_int_t)counts->whole, "marked",
        (json_int_t)counts->marked, "trimmed", (json_int_t)counts->trimmed, "trimmed_last_hop",
        (json_int_t)counts->trimmed_last_hop, "lost", (json_int_t)counts->lost, "copies",
        (json_int_t)counts->copies, "reordered",
        has_order ? json_integer((json_int_t)counts->reordered) : json_null(), "damaged",
        (json_int_t)counts->damaged);
}

static json_t *ports_json(const struct traffic_config *config, const struct traffic_result *result)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < config->port_count; i++) {
        json_t *port = json_pack("{ss sI}", "port", name_of(&config->ports[i]), "received",
            (json_int_t)result->received[i]);

        if (config->ports[i].sends)
            json_object_set_new(
                port, "frames", counts_json(&result->senders[i], result->has_order));
        json_array_append_new(array, port);
    }
    return array;
}

static json_t *latency_json(const struct traffic_latency *latency)
{
    if (latency->count == 0)
        return json_null();
    return json_pack("{sI sI sI sI}", "least", (json_int_t)latency->least_ns, "median",
        (json_int_t)latency->median_ns, "p99", (json_int_t)latency->p99_ns, "most",
        (json_int_t)latency->most_ns);
}

static json_t *answers_json(const struct traffic_result *result)
{
    json_t *object = json_object();

    for (uint32_t opcode = 0; opcode < 256; opcode++)
        if (result->answers[opcode] > 0)
            json_object_set_new(object, opcode_name((uint8_t)opcode),
                json_integer((json_int_t)result->answers[opcode]));
    return object;
}

void conform_traffic_print_json(
    const struct traffic_config *config, const char *pattern, const struct traffic_result *result)
{
    json_t *object = json_pack("{ss so so so sI so sI}", "pattern", pattern, "frames",
        counts_json(&result->total, result->has_order), "ports", ports_json(config, result),
        "answers", answers_json(result), "foreign", (json_int_t)result->foreign, "latency_ns",
        latency_json(&result->latency), "send_ns", (json_int_t)result->send_ns);

    if (result->ordinary_sent > 0)
        json_object_set_new(object, "ordinary",
            json_pack("{sI sI}", "sent", (json_int_t)result->ordinary_sent, "seen",
                (json_int_t)result->ordinary_seen));
    if (result->end[0])
        json_object_set_new(object, "ended", json_string(result->end));
    json_dumpf(object, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(object);
}
