/* SPDX-License-Identifier: Apache-2.0 */
/* The stored state of a device: one file per profile, replaced as a whole, so that a reader sees a
 * profile either before or after a change. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "api/ev_bits.h"
#include "api/folder.h"
#include "host/host.h"
#include "mrc_ctl.h"

#define RECORD_FILE_BYTES 32
#define RECORD_EV_MAX     PATH_EV_COUNT_MAX

enum record_kind {
    RECORD_PORTS, /* one per device, id 0 */
    RECORD_FMT,
    RECORD_EV,
    RECORD_CC,
    RECORD_KIND_COUNT,
};

struct record_head {
    uint32_t magic;
    uint32_t kind;
    uint64_t id;
    uint32_t length_bytes; /* of the whole record */
    uint32_t state;        /* enum mrc_ctl_profile_state */
};

struct record_ports {
    struct record_head head;
    uint32_t disabled; /* bit N: port N, counted from 1, is disabled */
};

struct record_fmt {
    struct record_head head;
    uint32_t mode;
    struct ev_bits_format format; /* count 0 if not given yet */
    uint8_t vendor_cfg[MRC_CTL_MAX_VENDOR_CFG_SIZE];
};

struct record_ev_entry {
    struct mrc_ctl_ev ev;
    uint8_t state; /* as the controller set it: GOOD, ASSUMED_BAD or DENIED */
};

struct record_ev {
    struct record_head head;
    uint32_t mode;
    uint32_t count;
    uint64_t fmt_id;
    uint32_t min_active;
    uint32_t event_mask;
    struct ev_bits_fields fields;
    uint8_t vendor_cfg[MRC_CTL_MAX_VENDOR_CFG_SIZE];
    struct record_ev_entry entries[RECORD_EV_MAX]; /* the file ends after `count` entries */
};

struct record_cc {
    struct record_head head;
    uint32_t is_nscc; /* 0: no congestion control */
    struct mrc_ctl_cc_nscc_cfg config;
    uint8_t vendor_cfg[MRC_CTL_MAX_VENDOR_CFG_SIZE];
};

/* Writes the name of a record's file. */
void record_file(enum record_kind, uint64_t id, const char *suffix, char out[RECORD_FILE_BYTES]);

/* Loads into `record`, which has the size of its kind. A profile that does not exist is in state
 * INIT and all zero. Returns -EIO if the file is not a valid record. */
int record_load(const struct folder *, enum record_kind, uint64_t id, void *record);
/* Saves the record or, in state INIT, removes it. Returns -EPERM if the system refuses. */
int record_save(const struct folder *, struct record_head *);

/* Calls `visit` with the id of every record of a kind until it returns a value other than 0. */
int record_each(const struct folder *, enum record_kind,
    int (*visit)(void *context, const struct folder *, uint64_t id), void *context);
