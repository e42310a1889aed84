/* SPDX-License-Identifier: Apache-2.0 */
/* Ends packets, exchanges them with other shards, reports events, stops the run. */
#include "sim/shard.h"

#include "base/text.h"

void shard_each(const struct sim *sim, void (*work)(void *argument, uint32_t index), void *argument)
{
    const struct sim_carrier *carrier = sim->config.carrier;

    if (carrier && sim->shard_count > 1)
        carrier->run(carrier->context, sim->shard_count, work, argument);
    else
        for (uint32_t i = 0; i < sim->shard_count; i++)
            work(argument, i);
}

/* ---- packets --------------------------------------------------------------------------------- */

void shard_lose(struct shard *shard, uint32_t packet, enum loss_reason loss)
{
    shard->packets_lost[loss]++;
    packets_give_back(&shard->packets, packet);
}

void shard_mail(struct shard *shard, uint32_t node, uint32_t port, uint64_t time_ps,
    const struct port_entry *packet)
{
    struct outbox *outbox = &shard->outboxes[shard->sim->outbox];
    struct outbox_parcel *parcel = outbox_add(outbox, shard->owners[node], time_ps);

    if (!parcel) {
        shard->status = SIM_OUT_OF_MEMORY;
        return;
    }
    parcel->time_ps = time_ps;
    parcel->node = node;
    parcel->port = port;
    parcel->packet = *packet;
    if (packet->handle == PACKETS_NONE)
        return;
    parcel->outer = shard->packets.outer[packet->handle];
    parcel->record = shard->packets.all[packet->handle];
    outbox->packet_count++;
    packets_give_back(&shard->packets, packet->handle);
}

static void take_parcel(struct shard *shard, const struct outbox_parcel *parcel)
{
    struct port_entry packet = parcel->packet;

    if (packet.handle != PACKETS_NONE) {
        packet.handle = packets_take(&shard->packets);
        if (packet.handle == PACKETS_NONE) {
            shard->status = SIM_OUT_OF_MEMORY;
            return;
        }
        shard->packets.outer[packet.handle] = parcel->outer;
        shard->packets.all[packet.handle] = parcel->record;
    }
    mailbox_post(&shard->mailbox, parcel->node, parcel->port, parcel->time_ps, &packet);
}

void shard_collect(struct shard *shard)
{
    const struct sim *sim = shard->sim;

    for (uint32_t i = 0; i < sim->shard_count; i++) {
        const struct outbox *from = &sim->shards[i].outboxes[!sim->outbox];
        const struct outbox_chunk *chunk;

        if (i == shard->number)
            continue;
        for (chunk = outbox_first(from, shard->number); chunk;
             chunk = outbox_chunk_at(from, chunk->next))
            for (uint32_t p = 0; p < chunk->count; p++)
                take_parcel(shard, &chunk->parcels[p]);
    }
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
