/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of senders, gaps between packets, timers. */
#include "rival/rocev2/roce_schedule.h"

#define PS_PER_S 1e12

static void list_sender(struct roce_nic *nic, uint32_t index)
{
    struct roce_sender *sender = &nic->senders[index];
    struct roce_port *port = &nic->ports[sender->port];

    sender->is_listed = true;
    sender->next_ready = ROCE_NONE;
    if (port->first_ready == ROCE_NONE)
        port->first_ready = index;
    else
        nic->senders[port->last_ready].next_ready = index;
    port->last_ready = index;
    nic->ready_count++;
}

uint32_t roce_schedule_take(struct roce_nic *nic, struct roce_port *port)
{
    uint32_t index = port->first_ready;

    port->first_ready = nic->senders[index].next_ready;
    nic->senders[index].is_listed = false;
    nic->ready_count--;
    return index;
}

/* The rate changes: what is left of the gap after the last packet changes with it. */
void roce_schedule_rate_changed(struct roce_sender *sender, double before_bps, uint64_t now_ps)
{
    double after_bps = sender->dcqcn.rate_bps;

    if (after_bps != before_bps && sender->ready_ps > now_ps)
        sender->ready_ps =
            now_ps + (uint64_t)((double)(sender->ready_ps - now_ps) * before_bps / after_bps);
}

void roce_schedule_advance(const struct roce_nic *nic, struct roce_sender *sender, uint64_t now_ps)
{
    double before_bps = sender->dcqcn.rate_bps;

    if (!nic->profile->has_dcqcn || !dcqcn_limits(&sender->dcqcn))
        return;
    dcqcn_advance(&sender->dcqcn, &nic->profile->dcqcn, now_ps);
    roce_schedule_rate_changed(sender, before_bps, now_ps);
}

/* The timer is left alone if it is early enough: it is set again when it has expired. */
static void set_timer(struct roce_nic *nic, uint32_t index, uint64_t now_ps)
{
    const struct roce_sender *sender = &nic->senders[index];
    uint64_t next_ps = sender->timeout_ps;

    if (!sender->is_listed && sender->ready_ps > now_ps &&
        roce_sender_has_packet(sender, nic->profile)) {
        uint64_t rate_ps = dcqcn_next_ps(&sender->dcqcn, &nic->profile->dcqcn);

        next_ps = next_ps < sender->ready_ps ? next_ps : sender->ready_ps;
        next_ps = next_ps < rate_ps ? next_ps : rate_ps;
    }
    if (next_ps < deadline_heap_of(&nic->timers, index))
        deadline_heap_set(&nic->timers, index, next_ps);
}

/* Lists a sender that may send now; otherwise its timer wakes it. */
void roce_schedule_sender(struct roce_nic *nic, uint32_t index, uint64_t now_ps)
{
    struct roce_sender *sender = &nic->senders[index];

    if (!sender->is_listed && sender->ready_ps <= now_ps &&
        roce_sender_has_packet(sender, nic->profile))
        list_sender(nic, index);
    set_timer(nic, index, now_ps);
}

/* A packet may leave up to its own duration too early to make up for one that left late. */
void roce_schedule_sent(
    struct roce_nic *nic, struct roce_sender *sender, uint32_t bytes, uint64_t now_ps)
{
    double before_bps;
    uint64_t gap_ps;

    if (!nic->profile->has_dcqcn)
        return;
    roce_schedule_advance(nic, sender, now_ps);
    before_bps = sender->dcqcn.rate_bps;
    if (!dcqcn_limits(&sender->dcqcn)) {
        sender->ready_ps = 0;
        return;
    }
    dcqcn_on_sent(&sender->dcqcn, &nic->profile->dcqcn, bytes);
    roce_schedule_rate_changed(sender, before_bps, now_ps);
    gap_ps = (uint64_t)(bytes * 8 * PS_PER_S / sender->dcqcn.rate_bps);
    if (sender->ready_ps + gap_ps < now_ps)
        sender->ready_ps = now_ps - gap_ps;
    sender->ready_ps += gap_ps;
}

/* Removes senders that have nothing to send any more, or not yet. */
void roce_schedule_drop_idle(struct roce_nic *nic, struct roce_port *port, uint64_t now_ps)
{
    while (port->first_ready != ROCE_NONE) {
        const struct roce_sender *sender = &nic->senders[port->first_ready];
        uint32_t index;

        if (roce_sender_has_packet(sender, nic->profile) && sender->ready_ps <= now_ps)
            return;
        index = roce_schedule_take(nic, port);
        set_timer(nic, index, now_ps);
    }
}
