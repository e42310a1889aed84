/* SPDX-License-Identifier: Apache-2.0 */
/* Reads packets from a pcap or pcapng file or from hex lines. The first bytes determine the format,
 * so that input can be a pipe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pktio/link_type.h"

struct capture_packet {
    const uint8_t *bytes; /* lent until the next call */
    uint32_t captured_bytes;
    uint32_t original_bytes; /* larger than captured_bytes if the capture is truncated */
    bool has_time;
    uint64_t time_ns; /* since 1970 */
    const char *name; /* of a hex line; NULL if it has none */
};

/* Must not move while it is open. */
struct capture {
    char error[384];    /* the problem, with the file and, in hex lines, line and column */
    const char *title;  /* the path, or "standard input" */
    uint16_t link_type; /* enum link_type, or another number of that registry */
    bool is_text;       /* hex lines */
    bool is_stream;     /* not a regular file: packets may arrive one at a time */

    /* Private: */
    int fd;
    uint8_t peeked[4]; /* read to detect the format, returned again */
    size_t peeked_count;
    size_t replayed_count;
    struct pcap *pcap; /* unless is_text */
    FILE *text;
    char *line;
    size_t line_size;
    uint32_t line_number;
};

/* `path` "-" is standard input. Returns 0, or a negative errno with `error` filled; then there is
 * nothing to close. */
int capture_open(struct capture *, const char *path);
void capture_close(struct capture *);

/* Returns 1 for a packet, 0 at the end, or a negative errno with `error` filled. */
int capture_next(struct capture *, struct capture_packet *);
