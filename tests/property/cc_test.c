/* SPDX-License-Identifier: Apache-2.0 */
/* Laws of every congestion control algorithm under any settings and any news. */
#include "spec.h"

#include <string.h>

#include "base/prng.h"
#include "cc/cc.h"

static uint32_t sometimes(struct prng *prng, uint32_t bound)
{
    return prng_below(prng, 2) ? 0 : prng_below(prng, bound);
}

static struct cc_settings random_settings(struct prng *prng, const char *algorithm)
{
    return (struct cc_settings){ .algorithm = algorithm,
        .link_bps = UINT64_C(1000000) << prng_below(prng, 21),
        .base_rtt_ns = 1 + prng_below(prng, 1 << prng_below(prng, 25)),
        .mtu_bytes = 340 + prng_below(prng, 3845),
        .packet_ns = sometimes(prng, 100000),
        .network_trims = prng_below(prng, 2),
        .unmarked_delay = prng_below(prng, 2) ? CC_UNMARKED_FAIR : CC_UNMARKED_DECREASE,
        .base_rtt_floor_ns = sometimes(prng, 200000),
        .target_floor_ns = sometimes(prng, 1000000),
        .target_delay_ns = sometimes(prng, 100000),
        .max_window_bytes = sometimes(prng, UINT32_MAX),
        .gamma_permille = sometimes(prng, 1001),
        .max_md_jump_permille = sometimes(prng, 1001),
        .quick_adapt_gate = sometimes(prng, 256),
        .quick_adapt_off = prng_below(prng, 4) == 0 };
}

static void hear_something(struct cc *cc, struct prng *prng, uint64_t now_ns)
{
    uint64_t rtt_ns = prng_next(prng) >> (20 + prng_below(prng, 44));
    uint32_t bytes = (uint32_t)(prng_next(prng) >> (32 + prng_below(prng, 32)));
    uint32_t inflight_bytes = (uint32_t)(prng_next(prng) >> (32 + prng_below(prng, 32)));

    switch (prng_below(prng, 16)) {
    case 0:
        cc_on_link_rate(cc, UINT64_C(1000000) * prng_below(prng, 1000000));
        break;
    case 1:
        cc_on_inferred_loss(cc, bytes, now_ns);
        break;
    case 2:
    case 3:
        cc_on_nack(cc, &(struct cc_nack){ .now_ns = now_ns,
                           .rtt_ns = rtt_ns,
                           .packet_bytes = bytes,
                           .inflight_bytes = inflight_bytes,
                           .trimmed = prng_below(prng, 4) > 0 });
        break;
    default:
        cc_on_ack(cc, &(struct cc_ack){ .now_ns = now_ns,
                          .rtt_ns = rtt_ns,
                          .received_bytes = bytes,
                          .inflight_bytes = inflight_bytes,
                          .penalty = (uint8_t)sometimes(prng, 128),
                          .restore = prng_below(prng, 2),
                          .marked = prng_below(prng, 2) });
        break;
    }
}

static struct cc live(const struct cc_profile *profile, uint64_t seed)
{
    struct prng prng = prng_stream(seed, 2);
    uint64_t now_ns = 0;
    struct cc cc;

    cc_init(&cc, profile);
    if (prng_below(&prng, 2))
        cc_set_path(&cc, 1 + prng_below(&prng, 1000000), prng_below(&prng, 10000));
    for (int i = 0; i < 500; i++) {
        now_ns += prng_below(&prng, 1 << prng_below(&prng, 24));
        hear_something(&cc, &prng, now_ns);
        cc_check(&cc);
    }
    return cc;
}

PROPERTY("a window stays between its least value and its limit, for any feedback", 400)
{
    for (const struct cc_algorithm *const *at = cc_algorithms; *at; at++) {
        struct prng prng = prng_stream(seed, 1);
        struct cc_settings settings = random_settings(&prng, (*at)->name);
        struct cc_profile profile;

        EXPECT(cc_profile_init(&profile, &settings));
        live(&profile, seed);
    }
}

PROPERTY("the same feedback leads to the same state", 100)
{
    for (const struct cc_algorithm *const *at = cc_algorithms; *at; at++) {
        struct prng prng = prng_stream(seed, 1);
        struct cc_settings settings = random_settings(&prng, (*at)->name);
        struct cc_profile profile;
        struct cc once;
        struct cc again;

        EXPECT(cc_profile_init(&profile, &settings));
        once = live(&profile, seed);
        again = live(&profile, seed);
        EXPECT_MEM_EQ(once.state, again.state, sizeof(once.state));
        EXPECT_EQ(once.window_bytes, again.window_bytes);
    }
}
