/* SPDX-License-Identifier: Apache-2.0 */
/* Finds engines that send to the same destination. */
#include "host/engine_share.h"

#include <string.h>

#include "host/engine.h"
#include "host/engine_mail.h"

_Static_assert(
    sizeof(((struct engine_share *)0)->heard_ns) / sizeof(uint64_t) == HOST_ENGINE_COUNT_MAX,
    "one time for each engine");

/* An engine that has sent no message for this long is assumed not to send there any more. */
#define FORGET_NS (8 * (uint64_t)ENGINE_SHARE_TELL_NS)

/* A destination replaces another one with the same slot and then starts without information. */
static struct engine_share *share_of(struct engine *engine, const struct ipv6_addr *address)
{
    struct engine_share *share = &engine->shares[ip_address_hash(address) & (ENGINE_SHARES - 1)];

    if (!ip_address_equal(&share->address, address))
        *share = (struct engine_share){ .address = *address };
    return share;
}

static uint32_t count_sharers(const struct engine_share *share, uint64_t now_ns)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < HOST_ENGINE_COUNT_MAX; i++)
        count += share->heard_ns[i] && now_ns - share->heard_ns[i] < FORGET_NS;
    return count;
}

void engine_share_sends(struct engine *engine, const struct ipv6_addr *address, uint64_t now_ns)
{
    struct engine_share *share = share_of(engine, address);

    if (now_ns - share->told_ns < ENGINE_SHARE_TELL_NS)
        return;
    share->told_ns = now_ns;
    engine_mail_tell_sends(engine, address);
    transport_set_sharers(engine->transport, address, count_sharers(share, now_ns));
}

void engine_share_heard(
    struct engine *engine, uint32_t sender, const struct ipv6_addr *address, uint64_t now_ns)
{
    share_of(engine, address)->heard_ns[sender] = now_ns;
}
