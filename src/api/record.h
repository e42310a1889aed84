/* SPDX-License-Identifier: Apache-2.0 */
/* What a device remembers: one file per profile, replaced as a whole, so that a reader sees a
 * profile before or after a change and never between. */
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
    struct ev_bits_format format; /* count 0: not given yet */
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
    struct record_ev_entry entries[RECORD_EV_MAX]; /* the file ends after `count` of them */
};

struct record_cc {
    struct record_head head;
    uint32_t is_nscc; /* otherwise no congestion control */
    struct mrc_ctl_cc_nscc_cfg config;
    uint8_t vendor_cfg[MRC_CTL_MAX_VENDOR_CFG_SIZE];
};

/* The name of a record's file. */
void record_file(enum record_kind, uint64_t id, const char *suffix, char out[RECORD_FILE_BYTES]);

/* Into `record`, of the size of its kind. A profile that is not there is in state INIT, all zero.
 * -EIO: what is there is no such record. */
int record_load(const struct folder *, enum record_kind, uint64_t id, void *record);
/* Saves or, in state INIT, removes it. -EPERM when the system does not let us. */
int record_save(const struct folder *, struct record_head *);

/* Calls `visit` with the id of every record of a kind until that yields something other than 0. */
int record_each(const struct folder *, enum record_kind,
    int (*visit)(void *context, const struct folder *, uint64_t id), void *context);
