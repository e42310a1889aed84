/* SPDX-License-Identifier: Apache-2.0 */
#include "conform/capture_flow.h"

#include <stdlib.h>
#include <string.h>

#include "wire/opcode.h"
#include "wire/psn.h"

enum {
    ROOM_LEAST = 256,
    ROOM_MOST = 1 << 17, /* four times the largest window */
};

struct sent *flow_find(const struct flow *flow, struct psn psn)
{
    struct sent *sent;

    if (!flow->room)
        return NULL;
    sent = &flow->sent[psn.value & (flow->room - 1)];
    return sent->is_used && sent->psn == psn.value ? sent : NULL;
}

bool flow_covers(const struct flow *flow, struct psn psn)
{
    return flow->has_data && psn_distance(flow->first, psn) >= 0 &&
           psn_distance(psn, flow->highest) < (int32_t)flow->room;
}

static bool widen_flow(struct flow *flow)
{
    uint32_t room = flow->room ? 2 * flow->room : ROOM_LEAST;
    struct sent *sent = calloc(room, sizeof(*sent));

    if (!sent)
        return false;
    for (uint32_t i = 0; i < flow->room; i++)
        if (flow->sent[i].is_used)
            sent[flow->sent[i].psn & (room - 1)] = flow->sent[i];
    free(flow->sent);
    flow->sent = sent;
    flow->room = room;
    return true;
}

/* True if the ring has to hold more PSNs than it has room for: those from the acknowledged one to
 * the highest, and as many again. */
static bool is_narrow(const struct flow *flow, struct psn psn)
{
    struct psn low = flow->has_cack ? flow->cack : flow->first;
    int32_t span = psn_distance(low, psn);
    int32_t past = psn_distance(low, flow->highest);

    if (past > span)
        span = past;
    return !flow->room || (flow->room < ROOM_MOST && 2 * (int64_t)span >= (int64_t)flow->room);
}

struct sent *flow_add(struct flow *flow, struct psn psn)
{
    struct sent *sent;

    while (is_narrow(flow, psn))
        if (!widen_flow(flow))
            return NULL;
    sent = &flow->sent[psn.value & (flow->room - 1)];
    *sent = (struct sent){ .psn = psn.value, .is_used = true };
    return sent;
}

void flow_restart(struct flow *flow, struct psn first, bool is_from_start)
{
    if (flow->room)
        memset(flow->sent, 0, flow->room * sizeof(*flow->sent));
    flow->has_data = true;
    flow->first = first;
    flow->highest = first;
    flow->is_from_start = is_from_start;
    flow->has_cack = false;
    flow->has_sack = false;
    flow->has_bytes = is_from_start;
    flow->bytes_before = 0;
    memset(flow->ways, 0, sizeof(flow->ways));
    flow->has_failed = false;
    flow->wanted_count = 0;
}

bool flow_want(struct flow *flow, const struct wanted *wanted)
{
    if (flow->wanted_count == flow->wanted_room) {
        uint32_t room = flow->wanted_room ? 2 * flow->wanted_room : 64;
        struct wanted *grown = realloc(flow->wanted, room * sizeof(*grown));

        if (!grown)
            return false;
        flow->wanted = grown;
        flow->wanted_room = room;
    }
    flow->wanted[flow->wanted_count++] = *wanted;
    return true;
}

static bool shows(const struct packet_sack *sack, uint32_t psn_value)
{
    int32_t distance = psn_distance(sack->cack_psn, psn(psn_value));
    int32_t bit = distance - sack->sack_offset;

    return distance <= 0 || (bit >= 0 && bit < 64 && (sack->bitmap >> bit & 1)) ||
           (!sack->answers_probe && distance == sack->ack_psn_offset);
}

static bool is_settled(const struct wanted *wanted, const struct packet *packet)
{
    if (packet->opcode == OPCODE_NACK)
        return wanted->rule != CONFORM_PROBE_SILENCE && wanted->psn == packet->nack.nack_psn.value;
    if (wanted->rule == CONFORM_PROBE_SILENCE)
        return packet->sack.answers_probe && packet->sack.probe_id == wanted->psn;
    return wanted->rule == CONFORM_SACK_ANSWER && shows(&packet->sack, wanted->psn);
}

void flow_settle(struct flow *flow, const struct packet *packet)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < flow->wanted_count; i++)
        if (!is_settled(&flow->wanted[i], packet))
            flow->wanted[kept++] = flow->wanted[i];
    flow->wanted_count = kept;
}

void flow_clear(struct flow *flow)
{
    free(flow->sent);
    free(flow->wanted);
}
