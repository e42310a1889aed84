/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of a device: the state machine of all three kinds, and which attributes a controller can
 * change in which state (mrc_ctl.h). Everything works on the device's folder. Processes with QPs
 * watch the folder for changes.
 *
 * A change holds the folder's lock from reading the record to replacing it. All calls return 0 or a
 * negative errno. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "api/record.h"
#include "mrc_ctl.h"

#define PROFILE_FMT_MAX      64
#define PROFILE_EV_MAX       64
#define PROFILE_CC_MAX       64
#define PROFILE_EV_COUNT_MAX 32768 /* EVs of all profiles */
#define PROFILE_DEFAULT_ID   0     /* of EV and CC profiles: the device's own, always ONLINE */
#define PROFILE_NSCC         "uet-1.0-nscc"

struct profile_store {
    struct folder folder;
    uint32_t port_count;
};

int profile_fmt_modify(
    const struct profile_store *, uint64_t id, struct mrc_ctl_ev_fmt_profile_attr *, uint32_t mask);
int profile_fmt_query(
    const struct profile_store *, uint64_t id, struct mrc_ctl_ev_fmt_profile_attr *, uint32_t mask);
int profile_ev_modify(
    const struct profile_store *, uint64_t id, struct mrc_ctl_ev_profile_attr *, uint32_t mask);
int profile_ev_query(
    const struct profile_store *, uint64_t id, struct mrc_ctl_ev_profile_attr *, uint32_t mask);
int profile_cc_modify(
    const struct profile_store *, uint64_t id, struct mrc_ctl_cc_profile_attr *, uint32_t mask);
int profile_cc_query(
    const struct profile_store *, uint64_t id, struct mrc_ctl_cc_profile_attr *, uint32_t mask);

/* Returns the number of EVs that further profiles may have. */
int profile_ev_free_count(const struct profile_store *, uint32_t *);

/* ---- for the files of this folder ------------------------------------------------------------ */

/* The part of a change that all kinds share. */
struct profile_change {
    uint32_t mask;  /* STATE and CUR_STATE have the same bits in all kinds */
    uint32_t state; /* attr.profile_state */
    uint32_t cur_state;
    uint32_t known;        /* bits that exist */
    uint32_t while_online; /* bits that may be set ONLINE, besides STATE and CUR_STATE */
};

/* Checks that the step is allowed; *wanted is the state after it. */
int profile_check_step(const struct profile_change *, uint32_t state, uint32_t *wanted);

/* Checks the privilege and takes the folder's lock. Returns a descriptor, which the caller closes.
 */
int profile_begin_change(const struct profile_store *);

/* Returns -ENOMEM if there are `limit` records of the kind. */
int profile_check_room(const struct profile_store *, enum record_kind, uint32_t limit);

/* Returns whether QPs of any process use the profile. Needs the folder's lock. */
bool profile_is_used(const struct profile_store *, enum record_kind, uint64_t id);

/* The caller frees the record that profile_load_ev() returns. profile_load_fmt_of() loads the
 * format of a record, in any state but INIT. */
struct record_ev *profile_load_ev(const struct profile_store *, uint64_t id, int *err);
int profile_load_fmt_of(
    const struct profile_store *, const struct record_ev *, struct record_fmt *);

/* Draws all EVs of a GEN profile again. */
int profile_ev_generate(const struct profile_store *, struct record_ev *);

/* Applies REPLACE_EV and MODIFY_EV_STATE entry by entry, up to the first entry that fails. */
int profile_ev_apply(const struct profile_store *, struct record_ev *, enum mrc_ctl_ev_op,
    const struct mrc_ctl_ev_op_entry *, uint32_t entry_count);
/* The same for the device's own profile, whose record lists the denied EVs. All entries apply, or
 * none. */
int profile_own_modify(const struct profile_store *, struct record_ev *,
    const struct mrc_ctl_ev_profile_attr *, uint32_t mask);
int profile_own_look(const struct record_ev *, struct mrc_ctl_ev_profile_attr *);
/* Serves QUERY_EV_STATE and QUERY_EV_ARRAY. */
int profile_ev_look(
    const struct profile_store *, const struct record_ev *, struct mrc_ctl_ev_profile_attr *);
