/* SPDX-License-Identifier: Apache-2.0 */
/* The effects of links that go down, lose or damage packets, or are slow. */
#include "network/fault_effect.h"

#include "base/prng.h"

const struct fault_effect fault_effect_down = { 0 };
const struct fault_effect fault_effect_flap = { 0 };
const struct fault_effect fault_effect_reboot = { 0 };

static enum fault_verdict blackhole(const struct fault *fault, struct prng *coin)
{
    (void)fault;
    (void)coin;
    return FAULT_VERDICT_BLACKHOLED;
}

static uint64_t all(const struct fault *fault)
{
    (void)fault;
    return FAULT_CERTAIN;
}

const struct fault_effect fault_effect_blackhole = { .verdict = blackhole, .lost_share = all };

static uint64_t some(const struct fault *fault)
{
    return fault->probability;
}

static enum fault_verdict lose_packet(const struct fault *fault, struct prng *coin)
{
    return prng_chance(coin, fault->probability) ? FAULT_VERDICT_LOST : FAULT_VERDICT_PASSES;
}

const struct fault_effect fault_effect_loss = { .verdict = lose_packet, .lost_share = some };

static enum fault_verdict corrupt_packet(const struct fault *fault, struct prng *coin)
{
    return prng_chance(coin, fault->probability) ? FAULT_VERDICT_CORRUPTED : FAULT_VERDICT_PASSES;
}

const struct fault_effect fault_effect_corrupt = { .verdict = corrupt_packet, .lost_share = some };

static uint64_t slow_rate_bps(const struct fault *fault, uint64_t healthy_bps)
{
    return fault->rate_bps < healthy_bps ? fault->rate_bps : healthy_bps;
}

const struct fault_effect fault_effect_slow = { .rate_bps = slow_rate_bps };
