/* SPDX-License-Identifier: Apache-2.0 */
/* Frames whose payload a NIC lends: it stays in the ring of the sending NIC until the frame is
 * handed over, so it is copied once, from ring to ring. Slots return to the NIC in order. If a
 * frame waits long, the oldest payloads are copied after all, before the NIC runs out of slots. */
#include <stdlib.h>
#include <string.h>

#include "lab/soft_state.h"
#include "pktio/pktio.h"

void soft_loan_open(struct soft_end *end)
{
    uint32_t slot_count = shm_port_slot_count(end->port);

    end->loans = (struct soft_loans){ .frames = malloc(slot_count * sizeof(*end->loans.frames)),
        .slot_count = slot_count };
    if (end->loans.frames)
        shm_port_keep_frames(end->port);
}

static uint32_t *place_of(struct soft_loans *loans, uint32_t slot)
{
    return &loans->frames[slot & (loans->slot_count - 1)];
}

void soft_loan_note(struct soft *soft, uint32_t end_index, uint32_t frame)
{
    struct soft_loans *loans = &soft->ends[end_index].loans;

    *place_of(loans, loans->next) = frame;
    if (frame != SOFT_NO_FRAME) {
        soft->frames.list[frame].lender = end_index;
        soft->frames.list[frame].slot = loans->next;
    }
    loans->next++;
}

static void end_loan(struct soft *soft, struct soft_frame *frame)
{
    *place_of(&soft->ends[frame->lender].loans, frame->slot) = SOFT_NO_FRAME;
    frame->lender = SOFT_NO_LENDER;
}

void soft_loan_copy(struct soft *soft, uint32_t frame_index)
{
    struct soft_frame *frame = &soft->frames.list[frame_index];

    if (frame->lender == SOFT_NO_LENDER)
        return;
    if (frame->length > SOFT_OWN_BYTES)
        memcpy(soft_frames_bytes(&soft->frames, frame_index) + SOFT_OWN_BYTES, frame->rest,
            frame->length - SOFT_OWN_BYTES);
    end_loan(soft, frame);
}

void soft_give(struct soft *soft, uint32_t frame_index)
{
    if (soft->frames.list[frame_index].lender != SOFT_NO_LENDER)
        end_loan(soft, &soft->frames.list[frame_index]);
    soft_frames_give(&soft->frames, frame_index);
}

void soft_loan_settle(struct soft *soft, struct soft_end *end)
{
    struct soft_loans *loans = &end->loans;
    uint32_t first = loans->first;

    for (; loans->first != loans->next; loans->first++) {
        uint32_t frame = *place_of(loans, loans->first);

        if (frame != SOFT_NO_FRAME && loans->next - loans->first <= loans->slot_count / 2)
            break;
        if (frame != SOFT_NO_FRAME)
            soft_loan_copy(soft, frame);
    }
    shm_port_give_back(end->port, loans->first - first);
}

void soft_loan_close(struct soft *soft, struct soft_end *end)
{
    struct soft_loans *loans = &end->loans;

    for (; loans->first != loans->next; loans->first++)
        if (*place_of(loans, loans->first) != SOFT_NO_FRAME)
            soft_loan_copy(soft, *place_of(loans, loans->first));
    free(loans->frames);
    loans->frames = NULL;
}
