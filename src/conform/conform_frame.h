/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the frames that kits send: valid MRC packets with a random payload. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/prng.h"
#include "wire/format.h"
#include "wire/frame.h"

#define CONFORM_FRAME_BYTES_MAX 9216

struct conform_frame {
    struct ipv6_addr source; /* inner */
    struct ipv6_addr destination;
    const struct ipv6_addr *path;    /* outer destination; NULL: no outer header */
    const struct ipv6_addr *segment; /* of an SRH; NULL: none */
    uint8_t opcode;                  /* 0: WRITE Only */
    uint32_t ev;
    uint32_t dest_qpn;
    uint32_t psn;
    enum dscp_class class;
    uint8_t ecn;
    bool is_unstamped; /* a WRITE without TSETH */
    uint32_t payload_bytes;
};

/* Returns the length; 0 if there is not enough room. */
uint32_t conform_frame_build(const struct wire_format *, const struct conform_frame *,
    struct prng *, uint8_t *bytes, size_t room);
