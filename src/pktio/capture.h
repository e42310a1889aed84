/* SPDX-License-Identifier: Apache-2.0 */
/* Reading packets from a pcap or pcapng file or from hex lines; which of them it is shows in the
 * first bytes, so a pipe will do. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pktio/link_type.h"

struct capture_packet {
    const uint8_t *bytes; /* lent until the next call */
    uint32_t captured_bytes;
    uint32_t original_bytes; /* more than captured_bytes if the capture kept only the beginning */
    bool has_time;
    uint64_t time_ns; /* since 1970 */
    const char *name; /* of a hex line; NULL: none */
};

/* Stays where it is while open. */
struct capture {
    char error[384];    /* what is wrong, with the file and, in hex lines, line and column */
    const char *title;  /* the path, or "standard input" */
    uint16_t link_type; /* enum link_type, or another of that numbering */
    bool is_text;       /* hex lines */
    bool is_stream;     /* not a regular file: packets may come one by one */

    /* Below: its own. */
    int fd;
    uint8_t peeked[4]; /* read to learn the format, to be read again */
    size_t peeked_count;
    size_t replayed_count;
    struct pcap *pcap; /* unless is_text */
    FILE *text;
    char *line;
    size_t line_size;
    uint32_t line_number;
};

/* `path` "-" is standard input. 0 or a negative errno with `error` filled; nothing is to be closed
 * then. */
int capture_open(struct capture *, const char *path);
void capture_close(struct capture *);

/* 1: a packet, 0: the end, negative: an errno with `error` filled. */
int capture_next(struct capture *, struct capture_packet *);
