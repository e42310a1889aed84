/* SPDX-License-Identifier: Apache-2.0 */
/* Walks nested IP headers and the segment routing headers between them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ip_nest {
    size_t innermost; /* offset of the last IPv6 or IPv4 header */
    bool is_v4;       /* the last header is IPv4 */
    size_t end;       /* offset of its payload */
};

/* Walks the headers of `bytes`, which begin with an IP header. False if they do not, or if they end
 * inside a header. */
bool ip_nest_walk(const uint8_t *bytes, size_t length, struct ip_nest *);
