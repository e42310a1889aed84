/* SPDX-License-Identifier: Apache-2.0 */
/* What members tell each other after a window: when they continue, their status, packets for each
 * other's shards, and reports. */
#include <string.h>

#include "sim/group.h"

/* A message consists of this, packets, and reports up to its end. */
struct window_head {
    uint64_t next_ps; /* when a shard of the member has something to do, or sends something */
    enum sim_status status;
    uint64_t violated_ps;
    char violation[ENGINE_VIOLATION_BYTES];
    uint32_t packet_count;
};

/* An arrival with its packet. */
struct window_packet {
    struct outbox_parcel parcel;
    uint32_t shard; /* that receives it */
    struct packets_record record;
    struct ipv6_addr outer;
};

/* ---- packets --------------------------------------------------------------------------------- */

static uint32_t count_of_list(const struct outbox *outbox, uint32_t to_shard)
{
    const struct outbox_chunk *all = outbox->pool->all;
    uint32_t count = 0;

    for (uint32_t at = outbox->lists[to_shard].first; at != OUTBOX_NONE; at = all[at].next)
        count += all[at].count;
    return count;
}

static struct outbox *outbox_of(const struct sim *sim, uint32_t shard)
{
    return &sim->shards[shard].outboxes[sim->outbox];
}

/* Returns the number of packets for a member. */
static uint32_t count_for(const struct sim *sim, uint32_t member)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < sim->group->shard_count; i++)
        for (uint32_t to = 0; to < sim->shard_count; to++)
            if (group_member_of(sim, to) == member)
                count += count_of_list(outbox_of(sim, sim->group->first_shard + i), to);
    return count;
}

/* The packet leaves the pool of the shard that sent it, which is a shard of this member. A pause
 * frame has no packet. */
static void send_packet(
    const struct sim *sim, uint32_t to_shard, const struct outbox_parcel *parcel)
{
    struct window_packet packet = { .parcel = *parcel, .shard = to_shard };
    uint32_t handle = parcel->packet.handle;

    if (handle != PACKETS_NONE) {
        struct packets *own = &sim->shards[sim->group->first_shard].packets;
        struct packets *home = &sim->shards[handle >> own->shard_shift].packets;

        packet.record = home->all[handle];
        packet.outer = home->outer[handle];
        packets_give_back(home, handle);
    }
    group_send(sim, group_member_of(sim, to_shard), &packet, sizeof(packet));
}

static void send_list(const struct sim *sim, struct outbox *outbox, uint32_t to_shard)
{
    struct outbox_list *list = &outbox->lists[to_shard];
    const struct outbox_chunk *all = outbox->pool->all;

    for (uint32_t at = list->first; at != OUTBOX_NONE; at = all[at].next)
        for (uint32_t i = 0; i < all[at].count; i++) {
            send_packet(sim, to_shard, &all[at].parcels[i]);
            outbox->count--;
        }
    outbox_pool_take_back(outbox->pool, list);
}

static void send_packets(const struct sim *sim)
{
    for (uint32_t i = 0; i < sim->group->shard_count; i++)
        for (uint32_t to = 0; to < sim->shard_count; to++)
            if (!group_has(sim->group, to))
                send_list(sim, outbox_of(sim, sim->group->first_shard + i), to);
}

static void take_packet(struct sim *sim, struct group_message *message)
{
    struct window_packet packet;
    struct shard *shard;

    group_take(message, &packet, sizeof(packet));
    shard = &sim->shards[packet.shard];
    if (packet.parcel.packet.handle != PACKETS_NONE) {
        uint32_t handle = packets_take(&shard->packets);

        if (handle == PACKETS_NONE) {
            sim->group->is_full = true;
            return;
        }
        shard->packets.all[handle] = packet.record;
        shard->packets.outer[handle] = packet.outer;
        packet.parcel.packet.handle = handle;
    }
    mailbox_post(&shard->mailbox, packet.parcel.seat, packet.parcel.port,
        outbox_time_ps(&packet.parcel, shard->mailbox.open_ps), &packet.parcel.packet);
}

/* ---- reports --------------------------------------------------------------------------------- */

/* All members must know when work is done; the rest concerns the observer. */
static void send_report(const struct sim *sim, const struct report *report)
{
    if (report->kind == REPORT_RANK_FINISHED)
        group_send_all(sim, report, sizeof(*report));
    else if (!group_is_led(sim))
        group_send(sim, GROUP_LEADER, report, sizeof(*report));
}

static void send_reports(const struct sim *sim)
{
    for (uint32_t i = 0; i < sim->group->shard_count; i++) {
        const struct reports *reports = &sim->shards[sim->group->first_shard + i].reports;

        for (uint32_t r = 0; r < reports->count; r++)
            send_report(sim, &reports->all[r]);
    }
}

static void take_reports(struct sim *sim, struct group_message *message)
{
    while (message->bytes > 0) {
        struct report report;
        struct reports *reports;

        group_take(message, &report, sizeof(report));
        reports = &sim->shards[sim->seats[report.node].shard].reports;
        reports->all[reports->count++] = report;
    }
}

/* ---- status ---------------------------------------------------------------------------------- */

static uint64_t next_of_shard(const struct shard *shard)
{
    return mailbox_next_ps(&shard->mailbox, outbox_of(shard->sim, shard->number)->earliest_ps);
}

/* A violation comes first, the earliest of several. */
static void add_shard(struct window_head *head, const struct shard *shard)
{
    uint64_t next_ps = next_of_shard(shard);

    if (next_ps < head->next_ps)
        head->next_ps = next_ps;
    if (shard->status == SIM_OUT_OF_MEMORY && head->status == SIM_RUNNING)
        head->status = SIM_OUT_OF_MEMORY;
    if (shard->status != SIM_VIOLATED ||
        (head->status == SIM_VIOLATED && head->violated_ps <= shard->violated_ps))
        return;
    head->status = SIM_VIOLATED;
    head->violated_ps = shard->violated_ps;
    memcpy(head->violation, shard->violation, sizeof(head->violation));
}

static struct window_head own_head(const struct sim *sim)
{
    struct window_head head = { .next_ps = SIM_NEVER_PS };
    const struct group *group = sim->group;

    for (uint32_t i = 0; i < group->shard_count; i++) {
        struct shard *shard = &sim->shards[group->first_shard + i];

        if (group->is_full && shard->status == SIM_RUNNING)
            shard->status = SIM_OUT_OF_MEMORY;
        add_shard(&head, shard);
    }
    return head;
}

/* The first shard of a member stands for all of them. */
static void take_head(struct sim *sim, struct shard *first, const struct window_head *head)
{
    if (head->next_ps < sim->group->next_ps)
        sim->group->next_ps = head->next_ps;
    if (head->status == SIM_RUNNING)
        return;
    first->status = head->status;
    first->violated_ps = head->violated_ps;
    memcpy(first->violation, head->violation, sizeof(first->violation));
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void send_window(const struct sim *sim, struct window_head head)
{
    for (uint32_t i = 0; i < sim->group->members->count; i++) {
        if (i == sim->group->members->member)
            continue;
        head.packet_count = count_for(sim, i);
        group_send(sim, i, &head, sizeof(head));
    }
    send_packets(sim);
    send_reports(sim);
}

static void take_window(struct sim *sim, uint32_t from)
{
    struct group_message message = group_received(sim, from);
    uint32_t first = group_first_shard(sim->group->members, from, sim->shard_count);
    struct window_head head;

    group_take(&message, &head, sizeof(head));
    take_head(sim, &sim->shards[first], &head);
    for (uint32_t i = 0; i < head.packet_count; i++)
        take_packet(sim, &message);
    take_reports(sim, &message);
}

void group_exchange_window(struct sim *sim)
{
    struct window_head head = own_head(sim);

    send_window(sim, head);
    group_exchange(sim);
    sim->group->next_ps = head.next_ps;
    for (uint32_t i = 0; i < sim->group->members->count; i++)
        if (i != sim->group->members->member)
            take_window(sim, i);
}
