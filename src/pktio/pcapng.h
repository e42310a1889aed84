/* SPDX-License-Identifier: Apache-2.0 */
/* Writes pcapng: one section, one interface per port, nanoseconds, comments. Wireshark reads it. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "pktio/link_type.h"

struct pcapng {
    FILE *file; /* belongs to the caller, which flushes and closes it */
    uint32_t interface_count;
};

struct pcapng_packet {
    const uint8_t *bytes;
    uint32_t captured_bytes;
    uint32_t original_bytes; /* at least captured_bytes */
    uint64_t time_ns;        /* since 1970, or since the start of the capture */
    uint32_t interface;      /* index from pcapng_add_interface() */
    const char *comment;     /* UTF-8, truncated after 65,535 bytes; NULL for none */
};

/* Writes the section header. `application` names the program that writes. All calls return 0 or a
 * negative errno; after an error the file is unusable. */
int pcapng_init(struct pcapng *, FILE *, const char *application);

/* Adds an interface, at any time before its first packet, and stores its index in `interface`. */
int pcapng_add_interface(
    struct pcapng *, const char *name, uint16_t link_type, uint32_t *interface);
int pcapng_add_packet(struct pcapng *, const struct pcapng_packet *);
