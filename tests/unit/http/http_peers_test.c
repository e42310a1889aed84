/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of connections by address. */
#include "http/http_peers.h"

#include <string.h>

#include "base/prng.h"
#include "spec.h"

enum { ADDRESSES = 40, OPEN_MAX = 64, STEPS = 2000 };

static struct in6_addr address_of(uint32_t number)
{
    struct in6_addr address = { 0 };

    memcpy(&address.s6_addr[12], &number, sizeof(number));
    return address;
}

PROPERTY("counts equal those of a plain array, whatever comes and goes", 50)
{
    struct http_peers peers;
    struct prng prng = prng_stream(seed, 0);
    uint32_t counts[ADDRESSES] = { 0 };
    uint32_t open = 0;

    EXPECT_EQ(http_peers_init(&peers, OPEN_MAX), 0);
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t number = prng_below(&prng, ADDRESSES);
        struct in6_addr address = address_of(number);

        EXPECT_EQ(http_peers_count(&peers, &address), counts[number]);
        if (counts[number] > 0 && prng_below(&prng, 2)) {
            http_peers_remove(&peers, &address);
            counts[number]--;
            open--;
        } else if (open < OPEN_MAX) {
            http_peers_add(&peers, &address);
            counts[number]++;
            open++;
        }
    }
    http_peers_fini(&peers);
}

SPEC("loopback is 127.0.0.0/8 and ::1")
{
    struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000102) };
    struct in6_addr address = http_peers_address((const struct sockaddr *)&v4);

    EXPECT(http_peers_is_loopback(&address));
    EXPECT(http_peers_is_loopback(&in6addr_loopback));
    v4.sin_addr.s_addr = htonl(0x0a000001);
    address = http_peers_address((const struct sockaddr *)&v4);
    EXPECT(!http_peers_is_loopback(&address));
}
