/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the flow of each packet and has the packet checked. */
#include "conform/capture_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform/capture_state.h"
#include "wire/opcode.h"

void capture_report(struct conform_capture *capture, enum conform_rule rule, uint64_t number,
    const char *words, ...)
{
    char text[256];
    va_list list;

    va_start(list, words);
    vsnprintf(text, sizeof(text), words, list);
    va_end(list);
    capture->totals.violation_count++;
    capture->settings.on_violation(capture->settings.context,
        &(struct conform_violation){ .rule = rule, .number = number, .text = text });
}

struct conform_capture *conform_capture_new(const struct conform_settings *settings)
{
    struct conform_capture *capture = calloc(1, sizeof(*capture));

    if (capture)
        capture->settings = *settings;
    return capture;
}

void conform_capture_free(struct conform_capture *capture)
{
    for (uint32_t i = 0; i < FLOW_BUCKETS; i++) {
        struct flow *flow = capture->flows[i];

        while (flow) {
            struct flow *next = flow->next;

            flow_clear(flow);
            free(flow);
            flow = next;
        }
    }
    free(capture);
}

const struct conform_totals *conform_capture_totals(const struct conform_capture *capture)
{
    return &capture->totals;
}

/* ---- flows ----------------------------------------------------------------------------------- */

static bool is_same(const struct ipv6_addr *a, const struct ipv6_addr *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static bool is_at(const struct conform_capture *capture, const struct ipv6_addr *address)
{
    for (uint32_t i = 0; i < capture->settings.nic_count; i++)
        if (is_same(&capture->settings.nics[i], address))
            return true;
    return false;
}

/* The bucket depends on the low half of the QP number, because answers have no more of it. */
static struct flow **bucket_of(struct conform_capture *capture, const struct ipv6_addr *from,
    const struct ipv6_addr *to, uint32_t qpn)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < sizeof(*from); i++) {
        hash = (hash ^ ((const uint8_t *)from)[i]) * 16777619u;
        hash = (hash ^ ((const uint8_t *)to)[i]) * 16777619u;
    }
    hash = (hash ^ (qpn & 0xffff)) * 16777619u;
    return &capture->flows[(hash ^ hash >> 15) % FLOW_BUCKETS];
}

static struct flow *find_flow(struct conform_capture *capture, const struct ipv6_addr *from,
    const struct ipv6_addr *to, uint32_t qpn, uint32_t mask)
{
    struct flow *flow = *bucket_of(capture, from, to, qpn);

    while (flow && !(((flow->dest_qpn ^ qpn) & mask) == 0 && is_same(&flow->from, from) &&
                       is_same(&flow->to, to)))
        flow = flow->next;
    return flow;
}

static struct flow *add_flow(struct conform_capture *capture, const struct packet *packet)
{
    struct flow **bucket = bucket_of(capture, &packet->src, &packet->dst, packet->dest_qpn);
    struct flow *flow = calloc(1, sizeof(*flow));

    if (!flow)
        return NULL;
    flow->from = packet->src;
    flow->to = packet->dst;
    flow->dest_qpn = packet->dest_qpn;
    flow->is_at_requester = is_at(capture, &packet->src);
    flow->is_at_responder = is_at(capture, &packet->dst);
    flow->next = *bucket;
    *bucket = flow;
    capture->totals.flow_count++;
    return flow;
}

static struct flow *flow_of_request(struct conform_capture *capture, const struct packet *packet)
{
    struct flow *flow =
        find_flow(capture, &packet->src, &packet->dst, packet->dest_qpn, UINT32_MAX);

    return flow ? flow : add_flow(capture, packet);
}

/* Finds the flow that an answer is about by the two QP numbers in its header. Which of them is the
 * responder's is disputed (docs/wire.md §7). */
static struct flow *flow_of_answer(
    struct conform_capture *capture, const struct packet *packet, uint16_t spdcid, uint16_t dpdcid)
{
    bool is_to_dpdcid = (packet->dest_qpn & 0xffff) == dpdcid;
    uint16_t responder = is_to_dpdcid ? spdcid : dpdcid;
    struct flow *flow = find_flow(capture, &packet->dst, &packet->src, responder, 0xffff);

    if (!flow)
        return NULL;
    if (spdcid != dpdcid && is_to_dpdcid)
        capture->totals.has_pdcid_sender = true;
    else if (spdcid != dpdcid)
        capture->totals.has_pdcid_requester = true;
    flow->has_requester_qpn = true;
    flow->requester_qpn = packet->dest_qpn;
    return flow;
}

/* A Transport ACK has only the number of the requester's QP. Returns NULL if it is not known, or if
 * several flows between the two NICs fit. */
static struct flow *flow_of_ack(struct conform_capture *capture, const struct packet *packet)
{
    struct flow *found = NULL;

    for (uint32_t i = 0; i < FLOW_BUCKETS; i++)
        for (struct flow *flow = capture->flows[i]; flow; flow = flow->next)
            if (flow->has_requester_qpn && flow->requester_qpn == packet->dest_qpn &&
                is_same(&flow->from, &packet->dst) && is_same(&flow->to, &packet->src)) {
                if (found)
                    return NULL;
                found = flow;
            }
    return found;
}

/* ---- endpoint operations --------------------------------------------------------------------- */

static void note_request(const struct subject *subject)
{
    struct conform_capture *capture = subject->capture;
    const struct packet *packet = subject->packet;

    capture->requests[capture->request_count++ % REQUESTS_KEPT] = (struct request){
        .from = packet->src,
        .to = packet->dst,
        .id = (uint16_t)packet->psn.value,
        .stamp = packet->endpoint.tx_timestamp,
        .op = packet->endpoint.op,
    };
}

static bool is_answered_by(const struct request *request, const struct packet *packet)
{
    return request->id == (uint16_t)packet->psn.value && request->op == packet->endpoint.op &&
           request->stamp == packet->endpoint.tx_timestamp &&
           is_same(&request->from, &packet->dst) && is_same(&request->to, &packet->src);
}

static void check_response(const struct subject *subject)
{
    struct conform_capture *capture = subject->capture;
    uint64_t count =
        capture->request_count < REQUESTS_KEPT ? capture->request_count : REQUESTS_KEPT;

    for (uint64_t i = 1; i <= count; i++)
        if (is_answered_by(
                &capture->requests[(capture->request_count - i) % REQUESTS_KEPT], subject->packet))
            return;
    if (capture->request_count > 0 && capture->request_count < REQUESTS_KEPT)
        capture_report(capture, CONFORM_ENDPOINT_ANSWER, subject->number,
            "no request had id %u, op %u and timestamp 0x%04x", subject->packet->psn.value,
            subject->packet->endpoint.op, subject->packet->endpoint.tx_timestamp);
}

/* ---- all packets ----------------------------------------------------------------------------- */

static bool is_data_class(const struct packet *packet)
{
    return packet->class != DSCP_CONTROL && packet->class != DSCP_OTHER;
}

static bool is_answer(uint8_t opcode)
{
    return opcode == OPCODE_SACK || opcode == OPCODE_NACK || opcode == OPCODE_ACK ||
           opcode == OPCODE_ENDPOINT_RESPONSE;
}

static void check_class(const struct subject *subject)
{
    const struct packet *packet = subject->packet;
    const char *class = decode_words_class((enum dscp_class)packet->class);

    if (opcode_is_write(packet->opcode) && !is_data_class(packet))
        capture_report(
            subject->capture, CONFORM_CLASS, subject->number, "a WRITE in the class %s", class);
    if (is_answer(packet->opcode) && packet->class != DSCP_CONTROL)
        capture_report(subject->capture, CONFORM_CLASS, subject->number, "%s in the class %s",
            opcode_name(packet->opcode), class);
}

static bool check_packet(const struct subject *subject)
{
    struct conform_capture *capture = subject->capture;
    const struct packet *packet = subject->packet;
    struct flow *flow = NULL;

    check_class(subject);
    if (opcode_is_write(packet->opcode) || packet->opcode == OPCODE_PROBE) {
        flow = flow_of_request(capture, packet);
        if (!flow)
            return false;
    }
    if (packet->opcode == OPCODE_SACK)
        flow = flow_of_answer(capture, packet, packet->sack.spdcid, packet->sack.dpdcid);
    if (packet->opcode == OPCODE_NACK)
        flow = flow_of_answer(capture, packet, packet->nack.spdcid, packet->nack.dpdcid);
    if (packet->opcode == OPCODE_ACK)
        flow = flow_of_ack(capture, packet);
    if (packet->opcode == OPCODE_ENDPOINT_REQUEST)
        note_request(subject);
    if (packet->opcode == OPCODE_ENDPOINT_RESPONSE)
        check_response(subject);
    if (!flow)
        return true;
    if (opcode_is_write(packet->opcode))
        return capture_check_data(subject, flow);
    if (packet->opcode == OPCODE_PROBE)
        return capture_check_probe(subject, flow);
    if (packet->opcode == OPCODE_SACK)
        capture_check_sack(subject, flow);
    if (packet->opcode == OPCODE_NACK)
        capture_check_nack(subject, flow);
    if (packet->opcode == OPCODE_ACK)
        capture_check_ack(subject, flow);
    return true;
}

bool conform_capture_add(struct conform_capture *capture, const struct decode_packet *decoded,
    uint64_t number, uint64_t time_ns)
{
    struct subject subject = { .capture = capture,
        .decoded = decoded,
        .packet = &decoded->frame.packet,
        .number = number,
        .time_ns = time_ns };

    if (time_ns > capture->end_ns)
        capture->end_ns = time_ns;
    if (decoded->verdict == DECODE_FOREIGN)
        return true;
    capture->totals.packet_count++;
    if (decoded->verdict == DECODE_MALFORMED)
        capture_report(capture, decoded->reason == DROP_ICRC ? CONFORM_ICRC : CONFORM_FORMAT,
            number, "%s", drop_help(decoded->reason));
    if (decoded->verdict != DECODE_GOOD || !opcode_is_mrc(subject.packet->opcode))
        return true;
    return check_packet(&subject);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void report_wanted(struct conform_capture *capture, const struct flow *flow)
{
    for (uint32_t i = 0; i < flow->wanted_count; i++) {
        const struct wanted *wanted = &flow->wanted[i];

        if (wanted->rule == CONFORM_NACK_SILENCE && !flow->nacks_trims)
            continue;
        if (wanted->time_ns + capture->settings.patience_ns <= capture->end_ns)
            capture_report(capture, wanted->rule, wanted->number,
                "no answer within %" PRIu64 " us, up to the end of the capture",
                (capture->end_ns - wanted->time_ns) / 1000);
    }
}

void conform_capture_finish(struct conform_capture *capture)
{
    for (uint32_t i = 0; i < FLOW_BUCKETS; i++)
        for (struct flow *flow = capture->flows[i]; flow; flow = flow->next)
            if (!flow->has_failed)
                report_wanted(capture, flow);
}
