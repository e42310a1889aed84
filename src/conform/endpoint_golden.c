/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of endpoints: the vectors of tests/vectors, adapted to the device. */
#include <stdio.h>
#include <string.h>

#include "conform/endpoint_expect.h"
#include "conform/endpoint_suite.h"
#include "conform/endpoint_vector.h"

enum { FILLER = 0x77, PAYLOAD = 10, EETH_OFFSET = 60, EETH_BYTES = 36, STAMP = 28 };

/* Vectors that cannot be adapted: their PMTU of 16 bytes is not legal, or they are IPv4. */
static bool is_adaptable(const char *base)
{
    static const char *const others[] = { "W2", "W3", "W4", "W5", "W7" };

    for (uint32_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strcmp(base, others[i]) == 0)
            return false;
    return true;
}

static bool is_for_responder(const char *base)
{
    return strchr("WXTP", base[0]) || strcmp(base, "E1") == 0 || strcmp(base, "E2") == 0;
}

/* Gives the vector the next PSN, as a message of 10 bytes. */
static struct endpoint_vector_terms take_terms(
    struct endpoint_bench *bench, const char *base, struct endpoint_packet_message *message)
{
    *message = (struct endpoint_packet_message){ .bytes = PAYLOAD };
    message->has_immediate = strcmp(base, "W6") == 0;
    endpoint_packet_take(bench, message);
    return (struct endpoint_vector_terms){ .qpn = bench->session.qpn,
        .psn = base[0] == 'E'   ? bench->next_id++
               : base[0] == 'P' ? 0
                                : message->first.value,
        .msn = message->msn,
        .rqmsn = message->rqmsn,
        .va = bench->session.va,
        .rkey = bench->session.rkey };
}

/* Gives the numbers back: the vector was refused, or does not use them. */
static void return_terms(
    struct endpoint_bench *bench, const struct endpoint_packet_message *message)
{
    bench->session.next_psn = message->first;
    bench->session.next_msn = message->msn;
    bench->session.next_rqmsn = message->has_immediate ? message->rqmsn : bench->session.next_rqmsn;
}

/* Returns what the device must send for an accepted vector. */
static const struct endpoint_frame *await_reaction(struct endpoint_bench *bench, uint32_t from,
    const char *base, const struct endpoint_vector_terms *terms)
{
    if (base[0] == 'P')
        return endpoint_bench_await(bench, from, endpoint_packet_is_probe_answer, 0x42);
    if (base[0] == 'E')
        return endpoint_bench_await(bench, from, endpoint_packet_is_response, terms->psn & 0xffff);
    if (base[0] == 'T')
        return endpoint_bench_await(bench, from, endpoint_packet_is_nack, terms->psn);
    return endpoint_bench_await(bench, from, endpoint_packet_is_sack, terms->psn);
}

static bool lacks_feature(const struct endpoint_bench *bench, const char *base)
{
    const struct conform_report *report = bench->report;

    return (base[0] == 'T' && conform_report_lacks(report, ENDPOINT_TRIM_NACK)) ||
           ((base[0] == 'X' || strcmp(base, "T2") == 0) &&
               conform_report_lacks(report, ENDPOINT_SRV6)) ||
           (strcmp(base, "W6") == 0 &&
               (conform_report_lacks(report, ENDPOINT_WRITE_IMM) || !bench->device->driver[0]));
}

/* ---- golden vectors -------------------------------------------------------------------------- */

/* E3 is the answer to E1, byte for byte. */
static void judge_response(struct conform_report *report, const struct endpoint_frame *answer)
{
    const uint8_t *found = answer->bytes + answer->frame.inner_offset + EETH_OFFSET;
    struct endpoint_vector wanted;

    if (!endpoint_vector_find("E3", &wanted))
        return;
    for (uint32_t i = 0; i < EETH_BYTES; i++)
        if (found[i] != wanted.bytes[EETH_OFFSET + i])
            conform_report_fail(
                report, "the answer to E1 differs from E3 in byte %u of EETH: 0x%02x", i, found[i]);
}

static void judge_golden(struct endpoint_bench *bench, const char *name,
    const struct endpoint_frame *answer, struct endpoint_packet_message *message)
{
    struct conform_report *report = bench->report;
    static const uint8_t payload[PAYLOAD] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };

    if (strcmp(name, "E1") == 0)
        judge_response(report, answer);
    if (strcmp(name, "W8") == 0 && answer->frame.packet.sack.entropy != 0x554f2400)
        conform_report_fail(
            report, "the EV of W8 is echoed as 0x%08x", answer->frame.packet.sack.entropy);
    if (strcmp(name, "X3") == 0 && answer->frame.packet.sack.mark != SACK_MARK_SKIP_ONCE)
        conform_report_fail(report, "the mark in the outer header of X3 is not reported");
    if (strchr("WX", name[0]) && strcmp(name, "W6") != 0) {
        message->payload = payload;
        endpoint_expect_placed(bench, message, name);
        endpoint_session_fill(bench, 0, PAYLOAD, FILLER);
    }
}

static void try_golden(struct endpoint_bench *bench, const struct endpoint_vector *vector)
{
    struct endpoint_packet_message message;
    struct endpoint_vector_terms terms = take_terms(bench, vector->base, &message);
    uint8_t bytes[ENDPOINT_VECTOR_BYTES_MAX];
    uint32_t length = endpoint_vector_adapt(bench, vector, &terms, bytes);
    uint32_t from = endpoint_bench_mark(bench);
    const struct endpoint_frame *answer;

    endpoint_vector_send(bench, vector, bytes, length);
    answer = await_reaction(bench, from, vector->base, &terms);
    if (!answer && !endpoint_bench_has_ended(bench))
        conform_report_fail(bench->report, "vector %s is not answered", vector->name);
    else if (answer)
        judge_golden(bench, vector->name, answer, &message);
    if (!strchr("WX", vector->base[0]))
        return_terms(bench, &message);
}

void endpoint_suite_vectors(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    const char *list = endpoint_vector_golden;
    struct endpoint_vector vector;

    if (!bench || (bench->device->driver[0] && !endpoint_session_post_receives(bench, 1)))
        return;
    while (endpoint_vector_next(&list, &vector) && !conform_report_has_failed(report))
        if (is_adaptable(vector.base) && is_for_responder(vector.base) &&
            !lacks_feature(bench, vector.base))
            try_golden(bench, &vector);
}

/* ---- negative vectors ------------------------------------------------------------------------ */

static void expect_dropped(
    struct endpoint_bench *bench, const struct endpoint_vector *vector, uint32_t from)
{
    char what[80];

    snprintf(what, sizeof(what), "vector %s (%s)", vector->name, vector->verdict);
    endpoint_expect_silence(bench, from, what);
    if (!endpoint_session_is_filled(bench, 0, PAYLOAD, FILLER))
        conform_report_fail(bench->report, "%s is written to memory", what);
}

/* Ports other than 4791 are our own reading. A switch in between drops a hop limit of 1. */
static bool is_optional(const struct endpoint_bench *bench, const struct endpoint_vector *vector)
{
    return strcmp(vector->name, "accept-port-4971") == 0 ||
           (strcmp(vector->name, "accept-outer") == 0 && bench->device->ports[0].has_path);
}

static void try_negative(struct endpoint_bench *bench, const struct endpoint_vector *vector)
{
    bool is_dropped = strcmp(vector->verdict, "none") != 0;
    struct endpoint_packet_message message;
    struct endpoint_vector_terms terms = take_terms(bench, vector->base, &message);
    uint8_t bytes[ENDPOINT_VECTOR_BYTES_MAX];
    uint32_t length = endpoint_vector_adapt(bench, vector, &terms, bytes);
    uint32_t from;
    const struct endpoint_frame *answer = NULL;

    if (is_dropped)
        endpoint_bench_settle(bench); /* the ACK of the vector before may still be on its way */
    from = endpoint_bench_mark(bench);
    endpoint_vector_send(bench, vector, bytes, length);
    if (is_dropped) {
        expect_dropped(bench, vector, from);
    } else {
        answer = await_reaction(bench, from, vector->base, &terms);
        if (!answer && !is_optional(bench, vector) && !endpoint_bench_has_ended(bench))
            conform_report_fail(
                bench->report, "vector %s, which is valid, is not answered", vector->name);
        endpoint_session_fill(bench, 0, PAYLOAD, FILLER);
    }
    if (!answer || !strchr("WX", vector->base[0]))
        return_terms(bench, &message);
}

void endpoint_suite_negative(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    const char *list = endpoint_vector_negative;
    struct endpoint_packet_message message = { .bytes = 64 };
    struct endpoint_vector vector;
    uint32_t failures = 0;

    if (!bench || (bench->device->driver[0] && !endpoint_session_post_receives(bench, 4)))
        return;
    endpoint_session_fill(bench, 0, PAYLOAD, FILLER);
    while (
        endpoint_vector_next(&list, &vector) && failures < 3 && !endpoint_bench_has_ended(bench)) {
        if (!is_adaptable(vector.base) || !is_for_responder(vector.base) ||
            lacks_feature(bench, vector.base))
            continue;
        try_negative(bench, &vector);
        failures += conform_report_has_failed(report);
    }
    endpoint_packet_take(bench, &message);
    if (endpoint_expect_taken(bench, &message, 0))
        endpoint_expect_placed(bench, &message, "a packet after the vectors");
}

/* ---- feedback -------------------------------------------------------------------------------- */

/* A write waits for its ACK. Damaged feedback, which would complete it, must not. */
void endpoint_suite_negative_feedback(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_session_begin(kit, report);
    struct endpoint_work work = { .id = 1, .bytes = 64 };
    const char *list = endpoint_vector_negative;
    struct endpoint_vector vector;
    const struct endpoint_frame *data;

    if (!bench)
        return;
    bench->peer.is_mute = true;
    if (!endpoint_session_post(bench, &work) || !(data = endpoint_expect_write(bench, 0, 1)))
        return;
    while (endpoint_vector_next(&list, &vector) && !endpoint_bench_has_ended(bench)) {
        struct endpoint_vector_terms terms = {
            .qpn = bench->session.qpn, .psn = data->frame.packet.psn.value, .msn = 1
        };
        uint8_t bytes[ENDPOINT_VECTOR_BYTES_MAX];
        uint32_t length;

        if (!strchr("ASN", vector.base[0]) || strcmp(vector.base, "A2") == 0)
            continue;
        length = endpoint_vector_adapt(bench, &vector, &terms, bytes);
        if (length > 0)
            endpoint_vector_send(bench, &vector, bytes, length);
    }
    endpoint_bench_settle(bench);
    if (!endpoint_expect_no_completion(bench, "by damaged feedback, or by a SACK"))
        return;
    endpoint_peer_take(bench, data);
    bench->peer.is_mute = false;
    endpoint_peer_answer(bench, data);
    endpoint_expect_sent(bench, 1, "success");
}
