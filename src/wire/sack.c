/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and builds Reliability SACKs. */
#include "wire/sack.h"

enum {
    CC_STATE_OFFSET = 28,
    MARK_SHIFT = 5,
    ANSWERS_PROBE_BIT = 0x02,
    RESTORE_BIT = 0x80,
};

static void get_congestion_state(const uint8_t *cc_state, struct packet_sack *sack)
{
    sack->tx_timestamp = bytes_get_be16(cc_state);
    sack->ooo_count = bytes_get_be16(cc_state + 2) & 0x7fff;
    sack->restore_window = cc_state[4] & RESTORE_BIT;
    sack->window_penalty = cc_state[4] & 0x7f;
    sack->received_units = bytes_get_be32(cc_state + 4) & 0xffffff;
}

void sack_parse(struct bytes_in *in, struct packet *packet)
{
    const uint8_t *seth = bytes_take(in, SACK_BYTES);
    struct packet_sack *sack = &packet->sack;

    if (!seth)
        return;
    sack->mark = seth[1] >> MARK_SHIFT & 3;
    sack->answers_probe = seth[1] & ANSWERS_PROBE_BIT;
    sack->probe_id = bytes_get_be16(seth + 2);
    sack->entropy = bytes_get_be32(seth + 4);
    sack->spdcid = bytes_get_be16(seth + 8);
    sack->dpdcid = bytes_get_be16(seth + 10);
    sack->cack_psn = psn(bytes_get_be32(seth + 12));
    sack->mpr = seth[17];
    sack->sack_offset = (int16_t)bytes_get_be16(seth + 18);
    sack->bitmap = bytes_get_be64(seth + 20);
    get_congestion_state(seth + CC_STATE_OFFSET, sack);
}

static void put_congestion_state(uint8_t *cc_state, const struct packet_sack *sack)
{
    uint32_t penalty = (sack->window_penalty & 0x7fu) | (sack->restore_window ? RESTORE_BIT : 0u);

    bytes_put_be16(cc_state, sack->tx_timestamp);
    bytes_put_be16(cc_state + 2, sack->ooo_count & 0x7fff);
    bytes_put_be32(cc_state + 4, penalty << 24 | (sack->received_units & 0xffffff));
}

void sack_build(struct bytes_out *out, const struct packet *packet)
{
    uint8_t *seth = bytes_room(out, SACK_BYTES);
    const struct packet_sack *sack = &packet->sack;

    if (!seth)
        return;
    seth[0] = 0;
    seth[1] =
        (uint8_t)((sack->mark & 3) << MARK_SHIFT | (sack->answers_probe ? ANSWERS_PROBE_BIT : 0));
    bytes_put_be16(seth + 2, sack->probe_id);
    bytes_put_be32(seth + 4, sack->entropy);
    bytes_put_be16(seth + 8, sack->spdcid);
    bytes_put_be16(seth + 10, sack->dpdcid);
    bytes_put_be32(seth + 12, sack->cack_psn.value);
    bytes_put_be16(seth + 16, sack->mpr);
    bytes_put_be16(seth + 18, (uint16_t)sack->sack_offset);
    bytes_put_be64(seth + 20, sack->bitmap);
    put_congestion_state(seth + CC_STATE_OFFSET, sack);
}
