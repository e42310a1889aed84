/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of a device under test: a program that takes requests as lines on its standard input
 * and answers each with a line on its standard output, "ok KEY=VALUE..." or "error WHY"
 * (mrc-conform-endpoint(1)). It may take its time and crash. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ENDPOINT_DRIVER_LINE_BYTES (1 << 18)

struct endpoint_driver {
    pid_t pid; /* 0: none; also the process group */
    int to_fd;
    int from_fd;
    char *line; /* of ENDPOINT_DRIVER_LINE_BYTES */
    size_t used_bytes;
};

#define ENDPOINT_DRIVER_PATIENCE_S 15

/* Starts the driver and waits until it answers 'hello': the device is then open. Returns false with
 * the reason. */
bool endpoint_driver_start(
    struct endpoint_driver *, const char *command, char *reason, size_t reason_bytes);

/* Ends the driver and all its processes. */
void endpoint_driver_stop(struct endpoint_driver *);

/* Returns false if the driver has ended. */
bool endpoint_driver_send(struct endpoint_driver *, const char *request);

enum endpoint_driver_news {
    ENDPOINT_DRIVER_SILENT, /* no complete line yet */
    ENDPOINT_DRIVER_ANSWERS,
    ENDPOINT_DRIVER_GONE,  /* its output has ended */
    ENDPOINT_DRIVER_BABBLE /* a line that is too long, or no answer at all */
};

/* Reads what the driver has written, without waiting. The answer is in `line` until the next
 * call. */
enum endpoint_driver_news endpoint_driver_read(struct endpoint_driver *);

/* Words how the driver ended, after ENDPOINT_DRIVER_GONE: "it was ended by signal 11". */
void endpoint_driver_fate(struct endpoint_driver *, char *text, size_t bytes);

/* Finds "KEY=VALUE" in an answer. Numbers are decimal, or hexadecimal with 0x. */
bool endpoint_driver_number(const char *answer, const char *key, uint64_t *value);
bool endpoint_driver_word(const char *answer, const char *key, char *word, size_t bytes);
