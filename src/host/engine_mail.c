/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between the engines of a NIC. */
#include "host/engine_mail.h"

#include "host/engine.h"
#include "host/engine_share.h"
#include "wire/opcode.h"

static void post_message(
    struct engine *from, struct engine *to, const struct engine_message *message)
{
    struct engine_mail *mail = &to->mail[from->index];
    uint32_t slot;

    /* Messages without room are lost, as packets are. Those that need an answer are sent again. */
    if (!ring_reserve(&mail->ring, &slot))
        return;
    if (message->kind == ENGINE_MESSAGE_SENDS && ring_count(&mail->ring) >= ENGINE_MAIL_RUMOURS)
        return;
    mail->messages[slot] = *message;
    ring_push(&mail->ring);
    atomic_fetch_or(&to->mail_from, UINT32_C(1) << from->index);
    if (message->kind == ENGINE_MESSAGE_PACKET)
        progress_wake(to);
}

static void post_to_others(struct engine *from, const struct engine_message *message)
{
    struct host_nic *nic = from->nic;

    for (uint32_t i = 0; i < nic->engine_count; i++)
        if (i != from->index)
            post_message(from, nic->engines[i], message);
}

/* Peers do not know the number of our engines: a port status update concerns all of them. It is
 * passed from engine to engine, and only the first that knows the peer answers, because a peer
 * takes a second answer as the answer to a forged update. */
static void on_request(struct engine *engine, const struct packet *packet, uint64_t now_ns)
{
    struct host_nic *nic = engine->nic;
    struct engine_message message = { .kind = ENGINE_MESSAGE_PACKET, .packet = *packet };

    if (transport_receive(engine->transport, packet, now_ns) == DROP_NONE)
        message.packet.flags |= PACKET_ANSWERED;
    if (packet->endpoint.op == ENDPOINT_PORT_STATUS_UPDATE && engine->index + 1 < nic->engine_count)
        post_message(engine, nic->engines[engine->index + 1], &message);
}

static void on_packet(struct engine *engine, const struct packet *packet, uint64_t now_ns)
{
    if (packet->opcode == OPCODE_ENDPOINT_REQUEST)
        on_request(engine, packet, now_ns);
    else
        transport_receive(engine->transport, packet, now_ns);
}

void engine_mail_endpoint(struct engine *engine, const struct packet *packet, uint64_t now_ns)
{
    uint32_t asker = packet->psn.value & (engine->nic->engine_count - 1);

    if (packet->opcode == OPCODE_ENDPOINT_REQUEST || asker == engine->index)
        on_packet(engine, packet, now_ns);
    else
        post_message(engine, engine->nic->engines[asker],
            &(struct engine_message){ .kind = ENGINE_MESSAGE_PACKET, .packet = *packet });
}

void engine_mail_tell_sends(struct engine *engine, const struct ipv6_addr *address)
{
    post_to_others(
        engine, &(struct engine_message){ .kind = ENGINE_MESSAGE_SENDS, .packet.dst = *address });
}

static uint32_t take_from(struct engine *engine, uint32_t sender, uint64_t now_ns)
{
    struct engine_mail *mail = &engine->mail[sender];
    uint32_t count = 0;
    uint32_t slot;

    for (; ring_peek(&mail->ring, &slot); count++) {
        const struct engine_message *message = &mail->messages[slot];

        if (message->kind == ENGINE_MESSAGE_PACKET)
            on_packet(engine, &message->packet, now_ns);
        else
            engine_share_heard(engine, sender, &message->packet.dst, now_ns);
        ring_pop(&mail->ring);
    }
    return count;
}

uint32_t engine_mail_take(struct engine *engine, uint64_t now_ns)
{
    uint32_t senders;
    uint32_t count = 0;

    if (!atomic_load_explicit(&engine->mail_from, memory_order_relaxed))
        return 0;
    for (senders = atomic_exchange(&engine->mail_from, 0); senders; senders &= senders - 1)
        count += take_from(engine, (uint32_t)__builtin_ctz(senders), now_ns);
    return count;
}
