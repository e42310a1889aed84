/* SPDX-License-Identifier: Apache-2.0 */
/* Detects port status updates that another sender sent in our name: their answers arrive here
 * (docs/protocol.md §18). */
#include "transport/nic.h"
#include "wire/ip_address.h"

static bool is_peer(const struct peer *peer, const struct packet *packet)
{
    return peer->live_count > 0 && ip_address_equal(&peer->address, &packet->src);
}

/* True if the answer is for an update of ours that the peer has not answered yet. Another request
 * may use its slot by now. */
static bool is_late(const struct peer *peer, const struct packet *packet)
{
    return peer->update_owed && peer->update_told == (uint16_t)packet->psn.value;
}

static uint8_t draw_any_incarnation(struct transport *nic)
{
    uint8_t drawn = (uint8_t)(1 + prng_below(&nic->prng, UINT8_MAX - 1));

    return (uint8_t)(drawn + (drawn >= nic->incarnation));
}

/* Draws an incarnation other than the current one and 0: an update of another incarnation is never
 * stale. Keeps the bits that identify the engine. */
static uint8_t draw_incarnation(struct transport *nic)
{
    uint32_t engine = nic->incarnation % TRANSPORT_ENGINES_MAX;
    uint32_t life = nic->incarnation / TRANSPORT_ENGINES_MAX;
    uint32_t other;

    if (nic->id_step == 1)
        return draw_any_incarnation(nic);
    other = 1 + prng_below(&nic->prng, UINT8_MAX / TRANSPORT_ENGINES_MAX - 1);
    return (uint8_t)((other + (other >= life)) * TRANSPORT_ENGINES_MAX + engine);
}

void nic_on_unasked_answer(struct transport *nic, const struct packet *packet, uint64_t now_ns)
{
    bool is_forged = false;

    if (packet->endpoint.op != ENDPOINT_PORT_STATUS_UPDATE)
        return;
    for (uint32_t i = 0; i < nic->qp_count_max; i++)
        if (is_peer(&nic->peers[i], packet)) {
            if (is_late(&nic->peers[i], packet))
                return;
            is_forged = true;
        }
    if (!is_forged)
        return;
    nic->incarnation = draw_incarnation(nic);
    nic_count(nic, COUNTER_PORT_UPDATES_FORGED);
    for (uint32_t i = 0; i < nic->qp_count_max; i++)
        if (is_peer(&nic->peers[i], packet))
            peer_tell_ports_again(nic, &nic->peers[i], now_ns);
}
