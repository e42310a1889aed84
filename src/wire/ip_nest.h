/* SPDX-License-Identifier: Apache-2.0 */
/* IP headers inside each other, and segment routing headers between them: where they end, and where
 * the innermost begins. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ip_nest {
    size_t innermost; /* the last IPv6 or IPv4 header, */
    bool is_v4;       /* which of the two */
    size_t end;       /* what it carries */
};

/* `bytes` begin with an IP header. False: not one, or they end inside a header. */
bool ip_nest_walk(const uint8_t *bytes, size_t length, struct ip_nest *);
