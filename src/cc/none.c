/* SPDX-License-Identifier: Apache-2.0 */
/* No congestion control: the window is the setting of the operator, or unlimited (§19.5). */
#include "cc/cc.h"

static void on_ack(struct cc *cc, const struct cc_ack *ack)
{
    (void)cc;
    (void)ack;
}

static void on_nack(struct cc *cc, const struct cc_nack *nack)
{
    (void)cc;
    (void)nack;
}

static void on_inferred_loss(struct cc *cc, uint32_t packet_bytes, uint64_t now_ns)
{
    (void)cc;
    (void)packet_bytes;
    (void)now_ns;
}

const struct cc_algorithm cc_none = {
    .name = "none",
    .api_name = NULL,
    .least_part = 1,
    .on_ack = on_ack,
    .on_nack = on_nack,
    .on_inferred_loss = on_inferred_loss,
};
