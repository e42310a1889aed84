/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of a device: the state machine of all three kinds, and what each lets a controller
 * change when (mrc_ctl.h). Everything works on the device's folder; whoever runs QPs learns of
 * changes by watching that.
 *
 * A change holds the folder's lock from reading the record to replacing it. All calls yield 0 or a
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

/* EVs that further profiles may have. */
int profile_ev_free_count(const struct profile_store *, uint32_t *);

/* ---- for the files of this folder ------------------------------------------------------------ */

/* What all kinds have in common in a change. */
struct profile_change {
    uint32_t mask; /* what the caller sets: bits of STATE and CUR_STATE are the same in all kinds */
    uint32_t state; /* attr.profile_state */
    uint32_t cur_state;
    uint32_t known;        /* bits that exist */
    uint32_t while_online; /* bits that may be set ONLINE, beside STATE and CUR_STATE */
};

/* Whether the step is one of the machine; *wanted is the state afterwards. */
int profile_check_step(const struct profile_change *, uint32_t state, uint32_t *wanted);

/* Privilege, then the folder's lock: a descriptor to be closed. */
int profile_begin_change(const struct profile_store *);

/* -ENOMEM when there are `limit` records of the kind. */
int profile_check_room(const struct profile_store *, enum record_kind, uint32_t limit);

/* QPs of any process use the profile. With the folder's lock held. */
bool profile_is_used(const struct profile_store *, enum record_kind, uint64_t id);

/* Both are large: to be freed. The format of the EV profile's record, in any state but INIT. */
struct record_ev *profile_load_ev(const struct profile_store *, uint64_t id, int *err);
int profile_load_fmt_of(
    const struct profile_store *, const struct record_ev *, struct record_fmt *);

/* Draws all EVs of a GEN profile anew. */
int profile_ev_generate(const struct profile_store *, struct record_ev *);

/* REPLACE_EV and MODIFY_EV_STATE, entry by entry; those before the first that fails are done. */
int profile_ev_apply(const struct profile_store *, struct record_ev *, enum mrc_ctl_ev_op,
    const struct mrc_ctl_ev_op_entry *, uint32_t entry_count);
/* QUERY_EV_STATE and QUERY_EV_ARRAY. */
int profile_ev_look(
    const struct profile_store *, const struct record_ev *, struct mrc_ctl_ev_profile_attr *);
