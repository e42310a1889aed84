/* SPDX-License-Identifier: Apache-2.0 */
/* Writes configurations into a folder: all of them or none. */
#pragma once

#include <signal.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config_format.h"

#define CONFIG_ALL UINT32_MAX

struct config_job {
    const struct config_format *format;
    struct config_source source;
    uint32_t only;                               /* a switch or NIC; CONFIG_ALL */
    const volatile sig_atomic_t *is_interrupted; /* NULL: never */
};

struct config_size {
    uint64_t bytes; /* measured at up to 64 folders; of more than these, an estimate */
    uint32_t folders;
    uint32_t files;
};
struct config_size config_write_size(const struct config_job *);

/* Writes a new folder, with a folder for each switch or NIC. The files are written to a folder
 * beside it, which is then renamed, or removed if anything fails. Returns 0 or a negative errno:
 * -EEXIST if `path` is there and not empty, -ENOSPC if the disk has too little room, -EINTR after
 * an interrupt. */
int config_write_folder(const struct config_job *, const char *path);

/* Prints the files of a switch or NIC. Several files have a line with the name before them. */
void config_write_print(const struct config_job *, uint32_t node, FILE *);
