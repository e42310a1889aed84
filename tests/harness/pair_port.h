/* SPDX-License-Identifier: Apache-2.0 */
/* Two ports in one process, joined by memory. They are for tests and can lose, duplicate and
 * corrupt frames. */
#pragma once

#include <stdint.h>

struct pktio_port;

struct pair_port_config {
    uint32_t mtu_bytes;  /* 0: room for 4096 bytes of payload */
    uint32_t slot_count; /* a power of two, 128 or more; 0: 256 */
    uint32_t loss;       /* probabilities, in units of 2^-32, for every frame sent */
    uint32_t duplicate;
    uint32_t damage;
    uint64_t seed;
};

int pair_port_open(const struct pair_port_config *, struct pktio_port *out[2]);

/* Sets the state of the cable, for both ends. */
void pair_port_set_link(struct pktio_port *, _Bool up);
