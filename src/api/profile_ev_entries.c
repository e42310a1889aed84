/* SPDX-License-Identifier: Apache-2.0 */
/* The EVs of a profile: find, replace, deny, draw, query. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "api/profile.h"
#include "host/host.h"

static const struct mrc_ctl_ev unpopulated;

static bool same_ev(const struct mrc_ctl_ev *a, const struct mrc_ctl_ev *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static uint32_t find_ev(const struct record_ev *record, const struct mrc_ctl_ev *ev, uint32_t from)
{
    while (from < record->count && !same_ev(&record->entries[from].ev, ev))
        from++;
    return from;
}

/* 0 means GOOD: no state has this value. */
static bool to_state(enum mrc_ctl_ev_state given, uint8_t *state)
{
    switch (given ? given : MRC_CTL_EV_GOOD) {
    case MRC_CTL_EV_GOOD:
    case MRC_CTL_EV_ASSUMED_BAD:
    case MRC_CTL_EV_DENIED:
        *state = (uint8_t)(given ? given : MRC_CTL_EV_GOOD);
        return true;
    case MRC_CTL_EV_UNKNOWN:
        break;
    }
    return false;
}

static int check_new(const struct profile_store *store, const struct record_ev *record,
    const struct record_fmt *fmt, const struct mrc_ctl_ev *ev)
{
    if (same_ev(ev, &unpopulated))
        return record->head.state == MRC_CTL_PROFILE_ONLINE ? -EINVAL : 0;
    if (ev->port == 0 || ev->port > store->port_count)
        return -EINVAL;
    return ev_bits_fit(ev->val, ev_bits_compressed_width(&fmt->format, &record->fields)) ? 0
                                                                                         : -EINVAL;
}

/* An EV in use keeps its port: QPs have their paths sorted by port. */
static int apply_at(struct record_ev *record, uint32_t index, enum mrc_ctl_ev_op op,
    const struct mrc_ctl_ev_op_entry *entry, uint8_t state)
{
    struct record_ev_entry *at = &record->entries[index];

    if (op == MRC_CTL_EV_OP_REPLACE_EV) {
        if (record->head.state == MRC_CTL_PROFILE_ONLINE && at->ev.port != entry->ev_new.port)
            return -EINVAL;
        at->ev = entry->ev_new;
    }
    at->state = same_ev(&at->ev, &unpopulated) ? 0 : state;
    return 0;
}

static int apply_one(const struct profile_store *store, struct record_ev *record,
    const struct record_fmt *fmt, enum mrc_ctl_ev_op op, const struct mrc_ctl_ev_op_entry *entry)
{
    uint32_t index = find_ev(record, &entry->ev, 0);
    uint8_t state;
    int err = 0;

    if (entry->flags & ~(uint32_t)MRC_CTL_EV_OP_F_ALL_COPIES || !to_state(entry->state, &state))
        return -EINVAL;
    if (op == MRC_CTL_EV_OP_MODIFY_EV_STATE && same_ev(&entry->ev, &unpopulated))
        return -ENOENT;
    if (op == MRC_CTL_EV_OP_REPLACE_EV)
        err = check_new(store, record, fmt, &entry->ev_new);
    if (!err && index == record->count)
        err = -ENOENT;
    while (!err && index < record->count) {
        err = apply_at(record, index, op, entry, state);
        index = entry->flags & MRC_CTL_EV_OP_F_ALL_COPIES ? find_ev(record, &entry->ev, index + 1)
                                                          : record->count;
    }
    return err;
}

int profile_ev_apply(const struct profile_store *store, struct record_ev *record,
    enum mrc_ctl_ev_op op, const struct mrc_ctl_ev_op_entry *entries, uint32_t entry_count)
{
    struct record_fmt fmt;
    int err = profile_load_fmt_of(store, record, &fmt);

    for (uint32_t i = 0; !err && i < entry_count; i++)
        err = apply_one(store, record, &fmt, op, &entries[i]);
    return err;
}

static bool is_drawn_before(
    const struct record_ev *record, uint32_t index, const struct mrc_ctl_ev *ev, bool any_port)
{
    for (uint32_t i = 0; i < index; i++)
        if (memcmp(record->entries[i].ev.val, ev->val, sizeof(ev->val)) == 0 &&
            (any_port || record->entries[i].ev.port == ev->port))
            return true;
    return false;
}

/* All values differ if there are enough of them; otherwise the values of each port differ. */
int profile_ev_generate(const struct profile_store *store, struct record_ev *record)
{
    struct prng prng = { .state = (uint64_t)host_random() << 32 | host_random() };
    struct record_fmt fmt;
    uint64_t space;
    int err = profile_load_fmt_of(store, record, &fmt);

    if (err)
        return err;
    space = ev_bits_space(&fmt.format, &record->fields);
    if (space * store->port_count < record->count)
        return -EINVAL;
    for (uint32_t i = 0; i < record->count; i++) {
        struct record_ev_entry *entry = &record->entries[i];

        *entry = (struct record_ev_entry){ .ev.port = (uint8_t)(1 + i % store->port_count),
            .state = MRC_CTL_EV_GOOD };
        do
            ev_bits_draw(&fmt.format, &record->fields, &prng, entry->ev.val);
        while (is_drawn_before(record, i, &entry->ev, space >= record->count));
    }
    return 0;
}

/* Reads the states that the owner's QPs have found; all zero if no QP uses the profile. */
static void read_seen(
    const struct profile_store *store, const struct record_ev *record, uint8_t *seen)
{
    char file[RECORD_FILE_BYTES];
    int fd;

    memset(seen, 0, RECORD_EV_MAX);
    if (!profile_is_used(store, RECORD_EV, record->head.id))
        return;
    record_file(RECORD_EV, record->head.id, ".seen", file);
    fd = openat(store->folder.fd, file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (pread(fd, seen, RECORD_EV_MAX, 0) < 0)
        memset(seen, 0, RECORD_EV_MAX);
    close(fd);
}

static enum mrc_ctl_ev_state state_of(const struct record_ev_entry *entry, uint8_t seen)
{
    if (entry->state == 0)
        return MRC_CTL_EV_UNKNOWN;
    if (entry->state == MRC_CTL_EV_GOOD && seen == MRC_CTL_EV_ASSUMED_BAD)
        return MRC_CTL_EV_ASSUMED_BAD;
    return (enum mrc_ctl_ev_state)entry->state;
}

static int look_array(const struct record_ev *record, const uint8_t *seen,
    struct mrc_ctl_ev_profile_attr *attr, uint32_t room)
{
    attr->ev_op.entry_count = (int)record->count;
    if (room < record->count)
        return -E2BIG;
    for (uint32_t i = 0; i < record->count; i++) {
        attr->ev_op.entries[i].ev = record->entries[i].ev;
        attr->ev_op.entries[i].state = state_of(&record->entries[i], seen[i]);
    }
    return 0;
}

static int look_states(
    const struct record_ev *record, const uint8_t *seen, struct mrc_ctl_ev_profile_attr *attr)
{
    for (int i = 0; i < attr->ev_op.entry_count; i++) {
        struct mrc_ctl_ev_op_entry *entry = &attr->ev_op.entries[i];
        uint32_t index = find_ev(record, &entry->ev, 0);

        if (index == record->count)
            return -ENOENT;
        entry->state = state_of(&record->entries[index], seen[index]);
    }
    return 0;
}

int profile_ev_look(const struct profile_store *store, const struct record_ev *record,
    struct mrc_ctl_ev_profile_attr *attr)
{
    int count = attr->ev_op.entry_count;
    uint8_t seen[RECORD_EV_MAX];

    if (record->mode == MRC_CTL_EV_MODE_AUTO || count < 0 || (count > 0 && !attr->ev_op.entries))
        return -EINVAL;
    read_seen(store, record, seen);
    if (attr->ev_op.op == MRC_CTL_EV_OP_QUERY_EV_ARRAY)
        return look_array(record, seen, attr, (uint32_t)count);
    if (attr->ev_op.op == MRC_CTL_EV_OP_QUERY_EV_STATE && count > 0)
        return look_states(record, seen, attr);
    return -EINVAL;
}
