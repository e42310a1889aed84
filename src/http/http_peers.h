/* SPDX-License-Identifier: Apache-2.0 */
/* The number of open connections of each address. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

struct http_peer {
    struct in6_addr address;
    uint32_t count; /* 0: the place is free */
};

struct http_peers {
    struct http_peer *places; /* open addressing; a power of two of them */
    uint32_t place_count;
};

/* Has room for this many connections. Returns 0 or -ENOMEM. */
int http_peers_init(struct http_peers *, uint32_t connections_max);
void http_peers_fini(struct http_peers *);

/* IPv4 addresses become mapped IPv6 addresses; others become ::. */
struct in6_addr http_peers_address(const struct sockaddr *);
bool http_peers_is_loopback(const struct in6_addr *);

uint32_t http_peers_count(const struct http_peers *, const struct in6_addr *);
void http_peers_add(struct http_peers *, const struct in6_addr *);
void http_peers_remove(struct http_peers *, const struct in6_addr *);
