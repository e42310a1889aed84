/* SPDX-License-Identifier: Apache-2.0 */
/* What checks of endpoints expect. */
#include "conform/endpoint_expect.h"

#include <inttypes.h>
#include <string.h>

/* ---- answers --------------------------------------------------------------------------------- */

static const struct endpoint_frame *expect_answer(struct endpoint_bench *bench, uint32_t from,
    endpoint_match *matches, struct psn psn, const char *missing)
{
    const struct endpoint_frame *found = endpoint_bench_await(bench, from, matches, psn.value);

    if (!found && !endpoint_bench_has_ended(bench))
        conform_report_fail(bench->report, "%s (PSN %u)", missing, psn.value);
    return found;
}

const struct endpoint_frame *endpoint_expect_sack(
    struct endpoint_bench *bench, uint32_t from, struct psn psn, const char *what)
{
    char missing[160];

    snprintf(missing, sizeof(missing), "no SACK reports %s", what);
    return expect_answer(bench, from, endpoint_packet_is_sack, psn, missing);
}

bool endpoint_expect_prompt_sack(
    struct endpoint_bench *bench, uint32_t from, struct psn psn, const char *what)
{
    char missing[160];

    snprintf(missing, sizeof(missing), "no SACK is sent at once for %s", what);
    return expect_answer(bench, from, endpoint_packet_is_prompt_sack, psn, missing);
}

const struct endpoint_frame *endpoint_expect_ack(
    struct endpoint_bench *bench, uint32_t from, struct psn psn, const char *what)
{
    char missing[160];

    snprintf(missing, sizeof(missing), "no Transport ACK for %s", what);
    return expect_answer(bench, from, endpoint_packet_is_ack, psn, missing);
}

const struct endpoint_frame *endpoint_expect_nack(
    struct endpoint_bench *bench, uint32_t from, struct psn psn, const char *what)
{
    char missing[160];

    snprintf(missing, sizeof(missing), "no NACK for %s", what);
    return expect_answer(bench, from, endpoint_packet_is_nack, psn, missing);
}

const struct endpoint_frame *endpoint_expect_nak(
    struct endpoint_bench *bench, uint32_t from, struct psn psn, const char *what)
{
    char missing[160];

    snprintf(missing, sizeof(missing), "no Transport NAK for %s", what);
    return expect_answer(bench, from, endpoint_packet_is_nak, psn, missing);
}

const struct endpoint_frame *endpoint_expect_probe_answer(struct endpoint_bench *bench)
{
    struct packet probe = endpoint_packet_probe(bench);
    uint32_t from = endpoint_bench_mark(bench);
    const struct endpoint_frame *answer;

    endpoint_bench_send(bench, &probe);
    answer =
        endpoint_bench_await(bench, from, endpoint_packet_is_probe_answer, probe.probe.probe_id);
    if (!answer && !endpoint_bench_has_ended(bench))
        conform_report_fail(bench->report, "a Reliability Probe is not answered");
    return answer;
}

const char *endpoint_expect_name(const struct packet *packet)
{
    if (packet->opcode == OPCODE_ACK)
        return packet->ack.syndrome < 0x20 ? "a Transport ACK" : "a Transport NAK";
    if (packet->opcode == OPCODE_SACK)
        return "a SACK";
    if (packet->opcode == OPCODE_NACK)
        return "a NACK";
    return opcode_is_defined(packet->opcode) ? opcode_name(packet->opcode) : "an unknown packet";
}

bool endpoint_expect_silence(struct endpoint_bench *bench, uint32_t from, const char *what)
{
    const struct endpoint_frame *found;

    endpoint_bench_settle(bench);
    found = endpoint_bench_find(bench, from, endpoint_packet_is_answer, 0);
    if (found)
        conform_report_fail(bench->report, "%s is answered: %s for PSN %u", what,
            endpoint_expect_name(&found->frame.packet), found->frame.packet.psn.value);
    return !found;
}

/* ---- memory and completions ------------------------------------------------------------------ */

bool endpoint_expect_placed(
    struct endpoint_bench *bench, const struct endpoint_packet_message *message, const char *what)
{
    if (endpoint_session_holds(bench, message))
        return true;
    if (!endpoint_bench_has_ended(bench))
        conform_report_fail(bench->report,
            "%s: memory does not have the %u bytes that were written", what, message->bytes);
    return false;
}

bool endpoint_expect_sent(struct endpoint_bench *bench, uint64_t id, const char *status)
{
    struct endpoint_completion completion;

    if (!endpoint_session_complete(bench, &completion)) {
        if (!endpoint_bench_has_ended(bench))
            conform_report_fail(bench->report, "write %" PRIu64 " does not complete", id);
        return false;
    }
    if (!completion.is_receive && completion.id == id && strcmp(completion.status, status) == 0)
        return true;
    conform_report_fail(bench->report,
        "write %" PRIu64 " completes with '%s' instead of write %" PRIu64 " with '%s'",
        completion.id, completion.status, id, status);
    return false;
}

bool endpoint_expect_received(
    struct endpoint_bench *bench, const struct endpoint_packet_message *message)
{
    struct endpoint_completion completion;

    if (!endpoint_session_complete(bench, &completion)) {
        if (!endpoint_bench_has_ended(bench))
            conform_report_fail(
                bench->report, "immediate 0x%x does not complete a receive", message->immediate);
        return false;
    }
    if (completion.is_receive && strcmp(completion.status, "success") == 0 &&
        completion.immediate == message->immediate && completion.bytes == message->bytes)
        return true;
    conform_report_fail(bench->report,
        "a receive completes with '%s', %" PRIu64 " bytes and immediate 0x%" PRIx64
        " instead of %u bytes and 0x%x",
        completion.status, completion.bytes, completion.immediate, message->bytes,
        message->immediate);
    return false;
}

bool endpoint_expect_no_completion(struct endpoint_bench *bench, const char *while_what)
{
    struct endpoint_completion completion;

    if (!endpoint_session_poll(bench, &completion))
        return true;
    conform_report_fail(bench->report, "%s %" PRIu64 " completes with '%s' %s",
        completion.is_receive ? "receive" : "write", completion.id, completion.status, while_what);
    return false;
}

/* ---- packets --------------------------------------------------------------------------------- */

const struct endpoint_frame *endpoint_expect_taken(
    struct endpoint_bench *bench, const struct endpoint_packet_message *message, uint32_t index)
{
    struct packet packet = endpoint_packet_of(bench, message, index);
    uint32_t from = endpoint_bench_mark(bench);

    packet.flags |= PACKET_ACK_REQUEST;
    endpoint_bench_send(bench, &packet);
    return endpoint_expect_sack(bench, from, packet.psn, "a packet with AckReq");
}

const struct endpoint_frame *endpoint_expect_write(
    struct endpoint_bench *bench, uint32_t index, uint32_t copy)
{
    uint32_t wanted = psn_add(bench->peer.first, (int32_t)index).value;
    const struct endpoint_frame *found = NULL;
    uint32_t from = 0;

    for (uint32_t i = 0; i < copy; i++) {
        found = endpoint_bench_await(bench, from, endpoint_packet_is_write, wanted);
        if (!found)
            break;
        from = (uint32_t)(found - bench->frames) + 1;
    }
    if (!found && !endpoint_bench_has_ended(bench))
        conform_report_fail(bench->report, "the device does not send packet %u (PSN %u)%s", index,
            wanted, copy > 1 ? " again" : "");
    return found;
}
