/* SPDX-License-Identifier: Apache-2.0 */
/* Counts connections by address, in a hash table with linear probing. */
#include "http/http_peers.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int http_peers_init(struct http_peers *peers, uint32_t connections_max)
{
    uint32_t count = 16;

    while (count < 2 * (uint64_t)connections_max)
        count *= 2;
    *peers = (struct http_peers){ .places = calloc(count, sizeof(*peers->places)),
        .place_count = count };
    return peers->places ? 0 : -ENOMEM;
}

void http_peers_fini(struct http_peers *peers)
{
    free(peers->places);
}

struct in6_addr http_peers_address(const struct sockaddr *address)
{
    struct in6_addr out = { 0 };

    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;

        memcpy(&v6, address, sizeof(v6));
        out = v6.sin6_addr;
    } else if (address->sa_family == AF_INET) {
        struct sockaddr_in v4;

        memcpy(&v4, address, sizeof(v4));
        out.s6_addr[10] = out.s6_addr[11] = 0xff;
        memcpy(&out.s6_addr[12], &v4.sin_addr, 4);
    }
    return out;
}

bool http_peers_is_loopback(const struct in6_addr *address)
{
    return IN6_IS_ADDR_LOOPBACK(address) ||
           (IN6_IS_ADDR_V4MAPPED(address) && address->s6_addr[12] == 127);
}

static uint32_t home_of(const struct http_peers *peers, const struct in6_addr *address)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < sizeof(address->s6_addr); i++)
        hash = (hash ^ address->s6_addr[i]) * UINT64_C(0x100000001b3);
    return (uint32_t)(hash >> 32) & (peers->place_count - 1);
}

static uint32_t next_place(const struct http_peers *peers, uint32_t place)
{
    return (place + 1) & (peers->place_count - 1);
}

/* Returns the place of the address, or the free place where it belongs. */
static uint32_t find_place(const struct http_peers *peers, const struct in6_addr *address)
{
    uint32_t place = home_of(peers, address);

    while (peers->places[place].count > 0 &&
           !IN6_ARE_ADDR_EQUAL(&peers->places[place].address, address))
        place = next_place(peers, place);
    return place;
}

uint32_t http_peers_count(const struct http_peers *peers, const struct in6_addr *address)
{
    return peers->places[find_place(peers, address)].count;
}

void http_peers_add(struct http_peers *peers, const struct in6_addr *address)
{
    struct http_peer *peer = &peers->places[find_place(peers, address)];

    peer->address = *address;
    peer->count++;
}

/* Moves later entries of the same run up, so that a search never stops at the hole. */
static void close_hole(struct http_peers *peers, uint32_t hole)
{
    uint32_t place = next_place(peers, hole);

    for (; peers->places[place].count > 0; place = next_place(peers, place)) {
        uint32_t home = home_of(peers, &peers->places[place].address);
        uint32_t mask = peers->place_count - 1;

        if (((place - home) & mask) < ((place - hole) & mask))
            continue;
        peers->places[hole] = peers->places[place];
        peers->places[place].count = 0;
        hole = place;
    }
}

void http_peers_remove(struct http_peers *peers, const struct in6_addr *address)
{
    uint32_t place = find_place(peers, address);

    assert(peers->places[place].count > 0);
    if (--peers->places[place].count == 0)
        close_hole(peers, place);
}
