/* SPDX-License-Identifier: Apache-2.0 */
/* Ends packets, exchanges them with other shards, reports events, stops the run. */
#include "sim/shard.h"

#include "base/text.h"
#include "sim/group.h"

/* The work of the shards of a member. */
struct own_work {
    void (*work)(void *argument, uint32_t index);
    void *argument;
    uint32_t first;
};

static void work_on_own(void *argument, uint32_t index)
{
    const struct own_work *own = argument;

    own->work(own->argument, own->first + index);
}

void shard_each(const struct sim *sim, void (*work)(void *argument, uint32_t index), void *argument)
{
    const struct sim_carrier *carrier = sim->config.carrier;
    uint32_t count = sim->group ? sim->group->shard_count : sim->shard_count;
    struct own_work own = {
        .work = work, .argument = argument, .first = sim->group ? sim->group->first_shard : 0
    };

    if (carrier && count > 1)
        carrier->run(carrier->context, count, work_on_own, &own);
    else
        for (uint32_t i = 0; i < count; i++)
            work_on_own(&own, i);
}

/* ---- packets --------------------------------------------------------------------------------- */

void shard_lose(struct shard *shard, uint32_t packet, enum loss_reason loss)
{
    shard->packets_lost[loss]++;
    packets_give_back(&shard->packets, packet);
}

uint64_t shard_in_flight(const struct shard *shard)
{
    const struct outbox *outbox = &shard->outboxes[shard->sim->outbox];
    uint64_t count = (uint64_t)(int64_t)shard->packets.used;

    for (uint32_t i = 0; i < outbox->shard_count; i++)
        count -= outbox->returned[i].count;
    return count;
}

void shard_mail(struct shard *shard, uint32_t node, uint32_t port, uint64_t time_ps,
    const struct port_entry *packet)
{
    struct engine_seat seat = shard->seats[node];
    struct outbox *outbox = shard->outbox;
    struct outbox_parcel *parcel = outbox_add(outbox, seat.shard);
    uint64_t offset_ps = time_ps - shard->mailbox.open_ps;

    if (__builtin_expect(!parcel, false)) {
        shard->status = SIM_OUT_OF_MEMORY;
        return;
    }
    assert(offset_ps >> 48 == 0);
    *parcel = (struct outbox_parcel){ .packet = *packet,
        .seat = seat.number,
        .port = (uint16_t)port,
        .offset_high = (uint16_t)(offset_ps >> 32),
        .offset_low = (uint32_t)offset_ps };
    if (time_ps < outbox->earliest_ps)
        outbox->earliest_ps = time_ps;
}

static void empty_chunk(struct shard *shard, const struct outbox_chunk *chunk)
{
    for (uint32_t i = 0; i < chunk->count; i++) {
        const struct outbox_parcel *parcel = &chunk->parcels[i];

        mailbox_post(&shard->mailbox, parcel->seat, parcel->port,
            outbox_time_ps(parcel, shard->mailbox.open_ps), &parcel->packet);
    }
}

static void collect_from(struct shard *shard, struct outbox *from)
{
    uint32_t next;

    packets_take_back(&shard->packets, &from->returned[shard->number]);
    outbox_pool_take_back(&shard->chunks, &from->spare[shard->number]);
    for (uint32_t at = from->lists[shard->number].first; at != OUTBOX_NONE; at = next) {
        next = from->pool->all[at].next;
        empty_chunk(shard, &from->pool->all[at]);
        outbox_pool_free(&shard->chunks, at, shard->outbox->spare);
    }
}

/* The window of the parcels is still that of the mailbox. */
void shard_collect(struct shard *shard)
{
    const struct sim *sim = shard->sim;

    outbox_pool_open(&shard->chunks);
    for (uint32_t i = 0; i < sim->shard_count; i++)
        if (group_has(sim->group, i))
            collect_from(shard, &sim->shards[i].outboxes[!sim->outbox]);
    shard->packets.returned = shard->outbox->returned;
}

/* ---- reports --------------------------------------------------------------------------------- */

void shard_report(struct shard *shard, const struct report *report)
{
    if (!reports_add(shard->sim, &shard->reports, report))
        shard->status = SIM_OUT_OF_MEMORY;
}

void shard_report_event(struct shard *shard, const struct sim_event *event)
{
    shard_report(shard, &(struct report){ .kind = REPORT_EVENT, .event = *event });
}

/* ---- violations ------------------------------------------------------------------------------ */

void shard_violated(struct shard *shard, const char *what, uint64_t subject, uint64_t time_ps)
{
    struct text text;

    if (shard->status == SIM_VIOLATED)
        return;
    text = text_in(shard->violation, sizeof(shard->violation));
    shard->status = SIM_VIOLATED;
    shard->violated_ps = time_ps;
    text_add(&text, what);
    text_fill(&text, " %, at % ps, seed %",
        (const uint64_t[]){ subject, time_ps, shard->sim->config.seed });
}
