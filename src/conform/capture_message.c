/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that packets form messages: compares each with its neighbours, in any order of arrival. */
#include <inttypes.h>

#include "conform/capture_state.h"
#include "wire/opcode.h"
#include "wire/psn.h"

static void complain_message(const struct subject *subject, const struct sent *other,
    const struct sent *self, const char *words)
{
    capture_report(subject->capture, CONFORM_MESSAGE, subject->number,
        "PSN 0x%06x: %s, compared with PSN 0x%06x in packet %" PRIu64, self->psn, words, other->psn,
        other->number);
}

/* Both belong to one message. */
static void check_continuation(
    const struct subject *subject, const struct sent *earlier, const struct sent *later)
{
    const struct sent *self = later->number == subject->number ? later : earlier;
    const struct sent *other = self == later ? earlier : later;

    if (earlier->msn != later->msn)
        complain_message(subject, other, self, "another msn within a message");
    else if (earlier->message_bytes != later->message_bytes)
        complain_message(subject, other, self, "another dmalen within a message");
    else if (earlier->rkey != later->rkey)
        complain_message(subject, other, self, "another rkey within a message");
    else if (earlier->va + earlier->payload_bytes != later->va)
        complain_message(subject, other, self, "the address does not follow");
    else if (!opcode_ends_message(later->opcode) && earlier->payload_bytes != later->payload_bytes)
        complain_message(subject, other, self, "another payload length within a message");
}

static void check_neighbours(
    const struct subject *subject, const struct sent *earlier, const struct sent *later)
{
    const struct sent *self = later->number == subject->number ? later : earlier;
    const struct sent *other = self == later ? earlier : later;
    bool ends = opcode_ends_message(earlier->opcode);

    if (ends != opcode_starts_message(later->opcode))
        complain_message(subject, other, self,
            ends ? "a message does not begin with First or Only" : "a message does not end");
    else if (!ends)
        check_continuation(subject, earlier, later);
    else if ((uint16_t)(earlier->msn + 1) != later->msn)
        complain_message(subject, other, self, "msn does not count messages");
}

static void check_alone(const struct subject *subject, const struct sent *sent)
{
    bool starts = opcode_starts_message(sent->opcode);
    bool ends = opcode_ends_message(sent->opcode);

    if (starts && ends && sent->payload_bytes != sent->message_bytes)
        capture_report(subject->capture, CONFORM_MESSAGE, subject->number,
            "an Only packet with %u bytes of a message of %u", sent->payload_bytes,
            sent->message_bytes);
    if (!(starts && ends) && sent->payload_bytes >= sent->message_bytes)
        capture_report(subject->capture, CONFORM_MESSAGE, subject->number,
            "a packet of several with %u bytes of a message of %u", sent->payload_bytes,
            sent->message_bytes);
}

/* Compares the end of a packet with that of its message, whose begin is known. */
static void check_end(const struct subject *subject, const struct sent *sent)
{
    uint64_t end = sent->start_va + sent->message_bytes;
    bool is_last = opcode_ends_message(sent->opcode);

    if (is_last ? sent->va + sent->payload_bytes != end : sent->va + sent->payload_bytes >= end)
        capture_report(subject->capture, CONFORM_MESSAGE, subject->number, "PSN 0x%06x: %s",
            sent->psn,
            is_last ? "the packets of the message are not dmalen bytes"
                    : "the message goes on after dmalen bytes");
}

/* Spreads the address at which a message begins to the packets after it. */
static void spread_start(const struct subject *subject, const struct flow *flow, struct sent *sent)
{
    const struct sent *before = flow_find(flow, psn_add(psn(sent->psn), -1));

    if (opcode_starts_message(sent->opcode)) {
        sent->has_start = true;
        sent->start_va = sent->va;
    } else if (before && before->has_start && !opcode_ends_message(before->opcode)) {
        sent->has_start = true;
        sent->start_va = before->start_va;
    }
    while (sent->has_start) {
        struct sent *after = flow_find(flow, psn_add(psn(sent->psn), 1));

        check_end(subject, sent);
        if (!after || !after->is_whole || after->has_start || opcode_ends_message(sent->opcode) ||
            opcode_starts_message(after->opcode))
            return;
        after->has_start = true;
        after->start_va = sent->start_va;
        sent = after;
    }
}

void capture_check_message(
    const struct subject *subject, const struct flow *flow, struct sent *sent)
{
    const struct sent *before = flow_find(flow, psn_add(psn(sent->psn), -1));
    const struct sent *after = flow_find(flow, psn_add(psn(sent->psn), 1));

    check_alone(subject, sent);
    if (before && before->is_whole)
        check_neighbours(subject, before, sent);
    if (after && after->is_whole)
        check_neighbours(subject, sent, after);
    spread_start(subject, flow, sent);
}
