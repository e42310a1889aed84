/* SPDX-License-Identifier: Apache-2.0 */
/* What the three kinds of profiles share. */
#include "api/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define STATE_BIT     UINT32_C(1)
#define CUR_STATE_BIT UINT32_C(2)

_Static_assert(MRC_CTL_EV_FMT_PROFILE_STATE == STATE_BIT, "one rule for all kinds");
_Static_assert(MRC_CTL_EV_PROFILE_STATE == STATE_BIT, "one rule for all kinds");
_Static_assert(MRC_CTL_CC_PROFILE_STATE == STATE_BIT, "one rule for all kinds");
_Static_assert(MRC_CTL_EV_FMT_PROFILE_CUR_STATE == CUR_STATE_BIT, "one rule for all kinds");
_Static_assert(MRC_CTL_EV_PROFILE_CUR_STATE == CUR_STATE_BIT, "one rule for all kinds");
_Static_assert(MRC_CTL_CC_PROFILE_CUR_STATE == CUR_STATE_BIT, "one rule for all kinds");

/* The states are INIT, OFFLINE and ONLINE; a change is one step up or down. */
static bool is_step(uint32_t from, uint32_t to)
{
    return to <= MRC_CTL_PROFILE_ONLINE && (from + 1 == to || to + 1 == from);
}

int profile_check_step(const struct profile_change *change, uint32_t state, uint32_t *wanted)
{
    uint32_t others = change->mask & ~(STATE_BIT | CUR_STATE_BIT);

    *wanted = change->mask & STATE_BIT ? change->state : state;
    if (change->mask == 0 || change->mask & ~change->known)
        return -EINVAL;
    if (change->mask & CUR_STATE_BIT && change->cur_state != state)
        return -EINVAL;
    if (change->mask & STATE_BIT ? !is_step(state, *wanted) : state == MRC_CTL_PROFILE_INIT)
        return -EINVAL;
    return state == MRC_CTL_PROFILE_ONLINE && others & ~change->while_online ? -EINVAL : 0;
}

int profile_begin_change(const struct profile_store *store)
{
    int err = folder_check_privilege(&store->folder);

    return err ? err : folder_lock(&store->folder, "lock");
}

static int count_one(void *context, const struct folder *folder, uint64_t id)
{
    (void)folder;
    (void)id;
    ++*(uint32_t *)context;
    return 0;
}

int profile_check_room(const struct profile_store *store, enum record_kind kind, uint32_t limit)
{
    uint32_t count = 0;
    int err = record_each(&store->folder, kind, count_one, &count);

    if (err)
        return err;
    return count < limit ? 0 : -ENOMEM;
}

bool profile_is_used(const struct profile_store *store, enum record_kind kind, uint64_t id)
{
    char file[RECORD_FILE_BYTES];
    int lock;

    record_file(kind, id, ".use", file);
    lock = folder_try_lock(&store->folder, file, FOLDER_LOCK_EXCLUSIVE);
    if (lock >= 0)
        close(lock);
    return lock == -EBUSY;
}

struct record_ev *profile_load_ev(const struct profile_store *store, uint64_t id, int *err)
{
    struct record_ev *record = malloc(sizeof(*record));

    *err = record ? record_load(&store->folder, RECORD_EV, id, record) : -ENOMEM;
    if (*err) {
        free(record);
        return NULL;
    }
    return record;
}

int profile_load_fmt_of(
    const struct profile_store *store, const struct record_ev *ev, struct record_fmt *fmt)
{
    int err = record_load(&store->folder, RECORD_FMT, ev->fmt_id, fmt);

    if (err)
        return err;
    return fmt->head.state == MRC_CTL_PROFILE_INIT ? -EINVAL : 0;
}

static int add_ev_count(void *context, const struct folder *folder, uint64_t id)
{
    const struct profile_store store = { .folder = *folder };
    int err;
    struct record_ev *record = profile_load_ev(&store, id, &err);

    if (record && record->mode != MRC_CTL_EV_MODE_AUTO)
        *(uint32_t *)context += record->count;
    free(record);
    return err == -EIO ? 0 : err; /* a broken record has no EVs */
}

int profile_ev_free_count(const struct profile_store *store, uint32_t *out)
{
    uint32_t taken = 0;
    int err = record_each(&store->folder, RECORD_EV, add_ev_count, &taken);

    *out = taken < PROFILE_EV_COUNT_MAX ? PROFILE_EV_COUNT_MAX - taken : 0;
    return err;
}
